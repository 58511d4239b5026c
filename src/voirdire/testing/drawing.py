"""Draw ratings from planted parameters, a metric at a time and without a loop over items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.testing.classes import Classes, shifted
from voirdire.testing.planted import PlantedJudge, PlantedMetric, PlantedSystem

__all__ = ["Drawn", "DrawnItems", "draw_items", "draw_judge", "draw_people"]

NO_LABEL = -1


@dataclass(frozen=True, eq=False)
class DrawnItems:
    """One metric's items, all arrays (n,): the true label, the difficulty and what a study shows."""

    system: NDArray[np.int32]
    cluster: NDArray[np.int32]
    level: NDArray[np.int32]
    truth: NDArray[np.int32]
    single_rated: NDArray[np.bool_]

    def class_of(self, metric: PlantedMetric) -> NDArray[np.intp]:
        """Position of each item's class in the metric's :class:`Classes`, (n,)."""
        q = len(metric.labels)
        index: NDArray[np.intp] = (
            self.system.astype(np.intp) * len(metric.difficulty) + self.level
        ) * q + self.truth
        return index


@dataclass(frozen=True, eq=False)
class Drawn:
    """Ratings of one metric as codes, all arrays (n,); label −1 is a reply without a label."""

    item: NDArray[np.int32]
    rater: NDArray[np.int32]
    run: NDArray[np.int32]
    label: NDArray[np.int32]


def draw_items(
    metric: PlantedMetric, systems: Sequence[PlantedSystem], rng: np.random.Generator
) -> DrawnItems:
    """Items dealt to systems in turn, with truth and difficulty of their own or their cluster's."""
    n = metric.items
    cluster = np.arange(n, dtype=np.int32) // metric.cluster_size
    own, shared = rng.random((n, 2)), rng.random((int(cluster[-1]) + 1, 2))
    pulled = rng.random(n) < metric.cluster_pull
    draw = np.where(pulled[:, None], shared[cluster], own)
    system = np.arange(n, dtype=np.int32) % len(systems)
    bounds = np.array([np.cumsum(shifted(metric, one)) for one in systems])
    level_bounds = np.cumsum([level.share for level in metric.difficulty])
    single = np.zeros(n, dtype=bool)
    single[rng.permutation(n)[: round(n * metric.single_rated)]] = True
    return DrawnItems(
        system, cluster, _pick(level_bounds[None, :], draw[:, 1]), _pick(bounds[system], draw[:, 0]), single
    )


def draw_people(
    metric: PlantedMetric, items: DrawnItems, classes: Classes, rng: np.random.Generator
) -> Drawn:
    """Every person's label on every item they were asked about and did not skip."""
    of, n, n_people = items.class_of(metric), metric.items, len(metric.people)
    asked = np.ones((n, n_people), dtype=bool)
    if n_people:
        asked[items.single_rated] = rng.integers(n_people, size=(items.single_rated.sum(), 1)) == np.arange(
            n_people
        )
    item, rater = (index.astype(np.int32) for index in np.nonzero(asked))
    here = rng.random(len(item)) < classes.presence[of[item], rater]
    item, rater = item[here], rater[here]
    bounds = np.cumsum(classes.people, axis=2)
    label = np.empty(len(item), dtype=np.int32)
    for person in range(n_people):
        rows = rater == person
        label[rows] = _pick(bounds[of[item[rows]], person], rng.random(rows.sum()))
    return Drawn(item, rater, np.zeros_like(item), label)


def draw_judge(
    metric: PlantedMetric,
    items: DrawnItems,
    chances: NDArray[np.float64],
    judge: PlantedJudge,
    rng: np.random.Generator,
) -> Drawn:
    """A judge's verdict on every item in every run; ``chances`` (c, q) are its labels' in each class."""
    n, runs = metric.items, metric.runs
    bounds = np.cumsum(chances, axis=1)[items.class_of(metric)]
    verdict = _pick(bounds, rng.random(n))
    label = np.empty((n, runs), dtype=np.int32)
    for run in range(runs):
        anew = rng.random(n) < judge.noise
        label[:, run] = np.where(anew, _pick(bounds, rng.random(n)), verdict)
    label[rng.random((n, runs)) < judge.unparsed] = NO_LABEL
    item, repeat = (index.astype(np.int32).ravel() for index in np.indices((n, runs)))
    return Drawn(item, np.zeros_like(item), repeat, label.ravel())


def _pick(bounds: NDArray[np.float64], draw: NDArray[np.float64]) -> NDArray[np.int32]:
    """The category whose cumulative chance, ``bounds`` (n or 1, q), first exceeds ``draw`` (n,)."""
    picked = np.zeros(len(draw), dtype=np.int32)
    for category in range(bounds.shape[1] - 1):
        picked += draw >= bounds[:, category]
    return picked
