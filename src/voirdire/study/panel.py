"""Panel and Verdicts: one metric's labels, cut out of a study and coded for the statistics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.stats.coded import Coded
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale

__all__ = ["Panel", "Verdicts"]


@dataclass(frozen=True, eq=False)
class Panel:
    """The labels of one kind of rater on one metric under one policy.

    ``scale`` is the scale after the policy. ``coded`` numbers items, raters and labels from 0; ``items`` and
    ``raters`` give their positions in the study, ``rows`` (n,) the position of each label in the study's
    ratings.
    """

    metric: Metric
    scale: Scale
    coded: Coded
    items: NDArray[np.intp]
    raters: NDArray[np.intp]
    rows: NDArray[np.intp]

    @property
    def raters_per_item(self) -> NDArray[np.intp]:
        """Number of raters of each item, (n_items,)."""
        return np.bincount(self.coded.item, minlength=self.coded.n_items)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """One judge's verdicts on given items: ``counts`` (n_items, q) is how many runs gave each label."""

    judge: int
    scale: Scale
    counts: NDArray[np.intp]

    @property
    def given(self) -> NDArray[np.bool_]:
        """Which items have a verdict, (n_items,)."""
        given: NDArray[np.bool_] = self.counts.sum(axis=1) > 0
        return given

    @property
    def shares(self) -> NDArray[np.float64]:
        """Each label's share of the runs, (n_items, q); zeros where there is no verdict."""
        runs = self.counts.sum(axis=1, keepdims=True)
        shares: NDArray[np.float64] = self.counts / np.maximum(runs, 1)
        return shares

    @property
    def codes(self) -> NDArray[np.intp]:
        """The most frequent label of each item, (n_items,), on a tie the first; −1 without verdict."""
        return np.where(self.given, self.counts.argmax(axis=1), -1)
