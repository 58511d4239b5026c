"""What a rater is shown of an item: its texts and turns, and never a system, a verdict or a script."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from voirdire.errors import UserError
from voirdire.judges.recipe import JudgedItem
from voirdire.judges.viewing import View
from voirdire.review.desk import Desk, Round

__all__ = ["Showing", "Side", "names_in_texts"]

WORDS_A_MINUTE = 230
NO_TEXT = "add a table with the items' texts to the study's folder, or name the columns to show"


@dataclass(frozen=True)
class Side:
    """One item as it is read, or one side of a pair; ``title`` is empty where it stands alone."""

    title: str
    item: JudgedItem


@dataclass(frozen=True, eq=False)
class Showing:
    """How the items of ``desk`` are shown in a round; no text to show is a user's error."""

    desk: Desk
    round: Round

    @cached_property
    def view(self) -> View:
        """The columns shown."""
        view = View(self.desk.study, tuple(self.round.settings.shown))
        try:
            assert view.columns
        except UserError as problem:
            fault = problem.faults[0]
            named = fault.where == "sees"
            raise UserError(
                fault.what.replace("no judge may", "no rater may").replace("to judge", "to label"),
                where="columns to show" if named else fault.where,
                expected=fault.expected,
                fix="show another one" if named else NO_TEXT,
            ) from None
        return view

    def sides(self, item_id: str, presented: str = "") -> tuple[Side, ...]:
        """The item, or the two sides of a pair in the order ``presented`` (``ab`` or ``ba``)."""
        code = self.desk.position[item_id]
        if not presented:
            return (Side("", self.view.item(code)),)
        first, second = self.view.pair(code)
        ordered = (first, second) if presented == "ab" else (second, first)
        return tuple(Side(title, side) for title, side in zip(("Left", "Right"), ordered, strict=True))

    def minutes(self, item_id: str, presented: str = "") -> int:
        """About how long an item takes to read, at least 1."""
        texts = [
            text
            for side in self.sides(item_id, presented)
            for text in (*side.item.fields.values(), *(turn.text for turn in side.item.turns))
        ]
        words = sum(len(text.split()) for text in texts)
        return max(1, round(words / WORDS_A_MINUTE))


def names_in_texts(desk: Desk, showing: Showing) -> dict[str, int]:
    """How many items' texts hold the name of a system or a family, which unblinds whoever reads them."""
    attributes = desk.study.items.attributes
    names = {
        value
        for column in ("system", "system_a", "system_b", "family")
        if column in attributes
        for value in attributes[column].values
        if len(value) > 2
    }
    found = {
        name: sum(
            any(
                name.lower() in text.lower()
                for column in showing.view.columns.values()
                if (text := column[k])
            )
            for k in range(len(desk.study.items))
        )
        for name in sorted(names)
    }
    return {name: count for name, count in found.items() if count}
