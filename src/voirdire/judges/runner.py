"""Running a plan: bounded concurrency, every verdict kept as it comes, a stop that loses nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from typing import Any

from voirdire import registry
from voirdire.errors import UserError
from voirdire.judges.asking import Door
from voirdire.judges.call import Ask, Client, Reply, content_hash
from voirdire.judges.executing import Executor
from voirdire.judges.judge import Judge
from voirdire.judges.limits import Budget, OverBudget
from voirdire.judges.planning import Plan, Task
from voirdire.judges.recipe import Learner, Verdict
from voirdire.judges.records import Origin, now, verdict_row
from voirdire.judges.routes import Route, Routes
from voirdire.judges.viewing import references_shown
from voirdire.store import schema
from voirdire.store.group_commit import GroupCommit
from voirdire.store.in_force import put_in_force
from voirdire.store.sql import Store

__all__ = ["Outcome", "Stop", "run_plan"]


class Stop:
    """Asks a run to end: tasks under way finish, no further one starts."""

    def __init__(self) -> None:
        self.asked = False
        self.reason = ""

    def __call__(self, reason: str = "stopped") -> None:
        self.asked, self.reason = True, self.reason or reason


@dataclass
class Outcome:
    """What a run has done so far: verdicts by status, calls, money and why it ended early.

    ``errors`` counts what calls and recipes that failed said; ``cost`` is this run's share of the budget.
    """

    planned: int
    statuses: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    budget: Budget = field(default_factory=Budget)
    reused: int = 0
    stopped: str = ""
    spent_before: float = field(init=False)

    def __post_init__(self) -> None:
        self.spent_before = self.budget.spent

    @property
    def cost(self) -> float:
        """Money that was spent."""
        return self.budget.spent - self.spent_before

    @property
    def made(self) -> int:
        """Verdicts that were kept."""
        return sum(self.statuses.values())


async def run_plan(
    plan: Plan,
    store: Store,
    *,
    client: Client | str = "local",
    budget: Budget | None = None,
    stop: Stop | None = None,
    progress: Callable[[Outcome], None] | None = None,
) -> Outcome:
    """Get every verdict of ``plan`` into ``store``; ``progress`` hears of each one that is kept.

    ``client`` is one, which stays open, or names the executor that opens the judge's own: local or ray.
    A task whose recipe fails leaves a verdict with status ``error``, and the others go on. When the budget is
    spent, ``stop`` is called or a user's mistake comes up, calls under way are finished and kept.
    """
    judge = plan.judge
    outcome = Outcome(len(plan), budget=budget or Budget())
    stop = stop or Stop()
    manifest = _keep_manifest(plan, store)
    if plan.done:
        put_in_force(store, judge.name, judge.version)
    async with _routes(judge, client) as routes, GroupCommit(store) as commit:
        door = Door(judge.target, routes, budget=outcome.budget, store=store, commit=commit)
        work = _Work(plan, door, commit, manifest, outcome, stop, progress or (lambda outcome: None))
        tasks = iter(plan.tasks)
        async with asyncio.TaskGroup() as group:
            for _ in range(min(judge.config.limits.concurrency * len(routes), len(plan)) or 1):
                group.create_task(work.through(tasks))
        await door.settled()
    if work.mistakes:
        raise work.mistakes[0]
    outcome.stopped = stop.reason
    return outcome


def _routes(judge: Judge, client: Client | str) -> AbstractAsyncContextManager[Routes]:
    if isinstance(client, str):
        executor: Executor = registry.get("executor", client)
        return executor(judge)
    return nullcontext(Routes([Route.of(client, judge.config.limits)]))


@dataclass(frozen=True, eq=False)
class _Work:
    plan: Plan
    door: Door
    commit: GroupCommit
    manifest: str
    outcome: Outcome
    stop: Stop
    progress: Callable[[Outcome], None]
    mistakes: list[UserError] = field(default_factory=list)

    async def through(self, tasks: Iterator[Task]) -> None:
        """Work on one task after another until there is none, or a stop is asked for."""
        for task in tasks:
            if self.stop.asked:
                return
            try:
                await self._keep(task, await self._judged(task))
            except OverBudget as problem:
                self.stop(str(problem))
                return
            except UserError as problem:  # raised when the others' calls are kept
                self.mistakes.append(problem)
                self.stop(str(problem))
                return

    async def _judged(self, task: Task) -> Sequence[Verdict]:
        ask = _Counting(self.door.for_run(task.run))
        items, metric = self.plan.items(task), self.plan.metric(task)
        try:
            found = await self.plan.judge.recipe.judge(items, metric, ask)
        except (OverBudget, UserError, asyncio.CancelledError):
            raise
        except Exception as problem:  # a recipe's fault on one item must not lose the others
            said = f"{type(problem).__name__}: {problem}"
            self.outcome.errors[said] += 1
            names = dict.fromkeys(item.id for item in items)
            found = [Verdict(name, metric.name, None, "error", rationale=said) for name in names]
        self.outcome.reused += sum(reply.kept for reply in ask.replies)
        self.outcome.errors.update(reply.error for reply in ask.replies if reply.status == "error")
        return [_with_costs(verdict, ask) for verdict in found]

    async def _keep(self, task: Task, found: Sequence[Verdict]) -> None:
        judge = self.plan.judge
        known = {self.plan.study.items.ids[code] for code in task.items}
        assert {verdict.item_id for verdict in found} <= known, "a verdict on another item"
        origin = Origin(
            content_hash=task.content_hash,
            run=task.run,
            rater_id=judge.name,
            judge_version=judge.version,
            manifest=self.manifest,
            retry=task.retry,
        )
        rows = [verdict_row(verdict, origin) for verdict in found]
        await self.commit.add(schema.verdicts, *rows)
        self.outcome.statuses.update(verdict.status for verdict in found if not verdict.part)
        self.progress(self.outcome)


class _Counting:
    """An ``ask`` that remembers the replies to one task, and which of them it has to pay for.

    What several tasks share is paid for by the one that asked first.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.replies: list[Reply] = []
        self.paid: list[Reply] = []

    async def __call__(self, *messages: Any, **options: Any) -> Reply:
        reply = await self._ask(*messages, **options)
        self.replies.append(reply)
        if not (options.get("shared") and reply.kept):
            self.paid.append(reply)
        return reply


