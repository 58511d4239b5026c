"""How certain a corrected value is of the judged items themselves: what was labelled needs no guessing.

The other variance is for items drawn anew. Here the judged items stand fixed and only which of them were
labelled is chance, so it shrinks with the labelled share; what two people would say differently of a labelled
item does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.rates_cells import Means
from voirdire.decide.rates_design import Design, Values

__all__ = ["these_items_variance"]

Floats = NDArray[np.float64]


def these_items_variance(design: Design, values: Values, means: Means) -> Floats:
    """Variance of each cell's value (S,) around the mean of all its judged items, NaN where it borrows.

    (1 - phi) V + phi W: V of the labelled items' residuals over clusters, W of labels within an item, phi the
    labelled share (weighed by influence where chances differ). Where no item has two labels W is not known,
    and V stands for it: then nothing is gained.

    Source: Cochran 1977, Sampling Techniques, eq. 10.14 (two-stage sampling).
    """
    at = design.labelled
    cell, w = design.cell[at], design.weight[at]
    total = design.total(w, at)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = w / total[cell]
        residual = values.y[at] - means.tuning[cell] * values.f[at]
        centre = design.total(share * residual, at)
        error = share * (residual - centre[cell])
        grow = np.where(means.df > 0, design.labelled_clusters / means.df, np.nan)
        sampled = design.of_blocks(design.by_block(error, at) ** 2) * grow
        squares = design.total(error**2, at)
        even = design.labelled_rows / design.rows
        phi = np.where(squares > 0, design.total(error**2 / w, at) / squares, 1.0)
        # weights of 1 mean chances unknown but equal; others are the chances themselves
        phi = np.where(design.total(w, at) == design.labelled_rows, even, phi)
    within = _within(design, values)
    if np.isnan(within):
        return np.where(means.pooled, np.nan, sampled)
    times = np.bincount(design.label_entry, minlength=len(design.cell))[at]
    people = design.total(share**2 * within / np.maximum(times, 1), at)
    return np.where(means.pooled, np.nan, (1 - phi) * sampled + phi * np.minimum(people, sampled))


def _within(design: Design, values: Values) -> float:
    """Variance of labels within an item, over all items with two or more; NaN without one."""
    entry = design.label_entry
    times = np.bincount(entry, minlength=len(design.cell))
    several = times[entry] > 1
    free = float((times[times > 1] - 1).sum())
    if not free:
        return float("nan")
    return float(((values.label[several] - values.y[entry[several]]) ** 2).sum()) / free
