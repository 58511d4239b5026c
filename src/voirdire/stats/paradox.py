"""Why kappa can be low while agreement is high: the limits and indices that are read beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from voirdire.registry import register
from voirdire.stats.two_rater import square_shares

__all__ = ["KappaParadox", "kappa_paradox"]


@dataclass(frozen=True, slots=True)
class KappaParadox:
    """What the label shares of two raters do to their kappa.

    ``kappa_max`` is the largest kappa that these shares allow. ``prevalence_index`` (0 balanced to 1) and
    ``bias_index`` (0 same shares to 1) exist for two labels and are NaN otherwise. ``pabak`` is the kappa of
    the same agreement with equal shares. ``specific_agreement[k]`` is agreement on label k alone; for two
    labels the two are known as p_pos and p_neg, and one is NaN where nobody used the label.
    """

    kappa_max: float
    prevalence_index: float
    bias_index: float
    pabak: float
    specific_agreement: tuple[float, ...]


@register("statistic", "kappa_paradox")
def kappa_paradox(table: ArrayLike) -> KappaParadox:
    """Maximum kappa, prevalence and bias index, PABAK and agreement on each label.

    ``table`` is (q, q) counts of two raters. ``kappa_max`` is NaN when both used one and the same label,
    everything when the table is empty.

    Source: Cohen 1960 (maximum); Byrt, Bishop & Carlin 1993 (indices, PABAK); Cicchetti & Feinstein 1990
    (specific agreement); Sim & Wright 2005.

    >>> paradox = kappa_paradox([[80, 10], [5, 5]])
    >>> round(paradox.kappa_max, 2), round(paradox.prevalence_index, 2), round(paradox.pabak, 2)
    (0.77, 0.75, 0.7)
    """
    p, n = square_shares(table)
    q = len(p)
    row, column = p.sum(1), p.sum(0)
    agreed, chance = float(np.trace(p)), float(row @ column)
    with np.errstate(invalid="ignore", divide="ignore"):
        specific = 2 * np.diag(p) / (row + column)
    defined = n > 0 and chance < 1
    return KappaParadox(
        (float(np.minimum(row, column).sum()) - chance) / (1 - chance) if defined else math.nan,
        abs(float(p[0, 0] - p[1, 1])) if q == 2 and n else math.nan,
        abs(float(p[0, 1] - p[1, 0])) if q == 2 and n else math.nan,
        (q * agreed - 1) / (q - 1) if q > 1 and n else math.nan,
        tuple(float(share) for share in specific),
    )
