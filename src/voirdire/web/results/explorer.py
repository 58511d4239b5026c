"""Explorer: from an area down to a benchmark's metrics, over all systems or for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voirdire.bench.cells import ALL, Kind
from voirdire.bench.tree import OVERALL, Node
from voirdire.web.results import addresses
from voirdire.web.results.board import Choice
from voirdire.web.results.figures import Figure, figure_of
from voirdire.web.results.shown import Shown
from voirdire.web.results.words import plural

__all__ = ["Entry", "Explorer", "Step", "SystemRow", "believed", "explorer_of", "explorer_pages", "steps"]

SIDES: tuple[Kind, ...] = ("positive", "negative")
FEW = 20
"""Conversations from which a rate of 0 or of all is worth a look at rubric and judge."""


@dataclass(frozen=True)
class Step:
    """One part of the path from the top to where a page is."""

    word: str
    href: str


@dataclass(frozen=True)
class Entry:
    """One line of a column: its rates by kind, what to beware of, and whether the path leads through it."""

    word: str
    href: str
    figures: tuple[Figure, ...]
    n: int
    flag: str = ""
    second: str = ""
    selected: bool = False
    believed: str = ""


@dataclass(frozen=True)
class SystemRow:
    """One system's rates in the place of the page."""

    system: str
    href: str
    figures: tuple[Figure, ...]
    n: int
    missing: int


@dataclass(frozen=True)
class Explorer:
    """The page of one place: areas, benchmarks of the chosen area, metrics of the chosen benchmark."""

    title: str
    system: str
    answer: str
    trail: tuple[Step, ...]
    areas: tuple[Entry, ...]
    benchmarks: tuple[Entry, ...]
    metrics: tuple[Entry, ...]
    systems: tuple[SystemRow, ...]
    choices: tuple[Choice, ...]
    waiting: int


def explorer_pages(shown: Shown) -> Iterator[tuple[Node, str]]:
    """Every place above metrics, over all systems and for each."""
    for node in shown.results.nodes:
        if node.level != "metric":
            for system in (ALL, *shown.systems):
                yield node, system


def explorer_of(shown: Shown, node: Node, system: str) -> Explorer:
    """The page of ``node`` for ``system``, or over all of them."""
    trail = shown.trail(node)
    root = shown.nodes[OVERALL]
    areas = shown.children(root)
    below = [one for one in areas if not trail or one.id == trail[0].id]
    benchmarks = [bench for area in below for sub in shown.children(area) for bench in shown.children(sub)]
    if len(trail) > 1:
        benchmarks = [one for one in benchmarks if one.path[1] == trail[1].title]
    chosen = node if node.level == "benchmark" else None
    on = {one.id for one in trail}
    return Explorer(
        node.title if trail else shown.results.name,
        "" if system == ALL else system,
        _answer(shown, node, system),
        steps(shown, node, system),
        tuple(_entry(shown, one, system, on) for one in areas),
        tuple(_entry(shown, one, system, on, under=one.path[1]) for one in benchmarks),
        tuple(_metric_entry(shown, one, system) for one in shown.children(chosen)) if chosen else (),
        tuple(_system_row(shown, node, name) for name in shown.systems),
        tuple(
            Choice("All systems" if name == ALL else name, addresses.explore(node, name), name == system)
            for name in (ALL, *shown.systems)
        ),
        len(node.waiting),
    )


def steps(shown: Shown, node: Node, system: str = ALL) -> tuple[Step, ...]:
    """The path to ``node``, each part with its page; the first is the whole benchmark."""
    above = [Step(shown.results.name, addresses.explore(OVERALL, system))]
    return (*above, *(Step(one.title, addresses.explore(one, system)) for one in shown.trail(node)))


def believed(shown: Shown, metric: str) -> str:
    """What the audit says of the judge on ``metric``: yes, no, cannot tell, or nothing where not audited."""
    if shown.audit is None:
        return ""
    found = [one.answer for one in shown.audit.stand_in if metric in one.metrics]
    return found[0] if found else ""


def _entry(shown: Shown, node: Node, system: str, on: set[str], under: str = "") -> Entry:
    rates = [shown.rate(node.id, kind, system) for kind in SIDES]
    judged = sum(rate.judged for rate in rates if rate)
    passed = sum(rate.passed for rate in rates if rate)
    flag = ""
    if node.level == "benchmark" and judged >= FEW and passed in (0, judged):
        flag = f"{passed:,} of {judged:,}: audit rubric and judge first"
    return Entry(
        node.title,
        addresses.explore(node, system),
        tuple(figure_of(rate) for rate in rates),
        judged,
        flag,
        under,
        node.id in on,
    )


def _metric_entry(shown: Shown, node: Node, system: str) -> Entry:
    metric = shown.results.metrics[node.metrics[0]]
    rate = shown.own_rate(node, system)
    known = system != ALL and shown.kept is not None
    href = addresses.talks(node.id, system) if known else addresses.explore(node)
    said = []
    if rate is not None and rate.no_occasion:
        said.append(f"{rate.no_occasion:,} without occasion")
    if rate is not None and rate.missing:
        said.append(f"{rate.missing:,} missing")
    if not metric.counts:
        said.append("not reviewed: in no headline")
    text = "none" if rate is None else f"{rate.passed:,} of {rate.judged:,}"
    figure = Figure(text, ", ".join(said), missing=rate is None)
    wanted = "wanted" if metric.polarity == "positive" else "unwanted"
    n = 0 if rate is None else rate.judged
    return Entry(node.title, href, (figure,), n, second=wanted, believed=believed(shown, metric.name))


def _system_row(shown: Shown, node: Node, system: str) -> SystemRow:
    rates = [shown.rate(node.id, kind, system) for kind in SIDES]
    there = [rate for rate in rates if rate]
    return SystemRow(
        system,
        addresses.explore(node, system),
        tuple(figure_of(rate) for rate in rates),
        sum(rate.judged for rate in there),
        sum(rate.missing for rate in there),
    )


def _answer(shown: Shown, node: Node, system: str) -> str:
    who = "All systems together" if system == ALL else system
    parts: Sequence[str] = [
        f"{words} {_of(rate.passed, rate.judged)}"
        for kind, words in zip(SIDES, ("did what experts ask for in", "avoided harm in"), strict=True)
        if (rate := shown.rate(node.id, kind, system)) is not None and rate.judged
    ]
    if not parts:
        return f"{who}: no verdict here that counts."
    return f"{who} {' and '.join(parts)}."


def _of(passed: int, judged: int) -> str:
    return f"{passed:,} of {plural(judged, 'conversation')}"
