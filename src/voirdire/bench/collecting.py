"""From the verdicts in a store to outcomes: exactly those that the benchmark, as it stands, asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.bench.judging import BLIND
from voirdire.bench.outcomes import LACKING, MISSING, Codes, Outcomes, Rated, Signs
from voirdire.bench.study import FAILED, LABELS, OPPORTUNITY, SILENT
from voirdire.bench.suite import Bench
from voirdire.judges.judge import Judge
from voirdire.judges.planning import Plan
from voirdire.store.parts import stored
from voirdire.store.schema import verdicts
from voirdire.store.sql import Store
from voirdire.study.parts import part_name
from voirdire.study.study import Study

__all__ = ["outcomes_of", "rated_metrics"]

SIGN = {name: sign for sign, name in enumerate(LABELS)}
UNASKED = LACKING.index("not judged")


def outcomes_of(bench: Bench, plan: Plan, store: Store) -> Outcomes:
    """What the judge of ``plan`` said of every conversation of the plan's study, whole or in part.

    ``plan`` is that of :func:`~voirdire.bench.judging.judging_plan`. A verdict counts where the hash of all
    that went into it is that of its task: one on an earlier wording, transcript or judge never does.
    Conversations of metrics that the plan does not judge are left out.
    """
    study = plan.study
    code = {metric.metric: place for place, metric in enumerate(bench.metrics)}
    asked = {metric.name for metric in study.metrics if metric.title == BLIND}
    of_item = np.array([code[name] for name in study.items.attributes["cluster"].values], dtype=np.int32)
    metric = of_item[study.items.attributes["cluster"].codes]
    given = _Given.of(plan, store)
    runs, lacking = given.on({study.metric_index(one.metric) for one in bench.metrics})
    parts = {study.metric_index(name) for one in bench.metrics if (name := _part(one.metric)) in asked}
    opportunity, _ = given.on(parts)
    _note_unheld(study, lacking)
    rows = np.isin(metric, [code[name] for name in asked if name in code])
    return _whole(bench, study, (metric, runs, lacking, opportunity[:, 0])).take(rows)


def rated_metrics(bench: Bench) -> tuple[Rated, ...]:
    """What results need to know of each of the benchmark's metrics, in its order."""
    return tuple(
        Rated(
            one.metric,
            one.title,
            one.typed_polarity,
            one.benchmark,
            one.subarea,
            one.area,
            one.version,
            one.reviewed is not None,
        )
        for one in bench.metrics
    )


class _Given:
    """The verdicts of a plan, by item, metric and run: sign (t,) and why it is missing (t,)."""

    def __init__(self, plan: Plan, sign: Signs, lacking: Signs) -> None:
        self.n = len(plan.study.items)
        self.item = np.array([task.items[0] for task in plan.tasks], dtype=np.intp)
        self.metric = np.array([task.metric for task in plan.tasks], dtype=np.intp)
        self.run = np.array([task.run for task in plan.tasks], dtype=np.intp)
        self.sign, self.lacking = sign, lacking

    @classmethod
    def of(cls, plan: Plan, store: Store) -> _Given:
        kept = _kept(plan.judge, store)
        found = [kept.get((task.content_hash, task.run), (MISSING, UNASKED)) for task in plan.tasks]
        table = np.array(found, dtype=np.int8).reshape(-1, 2)
        return cls(plan, table[:, 0], table[:, 1])

    def on(self, metrics: set[int]) -> tuple[Signs, Signs]:
        """Signs (n, k) of every item on one of ``metrics`` by run, and why the first is missing (n,)."""
        rows = np.isin(self.metric, list(metrics))
        signs = np.full((self.n, int(self.run.max(initial=0)) + 1), MISSING, dtype=np.int8)
        lacking = np.full(self.n, UNASKED, dtype=np.int8)
        signs[self.item[rows], self.run[rows]] = self.sign[rows]
        first = rows & (self.run == 0)
        lacking[self.item[first]] = self.lacking[first]
        return signs, lacking


def _kept(judge: Judge, store: Store) -> dict[tuple[str, int], tuple[int, int]]:
    """Sign and reason of each verdict of this version of the judge, the last where an error was retried."""
    columns = ["content_hash", "run", "retry", "label", "status"]
    rows = stored(store, verdicts, columns, rater_id=judge.name, judge_version=judge.version, part="")
    rows.sort(key=lambda row: row["retry"])
    return {(row["content_hash"], row["run"]): _read(row["label"], row["status"]) for row in rows}


def _read(label: str | None, status: str) -> tuple[int, int]:
    """1 for present and 0 for absent, or MISSING and why; a label is one of the two or none."""
    if status != "ok":
        return MISSING, LACKING.index(status if status in LACKING else "unparsed")
    assert label in SIGN, f"a verdict '{label}' on a scale of {LABELS}"
    return SIGN[label], 0


def _note_unheld(study: Study, lacking: Signs) -> None:
    """Say of conversations in which nothing was said, or that broke off, that this is why."""
    ended = study.items.attributes["ended"]
    lacking[ended.equals(SILENT)] = LACKING.index("no turn")
    lacking[ended.equals("error")] = LACKING.index("conversation in error")


def _whole(bench: Bench, study: Study, told: tuple[Codes, Signs, Signs, Signs]) -> Outcomes:
    metric, runs, lacking, opportunity = told
    attributes = study.items.attributes
    variants = tuple(variant.name for variant in bench.variants)
    variant, _ = _coded(study, "variant", variants)
    scenario, scenarios = _coded(study, "scenario")
    system, systems = _coded(study, "system")
    repeat = np.array([int(value) for value in attributes["conversation_repeat"].values], dtype=np.int32)
    return Outcomes(
        metric=metric,
        scenario=scenario,
        variant=variant,
        system=system,
        repeat=repeat[attributes["conversation_repeat"].codes],
        present=runs[:, 0].copy(),
        opportunity=opportunity,
        faulty=attributes["simulator"].equals(FAILED),
        runs=runs,
        lacking=lacking,
        metrics=rated_metrics(bench),
        scenarios=scenarios,
        variants=variants,
        systems=systems,
        axes=tuple(dict(variant.values) for variant in bench.variants),
        ids=study.items.ids,
    )


def _coded(study: Study, name: str, known: Sequence[str] = ()) -> tuple[Codes, tuple[str, ...]]:
    """Codes (n,) of an attribute in the order of ``known``, else of its sorted values."""
    column: Any = study.items.attributes[name]
    values = tuple(known) or tuple(sorted(column.values))
    place = {value: code for code, value in enumerate(values)}
    new: NDArray[np.int32] = np.array([place[value] for value in column.values], dtype=np.int32)
    return new[column.codes], values


def _part(metric: str) -> str:
    return part_name(metric, OPPORTUNITY)
