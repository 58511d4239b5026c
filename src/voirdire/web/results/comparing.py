"""Two systems side by side: where they differ, paired over the same cases, and which metrics carry it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from voirdire.bench.cells import Kind
from voirdire.bench.tree import OVERALL, Node
from voirdire.stats.estimate import Estimate
from voirdire.web.results import addresses
from voirdire.web.results.explorer import SIDES
from voirdire.web.results.figures import Figure, figure_of, points
from voirdire.web.results.shown import Shown
from voirdire.web.results.words import DOES, KIND_WORDS

__all__ = ["Apart", "Comparison", "Side", "comparison_of"]

MOST = 12
"""Metrics that are listed, those furthest apart first."""
LEVELS = ("overall", "area")


@dataclass(frozen=True)
class Side:
    """One place and kind: both rates and the first minus the second."""

    place: str
    href: str
    kind: str
    first: Figure
    second: Figure
    difference: Figure


@dataclass(frozen=True)
class Apart:
    """A metric on which the systems lie apart, with both systems' passes and conversations."""

    title: str
    href: str
    kind: str
    first: str
    second: str
    hrefs: tuple[str, str]
    points: str


@dataclass(frozen=True)
class Comparison:
    """The page of two systems."""

    first: str
    second: str
    answer: str
    sides: tuple[Side, ...]
    metrics: tuple[Apart, ...]


def comparison_of(shown: Shown, first: str, second: str) -> Comparison:
    """The page of ``first`` and ``second``."""
    sides = [
        _side(shown, node, kind, (first, second))
        for node in shown.results.nodes
        if node.level in LEVELS
        for kind in SIDES
        if shown.rate(node.id, kind, first) is not None or shown.rate(node.id, kind, second) is not None
    ]
    return Comparison(
        first, second, _answer(shown, first, second), tuple(sides), tuple(_apart(shown, first, second))
    )


def _side(shown: Shown, node: Node, kind: Kind, pair: tuple[str, str]) -> Side:
    one, other = (figure_of(shown.rate(node.id, kind, system)) for system in pair)
    difference = _difference(shown, node, kind, pair)
    told = (
        Figure("not compared", "no shared case", missing=True) if difference is None else points(difference)
    )
    place = "All areas" if node.id == OVERALL else node.title
    return Side(place, addresses.explore(node), KIND_WORDS[kind], one, other, told)


def _difference(shown: Shown, node: Node, kind: Kind, pair: tuple[str, str]) -> Estimate | None:
    """The first system minus the second; its interval holds for all pairs of the ranking together."""
    ranking = shown.ranking(kind, node=node.id)
    for one in ranking.differences if ranking else ():
        if (one.first, one.second) == pair:
            return one.difference
        if (one.second, one.first) == pair:
            return _turned(one.difference)
    return None


def _turned(one: Estimate) -> Estimate:
    return one if one.undefined is not None else replace(one, value=-one.value, low=-one.high, high=-one.low)


def _answer(shown: Shown, first: str, second: str) -> str:
    parts = []
    for kind in SIDES:
        one = _difference(shown, shown.nodes[OVERALL], kind, (first, second))
        if one is None or one.undefined is not None:
            continue
        if one.has_interval and (one.low > 0 or one.high < 0):
            more, less = (first, second) if one.low > 0 else (second, first)
            parts.append(f"{more} more often {DOES[kind]} than {less}.")
        else:
            parts.append(f"Which of the two more often {DOES[kind]} cannot be told.")
    return " ".join(parts) or f"{first} and {second} share no case that counts."


def _apart(shown: Shown, first: str, second: str) -> Iterator[Apart]:
    found = []
    for node in shown.results.nodes:
        if node.level != "metric":
            continue
        rates = shown.own_rate(node, first), shown.own_rate(node, second)
        one, other = rates
        if one is None or other is None or not one.judged or not other.judged:
            continue
        gap = one.passed / one.judged - other.passed / other.judged
        if gap:
            found.append((gap, node, one, other))
    found.sort(key=lambda row: (-abs(row[0]), row[1].title))
    for gap, node, one, other in found[:MOST]:
        hrefs = [
            addresses.talks(node.id, system) if shown.kept else addresses.explore(node)
            for system in (first, second)
        ]
        yield Apart(
            node.title,
            addresses.explore(node),
            KIND_WORDS["positive" if one.kind == "positive" else "negative"],
            f"{one.passed:,} of {one.judged:,}",
            f"{other.passed:,} of {other.judged:,}",
            (hrefs[0], hrefs[1]),
            points(Estimate(gap)).text,
        )
