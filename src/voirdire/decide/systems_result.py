"""What a judge's ranking of systems is worth, as a result: as data, and as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from voirdire.align.plain import plain
from voirdire.decide.lines import aligned
from voirdire.decide.rates_rows import Rank
from voirdire.stats.estimate import Estimate

__all__ = ["JudgedSystems", "LeftOut", "SystemPair", "Systems"]


@dataclass(frozen=True)
class SystemPair:
    """By how much ``first`` lies above ``second``, by people and by the judge on the same items.

    Intervals hold for all pairs of one side together.
    """

    first: str
    second: str
    people: Estimate
    judge: Estimate


@dataclass(frozen=True)
class JudgedSystems:
    """One judge against people on ``systems`` (S), from ``n_rows`` items that both scored.

    ``people`` and ``judged`` (S,) are mean scores of ``quantity``; ``bias`` (S,) is the judge's minus
    people's with intervals that hold for all systems together, undefined on another scale
    (``scale_mismatch``), and ``bias_sd`` the spread of true biases over systems. ``people_ranks`` and
    ``judge_ranks`` (S,) are possible ranks. ``tau`` is Kendall's tau-b of the two rankings, ``soft`` the soft
    pairwise accuracy, ``gap`` the least judge gap that people confirm. On pairs of answers ``decisiveness``
    is the beta exponent and ``beyond`` (S,) the bias that it leaves unexplained.
    ``left_out`` names systems with too few rows.
    """

    judge: str
    metrics: tuple[str, ...]
    quantity: str
    systems: tuple[str, ...]
    n_rows: int
    people: tuple[Estimate, ...]
    judged: tuple[Estimate, ...]
    bias: tuple[Estimate, ...]
    bias_sd: Estimate
    people_ranks: tuple[Rank, ...]
    judge_ranks: tuple[Rank, ...]
    pairs: tuple[SystemPair, ...]
    tau: Estimate
    soft: Estimate
    decisiveness: Estimate
    beyond: tuple[Estimate, ...]
    gap: Estimate
    left_out: tuple[str, ...] = ()

    @property
    def metric(self) -> str:
        """The metric, or how many are taken together."""
        return self.metrics[0] if len(self.metrics) == 1 else f"{len(self.metrics):,} metrics together"

    def apart(self, side: str) -> int:
        """How many pairs of systems ``people`` or the ``judge`` tell apart."""
        return sum(_sign(getattr(pair, side)) != 0 for pair in self.pairs)

    @property
    def contrary(self) -> tuple[SystemPair, ...]:
        """Pairs that both tell apart, each the other way."""
        return tuple(pair for pair in self.pairs if _sign(pair.people) * _sign(pair.judge) < 0)

    @property
    def best(self) -> tuple[str, str]:
        """The system that is first by people, and by the judge."""
        places = range(len(self.systems))
        top = [max(places, key=lambda k: side[k].value) for side in (self.people, self.judged)]
        return self.systems[top[0]], self.systems[top[1]]


@dataclass(frozen=True)
class LeftOut:
    """The panel of all judges on ``metrics`` without ``judge``: ``tau`` of the ranking with and without it.

    ``leader`` is first without it, ``led`` with it; ``moved`` counts systems that change rank, at most by
    ``most``. ``kin`` are systems that are the judge itself or of its family; ``kin_ranks`` their ranks with
    and without it.
    """

    judge: str
    metrics: tuple[str, ...]
    n_judges: int
    n_rows: int
    tau: Estimate
    led: str
    leader: str
    moved: int
    most: int
    kin: tuple[str, ...]
    kin_ranks: tuple[tuple[int, int], ...]

    @property
    def metric(self) -> str:
        """The metric, or how many are taken together."""
        return self.metrics[0] if len(self.metrics) == 1 else f"{len(self.metrics):,} metrics together"


@dataclass(frozen=True)
class Systems:
    """Every judge's ranking of systems against people's, and how far the ranking hangs on one judge."""

    judged: tuple[JudgedSystems, ...]
    panels: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    level: float
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, numbers and text, for JSON."""
        said: dict[str, Any] = plain(
            {
                "judged": self.judged,
                "panels": self.panels,
                "notes": self.notes,
                "level": self.level,
                "seed": self.seed,
            }
        )
        return said

    def __str__(self) -> str:
        lines: list[str] = []
        for one in self.judged:
            lines += [*_text(one), ""]
        if self.panels:
            lines += [*_panel(self.panels), ""]
        how = f"Intervals: {100 * self.level:g} %, these raters and new items."
        return "\n".join([*lines, how, *self.notes])


def _text(one: JudgedSystems) -> Iterator[str]:
    yield f"{one.judge} on {one.metric} ({one.quantity}, {one.n_rows:,} items)"
    heads = ["system", "people", "rank", one.judge, "rank", "judge minus people"]
    order = sorted(range(len(one.systems)), key=lambda k: -one.people[k].value)
    rows = [
        [
            one.systems[k],
            str(one.people[k]),
            _ranked(one.people_ranks[k]),
            str(one.judged[k]),
            _ranked(one.judge_ranks[k]),
            str(one.bias[k]),
        ]
        for k in order
    ]
    yield from aligned([heads, *rows])
    yield from aligned(
        [
            ["tau-b of the two rankings", str(one.tau)],
            ["soft pairwise accuracy", str(one.soft)],
            [
                "pairs told apart by people, judge",
                f"{one.apart('people')}, {one.apart('judge')} of {len(one.pairs)}",
            ],
            ["told apart the other way", str(len(one.contrary))],
            *([["decisiveness", str(one.decisiveness)]] if one.beyond[0].undefined is None else []),
            ["SD of bias over systems", str(one.bias_sd)],
            ["least gap that people confirm", gap_text(one.gap)],
        ]
    )
    if one.left_out:
        yield f"left out (too few items, or beyond the 60 with most): {', '.join(one.left_out)}"


def gap_text(gap: Estimate) -> str:
    """The least confirmed gap with its interval; ``none`` where no gap is confirmed.

    >>> gap_text(Estimate(0.1, 0.05, math.inf))
    '0.10 [0.05, none]'
    """
    if gap.undefined == "unconfirmed":
        return "none"
    if not math.isinf(gap.high):
        return str(gap)
    return f"{gap.value:.2f} [{gap.low:.2f}, none]"


def _panel(panels: Sequence[LeftOut]) -> Iterator[str]:
    yield "All judges together, and without each"
    heads = [
        "metric",
        "without",
        "tau-b with all",
        "first",
        "systems that move",
        "own kin, rank with and without",
    ]
    rows = [
        [
            one.metric,
            one.judge,
            str(one.tau),
            one.leader if one.leader == one.led else f"{one.leader} (was {one.led})",
            f"{one.moved} (by {one.most} at most)" if one.moved else "0",
            "; ".join(f"{name} {a}, {b}" for name, (a, b) in zip(one.kin, one.kin_ranks, strict=True)),
        ]
        for one in panels
    ]
    yield from aligned([heads, *rows])


def _ranked(rank: Rank) -> str:
    return str(rank.low) if rank.low == rank.high else f"{rank.low}-{rank.high}"


def _sign(estimate: Estimate) -> int:
    if not estimate.has_interval or estimate.low <= 0 <= estimate.high:
        return 0
    return 1 if estimate.value > 0 else -1
