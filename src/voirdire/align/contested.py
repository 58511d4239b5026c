"""Which rows would people dispute? A rule fitted to how often they do, and how well it finds those rows."""

from __future__ import annotations

import math
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
DRAWS = 20


@dataclass(frozen=True)
class Flagging:
    """``flagged``: share of rows called contested, those whose chance of a dispute is ``threshold`` or more.

    ``disputed`` is the share of pairs of people who dispute a row, ``expected`` its prediction,
    ``if_flagged`` and ``if_not`` the same share among the rows flagged and the others. ``auc``: chance that
    a row that two people dispute was predicted more disputed than one that none do; ``auc_ceiling`` the same
    had the true distributions been known.
    """

    flagged: Estimate
    threshold: float
    disputed: Estimate
    expected: float
    if_flagged: Estimate
    if_not: Estimate
    auc: Estimate
    auc_ceiling: float


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

    Above every chance where flagging none is nearest.

    >>> rate_matched(np.array([0.1, 0.2, 0.3, 0.4]), 0.5), rate_matched(np.array([0.2, 0.2]), 0.1) > 0.2
    (0.3, True)
    """
    value, rows = np.unique(-chance, return_counts=True)
    share = np.concatenate([[0.0], np.cumsum(rows) / len(chance)])
    found = int(np.abs(share - rate).argmin())
    return float(np.nextafter(-value[0], np.inf) if found == 0 else -value[found - 1])


def rule_in_words(scale: Scale, threshold: float, *, fitted: bool = True) -> str:
    """The rule in a sentence; ``fitted`` where the threshold is that of people's own disputes.

    >>> print(rule_in_words(Scale("binary", ("no", "yes")), 0.3, fitted=False))
    A row is contested where two people give different labels with a chance of 30 % or more.
    """
    apart = disputes(scale)
    neighbours = bool((~apart).sum() > len(apart))
    differ = "labels more than a third of the scale apart" if neighbours else "different labels"
    rule = (
        f"A row is contested where two people give {differ} with a chance of {100 * threshold:.0f} % or more"
    )
    why = "; from there on as many labelled rows are flagged as pairs of people dispute" if fitted else ""
    return f"{rule}{why}."


def flagging(
    predicted: Floats,
    counts: Floats,
    kappa: float,
    apart: Flags,
    *,
    cluster: Positions,
    fold: Positions,
    level: float = 0.95,
    rng: np.random.Generator,
) -> Flagging:
    """Fit the threshold, and say how often rows are flagged and whether they are those that people dispute.

    ``predicted`` and ``counts`` are (n, C), ``apart`` (C, C), ``cluster`` and ``fold`` (n,). A row is flagged
    by the threshold of the other folds. Without kappa the threshold is :data:`UNMEASURED`.
    """
    chance = dispute_chance(predicted, apart, math.inf if math.isnan(kappa) else min(kappa, LARGEST_KAPPA))
    observed = observed_disputes(counts, apart)
    used = np.isfinite(observed)
    groups = np.unique(cluster, return_inverse=True)[1]

    def over(values: Floats, rows: Flags) -> Estimate:
        return clustered_mean(
            values[rows], cluster=np.unique(groups[rows], return_inverse=True)[1], level=level
        )

    flagged = _flagged(chance, observed, fold)
    some = observed[used] > 0
    return Flagging(
        over(flagged.astype(np.float64), np.ones(len(chance), dtype=np.bool_)),
        _fitted(chance, observed),
        over(observed, used),
        float(chance[used].mean()) if used.any() else math.nan,
        over(observed, used & flagged),
        over(observed, used & ~flagged),
        area(chance[used], some, groups[used], level),
        _ceiling(predicted[used], counts[used], kappa, apart, rng),
    )


def _fitted(chance: Floats, observed: Floats) -> float:
    used = np.isfinite(observed)
    return rate_matched(chance[used], float(observed[used].mean())) if used.any() else UNMEASURED


def _flagged(chance: Floats, observed: Floats, fold: Positions) -> Flags:
    """Which rows (n,) reach the threshold of the folds other than their own."""
    flags = np.zeros(len(chance), dtype=np.bool_)
    for k in np.unique(fold).tolist():
        mine = fold == k
        flags[mine] = chance[mine] >= _fitted(chance[~mine], observed[~mine])
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


def _ceiling(q: Floats, counts: Floats, kappa: float, apart: Flags, rng: np.random.Generator) -> float:
    """Mean AUC of the true chance of a dispute for rows with one, under the model Dir(kappa q)."""
    if math.isnan(kappa) or len(q) == 0:
        return math.nan
    k, found = counts.sum(axis=1).astype(np.int64), []
    for _ in range(DRAWS):
        truth = posterior_draws(q, np.zeros_like(q), kappa, rng)
        labels = rng.multinomial(k, truth).astype(np.float64)
        disputed = observed_disputes(labels, apart) > 0
        found.append(area(dispute_chance(truth, apart, math.inf), disputed, np.arange(len(q))).value)
    return float(np.nanmean(found)) if np.isfinite(found).any() else math.nan
