"""Matched variants compared: the same scenario, system and repeat, but for one axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from voirdire.bench.cells import ALL, ALL_VARIANTS, Kind, Layer, Selection, summed
from voirdire.bench.outcomes import MISSING, Outcomes
from voirdire.stats.clustered_ratios import ClusteredRatios, clustered_ratios
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["VariantContrast", "variant_contrasts"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
METHOD = "paired, t over clusters"


@dataclass(frozen=True, slots=True)
class VariantContrast:
    """By how much the share that passes is higher in variant ``first`` than in ``second`` of an axis.

    ``difference`` is over ``pairs`` of conversations that differ in the axis alone and both have a verdict;
    ``first_only`` and ``second_only`` count pairs of which one passed. ``unpaired`` conversations of the two
    variants lack a partner with a verdict, and count in no difference.
    """

    axis: str
    first: str
    second: str
    node: str
    kind: Kind
    system: str
    difference: Estimate
    pairs: int
    first_only: int
    second_only: int
    unpaired: int


def variant_contrasts(
    outcomes: Outcomes, layers: Sequence[Layer], *, level: float = 0.95
) -> Iterator[VariantContrast]:
    """Every two values of every axis, in every cell of ``layers`` with a pair, by system and over all."""
    axes = dict.fromkeys(axis for one in outcomes.axes for axis in one)
    for axis in axes:
        values = list(dict.fromkeys(one[axis] for one in outcomes.axes))
        for first, second in combinations(values, 2):
            matched = _Matched.of(outcomes, axis, (first, second))
            for layer in layers:
                yield from matched.contrasts(layer, level)


@dataclass(frozen=True, eq=False)
class _Matched:
    """Conversations ``rows`` (2, m) of two values of an axis, pair by pair, and all ``involved`` (n,)."""

    outcomes: Outcomes
    axis: str
    values: tuple[str, str]
    rows: Positions
    involved: NDArray[np.bool_]

    @classmethod
    def of(cls, outcomes: Outcomes, axis: str, values: tuple[str, str]) -> _Matched:
        rest = [tuple((name, value) for name, value in one.items() if name != axis) for one in outcomes.axes]
        others = {other: place for place, other in enumerate(dict.fromkeys(rest))}
        other = np.array([others[one] for one in rest])[outcomes.variant]
        value = np.array([one[axis] for one in outcomes.axes], dtype=object)[outcomes.variant]
        parts = (outcomes.metric, outcomes.scenario, other, outcomes.system, outcomes.repeat)
        key = np.ravel_multi_index(parts, tuple(int(part.max(initial=0)) + 1 for part in parts))
        known = outcomes.present != MISSING
        sides = [np.flatnonzero(known & (value == name)) for name in values]
        _, first, second = np.intersect1d(key[sides[0]], key[sides[1]], return_indices=True)
        rows = np.stack([sides[0][first], sides[1][second]])
        return cls(outcomes, axis, values, rows, np.isin(value, values))

    def contrasts(self, layer: Layer, level: float) -> Iterator[VariantContrast]:
        n = len(self.outcomes)
        every = (Selection(ALL_VARIANTS, tuple(range(len(self.outcomes.variants)))),)
        passed = self.outcomes.passed[self.rows]
        at = self.rows[0]

        def sums(of_pairs: NDArray[np.generic]) -> Floats:
            value = np.zeros(n)
            value[at] = of_pairs
            found = summed(self.outcomes, layer, every, value)
            return found.reshape(len(found), -1)

        def counted(of_rows: Floats) -> Floats:
            found = summed(self.outcomes, layer, every, of_rows)
            return np.asarray(layer.member @ found.reshape(len(found), -1))

        ratios = clustered_ratios(layer.member, sums(passed[0] - passed[1]), sums(np.ones(len(at))))
        low, high = ratios.mean_bounds(level=level, least=-1, most=1)
        told = [np.asarray(layer.member @ sums((passed[k] == 1) & (passed[1 - k] == 0))) for k in (0, 1)]
        aside = counted(self.involved.astype(np.float64)) - 2 * ratios.n
        systems = (ALL, *self.outcomes.systems)
        for cell, column in np.argwhere(ratios.n + aside > 0).tolist():
            where = cell, column
            yield VariantContrast(
                self.axis,
                *self.values,
                layer.nodes[cell].id,
                layer.kinds[cell],
                systems[column],
                _difference(ratios, where, (float(low[where]), float(high[where])), layer.target, level),
                int(ratios.n[where]),
                int(told[0][where]),
                int(told[1][where]),
                int(aside[where]),
            )


def _difference(
    ratios: ClusteredRatios, at: tuple[int, int], bounds: tuple[float, float], target: str, level: float
) -> Estimate:
    n, clusters = int(ratios.n[at]), int(ratios.clusters[at])
    if not n:
        return undefined("no_pairable_items")
    value = float(ratios.value[at])
    if np.isnan(bounds[0]):
        why = "insufficient_items" if clusters < 2 else "zero_width"
        return Estimate(value, level=level, n_items=n, n_clusters=clusters, target=target, no_interval=why)
    return Estimate(value, *bounds, level, n, method=METHOD, target=target, n_clusters=clusters)
