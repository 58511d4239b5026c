"""Rulings: what a panel decides of an item, beside the labels and never over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import sqlalchemy as sql
from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.review.answers import Receipt, Sent
from voirdire.review.desk import Desk, Round, now
from voirdire.review.log import Cell, Event, record
from voirdire.review.settings import OfferedScale
from voirdire.store.review_schema import adjudications, rounds
from voirdire.store.schema import storable

__all__ = ["KINDS", "Ruling", "choices", "rule", "rulings_of"]

KINDS = {
    "label": "A label",
    "contested": "Inherently contested",
    "rubric": "The rubric must change",
}
"""What a panel may rule, by the name under which it is kept."""
LONGEST_REASON = 20_000
MOST_LISTED = 11


class Ruling(BaseModel):
    """One of :data:`KINDS`: ``label`` is the one ruled, empty for the others, ``reason`` why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["label", "contested", "rubric"]
    label: str = Field(default="", max_length=500)
    reason: str = Field(default="", max_length=LONGEST_REASON)


def rule(desk: Desk, round_: Round, cell: Cell, ruling: Ruling, sent: Sent) -> Receipt:
    """Keep ``ruling`` by the panel member ``cell.rater_id`` as the next revision, once however often sent.

    A label that may not be ruled, and a rubric's change without a reason, are users' errors. Labels stay as
    people gave them.
    """
    checked = _checked(round_, cell.metric, ruling)
    with desk.transaction() as connection:
        # one at a time, for the revision is the next number
        connection.execute(
            sql.select(rounds.c.round_id).where(rounds.c.round_id == round_.id).with_for_update()
        )
        new = record(connection, Event(sent.key, "ruled", cell, checked.model_dump(), sent.said_at))
        there = sql.select(adjudications).where(*_of(cell)).order_by(adjudications.c.revision)
        before = connection.execute(there).mappings().all()
        if not new:
            return _kept([dict(row) for row in before], cell, storable(sent.key))
        row = {
            "round_id": round_.id,
            "item_id": cell.item_id,
            "metric": cell.metric,
            "revision": len(before) + 1,
            "ruling": checked.kind,
            "label": checked.label or None,
            "reason": checked.reason,
            "rater_id": cell.rater_id,
            "event": storable(sent.key),
            "created_at": now(),
        }
        connection.execute(adjudications.insert().values(**row))
    stale = len(before) > sent.seen
    note = "Somebody ruled in the meantime: your ruling now counts, and theirs is kept." if stale else ""
    return Receipt(len(before) + 1, str(row["created_at"]), late=False, note=note)


def choices(scale: OfferedScale) -> tuple[str, ...]:
    """The labels that a panel may rule: all that people may give but "not sure"."""
    return tuple(label for label in scale.labels if label != scale.unsure)


def rulings_of(desk: Desk, round_id: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The last ruling by item and metric, as rows of the store."""
    query = sql.select(adjudications).where(adjudications.c.round_id == round_id)
    rows = desk.store.rows(query.order_by(adjudications.c.revision))
    return {(row["item_id"], row["metric"]): row for row in rows}


def _checked(round_: Round, metric: str, ruling: Ruling) -> Ruling:
    if metric not in round_.settings.scales:
        raise UserError(f"no metric '{metric}' in this round")
    known = choices(round_.settings.scales[metric])
    reason = ruling.reason.strip()
    if ruling.kind == "label" and ruling.label not in known:
        what = f"no label '{ruling.label}'" if ruling.label else "no label is chosen yet"
        listed = ", ".join(known) if len(known) <= MOST_LISTED else f"the scale's {len(known)} labels"
        raise UserError(what, expected=f"one of {listed}")
    if ruling.kind == "rubric" and not reason:
        raise UserError("nothing says how the rubric must change", fix="write it under Why")
    label = ruling.label if ruling.kind == "label" else ""
    return ruling.model_copy(update={"label": label, "reason": reason})


def _kept(rows: list[dict[str, Any]], cell: Cell, key: str) -> Receipt:
    """The receipt of a ruling that was sent before."""
    mine: Mapping[str, Any] | None = next(
        (row for row in rows if row["event"] == key and row["rater_id"] == cell.rater_id), None
    )
    if mine is None:
        raise UserError("this name of an act was used for another one", fix="send it under a new key")
    return Receipt(mine["revision"], mine["created_at"], late=False)


def _of(cell: Cell) -> tuple[sql.ColumnElement[bool], ...]:
    return (
        adjudications.c.round_id == cell.round_id,
        adjudications.c.item_id == cell.item_id,
        adjudications.c.metric == cell.metric,
    )
