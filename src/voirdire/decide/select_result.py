"""Selection: which verdicts may be trusted, what that is worth, and the queue of everything else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.plain import plain
from voirdire.decide.lines import aligned, assumed, folded
from voirdire.decide.select_options import SelectOptions
from voirdire.stats.estimate import Estimate
from voirdire.stats.selective import SelectiveThreshold
from voirdire.study.column import Column
from voirdire.writers.columns import Table
from voirdire.writers.formats import write_table

__all__ = ["MetricSelection", "Queue", "Selection", "Stage"]

Floats = NDArray[np.float64]
DECIMALS = 6
HEAD = ("metric", "judge", "threshold", "tested", "failed", "bound", "asked", "trusted", "coverage")
PROMISES = {
    "label": "a random person gives the same label",
    "set": "a random person's label is among those named",
    "loss": "the halved Brier loss of the predicted shares is kept",
}


@dataclass(frozen=True)
class Stage:
    """One stage of a metric's selection: its ``judges``, ``cost`` an item, and the walk that was ``found``.

    The walk is the stage's own, or that of all stages together. Of the labelled items that tested it
    ``tested`` were trusted to this stage, with summed errors ``failed``.
    Of the items without a human label ``asked`` reached it and were shown to its judges, ``waiting`` reached
    it and were not, and ``trusted`` are trusted to it.
    """

    judges: tuple[str, ...]
    cost: float
    found: SelectiveThreshold
    tested: int
    failed: float
    asked: int
    waiting: int
    trusted: int


@dataclass(frozen=True)
class MetricSelection:
    """What may be trusted on one metric.

    ``guaranteed`` is the agreement that trusted verdicts reach, NaN where none is trusted. ``coverage`` is
    the share of items that are trusted, estimated on the items that set the threshold; of the ``unlabelled``
    items that a judge has seen ``trusted`` are, and ``routes`` says where all of them went. ``cost`` is the
    mean cost of judging one item. ``labels_needed`` are labelled items, those at hand counted, with which
    about 80 % of tries would trust something: NaN where something is trusted, infinite where more labels
    would not help.
    """

    metric: str
    guaranteed: float
    stages: tuple[Stage, ...]
    coverage: Estimate
    labelled: int
    unlabelled: int
    trusted: int
    routes: Mapping[str, int]
    cost: float
    labels_needed: float

    @property
    def abstains(self) -> bool:
        """Whether no verdict on this metric may be trusted."""
        return math.isnan(self.guaranteed)


@dataclass(frozen=True, eq=False)
class Queue:
    """Every item and metric with its route and reason, n rows, those that need people first.

    ``columns`` are texts (``item_id``, ``metric``, ``route``, ``reason``, ``label``), ``numbers`` (n,) each:
    the judge's ``confidence``, the ``human_labels`` counted in, the expected ``gain`` of one more label, the
    chance ``contested``, and ``prob_<label>``, the expected share of people.
    """

    columns: Mapping[str, Column]
    numbers: Mapping[str, Floats]

    def __len__(self) -> int:
        return len(self.columns["item_id"])

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every row as a dictionary of plain values; None where a number is undefined."""
        for i in range(len(self)):
            row: dict[str, Any] = {name: column[i] for name, column in self.columns.items()}
            values = {name: float(each[i]) for name, each in self.numbers.items()}
            yield row | {name: None if math.isnan(value) else value for name, value in values.items()}

    def export(self, path: str) -> Path:
        """Write the queue; the format follows the suffix: .csv, .tsv, .jsonl or .parquet."""
        rounded = {name: values.round(DECIMALS) for name, values in self.numbers.items()}
        return write_table(Table(self.columns, rounded), path)


