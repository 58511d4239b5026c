"""What a label plan should buy: each purpose's figure now, after the plan, and the gain with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.scores import log_score
from voirdire.decide.plan_fitting import (
    Slope,
    effective_labels,
    predicted_gain,
    slope_by_curve,
    slope_by_optimism,
    slope_by_rule,
    weighed,
)
from voirdire.decide.plan_frame import Frame
from voirdire.decide.plan_learned import Learned
from voirdire.decide.plan_options import DECISIONS, FITTING, FLOORS, MEANS, PlanOptions
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.power_kappa import largest_kappa_sd
from voirdire.stats.transforms import normal_quantile
from voirdire.study.study import Study

__all__ = ["Bought", "Change", "of_decisions", "of_fitting", "of_floors", "of_means"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
UNKNOWN_KAPPA = 0.5
"""Assumed agreement of people where no row has two labels."""
MOST_KAPPA = 0.95
FEWEST_ROWS = 30


@dataclass(frozen=True)
class Bought:
    """One figure that labels improve: ``what``, on which ``metrics``, ``now``, ``after``, and the ``gain``.

    ``now`` is NaN where nothing is known yet. ``votes`` is the gain in units of what one more person's label
    tells, NaN where that is another unit or not measurable.
    """

    purpose: str
    metrics: tuple[str, ...]
    what: str
    now: float
    after: float
    gain: Estimate
    votes: float = math.nan


@dataclass(frozen=True, eq=False)
class Change:
    """People who labelled each row (n,) and its chance of being labelled (n,), now and after the plan."""

    people: tuple[Counts, Counts]
    chance: tuple[Floats, Floats]


def of_fitting(learned: Learned, change: Change, options: PlanOptions, *, rng: np.random.Generator) -> Bought:
    """The map's loss above that of the best map of its kind, nats a row."""
    n, after = (effective_labels(each[learned.rows].astype(np.float64)) for each in change.people)
    slope = _slope(learned, options, rng)
    gain = predicted_gain(slope, n, after - n, level=options.level, rng=rng)
    worth = learned.worth
    votes = gain.value / worth if worth > 0 else math.nan
    what = "loss above the best map of its kind (nats a row)"
    return Bought(FITTING, learned.metrics, what, slope.value / n, slope.value / after, gain, votes)


def _slope(learned: Learned, options: PlanOptions, rng: np.random.Generator) -> Slope:
    fitted, observed = learned.fitted, learned.fitted.observed
    rows = fitted.calibration
    features, target = observed.features.take(rows), observed.target.take(rows)
    own = log_score(fitted.model.predict(features), target.counts)
    held_out = log_score(fitted.predicted[rows], target.counts)
    n = effective_labels(target.labels_per_row)
    slope = slope_by_optimism(held_out, own, n, cluster=target.cluster)
    if not options.curve:
        return slope
    return weighed(slope, slope_by_curve(features, target, select=learned.select, rng=rng))


def before_fitting(study: Study, metrics: Sequence[str], n_new: float) -> Bought:
    """What is expected of a first map, by the rule d / (2 n): nothing is known of the loss without one."""
    c = max(len(study.metric(name).scale.labels) for name in metrics)
    after = slope_by_rule(c, len(metrics)).value / n_new if n_new > 0 else math.nan
    what = "loss above the best map of its kind (nats a row)"
    return Bought(FITTING, tuple(metrics), what, math.nan, after, undefined("no_labels"))


def of_floors(study: Study, frame: Frame, change: Change, level: float) -> Iterator[Bought]:
    """Half the width of the interval for kappa between two people, metric by metric.

    Metrics with fewer than 30 such rows after the plan are pooled with others that have the same labels.
    From the least favourable table with people's label shares and agreement; where no row has two labels
    kappa is taken to be 0.5, and without labels all labels equally likely. More than two people a row make it
    narrower than this.
    """
    for codes in _pools(study, frame, change.people[1]):
        mine = np.isin(frame.metric, codes)
        now, after = (int((each[mine] > 1).sum()) for each in change.people)
        shares, kappa = _agreement(study, codes)
        if after == now or shares.max() >= 1:
            continue
        reach = normal_quantile(level) * largest_kappa_sd(shares, kappa=kappa)
        half = reach / math.sqrt(now) if now else math.nan, reach / math.sqrt(after)
        names = tuple(study.metrics[code].name for code in codes)
        what = f"half-width of kappa between people, on {after:,} rows (now {now:,})"
        yield Bought(FLOORS, names, what, *half, _difference(*half, level, "Wald"))


