"""A rater's own list: what is asked there, what was handed in, and what stands in each form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sql

from voirdire.review.answers import CELL, Answer, Asked, asked_of
from voirdire.review.desk import Desk
from voirdire.review.log import Cell
from voirdire.store.review_schema import events, labels

__all__ = ["Entry", "Standing", "changes_of", "following", "own_list", "standing"]

SAID = ("draft", "submitted")
CHANGES = sql.select(sql.func.count().label("changes")).where(
    *(events.c[name] == sql.bindparam(name) for name in CELL), events.c.kind.in_(SAID)
)


@dataclass(frozen=True)
class Entry:
    """One place of the list, with the last answer handed in there; ``revision`` is 0 where there is none.

    One that came in time goes before one that came ``late``.
    """

    asked: Asked
    revision: int = 0
    labels: tuple[str, ...] = ()
    saved_at: str = ""
    late: bool = False

    @property
    def done(self) -> bool:
        """Whether an answer was handed in, a skip too."""
        return self.revision > 0


@dataclass(frozen=True)
class Standing:
    """What stands in the form of a cell, on whatever device it was entered.

    ``answer`` is None while nothing is. ``changes`` counts how often it was saved, ``revision`` how often it
    was handed in, the last time ``handed_in`` at ``handed_in_at``; ``pending`` says that the form differs
    from that. An answer that came in time goes before one that came ``late``.
    """

    answer: Mapping[str, Any] | None = None
    changes: int = 0
    saved_at: str = ""
    revision: int = 0
    handed_in: Mapping[str, Any] | None = None
    handed_in_at: str = ""
    late: bool = False
    pending: bool = False


def own_list(desk: Desk, round_id: str, rater_id: str) -> tuple[Entry, ...]:
    """Everything that a rater is asked for, in the rater's own order, with what was handed in."""
    query = sql.select(
        labels.c.item_id,
        labels.c.metric,
        labels.c.revision,
        labels.c.labels,
        labels.c.created_at,
        labels.c.late,
    ).where(labels.c.round_id == round_id, labels.c.rater_id == rater_id)
    rows = desk.store.rows(query.order_by(labels.c.late.desc(), labels.c.revision))
    last = {(row["item_id"], row["metric"]): row for row in rows}
    every = asked_of(desk, round_id, rater_id)
    return tuple(_entry(asked, last.get((asked.cell.item_id, asked.cell.metric))) for asked in every)


def following(entries: Sequence[Entry], after: int = 0) -> int:
    """The first place without an answer, from ``after`` on and then from the beginning; 0 for none.

    In a round that takes answers again a late one is none yet.
    """
    left = [entry.asked.place for entry in entries if not entry.done or entry.late]
    return next((place for place in left if place > after), left[0] if left else 0)


def standing(desk: Desk, cell: Cell) -> Standing:
    """What stands in the form of ``cell``: the newest of all drafts and answers."""
    mine = sql.select(events.c.number, events.c.kind, events.c.created_at).where(
        events.c.round_id == cell.round_id,
        events.c.rater_id == cell.rater_id,
        events.c.item_id == cell.item_id,
        events.c.metric == cell.metric,
        events.c.kind.in_(SAID),
    )
    acts = desk.store.rows(mine.order_by(events.c.number))
    if not acts:
        return Standing()
    newest = acts[-1]
    submitted = [act for act in acts if act["kind"] == "submitted"]
    wanted = {act["number"] for act in (newest, *submitted)}
    found = desk.store.rows(sql.select(events.c.number, events.c.document).where(events.c.number.in_(wanted)))
    told = {row["number"]: row["document"] for row in found}
    stands = Standing(_answer(told[newest["number"]]), len(acts), newest["created_at"], len(submitted))
    if not submitted:
        return stands
    last = max(submitted, key=lambda act: (not told[act["number"]]["late"], act["number"]))
    handed_in = _answer(told[last["number"]])
    return replace(
        stands,
        handed_in=handed_in,
        handed_in_at=last["created_at"],
        late=told[last["number"]]["late"],
        pending=stands.answer != handed_in,
    )


def changes_of(desk: Desk, cell: Cell) -> int:
    """How often the form of ``cell`` was saved."""
    return int(desk.store.rows(CHANGES, **vars(cell))[0]["changes"])


def _entry(asked: Asked, row: Mapping[str, Any] | None) -> Entry:
    if row is None:
        return Entry(asked)
    return Entry(asked, row["revision"], tuple(row["labels"]), row["created_at"], row["late"])


def _answer(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: document.get(name) for name in Answer.model_fields}
