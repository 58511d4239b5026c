"""How often would a system win if its answers were as long as the baseline's? Length-controlled win rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.special import expit, log_expit, stdtrit

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import logit_interval, normal_quantile

__all__ = ["LengthControlled", "length_controlled_win_rate"]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

ITERATIONS = 100
HALVINGS = 40
EXTREME = 12.0
"""Log odds beyond which a fitted chance is all but 0 or 1."""


@dataclass(frozen=True, slots=True)
class LengthControlled:
    """The win rate as it is and at equal length, and what length does.

    ``length`` is the coefficient of tanh(length difference / its standard deviation), on the log odds: above
    0 where longer answers win more often. ``difficulty`` is that of the item's difficulty, None without one.
    ``gradient`` is the largest component of the gradient where the fit stopped. Where the fit is undefined,
    so are all but the raw ``win_rate``, with the same reason.
    """

    win_rate: Estimate
    controlled: Estimate
    length: Estimate
    difficulty: Estimate | None
    gradient: float


@register("statistic", "length_controlled_win_rate")
def length_controlled_win_rate(
    preference: ArrayLike,
    length_difference: ArrayLike,
    *,
    difficulty: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    level: float = 0.95,
) -> LengthControlled:
    """Win rate over the baseline, predicted for answers of the baseline's length.

    ``preference`` (n,) is 1 where the system won, 0 where the baseline did and 0.5 for a tie, or a share in
    between; ``length_difference`` (n,) the system's length minus the baseline's, in any unit; ``difficulty``
    (n,) a number an item, such as how often other systems win there. A logistic model

        logit P(win) = theta + phi tanh(length difference / sd) + psi difficulty

    is fitted without a penalty, until its gradient vanishes; ``controlled`` is its mean over the items with a
    length difference of 0. Intervals are the sandwich over clusters ``cluster`` (n,), else over items.

    Undefined without items (``no_labels``); where lengths or outcomes do not vary (``no_variation``); where
    some line parts wins from losses, so that the likelihood has no maximum (``separated``); where two inputs
    say the same (``singular``); where the gradient does not vanish (``not_converged``).

    Source: Dubois et al. 2024, for one system and a difficulty that is given.

    >>> rng = np.random.default_rng(0)
    >>> longer = rng.normal(50, 100, 2000)
    >>> won = rng.random(2000) < 1 / (1 + np.exp(-1.5 * np.tanh(longer / longer.std())))
    >>> found = length_controlled_win_rate(won, longer)
    >>> print(found.win_rate, found.controlled)
    0.61 [0.58, 0.63] 0.51 [0.48, 0.54]
    """
    normal_quantile(level)
    y, gap, hard, groups = _checked(preference, length_difference, difficulty, cluster)
    raw = _rate(y, np.zeros(len(y)), groups, level)
    if not len(y) or np.ptp(y) == 0 or np.ptp(gap) == 0:
        return _undefined(raw, "no_variation" if len(y) else "no_labels", hard is not None)
    columns = [np.ones(len(y)), np.tanh(gap / gap.std())]
    columns += [] if hard is None else [hard - hard.mean()]
    x = np.stack(columns, axis=1)
    if np.linalg.matrix_rank(x) < x.shape[1]:
        return _undefined(raw, "singular", hard is not None)
    beta, gradient = _fitted(x, y)
    if _extreme(x, beta) and _separated(x, y):
        return _undefined(raw, "separated", hard is not None)
    if gradient > _tolerance(len(y)):
        return _undefined(raw, "not_converged", hard is not None, gradient)
    p = expit(x @ beta)
    influence = (y - p)[:, None] * x @ np.linalg.inv(x.T @ (x * (p * (1 - p))[:, None]))
    level_x = x * np.where(np.arange(x.shape[1]) == 1, 0.0, 1.0)
    rate = expit(level_x @ beta)
    slope = (rate * (1 - rate)) @ level_x / len(y)
    effects = [_effect(float(beta[one]), influence[:, one], groups, level) for one in range(1, len(beta))]
    return LengthControlled(
        raw,
        _rate(rate, influence @ slope, groups, level),
        effects[0],
        effects[1] if hard is not None else None,
        gradient,
    )


def _checked(
    preference: ArrayLike,
    length_difference: ArrayLike,
    difficulty: ArrayLike | None,
    cluster: ArrayLike | None,
) -> tuple[Floats, Floats, Floats | None, Codes]:
    y, gap = (np.asarray(one, dtype=np.float64) for one in (preference, length_difference))
    hard = None if difficulty is None else np.asarray(difficulty, dtype=np.float64)
    groups = np.arange(y.size) if cluster is None else np.unique(np.asarray(cluster), return_inverse=True)[1]
    if y.ndim != 1 or any(len(one) != len(y) for one in (gap, groups, y if hard is None else hard)):
        raise UserError("inputs of different lengths", expected="one entry an item in each")
    if not all(np.isfinite(one).all() for one in (y, gap, y if hard is None else hard)):
        raise UserError("a missing preference, length or difficulty", fix="leave the item out")
    if y.size and not (y.min() >= 0 and y.max() <= 1):
        raise UserError("a preference outside 0 to 1", expected="1 won, 0.5 tie, 0 lost")
    return y, gap, hard, groups.astype(np.int64)


def _undefined(raw: Estimate, reason: str, hard: bool, gradient: float = math.nan) -> LengthControlled:
    nothing = undefined(reason, n_items=raw.n_items)
    return LengthControlled(raw, nothing, nothing, nothing if hard else None, gradient)


def _fitted(x: Floats, y: Floats) -> tuple[Floats, float]:
    """Newton's steps, halved until they gain, up to a vanishing gradient; and its largest component."""

    def likelihood(beta: Floats) -> float:
        eta = x @ beta
        return float(y @ log_expit(eta) + (1 - y) @ log_expit(-eta))

    beta = np.zeros(x.shape[1])
    gradient = x.T @ (y - 0.5)
    for _ in range(ITERATIONS):
        p = expit(x @ beta)
        gradient = x.T @ (y - p)
        if np.abs(gradient).max() <= _tolerance(len(y)):
            break
        weight = np.maximum(p * (1 - p), 1e-300)
        step = np.linalg.lstsq(x.T @ (x * weight[:, None]), gradient, rcond=None)[0]
        here, share = likelihood(beta), 1.0
        while likelihood(beta + share * step) < here - 1e-13 * abs(here) and share > 0.5**HALVINGS:
            share /= 2
        beta = beta + share * step
    return beta, float(np.abs(gradient).max())


