"""Many metrics at once: adjusted p-values, and the level at which selected intervals keep their promise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.registry import register

__all__ = ["adjusted_p_values", "false_coverage_level"]

Floats = NDArray[np.float64]


@register("statistic", "adjusted_p_values")
def adjusted_p_values(p_values: ArrayLike, *, method: str = "by") -> Floats:
    """P-values corrected for their number: reject those below q and the method's error rate is at most q.

    ``p_values`` is (m,); NaN stands for a test that could not be made: it stays NaN and is not counted in m.
    ``"by"`` controls the false discovery rate under any dependence, ``"bh"`` under independence or positive
    dependence, ``"holm"`` the chance of any false rejection.

    Source: Benjamini & Hochberg 1995; Benjamini & Yekutieli 2001; Holm 1979.

    >>> adjusted_p_values([0.01, 0.02, 0.03], method="bh").round(3).tolist()
    [0.03, 0.03, 0.03]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or ((p < 0) | (p > 1)).any():
        raise UserError("a p-value outside 0 to 1, or not a list of them", expected="m values from 0 to 1")
    if method not in ("bh", "by", "holm"):
        raise UserError(f"no correction named '{method}'", expected="bh, by or holm")
    made = ~np.isnan(p)
    adjusted = np.full(p.shape, np.nan)
    adjusted[made] = _adjusted(p[made], method)
    return adjusted


def false_coverage_level(m: int, decisive: Callable[[float], int], *, q: float = 0.05) -> float:
    """The level at which to print ``m`` intervals so that of those that decide something a share q may miss.

    ``decisive(level)`` counts how many of the ``m`` intervals, drawn at ``level``, decide their question. R
    is the largest number for which at least R intervals are decisive at level 1 - R q / (m c), with
    c = 1 + 1/2 + ... + 1/m; that level is returned. The intervals that are decisive there are the selected
    ones, so what is printed and what is concluded agree. With none selected the level is that of R = 1. An
    interval at a higher level must hold the one at a lower.

    Source: Benjamini & Yekutieli 2005, with their harmonic factor, which holds under any dependence.

    >>> round(false_coverage_level(1, lambda level: 0), 12)
    0.95
    >>> from voirdire.stats.transforms import normal_quantile
    >>> z = np.array([0.1, 3.5, 4.0])
    >>> round(false_coverage_level(3, lambda level: int((z > normal_quantile(level)).sum())), 4)
    0.9818
    """
    if m < 1 or not 0 < q < 1:
        raise UserError(
            f"{m} intervals at a false coverage rate of {q}", expected="m >= 1 and q between 0 and 1"
        )

    def level(r: int) -> float:
        return 1 - r * q / (m * _harmonic(m))

    r = m
    # a smaller r has a higher level, at which no more decide than do here: those between cannot be reached
    while r > 0 and (found := decisive(level(r))) < r:
        r = found
    return level(max(r, 1))


def _adjusted(p: Floats, method: str) -> Floats:
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, p.size + 1)
    if method == "holm":
        steps = np.maximum.accumulate(p[order] * (p.size + 1 - rank))
    else:
        factor = _harmonic(p.size) if method == "by" else 1.0
        steps = np.minimum.accumulate((p[order] * factor * p.size / rank)[::-1])[::-1]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, steps)
    return adjusted


def _harmonic(m: int) -> float:
    return float((1 / np.arange(1, m + 1)).sum())
