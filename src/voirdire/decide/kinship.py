"""Which systems are a model itself, or of its family, by declared names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from voirdire.study.rater import Rater

__all__ = ["Kin", "first_word", "kin_of", "plain_name"]

GENERIC = ("model", "system", "judge", "llm", "ai", "assistant", "bot", "version", "v", "a", "b")
"""First words that say nothing about who made a model."""


@dataclass(frozen=True)
class Kin:
    """``own`` are systems that carry the rater's id or model, ``family`` those of its declared family, and
    ``alike`` those whose name begins with the same word, where no family is declared.
    """

    own: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.own, *self.family, *self.alike)


def kin_of(rater: Rater, systems: Iterable[str]) -> Kin:
    """The kin of ``rater`` among ``systems``.

    >>> kin_of(Rater("gpt-4", "judge"), ["GPT 4", "gpt-3.5-turbo", "claude-v1"])
    Kin(own=('GPT 4',), family=(), alike=('gpt-3.5-turbo',))
    """
    names = list(dict.fromkeys(systems))
    mine = {plain_name(rater.id), plain_name(rater.model)} - {""}
    own = tuple(name for name in names if plain_name(name) in mine)
    line = plain_name(rater.family)
    family = tuple(n for n in names if line and n not in own and plain_name(n).startswith(line))
    word = first_word(rater.model or rater.id)
    alike = (
        ()
        if rater.family or word in ("", *GENERIC)
        else tuple(name for name in names if first_word(name) == word and name not in own)
    )
    return Kin(own, family, alike)


def first_word(name: str) -> str:
    """The letters that a name begins with, in lower case."""
    return re.split(r"[^a-z]", name.casefold(), maxsplit=1)[0]


def plain_name(name: str) -> str:
    """A name's letters and figures alone, in lower case."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())
