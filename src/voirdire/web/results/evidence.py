"""What is behind a metric's figures: each conversation, its verdicts, and what people said of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from voirdire.bench.conversation import Conversation, kept_conversations
from voirdire.bench.study import OPPORTUNITY
from voirdire.store.labels import collected
from voirdire.store.parts import stored
from voirdire.store.schema import replies, verdicts
from voirdire.study.parts import part_name
from voirdire.web.results.shown import Kept

__all__ = ["Evidence", "Label", "Quote", "Told", "Verdict"]

OF_VERDICT = (
    "content_hash",
    "run",
    "retry",
    "item_id",
    "label",
    "status",
    "rationale",
    "citations",
    "requests",
    "prompt_tokens",
    "completion_tokens",
    "latency",
    "created_at",
)
OF_REPLY = ("request_hash", "run", "finish_reason", "model")


@dataclass(frozen=True)
class Quote:
    """A passage that a judge named, and whether it stands where it says."""

    turn: int | None
    text: str
    found: bool


@dataclass(frozen=True)
class Verdict:
    """A judge's verdict with where it comes from; ``label`` is empty where the ``status`` is not ok."""

    label: str
    status: str
    run: int
    rationale: str
    quotes: tuple[Quote, ...]
    hash: str
    finish: str
    model: str
    tokens: int | None
    seconds: float | None
    at: str


@dataclass(frozen=True)
class Label:
    """What a person said of a conversation; ``blind`` unless a verdict was shown first."""

    rater: str
    label: str
    status: str
    comment: str
    blind: bool


@dataclass(frozen=True)
class Told:
    """One conversation with the repeats of its verdict, that on its occasion, and people's labels."""

    conversation: Conversation
    verdicts: tuple[Verdict, ...]
    occasion: Verdict | None
    people: tuple[Label, ...]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Reads from the store what pages ask for, some conversations at a time."""

    kept: Kept

    def prepare(self) -> None:
        """Read people's labels, which are read once."""
        _ = self._labels

    def told(self, metric: str, ids: Sequence[str]) -> list[Told]:
        """The conversations ``ids`` of ``metric``, in the order in which they are asked for."""
        held = {one.id: one for one in kept_conversations(self.kept.store, ids)}
        given = self._verdicts(ids)
        asked = part_name(metric, OPPORTUNITY)
        found = []
        for name in ids:
            mine = [
                (of, given[hashed, run])
                for of, hashed, run in self.kept.hashes.get(name, ())
                if (hashed, run) in given
            ]
            if name in held:
                own = tuple(verdict for of, verdict in mine if of == metric)
                occasion = next((verdict for of, verdict in mine if of == asked), None)
                found.append(Told(held[name], own, occasion, self._labels.get((name, metric), ())))
        return found

    def _verdicts(self, ids: Sequence[str]) -> dict[tuple[str, int], Verdict]:
        """By hash and run, the last where an error was asked anew."""
        wanted = sorted({hashed for name in ids for _, hashed, _ in self.kept.hashes.get(name, ())})
        if not wanted:
            return {}
        rows = stored(self.kept.store, verdicts, OF_VERDICT, content_hash=wanted, part="")
        rows.sort(key=lambda row: row["retry"])
        last = {(row["content_hash"], row["run"]): row for row in rows}
        names = sorted({name for row in last.values() for name in row["requests"] or ()})
        sent = stored(self.kept.store, replies, OF_REPLY, request_hash=names) if names else []
        finished = {(row["request_hash"], row["run"]): row for row in sent}
        return {cell: _verdict(row, finished) for cell, row in last.items()}

    @cached_property
    def _labels(self) -> Mapping[tuple[str, str], tuple[Label, ...]]:
        """What people said, by conversation and metric; panels' rulings are no rater's label."""
        table = collected(self.kept.store).ratings
        found: dict[tuple[str, str], list[Label]] = {}
        if table is None:
            return {}
        absent: Iterable[None] = [None] * len(table.row)
        columns = (
            table.columns.get(name, absent)
            for name in (
                "item_id",
                "metric",
                "rater_kind",
                "rater_id",
                "label",
                "status",
                "rationale",
                "anchored",
            )
        )
        for item, metric, kind, *said in zip(*columns, strict=True):
            if kind == "human":
                rater, label, status, comment, anchored = (value or "" for value in said)
                cell = item or "", metric or ""
                found.setdefault(cell, []).append(Label(rater, label, status, comment, anchored != "true"))
        return {cell: tuple(labels) for cell, labels in found.items()}


def _verdict(row: Mapping[str, Any], finished: Mapping[tuple[str, int], Mapping[str, Any]]) -> Verdict:
    sent = [finished[cell] for name in row["requests"] or () if (cell := (name, row["run"])) in finished]
    counts = [row[name] for name in ("prompt_tokens", "completion_tokens") if row[name] is not None]
    return Verdict(
        label=(row["label"] or "") if row["status"] == "ok" else "",
        status=row["status"],
        run=row["run"],
        rationale=row["rationale"],
        quotes=tuple(_quotes(row["citations"])),
        hash=row["content_hash"],
        finish=sent[-1]["finish_reason"] if sent else "",
        model=sent[-1]["model"] if sent else "",
        tokens=sum(counts) if counts else None,
        seconds=row["latency"],
        at=row["created_at"],
    )


def _quotes(cited: Any) -> Iterator[Quote]:
    for one in cited or ():
        yield Quote(one.get("turn"), one.get("quote", ""), bool(one.get("found")))
