"""A rater's headway: how much of what is asked is handed in, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sql

from voirdire.review.answers import CELL
from voirdire.review.desk import Desk
from voirdire.review.taking_back import TAKEN_BACK
from voirdire.store.review_schema import assignments, labels

__all__ = ["Headway", "headway"]

ANSWERED = (
    sql.select(
        assignments.c.place,
        sql.exists().where(*(labels.c[name] == assignments.c[name] for name in CELL)).label("done"),
    )
    .where(
        assignments.c.round_id == sql.bindparam("round_id"),
        assignments.c.rater_id == sql.bindparam("rater_id"),
        ~TAKEN_BACK,
    )
    .order_by(assignments.c.place)
)


@dataclass(frozen=True)
class Headway:
    """``done`` of ``total`` places have an answer; ``left`` are the others, in the rater's own order."""

    done: int
    total: int
    left: tuple[int, ...]

    def next_place(self, after: int = 0) -> int:
        """The first place without an answer behind ``after``, else from the beginning; 0 for none.

        >>> Headway(1, 3, (1, 3)).next_place(2), Headway(1, 3, (1, 3)).next_place(3)
        (3, 1)
        """
        return next((place for place in self.left if place > after), self.left[0] if self.left else 0)


def headway(desk: Desk, round_id: str, rater_id: str) -> Headway:
    """How far a rater has come; what was taken back does not count."""
    rows = desk.store.rows(ANSWERED, round_id=round_id, rater_id=rater_id)
    left = tuple(row["place"] for row in rows if not row["done"])
    return Headway(len(rows) - len(left), len(rows), left)
