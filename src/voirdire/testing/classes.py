"""Item classes: within one, every rater's label has known chances and all labels are independent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.policy import Policy
from voirdire.study.scale import Scale
from voirdire.testing.planted import PlantedJudge, PlantedMetric, PlantedRater, PlantedSystem, confusion

__all__ = ["Classes", "classes", "scale_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of one metric's items, in the order system, difficulty, true label.

    ``weight`` (c,) is each class's share of items. ``people`` (c, raters, q) and ``judges`` (c, judges, q)
    hold label chances, ``presence`` (c, raters) the chance that a person who is asked gives a label that
    counts.
    """

    labels: tuple[str, ...]
    system: NDArray[np.intp]
    truth: NDArray[np.intp]
    weight: Floats
    people: Floats
    presence: Floats
    judges: Floats

    def under(self, policy: Policy, scale: Scale) -> Classes:
        """The same classes after ``policy`` has mapped the indeterminate label."""
        mapped, new = policy.apply(scale)
        q = len(mapped.labels)
        to = np.zeros((len(new), q))
        to[new >= 0, new[new >= 0]] = 1.0
        people, judges = self.people @ to, self.judges @ to
        kept = people.sum(axis=2)
        shares = people / np.maximum(kept, np.finfo(float).tiny)[:, :, None]
        return Classes(
            mapped.labels, self.system, self.truth, self.weight, shares, self.presence * kept, judges
        )


def classes(
    metric: PlantedMetric, systems: Sequence[PlantedSystem], judges: Sequence[PlantedJudge]
) -> Classes:
    """Every class of ``metric``'s items; items are dealt to ``systems`` in turn."""
    q, n_levels = len(metric.labels), len(metric.difficulty)
    shape = (len(systems), n_levels, q)
    system, level, truth = (index.ravel() for index in np.indices(shape))
    dealt = np.bincount(np.arange(metric.items) % len(systems), minlength=len(systems)) / metric.items
    prevalence = np.array([shifted(metric, one) for one in systems])
    share = np.array([one.share for one in metric.difficulty])
    weight = dealt[system] * share[level] * prevalence[system, truth]
    guess = np.array([one.guess for one in metric.difficulty])[level]
    unsure = np.array([one.indeterminate for one in metric.difficulty])[level]
    width = len(metric.all_labels)
    spoken = [_chances(person, metric, truth, guess, np.zeros(len(truth))) for person in metric.people]
    verdicts = [_chances(judge, metric, truth, guess, _favour(judge, systems)[system]) for judge in judges]
    people = np.zeros((len(weight), len(spoken), width))
    for position, chances in enumerate(spoken):
        people[:, position, :q] = chances * (1 - unsure)[:, None]
        people[:, position, q:] = unsure[:, None]
    given = np.zeros((len(weight), len(verdicts), width))
    for position, chances in enumerate(verdicts):
        given[:, position, :q] = chances
    presence = np.tile(1 - np.array([person.missing for person in metric.people]), (len(weight), 1))
    return Classes(metric.all_labels, system, truth, weight, people, presence, given)


def shifted(metric: PlantedMetric, system: PlantedSystem) -> Floats:
    """Each label's chance to be true for ``system``, (q,)."""
    prevalence = np.asarray(metric.prevalence, dtype=np.float64)
    first = prevalence[0] + system.shift
    if not 0 <= first <= 1 or (prevalence[0] == 1 and system.shift):
        raise UserError(f"shift {system.shift} of system '{system.name}' moves a prevalence out of 0 to 1")
    rest = prevalence[1:] * ((1 - first) / (1 - prevalence[0]) if prevalence[0] < 1 else 1.0)
    return np.concatenate([[first], rest])


def scale_of(metric: PlantedMetric) -> Scale:
    """The scale as a study would declare it: the indeterminate label admits every verdict."""
    if metric.ordered:
        return Scale("ordinal", metric.labels, ordered=True)
    admits = {metric.indeterminate: metric.labels} if metric.indeterminate else {}
    return Scale(
        "nominal" if len(metric.all_labels) > 2 else "binary", metric.all_labels, indeterminate=admits
    )


def _chances(
    rater: PlantedRater, metric: PlantedMetric, truth: NDArray[np.intp], guess: Floats, favour: Floats
) -> Floats:
    known = confusion(rater, metric)[truth]
    chances = (1 - guess)[:, None] * known + guess[:, None] / known.shape[1]
    first = np.eye(known.shape[1])[0]
    for lean in (np.full(len(truth), rater.lean), favour):
        chances = (1 - lean)[:, None] * chances + lean[:, None] * first
    leant: Floats = chances
    return leant


def _favour(judge: PlantedJudge, systems: Sequence[PlantedSystem]) -> Floats:
    own = np.array([bool(judge.family) and system.family == judge.family for system in systems])
    return np.where(own, judge.favour, 0.0)