def _tolerance(n: int) -> float:
    return 1e-10 + 1e-12 * n


def _extreme(x: Floats, beta: Floats) -> bool:
    """Whether some item is fitted as all but certain: only then can the likelihood be without a maximum."""
    return bool((np.abs(x @ beta) > EXTREME).any())


def _separated(x: Floats, y: Floats) -> bool:
    """Whether some direction of the coefficients puts no item on the wrong side and some on the right one.

    Source: Konis 2007, by linear programming.
    """
    side = np.where(y == 1, 1.0, -1.0)[:, None] * x
    sure = (y == 0) | (y == 1)
    found = linprog(
        -side[sure].sum(axis=0),
        A_ub=-side[sure],
        b_ub=np.zeros(int(sure.sum())),
        A_eq=x[~sure] if (~sure).any() else None,
        b_eq=np.zeros(int((~sure).sum())) if (~sure).any() else None,
        bounds=(-1, 1),
    )
    return bool(found.status == 0 and float(found.fun or 0.0) < -1e-7)


def _error(influence: Floats, groups: Codes) -> tuple[float, int]:
    """Standard error from what each item adds (n,), whole clusters being drawn; and the clusters."""
    g = int(groups.max(initial=-1)) + 1
    if g < 2:
        return math.nan, g
    sums = np.bincount(groups, influence)
    return math.sqrt(g / (g - 1) * float(sums @ sums)), g


def _rate(rate: Floats, influence: Floats, groups: Codes, level: float) -> Estimate:
    """The mean of ``rate`` (n,) over items; ``influence`` (n,) is what fitting it adds to its error."""
    n = len(rate)
    if n == 0:
        return undefined("no_labels")
    value = float(rate.mean())
    error, g = _error((rate - value) / n + influence, groups)
    if not error > 0:
        reason = "insufficient_items" if g < 2 else "zero_width"
        return Estimate(value, level=level, n_items=n, n_clusters=g, no_interval=reason)
    wider = float(stdtrit(g - 1, (1 + level) / 2)) / normal_quantile(level)
    low, high = logit_interval(value, wider * error, level)
    return Estimate(
        value,
        low,
        high,
        level,
        n_items=n,
        method="sandwich over clusters, logit t",
        target=THESE_RATERS,
        n_clusters=g,
    )


def _effect(value: float, influence: Floats, groups: Codes, level: float) -> Estimate:
    error, g = _error(influence, groups)
    n = len(influence)
    if not error > 0:
        return Estimate(value, level=level, n_items=n, n_clusters=g, no_interval="insufficient_items")
    reach = float(stdtrit(g - 1, (1 + level) / 2)) * error
    low, high, method = value - reach, value + reach, "sandwich over clusters, t"
    return Estimate(value, low, high, level, n_items=n, method=method, target=THESE_RATERS, n_clusters=g)
