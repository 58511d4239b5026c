"""How to spread labels: at an equal number of labels, one on more items against several on fewer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.align.comparison_interval import over_draws
from voirdire.align.features import Features, Target
from voirdire.align.folds import Folds, grouped_folds
from voirdire.align.pool import Pool
from voirdire.align.scores import log_score
from voirdire.align.selection import fit
from voirdire.align.verdict import NEGLIGIBLE
from voirdire.stats.estimate import Estimate

__all__ = ["Spread", "SpreadPoint", "spread_of_labels", "thinned"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
MOST = 3
"""More raters an item than this are not tried: with 5 or 10 what is lost is only larger."""
FEWEST_CLUSTERS = 60
FOLDS = 3
NEXT = 100


@dataclass(frozen=True)
class SpreadPoint:
    """A fit on ``raters`` labels of each of ``n_items`` rows (item and metric), scored on held-out rows.

    ``gain`` is the loss of one label an item at the same number of labels minus this one's, in nats a row;
    None where this is that one.
    """

    n_items: int
    raters: int
    loss: Estimate
    gain: Estimate | None

    @property
    def n_labels(self) -> int:
        """Labels in all."""
        return self.n_items * self.raters


@dataclass(frozen=True)
class Spread:
    """Losses by items and raters an item, on the ``n_rows`` rows of ``n_clusters`` that have enough labels.

    No points where fewer than 60 clusters have rows with two labels; ``n_clusters`` is then their number.
    Intervals are over clusters and training draws (new items and training labels, these raters).
    """

    points: tuple[SpreadPoint, ...]
    n_rows: int
    n_clusters: int

    @property
    def sentence(self) -> str:
        """Where the next 100 labels should go."""
        if not self.points:
            return (
                f"Whether to label new items or the same ones again is not measurable: {self.n_clusters} "
                f"items (clusters) have two labels, {FEWEST_CLUSTERS} are needed. Give {NEXT} new items one "
                f"label, and {FEWEST_CLUSTERS - self.n_clusters} of them, drawn at random, a second one."
            )
        most = max(point.n_labels for point in self.points)
        rivals = [point for point in self.points if point.n_labels == most and point.gain is not None]
        best = max(rivals, key=lambda point: _gain(point).value)
        return f"{_advice(best, rivals)} (at {most} labels, {_against(best)})."

    def __str__(self) -> str:
        if not self.points:
            return self.sentence
        heads = ("labels", "items", "raters an item", "loss (nats)", "against one rater")
        rows = [heads, *(_cells(point) for point in self.points)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([*table, self.sentence])


def spread_of_labels(
    features: Features,
    target: Target,
    *,
    select: str = "pool",
    repeats: int = 2,
    level: float = 0.95,
    rng: np.random.Generator,
) -> Spread:
    """Fit on one label of m items, two of m / 2, three of m / 3; score all on the same held-out clusters.

    Only rows with so many labels count, in training and in the test, so that all are of one kind; m is about
    two thirds of them, and half of that. Nested: the m / 2 items are among the m, and a row's second label
    comes to its first. Labels of a row are drawn without replacement.
    """
    deep = _deep(target)
    rows = np.flatnonzero(target.labels_per_row >= deep)
    clusters = len(np.unique(target.cluster[rows]))
    if clusters < FEWEST_CLUSTERS:
        return Spread((), len(rows), clusters)
    features, target = features.take(rows), target.take(rows)
    every = [grouped_folds(target.cluster, folds=FOLDS, rng=rng) for _ in range(repeats)]
    plans = _plans(every, deep)
    losses = np.zeros((len(plans), repeats, len(rows)))
    for repeat, folds in enumerate(every):
        for train, held in folds:
            order, own = _by_cluster(train, target.cluster, rng), int(rng.integers(2**32))
            models = _models(features, target, order, plans, select, own)
            for k, model in enumerate(models):
                predicted = model.predict(features.take(held))
                losses[k, repeat, held] = log_score(predicted, target.counts[held])
    fold = np.stack([folds.fold for folds in every])
    points = _points(plans, losses, fold, target.cluster, level)
    return Spread(tuple(points), len(rows), clusters)


def thinned(target: Target, raters: int, *, rng: np.random.Generator) -> Target:
    """``raters`` labels of each row at random, all where there are fewer; nested for one state of ``rng``.

    >>> few = thinned(Target.of([[3, 1], [0, 1]]), 2, rng=np.random.default_rng(1))
    >>> few.labels_per_row.tolist()
    [2.0, 1.0]
    """
    n, c = target.counts.shape
    row, label = target.row, target.label
    if not len(row):
        cell = np.repeat(np.arange(n * c), target.counts.astype(np.intp).ravel())
        row, label = cell // c, cell % c
    order = np.lexsort((rng.random(len(row)), row))
    first = np.searchsorted(row[order], row[order], side="left")
    kept = np.sort(order[np.arange(len(order)) - first < raters])
    counts = np.bincount(row[kept] * c + label[kept], minlength=n * c).reshape(n, c).astype(np.float64)
    if not len(target.row):
        return replace(target, counts=counts)
    return replace(target, counts=counts, row=row[kept], rater=target.rater[kept], label=label[kept])


def _deep(target: Target) -> int:
    """The most labels an item, 2 or 3, that enough clusters have; 2 where none has."""
    for raters in range(MOST, 2, -1):
        if len(np.unique(target.cluster[target.labels_per_row >= raters])) >= FEWEST_CLUSTERS:
            return raters
    return 2


def _plans(every: Sequence[Folds], deep: int) -> list[tuple[int, int]]:
    """Items and raters an item, at two numbers of labels that divide by every number of raters."""
    known = min(len(train) for folds in every for train, _ in folds)
    step = math.lcm(*range(1, deep + 1))
    half = known // (2 * step) * step
    return [(labels // raters, raters) for labels in (half, 2 * half) for raters in range(1, deep + 1)]


def _models(
    features: Features,
    target: Target,
    order: Positions,
    plans: Sequence[tuple[int, int]],
    select: str,
    seed: int,
) -> Iterator[Pool]:
    """A fit for each plan on the first rows of ``order``, with the same labels first and the same folds."""
    for n_items, raters in plans:
        part = order[:n_items]
        known = thinned(target, raters, rng=np.random.default_rng(seed)).take(part)
        yield fit(features.take(part), known, select=select, rng=np.random.default_rng(seed))


def _by_cluster(rows: Positions, cluster: Positions, rng: np.random.Generator) -> Positions:
    """The rows with whole clusters in random order."""
    place = rng.permutation(int(cluster.max()) + 1)
    return rows[np.argsort(place[cluster[rows]], kind="stable")]


def _points(
    plans: Sequence[tuple[int, int]], losses: Floats, fold: Positions, cluster: Positions, level: float
) -> Iterator[SpreadPoint]:
    codes = np.unique(cluster, return_inverse=True)[1]
    single = {items: loss for (items, raters), loss in zip(plans, losses, strict=True) if raters == 1}
    for (items, raters), loss in zip(plans, losses, strict=True):
        mean = over_draws(loss, fold, codes, level=level)
        gain = over_draws(single[items * raters] - loss, fold, codes, level=level)
        yield SpreadPoint(items, raters, mean, None if raters == 1 else gain)


def _gain(point: SpreadPoint) -> Estimate:
    assert point.gain is not None
    return point.gain


def _advice(best: SpreadPoint, rivals: Sequence[SpreadPoint]) -> str:
    """Several labels where that is shown to be better; otherwise new items, which is never far from best."""
    gain = _gain(best)
    if gain.has_interval and gain.low > 0:
        return f"Give the next {NEXT} labels to {NEXT // best.raters} new items, {best.raters} labels each"
    new = f"Give the next {NEXT} labels to {NEXT} new items, one each"
    if all(_gain(point).high < 0 for point in rivals):
        return f"{new}: several labels an item would tell less"
    if max(-gain.low, gain.high) < NEGLIGIBLE:
        return f"{new}: several labels an item tell the same within {NEGLIGIBLE} nats a row"
    return f"{new}, which is the safer choice: these labels cannot tell whether several an item are better"


def _against(point: SpreadPoint) -> str:
    gain = f"gain {_nats(_gain(point))} nats a row over one on {point.n_labels}"
    return f"{point.raters} on each of {point.n_items} items {gain}"


def _nats(gain: Estimate) -> str:
    value, low, high = (f"{number:.3f}".replace("-", "−") for number in (gain.value, gain.low, gain.high))
    return f"{value} [{low}, {high}]"


def _cells(point: SpreadPoint) -> tuple[str, ...]:
    gain = "" if point.gain is None else _nats(point.gain)
    return (
        str(point.n_labels),
        str(point.n_items),
        str(point.raters),
        f"{point.loss.value:.3f}",
        gain,
    )
