"""The share of positives behind a judge that errs, from its sensitivity and specificity."""

from __future__ import annotations

import math
from dataclasses import dataclass

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.transforms import normal_quantile

__all__ = ["RoganGladen", "rogan_gladen"]


@dataclass(frozen=True, slots=True)
class RoganGladen:
    """The corrected ``prevalence`` beside what it was corrected from; ``clipped`` where it left 0 to 1."""

    prevalence: Estimate
    apparent: float
    sensitivity: float
    specificity: float
    clipped: bool


@register("statistic", "rogan_gladen")
def rogan_gladen(
    apparent: float,
    sensitivity: float,
    specificity: float,
    *,
    n: float = 0,
    n_positive: float = 0,
    n_negative: float = 0,
    level: float = 0.95,
) -> RoganGladen:
    """The share of truly positive items, (AP + Sp - 1) / (Se + Sp - 1), from the share AP called positive.

    ``n`` items gave ``apparent``, ``n_positive`` and ``n_negative`` labelled items ``sensitivity`` and
    ``specificity``; with all three the interval is that of Lang and Reiczigel, which counts the uncertainty
    of both (no interval otherwise). A value outside 0 to 1 is cut and flagged. Undefined where a judge tells
    no more than chance, Se + Sp <= 1, or people gave one label alone (``not_identifiable``). Right only
    where the judge errs as often on the ``n`` items as on the labelled ones.

    Source: Rogan & Gladen 1978; Lang & Reiczigel 2014.

    >>> found = rogan_gladen(0.3, 0.9, 0.8, n=500, n_positive=80, n_negative=120)
    >>> print(found.prevalence, found.clipped)
    0.14 [0.03, 0.24] False
    """
    shares = (apparent, sensitivity, specificity)
    if (
        any(not (math.isnan(share) or 0 <= share <= 1) for share in shares)
        or min(n, n_positive, n_negative) < 0
    ):
        raise UserError(
            f"shares {shares} of {(n, n_positive, n_negative)} items", expected="shares from 0 to 1"
        )
    normal_quantile(level)
    items = int(n_positive + n_negative)
    if not sensitivity + specificity > 1 or math.isnan(apparent):
        reason = "no_labels" if math.isnan(apparent) else "not_identifiable"
        return RoganGladen(undefined(reason, n_items=items), *shares, clipped=False)
    raw = (apparent + specificity - 1) / (sensitivity + specificity - 1)
    value = min(1.0, max(0.0, raw))
    if min(n, n_positive, n_negative) == 0:
        found = Estimate(value, level=level, n_items=items, no_interval="no_interval_method")
    else:
        low, high = _lang_reiczigel(shares, (n, n_positive, n_negative), normal_quantile(level))
        found = Estimate(
            value,
            min(low, value),
            max(high, value),
            level,
            n_items=items,
            method="Lang-Reiczigel",
            target=THESE_RATERS,
        )
    return RoganGladen(found, *shares, clipped=value != raw)


def _lang_reiczigel(
    shares: tuple[float, float, float], counts: tuple[float, float, float], z: float
) -> tuple[float, float]:
    """Bounds from shares moved towards one half: by z² items for the apparent share, by 2 for the others."""
    added = (z**2, 2.0, 2.0)
    n, n_se, n_sp = (count + more for count, more in zip(counts, added, strict=True))
    ap, se, sp = (
        (share * count + more / 2) / (count + more)
        for share, count, more in zip(shares, counts, added, strict=True)
    )
    youden = se + sp - 1
    if youden <= 0:
        return 0.0, 1.0
    p = (ap + sp - 1) / youden
    of_se, of_sp = se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    error = math.sqrt(ap * (1 - ap) / n + p**2 * of_se + (1 - p) ** 2 * of_sp) / youden
    centre = p + 2 * z**2 * (p * of_se - (1 - p) * of_sp)
    return min(1.0, max(0.0, centre - z * error)), min(1.0, max(0.0, centre + z * error))
