"""What raters said in a labelling tool, whichever it is: answers to questions become one record a rating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from voirdire.errors import UserError
from voirdire.readers.coding import as_text
from voirdire.study.beside import side_of
from voirdire.study.columns import CANONICAL, RATING_COLUMNS

__all__ = ["Answers", "Told", "as_label", "free_names", "only_skips", "records_of", "said_left_out"]

Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Answers:
    """What one rater said of one item in one go.

    ``item`` holds the item's columns and ``row`` the number of the task that they are from. ``labels`` are
    the answers by question, None where it was passed over; ``texts`` the answers in free words. ``cancelled``
    says that every question was passed over. ``columns`` are further columns of each rating, ``beside`` those
    of the rating on one question only.
    """

    item: Mapping[str, Any]
    row: int
    rater: str
    kind: str = "human"
    labels: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    cancelled: bool = False
    columns: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Told:
    """The ``records`` of ratings (n,), the number of the task that each is from, and the notes."""

    records: Sequence[Record]
    rows: Sequence[int]
    notes: tuple[str, ...]


def records_of(answers: Sequence[Answers], name: str, tool: str) -> Told:
    """One record a rating of ``answers``, which were read from the file ``name`` of ``tool``.

    A question called comment, rationale, confidence or the like, alone or after another question's name, is
    no metric: its answers become the rationale or the confidence of the ratings that they stand beside.
    """
    asked = list(dict.fromkeys(question for one in answers for question in one.labels))
    written = {question for one in answers for question in one.texts}
    side = {question: found for question in [*asked, *written] if (found := side_of(question, asked))}
    questions = [question for question in asked if question not in side]
    if not questions:
        raise UserError(
            f"holds {tool} without a choice, a rating or a number",
            where=name,
            expected="answers that are one of these",
        )
    records: list[Record] = []
    rows: list[int] = []
    for one in answers:
        for record in _ratings(one, questions, side):
            records.append(record)
            rows.append(one.row)
    return Told(records, rows, tuple(_notes(records, side, name, tool)))


def as_label(value: Any) -> Any:
    """An answer as a label: the one member of a list alone, numbers without ``.0``, None for an empty list.

    >>> as_label(["pass"]), as_label(["pass", "fail"]), as_label(3.0), as_label([])
    ('pass', ['pass', 'fail'], '3', None)
    """
    if isinstance(value, list):
        labels = [str(as_label(one)) for one in value if one is not None]
        return labels if len(labels) > 1 else next(iter(labels), None)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return as_text(value)


def only_skips(labels: Mapping[str, Any]) -> bool:
    """Whether questions were named, and every one of them passed over."""
    return bool(labels) and all(label is None for label in labels.values())


def free_names(columns: Mapping[str, Any]) -> Record:
    """An item's own columns, renamed where the data model gives their name another meaning; empty ones go."""
    taken = {*CANONICAL, *RATING_COLUMNS}
    return {
        f"data {key}" if key in taken or key.startswith("prob_") else key: value
        for key, value in columns.items()
        if value is not None and value != ""
    }


def said_left_out(left_out: Counter[str], name: str) -> tuple[str, ...]:
    """What of the file ``name`` is no rating, as a note; none where nothing was left out."""
    parts = [f"{what} ({n:,})" for what, n in left_out.items() if n]
    return (f"{name}: left out: {', '.join(parts)}.",) if parts else ()


def _ratings(one: Answers, questions: Sequence[str], side: Mapping[str, tuple[str, str]]) -> Iterator[Record]:
    remarks: dict[str, Record] = {}
    for question, said in {**one.labels, **one.texts}.items():
        if question in side:
            beside, column = side[question]
            remarks.setdefault(beside, {})[column] = said
        elif question in one.texts:
            remarks.setdefault("", {})[_own_name(question)] = said
    labels = dict.fromkeys(questions) if one.cancelled else one.labels
    for question, label in labels.items():
        if question in side:
            continue
        status = "skip" if label is None else "ok"
        yield {
            **one.item,
            "metric": question,
            "rater_id": one.rater,
            "rater_kind": one.kind,
            "label": label,
            "status": status,
            **one.columns,
            **remarks.get("", {}),
            **remarks.get(question, {}),
            **one.beside.get(question, {}),
        }


def _own_name(question: str) -> str:
    """What the answers in free words to ``question`` are called."""
    return f"answer to {question}" if question in (*CANONICAL, *RATING_COLUMNS) else question


def _notes(
    records: Sequence[Record], side: Mapping[str, tuple[str, str]], name: str, tool: str
) -> Iterator[str]:
    people = {record["rater_id"] for record in records if record["rater_kind"] == "human"}
    skips = sum(record["status"] == "skip" for record in records)
    yield (
        f"{name} was read as {tool}: {len(records):,} ratings, {skips:,} of them skips, "
        f"by {len(people):,} {'person' if len(people) == 1 else 'people'}."
    )
    for question, (beside, column) in side.items():
        whose = f"'{beside}'" if beside else "every label"
        yield f"{name}: the answers to '{question}' are the {column} of {whose}."
    if again := _numbered(records):
        yield f"{name}: {again:,} ratings are by somebody who had rated the item before, and are later runs."


def _numbered(records: Sequence[Record]) -> int:
    """Number the runs of ratings that a rater gave of an item several times; how many are later runs."""
    met: Counter[tuple[Any, ...]] = Counter()
    runs = []
    for record in records:
        key = (record["item_id"], record["metric"], record["rater_id"])
        runs.append(met[key])
        met[key] += 1
    again = sum(run > 0 for run in runs)
    if again:
        for record, run in zip(records, runs, strict=True):
            record["run"] = str(run)
    return again
