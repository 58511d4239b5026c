"""Studies whose truth is known: ratings drawn from planted parameters, beside the exact figures."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.policy import policies
from voirdire.testing.classes import Classes, classes, scale_of
from voirdire.testing.drawing import DrawnItems, draw_items, draw_judge, draw_people
from voirdire.testing.expectation import judge_figures, pairable, people_figures, repeat_figures
from voirdire.testing.planted import PlantedJudge, PlantedMetric, PlantedSystem
from voirdire.testing.rows import Rows

__all__ = ["KnownTruth", "known_truth", "truth_name"]


@dataclass(frozen=True, eq=False)
class KnownTruth:
    """A made study: ``columns`` (each of n ratings) as a file would hold them, and ``truth``, figure by name.

    A name is made by :func:`truth_name`. ``items`` holds, for each metric, what a study cannot show:
    the true label and the difficulty of every item.
    """

    columns: Mapping[str, Column]
    truth: Mapping[str, float]
    metrics: tuple[PlantedMetric, ...]
    judges: tuple[PlantedJudge, ...]
    systems: tuple[PlantedSystem, ...]
    items: Mapping[str, DrawnItems]

    def __len__(self) -> int:
        return len(self.columns["item_id"])

    def to_columns(self) -> dict[str, list[str | None]]:
        """The ratings as plain lists, one a column; :func:`voirdire.open` takes them as they are."""
        return {name: list(column) for name, column in self.columns.items()}


def known_truth(
    metrics: Iterable[PlantedMetric],
    *,
    judges: Sequence[PlantedJudge] = (),
    systems: Sequence[PlantedSystem] = (PlantedSystem(name="system"),),
    seed: int = 0,
) -> KnownTruth:
    """Draw a study from planted metrics, people, judges and systems; the same arguments give the same study.

    The truth is exact for items drawn anew from the same parameters and these raters. Ten million ratings
    take some ten seconds.

    >>> from voirdire.testing import PlantedJudge, PlantedMetric, known_truth, people, truth_name
    >>> quality = PlantedMetric(people=people(3, accuracy=0.9), items=100)
    >>> made = known_truth([quality], judges=[PlantedJudge(id="judge", accuracy=0.8)], seed=1)
    >>> len(made)
    400
    >>> round(made.truth[truth_name("judge_accuracy", "quality", judge="judge")], 3)
    0.746
    """
    metrics = tuple(metrics)
    named = [metric.name for metric in metrics]
    if len(set(named)) != len(named):
        raise UserError("two planted metrics have the same name", expected="one name a metric")
    rows = Rows.of(metrics, judges)
    items: dict[str, DrawnItems] = {}
    truth: dict[str, float] = {}
    for metric in metrics:
        rng = np.random.default_rng([seed, zlib.crc32(metric.name.encode())])
        chances = classes(metric, systems, judges)
        items[metric.name] = draw_items(metric, systems, rng)
        rows.add(metric, metric.people, draw_people(metric, items[metric.name], chances, rng))
        for position, judge in enumerate(judges):
            drawn = draw_judge(metric, items[metric.name], chances.judges[:, position], judge, rng)
            rows.add(metric, (judge,), drawn)
        truth |= _truth(metric, chances, judges, systems)
    columns = rows.columns(items, systems)
    return KnownTruth(columns, truth, metrics, tuple(judges), tuple(systems), items)


def truth_name(
    figure: str, metric: str, *, judge: str = "", policy: str = "", system: str = "", label: str = ""
) -> str:
    """The key of a figure in :attr:`KnownTruth.truth`.

    Under each policy: ``pairwise_agreement``, ``pooled_agreement``, ``krippendorff_alpha``, ``fleiss_kappa``
    and ``person_person`` of people; ``judge_agreement``, ``judge_person`` and the same ``_single`` of each
    judge, and ``difference`` = judge_person - person_person. Of each judge: ``judge_accuracy``, ``unparsed``,
    ``unanimity``, ``repeat_agreement`` and ``repeat_fleiss_kappa``; by label ``verdict_rate``, also by
    system. Of people: ``label_rate``. On an ordered metric alpha is ordinal and ``person_person`` and
    ``judge_person`` have quadratic weights by rank.

    >>> truth_name("judge_person", "quality", judge="judge", policy="kept apart")
    'judge_person | metric=quality | judge=judge | policy=kept apart'
    """
    parts = {"metric": metric, "judge": judge, "policy": policy, "system": system, "label": label}
    return " | ".join([figure, *(f"{key}={value}" for key, value in parts.items() if value)])


def _truth(
    metric: PlantedMetric, chances: Classes, judges: Sequence[PlantedJudge], systems: Sequence[PlantedSystem]
) -> dict[str, float]:
    truth: dict[str, float] = {}
    if metric.people:
        truth |= _people_truth(metric, chances, judges)
    for position, judge in enumerate(judges):
        given = chances.judges[:, position]
        right = given[np.arange(len(given)), chances.truth]
        figures = {"judge_accuracy": float(chances.weight @ right), "unparsed": judge.unparsed}
        if metric.runs > 1:
            figures |= repeat_figures(chances, position, judge, metric.runs)
        truth |= {truth_name(name, metric.name, judge=judge.id): value for name, value in figures.items()}
        truth |= _rates(metric, chances, given, judge, systems)
    return truth


def _people_truth(
    metric: PlantedMetric, chances: Classes, judges: Sequence[PlantedJudge]
) -> dict[str, float]:
    truth: dict[str, float] = {}
    scale = scale_of(metric)
    for policy in policies(scale):
        mapped = chances.under(policy, scale)
        items = pairable(mapped, metric.single_rated)
        people = people_figures(items, ordered=metric.ordered) if items.chance.sum() > 0 else {}
        truth |= {truth_name(name, metric.name, policy=policy.name): value for name, value in people.items()}
        for position, judge in enumerate(judges):
            figures = judge_figures(items, position, ordered=metric.ordered)
            if people:
                figures["difference"] = figures["judge_person"] - people["person_person"]
            truth |= {
                truth_name(name, metric.name, judge=judge.id, policy=policy.name): value
                for name, value in figures.items()
            }
    rates = np.einsum("c,ch,chk->k", chances.weight, chances.presence, chances.people)
    rates /= (chances.weight @ chances.presence).sum()
    for label, rate in zip(metric.all_labels, rates.tolist(), strict=True):
        truth[truth_name("label_rate", metric.name, label=label)] = rate
    return truth


def _rates(
    metric: PlantedMetric,
    chances: Classes,
    given: NDArray[np.float64],
    judge: PlantedJudge,
    systems: Sequence[PlantedSystem],
) -> dict[str, float]:
    truth: dict[str, float] = {}
    for code, label in enumerate(metric.labels):
        truth[truth_name("verdict_rate", metric.name, judge=judge.id, label=label)] = float(
            chances.weight @ given[:, code]
        )
        for position, system in enumerate(systems):
            weight = np.where(chances.system == position, chances.weight, 0.0)
            truth[
                truth_name("verdict_rate", metric.name, judge=judge.id, system=system.name, label=label)
            ] = float(weight @ given[:, code] / weight.sum())
    return truth
