"""Sums of outcomes by metric or scenario, variant and system, from which every figure is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from voirdire.bench.outcomes import MISSING, Outcomes
from voirdire.bench.tree import Node
from voirdire.decide.rates_rows import ALL

__all__ = [
    "ALL",
    "ALL_VARIANTS",
    "KINDS",
    "METRICS",
    "SCENARIOS",
    "Kind",
    "Layer",
    "Selection",
    "judged",
    "layers_of",
    "selections",
    "summed",
]

Floats = NDArray[np.float64]
Kind = Literal["positive", "negative", "both"]
"""A polarity, or both together, where each conversation weighs the same."""
KINDS: tuple[Kind, ...] = ("positive", "negative", "both")
ALL_VARIANTS = "all variants"
METRICS, SCENARIOS = "new metrics of this kind", "new scenarios of this metric"
"""What an interval speaks about: clusters are metrics, and of a single metric its scenarios."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Variants taken together under a name: all, those with one value of an axis, or one variant."""

    name: str
    variants: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Layer:
    """Nodes whose intervals speak about the same: ``member`` (C, G) says which clusters each cell holds.

    Cells are pairs of a node and a kind, ``nodes`` and ``kinds`` (C,); ``unit`` (n,) is the cluster of each
    conversation.
    """

    target: str
    nodes: tuple[Node, ...]
    kinds: tuple[Kind, ...]
    member: csr_array[np.float64]
    unit: NDArray[np.intp]


def selections(outcomes: Outcomes) -> tuple[Selection, ...]:
    """All variants; where there are several each value of each axis, and each variant of several axes.

    A benchmark with one axis has no third kind, for its variants are that axis' values.
    """
    every = tuple(range(len(outcomes.variants)))
    found = {ALL_VARIANTS: every}
    if len(every) > 1:
        names = list(dict.fromkeys((axis, value) for one in outcomes.axes for axis, value in one.items()))
        for axis, value in names:
            codes = tuple(code for code in every if outcomes.axes[code].get(axis) == value)
            found.setdefault(f"{axis}={value}", codes)
        for code in every:
            found.setdefault(outcomes.variants[code], (code,))
    return tuple(Selection(name, codes) for name, codes in found.items())


def layers_of(outcomes: Outcomes, nodes: Sequence[Node]) -> tuple[Layer, Layer]:
    """Nodes above metrics, whose clusters are metrics, and metrics, whose clusters are their scenarios."""
    above = [(node, kind) for node in nodes if node.level != "metric" for kind in _kinds(outcomes, node)]
    alone = [(node, kind) for node in nodes if node.level == "metric" for kind in _kinds(outcomes, node)]
    wanted = outcomes.wanted
    held = [[code for code in node.metrics if kind in ("both", _kind(wanted[code]))] for node, kind in above]
    unit = outcomes.metric.astype(np.intp)
    pairs, scenario = np.unique(unit * len(outcomes.scenarios) + outcomes.scenario, return_inverse=True)
    of_metric: list[list[int]] = [[] for _ in outcomes.metrics]
    for place, pair in enumerate(pairs.tolist()):
        of_metric[pair // len(outcomes.scenarios)].append(place)
    own = [of_metric[node.metrics[0]] for node, _ in alone]
    return (
        _layer(METRICS, above, held, len(outcomes.metrics), unit),
        _layer(SCENARIOS, alone, own, len(pairs), scenario.astype(np.intp)),
    )


def summed(outcomes: Outcomes, layer: Layer, every: Sequence[Selection], value: Floats) -> Floats:
    """Sums of ``value`` (n,) by cluster, selection and system (G, Q, S + 1), all systems together first."""
    shape = (layer.member.shape[1], len(outcomes.variants), len(outcomes.systems))
    place = np.ravel_multi_index((layer.unit, outcomes.variant, outcomes.system), shape)
    sums = np.bincount(place, value, minlength=int(np.prod(shape))).reshape(shape)
    chosen = np.stack([sums[:, list(one.variants)].sum(axis=1) for one in every], axis=1)
    return np.concatenate([chosen.sum(axis=2, keepdims=True), chosen], axis=2)


def judged(outcomes: Outcomes) -> NDArray[np.bool_]:
    """Which conversations have a verdict (n,)."""
    there: NDArray[np.bool_] = outcomes.present != MISSING
    return there


def _layer(
    target: str,
    cells: Sequence[tuple[Node, Kind]],
    held: Sequence[Sequence[int]],
    clusters: int,
    unit: NDArray[np.intp],
) -> Layer:
    row = np.repeat(np.arange(len(cells)), [len(codes) for codes in held])
    column = np.array([code for codes in held for code in codes], dtype=np.intp)
    member = csr_array((np.ones(len(row)), (row, column)), shape=(len(cells), clusters))
    return Layer(target, tuple(node for node, _ in cells), tuple(kind for _, kind in cells), member, unit)


def _kinds(outcomes: Outcomes, node: Node) -> Iterator[Kind]:
    """The polarities that a node holds, and both together where it holds both."""
    there = {_kind(outcomes.wanted[code]) for code in node.metrics}
    yield from (kind for kind in KINDS if kind in there or (kind == "both" and len(there) > 1))


def _kind(wanted: int) -> Kind:
    return "positive" if wanted else "negative"
