"""Worth how many people? The power curve of m other people, and where the judge stands on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from voirdire.align.fusion import LARGEST_KAPPA, fit_kappa
from voirdire.align.resampling import cluster_sums
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.intervals import percentile

__all__ = [
    "PowerCurve",
    "PowerPoint",
    "Rows",
    "cross_fitted_alpha",
    "next_label_losses",
    "power_curve",
    "rater_equivalence",
]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
FEWEST_ROWS = 20
"""A point of the curve needs as many rows with enough labels."""
MOST_OTHERS = 8


@dataclass(frozen=True)
class PowerPoint:
    """Mean log scores for the next label of rows with at least ``m`` + 1 labels, in nats.

    ``people`` know m other labels and the base rates, ``judge`` is the prediction alone, ``both`` the
    prediction and m labels. ``gap`` is people minus judge, positive where the judge predicts better.
    """

    m: int
    n_rows: int
    people: Estimate
    judge: Estimate
    both: Estimate
    gap: Estimate


@dataclass(frozen=True)
class PowerCurve:
    """The points, the gain of one more person over base rates, and the judge's ``equivalence``.

    ``equivalence`` is a number of people, infinite where the judge beats ``most``, the largest m measured.
    Undefined where every row has one label (``no_pairable_items``), and refused where one more person
    predicts no better than base rates (``people_tell_nothing``).
    """

    combiner: str
    points: tuple[PowerPoint, ...]
    gain_of_one: Estimate
    equivalence: Estimate

    @property
    def most(self) -> int:
        """The largest m with enough rows."""
        return self.points[-1].m if self.points else 0


def next_label_losses(alpha: Floats, counts: Floats, m: int) -> Floats:
    """Expected -log probability of one label of a row, given ``m`` of its others at random (n,), in nats.

    The combiner is Dirichlet-multinomial: (a_c + s_c) / (A + m) after seeing s_c labels c. The average over
    which labels are seen and which is next is exact (hypergeometric). ``alpha`` and ``counts`` are (n, C);
    NaN where a row has fewer than m + 1 labels.

    >>> next_label_losses(np.ones((1, 2)), np.array([[2.0, 0.0]]), 1).round(3).tolist()
    [0.405]
    """
    k = counts.sum(axis=1)
    usable = k > m
    a, n, size = alpha[usable], counts[usable], k[usable][:, None]
    total = a.sum(axis=1, keepdims=True)
    loss = np.zeros(len(n))
    for s in range(m + 1):
        chance = _hypergeometric(n, size, s, m)
        loss -= (chance * n / size * np.log((a + s) / (total + m))).sum(axis=1)
    every = np.full(len(counts), np.nan)
    every[usable] = loss
    return every


def cross_fitted_alpha(predicted: Floats, counts: Floats, fold: Positions) -> Floats:
    """kappa q of each row (n, C), kappa fitted on the rows of the other folds; NaN where it cannot be.

    ``predicted`` (n, C) must be out of fold, ``fold`` is (n,).
    """
    alpha = np.full(predicted.shape, np.nan)
    for k in np.unique(fold).tolist():
        kappa = fit_kappa(predicted[fold != k], counts[fold != k]).value
        alpha[fold == k] = min(kappa, LARGEST_KAPPA) * predicted[fold == k]
    return alpha


@dataclass(frozen=True, eq=False)
class Rows:
    """What a curve is drawn from: label ``counts`` (n, C), the ``judge``'s log score (n,), its alpha (n, C),
    and the rows' ``cluster`` (n,).
    """

    counts: Floats
    judge: Floats
    judge_alpha: Floats
    cluster: Positions


def power_curve(
    people: Sequence[Floats],
    rows: Rows,
    *,
    combiner: str,
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> PowerCurve:
    """The curve of ``people[m]`` (n,), log scores given m others, NaN where a row has too few labels."""
    usable = [m for m, loss in enumerate(people) if np.isfinite(loss).sum() >= FEWEST_ROWS]
    most = next((m for m in range(len(people)) if m not in usable), len(people)) - 1
    points = tuple(_point(m, people[m], rows, level) for m in range(most + 1))
    none = undefined(
        "no_pairable_items" if len(people) < 2 else "insufficient_items", n_items=len(rows.judge)
    )
    if most < 1:
        return PowerCurve(combiner, points, none, none)
    both = np.isfinite(people[1])
    gain = clustered_mean(people[0][both] - people[1][both], cluster=_codes(rows.cluster[both]), level=level)
    if not gain.low > 0:
        refused = undefined("people_tell_nothing", n_items=gain.n_items)
        return PowerCurve(combiner, points, gain, refused)
    equivalence = rater_equivalence(
        people[: most + 1], rows.judge, rows.cluster, level=level, resamples=resamples, rng=rng
    )
    return PowerCurve(combiner, points, gain, equivalence)


def rater_equivalence(
    people: Sequence[Floats],
    judge: Floats,
    cluster: Positions,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> Estimate:
    """The number m of other people who together predict one label as well as the judge does.

    ``people[m]`` and ``judge`` are log scores (n,). At each m the two are compared on the rows that have
    m + 1 labels; m is interpolated where the difference changes sign, 0 where base rates are as good, and
    infinite where the judge beats the largest m. Whole clusters are resampled.

    Source: Resnick et al. 2021 (arXiv 2106.01254), rater equivalence with cross-entropy.
    """
    columns = []
    for loss in people:
        has = np.isfinite(loss)
        columns += [np.where(has, loss - judge, 0.0), has.astype(np.float64)]
    table = np.stack(columns, axis=1)
    found = _crossing(table.sum(axis=0)[None])[0]
    drawn = _crossing(cluster_sums(table, cluster, resamples, rng))
    most = float(len(people) - 1)
    bounds = percentile(np.minimum(drawn, most), level)  # what lies beyond the curve is cut at its end
    stuck = bounds.none == "no_variation" and math.isinf(found)
    low = most if stuck else bounds.low
    high = math.inf if stuck or bounds.high >= most else bounds.high
    n = int(np.isfinite(people[0]).sum())
    return Estimate(
        float(found),
        low,
        high if not math.isnan(low) else math.nan,
        level,
        n_items=n,
        method="percentile over clusters",
        target=THESE_RATERS,
        no_interval=None if stuck else bounds.none,
        resamples=resamples,
        n_clusters=len(np.unique(cluster)),
    )


def _crossing(sums: Floats) -> Floats:
    """Where people minus judge changes sign (B,), from sums (B, 2 (M + 1)) of differences and rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = sums[:, 0::2] / sums[:, 1::2]
    below = gap <= 0
    first = np.where(below.any(axis=1), below.argmax(axis=1), gap.shape[1])
    at = np.arange(len(gap))
    before = gap[at, np.maximum(first - 1, 0)]
    after = gap[at, np.minimum(first, gap.shape[1] - 1)]
    with np.errstate(divide="ignore", invalid="ignore"):
        between = first - 1 + before / (before - after)
    crossing: Floats = np.where(first == 0, 0.0, np.where(first == gap.shape[1], np.inf, between))
    return crossing


