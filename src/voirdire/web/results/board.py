"""Leaderboard: systems with the ranks that each may hold, for one kind, choice of variants and rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from voirdire.bench.cells import ALL, ALL_VARIANTS, METRICS, Kind
from voirdire.bench.ranks import Ranked
from voirdire.bench.tree import OVERALL
from voirdire.decide.rates_rows import Rank
from voirdire.web.results import addresses
from voirdire.web.results.figures import Figure, figure_of, points
from voirdire.web.results.shown import Shown
from voirdire.web.results.words import KIND_WORDS, flags, headline, plural, variant_words

__all__ = ["Board", "BoardRow", "Choice", "RateKind", "board_choices", "board_of"]

RateKind = Literal["judge", "corrected"]
MOST_COLUMNS = 4
"""Choices of variants that get a column of their own."""


@dataclass(frozen=True)
class Choice:
    """One option of a filter, a link to the page that shows it."""

    word: str
    href: str
    current: bool


@dataclass(frozen=True)
class BoardRow:
    """One system: its ``rank`` and ``place`` where it is ranked, its rate, and rates by variant."""

    system: str
    href: str
    flags: tuple[str, ...]
    rank: Rank | None
    place: int
    rate: Figure
    by_variant: tuple[Figure, ...]
    contrasts: tuple[Figure, ...]

    @property
    def ranks(self) -> str:
        """The ranks that it may hold, in words."""
        if self.rank is None:
            return ""
        low, high = self.rank.low, self.rank.high
        return f"{low}" if low == high else f"{low} to {high}"


@dataclass(frozen=True)
class Board:
    """The leaderboard of one choice, with the links to all others."""

    kind: Kind
    variant: str
    rate: RateKind
    answer: str
    note: str
    rows: tuple[BoardRow, ...]
    variants: tuple[str, ...]
    contrasts: tuple[str, ...]
    filters: tuple[tuple[str, tuple[Choice, ...]], ...]
    corrected: bool
    """Whether any rate could be corrected."""


def board_choices(shown: Shown) -> Iterator[tuple[Kind, str, RateKind]]:
    """Every choice that has a page."""
    for kind in shown.kinds:
        for variant in shown.selections:
            yield kind, variant, "judge"
        if _is_corrected(shown, kind):
            yield kind, ALL_VARIANTS, "corrected"


def board_of(shown: Shown, kind: Kind, variant: str = ALL_VARIANTS, rate: RateKind = "judge") -> Board:
    """The leaderboard of one choice."""
    ranking = shown.ranking(kind, variant)
    own = tuple(name for name in shown.selections[1:] if "," not in name)
    variants = own if variant == ALL_VARIANTS and rate == "judge" and len(own) <= MOST_COLUMNS else ()
    every = shown.contrasts(OVERALL, kind) if variants else ()
    contrasts = tuple(f"{one.first} minus {one.second}" for one in every)
    held = {one.system: one for one in ranking.systems} if ranking else {}
    order = tuple(held) or shown.systems
    rows = [_row(shown, system, (kind, variant, rate), variants) for system in order]
    if rate == "judge":
        rows = [_ranked(row, held) for row in rows]
    else:
        rows.sort(key=lambda row: -(row.rate.at if row.rate.at is not None else -1.0))
    return Board(
        kind,
        variant,
        rate,
        headline(shown, kind, ranking) if rate == "judge" else _corrected_answer(rows),
        _note(shown, kind, variant, rate),
        tuple(rows),
        tuple(variant_words(name) for name in variants),
        contrasts,
        tuple(_filters(shown, kind, variant, rate)),
        _is_corrected(shown, kind),
    )


def _row(
    shown: Shown, system: str, choice: tuple[Kind, str, RateKind], variants: tuple[str, ...]
) -> BoardRow:
    kind, variant, rate = choice
    found = (
        shown.corrected(OVERALL, kind, system)
        if rate == "corrected"
        else shown.rate(OVERALL, kind, system, variant)
    )
    by_variant = tuple(figure_of(shown.rate(OVERALL, kind, system, name), unit=False) for name in variants)
    every = shown.contrasts(OVERALL, kind, system) if variants else ()
    return BoardRow(
        system,
        addresses.explore(OVERALL, system),
        tuple(flags(shown.results.contestants, system)),
        None,
        0,
        figure_of(found, unit=False),
        by_variant,
        tuple(points(one.difference) for one in every),
    )


def _ranked(row: BoardRow, held: Mapping[str, Ranked]) -> BoardRow:
    one = held.get(row.system)
    return row if one is None else replace(row, rank=one.rank, place=one.place)


def _filters(
    shown: Shown, kind: Kind, variant: str, rate: RateKind
) -> Iterator[tuple[str, tuple[Choice, ...]]]:
    def choice(word: str, *to: str) -> Choice:
        return Choice(word, addresses.board(*to), to == (kind, variant, rate))  # type: ignore[arg-type]

    yield "Kind", tuple(choice(KIND_WORDS[one], one, variant, rate) for one in shown.kinds)
    if len(shown.selections) > 1:
        name = "Variants"
        yield name, tuple(choice(variant_words(one), kind, one, "judge") for one in shown.selections)
    yield (
        "Rate",
        tuple(
            choice(word, kind, ALL_VARIANTS if one == "corrected" else variant, one)
            for one, word in (("judge", "Judge’s"), ("corrected", "Corrected"))
            if one == "judge" or _is_corrected(shown, kind)
        ),
    )


def _note(shown: Shown, kind: Kind, variant: str, rate: RateKind) -> str:
    found = shown.rate(OVERALL, kind, ALL, variant)
    if found is None:
        return "No conversation yet."
    metrics = shown.results.metrics
    own = [code for code in shown.nodes[OVERALL].metrics if kind in ("both", metrics[code].polarity)]
    there = np.isin(own, shown.results.outcomes.metric).sum()
    which = f"{there:,} of " if there < len(own) else ""
    systems = max(len(shown.results.systems), 1)
    each = (found.judged + found.missing) / systems
    about = "" if each.is_integer() else "about "
    held = f"{which}{plural(len(own), 'metric')}, {about}{plural(round(each), 'conversation')} a system."
    target = f"{shown.results.level:.0%} intervals, {METRICS}.".replace("%", "\N{NO-BREAK SPACE}%")
    return f"{held} {plural(found.missing, 'verdict')} missing. {target}"


def _corrected_answer(rows: list[BoardRow]) -> str:
    known = [row for row in rows if row.rate.at is not None]
    return (
        f"What people would say of each system, from their labels and the judge’s verdicts together: "
        f"{len(known)} of {plural(len(rows), 'system')}."
    )


def _is_corrected(shown: Shown, kind: Kind) -> bool:
    return any(one.node == OVERALL and one.kind == kind for one in shown.results.audited.rates)
