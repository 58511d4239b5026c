"""Argilla's records, as ``to_disk``, ``to_json``, ``to_list`` or its API write them: one record a rating."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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
from voirdire.study.beside import stands_beside
from voirdire.study.faults import Faults
from voirdire.study.scales import as_number

__all__ = ["are_records", "ratings_of_argilla"]

USERS = ".responses.users"
SETTINGS = Path(".argilla", "settings.json")
LONGEST_LABEL = 200
"""Argilla's own limit: what is longer is an answer in free words."""
Record = dict[str, Any]


@dataclass(frozen=True)
class _Said:
    """The ``values`` that one person, or a suggestion's ``agent``, gave by question, and their ``status``."""

    who: str
    status: str
    values: Mapping[str, Any]


def are_records(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the records look like Argilla's and not like ratings."""
    return any(_is_record(record) for record in records)


def ratings_of_argilla(records: Sequence[Record], name: str, folder: Path) -> Told:
    """The ratings in ``records``, the number of the record that each is from, and what was assumed.

    A discarded response is a skip on every question, a missing answer a skip on its question; drafts are left
    out and counted. A suggestion is a judge's verdict, and answers given beside it are marked as anchored.
    Questions in free words are told by the settings in ``folder``, where they are, else by long answers.
    """
    faults = Faults()
    left_out: Counter[str] = Counter()
    free = _free_questions(records, folder)
    answers: list[Answers] = []
    stated = False
    for row, record in enumerate(records, start=1):
        where = f"{name}, record {row:,}"
        try:
            item = _item(record, row, where)
            suggested = list(_suggestions(record))
            questions = {question for one in suggested for question in one.values}
            for one in _responses(record, where):
                stated = stated or bool(one.status)
                answers += _answer(one, item, row, (free, questions, left_out))
            answers += [_verdict(one, item, row, free) for one in suggested]
        except UserError as problem:
            faults.collect(problem)
    faults.check()
    told = records_of(answers, name, "Argilla records")
    notes = [*said_left_out(left_out, name)]
    if not stated:
        notes.append(f"{name} has no response statuses, so drafts and discarded answers count as submitted.")
    return Told(told.records, told.rows, (*told.notes, *notes))


def _is_record(record: Mapping[str, Any]) -> bool:
    nested = isinstance(record.get("fields"), dict) and isinstance(record.get("responses"), dict | list)
    return nested or any(key.endswith(USERS) for key in record)


def _item(record: Record, row: int, where: str) -> Record:
    """The item's name, fields and metadata."""
    if not _is_record(record):
        raise UserError("is no record", where=where, expected="fields and responses")
    name = record.get("external_id") or record.get("id") or row
    parts = [record.get("fields"), record.get("metadata")]
    if not isinstance(record.get("fields"), dict):  # flattened: what belongs to no question is the item's
        own = ("id", "status", "_server_id", "external_id", "score")
        parts = [{key: value for key, value in record.items() if key not in own and not _of_question(key)}]
    columns = {key: value for part in parts if isinstance(part, dict) for key, value in part.items()}
    if columns.get("item") == str(name):  # a field that shows the record's own name
        del columns["item"]
    return {"item_id": str(name), **free_names(columns)}


def _of_question(key: str) -> bool:
    return ".responses" in key or ".suggestion" in key


def _responses(record: Record, where: str) -> Iterator[_Said]:
    """What each person answered; a question that somebody was shown and left open has the value None."""
    responses = record.get("responses")
    if isinstance(responses, list):  # the API's form
        for one in _objects(responses):
            values = one.get("values")
            given = values.items() if isinstance(values, dict) else ()
            said = {q: value.get("value") for q, value in given if isinstance(value, dict)}
            yield _Said(_user(one.get("user_id"), where), str(one.get("status") or ""), said)
        return
    found: dict[str, dict[str, Any]] = {}
    statuses: dict[str, str] = {}
    for question, user, status, value in _by_question(record, responses):
        who = _user(user, where)
        if question in found.setdefault(who, {}):
            raise UserError(
                f"'{who}' answers '{question}' twice", where=where, expected="one response a user"
            )
        found[who][question] = value
        statuses[who] = statuses.get(who) or str(status or "")
    for who, values in found.items():
        yield _Said(who, statuses[who], values)


def _values(record: Record) -> Iterator[tuple[str, Any]]:
    """Every answer with its question, whoever gave it."""
    responses = record.get("responses")
    if isinstance(responses, list):
        for one in _objects(responses):
            values = one.get("values")
            for question, value in values.items() if isinstance(values, dict) else ():
                if isinstance(value, dict):
                    yield question, value.get("value")
        return
    yield from ((question, value) for question, _, _, value in _by_question(record, responses))


def _by_question(record: Record, responses: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Question, user, status and value of each answer: nested under responses, or flattened."""
    if isinstance(responses, dict):
        for question, given in responses.items():
            for one in _objects(given):
                yield question, one.get("user_id"), one.get("status"), one.get("value")
        return
    for key in record:
        if key.endswith(USERS):
            question = key.removesuffix(USERS)
            users = record[key] if isinstance(record[key], list) else []
            values = _as_many(record.get(f"{question}.responses"), users)
            statuses = _as_many(record.get(f"{question}.responses.status"), users)
            for user, status, value in zip(users, statuses, values, strict=True):
                yield question, user, status, value


def _as_many(values: Any, users: Sequence[Any]) -> Sequence[Any]:
    """One value a user, None where there are no such values."""
    return values if isinstance(values, list) and len(values) == len(users) else [None] * len(users)


def _suggestions(record: Record) -> Iterator[_Said]:
    """What was suggested, one agent at a time; the score stands under ``<question>.score``."""
    given = record.get("suggestions")
    if isinstance(given, dict):
        listed = [(question, one) for question, one in given.items() if isinstance(one, dict)]
    elif isinstance(given, list):
        listed = [(str(one.get("question_name")), one) for one in _objects(given)]
    else:
        ends = ".suggestion"
        flat = [key.removesuffix(ends) for key in record if key.endswith(ends)]
        listed = [
            (question, {"value": record[question + ends], "agent": record.get(f"{question}{ends}.agent")})
            for question in flat
        ]
    agents: dict[str, dict[str, Any]] = {}
    for question, one in listed:
        if one.get("value") is not None:
            agents.setdefault(str(one.get("agent") or "suggestion"), {})[question] = one["value"]
    for agent, values in agents.items():
        yield _Said(agent, "submitted", values)


def _answer(
    one: _Said, item: Record, row: int, given: tuple[set[str], set[str], Counter[str]]
) -> Iterator[Answers]:
    free, suggested, left_out = given
    if one.status == "draft":
        left_out["drafts"] += 1
        return
    values = {question: value for question, value in one.values.items() if not _is_region(value)}
    left_out["rankings and spans"] += len(one.values) - len(values)
    labels, texts = _sorted(values, free)
    discarded = one.status == "discarded" and not only_skips(labels)
    beside = {question: {"anchored": "true"} for question in labels if question in suggested}
    yield Answers(item, row, one.who, labels=labels, texts=texts, cancelled=discarded, beside=beside)


def _verdict(one: _Said, item: Record, row: int, free: set[str]) -> Answers:
    labels, texts = _sorted(one.values, free)
    return Answers(item, row, one.who, kind="judge", labels=labels, texts=texts)


def _sorted(values: Mapping[str, Any], free: set[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Labels, and answers in free words."""
    labels = {question: as_label(value) for question, value in values.items() if question not in free}
    texts = {question: str(value) for question, value in values.items() if question in free and value}
    return labels, texts


def _free_questions(records: Sequence[Record], folder: Path) -> set[str]:
    """The questions that are answered in free words, and not all of them with numbers."""
    words: dict[str, list[str]] = {}
    for record in records:
        for question, value in _values(record):
            if isinstance(value, str):
                words.setdefault(question, []).append(value)
    free = _declared_free(folder)
    if free is None:
        free = {question for question, given in words.items() if max(map(len, given)) > LONGEST_LABEL}
    numeric = {
        question
        for question, given in words.items()
        if all(as_number(one.strip()) is not None for one in given)
    }
    return {question for question in free if question not in numeric or stands_beside(question)}


def _declared_free(folder: Path) -> set[str] | None:
    """The questions in free words by the dataset's settings, None where there are none to be read."""
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        return {one["name"] for one in settings["questions"] if one["settings"]["type"] == "text"}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _is_region(value: Any) -> bool:
    listed = value if isinstance(value, list) else [value]
    return any(isinstance(one, dict) for one in listed)


def _user(user: Any, where: str) -> str:
    if user in (None, "", "None"):
        raise UserError(
            "a response names no user",
            where=where,
            expected="user_id, as in Argilla's records",
            fix="export with Dataset.to_disk, or records.to_json",
        )
    return str(user)


def _objects(value: object) -> list[Record]:
    """The objects in a list, and none where it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
