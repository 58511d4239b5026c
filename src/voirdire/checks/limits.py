"""Intervals as a reader may see them: no share outside 0 to 1, no coefficient above 1."""

from __future__ import annotations

from dataclasses import replace

from voirdire.stats import Estimate

__all__ = ["capped", "within"]


def capped(estimate: Estimate) -> Estimate:
    """The estimate of an agreement coefficient, its upper bound at most 1, the largest value there is.

    >>> print(capped(Estimate(0.9, 0.7, 1.1)))
    0.90 [0.70, 1.00]
    """
    return replace(estimate, high=1.0) if estimate.high > 1 else estimate


def within(estimate: Estimate) -> Estimate:
    """The estimate of a share, its bounds cut at 0 and 1.

    >>> print(within(Estimate(0.7, -0.1, 1.4)))
    0.70 [0.00, 1.00]
    """
    if not estimate.has_interval:
        return estimate
    return replace(estimate, low=max(0.0, estimate.low), high=min(1.0, estimate.high))
