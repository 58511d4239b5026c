"""What people said in the browser, as tables for a study to read like any other file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import sqlalchemy as sql

from voirdire.store.review_schema import adjudications, assignments, labels, metric_reviews, people, rounds
from voirdire.store.sql import Store
from voirdire.study.column import Column
from voirdire.study.config import ScaleConfig
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable

__all__ = ["PANEL", "Collected", "collected", "spelled"]

PANEL = "adjudication"
"""The rater, a reference, whose labels are a panel's rulings."""
CELL = ("rater_id", "item_id", "metric")
SPEAKING = ("item_id", "metric", "rater_id", "expertise", "status", "challenge", "presented", "created_at")


@dataclass(frozen=True, eq=False)
class Collected:
    """Labels and rulings as ``ratings``, reviews of metrics as ``reviews``, None where there is none.

    ``scales`` are those of the metrics whose answers hold a label that the study itself does not declare,
    such as "not sure"; ``declared`` those of every metric that has answers, as the study declared them.
    ``outdated`` counts what was left out because it answers an earlier wording.
    """

    ratings: RawTable | None
    reviews: RawTable | None
    scales: Mapping[str, ScaleConfig]
    declared: Mapping[str, ScaleConfig]
    outdated: int = 0


def collected(store: Store, *, round_id: str = "", criteria: Mapping[str, str] | None = None) -> Collected:
    """Everything that raters and panels handed in, of one round or of all; the last answer counts.

    With ``criteria``, hashes of metrics' present criteria, answers to another wording are left out; a round
    that recorded none is taken as it is. Answers that came after their round had closed are left out. The
    round is the ratings' ``run``, so that what a person said in two rounds stands side by side.
    """
    given = _last(store, labels, round_id)
    ruled = [row for row in _last(store, adjudications, round_id) if row["ruling"] == "label"]
    came = len(given) + len(ruled)
    given, ruled = (_on_wording(store, rows, criteria or {}) for rows in (given, ruled))
    reviewed = _last(store, metric_reviews, round_id)
    known = {
        row["rater_id"]: row["expertise"] or None
        for row in store.rows(sql.select(people.c.rater_id, people.c.expertise))
    }
    chances = _chances(store, round_id)
    given = [
        {
            **row,
            "expertise": known.get(row["rater_id"]),
            "sampling_probability": chances.get((row["round_id"], *(row[name] for name in CELL))),
        }
        for row in given
    ]
    scales, declared = _scales(store, [*given, *map(_ruling, ruled)])
    return Collected(
        ratings=_ratings(given, ruled, store.where) if given or ruled else None,
        reviews=_reviews(reviewed, store.where) if reviewed else None,
        scales=scales,
        declared=declared,
        outdated=came - len(given) - len(ruled),
    )


