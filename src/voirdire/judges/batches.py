"""Providers' batches: a plan's next requests as a file of JSON lines, and their answers read back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.judges.asking import Target, more_room
from voirdire.judges.call import Failure, Message, Reply, Request, canonical
from voirdire.judges.clients.openai_compatible import read_completion
from voirdire.judges.planning import Plan, Task
from voirdire.judges.records import reply_of, reply_row
from voirdire.store.parts import stored
from voirdire.store.schema import replies
from voirdire.store.sql import Store

__all__ = ["Imported", "export_batch", "import_batch"]

ADDRESS = "/v1/chat/completions"
HASH_DIGITS = 40
"""Of a request's hash in its line's name, which some providers limit to 64 characters."""
KEPT = [column.name for column in replies.columns if column.name not in ("request", "response")]
Key = tuple[str, int, int]


@dataclass(frozen=True)
class Imported:
    """What a batch brought: replies now kept, how many of them are errors, and lines that were not needed.

    ``answered`` is the plan of the verdicts that can be made from kept replies alone.
    """

    replies: int
    errors: int
    unneeded: int
    answered: Plan

    def __str__(self) -> str:
        parts = [f"{self.replies:,} replies kept"]
        if self.errors:
            parts.append(f"{self.errors:,} of them errors, to be asked again")
        if self.unneeded:
            parts.append(f"{self.unneeded:,} lines that answer nothing this plan still asks")
        return "; ".join(parts) + "."


def export_batch(plan: Plan, store: Store, path: str | Path) -> int:
    """Write the requests that ``plan`` would make next to ``path``, and return how many they are.

    The lines are those of OpenAI's batches. A recipe that asks again after a reply has its later requests in
    a further batch, exported after the first one's answers were imported.
    """
    waiting, _ = asyncio.run(_look(plan, _Kept(store, plan.judge.target)))
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for name, request in waiting.items():
            line = {"custom_id": name, "method": "POST", "url": ADDRESS, "body": request.body}
            file.write(canonical(line) + "\n")
    return len(waiting)


def import_batch(plan: Plan, store: Store, path: str | Path) -> Imported:
    """Keep the answers in ``path`` as replies: one for every line that ``plan`` waits for.

    A line that holds an error is kept as one and its request stays to be asked. A line whose request is not
    waited for, because it was imported before or the judge has changed since, is counted and left alone.
    """
    kept = _Kept(store, plan.judge.target)
    waiting, _ = asyncio.run(_look(plan, kept))
    found: dict[str, Reply] = {}
    unneeded = 0
    for name, reply in _answers(Path(path)):
        if name in waiting and name not in found:
            found[name] = reply
        else:
            unneeded += 1
    store.add(replies, [kept.row(waiting[name], reply) for name, reply in found.items()])
    _, answered = asyncio.run(_look(plan, _Kept(store, plan.judge.target)))
    errors = sum(reply.status == "error" for reply in found.values())
    return Imported(len(found), errors, unneeded, replace(plan, tasks=tuple(answered)))


class _Unanswered(Exception):
    """A recipe needs a reply that is not there yet."""


class _Kept:
    """The replies in a store, and the number of the next retry of those that ended in an error."""

    def __init__(self, store: Store, target: Target) -> None:
        self.target = target
        self.replies: dict[Key, Reply] = {}
        self._retries: dict[Key, int] = {}
        for row in stored(store, replies, KEPT):
            key = (row["request_hash"], row["run"], row["sample"])
            if row["status"] == "error":
                self._retries[key] = max(self._retries.get(key, 0), row["retry"] + 1)
            else:
                self.replies[key] = reply_of({**row, "response": None})

    def row(self, request: Request, reply: Reply) -> dict[str, Any]:
        """The row of ``replies`` for a new answer."""
        price = self.target.price
        reply = replace(reply, sample=request.sample, cost=price.of(reply) if price is not None else None)
        retry = self._retries.get((request.hash, request.run, request.sample), 0)
        named = {"judge": self.target.judge, "version": self.target.version}
        return reply_row(request, reply, run=request.run, retry=retry, **named)


@dataclass
class _Looking:
    """An ``ask`` that gives kept replies and notes what else is wanted."""

    kept: _Kept
    run: int
    waiting: dict[str, Request] = field(default_factory=dict)

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        parameters: Mapping[str, Any] | None = None,
        sample: int = 0,
        shared: bool = False,
        whole: bool = False,
    ) -> Reply:
        run = 0 if shared else self.run
        request = self.kept.target.request(messages, parameters, run=run, sample=sample)
        reply = self._known(request)
        more = more_room(request) if whole and reply.status == "truncated" else None
        return reply if more is None else self._known(more)

    def _known(self, request: Request) -> Reply:
        reply = self.kept.replies.get((request.hash, request.run, request.sample))
        if reply is None:
            self.waiting[f"{request.hash[:HASH_DIGITS]}-{request.run}-{request.sample}"] = request
            raise _Unanswered
        return reply


async def _look(plan: Plan, kept: _Kept) -> tuple[dict[str, Request], list[Task]]:
    """The requests that the tasks of ``plan`` wait for, by name, and the tasks that wait for none."""
    waiting: dict[str, Request] = {}
    answered = []
    for task in plan.tasks:
        ask = _Looking(kept, task.run)
        try:
            await plan.judge.recipe.judge(plan.items(task), plan.metric(task), ask)
        except UserError:
            raise
        except Exception:  # unanswered, or a recipe's own fault, which shows when the plan is run
            pass
        if ask.waiting:
            waiting.update(ask.waiting)
        else:
            answered.append(task)
    return waiting, answered


def _answers(path: Path) -> Iterator[tuple[str, Reply]]:
    """Name and reply of each line of a batch's output."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"cannot be read: {problem}", where=str(path)) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            name = entry["custom_id"]
        except (ValueError, KeyError, TypeError):
            expected = "a line of a batch's output, with custom_id and response"
            raise UserError("is no answer", where=f"{path.name}, line {number}", expected=expected) from None
        yield name, replace(_reply(entry), raw=line)


def _reply(entry: Mapping[str, Any]) -> Reply:
    response = entry.get("response") or {}
    body = response.get("body")
    if response.get("status_code") == 200:
        try:
            return replace(read_completion(json.dumps(body), "application/json", 0.0), latency=None)
        except Failure as problem:
            return Reply("error", error=problem.reason)
    said = entry.get("error") or (body.get("error") if isinstance(body, dict) else None) or {}
    said = said if isinstance(said, Mapping) else {"message": said}
    code, words = str(said.get("code") or ""), str(said.get("message") or "no answer")
    if code == "content_filter":
        return Reply("refusal", finish_reason=code, error=words)
    return Reply("error", error=words)
