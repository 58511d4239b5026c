"""The event log: what happened, in order, each act once however often it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sql

from voirdire.errors import UserError
from voirdire.review.desk import Desk, now
from voirdire.store.review_schema import events
from voirdire.store.schema import storable
from voirdire.store.sql import added

__all__ = ["Cell", "Event", "happened", "record"]

LONGEST_KEY = 100


@dataclass(frozen=True)
class Cell:
    """What one rater is asked: an item on a metric in a round."""

    round_id: str
    rater_id: str
    item_id: str = ""
    metric: str = ""


@dataclass(frozen=True)
class Event:
    """One act. ``key`` is the sender's name of it, ``said_at`` the sender's clock, ``at`` the server's."""

    key: str
    kind: str
    cell: Cell
    document: Mapping[str, Any] = field(default_factory=dict)
    said_at: str = ""
    at: str = field(default_factory=now)


def record(connection: sql.Connection, event: Event) -> bool:
    """Add ``event`` and say whether it is new; one that was sent before stays as it was."""
    if not 8 <= len(event.key) <= LONGEST_KEY:
        raise UserError(
            "an act without a name of its own", expected=f"a key of 8 to {LONGEST_KEY} characters"
        )
    row = {
        "key": f"{event.cell.round_id}/{event.cell.rater_id}/{storable(event.key)}",
        "kind": event.kind,
        "round_id": event.cell.round_id,
        "rater_id": event.cell.rater_id,
        "item_id": event.cell.item_id,
        "metric": event.cell.metric,
        "document": _clean(dict(event.document)),
        "said_at": storable(event.said_at[:40]),
        "created_at": event.at,
    }
    return bool(added(connection, events, [row]))


def happened(desk: Desk, kind: str, cell: Cell) -> bool:
    """Whether an act of this kind stands in the log for exactly this cell."""
    query = sql.select(events.c.number).where(
        events.c.kind == kind,
        events.c.round_id == cell.round_id,
        events.c.rater_id == cell.rater_id,
        events.c.item_id == cell.item_id,
        events.c.metric == cell.metric,
    )
    return bool(desk.store.rows(query.limit(1)))


def _clean(value: Any) -> Any:
    """Text that no database can hold, at any depth, as its nearest."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(str(name)): _clean(each) for name, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list | tuple) else value
