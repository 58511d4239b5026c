"""Join the drawn blocks of a study, and code each column over the whole of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.testing.drawing import Drawn, DrawnItems
from voirdire.testing.planted import PlantedJudge, PlantedMetric, PlantedRater, PlantedSystem

__all__ = ["Rows"]

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Rows:
    """Ratings collected block by block; ``blocks`` hold codes over the whole study."""

    metrics: tuple[PlantedMetric, ...]
    raters: tuple[str, ...]
    n_people: int
    labels: tuple[str, ...]
    blocks: list[Drawn] = field(default_factory=list)

    @classmethod
    def of(cls, metrics: Sequence[PlantedMetric], judges: Sequence[PlantedJudge]) -> Rows:
        """An empty collection that knows every rater and label; an id used twice is a user's error."""
        people = tuple(dict.fromkeys(person.id for metric in metrics for person in metric.people))
        raters = (*people, *(judge.id for judge in judges))
        if len(set(raters)) != len(raters):
            raise UserError("two planted raters have the same id", expected="one id a rater")
        labels = tuple(dict.fromkeys(label for metric in metrics for label in metric.all_labels))
        return cls(tuple(metrics), raters, len(people), labels)

    def add(self, metric: PlantedMetric, raters: Sequence[PlantedRater], drawn: Drawn) -> None:
        """Add one block of ``metric``, whose rater codes point into ``raters``."""
        first = sum(earlier.items for earlier in self.metrics[: self.metrics.index(metric)])
        rater = np.array([self.raters.index(one.id) for one in raters], dtype=np.int32)
        label = np.array([*(self.labels.index(name) for name in metric.all_labels), -1], dtype=np.int32)
        given = rater[drawn.rater] if len(rater) else drawn.rater
        self.blocks.append(Drawn(drawn.item + np.int32(first), given, drawn.run, label[drawn.label]))

    def columns(self, items: Mapping[str, DrawnItems], systems: Sequence[PlantedSystem]) -> dict[str, Column]:
        """The study's columns, each of n ratings, in the order in which the blocks were added."""
        item = np.concatenate([block.item for block in self.blocks])
        rater = np.concatenate([block.rater for block in self.blocks])
        run = np.concatenate([block.run for block in self.blocks])
        label = np.concatenate([block.label for block in self.blocks])
        sizes = [metric.items for metric in self.metrics]
        metric = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        names = tuple(f"{one.name}-{number}" for one in self.metrics for number in range(one.items))
        columns = {
            "item_id": Column(item, names),
            "metric": Column(metric[item], tuple(one.name for one in self.metrics)),
            "rater_id": Column(rater, self.raters),
            "rater_kind": Column((rater >= self.n_people).astype(np.int32), ("human", "judge")),
            "label": Column(label, self.labels),
            "run": Column(run, tuple(map(str, range(int(run.max(initial=0)) + 1)))),
        }
        if len(systems) > 1:
            system = np.concatenate([items[one.name].system for one in self.metrics])
            columns["system"] = Column(system[item], tuple(one.name for one in systems))
        if any(one.cluster_size > 1 for one in self.metrics):
            cluster, n_clusters = self._clusters(items)
            columns["cluster"] = Column(cluster[item], tuple(f"cluster-{n}" for n in range(n_clusters)))
        return columns

    def _clusters(self, items: Mapping[str, DrawnItems]) -> tuple[Codes, int]:
        parts, first = [], 0
        for metric in self.metrics:
            own = items[metric.name].cluster
            parts.append(own + np.int32(first))
            first += int(own[-1]) + 1
        return np.concatenate(parts), first
