"""Two verdicts on the same items: do they say yes equally often, and by how much do they differ?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import bdtr, chdtrc

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import normal_quantile
from voirdire.stats.two_rater import square_shares

__all__ = ["McNemar", "mcnemar", "paired_difference"]


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test in four forms; the mid-p form is the one to read (Fagerland, Lydersen & Laake 2013).

    ``only_first`` and ``only_second`` count the items on which one rater alone gave the second label.
    """

    only_first: int
    only_second: int
    chi2: float
    p: float
    chi2_corrected: float
    p_corrected: float
    p_exact: float
    p_mid: float


@register("statistic", "mcnemar")
def mcnemar(table: ArrayLike) -> McNemar:
    """Does one of two raters give a label more often than the other, on the same items?

    ``table`` is (2, 2) counts. Where the raters never differ, chi² is 0 and every p-value 1.

    Source: McNemar 1947; Edwards 1948 (correction); Fagerland, Lydersen & Laake 2013 (mid-p).

    >>> round(mcnemar([[794, 150], [86, 570]]).chi2, 2)
    17.36
    """
    _, b, c = _discordant(table)
    m = b + c
    if m == 0:
        return McNemar(0, 0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0)
    plain = (b - c) ** 2 / m
    corrected = max(0, abs(b - c) - 1) ** 2 / m
    fewer = min(b, c)
    tail = float(bdtr(fewer, m, 0.5))
    beyond = float(bdtr(fewer - 1, m, 0.5)) if fewer else 0.0
    # half the weight of the outcome itself; where b equals c, both tails share it
    mid = 1 - (tail - beyond) / 2 if b == c else tail + beyond
    p, p_corrected = (float(chdtrc(1, statistic)) for statistic in (plain, corrected))
    return McNemar(c, b, plain, p, corrected, p_corrected, min(1.0, 2 * tail), mid)


@register("statistic", "paired_difference")
def paired_difference(table: ArrayLike, *, level: float = 0.95) -> Estimate:
    """How much more often one rater gives the first label than the other, as a share of the same items.

    ``table`` is (2, 2) counts; the value is first row total minus first column total over n. The interval is
    Tango's score interval, for two reasons: it leaves out 0 exactly when McNemar's chi² (uncorrected)
    rejects, so test and interval cannot contradict each other; and it exists, with width, even where the
    raters never differ. Undefined without items (``no_pairable_items``).

    Source: Tango 1998; recommended by Fagerland, Lydersen & Laake 2014.

    >>> print(paired_difference([[794, 150], [86, 570]]))
    0.04 [0.02, 0.06]
    """
    n, b, c = _discordant(table)
    z = normal_quantile(level)
    if n == 0:
        return undefined("no_pairable_items")

    def root(target: float) -> float:
        def gap(d: float) -> float:
            return _tango_score(b, c, n, d) - target

        return _root(gap)

    low = -1.0 if c == n else root(z)
    high = 1.0 if b == n else root(-z)
    return Estimate(
        (b - c) / n,
        low,
        high,
        level,
        n_items=n,
        n_ratings=2 * n,
        method="Tango score",
        target=THESE_RATERS,
    )


def _tango_score(b: int, c: int, n: int, d: float) -> float:
    """Tango's statistic for a true difference ``d``: falls from positive to negative as ``d`` grows."""
    linear = -b - c + (2 * n - b + c) * d
    constant = -c * d * (1 - d)
    q = (math.sqrt(max(0.0, linear**2 - 8 * n * constant)) - linear) / (4 * n)
    variance = n * (2 * q + d * (1 - d))
    return (b - c - n * d) / math.sqrt(max(variance, 1e-300))


def _root(falling: Callable[[float], float]) -> float:
    edge = 1 - 1e-12
    if falling(-edge) <= 0:
        return -1.0
    if falling(edge) >= 0:
        return 1.0
    return float(brentq(falling, -edge, edge, xtol=1e-13))


def _discordant(table: ArrayLike) -> tuple[int, int, int]:
    counts = np.asarray(table)
    square_shares(counts)
    if counts.shape != (2, 2):
        raise UserError(f"a table of shape {counts.shape}", expected="two labels, hence 2 by 2")
    return int(counts.sum()), int(counts[0, 1]), int(counts[1, 0])
