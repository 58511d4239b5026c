"""Who takes part in measuring and is measured: a judge or simulated user that is a system, or its kin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from voirdire.decide.kinship import first_word, kin_of, plain_name
from voirdire.study.rater import Rater

__all__ = ["Contestant", "Player", "contestants"]

Role = Literal["judge", "simulated user"]
Relation = Literal["itself", "same family", "name begins alike"]


@dataclass(frozen=True)
class Player:
    """A model by its ``name``, ``model`` and ``family``, as far as they are known; empty for a script."""

    name: str
    model: str = ""
    family: str = ""


@dataclass(frozen=True, slots=True)
class Contestant:
    """``system`` is the judge or simulated user ``who`` itself, or of its family."""

    system: str
    role: Role
    who: str
    relation: Relation


def contestants(
    systems: Sequence[Player], measuring: Iterable[tuple[Role, Player]]
) -> tuple[Contestant, ...]:
    """Every system that is one of those ``measuring`` or its kin, by declared families, else by names.

    >>> found = contestants([Player("a", "gpt-5", "openai"), Player("b", "opus", "anthropic")],
    ...                     [("judge", Player("J", "gpt-5-mini", "openai"))])
    >>> [(one.system, one.relation) for one in found]
    [('a', 'same family')]
    """
    return tuple(
        Contestant(system.name, role, who.name, relation)
        for role, who in measuring
        for system in systems
        if (relation := _relation(system, who)) is not None
    )


def _relation(system: Player, who: Player) -> Relation | None:
    if system.model and who.model and plain_name(system.model) == plain_name(who.model):
        return "itself"
    kin = kin_of(Rater(who.name, "judge", model=who.model, family=who.family), [system.name])
    if kin.own:
        return "itself"
    if system.family and who.family:
        return "same family" if plain_name(system.family) == plain_name(who.family) else None
    if kin.family:
        return "same family"
    words = first_word(system.model), first_word(who.model)
    return "name begins alike" if kin.alike or (words[0] and words[0] == words[1]) else None
