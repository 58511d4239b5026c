"""Answers: what a rater says of an item, as a draft that is saved on the way and as what is handed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import sqlalchemy as sql
from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.review.anchors import was_shown
from voirdire.review.desk import Desk, Round
from voirdire.review.log import Cell, Event, record
from voirdire.review.settings import CHALLENGES
from voirdire.review.taking_back import TAKEN_BACK
from voirdire.store.review_schema import assignments, events, labels
from voirdire.store.schema import storable

__all__ = [
    "Answer",
    "Asked",
    "Receipt",
    "Sent",
    "asked_of",
    "current",
    "rebuilt",
    "save_draft",
    "submit",
]

CELL = ("round_id", "rater_id", "item_id", "metric")
# queries that every request asks are made once, for that takes longer than asking them
ASKED = (
    sql.select(assignments, TAKEN_BACK.label("withdrawn"))
    .where(
        assignments.c.round_id == sql.bindparam("round_id"),
        assignments.c.rater_id == sql.bindparam("rater_id"),
    )
    .order_by(assignments.c.place)
)
AT_PLACE = ASKED.where(assignments.c.place == sql.bindparam("place"))
REVISIONS = sql.select(sql.func.count()).where(*(labels.c[name] == sql.bindparam(name) for name in CELL))
LONGEST_COMMENT = 20_000
MOST_CITES = 2_000
Turn = Annotated[int, Field(ge=1, le=1_000_000)]


class Answer(BaseModel):
    """What stands in a rater's form; ``labels`` is empty while nothing is chosen and for a skip.

    ``confidence`` is 1 (guess) to 4 (sure), ``cites`` the numbers of the turns relied on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    labels: list[str] = Field(default_factory=list, max_length=100)
    skipped: bool = False
    confidence: int | None = Field(default=None, ge=1, le=4)
    challenge: str = Field(default="", max_length=40)
    cites: list[Turn] = Field(default_factory=list, max_length=MOST_CITES)
    comment: str = Field(default="", max_length=LONGEST_COMMENT)


@dataclass(frozen=True)
class Asked:
    """One place of a rater's list: what is asked there, and how it is shown to this rater."""

    cell: Cell
    place: int
    options: tuple[str, ...]
    presented: str
    letter: str
    purpose: str = ""
    withdrawn: bool = False


@dataclass(frozen=True)
class Sent:
    """How an act arrived: the sender's ``key`` and clock, the revision ``seen``, and seconds of work."""

    key: str
    said_at: str = ""
    seen: int = 0
    seconds: float | None = None


@dataclass(frozen=True)
class Receipt:
    """What became of an answer: its ``revision``, when it was kept, and a sentence where one is due."""

    revision: int
    saved_at: str
    late: bool
    note: str = ""


def asked_of(
    desk: Desk, round_id: str, rater_id: str, *, place: int = 0, withdrawn: bool = False
) -> list[Asked]:
    """All that a rater is asked for, in the rater's own order, or what is at ``place``.

    What was taken back is left out unless ``withdrawn`` asks for it too.
    """
    query = AT_PLACE if place else ASKED
    found = [_asked(row) for row in desk.store.rows(query, round_id=round_id, rater_id=rater_id, place=place)]
    return [one for one in found if withdrawn or not one.withdrawn]


def submit(desk: Desk, round_: Round, asked: Asked, answer: Answer, event: Sent) -> Receipt:
    """Keep an answer as the cell's next revision, once however often it is sent.

    One that comes after the round has closed, or after the item was taken back, is kept apart as late, so
    that nothing is lost; one by somebody who was shown, in any round, how a judge or others labelled the item
    is marked as anchored. An answer that the metric does not offer is a user's error.
    """
    document = _checked(round_, asked, answer).model_dump(mode="json")
    late = asked.withdrawn or not round_.is_open
    cell = asked.cell
    with desk.transaction() as connection:
        _alone(connection, asked)
        anchored = round_.settings.mode == "confirm" or was_shown(connection, cell)
        told = {**document, "seconds": event.seconds, "late": late, "anchored": anchored}
        act = Event(event.key, "submitted", cell, told, event.said_at)
        if not record(connection, act):
            return _kept(connection, cell, event.key)
        before = _revisions(connection, cell)
        row = _row(round_, asked, told, revision=before + 1, key=event.key)
        connection.execute(labels.insert(), {**row, "created_at": act.at})
    stale = before > event.seen
    note = "This replaces an answer from another window; both are kept." if stale else ""
    return Receipt(before + 1, act.at, late, note)


def save_draft(desk: Desk, asked: Asked, answer: Answer, event: Sent) -> str:
    """Keep what stands in a form that is not handed in yet, and return when."""
    act = Event(event.key, "draft", asked.cell, answer.model_dump(mode="json"), event.said_at)
    with desk.transaction() as connection:
        record(connection, act)
    return act.at