def _pools(study: Study, frame: Frame, people: Counts) -> list[list[int]]:
    """Metrics with enough rows that two people label, each alone, and the others by their labels."""
    found: dict[object, list[int]] = {}
    for code in frame.metrics:
        rows = int(((frame.metric == code) & (people > 1)).sum())
        key = code if rows >= FEWEST_ROWS else study.metrics[code].scale.labels
        found.setdefault(key, []).append(code)
    return list(found.values())


def _agreement(study: Study, codes: Sequence[int]) -> tuple[Floats, float]:
    """People's label shares (C,) on metrics with the same labels, and kappa from all pairs of labels."""
    c = len(study.metrics[codes[0]].scale.labels)
    counts = np.concatenate([_counts(study, code) for code in codes])
    if not counts.size:
        return np.full(c, 1 / c), UNKNOWN_KAPPA
    k = counts.sum(axis=1)
    shares = counts.sum(axis=0) / k.sum()
    pairs, chance = float((k * (k - 1)).sum()), float(shares @ shares)
    if not pairs or chance >= 1:
        return shares, UNKNOWN_KAPPA
    same = float((counts * (counts - 1)).sum()) / pairs
    return shares, min(max((same - chance) / (1 - chance), 0.0), MOST_KAPPA)


def _counts(study: Study, code: int) -> Floats:
    """People's labels of each labelled item of a metric, (n, C)."""
    metric = study.metrics[code]
    rows, c = study.rows(metric.name, kind="human"), len(metric.scale.labels)
    names, item = np.unique(study.ratings.item[rows], return_inverse=True)
    cells = np.bincount(item * c + study.ratings.label[rows], minlength=len(names) * c)
    return cells.reshape(-1, c).astype(np.float64)


def of_means(study: Study, frame: Frame, learned: Learned, change: Change, level: float) -> Iterator[Bought]:
    """Half the width of a system's corrected rate or mean, the median over systems, metric by metric.

    (1 / N^2) sum Var(residual) / chance + Var(prediction) / N, for N judged rows of a system; the first sum
    is over all rows, for each stands for those that its chance would have drawn.
    """
    z = normal_quantile(level)
    rows, spread, f = learned.rows, learned.spread, learned.of_mean
    for code in np.unique(frame.metric[rows]).tolist():
        mine = (frame.metric[rows] == code) & frame.asked[rows] & np.isfinite(spread)
        half: list[list[float]] = [[], []]
        for system in np.unique(frame.systems[rows[mine]][frame.systems[rows[mine]] >= 0]).tolist():
            cell = mine & (frame.systems[rows] == system).any(axis=1)
            n = int(cell.sum())
            for side, chance in enumerate(change.chance):
                with np.errstate(divide="ignore"):
                    variance = float((spread[cell] ** 2 / chance[rows[cell]]).sum()) / n**2
                half[side].append(z * math.sqrt(variance + float(np.var(f[cell])) / n))
        if not half[0]:
            continue
        now, after = (float(np.median(each)) for each in half)
        now = now if math.isfinite(now) else math.nan
        name, number = study.metrics[code].name, len(half[0])
        what = (
            "half-width of the mean" if number == 1 else f"half-width of a mean, median of {number:,} systems"
        )
        yield Bought(MEANS, (name,), what, now, after, _difference(now, after, level, "linearised variance"))


def of_decisions(learned: Learned, chosen: Sequence[int], level: float) -> Bought:
    """The chance that a row's decision, its likeliest label, is not what a random person says.

    ``chosen`` are the frame's rows that get one more label; the interval is over what those labels may say.
    """
    at = np.flatnonzero(np.isin(learned.rows, chosen))
    mean, votes, n = learned.mean[at], learned.votes[at, None], len(learned.rows)
    top = mean.max(axis=1, keepdims=True)
    after = np.maximum(votes * top, votes * mean + 1) / (votes + 1)
    # a label other than the likeliest that cannot overtake it leaves the likeliest its share
    rise = after - top
    expected = (mean * rise).sum(axis=1)
    reach = normal_quantile(level) * math.sqrt(float((mean * rise**2).sum() - (expected**2).sum())) / n
    now, gain = float(1 - learned.mean.max(axis=1).mean()), float(learned.gain[at].sum()) / n
    found = Estimate(
        gain, gain - reach, gain + reach, level, n_items=len(at), method="posterior", target=THESE_RATERS
    )
    return Bought(
        DECISIONS, learned.metrics, "chance that a decision is not a random person's", now, now - gain, found
    )


def _difference(now: float, after: float, level: float, method: str) -> Estimate:
    if math.isnan(now):
        return undefined("no_labels")
    return Estimate(now - after, level=level, method=method, no_interval="no_interval_method")
