"""The level that a held-out person reaches, and whom the judge predicts: accuracy and gains by rater."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.features import Target
from voirdire.align.resampling import MANY_RATERS, two_way_sums
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import NEW_RATERS, Estimate, undefined
from voirdire.stats.intervals import percentile

__all__ = ["Accuracy", "RaterGain", "accuracy", "gain_for_new_raters", "gains_by_rater", "majority_hits"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
FEWEST_LABELS = 10


@dataclass(frozen=True)
class Accuracy:
    """Agreement with the majority of a row's other people, a held-out ``person`` beside the judge.

    ``judge`` is the judge as it is, ``aligned`` the prediction's most likely label, ``change`` aligned minus
    judge. Collapsed to one label a row: it does not see whether disagreement is predicted.
    """

    person: Estimate
    judge: Estimate
    aligned: Estimate
    change: Estimate


@dataclass(frozen=True)
class RaterGain:
    """Mean gain of the prediction over base rates on one person's labels, in nats a label."""

    rater: str
    n_labels: int
    gain: Estimate


def majority_hits(counts: Floats, label: Positions | None) -> Floats:
    """Expected agreement with the majority of a row's labels when one at random is left out (n,).

    ``label`` (n,) is the one compared, or None for the label left out. NaN for rows with fewer than three
    labels, or where every such majority is tied.

    >>> majority_hits(np.array([[2.0, 1.0], [3.0, 0.0]]), None).tolist()
    [0.0, 1.0]
    """
    n, c = counts.shape
    hits, weight = np.zeros(n), np.zeros(n)
    for left in range(c):
        others = counts - np.eye(c)[left]
        top = others.max(axis=1)
        clear = (counts[:, left] > 0) & (counts.sum(axis=1) > 2) & ((others == top[:, None]).sum(axis=1) == 1)
        target = others.argmax(axis=1)
        mass = np.where(clear, counts[:, left], 0.0)
        hits += mass * (target == (left if label is None else label))
        weight += mass
    with np.errstate(invalid="ignore"):
        rate: Floats = np.where(weight > 0, hits / weight, np.nan)
    return rate


def accuracy(judge: Floats | None, aligned: Floats, target: Target, *, level: float = 0.95) -> Accuracy:
    """Majority agreement of judge and aligned prediction (n, C) each, beside a held-out person's.

    ``judge`` is None where no judge answers with human labels.
    """
    person = majority_hits(target.counts, None)
    hits = majority_hits(target.counts, aligned.argmax(axis=1))
    rows = np.isfinite(person)
    codes = np.unique(target.cluster[rows], return_inverse=True)[1]

    def mean(values: Floats) -> Estimate:
        if not rows.any():
            return undefined("no_pairable_items")
        return clustered_mean(values[rows], cluster=codes, level=level)

    if judge is None:
        none = undefined("no_labels")
        return Accuracy(mean(person), none, mean(hits), none)
    raw = majority_hits(target.counts, judge.argmax(axis=1))
    return Accuracy(mean(person), mean(raw), mean(hits), mean(hits - raw))


def gains_by_rater(floor: Floats, predicted: Floats, target: Target, level: float = 0.95) -> list[RaterGain]:
    """log q - log floor of each label, averaged by the person who gave it; people with 10 labels or more.

    ``floor`` and ``predicted`` are (n, C). The sign pattern shows whether the judge predicts all people or
    some of them.
    """
    gain = _label_gain(floor, predicted, target)
    found = []
    for rater in np.unique(target.rater).tolist():
        mine = target.rater == rater
        if int(mine.sum()) >= FEWEST_LABELS:
            codes = np.unique(target.cluster[target.row[mine]], return_inverse=True)[1]
            estimate = clustered_mean(gain[mine], cluster=codes, level=level)
            found.append(RaterGain(str(rater), int(mine.sum()), estimate))
    return found


def gain_for_new_raters(
    floor: Floats,
    predicted: Floats,
    target: Target,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> Estimate:
    """Mean gain a row over base rates, clusters and raters resampled together.

    Undefined below 10 raters (``insufficient_raters``): the claim is then about these raters.
    """
    if len(np.unique(target.rater)) < MANY_RATERS:
        return undefined("insufficient_raters", n_items=len(target))
    weight = 1 / target.labels_per_row[target.row]
    gain = _label_gain(floor, predicted, target)
    columns = np.stack([weight * gain, weight], axis=1)
    sums = two_way_sums(columns, target.cluster[target.row], target.rater, resamples, rng)
    bounds = percentile(sums[:, 0] / sums[:, 1], level)
    return Estimate(
        float(weight @ gain / weight.sum()),
        bounds.low,
        bounds.high,
        level,
        n_items=len(target),
        n_ratings=len(gain),
        method="two-way bootstrap of clusters and raters",
        target=NEW_RATERS,
        no_interval=bounds.none,
        resamples=resamples,
    )


def _label_gain(floor: Floats, predicted: Floats, target: Target) -> Floats:
    gain: Floats = np.log(predicted[target.row, target.label] / floor[target.row, target.label])
    return gain
