"""Arithmetic on numbers as they were printed: what rounding leaves open, and what a kappa implies."""

from __future__ import annotations

import math

__all__ = ["chance_bounds", "counts_sentence", "implied_chance", "rounded_counts"]


def rounded_counts(share: float, n: int, decimals: int) -> tuple[int, ...]:
    """The whole numbers x for which x / n, rounded to ``decimals`` places either way, is ``share``.

    >>> rounded_counts(0.833, 162, 3), rounded_counts(0.83, 7, 2)
    ((135,), ())
    """
    slack = 0.5 * 10.0**-decimals + 1e-12
    first, last = math.ceil((share - slack) * n), math.floor((share + slack) * n)
    return tuple(range(max(0, first), min(n, last) + 1))


def implied_chance(agreement: float, kappa: float) -> float:
    """The chance agreement p_e for which (p_o - p_e) / (1 - p_e) is kappa; NaN at kappa 1.

    >>> round(implied_chance(0.85, 0.7), 3)
    0.5
    """
    return (agreement - kappa) / (1 - kappa) if kappa != 1 else math.nan


def chance_bounds(agreements: tuple[float, float], kappa: float, decimals: int) -> tuple[float, float]:
    """Smallest and largest chance agreement for agreements in a range and kappas that round to ``kappa``."""
    unit = 0.5 * 10.0**-decimals
    implied = [
        implied_chance(agreement, edge) for agreement in agreements for edge in (kappa - unit, kappa + unit)
    ]
    return min(implied), max(implied)


def counts_sentence(counts: tuple[int, ...], n: int, share: float, what: str) -> str:
    """Which counts of ``n`` items a printed share can stand for, as a sentence."""
    if not counts:
        return f"No whole number of {n:,} items rounds to {share:g}: share and number of items do not cohere."
    many = f"{counts[0]:,} to {counts[-1]:,}" if len(counts) > 1 else f"{counts[0]:,}"
    return f"A share of {share:g} means that {many} of {n:,} items {what}."
