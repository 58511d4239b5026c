"""Anchors: a judge's verdict shown to raters on purpose, in a round that asks to confirm or correct it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import sqlalchemy as sql

from voirdire.errors import UserError
from voirdire.review.desk import Desk, Round
from voirdire.review.log import Cell, Event, record
from voirdire.store.review_schema import events, rounds
from voirdire.study.ratings import OK

__all__ = ["SHOWN", "Anchor", "anchor", "note_shown", "verdicts_on", "was_shown"]

SHOWN = "shown"
"""The act by which a rater was shown how a judge, or others, labelled an item."""
SEEN = sql.select(events.c.number).where(
    # rounds are named so that the events' index by round, rater and item serves
    events.c.round_id.in_(sql.select(rounds.c.round_id)),
    *(events.c[name] == sql.bindparam(name) for name in ("rater_id", "item_id", "metric")),
    events.c.kind == SHOWN,
)

RATIONALES = ("rationale", "comment")
"""Columns in which a judge's reasons may stand, the first that is there counts."""


@dataclass(frozen=True)
class Anchor:
    """A judge's verdict on one item and metric, with its reasons where they were recorded."""

    judge: str
    label: str
    rationale: str = ""


def anchor(desk: Desk, round_: Round, item_id: str, metric: str) -> Anchor | None:
    """The verdict that a rater is to confirm; None in a blind round and where the judge gave none.

    A round of confirming without a judge of the study is a user's error.
    """
    if round_.settings.mode != "confirm":
        return None
    judges = {rater.id for rater in desk.study.raters if rater.kind == "judge"}
    if round_.settings.judge not in judges:
        raise UserError(
            f"no judge '{round_.settings.judge}' whose verdicts could be confirmed",
            where=desk.study.name,
            expected=f"one of {', '.join(sorted(judges)) or 'its judges, and it has none'}",
        )
    found = verdicts_on(desk, item_id, metric)
    return next((one for one in found if one.judge == round_.settings.judge), None)


def note_shown(desk: Desk, cell: Cell) -> None:
    """Keep that a rater was shown how a judge, or others, labelled an item, once: no label of theirs on it is
    blind after that, in whatever round."""
    key = f"{SHOWN}-{hashlib.sha256(repr((cell.item_id, cell.metric)).encode()).hexdigest()[:32]}"
    with desk.transaction() as connection:
        record(connection, Event(key, SHOWN, cell))


def was_shown(connection: sql.Connection, cell: Cell) -> bool:
    """Whether the rater of ``cell`` was shown how a judge, or others, labelled it, in any round."""
    seen = {"rater_id": cell.rater_id, "item_id": cell.item_id, "metric": cell.metric}
    return connection.execute(SEEN.limit(1), seen).first() is not None


def verdicts_on(desk: Desk, item_id: str, metric: str) -> tuple[Anchor, ...]:
    """What each judge of the study says of an item, in the order of its raters; its first usable run counts.

    Never call this for a rater whose round is blind and open.
    """
    study, item = desk.study, desk.position[item_id]
    found = []
    for judge in study.judges_of(metric):
        rows = study.replies(metric, judge)
        mine = [
            int(row) for row in rows if study.ratings.item[row] == item and study.ratings.status[row] == OK
        ]
        mine = [row for row in mine if study.ratings.label[row] >= 0]
        if mine:
            label = study.metric(metric).scale.labels[study.ratings.label[mine[0]]]
            found.append(Anchor(study.raters[judge].id, label, _rationale(desk, mine[0])))
    return tuple(found)


def _rationale(desk: Desk, row: int) -> str:
    columns = (desk.study.ratings.attributes.get(name) for name in RATIONALES)
    return next((text for column in columns if column is not None and (text := column[row])), "")
