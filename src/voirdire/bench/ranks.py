"""Which rank each system may hold, by kind and variants, and how far systems lie apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.bench.cells import Kind, Layer, Selection, judged
from voirdire.bench.outcomes import Outcomes
from voirdire.decide.rates_rows import Rank
from voirdire.decide.systems_means import Contrasts, SystemMeans, pairs_of, ranks, sides_of_pairs
from voirdire.decide.systems_scores import SystemScores
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["Ranked", "Ranking", "SystemDifference", "rankings"]

METHOD = "simultaneous, paired over clusters"
DETAILED = ("overall", "area")
"""Levels whose differences between systems are kept one by one."""
FEWEST_CLUSTERS = 2


@dataclass(frozen=True, slots=True)
class Ranked:
    """A system's ``place`` by its share, ties sharing the better one, and the ranks that it may hold."""

    system: str
    value: float
    place: int
    rank: Rank


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """By how much the share of ``first`` lies above that of ``second``, where both ran the same cases.

    The interval holds for all pairs of one ranking together.
    """

    first: str
    second: str
    difference: Estimate


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems by their share in one cell, best first; ``told_apart`` of ``pairs`` of them are decided.

    ``spread`` is by how much the best lies above the last. ``differences`` are all pairs', at the overall and
    area levels.
    """

    node: str
    kind: Kind
    variant: str
    systems: tuple[Ranked, ...]
    told_apart: int
    pairs: int
    spread: Estimate
    differences: tuple[SystemDifference, ...]


def rankings(
    outcomes: Outcomes,
    layer: Layer,
    every: Sequence[Selection],
    *,
    level: float = 0.95,
    draws: int = 4000,
    rng: np.random.Generator,
) -> Iterator[Ranking]:
    """A ranking for each cell of ``layer`` and selection of variants in which two systems have a verdict.

    A system's ranks are all those that the simultaneous intervals of the differences leave open, whole
    metrics being resampled: "new metrics of this kind".
    """
    there = judged(outcomes)
    member = layer.member.toarray() > 0
    for cell, (node, kind) in enumerate(zip(layer.nodes, layer.kinds, strict=True)):
        here = there & member[cell][layer.unit]
        for chosen in every:
            rows = np.flatnonzero(here & np.isin(outcomes.variant, chosen.variants))
            used = np.unique(outcomes.system[rows])
            if len(used) < 2:
                continue
            contrasts = _contrasts(outcomes, rows, used)
            reach = contrasts.critical(level=level, draws=draws, rng=rng)
            names = [outcomes.systems[code] for code in used.tolist()]
            yield _ranking(
                (node.id, kind, chosen.name), names, contrasts, reach, level, node.level in DETAILED
            )


def _contrasts(outcomes: Outcomes, rows: NDArray[np.intp], used: NDArray[np.int32]) -> Contrasts:
    system = np.searchsorted(used, outcomes.system[rows])
    cluster = np.unique(outcomes.metric[rows], return_inverse=True)[1].astype(np.intp)
    scores = SystemScores(
        metrics=(),
        quantity="pass rate",
        span=1.0,
        sources=("judge",),
        same_scale=(True,),
        systems=tuple(outcomes.systems[code] for code in used.tolist()),
        item=rows,
        first=system,
        second=np.full(len(rows), -1, dtype=np.intp),
        cluster=cluster,
        score=outcomes.passed[rows].astype(np.float64)[None],
    )
    return SystemMeans.of(scores).contrasts(sides_of_pairs(1, len(used), 0))


def _ranking(
    cell: tuple[str, Kind, str],
    names: Sequence[str],
    contrasts: Contrasts,
    reach: float,
    level: float,
    detailed: bool,
) -> Ranking:
    mean = contrasts.means.mean[0]
    signs = contrasts.signs(reach) if reach == reach else np.zeros(len(contrasts.value), dtype=np.int64)
    held = ranks(signs, len(names))
    place = 1 + (mean[None, :] > mean[:, None] + 1e-12).sum(axis=1)
    order = sorted(range(len(names)), key=lambda code: (-mean[code], names[code]))
    listed = tuple(Ranked(names[k], float(mean[k]), int(place[k]), held[k]) for k in order)
    estimates = contrasts.estimates(reach, level=level, method=METHOD)
    pairs = [(names[a], names[b]) for a, b in zip(*pairs_of(len(names)), strict=True)]
    known = dict(zip(pairs, estimates, strict=True))
    ends = listed[0].system, listed[-1].system
    spread = known[ends] if ends in known else _turned(known[ends[::-1]])
    told = tuple(SystemDifference(*pair, one) for pair, one in known.items()) if detailed else ()
    return Ranking(*cell, listed, int((signs != 0).sum()), len(pairs), spread, told)


def _turned(one: Estimate) -> Estimate:
    """The same difference seen from the other side."""
    if one.undefined is not None:
        return undefined(one.undefined)
    told = {name: getattr(one, name) for name in ("level", "n_items", "method", "target", "n_clusters")}
    return Estimate(-one.value, -one.high, -one.low, no_interval=one.no_interval, **told)
