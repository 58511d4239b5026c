"""Transcripts that exist: conversations held elsewhere, taken as a system's without any simulation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from voirdire.bench.conversation import Ended, Spoken
from voirdire.bench.dialogue import End
from voirdire.bench.suite import Bench, Case
from voirdire.errors import UserError
from voirdire.judges.call import content_hash
from voirdire.opening import read_table
from voirdire.store.schema import storable
from voirdire.study.faults import Faults
from voirdire.study.raw import RawTable
from voirdire.study.turns import messages_of

__all__ = ["COLUMNS", "Transcripts", "load_transcripts", "said_in", "turns_of_messages"]

COLUMNS = ("metric", "scenario", "variant", "system", "repeat", "transcript", "ended")
"""What a row says: which case it is of, the messages, and how it ended where that is known."""
NEEDED = ("metric", "scenario", "transcript")
USERS = ("user", "human", "customer")
SYSTEMS = ("assistant", "ai", "model", "bot", "agent")
Key = tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class Transcripts:
    """The transcripts of one system by case and repeat, and how many rows are another system's."""

    where: str
    spoken: Mapping[Key, Mapping[int, End]] = field(repr=False)
    others: int = 0

    def __len__(self) -> int:
        return sum(len(repeats) for repeats in self.spoken.values())

    @cached_property
    def version(self) -> str:
        """A hash of all that was said."""
        every = self.spoken.items()
        return content_hash(
            [[key, repeat, said_in(end)] for key, ends in every for repeat, end in ends.items()]
        )

    def of(self, case: Case) -> Iterator[tuple[int, End]]:
        """What was said in each repeat of ``case``."""
        yield from self.spoken.get((case.metric.metric, case.scenario.id, case.variant.name), {}).items()


def said_in(end: End) -> list[Any]:
    """How a conversation ended and what was said in it."""
    return [end.ended, [(turn.user, turn.reply) for turn in end.spoken]]


def load_transcripts(
    source: Path | RawTable, bench: Bench, system: str, columns: Mapping[str, str] | None = None
) -> Transcripts:
    """The transcripts of ``system`` in a table, or in a file of CSV, JSON Lines, Parquet or Inspect's logs.

    ``columns`` maps :data:`COLUMNS` to the file's own names. Rows of other systems are passed over; where no
    column names systems, all rows are this one's. Repeats without a number are counted in the file's order.
    Rows of a metric, scenario or variant that the benchmark lacks are users' errors, told at once.
    """
    table = source if isinstance(source, RawTable) else read_table(source)
    if table.problem is not None:
        raise table.problem
    cells = _cells(table, columns or {}, table.name)
    known = {
        (metric.metric, scenario.id, variant.name)
        for metric in bench.metrics
        for scenario in metric.scenarios
        for variant in bench.variants
    }
    found: dict[Key, dict[int, End]] = defaultdict(dict)
    faults, others = Faults(), Counter[str]()
    for place in range(len(table)):
        row = {name: values[place] for name, values in cells.items()}
        if row.get("system", system) != system:
            others[row["system"] or ""] += 1
            continue
        faults.attempt(lambda row=row, place=place: _add(found, row, known, bench, table.where(place)))  # type: ignore[misc]
    faults.check()
    if not found:
        raise UserError(
            f"no transcript of system '{system}'",
            where=table.name,
            expected=f"one of {', '.join(others)}",
            fix="write under named what the file calls it",
        )
    return Transcripts(table.name, dict(found), others.total())


def _cells(table: RawTable, columns: Mapping[str, str], where: str) -> dict[str, list[str | None]]:
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown:
        raise UserError(
            f"'{unknown[0]}' is no column of transcripts", where=where, expected=", ".join(COLUMNS)
        )
    named = {name: columns.get(name, name) for name in COLUMNS}
    lacking = [
        own for name, own in named.items() if own not in table.columns and (name in NEEDED or name in columns)
    ]
    if lacking:
        raise UserError(
            f"no column '{lacking[0]}'",
            where=where,
            expected=f"one of {', '.join(table.columns)}",
            fix="name the file's own under columns",
        )
    return {name: list(table.columns[own]) for name, own in named.items() if own in table.columns}


def _nearest(key: Key, known: set[Key]) -> str:
    """A case that differs in its variant alone, as where a table says teen for age=teen."""
    variants = sorted(one[2] for one in known if one[:2] == key[:2])
    alike = [one for one in variants if key[2] and key[2] in one.replace(",", "=").split("=")]
    return f"did you mean '{alike[0]}'?" if alike else ""


def _add(
    found: dict[Key, dict[int, End]],
    row: Mapping[str, str | None],
    known: set[Key],
    bench: Bench,
    where: str,
) -> None:
    only = bench.variants[0].name if len(bench.variants) == 1 else ""
    key = (row["metric"] or "", row["scenario"] or "", row.get("variant") or only)
    if key not in known:
        raise UserError(
            f"no case of metric '{key[0]}', scenario '{key[1]}' and variant '{key[2]}'",
            where=where,
            expected="names as in the benchmark",
            fix=_nearest(key, known),
        )
    repeats = found[key]
    repeat = _whole(row.get("repeat"), where, next_one=max(repeats, default=-1) + 1)
    if repeat in repeats:
        raise UserError(f"a second transcript of repeat {repeat}", where=where, fix="number repeats")
    spoken = turns_of_messages(row["transcript"] or "", where)
    repeats[repeat] = End(_ended(row.get("ended"), where, spoken), spoken)


def _whole(text: str | None, where: str, *, next_one: int) -> int:
    if text is None or text == "":
        return next_one
    if not text.isdecimal():
        raise UserError(f"repeat is '{text}'", where=where, expected="a whole number from 0")
    return int(text)


def _ended(text: str | None, where: str, spoken: tuple[Spoken, ...]) -> Ended:
    known: dict[str, Ended] = {name: name for name in get_args(Ended)}
    if not text:
        return "turns" if spoken else "empty"
    if text not in known:
        raise UserError(f"ended is '{text}'", where=where, expected=f"one of {', '.join(known)}")
    return known[text]


def turns_of_messages(text: str, where: str) -> tuple[Spoken, ...]:
    """The turns of a transcript: messages of one side in a row are one; system prompts are left out.

    What a system says before any user does stands in a turn of which the user's words are empty. No messages
    at all are a user's error, an empty list is a conversation without turns.

    >>> [(turn.user, turn.reply) for turn in turns_of_messages("User: Hi\\nAssistant: Hello\\nUser: So?", "")]
    [('Hi', 'Hello'), ('So?', '')]
    """
    messages = messages_of(text)
    if not messages and text.strip() not in ("", "[]"):
        raise UserError(
            "the transcript has no messages", where=where, expected='[{"role": ..., "content": ...}]'
        )
    turns: list[tuple[list[str], list[str]]] = []
    for role, words in messages:
        if role.lower() in USERS:
            if not turns or turns[-1][1]:
                turns.append(([], []))
            turns[-1][0].append(words)
        elif role.lower() in SYSTEMS:
            if not turns:
                turns.append(([], []))
            turns[-1][1].append(words)
        elif role.lower() not in ("system", "developer", "tool"):
            raise UserError(f"role '{role}'", where=where, expected="user, assistant, system or tool")
    said = [["\n\n".join(words) for words in turn] for turn in turns]
    return tuple(
        Spoken(number, storable(user), storable(reply), status="ok" if reply else "empty")
        for number, (user, reply) in enumerate(said, start=1)
    )
