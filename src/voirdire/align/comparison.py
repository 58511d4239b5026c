"""Holistic against decomposed verdicts at equal labels: which predict people better, at several sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.comparison_interval import over_draws
from voirdire.align.decomposed import VIEWS, holistic_judges
from voirdire.align.encoding import Encoding
from voirdire.align.features import Features, Target
from voirdire.align.folds import grouped_folds
from voirdire.align.held_out import Protocol, enough
from voirdire.align.observe import features_of
from voirdire.align.options import AlignOptions
from voirdire.align.plain import plain
from voirdire.align.scores import log_score
from voirdire.align.selection import fit
from voirdire.align.verdict import NEGLIGIBLE, labels_to_tell
from voirdire.errors import UserError
from voirdire.stats.estimate import REASONS, Estimate
from voirdire.study.parts import parts_of
from voirdire.study.study import Study

__all__ = ["Comparison", "ComparisonPoint", "compare_views", "compared", "nested_parts"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
PARTS = (1 / 4, 1 / 2, 1.0)
FEWEST_PART = 10
BASE_RATES = "metric_prior"
HOLISTIC, DECOMPOSED, BOTH = VIEWS


@dataclass(frozen=True)
class ComparisonPoint:
    """Fits on ``n_labels`` labels of ``n_rows`` rows, the same for every view, scored on held-out clusters.

    ``losses`` are mean log scores in nats by view, ``base_rates`` that of the labels' shares alone;
    ``decomposed`` and ``both`` are the gains of these views over the holistic one, paired by row.
    """

    n_rows: float
    n_labels: float
    base_rates: Estimate
    losses: Mapping[str, Estimate]
    decomposed: Estimate
    both: Estimate


@dataclass(frozen=True)
class Comparison:
    """The views of ``metric`` at equal labels; ``aspects`` are the metrics that the decomposed one reads.

    ``judges`` gave the holistic verdicts.

    Gains are in nats a row, above 0 where people are predicted better than from the holistic verdict.
    Intervals are over clusters and training draws (new items and training labels, these raters). ``points``
    go from few labels to the most.
    """

    metric: str
    aspects: tuple[str, ...]
    n_rows: int
    n_clusters: int
    n_labels: int
    points: tuple[ComparisonPoint, ...]
    judges: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Which view predicts people better and by how much, or how many more labels would tell."""
        last = self.points[-1]
        return f"{_between(last, self.n_labels)} {_beyond(last.both, self.n_labels)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: NaN is null."""
        saved: dict[str, Any] = {**plain(self), "sentence": self.sentence}
        return saved

    def __str__(self) -> str:
        heads = ("labels", "base rates", *VIEWS, "decomposed gains", "both gain")
        rows = [heads, *(_cells(point) for point in self.points)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        ]
        title = (
            f"'{self.metric}' from verdicts on it (holistic), on {self._others} (decomposed), or both; "
            "nats a row:"
        )
        return "\n".join([title, *table, self.sentence])

    @property
    def _others(self) -> str:
        if parts := len(parts_of(self.metric, self.aspects)):
            return f"{parts} parts of it" if parts > 1 else "a part of it"
        return f"{len(self.aspects)} other metrics" if len(self.aspects) > 1 else "another"


