"""What a judge is shown of a study's items: texts and turns, never the system, the polarity or a script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from voirdire.errors import UserError
from voirdire.judges.recipe import JudgedItem, Turn
from voirdire.study.column import Column
from voirdire.study.study import Study
from voirdire.study.turns import messages_of

__all__ = ["NEVER", "View", "references_shown", "turns_of", "withheld"]

NEVER = ("system", "system_a", "system_b", "presented", "polarity", "family", "cluster", "variant_of")
"""Columns that no judge sees, even where its file names them."""
WITHHELD = ("reference", "script", "scenario", "persona", "rubric", "label", "gold", "expected")
"""How words in the names of texts begin that are shown only where the judge's file names them."""
REFERENCES = ("reference", "gold", "expected")
"""Words in the names of columns that hold an answer to judge by."""
SIDES = (("_a", "_b"), ("_first", "_second"), ("_1", "_2"), ("1", "2"))
"""Endings by which the columns of a pair's two sides are told apart."""
TRANSCRIPT = "transcript"


@dataclass(frozen=True, eq=False)
class View:
    """The columns of ``study`` that a judge sees: those named by ``sees``, or all texts not withheld.

    A column that the study lacks, one that no judge may see, and a study without any text are users' errors.
    """

    study: Study
    sees: tuple[str, ...] = ()

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The columns shown, by name."""
        items = self.study.items
        if not self.sees:
            return self._texts()
        known = {**items.attributes, **items.texts}
        found = {}
        for name in self.sees:
            sides = [name + end for pair in SIDES for end in pair if name + end in known]
            names = [name] if name in known else sides
            if {name, *names} & set(NEVER):
                raise UserError(f"no judge may see '{name}'", where="sees", fix="leave it out")
            if not names:
                raise UserError(f"no column '{name}'", where="sees", expected=f"one of {', '.join(known)}")
            found.update({one: known[one] for one in names})
        return found

    def item(self, code: int) -> JudgedItem:
        """The item at position ``code``."""
        fields, turns = self._shown(code, {name: name for name in self.columns})
        return JudgedItem(self.study.items.ids[code], fields, turns=turns)

    def pair(self, code: int) -> tuple[JudgedItem, JudgedItem]:
        """The two sides of the pair at position ``code``, as the study holds them."""
        first, second = self._sides
        own = {*first.values(), *second.values()}
        shared, _ = self._shown(code, {name: name for name in self.columns if name not in own})
        name = self.study.items.ids[code]
        (mine, turns), (other, others) = self._shown(code, first), self._shown(code, second)
        return (
            JudgedItem(name, mine, shared, turns, "first"),
            JudgedItem(name, other, shared, others, "second"),
        )

    def _texts(self) -> dict[str, Column]:
        shown = {name: column for name, column in self.study.items.texts.items() if not withheld(name)}
        if not shown:
            short = [name for name in self.study.items.attributes if name not in NEVER]
            raise UserError(
                "no text of the items to judge",
                where=self.study.name,
                expected="a column named text or transcript, or one of long texts",
                fix=f"add a table with the texts, or name columns under sees: {', '.join(short) or 'none'}",
            )
        return shown

    @cached_property
    def _sides(self) -> tuple[dict[str, str], dict[str, str]]:
        """For each side the columns by the name that they share."""
        first: dict[str, str] = {}
        second: dict[str, str] = {}
        for ends in SIDES:
            for name in self.columns:
                base = name.removesuffix(ends[0])
                if base != name and base + ends[1] in self.columns and base not in first:
                    first[base], second[base] = name, base + ends[1]
        if not first:
            raise UserError(
                "no texts of the two sides of a pair",
                where=self.study.name,
                expected="columns such as response_a and response_b",
            )
        return first, second

    def _shown(self, code: int, names: Mapping[str, str]) -> tuple[dict[str, str], tuple[Turn, ...]]:
        """Fields by title and, of a transcript, turns; ``names`` maps titles to columns."""
        fields: dict[str, str] = {}
        turns: tuple[Turn, ...] = ()
        for title, name in names.items():
            text = self.columns[name][code]
            if text is None:
                continue
            if title == TRANSCRIPT:
                turns = turns_of(text)
            else:
                fields[title] = text
        return fields, turns


def withheld(name: str) -> bool:
    """Whether a word of a column's name begins like one of :data:`WITHHELD`; a transcript is no script.

    >>> [withheld(name) for name in ("transcript", "user_script", "goldAnswer", "output")]
    [False, True, True, False]
    """
    return any(part.startswith(WITHHELD) for part in re.split(r"[^a-z]+", name.lower()))


def references_shown(view: View, options: Mapping[str, Any]) -> list[str]:
    """The columns shown that hold a reference answer, and ``synthetic`` where the model writes one itself.

    ``options`` are the recipe's own, which may name the column.
    """
    own = options.get("column")
    shown = [name for name in view.columns if name == own or any(word in name.lower() for word in REFERENCES)]
    return [*shown, *(["synthetic"] if options.get("reference") == "synthetic" else [])]


def turns_of(text: str) -> tuple[Turn, ...]:
    """The turns of a transcript: a JSON list of messages, or text in which each turn names its speaker.

    >>> [turn.role for turn in turns_of("User: Hi\\nAssistant: Hello\\nthere")]
    ['user', 'assistant']
    >>> turns_of('[{"role": "user", "content": "Hi"}]')[0].text
    'Hi'
    """
    messages = messages_of(text) or [("text", text)]
    return tuple(Turn(number, role, words) for number, (role, words) in enumerate(messages, start=1))
