"""When an interval covers less than it says: few items, or labels that are almost all the same.

In simulations (``benchmarks/coverage.py``) 95 % intervals of kappa and alpha cover 93 to 97 % once the labels
other than the commonest are worth five items, about 90 % at three to five, 60 % at one to two and next to
nothing below: the few items that carry those labels decide both the agreement and the agreement by chance,
and a sample may have missed them. The difference of two such coefficients needs ten. Agreement that is not
corrected by the labels' shares (raw agreement, AC1, Brennan-Prediger) is not affected.
"""

from __future__ import annotations

import math

import numpy as np

from voirdire.stats.coded import Coded

__all__ = ["FEW_RARE", "FEW_RARE_IN_DIFFERENCE", "FEW_UNITS", "caution", "interval_caution"]

FEW_UNITS = 30
FEW_RARE = 5.0
FEW_RARE_IN_DIFFERENCE = 10.0


def interval_caution(coded: Coded, n_units: int, *, rare: float = FEW_RARE) -> str | None:
    """A sentence if an interval from these ratings is weaker than its level says, or None.

    ``n_units`` counts the resampled items or clusters. The interval is weak with fewer than ``FEW_UNITS`` of
    them, or where (1 - share of the commonest label) x ``n_units`` is below ``rare``; shares are means over
    items of each item's shares, as in Fleiss' kappa. ``rare=0`` leaves that part out.

    >>> skewed = Coded.from_matrix([[0, 0]] * 97 + [[0, 1]] * 3)
    >>> interval_caution(skewed, 100)
    'the labels other than the commonest are worth 1.5 items: the interval may be too narrow'
    """
    unit = "items" if coded.cluster is None else "clusters"
    if rare <= 0 or n_units < FEW_UNITS:
        return caution(n_units, unit=unit)
    r = coded.ratings_per_item()
    shares = np.bincount(coded.label, weights=1 / r[coded.item], minlength=1) / max(int((r > 0).sum()), 1)
    return caution(n_units, (1 - shares.max()) * n_units, fewest=rare, unit=unit)


def caution(
    n_units: int, others: float = math.inf, *, fewest: float = FEW_RARE, unit: str = "items"
) -> str | None:
    """The rule itself, where ``others`` is what the labels other than the commonest are worth in units."""
    if n_units < FEW_UNITS:
        return f"only {n_units} {unit}: the interval may be too narrow"
    if others >= fewest:
        return None
    return (
        f"the labels other than the commonest are worth {others:.1f} {unit}: the interval may be too narrow"
    )
