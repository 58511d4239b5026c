"""The bundled demonstration: a small audit with the shape of a published one, drawn from planted numbers.

162 items on 18 criteria; four criteria with a panel of four or five experts, fourteen with one; 240 more
items that the judge saw three times; a judge whose family also supplies systems under test.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from voirdire.testing.drawing import DrawnItems
from voirdire.testing.files import config, write
from voirdire.testing.known_truth import KnownTruth, known_truth
from voirdire.testing.planted import Difficulty, PlantedJudge, PlantedMetric, PlantedRater, PlantedSystem

__all__ = ["JUDGE", "RETESTS", "demo", "write_demo"]

SEED = 20261129
NOTE = "Made data, drawn from planted numbers: not a finding about any real system."
FIELDS = ("psychology", "communication", "organisational behaviour", "human-AI interaction", "wellbeing")
PANELS = (5, 4, 5, 5)
ITEMS = 9
RETESTS = ("retest-positive", "retest-negative")
JUDGE = PlantedJudge(
    id="alder-judge", model="alder-large", family="Alder", accuracy=0.86, lean=0.06, favour=0.15, noise=0.25
)
SYSTEMS = (
    PlantedSystem(name="alder-large", family="Alder", shift=0.15),
    PlantedSystem(name="alder-small", family="Alder"),
    PlantedSystem(name="birch-2", family="Birch", shift=0.1),
    PlantedSystem(name="birch-2-mini", family="Birch", shift=-0.1),
    PlantedSystem(name="cedar-chat", family="Cedar"),
    PlantedSystem(name="cedar-pro", family="Cedar", shift=0.2),
    PlantedSystem(name="dogwood-7", family="Dogwood", shift=-0.2),
    PlantedSystem(name="elm-base", family="Elm", shift=-0.25),
    PlantedSystem(name="elm-chat", family="Elm", shift=-0.05),
)


@dataclass(frozen=True)
class Criterion:
    """One criterion of the demonstration, and the pieces of its conversations."""

    name: str
    title: str
    polarity: str
    rubric: str
    prompts: list[str]
    good: list[str]
    poor: list[str]
    mixed: list[str]
    present: str = ""
    absent: str = ""


def demo() -> KnownTruth:
    """The demonstration's ratings and the truth behind them; the same on every machine.

    >>> made = demo()
    >>> len(made), sum(metric.items for metric in made.metrics if metric.people)
    (1179, 162)
    """
    return known_truth(_metrics(), judges=[JUDGE], systems=SYSTEMS, seed=SEED)


def write_demo(folder: str | Path) -> KnownTruth:
    """Write the demonstration as a user would keep it (study.yaml, ratings.csv, items.csv) and return it."""
    made, criteria = demo(), _criteria()
    declared = {
        "name": "Demonstration: 18 criteria, 19 experts, one judge",
        "demo": NOTE,
        "design": "Made: nine items a criterion, dealt to nine systems in turn.",
        "tables": [{"file": "ratings.csv"}, {"file": "items.csv", "kind": "items"}],
        "metrics": _declared(made, criteria),
        "slices": ["system", "family"],
    }
    folder = write(made, folder, extra=declared)
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["item_id", "family", "text"])
        writer.writerows(_items(made, criteria))
    return made


def _metrics() -> Iterator[PlantedMetric]:
    experts = _experts()
    first = 0
    for position, criterion in enumerate(_criteria()):
        if position < len(PANELS):
            panel = experts[first : first + PANELS[position]]
            first += PANELS[position]
        else:
            panel = experts[position : position + 1]
        yield _planted(criterion.name, criterion.polarity, ITEMS, panel, hard=0.25 + 0.1 * (position % 4))
    for name in RETESTS:
        yield _planted(name, name.removeprefix("retest-"), 120, (), hard=0.3)


def _planted(
    name: str, polarity: str, items: int, panel: tuple[PlantedRater, ...], *, hard: float
) -> PlantedMetric:
    return PlantedMetric(
        name=name,
        polarity=polarity,
        prevalence=(0.6, 0.4) if polarity == "positive" else (0.5, 0.5),
        difficulty=(
            Difficulty(share=1 - hard, indeterminate=0.04),
            Difficulty(share=hard, guess=0.6, indeterminate=0.3),
        ),
        people=panel,
        items=items,
        indeterminate="borderline",
        runs=1 if panel else 3,
    )


def _experts() -> tuple[PlantedRater, ...]:
    return tuple(
        PlantedRater(
            id=f"expert-{number + 1:02d}",
            accuracy=0.8 + 0.03 * (number % 6),
            lean=0.05 * (number % 3),
            expertise=FIELDS[number % len(FIELDS)],
        )
        for number in range(sum(PANELS))
    )


def _criteria() -> list[Criterion]:
    import yaml

    loaded: list[dict[str, Any]] = yaml.safe_load(
        files("voirdire.testing").joinpath("demo.yaml").read_bytes()
    )
    return [Criterion(**one) for one in loaded]


def _declared(made: KnownTruth, criteria: list[Criterion]) -> dict[str, Any]:
    """study.yaml's part on metrics: what :func:`config` gives, with titles, rubrics and the policy."""
    metrics: dict[str, Any] = config(made)["metrics"]
    for told in metrics.values():
        told |= {"policy": "as fail", "tie": "fail"}
    for one in criteria:
        texts = {"title": one.title, "rubric": one.rubric, "present": one.present, "absent": one.absent}
        metrics[one.name] |= {key: text for key, text in texts.items() if text}
    for name in RETESTS:
        metrics[name]["title"] = f"Retest, {name.removeprefix('retest-')} criteria"
    return metrics


def _items(made: KnownTruth, criteria: list[Criterion]) -> Iterator[tuple[str, str, str]]:
    """Each item's id, its system's family and its conversation, put together by truth and difficulty."""
    of = {criterion.name: criterion for criterion in criteria}
    for metric in made.metrics:
        items = made.items[metric.name]
        for number in range(metric.items):
            criterion = of.get(metric.name, criteria[number % len(criteria)])
            family = made.systems[items.system[number]].family
            yield f"{metric.name}-{number}", family, _conversation(criterion, items, number)


def _conversation(criterion: Criterion, items: DrawnItems, number: int) -> str:
    hard, good = items.level[number] == 1, items.truth[number] == 0
    replies = criterion.mixed if hard else criterion.good if good else criterion.poor
    prompt = criterion.prompts[number % len(criterion.prompts)]
    return f"Person: {prompt}\nAssistant: {replies[number % len(replies)]}"
