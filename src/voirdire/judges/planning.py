"""What is left to judge: one task an item, metric and run, named by a hash of all that goes into it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from voirdire.errors import UserError
from voirdire.judges.call import content_hash
from voirdire.judges.judge import Judge
from voirdire.judges.recipe import JudgedItem, Learner
from voirdire.judges.viewing import View
from voirdire.store.parts import stored
from voirdire.store.schema import verdicts
from voirdire.store.sql import Store
from voirdire.study.metric import Metric
from voirdire.study.parts import without_parts
from voirdire.study.study import Study

__all__ = ["Plan", "Task", "left_of", "make_plan", "whole_plan"]


@dataclass(frozen=True, slots=True)
class Task:
    """One verdict to get: the positions of its items and metric in the study, and the repeat.

    ``retry`` counts the earlier verdicts that ended in an error.
    """

    items: tuple[int, ...]
    metric: int
    run: int
    content_hash: str
    retry: int = 0


@dataclass(frozen=True, eq=False)
class Plan:
    """The tasks that are left, and how many verdicts are there already."""

    study: Study
    judge: Judge
    view: View
    tasks: tuple[Task, ...]
    done: int

    def __len__(self) -> int:
        return len(self.tasks)

    def items(self, task: Task) -> tuple[JudgedItem, ...]:
        """What the judge sees for ``task``."""
        if self.judge.recipe.takes == "pair":
            return self.view.pair(task.items[0])
        return tuple(self.view.item(code) for code in task.items)

    def metric(self, task: Task) -> Metric:
        """The metric that ``task`` is about."""
        return self.study.metrics[task.metric]


def make_plan(
    study: Study,
    judge: Judge,
    store: Store,
    *,
    runs: int = 1,
    metrics: Sequence[str] = (),
    limit: int = 0,
) -> Plan:
    """Every verdict of ``judge`` on ``study`` that ``store`` lacks, ``limit`` of them at most (0 for all).

    A metric is judged on the items that it was rated on by anyone, or on all items where nobody rated it.
    Verdicts that ended in an error are asked for anew; those that could not be read are not.
    """
    return left_of(whole_plan(study, judge, runs=runs, metrics=metrics), store, limit=limit)


def left_of(whole: Plan, store: Store, *, limit: int = 0) -> Plan:
    """What ``store`` lacks of a whole plan."""
    got, failed = _verdicts(store, whole.judge)
    left = [task for task in whole.tasks if (task.content_hash, task.run) not in got]
    tasks = [replace(task, retry=failed.get((task.content_hash, task.run), 0)) for task in left]
    return replace(whole, tasks=tuple(tasks[:limit] if limit else tasks), done=len(whole) - len(left))


def whole_plan(
    study: Study,
    judge: Judge,
    *,
    runs: int = 1,
    metrics: Sequence[str] = (),
    asked: Mapping[str, Sequence[int]] | None = None,
) -> Plan:
    """Every verdict of ``judge`` on ``study``, whether it is there or not.

    ``asked`` maps metrics to the positions of the items that they are judged on.
    """
    view = View(study, judge.config.sees)
    if isinstance(judge.recipe, Learner):
        judge = replace(judge, recipe=judge.recipe.learned(study, view))
    every = without_parts([metric.name for metric in study.metrics])
    names = tuple(metrics) or judge.config.metrics or every
    chosen = [study.metric_index(name) for name in dict.fromkeys(names)]
    if not chosen:
        raise UserError("no metric to judge", where=study.name, fix="declare metrics in study.yaml")
    for code in chosen:
        judge.recipe.check(study.metrics[code])
    tasks = _every(study, judge, view, {code: _items_of(study, code, asked) for code in chosen}, runs)
    return Plan(study, judge, view, tuple(tasks), 0)


def _every(
    study: Study, judge: Judge, view: View, asked: Mapping[int, Sequence[int]], runs: int
) -> Iterator[Task]:
    seen = _Seen(view, judge.recipe.takes == "pair")
    for metric, every in asked.items():
        about = _about(study.metrics[metric])
        used, shown = _examples(judge, study.metrics[metric])
        for items in _groups(study, judge, every):
            if any(study.items.ids[code] in used for code in items):
                continue
            shown_of = [seen.hash(code) for code in items]
            # the name is in it for a judge under a second name: the same calls, but verdicts of its own
            whole = {"judge": [judge.name, judge.version], "metric": about, "items": shown_of}
            name = content_hash({**whole, "examples": shown} if shown else whole)
            for run in range(runs):
                yield Task(items, metric, run, name)


def _examples(judge: Judge, metric: Metric) -> tuple[frozenset[str], str]:
    """Items that the judge is shown as examples, and a hash of them."""
    return judge.recipe.examples_of(metric) if isinstance(judge.recipe, Learner) else (frozenset(), "")


def _items_of(study: Study, metric: int, asked: Mapping[str, Sequence[int]] | None) -> Sequence[int]:
    """The items to judge on a metric: those asked for, else those that anybody rated, else all."""
    if asked is not None:
        return asked.get(study.metrics[metric].name, ())
    rated = sorted(set(study.ratings.item[study.ratings.metric == metric].tolist()))
    return rated or range(len(study.items))


def _groups(study: Study, judge: Judge, items: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The items of each task: one, or all of a cluster for a recipe that takes lists."""
    if judge.recipe.takes != "list":
        yield from ((item,) for item in items)
        return
    cluster = study.items.cluster
    groups: dict[int, list[int]] = {}
    for item in items:
        groups.setdefault(int(cluster[item]) if cluster is not None else 0, []).append(item)
    yield from (tuple(group) for group in groups.values())


@dataclass(frozen=True, eq=False)
class _Seen:
    """What is shown of each item, as a hash that is computed once however many metrics it is judged on."""

    view: View
    pairs: bool
    known: dict[int, str] = field(default_factory=dict)

    def hash(self, code: int) -> str:
        """The hash of what the judge sees of the item at ``code``."""
        if code not in self.known:
            shown = self.view.pair(code) if self.pairs else (self.view.item(code),)
            self.known[code] = content_hash([asdict(item) for item in shown])
        return self.known[code]


def _about(metric: Metric) -> dict[str, Any]:
    """What a judge is told of a metric; its polarity is not."""
    scale = metric.scale
    return {
        "name": metric.name,
        "title": metric.title,
        "rubric": metric.rubric,
        "present": metric.present,
        "absent": metric.absent,
        "kind": scale.kind,
        "labels": scale.labels,
        "ordered": scale.ordered,
        "values": scale.values,
        "indeterminate": {name: list(admitted) for name, admitted in scale.indeterminate.items()},
    }


def _verdicts(store: Store, judge: Judge) -> tuple[set[tuple[str, int]], dict[tuple[str, int], int]]:
    """Which verdicts of this version are there, and how often the others ended in an error."""
    rows = stored(
        store,
        verdicts,
        ["content_hash", "run", "status"],
        judge_version=judge.version,
        rater_id=judge.name,
        part="",
    )
    got: set[tuple[str, int]] = set()
    failed: dict[tuple[str, int], int] = {}
    for row in rows:
        key = (row["content_hash"], row["run"])
        if row["status"] == "error":
            failed[key] = failed.get(key, 0) + 1
        else:
            got.add(key)
    return got, failed
