"""Elo's ratings of systems, and how far they hang on the order in which the results came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.paired_comparisons import PairedComparisons
from voirdire.stats.position import FIRST, TIE
from voirdire.stats.transforms import normal_quantile

__all__ = ["OTHER_ORDERS", "Elo", "elo"]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

OTHER_ORDERS = "these results in another order"


@dataclass(frozen=True, slots=True, eq=False)
class Elo:
    """Ratings after the results in the order given (n,), and their mean over random orders.

    The interval of ``over_orders`` holds the ratings of so many of the orders; it says how far a rating hangs
    on the order, and nothing about other results.
    """

    in_order: Floats
    over_orders: tuple[Estimate, ...]


@register("statistic", "elo")
def elo(
    comparisons: PairedComparisons,
    *,
    k: float = 32.0,
    initial: float = 1000.0,
    scale: float = 400.0,
    level: float = 0.95,
    resamples: int = 1000,
    rng: np.random.Generator,
) -> Elo:
    """Ratings that each result moves by ``k`` times what it was above expectation, in order of the results.

    ``comparisons`` hold the results in order; a tie is half a win. A system is expected to win with chance
    1 / (1 + 10^((opponent's rating - its own) / ``scale``)). Because the last results weigh most, ratings
    depend on the order, though verdicts of a judge have none: read the mean over ``resamples`` orders, or
    :func:`bradley_terry`, which does not depend on it. A system without a result is undefined
    (``no_labels``).

    Source: Elo 1978.

    >>> met = PairedComparisons([0, 1, 0], [1, 2, 2], [FIRST, TIE, 1], n_systems=3)
    >>> elo(met, rng=np.random.default_rng(0)).in_order.round(2).tolist()
    [999.23, 984.74, 1016.03]
    """
    normal_quantile(level)
    if not (k > 0 and scale > 0) or resamples < 1:
        raise UserError(f"k {k}, scale {scale}, {resamples} orders", expected="numbers above 0")
    m = len(comparisons)
    step, spread = float(k), float(scale)
    in_order = _rated(comparisons, np.arange(m)[None], float(initial), (step, spread))[0]
    orders = rng.permuted(np.tile(np.arange(m), (resamples, 1)), axis=1)
    drawn = _rated(comparisons, orders, float(initial), (step, spread))
    met = np.bincount(np.r_[comparisons.first, comparisons.second], minlength=comparisons.n_systems)
    return Elo(in_order, tuple(_over(drawn[:, one], int(met[one]), level) for one in range(len(met))))


def _rated(
    met: PairedComparisons, orders: NDArray[np.int64], initial: float, unit: tuple[float, float]
) -> Floats:
    """Ratings (B, n) after the results in each of ``orders`` (B, m), all orders a step at a time."""
    k, scale = unit
    rating = np.full((len(orders), met.n_systems), initial)
    score = np.where(met.outcome == TIE, 0.5, met.outcome == FIRST)
    row = np.arange(len(orders))
    for game in orders.T:
        a, b = met.first[game], met.second[game]
        expected = 1 / (1 + 10 ** ((rating[row, b] - rating[row, a]) / scale))
        change = k * (score[game] - expected)
        rating[row, a] += change
        rating[row, b] -= change
    return rating


def _over(drawn: Floats, n: int, level: float) -> Estimate:
    if n == 0:
        return undefined("no_labels")
    mean = float(drawn.mean())
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    if high - low < 1e-9:
        return Estimate(mean, level=level, n_ratings=n, resamples=len(drawn), no_interval="zero_width")
    return Estimate(
        mean,
        float(low),
        float(high),
        level,
        n_ratings=n,
        method="quantiles over orders",
        target=OTHER_ORDERS,
        resamples=len(drawn),
    )
