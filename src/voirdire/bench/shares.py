"""How often things went as experts ask for: every node, kind, system and selection of variants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.bench.cells import ALL, Kind, Layer, Selection, judged, summed
from voirdire.bench.outcomes import Outcomes
from voirdire.stats.clustered_ratios import ClusteredRatios, clustered_ratios
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["METHOD", "PassRate", "pass_rates"]

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
METHOD = "Wilson, clusters"


@dataclass(frozen=True, slots=True)
class PassRate:
    """The share of judged conversations that went as experts ask for, in the judge's eyes.

    ``share`` is of all with a verdict; ``with_occasion`` without those in which the judge says that there was
    no occasion, ``simulator_sound`` without those in which the simulated user failed. ``passed`` of
    ``judged`` passed; ``missing`` have no verdict, so the share of all lies from ``least`` (all of them
    failed) to ``most`` (all passed). ``no_occasion`` and ``faulty`` count conversations left out of the other
    two.
    """

    node: str
    kind: Kind
    system: str
    variant: str
    share: Estimate
    with_occasion: Estimate
    simulator_sound: Estimate
    passed: int
    judged: int
    missing: int
    least: float
    most: float
    no_occasion: int
    faulty: int


def pass_rates(
    outcomes: Outcomes, layer: Layer, every: Sequence[Selection], *, level: float = 0.95
) -> Iterator[PassRate]:
    """A rate for each cell of ``layer``, selection of variants and system that has a conversation.

    Each conversation weighs the same. Intervals resample the layer's clusters: metrics, or a metric's
    scenarios.
    """
    there = judged(outcomes)
    told = [_Told.of(outcomes, layer, every, rows, level) for rows in _ways(outcomes)]
    members = layer.member

    def counted(rows: Booleans) -> Floats:
        sums = summed(outcomes, layer, every, rows.astype(np.float64))
        return np.asarray(members @ sums.reshape(len(sums), -1))

    all_of, aside = counted(np.ones_like(there)), counted(outcomes.opportunity == 0)
    wrong, passed = counted(outcomes.faulty), counted(outcomes.passed == 1)
    systems = (ALL, *outcomes.systems)
    for cell, (node, kind) in enumerate(zip(layer.nodes, layer.kinds, strict=True)):
        for column in np.flatnonzero(all_of[cell]).tolist():
            n, good = int(all_of[cell, column]), int(passed[cell, column])
            known = int(told[0].ratios.n[cell, column])
            share, with_occasion, sound = (one.estimate(cell, column, layer.target, level) for one in told)
            yield PassRate(
                node.id,
                kind,
                systems[column % len(systems)],
                every[column // len(systems)].name,
                share,
                with_occasion,
                sound,
                good,
                known,
                n - known,
                good / n,
                (good + n - known) / n,
                int(aside[cell, column]),
                int(wrong[cell, column]),
            )


def _ways(outcomes: Outcomes) -> tuple[Booleans, Booleans, Booleans]:
    """The conversations of the three shares."""
    there = judged(outcomes)
    return there, there & (outcomes.opportunity != 0), there & ~outcomes.faulty


@dataclass(frozen=True, eq=False)
class _Told:
    """One way of counting: ratios with their bounds."""

    ratios: ClusteredRatios
    low: Floats
    high: Floats

    @classmethod
    def of(
        cls, outcomes: Outcomes, layer: Layer, every: Sequence[Selection], rows: Booleans, level: float
    ) -> _Told:
        x = summed(outcomes, layer, every, (rows & (outcomes.passed == 1)).astype(np.float64))
        d = summed(outcomes, layer, every, rows.astype(np.float64))
        flat = (len(d), -1)
        ratios = clustered_ratios(layer.member, x.reshape(flat), d.reshape(flat))
        return cls(ratios, *ratios.share_bounds(level=level))

    def estimate(self, cell: int, column: int, target: str, level: float) -> Estimate:
        at = cell, column
        n, clusters = int(self.ratios.n[at]), int(self.ratios.clusters[at])
        if not n:
            return undefined("no_labels")
        value, low, high = float(self.ratios.value[at]), float(self.low[at]), float(self.high[at])
        if clusters < 2:
            return Estimate(
                value,
                level=level,
                n_items=n,
                n_clusters=clusters,
                target=target,
                no_interval="insufficient_items",
            )
        return Estimate(value, low, high, level, n, method=METHOD, target=target, n_clusters=clusters)