def _point(m: int, people: Floats, rows: Rows, level: float) -> PowerPoint:
    has = np.isfinite(people)
    cluster = _codes(rows.cluster[has])
    both = next_label_losses(rows.judge_alpha, rows.counts, m)[has]

    def mean(values: Floats) -> Estimate:
        if not np.isfinite(values).all():
            return undefined("not_identifiable", n_items=len(values))
        return clustered_mean(values, cluster=cluster, level=level)

    judge = rows.judge[has]
    return PowerPoint(
        m, int(has.sum()), mean(people[has]), mean(judge), mean(both), mean(people[has] - judge)
    )


def _hypergeometric(n: Floats, size: Floats, s: int, m: int) -> Floats:
    """Chance of s labels c among m others when the next label is one of the n_c of ``size`` (n, C)."""
    own, rest = n - 1, size - n
    possible = (own >= s) & (rest >= m - s) & (n > 0)
    with np.errstate(invalid="ignore"):
        log = _log_choose(own, s) + _log_choose(rest, m - s) - _log_choose(size - 1, m)
    return np.where(possible, np.exp(np.where(possible, log, 0.0)), 0.0)


def _log_choose(n: Floats, r: int) -> Floats:
    safe = np.maximum(n, r)
    chosen: Floats = gammaln(safe + 1) - gammaln(r + 1) - gammaln(safe - r + 1)
    return chosen


def _codes(cluster: Positions) -> Positions:
    return np.unique(cluster, return_inverse=True)[1]
