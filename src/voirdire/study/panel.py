"""Panel and Verdicts: one metric's labels, cut out of a study and coded for the statistics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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
    """One judge's verdicts on ``n_items`` items, one entry a run: item ``item[k]`` was given ``label[k]``."""

    judge: int
    scale: Scale
    item: NDArray[np.intp]
    label: NDArray[np.intp]
    n_items: int

    @cached_property
    def runs(self) -> NDArray[np.intp]:
        """How many runs gave each item a label, (n_items,)."""
        return np.bincount(self.item, minlength=self.n_items)

    @property
    def given(self) -> NDArray[np.bool_]:
        """Which items have a verdict, (n_items,)."""
        given: NDArray[np.bool_] = self.runs > 0
        return given

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many runs gave each label, (n_items, q)."""
        q = len(self.scale.labels)
        return np.bincount(self.item * q + self.label, minlength=self.n_items * q).reshape(self.n_items, q)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Each label's share of the runs, (n_items, q); zeros where there is no verdict."""
        shares: NDArray[np.float64] = self.counts / np.maximum(self.runs, 1)[:, None]
        return shares

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """The most frequent label of each item, (n_items,), on a tie the first; −1 without verdict."""
        if self.runs.max(initial=0) > 1:
            return np.where(self.given, self.counts.argmax(axis=1), -1)
        # one run of a continuous score: a table of items by labels would not fit in memory
        codes = np.full(self.n_items, -1, dtype=np.intp)
        codes[self.item] = self.label
        return codes

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of the labels' ``values`` (q,) over the runs of each item, (n_items,), NaN without verdict."""
        sums = np.bincount(self.item, values[self.label], minlength=self.n_items)
        return np.where(self.given, sums / np.maximum(self.runs, 1), np.nan)
