"""One item as a page shows it: its metric, its numbered turns, and the labels in this rater's order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from voirdire.review.answers import Asked
from voirdire.review.desk import Desk, Round
from voirdire.review.showing import Showing, Side
from voirdire.study.metric import Metric

__all__ = ["Block", "Option", "Shown", "shown"]

KEYS = "123456789"
UNSURE_KEY = "U"


@dataclass(frozen=True)
class Block:
    """A turn or a text, ``number`` being how it is cited; ``tone`` is user, assistant or text."""

    number: int
    title: str
    tone: str
    text: str
    side: str = ""


@dataclass(frozen=True)
class Option:
    """A label to choose: ``kind`` is verdict, between or unsure, and ``key`` the key that chooses it."""

    value: str
    title: str
    kind: str
    key: str


@dataclass(frozen=True)
class Shown:
    """Everything that a page may know of an item; its id and its system are not in here."""

    place: int
    letter: str
    metric: Metric
    blocks: tuple[Block, ...]
    options: tuple[Option, ...]
    several: bool
    minutes: int


def shown(desk: Desk, round_: Round, asked: Asked, showing: Showing) -> Shown:
    """What is asked at one place of a rater's list, as its page shows it."""
    sides = showing.sides(asked.cell.item_id, asked.presented)
    return Shown(
        place=asked.place,
        letter=asked.letter,
        metric=desk.study.metric(asked.cell.metric),
        blocks=tuple(_blocks(sides)),
        options=tuple(_options(round_, asked)),
        several=asked.cell.metric in round_.settings.sets,
        minutes=showing.minutes(asked.cell.item_id, asked.presented),
    )


def _blocks(sides: tuple[Side, ...]) -> Iterator[Block]:
    shared = sides[0].item.shared
    texts = [("", name, "text", text) for name, text in shared.items()]
    for side in sides:
        texts += [(side.title, name, "text", text) for name, text in side.item.fields.items()]
        texts += [(side.title, turn.role, _tone(turn.role), turn.text) for turn in side.item.turns]
    for number, (where, title, tone, text) in enumerate(texts, start=1):
        yield Block(number, title.replace("_", " ").capitalize(), tone, text, where)


def _tone(role: str) -> str:
    return "user" if role.lower() in ("user", "human", "customer") else "assistant"


def _options(round_: Round, asked: Asked) -> Iterator[Option]:
    scale = round_.settings.scales[asked.cell.metric]
    names = _sides(asked.presented)
    ordered = [*names, *(label for label in asked.options if label not in names)]
    for number, label in enumerate(ordered):
        kind = "unsure" if label == scale.unsure else "between" if label in scale.between else "verdict"
        key = UNSURE_KEY if kind == "unsure" else KEYS[number : number + 1]
        yield Option(label, names.get(label, label), kind, key)


def _sides(presented: str) -> dict[str, str]:
    """What a pair's labels are called where its sides stand left and right, from left to right."""
    if not presented:
        return {}
    left, right = ("first", "second") if presented == "ab" else ("second", "first")
    return {left: "Left is better", "tie": "Equally good", right: "Right is better"}
