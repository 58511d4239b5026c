"""Lin's concordance: do two raters' numbers lie on the line of equality?"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.transforms import bounded_estimate, fisher_interval, z_error
from voirdire.stats.two_rater import paired_numbers, two_valued

__all__ = ["concordance_correlation"]


@register("statistic", "concordance_correlation")
def concordance_correlation(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Lin's CCC: correlation times a factor that falls with any shift or change of scale between the raters.

    ``x`` and ``y`` are (n,) numbers, NaN where missing; items with both enter. Undefined below two items
    (``insufficient_items``) or when both raters gave one and the same value (``no_variation``); no interval
    below four items, at perfect concordance, or when a rater is constant.

    Where both raters use two values, Lin's standard error is too small, and the delta method's is taken if
    that is larger.

    Source: Lin 1989; variance on Fisher's z scale as corrected in Lin 2000.

    >>> print(concordance_correlation([1, 2, 3, 4, 5], [1, 2, 3, 4, 6]))
    0.96 [0.82, 0.99]
    """
    a, b = paired_numbers(x, y)
    n = a.size
    if n < 2:
        return undefined("insufficient_items", n_items=n)
    da, db = a - a.mean(), b - b.mean()
    var_x, var_y, cov = (float(product.mean()) for product in (da * da, db * db, da * db))
    shift = float(a.mean() - b.mean())
    distance = var_x + var_y + shift**2
    if distance == 0:
        return undefined("no_variation", n_items=n)
    ccc = 2 * cov / distance
    if n < 4 or cov == 0:
        reason = "insufficient_items" if n < 4 else "zero_width"
        return Estimate(ccc, level=level, n_items=n, no_interval=reason)
    r2, u2 = cov**2 / (var_x * var_y), shift**2 / math.sqrt(var_x * var_y)
    se, method = _standard_error_z(ccc, r2, u2, n), "Fisher z"
    if two_valued(a) and two_valued(b):
        influence = (2 * (da * db) - ccc * (da**2 + db**2 + 2 * shift * (da - db))) / distance
        se, method = max(se, z_error(influence - influence.mean(), ccc)), "Fisher z or delta method"
    interval = fisher_interval(ccc, se, level)
    return bounded_estimate(ccc, interval, level=level, n_items=n, n_ratings=2 * n, method=method)


def _standard_error_z(ccc: float, r2: float, u2: float, n: int) -> float:
    """Lin's standard error of atanh(CCC); ``u2`` is the squared shift in units of the two spreads."""
    if abs(ccc) >= 1:
        return math.nan
    c2 = ccc**2
    terms = (1 - r2) * c2 / ((1 - c2) * r2)
    # c³ / r takes r's sign, which is the sign of c: both are even in the end
    terms += 2 * abs(ccc) ** 3 * (1 - ccc) * u2 / (math.sqrt(r2) * (1 - c2) ** 2)
    terms -= c2**2 * u2**2 / (2 * r2 * (1 - c2) ** 2)
    return math.sqrt(max(0.0, terms) / (n - 2))
