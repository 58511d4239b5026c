"""Assignments that were taken back, and given back since: the last of such acts on a cell counts."""

from __future__ import annotations

import sqlalchemy as sql

from voirdire.store.review_schema import assignments, events
from voirdire.store.sql import Store

__all__ = ["GIVEN_BACK", "TAKEN_BACK", "WITHDRAWN", "taken_back"]

WITHDRAWN, GIVEN_BACK = "withdrawn", "given back"
CELL = ("round_id", "rater_id", "item_id", "metric")
LATER = events.alias("later")
TAKEN_BACK = sql.exists().where(
    events.c.kind == WITHDRAWN,
    *(events.c[name] == assignments.c[name] for name in CELL),
    ~sql.exists().where(
        LATER.c.kind == GIVEN_BACK,
        *(LATER.c[name] == events.c[name] for name in CELL),
        LATER.c.number > events.c.number,
    ),
)
"""Whether a row of ``assignments`` is taken back, for a query of them."""


def taken_back(store: Store, round_id: str = "") -> set[tuple[str, str, str, str]]:
    """Round, rater, item and metric of what is taken back now, of one round or of all."""
    query = sql.select(events).where(events.c.kind.in_([WITHDRAWN, GIVEN_BACK]))
    if round_id:
        query = query.where(events.c.round_id == round_id)
    last = {
        (row["round_id"], row["rater_id"], row["item_id"], row["metric"]): row["kind"]
        for row in store.rows(query.order_by(events.c.number))
    }
    return {cell for cell, kind in last.items() if kind == WITHDRAWN}
