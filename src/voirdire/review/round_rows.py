"""The rows of a round that its progress is counted from: what is asked, and what was handed in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import sqlalchemy as sql

from voirdire.review.desk import Desk
from voirdire.review.taking_back import taken_back
from voirdire.store.review_schema import assignments, events, gold, labels, people

__all__ = ["Cell", "RoundRows", "Row", "cell_of", "rows_of"]

Row = Mapping[str, Any]
Cell = tuple[str, str, str]
"""A rater, an item and a metric."""
CELL = ("rater_id", "item_id", "metric")
ORDER = (assignments.c.rater_id, assignments.c.place)
TOLD = ("revision", "status", "challenge", "seconds", "late", "anchored", "comment")
ANSWERS = (
    sql.select(
        *(labels.c[name] for name in (*CELL, *TOLD)), sql.cast(labels.c.labels, sql.Text).label("labels")
    )
    .where(labels.c.round_id == sql.bindparam("round_id"))
    .order_by(labels.c.revision)
)
"""Every answer of a round; its labels as they are written, for few are different and parsing takes long."""


@dataclass(frozen=True, eq=False)
class RoundRows:
    """The rows of one round: ``asked`` are assignments in force, ``answers`` everybody's last ones in time.

    ``late`` counts answers whose last version came too late, ``gold`` are the items whose label is known,
    ``seen`` is each rater's last act, and ``expertise`` is by rater.
    """

    asked: Sequence[Row]
    answers: Sequence[Row]
    late: int = 0
    gold: Sequence[Row] = ()
    seen: Mapping[str, str] = field(default_factory=dict)
    expertise: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def labels(self) -> list[Row]:
        """Answers that hold a label; the others are skips."""
        return [row for row in self.answers if row["status"] == "ok"]


def rows_of(desk: Desk, round_id: str) -> RoundRows:
    """The rows of a round as they stand now."""
    asked = sql.select(*(assignments.c[name] for name in CELL)).where(assignments.c.round_id == round_id)
    withdrawn = {cell[1:] for cell in taken_back(desk.store, round_id)}
    newest: dict[Cell, Row] = {}
    in_time: dict[Cell, Row] = {}
    for row in desk.store.rows(ANSWERS, round_id=round_id):
        row["labels"] = _parsed(row["labels"])
        newest[cell_of(row)] = row
        if not row["late"]:
            in_time[cell_of(row)] = row
    last = sql.select(events.c.rater_id, sql.func.max(events.c.created_at).label("at"))
    last = last.where(events.c.round_id == round_id, events.c.kind.in_(["accepted", "draft", "submitted"]))
    known = desk.store.rows(sql.select(people.c.rater_id, people.c.expertise))
    return RoundRows(
        [row for row in desk.store.rows(asked.order_by(*ORDER)) if cell_of(row) not in withdrawn],
        list(in_time.values()),
        sum(row["late"] for row in newest.values()),
        desk.store.rows(sql.select(gold).where(gold.c.round_id == round_id)),
        {row["rater_id"]: row["at"] for row in desk.store.rows(last.group_by(events.c.rater_id))},
        {row["rater_id"]: row["expertise"] for row in known},
    )


def cell_of(row: Row) -> Cell:
    """Whose row it is, on what."""
    return row["rater_id"], row["item_id"], row["metric"]


@lru_cache(maxsize=4096)
def _parsed(text: str) -> list[str]:
    found: list[str] = json.loads(text)
    return found
