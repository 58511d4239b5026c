"""What a panel sees: the queue, and of an item the labels without whose they are, in an order that stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sql

from voirdire.review.answers import Asked, current
from voirdire.review.assigning import LETTERS
from voirdire.review.desk import Desk, Round
from voirdire.review.log import Cell
from voirdire.review.people import links_of
from voirdire.review.queue import Open, left_open
from voirdire.review.rulings import choices, rulings_of
from voirdire.review.showing import Side
from voirdire.review.taking_back import taken_back
from voirdire.store.review_schema import assignments, labels

__all__ = ["Said", "as_panel", "owed_by", "panel_queue", "said_of", "turned", "wanted_of"]


@dataclass(frozen=True)
class Said:
    """One person's last answer in time, ``person`` being a letter that says nothing about whose it is.

    ``labels`` is empty for a skip; ``cites`` are numbers of turns and texts as the panel sees them.
    """

    person: str
    labels: tuple[str, ...]
    confidence: int | None
    challenge: str
    cites: tuple[int, ...]
    comment: str


def panel_queue(desk: Desk, round_: Round, *, unfinished: bool = False) -> tuple[Open, ...]:
    """What goes to the panel of a round, from the answers that came in time.

    Items wait for the labels that are still to come, unless ``unfinished`` asks for them too. Once the round
    has closed none is.
    """
    return left_open(
        current(desk, round_.id, late=False).values(),
        wanted_of(desk, round_.id),
        round_.settings.scales,
        rulings=rulings_of(desk, round_.id),
        unfinished=unfinished or not round_.is_open,
    )


def wanted_of(desk: Desk, round_id: str) -> set[tuple[str, str, str]]:
    """Rater, item and metric of every label asked for that may come: not taken back, and the link valid."""
    able = {
        one.link.rater_id
        for one in links_of(desk, round_id)
        if one.link.role == "rater" and not one.link.revoked
    }
    columns = (assignments.c.rater_id, assignments.c.item_id, assignments.c.metric)
    asked = sql.select(*columns).where(assignments.c.round_id == round_id)
    wanted = {(row["rater_id"], row["item_id"], row["metric"]) for row in desk.store.rows(asked)}
    back = {cell[1:] for cell in taken_back(desk.store, round_id)}
    return {cell for cell in wanted - back if cell[0] in able}


def as_panel(desk: Desk, round_: Round, item_id: str, metric: str) -> Asked:
    """The item as the panel is shown it: labels in declared order, a pair's sides by a chance that stays."""
    paired = desk.study.metric(metric).scale.kind == "pairwise"
    chance = int(desk.derived("panel sides", round_.id, item_id)[:8], 16) % 2
    presented = ("ab", "ba")[chance] if paired else ""
    options = choices(round_.settings.scales[metric])
    return Asked(Cell(round_.id, "", item_id, metric), 0, options, presented, "")


def said_of(desk: Desk, round_: Round, asked: Asked, sides: Sequence[Side]) -> tuple[Said, ...]:
    """What people said of an item, in an order that is random and the same for every member.

    Letters go to all who were asked, so that one more answer leaves the others' letters as they are.
    ``sides`` are the item's as ``asked`` shows them.
    """
    item, metric = asked.cell.item_id, asked.cell.metric
    here = (labels.c.round_id == round_.id, labels.c.item_id == item, labels.c.metric == metric)
    rows = desk.store.rows(
        sql.select(labels).where(*here, labels.c.late.is_(False)).order_by(labels.c.revision)
    )
    given = {row["rater_id"]: row for row in rows}
    everybody = {rater for rater, *cell in wanted_of(desk, round_.id) if cell == [item, metric]}
    shuffled = sorted(
        everybody | set(given), key=lambda rater: desk.derived("panel person", round_.id, item, metric, rater)
    )
    return tuple(
        Said(
            _letter(place),
            tuple(row["labels"]),
            row["confidence"],
            row["challenge"],
            turned(row["cites"], row["presented"], asked.presented, sides),
            row["comment"],
        )
        for place, rater in enumerate(shuffled)
        if (row := given.get(rater)) is not None
    )


def owed_by(desk: Desk, round_id: str, rater_id: str) -> set[tuple[str, str]]:
    """Item and metric of every label that ``rater_id`` is asked for and has not handed in.

    To a member of the panel these stay shut, so that nobody labels what they have seen others label.
    """
    wanted = {(item, metric) for rater, item, metric in wanted_of(desk, round_id) if rater == rater_id}
    return wanted - {(item, metric) for _, item, metric in current(desk, round_id, rater_id)}


def turned(cites: Sequence[int], seen: str, shown: str, sides: Sequence[Side]) -> tuple[int, ...]:
    """Numbers of a pair's turns and texts as one saw them, as they are where the sides are changed.

    Turns are counted over the left side and then the right, texts after them: those of both first.
    ``sides`` are those ``shown``.
    """
    if seen == shown or len(sides) < 2:
        return tuple(cites)
    left, right = (len(side.item.turns) for side in sides)
    turns = [*range(left + 1, left + right + 1), *range(1, left + 1)]
    shared = len(sides[0].item.shared)
    one, other = (len(side.item.fields) for side in sides)
    first = left + right + shared
    both = range(left + right + 1, first + 1)
    texts = [*both, *range(first + one + 1, first + one + other + 1), *range(first + 1, first + one + 1)]
    place = dict(enumerate([*turns, *texts], start=1))
    return tuple(sorted(place.get(cite, cite) for cite in cites))


def _letter(place: int) -> str:
    return f"{LETTERS[place % 26]}{place // 26 + 1 if place >= 26 else ''}"