@dataclass(frozen=True, eq=False)
class Selection:
    """What :func:`voirdire.select` found: one entry a metric, the ``queue``, ``notes`` on how to read it.

    ``assumptions`` are what was assumed of the study.
    """

    metrics: tuple[MetricSelection, ...]
    queue: Queue
    notes: tuple[str, ...]
    options: SelectOptions
    assumptions: tuple[str, ...] = ()

    def metric(self, name: str) -> MetricSelection:
        """The entry of one metric."""
        return next(each for each in self.metrics if each.metric == name)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, without the queue."""
        found: dict[str, Any] = {
            "options": plain(self.options),
            "metrics": [plain(each) for each in self.metrics],
            "notes": list(self.notes),
            "assumptions": list(self.assumptions),
        }
        return found

    def __str__(self) -> str:
        lines = [line for each in self.metrics for line in folded(_sentence(each, self.options))]
        lines += ["", *_table(self.metrics, priced=bool(self.options.cascade))]
        if any(each.unlabelled for each in self.metrics):
            lines += ["", *_routes(self.metrics)]
        lines += ["", *(line for note in self.notes for line in folded(note, bullet="- "))]
        return "\n".join([*lines, *assumed(self.assumptions)])


def _sentence(found: MetricSelection, options: SelectOptions) -> str:
    """The answer for one metric."""
    wanted = f"{100 * options.agreement:.4g} %"
    if found.abstains:
        return f"{found.metric}: no verdict may be trusted at {wanted}. {_needed(found)}"
    many = f"{found.trusted:,} of {found.unlabelled:,} unlabelled items are trusted"
    if not found.unlabelled:
        many = "no unlabelled item is at hand to trust"
    if options.target == "loss":
        return f"{found.metric}: {many}; mean loss at most {options.alpha:.2f}."
    return f"{found.metric}: {many}; on such items {PROMISES[options.target]} in {wanted} of cases or more."


def _needed(found: MetricSelection) -> str:
    last = [step for stage in found.stages if (step := stage.found.last) is not None]
    seen = min(last, key=lambda step: step.errors / max(step.n, 1), default=None)
    if seen is None:
        return "There are too few labelled items to test a threshold."
    start = f"Of the {seen.n} surest verdicts {seen.errors:.4g} failed"
    if math.isinf(found.labels_needed):
        return f"{start}; at such error rates none can be trusted, however many labels there are."
    here = f"here are {found.labelled:,}"
    return f"{start}; about {found.labels_needed:,.0f} labelled items are needed to trust any, {here}."


def _table(metrics: Sequence[MetricSelection], *, priced: bool) -> list[str]:
    """A line a stage: its threshold and the test that it passed, or the first that failed."""
    rows = [[*HEAD, *(["cost"] if priced else [])]]
    for found in metrics:
        walks = [stage.found for stage in found.stages]
        together = len(walks) > 1 and all(walk is walks[0] for walk in walks)
        whole = [str(found.coverage), *([f"{found.cost:.4g}"] if priced else [])]
        lines = [_line(stage, bound=not together) for stage in found.stages]
        if together:
            lines.insert(0, _line(_joined(found), bound=True))
        lines = [[*line, *(whole if k == 0 else [""] * len(whole))] for k, line in enumerate(lines)]
        rows += [[found.metric if k == 0 else "", *line] for k, line in enumerate(lines)]
    return aligned(rows, numbers=[2, 3, 4, 5, 6, 7, 9])


def _line(stage: Stage, *, bound: bool) -> list[str]:
    last = stage.found.last
    return [
        " + ".join(stage.judges),
        "none" if stage.found.abstains else f"{stage.found.threshold:.3f}",
        f"{stage.tested:,}",
        f"{stage.failed:.4g}",
        f"{last.bound:.3f}" if last and bound else "",
        f"{stage.asked:,}",
        f"{stage.trusted:,}",
    ]


def _joined(found: MetricSelection) -> Stage:
    """All stages of a metric as one."""
    first, last = found.stages[0], found.stages[0].found.last
    return replace(
        first,
        judges=("together",),
        tested=last.n if last else 0,
        failed=last.errors if last else 0.0,
        trusted=found.trusted,
    )


def _routes(metrics: Sequence[MetricSelection]) -> list[str]:
    """Where the unlabelled items of each metric go."""
    head = ["unlabelled", *(name.replace("_", " ") for name in metrics[0].routes)]
    rows = [[found.metric, *(f"{count:,}" for count in found.routes.values())] for found in metrics]
    return aligned([head, *rows], numbers=list(range(1, len(head))))
