"""Is the judge's aligned distribution worth more than one more person? The test by distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from voirdire.align.cross_fit import CrossFitted
from voirdire.align.features import Target
from voirdire.decide.one_person import OnePerson
from voirdire.stats.clustered import clustered_mean, ratio_standard_error
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.intervals import student
from voirdire.stats.multiplicity import adjusted_p_values
from voirdire.stats.transforms import normal_quantile

__all__ = [
    "DistributionalAnnotator",
    "DistributionalTest",
    "distributional_replacement",
    "distributional_test",
]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
FEWEST_ANNOTATORS = 3
PASSES = 0.5


@dataclass(frozen=True)
class DistributionalAnnotator:
    """The judge's distribution against what one person's label supports, on the ``n_items`` of both.

    ``gain`` is the mean of d, in nats for each label of another person: positive where the judge predicts
    them better. ``p`` is one-sided for a gain above 0, ``p_adjusted`` corrected for the number of persons.
    """

    rater: int
    n_items: int
    n_units: int
    gain: Estimate
    p: float
    p_adjusted: float
    rejected: bool


@dataclass(frozen=True)
class DistributionalTest:
    """Every annotator's test, the share over whom the judge wins, and the mean ``gain`` over annotators."""

    annotators: tuple[DistributionalAnnotator, ...]
    share_rejected: Estimate
    gain: Estimate

    @property
    def passed(self) -> bool | None:
        """Whether the judge is worth more than at least half of the annotators; None where undefined."""
        return None if self.share_rejected.undefined is not None else self.share_rejected.value >= PASSES


def distributional_replacement(
    crossed: CrossFitted, *, metric: int = 0, level: float = 0.95
) -> DistributionalTest:
    """The test for one metric of ``crossed``, the ``metric``-th of its encoding.

    The judge's predictions are out of fold, and so is what a person's label is taken to support: kappa and
    the label prior come from the metric's rows in the other folds. Undefined where they hold fewer than 10
    rows with two labels (``insufficient_items``), and with fewer than three people who share rows
    (``too_few_annotators``).
    """
    rows = np.flatnonzero((crossed.fold >= 0) & (crossed.observed.metric == metric))
    target = crossed.observed.target.take(rows)
    person = OnePerson.fitted(target.counts, crossed.fold[rows])
    return distributional_test(crossed.predicted[rows], person, target, level=level)


def distributional_test(
    predicted: Floats, person: OnePerson, target: Target, *, level: float = 0.95
) -> DistributionalTest:
    """Does the judge's distribution predict other people better than one person's label does?

    For annotator j on row i, d = mean over the other people k of log q_i[y_k] - log p_ij[y_k], where q is
    ``predicted`` (n, C), out of fold, and p_ij what j's label supports (``person``, fitted on other rows).
    H0: the mean of d is 0 or less; one-sided t over clusters, Benjamini-Yekutieli over annotators.
    ``target`` holds the single labels with their raters. The judge must beat the label prior in the same way
    (p is the larger of the two): where people tell next to nothing, a fitted kappa may make p_ij worse than
    the prior.

    A judge that always gives the commonest label is, aligned, the label prior: it does not win, whereas it
    does in the alternative annotator test.
    """
    normal_quantile(level)
    shared = target.labels_per_row[target.row] > 1
    raters, own = np.unique(target.rater[shared], return_inverse=True)
    row = target.row[shared]
    n_rows = len(np.unique(row))
    defined = np.isfinite(person.given[row])
    if len(raters) < FEWEST_ANNOTATORS or not defined.all():
        reason = "too_few_annotators" if len(raters) < FEWEST_ANNOTATORS else "insufficient_items"
        none = undefined(reason, n_items=n_rows)
        return DistributionalTest((), none, none)
    d = _gains(predicted, person, target, shared)
    cluster = target.cluster[row]
    annotators = _annotators(raters, [(d[own == j], cluster[own == j]) for j in range(len(raters))], level)
    rejected = sum(one.rejected for one in annotators) / len(annotators)
    share = Estimate(
        rejected,
        level=level,
        n_items=n_rows,
        n_ratings=len(row),
        target=THESE_RATERS,
        no_interval="no_interval_method",
    )
    gain = replace(_mean_gain(d[:, 0], own, cluster, level), n_items=n_rows)
    return DistributionalTest(annotators, share, gain)


def _gains(predicted: Floats, person: OnePerson, target: Target, rows: NDArray[np.bool_]) -> Floats:
    """The judge's mean log score on the others of each single label in ``rows``, minus two rivals' (m, 2).

    The rivals are the prediction from the label itself, and the label prior.
    """
    row, label = target.row[rows], target.label[rows]
    others = target.counts[row].copy()
    others[np.arange(len(row)), label] -= 1
    share = others / others.sum(axis=1, keepdims=True)
    judge = np.log(predicted[row])
    rivals = np.log(person.given[row, label]), np.log(person.prior[row])
    return np.stack([(share * (judge - rival)).sum(axis=1) for rival in rivals], axis=1)


def _one_sided(d: Floats, cluster: Positions) -> float:
    """P-value of a mean of ``d`` of 0 or less, t over clusters; 1 where there is no spread to judge by."""
    error, units = ratio_standard_error(d, np.ones(len(d)), np.unique(cluster, return_inverse=True)[1])
    return float(stdtr(units - 1, -d.mean() / error)) if error > 0 else 1.0


def _annotators(
    raters: Positions, parts: Sequence[tuple[Floats, Positions]], level: float
) -> tuple[DistributionalAnnotator, ...]:
    """One entry a rater, from the rater's d and clusters."""
    p = np.array([max(_one_sided(each, cluster) for each in d.T) for d, cluster in parts])
    adjusted = adjusted_p_values(p)
    gains = [
        clustered_mean(d[:, 0], cluster=np.unique(cluster, return_inverse=True)[1], level=level)
        for d, cluster in parts
    ]
    return tuple(
        DistributionalAnnotator(
            rater=int(raters[j]),
            n_items=gain.n_items,
            n_units=gain.n_clusters or 0,
            gain=gain,
            p=float(p[j]),
            p_adjusted=float(adjusted[j]),
            rejected=bool(adjusted[j] <= 1 - level),
        )
        for j, gain in enumerate(gains)
    )


def _mean_gain(d: Floats, own: Positions, cluster: Positions, level: float) -> Estimate:
    """Delta: the mean over annotators of their mean d, with a t interval over the clusters they share."""
    n_raters = int(own.max()) + 1
    n = np.bincount(own)
    mean = np.bincount(own, d) / n
    influence = (d - mean[own]) / (n_raters * n[own])
    sums = np.bincount(np.unique(cluster, return_inverse=True)[1], influence)
    g = len(sums)
    error = math.sqrt(g / (g - 1) * float(sums @ sums)) if g > 1 else math.nan
    ends = student(float(mean.mean()), error, g - 1, level)
    return Estimate(
        float(mean.mean()),
        ends.low,
        ends.high,
        level,
        n_ratings=len(d),
        method="t over clusters",
        target=THESE_RATERS,
        no_interval=ends.none,
        n_clusters=g,
    )
