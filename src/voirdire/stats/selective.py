"""Which of a judge's verdicts may be trusted without asking people, with a bound that holds in any sample?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import bdtr, betaincinv, rel_entr

from voirdire.errors import UserError, check_share
from voirdire.registry import register

__all__ = [
    "METHODS",
    "SelectiveThreshold",
    "Step",
    "calibration_size",
    "clopper_pearson_bound",
    "hoeffding_bentkus_bound",
    "selective_threshold",
    "threshold_grid",
    "walk_down",
]

Floats = NDArray[np.float64]
STEPS = 50
POWER = 0.8
MARGIN, SHARE = 1 / 3, 1 / 5
"""Where no risk is expected the walk starts so that a third of ``alpha`` passes, at a fifth of the items."""
ROOM = 1.5
"""The first test has this many times the items without which even no error fails: their number varies."""
MOST = 20_000


@dataclass(frozen=True)
class Step:
    """One threshold of the walk: ``n`` items at or above it, their summed ``errors``, the upper ``bound``."""

    threshold: float
    n: int
    errors: float
    bound: float


@dataclass(frozen=True)
class SelectiveThreshold:
    """The lowest confidence that may be trusted, infinite where none may: then everything is abstained from.

    ``steps`` are the thresholds that passed, strictest first, and ``failed`` the one that ended the walk,
    None where every one passed. ``n`` items were calibrated on. The promise: over draws of the calibration
    items, with probability ``1 - delta`` at least, items at or above ``threshold`` have an error rate of
    ``alpha`` at most.
    """

    threshold: float
    steps: tuple[Step, ...]
    failed: Step | None
    n: int
    alpha: float
    delta: float
    method: str

    @property
    def abstains(self) -> bool:
        """Whether nothing may be trusted."""
        return math.isinf(self.threshold)

    @property
    def last(self) -> Step | None:
        """The step of the threshold that was chosen, or where nothing may be trusted the one that failed."""
        return self.steps[-1] if self.steps else self.failed


def clopper_pearson_bound(errors: float, n: int, *, delta: float) -> float:
    """R+, the largest error rate under which ``errors`` of ``n`` or fewer have probability ``delta``.

    Exact for independent trials: the true rate exceeds it with probability ``delta`` at most. 1 without one.
    Source: Clopper & Pearson 1934; Jung, Brahman & Choi 2025, section 2.

    >>> round(clopper_pearson_bound(0, 15, delta=0.1), 4), round(clopper_pearson_bound(2, 40, delta=0.1), 4)
    (0.1423, 0.1276)
    """
    if errors >= n:
        return 1.0
    return float(1 - betaincinv(n - errors, errors + 1, delta))


def hoeffding_bentkus_bound(errors: float, n: int, *, delta: float) -> float:
    """The largest mean that the Hoeffding-Bentkus test of ``n`` losses in 0 to 1 does not reject.

    ``errors`` is the sum of the losses. The p-value of "the mean is R or more" is the smaller of
    exp(-n KL(mean, R)) and e P(Bin(n, R) <= ceil(sum)). 1 without loss.
    Source: Bates, Angelopoulos, Lei, Malik & Jordan 2021, section 3.1.

    >>> round(hoeffding_bentkus_bound(2.5, 40, delta=0.1), 4)
    0.1776
    """
    if errors >= n:
        return 1.0
    mean, above = errors / n, math.ceil(errors - 1e-9)

    def excess(rate: float) -> float:
        hoeffding = math.exp(-n * float(rel_entr(mean, rate) + rel_entr(1 - mean, 1 - rate)))
        return min(hoeffding, math.e * float(bdtr(above, n, rate))) - delta

    return float(brentq(excess, mean, 1 - 1e-12)) if excess(1 - 1e-12) < 0 else 1.0


EXACT, BOUNDED = "clopper_pearson", "hoeffding_bentkus"
METHODS: dict[str, Callable[..., float]] = {EXACT: clopper_pearson_bound, BOUNDED: hoeffding_bentkus_bound}
"""Upper bounds of an error rate: exact for right or wrong, and for losses between 0 and 1."""


@register("statistic", "selective_threshold")
def selective_threshold(
    confidence: ArrayLike,
    errors: ArrayLike,
    *,
    thresholds: ArrayLike,
    alpha: float,
    delta: float = 0.1,
    method: str = "clopper_pearson",
) -> SelectiveThreshold:
    """The lowest confidence at which a judge's verdicts are wrong in ``alpha`` of cases at most, guaranteed.

    ``confidence`` (n,) and ``errors`` (n,) are of calibration items that are independent of each other, one
    trial an item; NaN confidence is never trusted. ``errors`` are 0 or 1, or with ``hoeffding_bentkus``
    losses from 0 to 1. ``thresholds`` (G,) fall, and must be fixed without looking at the calibration items
    (:func:`threshold_grid`). The walk goes from the strictest threshold down and stops before the first whose
    upper bound exceeds ``alpha``; where that is the strictest, nothing is trusted. The order being fixed,
    many thresholds need no correction.

    Source: Jung, Brahman & Choi 2025 (Trust or Escalate), equations 3 to 5, with abstention where their code
    falls back to the strictest threshold; fixed-sequence testing: Bauer 1991, Angelopoulos et al. 2021.

    >>> sure, wrong = np.linspace(1, 0, 60), np.arange(60) > 40
    >>> found = selective_threshold(sure, wrong, thresholds=[0.6, 0.5, 0.4, 0.3, 0.2], alpha=0.15)
    >>> found.threshold, found.last.n, found.failed.errors
    (0.3, 42, 7.0)
    """
    c, e = np.asarray(confidence, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    levels = np.asarray(thresholds, dtype=np.float64)
    _check(c, e, levels, method)
    for name, value in (("alpha", alpha), ("delta", delta)):
        check_share(name, value, 1e-9)
    order = np.argsort(-np.where(np.isnan(c), -np.inf, c), kind="stable")
    falling, total = -c[order][: np.count_nonzero(~np.isnan(c))], np.append(0.0, np.cumsum(e[order]))

    def above(level: float) -> tuple[int, float]:
        m = int(np.searchsorted(falling, -level, side="right"))
        return m, float(total[m])

    return walk_down(levels, above, n=len(c), alpha=alpha, delta=delta, method=method)


def walk_down(
    thresholds: Floats,
    trusted: Callable[[float], tuple[int, float]],
    *,
    n: int,
    alpha: float,
    delta: float,
    method: str,
) -> SelectiveThreshold:
    """Test ``thresholds`` (G,) in order, and stop before the first whose bound exceeds ``alpha``.

    ``trusted`` says how many of the ``n`` items a threshold trusts, and their summed errors. They need not be
    the same items or errors from one threshold to the next.

    >>> promise = {"alpha": 0.1, "delta": 0.1, "method": EXACT}
    >>> walk_down(np.array([2.0, 1.0]), lambda level: (40, 0.0), n=40, **promise).threshold
    1.0
    """
    passed: list[Step] = []
    failed = None
    for level in thresholds.tolist():
        m, errors = trusted(level)
        step = Step(level, m, errors, METHODS[method](errors, m, delta=delta))
        if step.bound > alpha:
            failed = step
            break
        passed.append(step)
    threshold = passed[-1].threshold if passed else math.inf
    return SelectiveThreshold(threshold, tuple(passed), failed, n, alpha, delta, method)


def threshold_grid(
    reference: ArrayLike,
    *,
    n: int,
    alpha: float,
    delta: float = 0.1,
    method: str = "clopper_pearson",
    risk: ArrayLike | None = None,
) -> Floats:
    """Thresholds (G,), strictest first, in equal steps of the share of items that each would trust.

    ``reference`` (r,) are confidences of items that are not among the ``n`` that test the thresholds, NaN
    where there is none, and ``risk`` (r,) the error rates expected of them: the grid may depend on both. The
    walk starts where the promise is expected to be kept by the most standard errors. Where no risk is known,
    or none is below ``alpha``, it starts with a fifth of the items at least, and enough that an error rate of
    a third of ``alpha`` passes the first test in 80 % of draws. Empty where there is no reference.

    >>> threshold_grid(np.arange(101), n=100, alpha=0.15)[[0, 1, -1]].tolist()
    [57.0, 56.0, 0.0]
    >>> print(threshold_grid(np.arange(101), n=100, alpha=0.15, risk=np.linspace(0.5, 0.0, 101))[0])
    78.0
    """
    known = np.asarray(reference, dtype=np.float64)
    if not len(known) or not n:
        return np.zeros(0)
    order = np.argsort(-np.where(np.isnan(known), -np.inf, known), kind="stable")
    start = max(calibration_size(alpha * MARGIN, alpha=alpha, delta=delta, method=method) / n, SHARE)
    if risk is not None:
        fewest = ROOM * calibration_size(0.0, alpha=alpha, delta=delta, method=method) / n
        start = _safest(np.asarray(risk, dtype=np.float64)[order], alpha, fewest) or start
    shares = np.linspace(min(1.0, start), 1.0, STEPS)
    place = np.ceil(shares * len(known) - 1e-9).astype(np.intp) - 1
    levels = np.unique(known[order][np.maximum(place, 0)])[::-1]
    return levels[~np.isnan(levels)]


def _safest(risk: Floats, alpha: float, fewest: float) -> float:
    """The share u at which (alpha - R(u)) sqrt(u) is largest, R being the mean ``risk`` of the surest; or 0.

    A test of ``u n`` items has a standard error in proportion to 1 / sqrt(u).
    """
    share = np.arange(1, len(risk) + 1) / len(risk)
    distance = (alpha - np.cumsum(risk) * share**-1 / len(risk)) * np.sqrt(share)
    distance = np.where(share >= min(fewest, 1.0), distance, -np.inf)
    best = int(np.argmax(distance)) if not np.isnan(risk).any() else 0
    return float(share[best]) if distance[best] > 0 else 0.0


def calibration_size(
    rate: float, *, alpha: float, delta: float = 0.1, method: str = "clopper_pearson"
) -> float:
    """Trusted calibration items with which an error ``rate`` passes the test in 80 % of draws.

    Infinite where ``rate`` is not below ``alpha``, or where more than 20,000 would be needed: more labels do
    not help then.

    >>> [calibration_size(rate, alpha=0.15) for rate in (0.0, 0.05, 0.2)]
    [15, 43, inf]
    """
    if rate >= alpha:
        return math.inf
    tail = delta / math.e if method == BOUNDED else delta
    m = 1
    for errors in range(MOST):
        # the fewest items with which so many errors still pass
        while bdtr(errors, m, alpha) > tail:
            m += 1
        if m > MOST:
            return math.inf
        if bdtr(errors, m, rate) >= POWER:
            return m
    return math.inf


def _check(confidence: Floats, errors: Floats, thresholds: Floats, method: str) -> None:
    if method not in METHODS:
        raise UserError(f"no bound named '{method}'", expected=" or ".join(METHODS))
    if confidence.ndim != 1 or confidence.shape != errors.shape:
        raise UserError(
            f"confidences of shape {confidence.shape} and errors of shape {errors.shape}",
            expected="one of each an item",
        )
    if not ((errors >= 0) & (errors <= 1)).all():
        raise UserError("an error outside 0 to 1", expected="losses from 0 to 1")
    if method == "clopper_pearson" and not np.isin(errors, (0.0, 1.0)).all():
        raise UserError("an error between 0 and 1", expected="0 or 1", fix="use method='hoeffding_bentkus'")
    if thresholds.ndim != 1 or np.isnan(thresholds).any() or (np.diff(thresholds) >= 0).any():
        raise UserError("thresholds that do not fall", expected="the strictest first, each once")
