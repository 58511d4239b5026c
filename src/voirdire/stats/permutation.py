"""Paired sign-flip test: would the difference be as large if each item's pair were exchanged at random?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.registry import register

__all__ = ["PermutationTest", "sign_flip_p_values", "sign_flip_test"]

Floats = NDArray[np.float64]
BLOCK = 4_000_000
ALTERNATIVES = ("greater", "less", "two-sided")


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The mean difference, its p-value, and whether all sign patterns were counted or ``resamples`` drawn."""

    statistic: float
    p: float
    exact: bool
    resamples: int
    n: int


@register("statistic", "sign_flip_test")
def sign_flip_test(
    differences: ArrayLike,
    *,
    rng: np.random.Generator,
    alternative: str = "two-sided",
    cluster: ArrayLike | None = None,
    resamples: int = 1000,
) -> PermutationTest:
    """Is the mean of paired differences other than 0, if each had come out with either sign?

    ``differences`` is (n,), NaN where an item lacks one of the two; ``cluster`` (n,) codes flip together. All
    2^n patterns are counted where these are no more than ``resamples``; else p = (b + 1) / (resamples + 1),
    which is never 0 and never too small. NaN without a difference.

    Source: Phipson & Smyth 2010, equation 2.

    >>> test = sign_flip_test([0.6, 0.6, 0.6, 0.6, 0.6], rng=np.random.default_rng(1), alternative="greater")
    >>> test.p, test.exact
    (0.03125, True)
    """
    values = np.asarray(differences, dtype=np.float64)
    known = ~np.isnan(values)
    n = int(known.sum())
    if n == 0:
        return PermutationTest(math.nan, math.nan, False, 0, 0)
    sums: Floats = values[known]
    if cluster is not None:
        _, group = np.unique(np.asarray(cluster)[known], return_inverse=True)
        sums = np.bincount(group, sums).astype(np.float64)
    p = sign_flip_p_values(sums[None, :], rng=rng, alternative=alternative, resamples=resamples)
    exact = _is_exact(sums.size, resamples)
    return PermutationTest(
        float(values[known].mean()), float(p[0]), exact, 2**sums.size if exact else resamples, n
    )


def sign_flip_p_values(
    differences: Floats, *, rng: np.random.Generator, alternative: str = "greater", resamples: int = 1000
) -> Floats:
    """P-values of several sets of differences (m, n) on the same n items, under the same sign patterns.

    >>> sign_flip_p_values(np.array([[1.0, 1.0], [-1.0, 1.0]]), rng=np.random.default_rng(1)).tolist()
    [0.25, 0.75]
    """
    if alternative not in ALTERNATIVES:
        raise UserError(f"no alternative named '{alternative}'", expected=", ".join(ALTERNATIVES))
    m, n = differences.shape
    observed = _oriented(differences.sum(1), alternative)
    # sums that differ only by rounding are the same sum
    tolerance = 1e-12 * np.abs(differences).sum(1)
    exact = _is_exact(n, resamples)
    total = 2**n if exact else resamples
    reached = np.zeros(m)
    step = max(1, BLOCK // max(n, m))
    for start in range(0, total, step):
        size = min(step, total - start)
        signs = _all_signs(start, size, n) if exact else 2.0 * rng.integers(0, 2, (size, n)) - 1
        reached += (_oriented(signs @ differences.T, alternative) >= observed - tolerance).sum(0)
    extra = 0 if exact else 1
    return np.asarray((reached + extra) / (total + extra), dtype=np.float64)


def _is_exact(n: int, resamples: int) -> bool:
    return n < 63 and 2**n <= resamples


def _all_signs(start: int, size: int, n: int) -> Floats:
    bits = (np.arange(start, start + size)[:, None] >> np.arange(n)) & 1
    return (1 - 2 * bits).astype(np.float64)


def _oriented(sums: Floats, alternative: str) -> Floats:
    if alternative == "two-sided":
        return np.abs(sums)
    return -sums if alternative == "less" else sums
