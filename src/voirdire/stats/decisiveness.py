"""Does a judge part systems further than people do, or less? Decisiveness of win rates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import betainc

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["decided_win_rate", "decisiveness"]

Floats = NDArray[np.float64]
WIDEST = 6.0
"""The exponent is sought from e^-6 to e^6; at an end the data do not bound it."""
FEWEST = 3


def decided_win_rate(human: ArrayLike, exponent: float) -> Floats:
    """The win rate (m,) that a judge of this ``exponent`` gives where people give ``human`` (m,).

    >>> decided_win_rate([0.3, 0.5, 0.9], 1.0).round(2).tolist()
    [0.3, 0.5, 0.9]
    """
    given: Floats = betainc(exponent, exponent, np.asarray(human, dtype=np.float64))
    return given


@register("statistic", "decisiveness")
def decisiveness(human: ArrayLike, judge: ArrayLike, *, weights: ArrayLike | None = None) -> Estimate:
    """The exponent a at which a judge's win rates are people's, sent through the Beta(a, a) distribution.

    ``human`` and ``judge`` are (m,) win rates of the first system of each pair of systems, from 0 to 1;
    ``weights`` (m,) are the numbers of verdicts behind them. 1 is faithful; above 1 the judge lets the
    stronger system win more often than people do, below 1 less often. Least squares over pairs; a pair turned
    round gives the same fit. Undefined below three pairs (``insufficient_systems``), where people part no two
    systems (``no_variation``), and where ever larger or smaller exponents fit better (``not_identifiable``).
    Errors of people's own rates pull it towards 0, the more the fewer the verdicts. It carries no interval.

    Source: Gera et al. 2025 (JuStRank), the beta fit.

    >>> people = [0.2, 0.4, 0.7, 0.9]
    >>> round(decisiveness(people, decided_win_rate(people, 2.0)).value, 3)
    2.0
    """
    x, y = np.asarray(human, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    w = np.ones(x.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if x.ndim != 1 or not x.shape == y.shape == w.shape:
        raise UserError(f"rates of shapes {x.shape} and {y.shape}", expected="one number a pair, twice")
    rates = np.concatenate([x, y])
    if not ((rates >= 0) & (rates <= 1)).all() or not ((w >= 0) & np.isfinite(w)).all():
        raise UserError("a win rate outside 0 to 1, or a weight below 0", expected="rates and weights")
    used = w > 0
    if used.sum() < FEWEST:
        return undefined("insufficient_systems", n_items=int(used.sum()))
    if (x[used] == 0.5).all():
        return undefined("no_variation", n_items=int(used.sum()))

    def loss(log_exponent: float) -> float:
        return float(w @ (y - decided_win_rate(x, math.exp(log_exponent))) ** 2)

    grid = np.linspace(-WIDEST, WIDEST, 49)
    best = int(np.argmin([loss(one) for one in grid]))
    if best in (0, len(grid) - 1):
        return undefined("not_identifiable", n_items=int(used.sum()))
    found = minimize_scalar(
        loss, bounds=(grid[best - 1], grid[best + 1]), method="bounded", options={"xatol": 1e-9}
    )
    return Estimate(math.exp(found.x), n_items=int(used.sum()), no_interval="no_interval_method")