def compare_views(
    study: Study,
    metrics: Sequence[str],
    options: AlignOptions | None = None,
    *,
    run: Callable[..., Iterable[Any]] = map,
    rng: np.random.Generator,
) -> Comparison:
    """Compare what the judges' verdicts on the only metric and on the others tell of people's labels on it.

    Where judges gave verdicts on parts of the metric (``metric/part``), these stand for the others; a judge
    whose verdict is put together from such parts is holistic only where there is no other. Only items count
    on which people labelled the metric and a judge was asked about it and about a part or another.
    """
    chosen = options or AlignOptions()
    if len(metrics) != 1:
        raise UserError(
            f"{len(metrics)} metrics to compare views of", expected="one", fix="name it with --metric"
        )
    named = Encoding.of(study, judges=chosen.judges or None, metrics=metrics).judges
    own = holistic_judges(study, named, metrics[0])
    encoding = Encoding.of(study, judges=own, metrics=metrics, columns=chosen.columns)
    seen = {
        view: features_of(
            study, metrics=metrics, encoding=encoding.viewed(study, view, judges=named)
        ).labelled
        for view in VIEWS
    }
    if not seen[HOLISTIC].asked.any():
        raise UserError(
            f"no judge has a verdict on '{metrics[0]}' itself",
            expected="verdicts on it and on other metrics",
            fix="leave out --compare-views and use --view decomposed",
        )
    items = np.intersect1d(seen[HOLISTIC].item, seen[DECOMPOSED].item)
    alike = {view: each.take(np.flatnonzero(np.isin(each.item, items))) for view, each in seen.items()}
    views = {view: each.features for view, each in alike.items()}
    aspects = alike[DECOMPOSED].encoding.read
    how = Protocol(
        select=chosen.select, folds=chosen.folds, repeats=chosen.repeats, level=chosen.level, run=run
    )
    found = compared(views, alike[HOLISTIC].target, protocol=how, rng=rng)
    return replace(found, metric=metrics[0], aspects=aspects, judges=own)


