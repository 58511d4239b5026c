"""Holistic against decomposed verdicts at equal labels: which predict people better, at several sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.decomposed import VIEWS
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
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import REASONS, Estimate
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

    Gains are in nats a row, above 0 where people are predicted better than from the holistic verdict.
    Intervals are over clusters (new items, these raters). ``points`` go from few labels to the most.
    """

    metric: str
    aspects: tuple[str, ...]
    n_rows: int
    n_clusters: int
    n_labels: int
    points: tuple[ComparisonPoint, ...]

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
        others = f"{len(self.aspects)} other metrics" if len(self.aspects) > 1 else "another"
        title = (
            f"'{self.metric}' from verdicts on it (holistic), on {others} (decomposed), or both; nats a row:"
        )
        return "\n".join([title, *table, self.sentence])


def compare_views(
    study: Study,
    metrics: Sequence[str],
    options: AlignOptions | None = None,
    *,
    protocol: Protocol | None = None,
    rng: np.random.Generator,
) -> Comparison:
    """Compare what the judges' verdicts on the only metric and on the others tell of people's labels on it.

    Only items count on which people labelled the metric and a judge was asked about it and about another.
    """
    chosen = options or AlignOptions()
    if len(metrics) != 1:
        raise UserError(
            f"{len(metrics)} metrics to compare views of", expected="one", fix="name it with --metric"
        )
    encoding = Encoding.of(study, judges=chosen.judges or None, metrics=metrics, columns=chosen.columns)
    seen = {
        view: features_of(study, metrics=metrics, encoding=encoding.viewed(study, view)).labelled
        for view in VIEWS
    }
    items = np.intersect1d(seen[HOLISTIC].item, seen[DECOMPOSED].item)
    alike = {view: each.take(np.flatnonzero(np.isin(each.item, items))) for view, each in seen.items()}
    views = {view: each.features for view, each in alike.items()}
    aspects = alike[DECOMPOSED].encoding.read
    found = compared(views, alike[HOLISTIC].target, protocol=protocol, rng=rng)
    return replace(found, metric=metrics[0], aspects=aspects)


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
    jobs = [job for each in rng.spawn(how.repeats) for job in _jobs(views, target, how, each)]
    losses, sizes = _table(how.run(_one_fold, jobs), len(target), how.repeats)
    cluster = np.unique(target.cluster, return_inverse=True)[1]
    points = tuple(_point(loss, size, cluster, how.level) for loss, size in zip(losses, sizes, strict=True))
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
    """One outer fold: the rows ``held`` out, nested ``parts`` of the others, and the seed of every fit."""

    views: Mapping[str, Features]
    target: Target
    held: Positions
    parts: Sequence[Positions]
    select: str
    seed: int


def _jobs(
    views: Mapping[str, Features], target: Target, how: Protocol, rng: np.random.Generator
) -> Iterable[_Job]:
    for train, held in grouped_folds(target.cluster, folds=how.folds, rng=rng):
        order = rng.permutation(np.unique(target.cluster[train]))
        rows = [np.flatnonzero(np.isin(target.cluster, part)) for part in nested_parts(order, PARTS)]
        yield _Job(views, target, held, rows, how.select, int(rng.integers(2**32)))


def _one_fold(job: _Job) -> tuple[Positions, Floats, Floats]:
    """Held-out rows (h,), their losses (parts, base rates and views, h), and each part's rows and labels."""
    counts, losses = job.target.counts[job.held], []
    for part in job.parts:
        every = [(job.views[HOLISTIC], BASE_RATES), *((job.views[view], job.select) for view in VIEWS)]
        models = (
            fit(
                features.take(part),
                job.target.take(part),
                select=select,
                rng=np.random.default_rng(job.seed),
            ).predict(features.take(job.held))
            for features, select in every
        )
        losses.append([log_score(predicted, counts) for predicted in models])
    sizes = [(len(part), job.target.counts[part].sum()) for part in job.parts]
    return job.held, np.array(losses), np.array(sizes, dtype=np.float64)


def _table(found: Iterable[tuple[Positions, Floats, Floats]], n: int, repeats: int) -> tuple[Floats, Floats]:
    """Mean losses over repeats (parts, views, n) and mean sizes (parts, 2), of the parts all folds have."""
    folds = list(found)
    parts = min(len(sizes) for _, _, sizes in folds)
    total = np.zeros((parts, len(VIEWS) + 1, n))
    for held, losses, _ in folds:
        total[:, :, held] += losses[-parts:]
    return total / repeats, np.mean([sizes[-parts:] for _, _, sizes in folds], axis=0)


def _point(loss: Floats, size: Floats, cluster: Positions, level: float) -> ComparisonPoint:
    base, holistic, decomposed, both = loss

    def mean(values: Floats) -> Estimate:
        return clustered_mean(values, cluster=cluster, level=level)

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
