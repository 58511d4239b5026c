"""Label Studio's JSON export: tasks with annotations become one record a rating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from voirdire.errors import UserError
from voirdire.readers.answers import (
    Answers,
    Told,
    as_label,
    free_names,
    only_skips,
    records_of,
    said_left_out,
)
from voirdire.study.faults import Faults

__all__ = ["are_tasks", "minimal_note", "ratings_of_tasks"]

ANNOTATIONS = ("annotations", "completions")
"""Where a task keeps what people said: today, and in exports from before 2021."""
VALUES = ("choices", "rating", "number", "selected", "taxonomy")
"""What holds the label, in the order it is looked for; a region or a comment is none."""
SIDES = {"left": "first", "right": "second"}
MINIMAL = {"annotation_id", "lead_time"}
"""Columns of the exports JSON-MIN and CSV, and of no other."""
Record = dict[str, Any]


def are_tasks(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the records look like Label Studio's tasks and not like ratings."""
    return any(_is_task(record) for record in records)


def ratings_of_tasks(tasks: Sequence[Record], name: str) -> Told:
    """The ratings in ``tasks``, the number of the task that each is from, and what was assumed.

    An annotation that was cancelled is a skip on every question, an empty answer a skip on its question. One
    that began from a prediction is marked as anchored. Predictions are a judge's verdicts.
    """
    faults = Faults()
    emails = _emails(tasks)
    ids = _ids(tasks)
    left_out: Counter[str] = Counter()
    answers: list[Answers] = []
    for row, task in enumerate(tasks, start=1):
        where = f"{name}, task {row:,}"
        if not _is_task(task):
            faults.add("is no task", where=where, expected="data and annotations")
            continue
        left_out["drafts"] += len(_objects(task.get("drafts")))
        left_out["predictions of which only the number is told"] += _numbers(task.get("predictions"))
        item = {"item_id": ids[row - 1], **free_names(_data(task, ids[row - 1]))}
        try:
            answers += _people(task, item, row, (where, emails, left_out))
            answers += _judges(task, item, row, (where, left_out))
        except UserError as problem:
            faults.collect(problem)
    faults.check()
    told = records_of(answers, name, "Label Studio tasks")
    notes = said_left_out(left_out, name)
    return Told(told.records, told.rows, (*told.notes, *notes))


def minimal_note(columns: Collection[str], name: str) -> str:
    """What is missing from Label Studio's exports JSON-MIN and CSV; '' where ``columns`` are of neither.

    Without the annotators the file is a user's error, since nobody could tell one rater's labels from
    another's.
    """
    if not set(columns) >= MINIMAL:
        return ""
    if "annotator" not in columns:
        raise UserError(
            "is Label Studio's JSON-MIN or CSV export and names no annotator",
            where=name,
            expected="every label with its annotator",
            fix="export as JSON",
        )
    return (
        f"{name} is Label Studio's JSON-MIN or CSV export, which leaves out skips; its JSON export has them."
    )


def _is_task(record: Mapping[str, Any]) -> bool:
    said = [record.get(key) for key in (*ANNOTATIONS, "predictions")]
    return isinstance(record.get("data"), dict) and any(isinstance(value, list) for value in said)


def _ids(tasks: Sequence[Record]) -> list[str]:
    """The items' names: ``item_id`` of the data where each task has its own, else the task's number."""
    data = [task.get("data") for task in tasks]
    given = [one.get("item_id") if isinstance(one, dict) else None for one in data]
    named = [one for one in given if isinstance(one, str) and one]
    if len(set(named)) == len(tasks):
        return named
    return [str(task.get("id", number)) for number, task in enumerate(tasks, start=1)]


def _data(task: Record, item: str) -> Record:
    return {key: value for key, value in task["data"].items() if not (key == "item_id" and value == item)}


def _people(
    task: Record, item: Record, row: int, given: tuple[str, Mapping[Any, str], Counter[str]]
) -> Iterator[Answers]:
    where, emails, left_out = given
    for one in _objects(next((task[key] for key in ANNOTATIONS if key in task), None)):
        labels, texts, _ = _said(one, where, left_out)
        cancelled = bool(one.get("was_cancelled")) and not only_skips(labels)
        columns = {"created_at": one.get("created_at")}
        if one.get("parent_prediction") is not None:
            columns["anchored"] = "true"
        who = _annotator(one, where, emails)
        yield Answers(item, row, who, labels=labels, texts=texts, cancelled=cancelled, columns=columns)


def _judges(task: Record, item: Record, row: int, given: tuple[str, Counter[str]]) -> Iterator[Answers]:
    for one in _objects(task.get("predictions")):
        labels, texts, scores = _said(one, *given)
        yield Answers(
            item,
            row,
            str(one.get("model_version") or "prediction"),
            kind="judge",
            labels={question: label for question, label in labels.items() if label is not None},
            texts=texts,
            columns={"created_at": one.get("created_at")},
            beside={question: {"confidence": score} for question, score in scores.items()},
        )


def _said(
    annotation: Record, where: str, left_out: Counter[str]
) -> tuple[dict[str, Any], dict[str, str], dict[str, Any]]:
    """The label, the free words and the score of each question that the annotation answers."""
    labels: dict[str, Any] = {}
    texts: dict[str, str] = {}
    scores: dict[str, Any] = {}
    for result in _objects(annotation.get("result")):
        value = result.get("value")
        value = value if isinstance(value, dict) else {}
        question = str(result.get("from_name") or "label")
        held = next((key for key in VALUES if key in value), None)
        if held is not None:
            label = _label(value[held])
            if label is None and "from_name" not in result:
                continue
            if labels.get(question, label) != label:
                raise UserError(
                    f"an annotation answers '{question}' twice, '{labels[question]}' and '{label}'",
                    where=where,
                    expected="one answer a question, on the whole task and not on its regions",
                )
            labels[question] = label
            if result.get("score") is not None:
                scores[question] = result["score"]
        elif isinstance(value.get("text"), list | str) and result.get("type") == "textarea":
            words = value["text"] if isinstance(value["text"], list) else [value["text"]]
            texts[question] = "\n".join(filter(None, [texts.get(question), *map(str, words)]))
        elif result:
            left_out[f"answers of type {result.get('type', 'unknown')}"] += 1
    return labels, texts, scores


def _label(value: Any) -> Any:
    """A choice, a rating or a number; a path through a taxonomy, and the side of a pair that was selected."""
    if isinstance(value, list):
        value = [" / ".join(map(str, one)) if isinstance(one, list) else one for one in value]
    return SIDES.get(value, value) if isinstance(value, str) else as_label(value)


def _objects(value: object) -> list[Record]:
    """The objects in a list, and none where it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _numbers(value: object) -> int:
    """How many numbers a list holds, as Label Studio may export predictions."""
    return sum(isinstance(one, int) for one in value) if isinstance(value, list) else 0


def _emails(tasks: Sequence[Record]) -> dict[Any, str]:
    """The address of each annotator's number, where some annotation tells both."""
    annotations = (one for task in tasks for key in ANNOTATIONS for one in _objects(task.get(key)))
    known = (one["completed_by"] for one in annotations if isinstance(one.get("completed_by"), dict))
    return {who["id"]: who["email"] for who in known if isinstance(who.get("id"), int) and who.get("email")}


def _annotator(annotation: Record, where: str, emails: Mapping[Any, str]) -> str:
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
    return emails.get(who, str(who)) if isinstance(who, int) else str(who)
