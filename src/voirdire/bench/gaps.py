"""Whether what is wanted is done more often than what is not is avoided: computed, never assumed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from voirdire.bench.cells import ALL, METRICS
from voirdire.bench.shares import PassRate
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["Direction", "Gap", "directions", "gaps"]

METHOD = "Newcombe's, of two clustered shares"


@dataclass(frozen=True, slots=True)
class Gap:
    """The share of positive metrics minus that of negative ones, of one system; no metric is in both."""

    node: str
    system: str
    variant: str
    difference: Estimate


@dataclass(frozen=True, slots=True)
class Direction:
    """In how many of ``systems`` the positive share is ``above``, ``below`` or equal to the negative one.

    ``surely_above`` and ``surely_below`` count those whose interval leaves out 0.
    """

    node: str
    variant: str
    systems: int
    above: int
    below: int
    surely_above: int
    surely_below: int


def gaps(rates: Iterable[PassRate], *, level: float = 0.95) -> Iterator[Gap]:
    """One gap for each node, system and selection of variants with both kinds.

    The two kinds share no metric, so the interval joins those of the two shares.

    Source: Newcombe 1998, method 10; Zou & Donner 2008, for intervals of any kind.
    """
    sides: dict[tuple[str, str, str], dict[str, PassRate]] = {}
    for rate in rates:
        sides.setdefault((rate.node, rate.system, rate.variant), {})[rate.kind] = rate
    for (node, system, variant), by_kind in sides.items():
        if {"positive", "negative"} <= set(by_kind):
            one, other = (by_kind[kind].share for kind in ("positive", "negative"))
            yield Gap(node, system, variant, _difference(one, other, level))


def directions(found: Sequence[Gap]) -> tuple[Direction, ...]:
    """What the systems' gaps say together, by node and selection of variants."""
    groups: dict[tuple[str, str], list[Estimate]] = {}
    for gap in found:
        if gap.system != ALL and gap.difference.undefined is None:
            groups.setdefault((gap.node, gap.variant), []).append(gap.difference)
    return tuple(
        Direction(
            node,
            variant,
            len(every),
            sum(one.value > 0 for one in every),
            sum(one.value < 0 for one in every),
            sum(one.low > 0 for one in every),
            sum(one.high < 0 for one in every),
        )
        for (node, variant), every in groups.items()
    )


def _difference(one: Estimate, other: Estimate, level: float) -> Estimate:
    for side in (one, other):
        if side.undefined is not None:
            return undefined(side.undefined)
    value, n = one.value - other.value, one.n_items + other.n_items
    if not (one.has_interval and other.has_interval):
        return Estimate(value, level=level, n_items=n, no_interval="insufficient_items")
    low = value - math.hypot(one.value - one.low, other.high - other.value)
    high = value + math.hypot(one.high - one.value, other.value - other.low)
    clusters = (one.n_clusters or 0) + (other.n_clusters or 0)
    return Estimate(value, low, high, level, n, method=METHOD, target=METRICS, n_clusters=clusters)
