"""What moved a headline: its change split by cause, through the items that both studies share.

Each step changes one thing and is observed, none imputed: items that left, the judge on shared items, the
people, the scoring, items that joined. The steps add up to the change exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from voirdire.align.resampling import cluster_sums
from voirdire.decide.change_cells import Both, Cells, Scoring
from voirdire.decide.change_options import CompareOptions
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.intervals import percentile

__all__ = ["CAUSES", "Cause", "Headline", "headlines", "resampled"]

Floats = NDArray[np.float64]
CAUSES = (
    "metrics that left",
    "items that left",
    "judge",
    "people",
    "scoring",
    "judge and items together",
    "items that joined",
    "metrics that joined",
)
"""In the order in which they are applied. An item leaves or joins too where a verdict or label that counts is
in one study only. The sixth is the change of a metric that no shared item links."""


@dataclass(frozen=True)
class Cause:
    """One step: by how much it moved the headline."""

    name: str
    change: Estimate

    @property
    def more_than_noise(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.change.has_interval and not self.change.low <= 0 <= self.change.high


@dataclass(frozen=True)
class Headline:
    """A figure of both studies, the mean over its metrics: ``old``, ``new``, their ``change`` and its causes.

    ``causes`` add up to ``change``; only those that moved it are listed.
    """

    name: str
    metrics: tuple[str, ...]
    old: Estimate
    new: Estimate
    change: Estimate
    causes: tuple[Cause, ...]


Step = tuple[Floats, NDArray[np.bool_]]


def headlines(
    both: Both,
    cells: Sequence[Cells],
    judge: tuple[str, str],
    options: CompareOptions,
    rng: np.random.Generator,
) -> tuple[Headline, ...]:
    """Mean verdicts and agreement with people of one judge, each split by cause."""
    groups: dict[str, list[tuple[str, list[Step] | None, list[Step] | None]]] = {}
    for one in cells:
        scorings = _scorings(both, one.metric)
        known = [scoring for scoring in scorings if scoring is not None]
        name = known[0].name
        if name:
            groups.setdefault(name, []).append((one.metric, *_rate_steps(one, scorings)))
        groups.setdefault(AGREEMENT, []).append((one.metric, *_agreement_steps(one, scorings)))
    found = (_headline(name, parts, both, options, rng) for name, parts in groups.items())
    return tuple(one for one in found if one is not None)


AGREEMENT = "agreement with people"


def resampled(value: float, values: Floats, *, level: float, n: int, clusters: int) -> Estimate:
    """A figure with the expanded percentile interval of its resamples (B,), or why it has none.

    Percentiles of few clusters are too narrow as the normal's are beside Student's t: the tail is that of
    sqrt(G / (G - 1)) t. Source: Hesterberg 2015, section 5.
    """
    if math.isnan(value):
        return undefined("no_labels")
    if clusters < 2:
        return Estimate(value, level=level, n_items=n, n_clusters=clusters, no_interval="insufficient_items")
    reach = math.sqrt(clusters / (clusters - 1)) * float(stdtrit(clusters - 1, (1 + level) / 2))
    bounds = percentile(values, float(1 - 2 * ndtr(-reach)))
    return Estimate(
        value,
        bounds.low,
        bounds.high,
        level,
        n_items=n,
        method="expanded percentile",
        n_clusters=clusters,
        target=THESE_RATERS,
        no_interval=bounds.none,
        resamples=bounds.resamples,
        undefined_resamples=bounds.undefined,
    )


def _scorings(both: Both, name: str) -> tuple[Scoring | None, Scoring | None]:
    """How either study counts the labels of a metric, None where it does not have it."""
    declared = [
        next((metric for metric in study.metrics if metric.name == name), None)
        for study in (both.old, both.new)
    ]
    old, new = declared
    if old is not None and new is not None:
        return Scoring.both(old, new)
    return (None if old is None else Scoring.of(old)), (None if new is None else Scoring.of(new))


def _rate_steps(
    one: Cells, scorings: Sequence[Scoring | None]
) -> tuple[list[Step] | None, list[Step] | None]:
    """Steps of the mean verdict: before anything (old), and after the judge, people and scoring (new)."""
    old, new = scorings
    before = None if old is None else old.mean(one.judge_old, one.labels)
    after = None if new is None else new.mean(one.judge_new, one.labels)
    middle = None if old is None else old.mean(one.judge_new, one.labels)
    return _steps(before, [middle, middle, after], after)


def _agreement_steps(
    one: Cells, scorings: Sequence[Scoring | None]
) -> tuple[list[Step] | None, list[Step] | None]:
    old, new = scorings
    before = None if old is None else old.agreement(one.judge_old, one.people_old, one.labels)
    after = None if new is None else new.agreement(one.judge_new, one.people_now, one.labels)
    judge = None if old is None else old.agreement(one.judge_new, one.people_old, one.labels)
    people = None if old is None else old.agreement(one.judge_new, one.people_now, one.labels)
    return _steps(before, [judge, people, after], after)


def _steps(
    before: Floats | None, middle: Sequence[Floats | None], after: Floats | None
) -> tuple[list[Step] | None, list[Step] | None]:
    """Values and cells of every state, old ones (old items, shared ones, ...) and new ones alone."""
    if before is None or after is None or any(part is None for part in middle):
        first = None if before is None else [(before, np.isfinite(before))]
        last = None if after is None else [(after, np.isfinite(after))]
        return first, last
    parts = [part for part in middle if part is not None]
    shared = np.isfinite(before) & np.isfinite(after)
    for part in parts:
        shared &= np.isfinite(part)
    states: list[Step] = [
        (before, np.isfinite(before)),
        (before, shared),
        *((part, shared) for part in parts),
    ]
    return states, [(after, np.isfinite(after))]


def _headline(
    name: str,
    parts: Sequence[tuple[str, list[Step] | None, list[Step] | None]],
    both: Both,
    options: CompareOptions,
    rng: np.random.Generator,
) -> Headline | None:
    """The figure at each state, over metrics, and the same for every resample."""
    states = [step for _, first, last in parts for step in (*(first or ()), *(last or ()))]
    columns = np.stack(
        [column for value, used in states for column in (np.where(used, value, 0.0), used.astype(float))],
        axis=1,
    )
    drawn = cluster_sums(columns, both.cluster, options.resamples, rng)
    sums = np.vstack([columns.sum(axis=0), drawn])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(sums[:, 1::2] > 0, sums[:, ::2] / sums[:, 1::2], np.nan)
    path = _path(parts, means)
    if path is None:
        return None
    values = np.diff(path, axis=1)
    n_old, n_new = (int(both.in_old.sum()), int(both.in_new.sum()))
    linked = both.shared if both.shared.any() else both.in_old | both.in_new
    clusters = len(np.unique(both.cluster[linked]))

    def estimate(series: Floats, n: int) -> Estimate:
        return resampled(float(series[0]), series[1:], level=options.level, n=n, clusters=clusters)

    causes = tuple(
        Cause(cause, estimate(values[:, k], len(both)))
        for k, cause in enumerate(CAUSES)
        if np.abs(values[:, k]).max(initial=0, where=np.isfinite(values[:, k])) > 1e-12
    )
    return Headline(
        name,
        tuple(metric for metric, _, _ in parts),
        estimate(path[:, 0], n_old),
        estimate(path[:, -1], n_new),
        estimate(path[:, -1] - path[:, 0], len(both)),
        causes,
    )


def _path(parts: Sequence[tuple[str, list[Step] | None, list[Step] | None]], means: Floats) -> Floats | None:
    """The headline (1 + B, 9) before the first cause and after each; None where a study has none of it."""
    olds, news, shared, at = [], [], [], 0
    for _, first, last in parts:
        own = means[:, at : at + len(first or ())]
        at += len(first or ())
        end = means[:, at] if last else None
        at += bool(last)
        has_old, has_new = (
            own.shape[1] > 0 and not np.isnan(own[0, 0]),
            end is not None and not np.isnan(end[0]),
        )
        if has_old:
            olds.append(own[:, 0])
        if has_new and end is not None:
            news.append(end)
        if has_old and has_new and end is not None:
            shared.append(_metric_path(own, end))
    if not olds or not news:
        return None
    start, finish = np.mean(olds, axis=0), np.mean(news, axis=0)
    if not shared:
        return np.stack([start, *[start] * 7, finish], axis=1)
    middle = np.mean(shared, axis=0)
    return np.concatenate([start[:, None], middle, finish[:, None]], axis=1)


def _metric_path(own: Floats, end: Floats) -> Floats:
    """One metric's figure (1 + B, 7) from all old items to all new ones."""
    linked = own.shape[1] == 5 and not np.isnan(own[0, 1])
    if not linked:
        return np.stack([*[own[:, 0]] * 5, end, end], axis=1)
    return np.concatenate([own, own[:, 4:5], end[:, None]], axis=1)
