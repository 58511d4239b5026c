"""The audit as plain data: a JSON document that follows ``schema/audit-1.json``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np

from voirdire.checks.audit import Audit, StandIn
from voirdire.checks.finding import (
    Bounds,
    Cell,
    Evidence,
    Finding,
    FloorToCeiling,
    LabelCounts,
    LabelShares,
    Missing,
    Row,
    Table,
)
from voirdire.registry import register
from voirdire.report.page import moment
from voirdire.stats.estimate import REASONS, Estimate
from voirdire.study import Metric, Study

__all__ = ["SCHEMA", "json"]

SCHEMA = "voirdire-audit/1"
"""Name and version of the document; a field that changes its meaning gets a new version."""


@register("report", "json")
def json(audit: Audit, *, text: bool = True) -> dict[str, Any]:
    """The whole audit as dictionaries, lists, text, numbers and None.

    A number that does not exist is None with its reason beside it. ``text=False`` leaves out columns that
    hold what items and raters said. The same study, options and version give the same document but for
    ``created_at``.
    """
    return {
        "schema": SCHEMA,
        "voirdire": version("voirdire"),
        "created_at": moment().isoformat(timespec="seconds"),
        "study": _study(audit.study),
        "options": _plain(asdict(audit.options)),
        "answer": audit.answer,
        "lede": audit.lede,
        "facts": dict(audit.facts),
        "stand_in": [_stand_in(entry) for entry in audit.stand_in],
        "findings": [_finding(finding, text) for finding in audit.findings],
        "actions": [asdict(action) for action in audit.actions],
        "missing": list(audit.missing),
        "truth": _plain(audit.truth),
    }


def _study(study: Study) -> dict[str, Any]:
    return {
        "name": study.name,
        "design": study.design,
        "demo": study.demo,
        "n_items": len(study.items),
        "n_ratings": len(study.ratings),
        "metrics": [_metric(metric) for metric in study.metrics],
        "raters": [_plain(asdict(rater)) for rater in study.raters],
        "sources": [asdict(source) for source in study.sources],
        "assumptions": list(study.assumptions),
        "counts": dict(study.counts),
        "population": dict(study.population),
        "slice_by": list(study.slice_by),
    }


def _metric(metric: Metric) -> dict[str, Any]:
    scale = metric.scale
    return {
        "name": metric.name,
        "title": metric.label,
        "group": metric.group,
        "polarity": metric.polarity,
        "scale": {
            "kind": scale.kind,
            "labels": list(scale.labels),
            "ordered": scale.ordered,
            "values": None if scale.values is None else list(scale.values),
            "indeterminate": {label: list(admitted) for label, admitted in scale.indeterminate.items()},
        },
        "policy": metric.policy.name,
        "tie": metric.tie,
        "rubric": metric.rubric,
    }


def _stand_in(entry: StandIn) -> dict[str, Any]:
    return {
        "judge": entry.judge,
        "metrics": list(entry.metrics),
        "answer": entry.answer,
        "reason": entry.reason,
        "settle": entry.settle,
        "labels_to_settle": entry.labels_to_settle,
        "judge_person": _cell(entry.judge_person),
        "person_person": _cell(entry.person_person),
        "difference": _cell(entry.difference),
        "level": entry.level,
        "n_items": entry.n_items,
        "n_people": entry.n_people,
        "rated_items": entry.rated_items,
        "single_rated": entry.single_rated,
        "evidence": _evidence(entry.evidence),
    }


def _finding(finding: Finding, text: bool) -> dict[str, Any]:
    return {
        "check": finding.check,
        "question": finding.question,
        "answer": finding.answer,
        "tables": [_table(table, text) for table in finding.tables],
        "beware": list(finding.beware),
        "actions": [asdict(action) for action in finding.actions],
        "missing": list(finding.missing),
        "data": _plain(finding.data),
    }


def _table(table: Table, text: bool) -> dict[str, Any]:
    columns = [column for column in table.columns if text or column.kind != "prose"]
    return {
        "name": table.name,
        "caption": table.caption,
        "columns": [asdict(column) for column in columns],
        "rows": [_row(row, [column.key for column in columns]) for row in table.rows],
        "plot": list(table.plot),
        "folded": table.folded,
    }


def _row(row: Row, keys: list[str]) -> dict[str, Any]:
    cells = {key: _cell(row.cells.get(key)) for key in keys}
    return {"cells": cells, "evidence": _evidence(row.evidence), "note": row.note}


def _evidence(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    return {
        "metric": evidence.metric,
        "raters": list(evidence.raters),
        "where": [list(pair) for pair in evidence.where],
        "items": list(evidence.items),
    }


def _cell(cell: Cell) -> Any:
    match cell:
        case Estimate():
            return {"kind": "estimate", **_estimate(cell)}
        case Bounds():
            return {"kind": "bounds", "by_policy": {k: _estimate(e) for k, e in cell.by_policy.items()}}
        case LabelCounts():
            return {"kind": "labels", "counts": dict(cell.counts)}
        case LabelShares():
            return {"kind": "shares", "shares": dict(cell.shares)}
        case FloorToCeiling():
            ends = {name: _plain(getattr(cell, name)) for name in ("floor", "raw", "ceiling")}
            return {"kind": "floor_to_ceiling", **ends, "aligned": _cell(cell.aligned)}
        case Missing():
            return {"kind": "missing", "word": cell.word, "reason": cell.reason}
        case float() if not math.isfinite(cell):
            return {"kind": "missing", "word": "undefined", "reason": ""}
    return _plain(cell)


def _estimate(estimate: Estimate) -> dict[str, Any]:
    reason = estimate.undefined or estimate.no_interval
    return {**estimate.to_dict(), "reason": REASONS[reason] if reason else None}


def _plain(value: object) -> Any:
    """``value`` without numpy, dataclasses and tuples; a number that is not finite becomes None."""
    if isinstance(value, Estimate | Bounds | LabelCounts | LabelShares | FloorToCeiling | Missing):
        return _cell(value)
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in (value if isinstance(value, list | tuple) else sorted(value))]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)