def compared(
    views: Mapping[str, Features],
    target: Target,
    *,
    protocol: Protocol | None = None,
    rng: np.random.Generator,
) -> Comparison:
    """Compare ``views``, the holistic, decomposed and both of the same n rows, on the labels of ``target``.

    Clusters are dealt to outer folds; within each the rest are taken in nested random parts, and every view
    is fitted on exactly the same rows with the same inner folds. Losses are averaged over the repeats.
    """
    how = protocol or Protocol(repeats=2)
    if any(len(features) != len(target) for features in views.values()):
        raise UserError("the views have different rows", expected=f"{len(target)} rows each")
    enough(target)
    every = [grouped_folds(target.cluster, folds=how.folds, rng=rng) for _ in range(how.repeats)]
    jobs = [
        _Job(views, target, train, held, how.select, own)
        for folds in every
        for (train, held), own in zip(folds, rng.spawn(folds.n_folds), strict=True)
    ]
    found = list(how.run(_one_fold, jobs))
    parts = min(len(sizes) for _, sizes in found)
    sizes = np.mean([sizes[-parts:] for _, sizes in found], axis=0)
    fold = np.stack([folds.fold for folds in every])
    losses = np.zeros((parts, len(VIEWS) + 1, *fold.shape))
    for k, (job, (loss, _)) in enumerate(zip(jobs, found, strict=True)):
        losses[:, :, k // every[0].n_folds, job.held] = loss[-parts:]
    cluster = np.unique(target.cluster, return_inverse=True)[1]
    points = tuple(
        _point(loss, size, partial(over_draws, fold=fold, cluster=cluster, level=how.level))
        for loss, size in zip(losses, sizes, strict=True)
    )
    return Comparison("", (), len(target), int(cluster.max()) + 1, int(target.counts.sum()), points)


def nested_parts(order: Positions, shares: Iterable[float], fewest: int = FEWEST_PART) -> list[Positions]:
    """The first of ``order`` (g,) cluster codes for each share, every part within the next, all distinct.

    >>> [part.tolist() for part in nested_parts(np.arange(4), (0.5, 1.0), fewest=1)]
    [[0, 1], [0, 1, 2, 3]]
    """
    sizes = sorted({min(max(round(len(order) * share), fewest), len(order)) for share in shares})
    return [order[:size] for size in sizes]


@dataclass(frozen=True, eq=False)
class _Job:
    """One outer fold: the rows to ``train`` on, those ``held`` out, and what draws its nested parts."""

    views: Mapping[str, Features]
    target: Target
    train: Positions
    held: Positions
    select: str
    rng: np.random.Generator


def _one_fold(job: _Job) -> tuple[Floats, Floats]:
    """Losses of the held-out rows (parts, base rates and views, h), and each part's rows and labels."""
    counts, cluster = job.target.counts, job.target.cluster
    order, seed = job.rng.permutation(np.unique(cluster[job.train])), int(job.rng.integers(2**32))
    parts = [np.flatnonzero(np.isin(cluster, part)) for part in nested_parts(order, PARTS)]
    models = [(job.views[HOLISTIC], BASE_RATES), *((job.views[view], job.select) for view in VIEWS)]

    def loss(part: Positions, features: Features, select: str) -> Floats:
        same = np.random.default_rng(seed)
        model = fit(features.take(part), job.target.take(part), select=select, rng=same)
        return log_score(model.predict(features.take(job.held)), counts[job.held])

    losses = np.array([[loss(part, *model) for model in models] for part in parts])
    return losses, np.array([(len(part), counts[part].sum()) for part in parts], dtype=np.float64)


def _point(loss: Floats, size: Floats, mean: Callable[[Floats], Estimate]) -> ComparisonPoint:
    """``loss`` (base rates and views, R, n) after fits on ``size`` rows and labels."""
    base, holistic, decomposed, both = loss
    named = zip(VIEWS, (holistic, decomposed, both), strict=True)
    return ComparisonPoint(
        float(size[0]),
        float(size[1]),
        mean(base),
        {view: mean(values) for view, values in named},
        mean(holistic - decomposed),
        mean(holistic - both),
    )


def _between(point: ComparisonPoint, n_labels: int) -> str:
    """The decomposed view against the holistic one."""
    gain = point.decomposed
    if not gain.has_interval:
        return f"Cannot tell whether holistic or decomposed verdicts predict people better: {_why(gain)}."
    if gain.low > 0 or gain.high < 0:
        better, worse = (DECOMPOSED, HOLISTIC) if gain.value > 0 else (HOLISTIC, DECOMPOSED)
        words = _nats(gain if gain.value > 0 else _turned(gain))
        return (
            f"Fitted on {point.n_labels:.0f} labels, {better} verdicts predict people better than {worse} "
            f"ones, by {words}."
        )
    if max(-gain.low, gain.high) < NEGLIGIBLE:
        return f"Holistic and decomposed verdicts predict people alike, within {NEGLIGIBLE} nats a row."
    return (
        "Cannot tell whether holistic or decomposed verdicts predict people better (decomposed gain "
        f"{_nats(gain)}); about {labels_to_tell(gain, n_labels):,} more labels would tell."
    )


def _beyond(gain: Estimate, n_labels: int) -> str:
    """Both views together against the holistic one."""
    if not gain.has_interval:
        return f"What both together add is not known: {_why(gain)}."
    if gain.low > 0:
        return f"Both together gain {_nats(gain)} over the holistic alone."
    if gain.high < 0:
        return f"Both together predict people worse than the holistic alone, by {_nats(_turned(gain))}."
    if gain.high < NEGLIGIBLE:
        return f"Both together gain less than {NEGLIGIBLE} nats a row over the holistic alone."
    return (
        f"Both together are not shown to gain over the holistic alone ({_nats(gain)}); about "
        f"{labels_to_tell(gain, n_labels):,} more labels would tell."
    )


def _turned(gain: Estimate) -> Estimate:
    return replace(gain, value=-gain.value, low=-gain.high, high=-gain.low)


def _why(gain: Estimate) -> str:
    return REASONS[gain.undefined or gain.no_interval or "insufficient_items"]


def _nats(gain: Estimate) -> str:
    value, low, high = (f"{number:.3f}".replace("-", "−") for number in (gain.value, gain.low, gain.high))
    return f"{value} [{low}, {high}] nats a row"


def _cells(point: ComparisonPoint) -> tuple[str, ...]:
    losses = (f"{each.value:.3f}" for each in (point.base_rates, *point.losses.values()))
    gains = (_nats(each).removesuffix(" nats a row") for each in (point.decomposed, point.both))
    return (f"{point.n_labels:.0f}", *losses, *gains)
