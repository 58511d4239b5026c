"""Running a benchmark: conversations, verdicts and results as one run, which goes on where it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sql

from voirdire.bench.aggregate import About, AggregateOptions, results_of
from voirdire.bench.cast import Cast
from voirdire.bench.cells import ALL_VARIANTS
from voirdire.bench.collecting import outcomes_of
from voirdire.bench.contestants import Player
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.judging import judging_plan
from voirdire.bench.labelled import labelled_study, outdated_labels
from voirdire.bench.manifest import Run, keep_run
from voirdire.bench.outcomes import Outcomes
from voirdire.bench.results import Asked, Results
from voirdire.bench.simulating import Control, Simulated, simulate
from voirdire.bench.study import study_of
from voirdire.bench.suite import Bench
from voirdire.bench.tree import OVERALL
from voirdire.errors import UserError
from voirdire.judges.call import Client, content_hash
from voirdire.judges.judge import Judge
from voirdire.judges.limits import Budget
from voirdire.judges.planning import Plan, left_of
from voirdire.judges.records import now
from voirdire.judges.runner import Outcome, Stop, run_plan
from voirdire.store.schema import manifests
from voirdire.store.sql import Store

__all__ = [
    "RunControl",
    "RunOutcome",
    "headline_of",
    "judge_left",
    "plans_of",
    "recorded",
    "results_of_run",
    "run_bench",
]

RESULTS = "bench results"
Headline = dict[str, list[float]]
"""By ``kind|system`` how many conversations passed, and how many were judged."""


@dataclass(frozen=True, kw_only=True)
class RunControl:
    """What holds a run back, and who hears of it.

    ``limit`` conversations are held at most (0 for all); ``simulating`` and ``judging`` hear of every
    conversation and verdict. ``clients`` stand in for a cast's own, by the systems' names and ``user``;
    ``client`` for the judges', or it names where their calls are made.
    """

    limit: int = 0
    budget: Budget = field(default_factory=Budget)
    stop: Stop = field(default_factory=Stop)
    simulating: Callable[[Simulated], None] = lambda done: None
    judging: Callable[[Plan, Outcome], None] = lambda plan, done: None
    clients: Mapping[str, Client] = field(default_factory=dict)
    client: Client | str = "local"


@dataclass(frozen=True)
class RunOutcome:
    """What a run came to: conversations, each judge's verdicts, and ``results`` where it was not stopped."""

    run: Run
    simulated: Simulated
    judged: tuple[tuple[str, Outcome], ...]
    results: Results | None
    stopped: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The run by its name and causes, with its results as the published schema has them."""
        return {
            "run": self.run.label,
            "manifest": self.run.name,
            "parts": dict(self.run.parts),
            "conversations": {"new": self.simulated.made, "there": self.simulated.done},
            "verdicts": {name: dict(one.statuses) for name, one in self.judged},
            "errors": {
                **self.simulated.errors,
                **{k: n for _, one in self.judged for k, n in one.errors.items()},
            },
            "stopped": self.stopped,
            "results": None if self.results is None else self.results.to_dict(),
        }

    def __str__(self) -> str:
        lines = [f"{self.run.label} ({self.run.name}): {self.simulated}"]
        for name, one in self.judged:
            kept = ", ".join(f"{count:,} {status}" for status, count in sorted(one.statuses.items()))
            lines.append(f"{one.made:,} verdicts of {name} kept" + (f" ({kept})." if kept else "."))
            lines += [f"  error, {count:,} times: {said}" for said, count in one.errors.most_common(3)]
        if self.stopped:
            lines.append("The same command goes on from here.")
        return "\n".join([*lines, *([str(self.results)] if self.results else [])])


async def run_bench(
    bench: Bench,
    store: Store,
    cast: Cast,
    judges: Sequence[Judge],
    options: AggregateOptions | None = None,
    *,
    control: RunControl | None = None,
) -> RunOutcome:
    """Hold the conversations of ``bench``, have each judged by ``judges``, and aggregate, as one run.

    Everything that ``store`` holds already counts and is not made again: the same call goes on where an
    earlier one stopped, or after an edit makes only what the edit changed. The run's manifest is kept before
    it begins, its headline when it is whole. Figures follow the first judge.
    """
    if not judges:
        raise UserError("no judge", fix="name one: --judge judge.yaml")
    chosen, control = options or AggregateOptions(), control or RunControl()
    run = keep_run(bench, cast, judges, chosen, store)
    simulated = await simulate(
        bench,
        store,
        cast,
        unreviewed=chosen.unreviewed,
        limit=control.limit,
        control=Control(
            budget=control.budget, stop=control.stop, progress=control.simulating, clients=control.clients
        ),
    )
    judged: list[tuple[str, Outcome]] = []
    if simulated.stopped:
        return RunOutcome(run, simulated, (), None, simulated.stopped)
    plans = await asyncio.to_thread(plans_of, run, store, bench=bench, judges=judges)
    for plan in plans:
        judged.append((plan.judge.name, await judge_left(plan, store, control)))
        if control.stop.asked:
            return RunOutcome(run, simulated, tuple(judged), None, control.stop.reason)
    results = await asyncio.to_thread(_results, run, store, bench, cast, plans)
    if not control.limit:
        _keep_headline(run, store, results)
    return RunOutcome(run, simulated, tuple(judged), results)


def results_of_run(run: Run, store: Store, plans: Sequence[Plan] = ()) -> Results:
    """The results of ``run`` by the code of today, whatever became of the benchmark's files since.

    ``plans`` are those of :func:`plans_of`, where they are at hand.
    """
    return _results(run, store, run.bench, run.cast, plans or plans_of(run, store))


def plans_of(
    run: Run, store: Store, *, bench: Bench | None = None, judges: Sequence[Judge] = ()
) -> tuple[Plan, ...]:
    """Every verdict that ``run`` asks for, judge by judge; all plans share one study of its conversations."""
    bench = bench or run.bench
    study = study_of(bench, kept_conversations(store, run.ids))
    chosen = run.options
    return tuple(
        judging_plan(bench, study, judge, runs=chosen.runs, unreviewed=chosen.unreviewed)
        for judge in judges or run.judges
    )


def headline_of(results: Results) -> Headline:
    """Passed and judged conversations of all metrics that count, by kind and system."""
    return {
        f"{rate.kind}|{rate.system}": [rate.passed, rate.judged]
        for rate in results.rates
        if rate.node == OVERALL and rate.variant == ALL_VARIANTS
    }


def recorded(run: Run, store: Store) -> Headline | None:
    """The headline of ``run`` as it was last computed when the run was whole; None where it never was."""
    query = sql.select(manifests.c.document).where(manifests.c.kind == RESULTS)
    rows = store.rows(query.order_by(manifests.c.created_at.desc()))
    return next((row["document"]["headline"] for row in rows if row["document"]["run"] == run.name), None)


async def judge_left(plan: Plan, store: Store, control: RunControl) -> Outcome:
    """Ask for the verdicts of ``plan`` that ``store`` lacks."""
    left = await asyncio.to_thread(left_of, plan, store)
    return await run_plan(
        left,
        store,
        client=control.client,
        budget=control.budget,
        stop=control.stop,
        progress=lambda done: control.judging(left, done),
    )


def _results(run: Run, store: Store, bench: Bench, cast: Cast, plans: Sequence[Plan]) -> Results:
    told: list[tuple[str, Outcomes]] = [(plan.judge.name, outcomes_of(bench, plan, store)) for plan in plans]
    (_, first), *others = told
    results = results_of(
        first,
        _about(bench, cast, plans[0].judge, run.options.runs),
        run.options,
        other_judges=[outcomes for _, outcomes in others],
        people=labelled_study(bench, told, store),
    )
    return replace(results, notes=(*results.notes, *_left_out(run, store, bench, plans[0])))


def _left_out(run: Run, store: Store, bench: Bench, plan: Plan) -> Iterator[str]:
    """What belongs to a run and stands in no figure of it."""
    n, outdated = len(run.ids), outdated_labels(bench, store)
    unheld = n - len(plan.study.items)
    if unheld:
        yield f"{unheld:,} of this run's {n:,} conversations have not been held; no figure counts them."
    if outdated:
        yield f"{outdated:,} labels answer an earlier wording of their metric and are left out."


def _about(bench: Bench, cast: Cast, judge: Judge, runs: int) -> About:
    config, user = judge.config, cast.user
    return About(
        bench.config.name,
        bench.config.demo,
        Asked(config.judge, config.model, config.family, judge.version, config.recipe, runs),
        Player(user.user, user.model, user.family),
        tuple(Player(one.system, one.model, one.family) for one in cast.targets),
    )


def _keep_headline(run: Run, store: Store, results: Results) -> None:
    document = {"run": run.name, "headline": headline_of(results)}
    name = content_hash([RESULTS, document])[:16]
    store.add(manifests, [{"manifest": name, "kind": RESULTS, "document": document, "created_at": now()}])