def current(
    desk: Desk, round_id: str, rater_id: str = "", *, late: bool = True
) -> dict[tuple[str, str, str], dict[str, Any]]:
    """The last answer handed in by rater, item and metric: of one rater, or of all; ``late`` ones too."""
    query = sql.select(labels).where(labels.c.round_id == round_id)
    if rater_id:
        query = query.where(labels.c.rater_id == rater_id)
    if not late:
        query = query.where(labels.c.late.is_(False))
    rows = desk.store.rows(query.order_by(labels.c.revision))
    return {(row["rater_id"], row["item_id"], row["metric"]): row for row in rows}


def rebuilt(desk: Desk, round_: Round) -> list[dict[str, Any]]:
    """The rows of ``labels`` of a round made again from the event log alone, in the order of the acts."""
    query = sql.select(events).where(events.c.round_id == round_.id, events.c.kind == "submitted")
    asked = {
        (one.cell.rater_id, one.cell.item_id, one.cell.metric): one
        for row in desk.store.rows(
            sql.select(assignments, TAKEN_BACK.label("withdrawn")).where(assignments.c.round_id == round_.id)
        )
        for one in [_asked(row)]
    }
    seen: dict[tuple[str, str, str], int] = {}
    rows = []
    for event in desk.store.rows(query.order_by(events.c.number)):
        cell = (event["rater_id"], event["item_id"], event["metric"])
        seen[cell] = seen.get(cell, 0) + 1
        key = event["key"].removeprefix(f"{event['round_id']}/{event['rater_id']}/")
        row = _row(round_, asked[cell], event["document"], revision=seen[cell], key=key)
        rows.append({**row, "created_at": event["created_at"]})
    return rows


def _row(
    round_: Round, asked: Asked, document: Mapping[str, Any], *, revision: int, key: str
) -> dict[str, Any]:
    return {
        "round_id": asked.cell.round_id,
        "rater_id": asked.cell.rater_id,
        "item_id": asked.cell.item_id,
        "metric": asked.cell.metric,
        "revision": revision,
        "labels": list(document["labels"]),
        "status": "skip" if document["skipped"] else "ok",
        "confidence": document["confidence"],
        "challenge": document["challenge"],
        "cites": list(document["cites"]),
        "comment": storable(document["comment"]),
        "seconds": document["seconds"],
        "presented": asked.presented,
        "anchored": document.get("anchored", round_.settings.mode == "confirm"),
        "late": document["late"],
        "event": storable(key),
    }


def _checked(round_: Round, asked: Asked, answer: Answer) -> Answer:
    """``answer`` as it may be handed in: labels of the scale, one unless sets are allowed, or a skip."""
    scale = round_.settings.scales[asked.cell.metric]
    unknown = [label for label in answer.labels if label not in scale.labels]
    if unknown:
        raise UserError(f"no label '{unknown[0]}'", expected=f"one of {', '.join(scale.labels)}")
    if answer.challenge and answer.challenge not in CHALLENGES:
        raise UserError(f"no challenge '{answer.challenge}'", expected=f"one of {', '.join(CHALLENGES)}")
    if answer.skipped:
        return answer.model_copy(update={"labels": []})
    if not answer.labels:
        raise UserError("no label is chosen yet", fix="choose one, or skip this item")
    several = len(set(answer.labels)) > 1
    if several and (
        asked.cell.metric not in round_.settings.sets or set(answer.labels) - set(scale.verdicts)
    ):
        raise UserError("several labels are chosen", expected="one label")
    ordered = [label for label in scale.labels if label in answer.labels]
    return answer.model_copy(update={"labels": ordered, "cites": sorted(set(answer.cites))})


def _alone(connection: sql.Connection, asked: Asked) -> None:
    """Let no other answer to the same cell be kept until this one is; SQLite has one writer anyway."""
    if connection.dialect.name == "sqlite":
        return
    mine = (
        assignments.c.round_id == asked.cell.round_id,
        assignments.c.rater_id == asked.cell.rater_id,
        assignments.c.place == asked.place,
    )
    connection.execute(sql.select(assignments.c.place).where(*mine).with_for_update())


def _revisions(connection: sql.Connection, cell: Cell) -> int:
    return int(connection.scalars(REVISIONS, vars(cell)).one())


def _kept(connection: sql.Connection, cell: Cell, key: str) -> Receipt:
    """The receipt of an answer that was sent before."""
    query = sql.select(labels).where(*_matches(labels, cell), labels.c.event == storable(key))
    row = connection.execute(query).mappings().first()
    if row is None:
        raise UserError("this name of an act was used for another one", fix="send it under a new key")
    return Receipt(row["revision"], row["created_at"], row["late"])


def _matches(table: sql.Table, cell: Cell) -> tuple[sql.ColumnElement[bool], ...]:
    return (
        table.c.round_id == cell.round_id,
        table.c.rater_id == cell.rater_id,
        table.c.item_id == cell.item_id,
        table.c.metric == cell.metric,
    )


def _asked(row: Mapping[str, Any]) -> Asked:
    return Asked(
        Cell(row["round_id"], row["rater_id"], row["item_id"], row["metric"]),
        row["place"],
        tuple(row["options"]),
        row["presented"],
        row["letter"],
        row["purpose"],
        bool(row["withdrawn"]),
    )
