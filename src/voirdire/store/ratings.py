"""The verdicts in a store as a table of ratings, for a study to read like any other file."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sql

from voirdire.store.in_force import versions_in_force
from voirdire.store.parts import stored
from voirdire.store.schema import manifests, verdicts
from voirdire.store.sql import Store
from voirdire.study.column import Column
from voirdire.study.parts import part_name
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable

__all__ = ["Kept", "kept_verdicts"]

TEXTS = (
    "item_id",
    "metric",
    "rater_id",
    "label",
    "status",
    "rationale",
    "judge_version",
    "presented",
    "created_at",
)
NUMBERS = ("run", "confidence", "mass", "prompt_tokens", "completion_tokens", "cost", "latency")


@dataclass(frozen=True, eq=False)
class Kept:
    """What a store holds for a study: the ``table`` of ratings, and what is known of parts and judges.

    ``parts`` maps a part, by its name as a metric, to its metric and the labels that it may get, empty where
    they are the metric's own. ``judges`` maps a judge to the manifest of its newest verdict.
    """

    table: RawTable
    parts: Mapping[str, tuple[str, tuple[str, ...]]]
    judges: Mapping[str, Mapping[str, Any]]


def kept_verdicts(store: Store, *, parts: bool = False, asked: Collection[str] | None = None) -> Kept | None:
    """Every judge's verdicts of the version asked for last, one an item, metric and run; None where none is.

    Of a pair judged in both orders each order is a run of its own, with ``presented``. Verdicts of other
    versions stay in the store and are noted. Of a verdict that ended in an error and was asked for anew the
    last one counts. The parts of a verdict (a checklist's questions, a rubric's leaves, personas) are left
    out, or with ``parts`` are verdicts of the same judge on a metric of their own, ``metric/part``. Where
    ``asked`` is given, verdicts count whose content hash is in it, whichever version was asked for last.
    """
    every = stored(store, verdicts, [column.name for column in verdicts.columns])
    order = ("created_at", "content_hash", "run", "retry")
    rows = sorted(
        (
            row
            for row in every
            if (parts or row["part"] == "" or row["presented"])
            and (asked is None or row["content_hash"] in asked)
        ),
        key=lambda row: tuple(row[name] for name in order),
    )
    if not rows:
        return None
    counted = versions_in_force(store, rows)
    current = [row for row in rows if row["judge_version"] == counted[row["rater_id"]]]
    last = {(*_cell(row), row["part"]): row for row in current}
    in_orders = {_cell(row) for row in last.values() if row["presented"]}
    kept = [row for row in last.values() if row["presented"] or _cell(row) not in in_orders]
    other = sum(row["part"] == "" for row in rows) - sum(row["part"] == "" for row in current)
    note = f"{store.where}: {other:,} verdicts of other versions of judges are kept there and not read."
    table = _table([_named(_numbered(row)) for row in kept], store.where).noting(note if other else "")
    return Kept(table, _parts(kept), _manifests(store, {row["rater_id"]: row["manifest"] for row in kept}))


def _parts(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {
        part_name(row["metric"], row["part"]): (row["metric"], tuple((row["extra"] or {}).get("labels", ())))
        for row in rows
        if row["part"] and not row["presented"]
    }


def _manifests(store: Store, names: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    query = sql.select(manifests.c.manifest, manifests.c.document)
    documents = {row["manifest"]: row["document"] for row in store.rows(query)}
    return {judge: documents[name] for judge, name in names.items() if name in documents}


def _named(row: dict[str, Any]) -> dict[str, Any]:
    """A part's row under its own metric; the two orders of a pair are no parts."""
    if not row["part"] or row["presented"]:
        return row
    return {**row, "metric": part_name(row["metric"], row["part"])}


def _cell(row: Mapping[str, Any]) -> tuple[str, str, str, int]:
    return row["rater_id"], row["metric"], row["item_id"], row["run"]


def _numbered(row: dict[str, Any]) -> dict[str, Any]:
    """The two orders of one run as two runs."""
    return {**row, "run": 2 * row["run"] + (row["presented"] != "ab")} if row["presented"] else row


def _table(rows: Sequence[Mapping[str, Any]], where: str) -> RawTable:
    columns = {name: Column.of([row[name] or None for row in rows]) for name in TEXTS}
    columns["rater_kind"] = Column.constant("judge", len(rows))
    columns |= {name: Column.of([_number(row[name]) for row in rows]) for name in NUMBERS}
    columns["judge_score"] = Column.of([_number(row["score"]) for row in rows])
    columns["citations"] = Column.of([_document(row["citations"]) for row in rows])
    labels = dict.fromkeys(label for row in rows for label in row["probabilities"] or ())
    for label in labels:
        shares = [_number((row["probabilities"] or {}).get(label)) for row in rows]
        columns[f"prob_{label}"] = Column.of(shares)
    told = {name: column for name, column in columns.items() if not column.is_missing.all()}
    kept = {**told, "label": columns["label"]}
    return RawTable(Source(where), kept, np.arange(1, len(rows) + 1), text=False)


def _number(value: float | None) -> str | None:
    return None if value is None else repr(value)


def _document(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
