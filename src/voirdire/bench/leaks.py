"""Leaks and balance: base scenarios without demographics, variants that differ as their axis says."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from voirdire.bench.demographics import ATTRIBUTES, stated
from voirdire.bench.suite import Bench, Case, Variant
from voirdire.bench.template import MetricTemplate, Scenario

__all__ = ["Difference", "Leak", "differences", "leaks"]

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Leak:
    """Words of a base scenario that say who the user is, where they stand, and why they do."""

    attribute: str
    path: Path
    words: str
    why: str

    @property
    def rule(self) -> str:
        """The name under which a metric may accept it."""
        return f"says {self.attribute}"


def leaks(metric: MetricTemplate) -> Iterator[Leak]:
    """Demographics in the metric's situation and base scenarios, those left out that the metric accepts."""
    for path, text in _texts(metric):
        for attribute, (words, why) in stated(text).items():
            leak = Leak(attribute, path, words, why)
            if leak.rule not in metric.accepted:
                yield leak


def _texts(metric: MetricTemplate) -> Iterator[tuple[Path, str]]:
    for part in ("user", "model_knows", "message"):
        yield ("scenario", part), getattr(metric.scenario, part)
    for place, scenario in enumerate(metric.scenarios):
        yield from ((("scenarios", place, *path), text) for path, text in _said(scenario))


def _said(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    yield from ((("setting",), scenario.setting), (("opening",), scenario.opening))
    yield from ((("moves", place, "say"), move.say) for place, move in enumerate(scenario.moves))
    yield from ((("script", place), text) for place, text in enumerate(scenario.script))


@dataclass(frozen=True)
class Difference:
    """In what two variants of every scenario differ.

    ``axes`` are those whose values differ; ``first`` and ``second`` the words that only one of the two has.
    ``share`` is the mean share of words in opening and role that differ, over ``pairs`` scenarios.
    ``beside`` are attributes that the two state differently though no axis that differs is named so;
    ``same_length`` says whether the axis adds as many words to both.
    """

    axes: tuple[str, ...]
    variants: tuple[str, str]
    first: str
    second: str
    share: float
    pairs: int
    beside: tuple[str, ...]
    same_length: bool


def differences(bench: Bench) -> tuple[Difference, ...]:
    """Every two variants that differ in one axis, compared over all scenarios as they are played."""
    scenarios = [(metric, scenario) for metric in bench.metrics for scenario in metric.scenarios]
    return tuple(
        _difference(one, other, scenarios)
        for one, other in itertools.combinations(bench.variants, 2)
        if len(_axes(one, other)) == 1
    )


def _axes(one: Variant, other: Variant) -> tuple[str, ...]:
    mine, theirs = dict(one.values), dict(other.values)
    return tuple(axis for axis in mine if mine[axis] != theirs[axis])


def _difference(one: Variant, other: Variant, scenarios: list[tuple[MetricTemplate, Scenario]]) -> Difference:
    axes = _axes(one, other)
    shares = [_share(Case(*case, one), Case(*case, other)) for case in scenarios]
    mine, theirs = _played(one), _played(other)
    first, second = _apart(_words(mine), _words(theirs))
    return Difference(
        axes,
        (one.name, other.name),
        " ".join(dict.fromkeys(first)),
        " ".join(dict.fromkeys(second)),
        sum(shares) / len(shares),
        len(scenarios),
        tuple(_beside(stated(mine), stated(theirs), axes)),
        len(_words(mine)) == len(_words(theirs)),
    )


def _played(variant: Variant) -> str:
    return f"{variant.who} {variant.says}"


def _beside(
    mine: Mapping[str, tuple[str, str]], theirs: Mapping[str, tuple[str, str]], axes: tuple[str, ...]
) -> Iterator[str]:
    """Attributes in which two variants differ though no axis on which they differ is named so."""
    for attribute in ATTRIBUTES:
        same = mine.get(attribute, ("",))[0].casefold() == theirs.get(attribute, ("",))[0].casefold()
        if not same and attribute not in axes:
            yield attribute


def _share(one: Case, other: Case) -> float:
    mine, theirs = _words(f"{one.opening} {one.role}"), _words(f"{other.opening} {other.role}")
    first, second = _apart(mine, theirs)
    return (len(first) + len(second)) / (len(mine) + len(theirs))


def _apart(mine: list[str], theirs: list[str]) -> tuple[list[str], list[str]]:
    """The words of each that the other has not, in order."""
    first, second = [], []
    for kind, start, end, from_, to in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if kind != "equal":
            first += mine[start:end]
            second += theirs[from_:to]
    return first, second


def _words(text: str) -> list[str]:
    return re.findall(r"[\w'’]+", text)
