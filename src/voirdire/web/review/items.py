"""One item as a page shows it: its metric, its numbered turns, and the labels in this rater's order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from voirdire.review.anchors import Anchor, anchor
from voirdire.review.answers import Asked
from voirdire.review.desk import Desk, Round
from voirdire.review.settings import OfferedScale
from voirdire.review.showing import Showing, Side
from voirdire.study.metric import Metric
from voirdire.study.scales import INCONSISTENT, as_number

__all__ = ["Block", "NumberField", "Option", "Shown", "option_titles", "shown"]

KEYS = "123456789"
DIGITS = tuple("0123456789")
UNSURE_KEY = "U"
MOST_LISTED = 11
"""A scale of more numbers than these gets a field to type in."""
NOTES = {
    "verdict": "",
    "between": "I read it well; it is both, or between",
    "unsure": "I cannot judge this one",
}
KINDS = tuple(NOTES)


@dataclass(frozen=True)
class Block:
    """A turn or a text; ``number`` is how it is cited, ``tone`` is user, assistant or text.

    Turns are numbered as in the item's transcript (of a pair: the left one's, then the right one's) and the
    texts beside them after that.
    """

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
    note: str = ""


@dataclass(frozen=True)
class NumberField:
    """Verdicts that are many numbers: the ``labels``, as they are spelled, from the least to the greatest."""

    labels: tuple[str, ...]


@dataclass(frozen=True)
class Shown:
    """Everything that a page may know of an item; its id and its system are not in here.

    ``number`` is a field for a number where the verdicts are too many to list; ``anchor`` is the verdict to
    confirm, None in a blind round.
    """

    place: int
    letter: str
    metric: Metric
    blocks: tuple[Block, ...]
    options: tuple[Option, ...]
    several: bool
    minutes: int
    number: NumberField | None = None
    anchor: Anchor | None = None

    @property
    def turns(self) -> int:
        """How many turns the transcript has, 0 where the item is texts."""
        return sum(block.tone != "text" for block in self.blocks)

    @property
    def paired(self) -> bool:
        """Whether two sides are compared."""
        return any(block.side for block in self.blocks)

    def called(self, number: int) -> str:
        """What the turn or text of that number is called where it is spoken of."""
        one = next((block for block in self.blocks if block.number == number), None)
        name = f"turn {number}" if one is None or one.tone != "text" else one.title
        return f"{one.side}: {name}" if one is not None and one.side else name

    @property
    def anchored_title(self) -> str:
        """The verdict to confirm as its label is called on this page."""
        if self.anchor is None:
            return ""
        titles = {option.value: option.title for option in self.options}
        return titles.get(self.anchor.label, self.anchor.label)


def shown(desk: Desk, round_: Round, asked: Asked, showing: Showing) -> Shown:
    """What is asked at one place of a rater's list, as its page shows it."""
    item, metric = asked.cell.item_id, asked.cell.metric
    scale = round_.settings.scales[metric]
    sides = showing.sides(item, asked.presented)
    number = _number(scale)
    options = _options(scale, asked)
    return Shown(
        place=asked.place,
        letter=asked.letter,
        metric=desk.study.metric(metric),
        blocks=tuple(_blocks(sides)),
        options=tuple(one for one in options if number is None or one.kind != "verdict"),
        several=metric in round_.settings.sets and number is None,
        minutes=showing.minutes(item, asked.presented),
        number=number,
        anchor=anchor(desk, round_, item, metric),
    )


def option_titles(round_: Round, asked: Asked) -> dict[str, str]:
    """What each label is called on the pages of this rater."""
    scale = round_.settings.scales[asked.cell.metric]
    return {option.value: option.title for option in _options(scale, asked)}


def _blocks(sides: tuple[Side, ...]) -> Iterator[Block]:
    turn = count(1)
    text = count(1 + sum(len(side.item.turns) for side in sides))
    for name, words in sides[0].item.shared.items():
        yield Block(next(text), _title(name), "text", words)
    for side in sides:
        for name, words in side.item.fields.items():
            yield Block(next(text), _title(name), "text", words, side.title)
        for one in side.item.turns:
            yield Block(next(turn), _title(one.role), _tone(one.role), one.text, side.title)


def _tone(role: str) -> str:
    return "user" if role.lower() in ("user", "human", "customer") else "assistant"


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _options(scale: OfferedScale, asked: Asked) -> list[Option]:
    sides = {label: title for label, title in _sides(asked.presented).items() if label in scale.labels}
    names = {**{label: _spoken(label, scale) for label in scale.labels}, **sides}
    ordered = [*sides]
    flipped = {label for label in scale.labels if asked.presented and label.endswith(INCONSISTENT)}
    ordered += [label for label in asked.options if label not in {*ordered, *flipped}]
    kinds = {label: _kind(label, scale) for label in ordered}
    ordered.sort(key=lambda label: KINDS.index(kinds[label]))
    keys = _keys(ordered, kinds)
    return [Option(label, names[label], kinds[label], keys[label], NOTES[kinds[label]]) for label in ordered]


def _kind(label: str, scale: OfferedScale) -> str:
    return "unsure" if label == scale.unsure else "between" if label in scale.between else "verdict"


def _keys(ordered: Sequence[str], kinds: Mapping[str, str]) -> dict[str, str]:
    """The key of each label: its place, but a number's is its own digit wherever it stands, or none."""
    verdicts = [label for label in ordered if kinds[label] == "verdict"]
    numbers = bool(verdicts) and all(as_number(label) is not None for label in verdicts)
    keys = {label: label if label in DIGITS else "" for label in verdicts} if numbers else {}
    free = iter([key for key in KEYS if key not in keys.values()])
    for label in ordered:
        if label not in keys:
            keys[label] = UNSURE_KEY if kinds[label] == "unsure" else next(free, "")
    return keys


def _spoken(label: str, scale: OfferedScale) -> str:
    """A label as a person reads it, unless another label would read the same."""
    title = f"\N{MINUS SIGN}{label[1:]}" if label[:1] == "-" and label[1:2].isdigit() else label
    title = title[:1].upper() + title[1:]
    return label if title != label and title in scale.labels else title


def _number(scale: OfferedScale) -> NumberField | None:
    if len(scale.verdicts) <= MOST_LISTED:
        return None
    numbers = {label: as_number(label) for label in scale.verdicts}
    known = {label: number for label, number in numbers.items() if number is not None}
    return NumberField(tuple(sorted(known, key=known.__getitem__))) if len(known) == len(numbers) else None


def _sides(presented: str) -> dict[str, str]:
    """What a pair's labels are called where its sides stand left and right, from left to right."""
    if not presented:
        return {}
    left, right = ("first", "second") if presented == "ab" else ("second", "first")
    return {left: "Left is better", "tie": "Equally good", right: "Right is better"}
