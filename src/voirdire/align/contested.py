"""Which rows would people dispute? A rule fitted to how often they do, and how well it finds those rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.fusion import LARGEST_KAPPA, posterior_draws
from voirdire.stats.clustered import clustered_mean, ratio_standard_error
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.ranks import mean_ranks
from voirdire.stats.transforms import normal_quantile
from voirdire.study.scale import Scale

__all__ = [
    "UNMEASURED",
    "Flagging",
    "Rows",
    "area",
    "dispute_chance",
    "disputes",
    "flagging",
    "observed_disputes",
    "rate_matched",
    "rule_in_words",
]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]
APART = 1 / 3
"""On an ordered scale two labels dispute where more than this part of its length lies between them."""
UNMEASURED = 0.48
"""The threshold where no item has two labels: the chance that two differ where 60 % say one thing."""
FEWEST_ROWS = 20
"""A metric with fewer rows with two labels shares the threshold of all."""
DRAWS = 20


@dataclass(frozen=True)
class Flagging:
    """How many rows are called contested, and whether people dispute them.

    ``thresholds`` are by metric, ``threshold`` is for a metric that has none. ``flagged`` is the share of
    rows that reach theirs, out of fold, and ``wanted`` the share that people are expected to dispute.
    ``disputed`` is the share of pairs of people who dispute a row that has two labels, ``expected`` its
    prediction, ``if_flagged`` and ``if_not`` the same share among the rows flagged and the others. ``auc`` is
    the chance that a row that two people dispute was predicted more disputed than one that none do;
    ``auc_ceiling`` the same had the true distributions been known.
    """

    flagged: Estimate
    wanted: float
    threshold: float
    thresholds: Mapping[str, float]
    disputed: Estimate
    expected: float
    if_flagged: Estimate
    if_not: Estimate
    auc: Estimate
    auc_ceiling: float

    def limit(self, metric: str) -> float:
        """The threshold of ``metric``, also where it is a new one."""
        return self.thresholds.get(metric, self.threshold)


@dataclass(frozen=True, eq=False)
class Rows:
    """n rows with labels: ``predicted`` and ``counts`` (n, C), which labels are ``apart`` (C, C), and each
    row's ``metric``, ``cluster`` and ``fold`` (n,).
    """

    predicted: Floats
    counts: Floats
    apart: Flags
    metric: NDArray[np.int32]
    cluster: Positions
    fold: Positions


def disputes(scale: Scale) -> Flags:
    """Which pairs of labels are a dispute (C, C): any two that differ, on an ordered scale far enough apart.

    Far enough is more than a third of the scale: neighbours on a scale of 4 to 6 labels do not dispute, those
    on one of 3 do. Values are used where the labels have them.

    >>> disputes(Scale("ordinal", ("1", "2", "3", "4"), ordered=True)).astype(int).tolist()
    [[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 0], [1, 1, 0, 0]]
    """
    c = len(scale.labels)
    if not scale.ordered:
        return ~np.eye(c, dtype=np.bool_)
    place = np.arange(c) if scale.values is None else np.asarray(scale.values, dtype=np.float64)
    distance = np.abs(place[:, None] - place[None, :])
    apart: Flags = distance > distance.max() * APART + 1e-9
    return apart


def dispute_chance(shares: Floats, apart: Flags, votes: Floats | float) -> Floats:
    """Chance (n,) that two people dispute a row, A / (A + 1) sum over disputing c, d of m_c m_d.

    ``shares`` m (n, C) are the mean and ``votes`` A the size of the Dirichlet of people's shares, kappa where
    a row has no label, infinite where kappa is not known; ``apart`` is (C, C).

    >>> dispute_chance(np.array([[0.5, 0.5]]), ~np.eye(2, dtype=bool), 1.0).tolist()
    [0.25]
    """
    chance: Floats = np.einsum("nc,cd,nd->n", shares, apart.astype(np.float64), shares) / (1 + 1 / votes)
    return chance


def observed_disputes(counts: Floats, apart: Flags) -> Floats:
    """Share of pairs of labels that dispute, each row (n,): unbiased at any number of labels from two on.

    >>> observed_disputes(np.array([[2.0, 1.0], [1.0, 0.0]]), ~np.eye(2, dtype=bool)).round(3).tolist()
    [0.667, nan]
    """
    k = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = np.einsum("nc,cd,nd->n", counts, apart.astype(np.float64), counts) / (k * (k - 1))
    observed: Floats = np.where(k > 1, pairs, np.nan)
    return observed


def rate_matched(chance: Floats, rate: float) -> float:
    """The threshold at which the share of ``chance`` (n,) that reaches it comes nearest to ``rate``.

    Infinite where flagging none is nearest.

    >>> rate_matched(np.array([0.1, 0.2, 0.3, 0.4]), 0.5), rate_matched(np.array([0.2, 0.2]), 0.1)
    (0.3, inf)
    """
    value, rows = np.unique(-chance, return_counts=True)
    share = np.concatenate([[0.0], np.cumsum(rows) / len(chance)])
    found = int(np.abs(share - rate).argmin())
    return math.inf if found == 0 else float(-value[found - 1])


def rule_in_words(scale: Scale, *, at: float | None = None, fitted: bool = True) -> str:
    """The rule in a sentence: ``at`` a threshold that was asked for, or one ``fitted`` to people.

    >>> print(rule_in_words(Scale("binary", ("no", "yes")), at=0.3))
    A row is contested where two people give different labels with a chance of 30 % or more.
    """
    apart = disputes(scale)
    neighbours = bool((~apart).sum() > len(apart))
    differ = "labels more than a third of the scale apart" if neighbours else "different labels"
    rule = f"A row is contested where two people give {differ} with a chance"
    if at is not None:
        return f"{rule} of {100 * at:.0f} % or more."
    if not fitted:
        return (
            f"{rule} of {100 * UNMEASURED:.0f} % or more: no item has two labels to say how often people do."
        )
    return (
        f"{rule} above a limit. At fitting, no row's own labels counted, as many rows of each metric lay "
        "above it as pairs of people did so."
    )


def flagging(
    rows: Rows, kappa: float, metrics: Sequence[str], *, level: float = 0.95, rng: np.random.Generator
) -> Flagging:
    """Fit the thresholds, and say how often rows are flagged and whether they are those that people dispute.

    ``metrics`` are the names behind the rows' codes. A row is flagged by the thresholds of the other folds.
    Without a row with two labels they are :data:`UNMEASURED`.
    """
    chance = dispute_chance(
        rows.predicted, rows.apart, math.inf if math.isnan(kappa) else min(kappa, LARGEST_KAPPA)
    )
    observed = observed_disputes(rows.counts, rows.apart)
    used = np.isfinite(observed)
    groups = np.unique(rows.cluster, return_inverse=True)[1]

    def over(values: Floats, part: Flags) -> Estimate:
        codes = np.unique(groups[part], return_inverse=True)[1]
        return clustered_mean(values[part], cluster=codes, level=level)

    flagged = _flagged(chance, observed, rows)
    pooled, by_metric = _thresholds(chance, observed, rows.metric)
    return Flagging(
        over(flagged.astype(np.float64), np.ones(len(chance), dtype=np.bool_)),
        _wanted(chance, observed),
        pooled,
        {metrics[code]: by_metric[code] for code in sorted(by_metric)},
        over(observed, used),
        float(chance[used].mean()) if used.any() else math.nan,
        over(observed, used & flagged),
        over(observed, used & ~flagged),
        area(chance[used], observed[used] > 0, groups[used], level),
        _ceiling(rows, kappa, rng),
    )


def _wanted(chance: Floats, observed: Floats) -> float:
    """The share of pairs of people who dispute a row, over all rows: the observed one where all have two
    labels, else raised or lowered by what is predicted for the others. NaN where none has two.
    """
    used = np.isfinite(observed)
    expected = float(chance[used].mean()) if used.any() else math.nan
    seen = float(observed[used].mean()) if used.any() else math.nan
    return min(1.0, seen * float(chance.mean()) / expected) if expected > 0 else seen


def _thresholds(
    chance: Floats, observed: Floats, metric: NDArray[np.int32]
) -> tuple[float, dict[int, float]]:
    """The threshold over all rows, and those of the metrics with 20 rows with two labels or more."""
    found = {}
    for code in np.unique(metric).tolist():
        mine = metric == code
        if np.isfinite(observed[mine]).sum() >= FEWEST_ROWS:
            found[code] = _fitted(chance[mine], observed[mine])
    return _fitted(chance, observed), found


def _fitted(chance: Floats, observed: Floats) -> float:
    wanted = _wanted(chance, observed)
    return UNMEASURED if math.isnan(wanted) else rate_matched(chance, wanted)


def _flagged(chance: Floats, observed: Floats, rows: Rows) -> Flags:
    """Which rows (n,) reach the threshold that the other folds give their metric."""
    limit = np.empty(len(chance))
    for k in np.unique(rows.fold).tolist():
        others, mine = rows.fold != k, np.flatnonzero(rows.fold == k)
        pooled, by_metric = _thresholds(chance[others], observed[others], rows.metric[others])
        limit[mine] = [by_metric.get(code, pooled) for code in rows.metric[mine].tolist()]
    flags: Flags = chance >= limit
    return flags


def area(score: Floats, positive: Flags, cluster: Positions, level: float = 0.95) -> Estimate:
    """Chance (AUC) that a ``positive`` row has a higher ``score`` (n,) than another, ties counted half.

    The interval is DeLong's with clusters (Obuchowski 1997), by each row's influence. Undefined where all
    rows are alike (``no_variation``).
    """
    n, ups = len(score), int(positive.sum())
    if ups == 0 or ups == n:
        return undefined("no_variation" if n else "no_pairable_items", n_items=n)
    every = mean_ranks(score)
    within = np.empty(n)
    within[positive], within[~positive] = mean_ranks(score[positive]), mean_ranks(score[~positive])
    placement = np.where(positive, (every - within) / (n - ups), 1 - (every - within) / ups)
    value = float(placement[positive].mean())
    influence = (placement - value) * n / np.where(positive, ups, n - ups)
    codes = np.unique(cluster, return_inverse=True)[1]
    error, n_clusters = ratio_standard_error(influence, np.ones(n), codes)
    reach = normal_quantile(level) * error
    return Estimate(
        value,
        max(value - reach, 0.0),
        min(value + reach, 1.0),
        level,
        n_items=n,
        method="DeLong over clusters",
        target=THESE_RATERS,
        no_interval="insufficient_items" if math.isnan(error) else None,
        n_clusters=n_clusters,
    )


def _ceiling(rows: Rows, kappa: float, rng: np.random.Generator) -> float:
    """Mean AUC of the true chance of a dispute for rows with one, under the model Dir(kappa q)."""
    used = rows.counts.sum(axis=1) > 1
    if math.isnan(kappa) or not used.any():
        return math.nan
    q, k, found = rows.predicted[used], rows.counts[used].sum(axis=1).astype(np.int64), []
    for _ in range(DRAWS):
        truth = posterior_draws(q, np.zeros_like(q), kappa, rng)
        labels = rng.multinomial(k, truth).astype(np.float64)
        disputed = observed_disputes(labels, rows.apart) > 0
        chance = dispute_chance(truth, rows.apart, math.inf)
        found.append(area(chance, disputed, np.arange(len(q))).value)
    return float(np.nanmean(found)) if np.isfinite(found).any() else math.nan
