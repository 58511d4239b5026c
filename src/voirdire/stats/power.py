"""How many items a test needs to show a difference, and what difference so many items can show."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq
from scipy.special import nctdtr, ndtri, stdtrit

from voirdire.errors import UserError
from voirdire.registry import register

__all__ = [
    "check_power",
    "detectable_mean",
    "detectable_paired_difference",
    "detectable_share",
    "mean_sample_size",
    "paired_sample_size",
    "replacement_power",
    "replacement_sample_size",
    "share_sample_size",
]

MOST_ITEMS = 10**9


def check_power(power: float) -> None:
    """Refuse a power that is no share between 0 and 1."""
    if not 0 < power < 1:
        raise UserError(f"power is {power!r}", expected="a share such as 0.8")


@register("statistic", "share_sample_size")
def share_sample_size(share: float, *, null: float, power: float = 0.8, level: float = 0.95) -> int:
    """Items that show, one-sided at 1 - ``level``, that a share (of agreement, of wins) is above ``null``.

    Normal approximation, n = ((z_a sqrt(p0 (1 - p0)) + z_b sqrt(p1 (1 - p1))) / (p1 - p0))^2; a share below
    ``null`` is tested on the other side.

    >>> share_sample_size(0.85, null=0.75)
    103
    """
    check_power(power)
    if not (0 < null < 1 and 0 <= share <= 1) or share == null:
        raise UserError(f"a share of {share} against {null}", expected="two different shares from 0 to 1")
    spread = _z(level) * math.sqrt(null * (1 - null)) + _z(power) * math.sqrt(share * (1 - share))
    return math.ceil((spread / (share - null)) ** 2)


@register("statistic", "detectable_share")
def detectable_share(n_items: int, *, null: float, power: float = 0.8, level: float = 0.95) -> float:
    """The smallest share that ``n_items`` show to be above ``null``; NaN where not even 1 is.

    >>> round(detectable_share(103, null=0.75), 2)
    0.85
    """
    check_power(power)
    if not 0 < null < 1:
        raise UserError(f"a null share of {null}", expected="a share between 0 and 1")

    def gap(share: float) -> float:
        spread = _z(level) * math.sqrt(null * (1 - null)) + _z(power) * math.sqrt(share * (1 - share))
        return (share - null) * math.sqrt(n_items) - spread

    return float(brentq(gap, null, 1.0)) if gap(1.0) > 0 else math.nan


@register("statistic", "paired_sample_size")
def paired_sample_size(
    only_first: float, only_second: float, *, power: float = 0.8, level: float = 0.95
) -> int:
    """Items on which McNemar's test shows, two-sided at 1 - ``level``, that two paired rates differ.

    ``only_first`` and ``only_second`` are the shares of items on which one alone says yes (one judge is
    right, one system wins); their difference is that of the rates. Items on which both say the same tell
    nothing but cost as much.

    Source: Connor 1987.

    >>> paired_sample_size(0.15, 0.05)
    155
    """
    check_power(power)
    differ, gap = only_first + only_second, only_first - only_second
    if not (min(only_first, only_second) >= 0 and differ <= 1) or gap == 0:
        raise UserError(
            f"shares {only_first} and {only_second}", expected="two different shares that sum to 1 at most"
        )
    spread = _z((1 + level) / 2) * math.sqrt(differ) + _z(power) * math.sqrt(differ - gap**2)
    return math.ceil((spread / gap) ** 2)


@register("statistic", "detectable_paired_difference")
def detectable_paired_difference(
    n_items: int, *, differ: float, power: float = 0.8, level: float = 0.95
) -> float:
    """The smallest difference of two paired rates that ``n_items`` show, two-sided at 1 - ``level``.

    ``differ`` is the share of items on which the two say different things. NaN where not even all differing
    items on one side would do.

    >>> round(detectable_paired_difference(155, differ=0.2), 3)
    0.1
    """
    check_power(power)
    if not 0 < differ <= 1:
        raise UserError(f"a share {differ} of differing items", expected="more than 0, 1 at most")

    def gap(size: float) -> float:
        spread = _z((1 + level) / 2) * math.sqrt(differ) + _z(power) * math.sqrt(max(differ - size**2, 0.0))
        return size * math.sqrt(n_items) - spread

    return float(brentq(gap, 0.0, differ)) if gap(differ) > 0 else math.nan


@register("statistic", "mean_sample_size")
def mean_sample_size(
    mean: float, sd: float, *, tests: int = 1, power: float = 0.8, level: float = 0.95
) -> float:
    """Items on which a one-sided t test shows that a mean is above 0 when it is ``mean``.

    ``sd`` is the standard deviation over items: of the gain d in the distributional replacement test, or of
    epsilon - d in the alternative annotator test. With ``tests`` annotators the bound is Benjamini and
    Yekutieli's where all are rejected, (1 - level) / (1 + 1/2 + ... + 1/tests). Infinite where ``mean`` is
    not above 0.

    >>> mean_sample_size(0.05, 0.2), mean_sample_size(0.05, 0.2, tests=3)
    (101, 125)
    """
    check_power(power)
    if not sd > 0 or tests < 1:
        raise UserError(f"a deviation of {sd} in {tests} tests", expected="more than 0, in at least 1 test")
    if not mean > 0:
        return math.inf
    alpha = _bound(level, tests)
    return _smallest(lambda n: _t_power(n, mean / sd, alpha) >= power)


@register("statistic", "detectable_mean")
def detectable_mean(
    n_items: int, sd: float, *, tests: int = 1, power: float = 0.8, level: float = 0.95
) -> float:
    """The smallest mean that ``n_items`` show to be above 0; arguments as in :func:`mean_sample_size`.

    NaN below two items.

    >>> round(detectable_mean(101, 0.2), 2)
    0.05
    """
    check_power(power)
    if not sd > 0 or tests < 1:
        raise UserError(f"a deviation of {sd} in {tests} tests", expected="more than 0, in at least 1 test")
    if n_items < 2:
        return math.nan
    alpha = _bound(level, tests)
    # the noncentral t is not computed far beyond where its power is 1
    most = 10 * (_z(power) + float(stdtrit(n_items - 1, 1 - alpha))) / math.sqrt(n_items)
    return sd * float(brentq(lambda effect: _t_power(n_items, effect, alpha) - power, 0.0, most))


@register("statistic", "replacement_power")
def replacement_power(
    n_items: int,
    *,
    judge_better: float,
    person_better: float,
    epsilon: float,
    annotators: int = 3,
    level: float = 0.95,
) -> float:
    """The chance that a judge wins over one annotator of the alternative annotator test, from ``n_items``.

    ``judge_better`` and ``person_better`` are the shares of items on which the judge, and on which the
    person, agrees better with the others; ties are the rest, rho = 1 - ``person_better``. One-sided t at the
    Benjamini-Yekutieli bound where all ``annotators`` are won over, (1 - level) / (1 + 1/2 + ...), by the
    noncentral t distribution. Without spread the bound of ties decides: 0 or 1.

    >>> round(replacement_power(50, judge_better=0.15, person_better=0.1, epsilon=0.2), 2)
    0.94
    """
    mean, sd = _difference(judge_better, person_better)
    alpha = _bound(level, annotators)
    if sd == 0:
        return float(mean < epsilon and (1 - epsilon) / (1 - mean) <= alpha ** (1 / max(n_items, 1)))
    return _t_power(n_items, (epsilon - mean) / sd, alpha)


@register("statistic", "replacement_sample_size")
def replacement_sample_size(
    *,
    judge_better: float,
    person_better: float,
    epsilon: float,
    annotators: int = 3,
    power: float = 0.8,
    level: float = 0.95,
) -> float:
    """Items each annotator must share for the judge to win over them with a chance of ``power``.

    Arguments as in :func:`replacement_power`. Infinite where the judge is worse by ``epsilon`` or more.

    >>> replacement_sample_size(judge_better=0.15, person_better=0.1, epsilon=0.2)
    33
    """
    check_power(power)
    mean, _ = _difference(judge_better, person_better)
    if mean >= epsilon:
        return math.inf

    def enough(n: int) -> bool:
        chance = replacement_power(
            n,
            judge_better=judge_better,
            person_better=person_better,
            epsilon=epsilon,
            annotators=annotators,
            level=level,
        )
        return chance >= power

    return _smallest(enough)


def _difference(judge_better: float, person_better: float) -> tuple[float, float]:
    """Mean and standard deviation of d, the person's win minus the judge's, on one item."""
    if not (min(judge_better, person_better) >= 0 and judge_better + person_better <= 1):
        raise UserError(
            f"shares {judge_better} and {person_better}", expected="two shares that sum to 1 at most"
        )
    mean = person_better - judge_better
    return mean, math.sqrt(max(person_better + judge_better - mean**2, 0.0))


def _t_power(n: int, effect: float, alpha: float) -> float:
    """Power of the one-sided t test for a mean of ``effect`` standard deviations."""
    if n < 2:
        return 0.0
    return float(1 - nctdtr(n - 1, effect * math.sqrt(n), stdtrit(n - 1, 1 - alpha)))


def _bound(level: float, tests: int) -> float:
    """The level of one test where all of ``tests`` are rejected by Benjamini and Yekutieli's procedure."""
    return (1 - level) / sum(1 / k for k in range(1, tests + 1))


def _smallest(enough: Callable[[int], bool]) -> float:
    """The smallest number from which on ``enough`` holds, infinite beyond 1e9."""
    high = 2
    while not enough(high):
        high *= 2
        if high > MOST_ITEMS:
            return math.inf
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _z(share: float) -> float:
    return float(ndtri(share))
