"""Cross-fitted predictions: each labelled row's from clusters other than its own, the others' from all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.folds import FOLDS, grouped_folds
from voirdire.align.fusion import fit_kappa
from voirdire.align.observe import Observed
from voirdire.align.pool import Pool
from voirdire.align.selection import fit
from voirdire.stats.estimate import Estimate

__all__ = ["CrossFitted", "cross_fit"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CrossFitted:
    """The rows that were ``observed`` (n) with what people are expected to say on them.

    ``predicted`` (n, C) took no part of the row's own cluster where ``fold`` (n,) is 0 or more; where it is
    -1 (no human label, or no judge was asked) it comes from ``model``, fitted on all labelled rows. ``kappa``
    says how many human votes the predictions are worth, undefined where no row has two labels.
    """

    observed: Observed
    predicted: Floats
    fold: NDArray[np.intp]
    model: Pool
    kappa: Estimate

    @property
    def calibration(self) -> NDArray[np.intp]:
        """The labelled rows on which a judge was asked, whose predictions are out of fold."""
        return np.flatnonzero(self.fold >= 0)

    @property
    def unlabelled(self) -> NDArray[np.intp]:
        """The rows without a human label."""
        return np.flatnonzero(~self.observed.target.labelled)


def cross_fit(
    observed: Observed, *, select: str = "pool", folds: int = FOLDS, rng: np.random.Generator
) -> CrossFitted:
    """Predict how people would label every row of ``observed``, without a row's own labels.

    ``select`` is ``pool``, ``one_se`` or a calibrator's name. Labelled rows need two clusters at least.
    """
    features, target = observed.features, observed.target
    asked = observed.asked if observed.asked.any() else np.ones_like(observed.asked)
    split = grouped_folds(target.cluster, folds=folds, use=target.labelled & asked, rng=rng)
    rows = np.flatnonzero(split.fold >= 0)
    model = fit(features.take(rows), target.take(rows), select=select, rng=rng)
    predicted = np.empty((len(observed), features.n_labels))
    rest = np.flatnonzero(split.fold < 0)
    predicted[rest] = model.predict(features.take(rest)) if len(rest) else predicted[rest]
    for train, held in split:
        part = fit(features.take(train), target.take(train), select=select, rng=rng)
        predicted[held] = part.predict(features.take(held))
    kappa = fit_kappa(predicted[rows], target.counts[rows], cluster=target.cluster[rows])
    return CrossFitted(observed, predicted, split.fold, model, kappa)
