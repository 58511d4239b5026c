"""What a rater may see after a round has closed: how others, and the judges, labelled the same item."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import sqlalchemy as sql

from voirdire.review.anchors import Anchor, verdicts_on
from voirdire.review.desk import Desk, Round
from voirdire.review.log import Cell
from voirdire.store.review_schema import labels

__all__ = ["Revealed", "revealed"]


@dataclass(frozen=True)
class Revealed:
    """How often others gave each answer (a set's labels joined by commas), and each judge's verdict."""

    people: tuple[tuple[str, int], ...]
    judges: tuple[Anchor, ...]


def revealed(desk: Desk, round_: Round, cell: Cell) -> Revealed | None:
    """How others labelled what ``cell`` asks for; None while the round is open, or where it keeps that apart.

    Answers that came late and skips are left out; nobody is named.
    """
    if round_.is_open or not round_.settings.reveal:
        return None
    query = sql.select(labels.c.rater_id, labels.c.labels).where(
        labels.c.round_id == cell.round_id,
        labels.c.item_id == cell.item_id,
        labels.c.metric == cell.metric,
        labels.c.rater_id != cell.rater_id,
        labels.c.late.is_(False),
    )
    last = {row["rater_id"]: row["labels"] for row in desk.store.rows(query.order_by(labels.c.revision))}
    counted = Counter(", ".join(given) for given in last.values() if given)
    order = {label: k for k, label in enumerate(round_.settings.scales[cell.metric].labels)}
    people = sorted(counted.items(), key=lambda pair: (order.get(pair[0], len(order)), pair[0]))
    return Revealed(tuple(people), verdicts_on(desk, cell.item_id, cell.metric))
