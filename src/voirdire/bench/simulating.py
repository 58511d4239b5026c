"""Simulating: every conversation of a benchmark, held once, kept turn by turn, taken up where it stopped."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice

from voirdire.bench.cast import USER, Cast, ModelConfig, TargetConfig
from voirdire.bench.conversation import Conversation, Spoken, conversation_row, spoken_of, turn_row
from voirdire.bench.dialogue import End, Part, Speaker, hold
from voirdire.bench.modelled import ModelSystem, ModelUser
from voirdire.bench.scripts import ScriptedSystem, ScriptedUser
from voirdire.bench.simulator_audit import simulator_audit
from voirdire.bench.stage import Kept, Stage
from voirdire.bench.suite import Bench
from voirdire.errors import UserError
from voirdire.judges.call import Ask, Client, content_hash
from voirdire.judges.limits import Budget, OverBudget
from voirdire.judges.records import now
from voirdire.judges.runner import Stop
from voirdire.store import schema
from voirdire.store.bench_schema import conversations, turns
from voirdire.store.group_commit import GroupCommit
from voirdire.store.sql import Store

__all__ = ["Control", "Simulated", "simulate"]

AT_A_TIME = 256
"""Conversations that are planned, and that scripts hold, together."""


@dataclass
class Simulated:
    """What a run has done so far: conversations by their end, those that were there, and why it stopped.

    ``manifest`` names the row that says who played, ``errors`` counts what calls that failed said, ``done``
    the conversations that were there, and ``turns`` those of conversations that ended in this run.
    """

    manifest: str = ""
    ended: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    done: int = 0
    turns: int = 0
    budget: Budget = field(default_factory=Budget)
    stopped: str = ""

    @property
    def made(self) -> int:
        """Conversations that ended in this run."""
        return sum(self.ended.values())

    def __str__(self) -> str:
        said = ", ".join(f"{count:,} {name}" for name, count in self.ended.most_common())
        parts = [f"{self.made:,} conversations kept" + (f" ({said})" if said else "")]
        parts += [f"{self.done:,} were there"] if self.done else []
        parts += [self.stopped] if self.stopped else []
        return "; ".join(parts) + "."


@dataclass(frozen=True, kw_only=True)
class Control:
    """What holds a run back, who hears of each conversation, and which clients stand in for a cast's own.

    ``clients`` are by the systems' names, and the user's under ``user``; they stay open.
    """

    budget: Budget = field(default_factory=Budget)
    stop: Stop = field(default_factory=Stop)
    progress: Callable[[Simulated], None] = lambda outcome: None
    clients: Mapping[str, Client] = field(default_factory=dict)


async def simulate(
    bench: Bench,
    store: Store,
    cast: Cast,
    *,
    unreviewed: bool = False,
    limit: int = 0,
    control: Control | None = None,
) -> Simulated:
    """Hold every conversation of ``bench`` that ``store`` lacks, ``limit`` of them at most (0 for all).

    A conversation that was interrupted goes on after its last turn; one that ended in an error is taken up
    again. When the budget is spent, a stop is asked for or a user's mistake comes up, turns under way are
    finished and kept.
    """
    control = control or Control()
    parts = cast.parts(bench, unreviewed=unreviewed)
    outcome = Simulated(_keep_manifest(bench, cast, store, unreviewed), budget=control.budget)
    async with AsyncExitStack() as stack, GroupCommit(store) as commit:
        stage = Stage(stack, store, commit, control.budget, control.clients)
        work = _Work(bench, cast, stage, outcome, control)
        todo = _left(parts, store, outcome, limit)
        async with asyncio.TaskGroup() as group:
            for _ in range(work.at_once):
                group.create_task(work.through(todo))
        await stage.settled()
    if work.mistakes:
        raise work.mistakes[0]
    outcome.stopped = control.stop.reason
    return outcome


def _left(parts: Iterator[Part], store: Store, outcome: Simulated, limit: int) -> Iterator[tuple[Part, Kept]]:
    """The parts that have not ended, ``limit`` of them at most, with what is kept of them and others.

    The store is looked at a few hundred at a time, so that a benchmark of any size takes no memory.
    """
    room = limit or sys.maxsize
    # two processes that begin together should not both begin with the same conversation
    order = random.Random(os.getpid())
    while room and (chunk := list(islice(parts, AT_A_TIME))):
        kept = Kept.of(store, [part.id for part in chunk])
        left = [part for part in chunk if not kept.has(part)]
        outcome.done += len(chunk) - len(left)
        left = left[:room]
        room -= len(left)
        order.shuffle(left)
        yield from ((part, kept) for part in left)


@dataclass(eq=False)
class _Work:
    bench: Bench
    cast: Cast
    stage: Stage
    outcome: Simulated
    control: Control
    mistakes: list[UserError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.targets = {target.system: target for target in self.cast.targets}
        user = self.cast.user
        self.user: Speaker = ScriptedUser() if user.script else ModelUser(self._asks(user, USER), user.moves)
        self.systems = {name: self._system(target) for name, target in self.targets.items()}

    def _asks(self, config: ModelConfig, name: str) -> Callable[[int], Ask]:
        return self.stage.door(config, name).for_run

    def _system(self, target: TargetConfig) -> Speaker:
        if not target.model:
            return ScriptedSystem()
        return ModelSystem(self._asks(target, target.system), target.instructions)

    @property
    def at_once(self) -> int:
        """Conversations at a time: enough for every model's own limit, and few where scripts alone speak."""
        models = [config for config in (self.cast.user, *self.cast.targets) if config.model]
        return min(sum(config.limits.concurrency for config in models) or AT_A_TIME, 4 * AT_A_TIME)

    async def through(self, todo: Iterator[tuple[Part, Kept]]) -> None:
        """Hold one conversation after another until there is none, or a stop is asked for."""
        for part, kept in todo:
            if self.control.stop.asked:
                return
            try:
                await self._hold(part, kept)
            except (OverBudget, _Stopped) as problem:
                self.control.stop(str(problem))
                return
            except UserError as problem:  # raised when the others' turns are kept
                self.mistakes.append(problem)
                self.control.stop(str(problem))
                return

    async def _hold(self, part: Part, kept: Kept) -> None:
        if not self._is_free(part):
            kept = Kept.of(self.stage.store, [part.id])  # another process may have come first
        if kept.has(part):
            self.outcome.done += 1
            return
        end, new = await self._held(part, kept.begun.get(part.id, ()))
        if new:
            await self.stage.commit.add(turns, *(turn_row(part.id, turn) for turn in new))
        row = conversation_row(self._conversation(part, end), kept.retries[part.id])
        await self.stage.commit.add(conversations, row)
        self.outcome.ended[end.ended] += 1
        self.outcome.turns += len(end.spoken)
        if end.ended == "error" and end.reason:
            self.outcome.errors[end.reason] += 1
        self.control.progress(self.outcome)

    async def _held(self, part: Part, begun: Sequence[Spoken]) -> tuple[End, list[Spoken]]:
        """How ``part`` ended, and its turns that are not kept yet."""
        target, turns_at_most = self.targets[part.system], self.bench.config.turns
        new: list[Spoken] = []
        if target.transcripts:
            return part.cue, list(part.cue.spoken)

        async def collect(turn: Spoken) -> Spoken:
            new.append(turn)
            return turn

        async def keep(turn: Spoken) -> Spoken:
            await self.stage.commit.add(turns, turn_row(part.id, turn))
            (*_, first) = spoken_of(self.stage.store, [part.id])[part.id][: turn.number]
            if self.control.stop.asked and turn.number < turns_at_most:
                raise _Stopped(self.control.stop.reason)
            return first  # another process may have been first with this turn

        sides = self.user, self.systems[part.system]
        keeping = collect if self._is_free(part) else keep
        end = await hold(part, sides, keeping, turns=turns_at_most, spoken=begun)
        return end, new

    def _is_free(self, part: Part) -> bool:
        """Whether no model is asked: what scripts say can be said again, so it is kept at the end at once."""
        target = self.targets[part.system]
        return bool(target.transcripts or (self.cast.user.script and target.script))

    def _conversation(self, part: Part, end: End) -> Conversation:
        target, user = self.targets[part.system], self.cast.user
        audit = (
            {}
            if target.transcripts
            else simulator_audit(part.case, end, improvised=not user.script, plays_role=not user.script)
        )
        return Conversation(
            id=part.id,
            metric=part.case.metric.metric,
            scenario=part.case.scenario.id,
            variant=part.case.variant.name,
            system=part.system,
            family=part.family,
            repeat=part.repeat,
            case_hash=part.case.hash,
            user_version=part.user_version,
            target_version=part.target_version,
            ended=end.ended,
            spoken=end.spoken,
            audit=audit,
        )


class _Stopped(Exception):
    """A stop was asked for while a conversation was held."""


def _keep_manifest(bench: Bench, cast: Cast, store: Store, unreviewed: bool) -> str:
    """Keep who played what, once however often it is asked for, and return the row's name."""
    document = {
        **cast.document,
        "bench": bench.config.model_dump(mode="json"),
        "metrics": {metric.metric: metric.version for metric in bench.metrics},
        "unreviewed": unreviewed,
        "voirdire": version("voirdire"),
    }
    name = content_hash(document)[:16]
    row = {"manifest": name, "kind": "simulation", "document": document, "created_at": now()}
    store.add(schema.manifests, [row])
    return name
