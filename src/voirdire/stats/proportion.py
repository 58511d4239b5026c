"""Shares of a count and their intervals: Wilson by default, Clopper-Pearson where coverage is guaranteed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import normal_quantile

__all__ = ["clopper_pearson_interval", "proportion", "wilson_interval"]

Floats = NDArray[np.float64]


def wilson_interval(x: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Bounds of the score interval for ``x`` of ``n``; arrays broadcast, 0 and n give exactly 0 and 1.

    ``x`` and ``n`` may be fractional (a share with an effective sample size). NaN where ``n`` is 0.
    Source: Wilson 1927; Newcombe 1998, method 3.

    >>> [round(float(bound), 4) for bound in wilson_interval(81, 263)]
    [0.2553, 0.3662]
    """
    x, n = _counts(x, n)
    z2 = normal_quantile(level) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        p = x / n
        centre = (p + z2 / (2 * n)) / (1 + z2 / n)
        reach = np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    low = np.where(x == 0, 0.0, np.maximum(0.0, centre - reach))
    high = np.where(x == n, 1.0, np.minimum(1.0, centre + reach))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def clopper_pearson_interval(x: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Bounds of the exact interval for ``x`` of ``n``, which covers at least ``level`` whatever the truth.

    Closed forms at 0 and n keep it right at levels as near to 1 as 1 - 1e-12. NaN where ``n`` is 0.
    Source: Clopper & Pearson 1934.

    >>> [round(float(bound), 4) for bound in clopper_pearson_interval(81, 263)]
    [0.2527, 0.3676]
    """
    normal_quantile(level)
    x, n = _counts(x, n)
    tail = (1 - level) / 2
    safe = np.where(n > 0, n, 1.0)
    low = betaincinv(np.maximum(x, 1e-300), safe - x + 1, tail)
    # the upper tail is asked for by symmetry: 1 - tail would lose a tiny tail to rounding
    high = 1 - betaincinv(np.maximum(safe - x, 1e-300), x + 1, tail)
    low = np.where(x == 0, 0.0, np.where(x == n, tail ** (1 / safe), low))
    high = np.where(x == n, 1.0, np.where(x == 0, -np.expm1(np.log(tail) / safe), high))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


METHODS = {"wilson": wilson_interval, "clopper_pearson": clopper_pearson_interval}


@register("statistic", "proportion")
def proportion(x: float, n: float, *, method: str = "wilson", level: float = 0.95) -> Estimate:
    """The share ``x / n`` with its interval; the ``n`` cases are taken as independent.

    Undefined when ``n`` is 0 (``no_labels``). ``method`` is ``"wilson"`` or ``"clopper_pearson"``.

    >>> print(proportion(135, 162))
    0.83 [0.77, 0.88]
    """
    if method not in METHODS:
        raise UserError(f"no interval named '{method}'", expected=" or ".join(METHODS))
    low, high = METHODS[method](x, n, level=level)
    if n == 0:
        return undefined("no_labels")
    name = method.replace("_", "-").title()
    return Estimate(
        x / n,
        float(low),
        float(high),
        level,
        n_items=int(n),
        n_ratings=int(n),
        method=name,
        target=THESE_RATERS,
    )


def _counts(x: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    some, total = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64))
    if not ((some >= 0) & (some <= total)).all():
        raise UserError("a count that is negative, missing or larger than its total", expected="0 <= x <= n")
    return some, total