def _with_costs(verdict: Verdict, ask: _Counting) -> Verdict:
    """The verdict with what its calls took: those that it names, else all of the task."""
    named = verdict.requests or tuple(dict.fromkeys(one.request_hash for one in ask.replies))
    own = [one for one in ask.paid if one.request_hash in named]

    def total(values: list[Any]) -> Any:
        known = [value for value in values if value is not None]
        return sum(known) if known else None

    return replace(
        verdict,
        requests=named,
        prompt_tokens=total([one.prompt_tokens for one in own]),
        completion_tokens=total([one.completion_tokens for one in own]),
        cost=total([one.cost for one in own]),
        latency=total([one.latency for one in own]),
    )


def _keep_manifest(plan: Plan, store: Store) -> str:
    """Keep what this run is asked to do, once however often it is asked, and return its name."""
    judge: Judge = plan.judge
    document = {
        "judge": judge.config.model_dump(mode="json"),
        "version": judge.version,
        "prompt": asdict(judge.prompt) if judge.prompt is not None else None,
        "wording": judge.recipe.WORDING,
        "sees": list(plan.view.columns),
        "references": references_shown(plan.view, judge.config.options),
        "examples": isinstance(judge.recipe, Learner),
        "study": plan.study.name,
        "sources": [asdict(source) for source in plan.study.sources],
        "voirdire": version("voirdire"),
    }
    name = content_hash(document)[:16]
    row = {"manifest": name, "kind": "judge", "document": document, "created_at": now()}
    store.add(schema.manifests, [row])
    return name
