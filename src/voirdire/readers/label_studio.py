"""Label Studio's JSON export: tasks with annotations become one record a rating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from voirdire.errors import UserError
from voirdire.study.columns import CANONICAL, RATING_COLUMNS

__all__ = ["are_tasks", "ratings_of_tasks"]

ANNOTATIONS = ("annotations", "completions")
"""Where a task keeps what people said: today, and in exports from before 2021."""
VALUES = ("choices", "rating", "number")
"""What holds the label, in the order it is looked for; a region or a comment is none."""
Record = dict[str, Any]


def are_tasks(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the records look like Label Studio's tasks and not like ratings."""
    return bool(records) and all(
        isinstance(_annotations(record), list) and isinstance(record.get("data"), dict) for record in records
    )


def ratings_of_tasks(tasks: Sequence[Record], name: str) -> tuple[list[Record], list[int], str]:
    """The ratings in ``tasks``, the number of the task that each is from, and what was assumed.

    An annotation that was cancelled is a skip on every question; predictions are a judge's verdicts.
    """
    questions = list(
        dict.fromkeys(question for task in tasks for one in _all(task) for question in _labels(one))
    )
    if not questions:
        raise UserError(
            "holds Label Studio tasks without a choice, a rating or a number",
            where=name,
            expected="annotations whose results have one of these",
        )
    records: list[Record] = []
    rows: list[int] = []
    for number, task in enumerate(tasks, start=1):
        for one in _ratings(task, number, questions, name):
            records.append(one)
            rows.append(number)
    skips = sum(record["status"] == "skip" for record in records)
    note = (
        f"{name} was read as Label Studio tasks: {len(records):,} labels, {skips:,} of cancelled annotations."
    )
    return records, rows, note


def _ratings(task: Record, number: int, questions: Sequence[str], name: str) -> Iterator[Record]:
    told = {_free(key): value for key, value in task["data"].items() if isinstance(value, str | int | float)}
    item = {"item_id": str(task.get("id", number)), **told}
    for one in _objects(_annotations(task)):
        cancelled = bool(one.get("was_cancelled"))
        said = dict.fromkeys(questions) if cancelled else _labels(one)
        who = _annotator(one, f"{name}, task {number:,}")
        for question, label in said.items():
            status = "skip" if cancelled else "ok"
            rating = {"metric": question, "rater_id": who, "rater_kind": "human", "label": label}
            yield item | rating | {"status": status, "created_at": one.get("created_at")}
    for one in _objects(task.get("predictions")):
        who = str(one.get("model_version") or "prediction")
        for question, label in _labels(one).items():
            rating = {"metric": question, "rater_id": who, "rater_kind": "judge", "label": label}
            yield item | rating | {"status": "ok", "created_at": one.get("created_at")}


def _annotations(task: Mapping[str, Any]) -> Any:
    return next((task[key] for key in ANNOTATIONS if key in task), None)


def _all(task: Record) -> list[Record]:
    return [*_objects(_annotations(task)), *_objects(task.get("predictions"))]


def _objects(value: object) -> list[Record]:
    """The objects in a list, and none where it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _labels(annotation: Record) -> dict[str, Any]:
    """The label of each question that the annotation answers; several choices are a response set."""
    found = {}
    for result in _objects(annotation.get("result")):
        value = result.get("value")
        value = value if isinstance(value, dict) else {}
        label = next((value[key] for key in VALUES if value.get(key) is not None), None)
        if isinstance(label, list) and len(label) == 1:
            label = label[0]
        if label is not None and label != []:
            found[str(result.get("from_name", "label"))] = label
    return found


def _annotator(annotation: Record, where: str) -> str:
    """Who annotated: a number, or an object with a number and an address."""
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    if who is None:
        raise UserError(
            "an annotation names no annotator",
            where=where,
            expected="completed_by, as in Label Studio's JSON export",
            fix="export as JSON, not as JSON-MIN or CSV",
        )
    return str(who)


def _free(key: str) -> str:
    """The name of a task's own column, where the data model gives the name another meaning."""
    return f"data {key}" if key in (*CANONICAL, *RATING_COLUMNS) else key
