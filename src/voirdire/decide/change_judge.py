"""Did the judge change? Its verdicts then and now on the same items, held against the same human labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from voirdire.align.cross_fit import CrossFitted, cross_fit
from voirdire.align.observe import features_of
from voirdire.align.resampling import cluster_sums
from voirdire.align.scores import log_score
from voirdire.decide.change_causes import resampled
from voirdire.decide.change_cells import Both, Cells, Scoring
from voirdire.decide.change_options import CompareOptions
from voirdire.errors import UserError
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate, undefined
from voirdire.study.combine import combine, judged_metrics
from voirdire.study.combined_labels import taken
from voirdire.study.items import Items
from voirdire.study.rater import Rater
from voirdire.study.study import Study

__all__ = [
    "AlignedChange",
    "Flip",
    "JudgeChange",
    "Moved",
    "aligned_changes",
    "beside",
    "flips",
    "judge_change",
]

Floats = NDArray[np.float64]
Outcome = Literal["block", "clear", "cannot tell"]


@dataclass(frozen=True)
class Moved:
    """A figure then, now, and its paired change."""

    old: Estimate
    new: Estimate
    change: Estimate


@dataclass(frozen=True)
class JudgeChange:
    """One metric on the shared items: ``flipped`` is the share of items with another verdict.

    ``agreement`` and ``kappa`` (Cohen's, of a run of the judge with a person) are on the items with human
    labels, ``mean`` of the verdicts, named ``mean_name``, on all.
    """

    metric: str
    judge: tuple[str, str]
    n_shared: int
    n_labelled: int
    flipped: Estimate
    agreement: Moved
    kappa: Moved
    mean_name: str
    mean: Moved


@dataclass(frozen=True)
class AlignedChange:
    """Both judges aligned to the same labels out of fold, on metrics of one scale.

    ``drop`` is by how many nats the mean log score became worse; ``kappa_old`` and ``kappa_new`` are how many
    human votes either counts as. ``outcome`` is block where the drop is above the tolerance and more than
    noise, or where kappa fell by half and more than noise; clear where the drop's interval is below the
    tolerance; else it cannot be told.
    """

    metrics: tuple[str, ...]
    judge: tuple[str, str]
    drop: Estimate
    kappa_old: Estimate
    kappa_new: Estimate
    outcome: Outcome
    why: str


@dataclass(frozen=True)
class Flip:
    """An item whose verdict changed, with what people said of it, as ``label (count)``."""

    item: str
    metric: str
    judge: str
    old: str
    new: str
    people: str


def judge_change(
    both: Both, cells: Cells, judge: tuple[str, str], options: CompareOptions, rng: np.random.Generator
) -> JudgeChange | None:
    """One judge on one metric, None where no item has both verdicts."""
    scoring = Scoring.of(both.old.metric(cells.metric))
    one, two = (scoring.shares(part, cells.labels) for part in (cells.judge_old, cells.judge_new))
    shared = np.isfinite(one[:, 0]) & np.isfinite(two[:, 0])
    if not shared.any():
        return None
    people = scoring.shares(cells.people, cells.labels)
    used = shared & np.isfinite(people[:, 0])
    means = [scoring.mean(part, cells.labels) for part in (cells.judge_old, cells.judge_new)]
    known = shared & np.isfinite(means[0]) & np.isfinite(means[1])
    flipped = np.where(one.argmax(axis=1) != two.argmax(axis=1), 1.0, 0.0)[shared]

    def paired(tables: Sequence[Floats], rows: NDArray[np.bool_], value: object) -> Moved:
        return _moved(tables, both.cluster[rows], value, options, rng)

    with_people = [np.hstack([(j * people).sum(axis=1, keepdims=True), j, people])[used] for j in (one, two)]
    return JudgeChange(
        cells.metric,
        judge,
        int(shared.sum()),
        int(used.sum()),
        clustered_mean(flipped, cluster=both.cluster[shared], level=options.level),
        paired(with_people, used, _agreement),
        paired(with_people, used, _kappa),
        scoring.name,
        paired([mean[known, None] for mean in means], known, _agreement),
    )


def flips(both: Both, cells: Cells, judge: tuple[str, str]) -> Iterator[Flip]:
    """Every shared item on which the judge's most frequent label changed."""
    had, has = cells.judge_old.any(axis=1), cells.judge_new.any(axis=1)
    one, two = cells.judge_old.argmax(axis=1), cells.judge_new.argmax(axis=1)
    for k in np.flatnonzero(had & has & (one != two)).tolist():
        said = [
            f"{label} ({count:g})"
            for label, count in zip(cells.labels, cells.people[k], strict=True)
            if count
        ]
        yield Flip(
            both.ids[k], cells.metric, judge[1], cells.labels[one[k]], cells.labels[two[k]], ", ".join(said)
        )


def aligned_changes(
    both: Both, judge: tuple[str, str], metrics: Sequence[str], options: CompareOptions
) -> Iterator[AlignedChange | str]:
    """Both judges aligned on the shared labelled items, one a scale; a sentence where that cannot be."""
    base = max((both.old, both.new), key=lambda study: _labelled_shared(both, study, metrics))
    try:
        study, names = beside(both, base, judge, metrics)
    except UserError as problem:
        yield f"The aligned scores are not compared: {problem}"
        return
    for group in judged_metrics(study, metrics):
        try:
            fits = _both_fitted(study, group, names, options)
        except UserError as problem:
            yield f"The aligned scores on {', '.join(group)} are not compared: {problem}"
            continue
        yield _aligned(group, judge, fits, options)


def beside(
    both: Both, base: Study, judge: tuple[str, str], metrics: Sequence[str]
) -> tuple[Study, tuple[str, str]]:
    """The shared items of ``base`` with its people and both judges' verdicts, and the two judges' names."""
    other = both.new if base is both.old else both.old
    names = (f"{judge[0]} (old)", f"{judge[1]} (new)")
    mine, theirs = (0, 1) if base is both.old else (1, 0)
    added = Rater(names[theirs], "judge")
    first = _only(base, both, judge[mine], names[mine], metrics, people=True)
    second = _only(other, both, judge[theirs], names[theirs], metrics, people=False)
    return combine(replace(first, raters=(*first.raters, added)), second), names


def _only(study: Study, both: Both, judge: str, name: str, metrics: Sequence[str], *, people: bool) -> Study:
    """One judge's ratings under another name, with people's or without, on shared items and metrics."""
    at = both.at_old if study is both.old else both.at_new
    shared = both.shared[at]
    items = np.flatnonzero(shared)
    place = np.cumsum(shared) - 1
    code = [rater.id for rater in study.raters].index(judge)
    raters = [replace(rater, id=name) if k == code else rater for k, rater in enumerate(study.raters)]
    asked = np.array([metric.name in metrics for metric in study.metrics])
    wanted = study.ratings.rater == code
    if people:
        wanted = wanted | study.is_kind("human")[study.ratings.rater]
    kept = taken(
        study.ratings, np.flatnonzero(wanted & shared[study.ratings.item] & asked[study.ratings.metric])
    )
    cluster = study.items.cluster
    slim = Items(
        tuple(study.items.ids[k] for k in items.tolist()),
        cluster=None if cluster is None or not people else cluster[items],
    )
    used, rater = np.unique(np.append(kept.rater, code), return_inverse=True)
    kept = replace(kept, item=place[kept.item].astype(np.int32), rater=rater[:-1].astype(np.int32))
    named = tuple(raters[k] for k in used.tolist())
    return replace(study, items=slim, raters=named, ratings=kept, slice_by=())


def _labelled_shared(both: Both, study: Study, metrics: Sequence[str]) -> int:
    at = both.at_old if study is both.old else both.at_new
    return sum(
        int(both.shared[at][study.ratings.item[study.rows(name, kind="human")]].sum()) for name in metrics
    )


def _both_fitted(
    study: Study, metrics: Sequence[str], names: tuple[str, str], options: CompareOptions
) -> tuple[CrossFitted, CrossFitted]:
    """Both judges on the labelled rows that both were asked about, dealt to the same parts."""
    seen = [features_of(study, judges=[name], metrics=metrics) for name in names]
    n = len(study.items)
    keys = [one.metric * n + one.item for one in seen]
    used = [key[one.asked & one.target.labelled] for key, one in zip(keys, seen, strict=True)]
    shared = np.intersect1d(used[0], used[1])
    fits = []
    for key, one in zip(keys, seen, strict=True):
        rows = one.take(np.flatnonzero(np.isin(key, shared)))
        fits.append(cross_fit(rows, select=options.select, rng=np.random.default_rng(options.seed)))
    return fits[0], fits[1]


def _aligned(
    metrics: Sequence[str],
    judge: tuple[str, str],
    fits: tuple[CrossFitted, CrossFitted],
    options: CompareOptions,
) -> AlignedChange:
    one, two = (log_score(fit.predicted, fit.observed.target.counts) for fit in fits)
    drop = clustered_mean(two - one, cluster=fits[0].observed.target.cluster, level=options.level)
    before, after = fits[0].kappa, fits[1].kappa
    outcome, why = _outcome(drop, before, after, options.tolerance)
    return AlignedChange(tuple(metrics), judge, drop, before, after, outcome, why)


def _outcome(drop: Estimate, before: Estimate, after: Estimate, tolerance: float) -> tuple[Outcome, str]:
    if drop.undefined is not None or not drop.has_interval:
        same = drop.undefined is None and drop.value == 0
        return (
            ("clear", "aligned, it predicts people exactly as before")
            if same
            else ("cannot tell", "no interval")
        )
    if drop.value > tolerance and drop.low > 0:
        return "block", f"aligned, it predicts people worse by {_nats(drop)}, and {tolerance:g} is allowed"
    halved = after.value <= before.value / 2 and after.high < before.low
    if before.undefined is None and after.undefined is None and halved:
        return "block", f"it counts as {after.value:.1f} human votes and counted as {before.value:.1f}"
    if drop.high <= tolerance:
        return (
            "clear",
            f"aligned, it predicts people as well within {tolerance:g} nats: worse by {_nats(drop)}",
        )
    return (
        "cannot tell",
        f"aligned, it predicts people worse by {_nats(drop)}, and {tolerance:g} is allowed",
    )


def _nats(drop: Estimate) -> str:
    low, high, value = (f"{number:.3f}".replace("-", "−") for number in (drop.low, drop.high, drop.value))
    return f"{value} nats [{low}, {high}]"


def _moved(
    tables: Sequence[Floats],
    cluster: NDArray[np.intp],
    value: object,
    options: CompareOptions,
    rng: np.random.Generator,
) -> Moved:
    """A figure of means of rows (n, s), then, now and paired: the same clusters drawn for both."""
    assert callable(value), "a figure is a function of means"
    n = len(cluster)
    if not n:
        none = undefined("no_labels")
        return Moved(none, none, none)
    columns = np.hstack([*tables, np.ones((n, 1))])
    sums = np.vstack([columns.sum(axis=0), cluster_sums(columns, cluster, options.resamples, rng)])
    width, clusters = tables[0].shape[1], len(np.unique(cluster))
    old, new = (value(sums[:, k * width : (k + 1) * width] / sums[:, -1:]) for k in (0, 1))

    def estimate(series: Floats) -> Estimate:
        if math.isnan(float(series[0])):
            return undefined("no_variation", n_items=n)
        return resampled(float(series[0]), series[1:], level=options.level, n=n, clusters=clusters)

    return Moved(estimate(old), estimate(new), estimate(new - old))


def _agreement(mean: Floats) -> Floats:
    return mean[:, 0]


def _kappa(mean: Floats) -> Floats:
    """(p_o - p_e) / (1 - p_e) from agreement and both sides' label shares (B, 1 + 2K)."""
    k = (mean.shape[1] - 1) // 2
    p_o, p_e = mean[:, 0], (mean[:, 1 : 1 + k] * mean[:, 1 + k :]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa: Floats = np.where(p_e < 1 - 1e-12, (p_o - p_e) / (1 - p_e), np.nan)
    return kappa