def _on_wording(
    store: Store, rows: Sequence[dict[str, Any]], criteria: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Those of ``rows`` whose round asked for the metric as ``criteria`` has it, or did not record how."""
    documents = store.rows(sql.select(rounds.c.round_id, rounds.c.document))
    asked = {row["round_id"]: row["document"].get("criteria", {}) for row in documents}

    def stands(row: Mapping[str, Any]) -> bool:
        told = asked.get(row["round_id"], {}).get(row["metric"])
        return told is None or told == criteria.get(row["metric"], told)

    return [row for row in rows if stands(row)]


def _last(store: Store, table: sql.Table, round_id: str) -> list[dict[str, Any]]:
    """The newest revision in time of each row of ``table``, in the order in which they came."""
    query = sql.select(table)
    if round_id:
        query = query.where(table.c.round_id == round_id)
    if "late" in table.c:
        query = query.where(table.c.late.is_(False))  # what was said before the round closed stands
    keys = [key.name for key in table.primary_key if key.name != "revision"]
    rows = store.rows(query.order_by(*(table.c[name] for name in keys), table.c.revision))
    last = {tuple(row[key] for key in keys): row for row in rows}
    return sorted(last.values(), key=lambda row: (row["created_at"], *(row[key] for key in keys)))


def _chances(store: Store, round_id: str) -> dict[tuple[str, ...], float | None]:
    """Each assignment's chance of being drawn, by round, rater, item and metric; none where all are alike.

    Equal chances weigh nothing, and labels from elsewhere that record none would be left without.
    """
    names = ("round_id", *CELL, "sampling_probability")
    query = sql.select(*(assignments.c[name] for name in names))
    if round_id:
        query = query.where(assignments.c.round_id == round_id)
    rows = store.rows(query)
    if len({row["sampling_probability"] for row in rows}) < 2:
        return {}
    return {tuple(row[name] for name in names[:-1]): row["sampling_probability"] for row in rows}


def _ratings(given: Sequence[Mapping[str, Any]], ruled: Sequence[Mapping[str, Any]], where: str) -> RawTable:
    rulings = [_ruling(row) for row in ruled]
    rows = [*given, *rulings]
    columns = {name: Column.of([row[name] or None for row in rows]) for name in SPEAKING}
    columns["rater_kind"] = Column.of(["human"] * len(given) + ["reference"] * len(rulings))
    columns["run"] = Column.of([row["round_id"] for row in rows])
    columns["label"] = Column.of([spelled(row["labels"]) for row in rows])
    columns["confidence"] = Column.of([_number(row["confidence"]) for row in rows])
    columns["rationale"] = Column.of([row["comment"] or None for row in rows])
    columns["citations"] = Column.of([json.dumps(row["cites"]) if row["cites"] else None for row in rows])
    columns["anchored"] = Column.of(["true" if row["anchored"] else None for row in rows])
    for name in ("seconds", "sampling_probability"):
        columns[name] = Column.of([_number(row[name]) for row in rows])
    told = {name: column for name, column in columns.items() if not column.is_missing.all()}
    kept = {**told, "label": columns["label"]}
    return RawTable(Source(where), kept, np.arange(1, len(rows) + 1), text=False)


def _ruling(row: Mapping[str, Any]) -> dict[str, Any]:
    """A panel's ruling in the shape of a rater's answer."""
    blank: dict[str, Any] = {
        "expertise": "",
        "challenge": "",
        "presented": "",
        "confidence": None,
        "seconds": None,
    }
    said = {"labels": [row["label"]], "comment": row["reason"], "status": "ok", "sampling_probability": None}
    return {**row, **blank, **said, "cites": [], "anchored": False, "rater_id": PANEL}


def _reviews(rows: Sequence[Mapping[str, Any]], where: str) -> RawTable:
    columns = {name: Column.of([row[name] for row in rows]) for name in ("metric", "rater_id", "adequacy")}
    columns["rename"] = Column.of(["true" if row["rename"] else "false" for row in rows])
    columns["comment"] = Column.of([_remark(row) or None for row in rows])
    return RawTable(Source(where), columns, np.arange(1, len(rows) + 1), text=False)


def _remark(row: Mapping[str, Any]) -> str:
    named = f"Better named: {row['rename']}." if row["rename"] else ""
    edits = f"Edits: {row['edits']}" if row["edits"] else ""
    return " ".join(text for text in (named, edits, row["comment"]) if text)


def _scales(
    store: Store, given: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, ScaleConfig], dict[str, ScaleConfig]]:
    """Scales of metrics with a label that only rounds offer, and every answered metric's own; by metric.

    Of the first the newest round's that offers most of what was said, of the second the newest round's.
    """
    said: dict[str, set[str]] = {}
    for row in given:
        said.setdefault(row["metric"], set()).update(row["labels"])
    most: dict[str, int] = {}
    offered: dict[str, ScaleConfig] = {}
    declared: dict[str, ScaleConfig] = {}
    documents = store.rows(sql.select(rounds.c.document).order_by(rounds.c.created_at, rounds.c.round_id))
    every = [pair for row in documents for pair in row["document"].get("scales", {}).items()]
    for name, scale in every:
        if name in said:
            declared[name] = _scale(scale, without=scale["added"])
            holds = len(set(scale["added"]) & said[name])
            if holds and holds >= most.get(name, 0):
                most[name], offered[name] = holds, _scale(scale)
    return offered, declared


def _scale(document: Mapping[str, Any], *, without: Sequence[str] = ()) -> ScaleConfig:
    """A round's scale, ``without`` some of its labels."""
    told = {name: value for name, value in document.items() if name != "added"}
    kept = [label not in without for label in told["labels"]]
    told["labels"] = list(compress(told["labels"], kept))
    if told.get("values") is not None:
        told["values"] = list(compress(told["values"], kept))
    told["indeterminate"] = {
        label: admits for label, admits in told["indeterminate"].items() if label not in without
    }
    return ScaleConfig.model_validate(told)


def spelled(labels: Sequence[str]) -> str | None:
    """One label as itself, several as a response set, None for a skip."""
    if len(labels) > 1:
        return json.dumps(list(labels), ensure_ascii=False)
    return labels[0] if labels else None


def _number(value: float | None) -> str | None:
    return None if value is None else repr(value)
