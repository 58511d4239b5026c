"""Argilla: a dataset as ``rg.Dataset.from_disk`` reads it, records and settings."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.study.metric import Metric
from voirdire.study.study import Study
from voirdire.writers.answered import Given, answered, takes_sets
from voirdire.writers.argilla_settings import HANDLE, dataset_of, is_rating, settings_of
from voirdire.writers.coded import Coded, Naming, ToolOptions, coded
from voirdire.writers.written import Written, shown_columns, turns_of, write_files

__all__ = ["export_argilla"]

NAME = re.compile(rf"(?!{HANDLE}$)(?=.*[a-z0-9])[a-z0-9_-]{{1,200}}")
PEOPLE = uuid.UUID("5f0f1b0e-6f57-5d0c-9a53-0d6a1c1b7a11")
"""The name space of the codes of raters that have no UUID of Argilla's."""
Record = dict[str, Any]


@register("writer", "argilla")
def export_argilla(study: Study, path: str | PathLike[str], options: ToolOptions | None = None) -> Written:
    """Write the folder ``path`` with records.json and settings, and a file .key beside it for what is coded.

    A record is an item with its texts as fields, transcripts as chat, and its attributes as metadata;
    people's ratings are responses. What names systems is left out unless asked for, and so are judges'
    verdicts, which become suggestions, of one judge at most. A path that is a file is a user's error.
    """
    target = Path(path)
    ask = options or ToolOptions()
    if len(ask.pre_annotate) > 1:
        raise UserError("Argilla takes one suggestion a question", fix="name one judge")
    if target.suffix.lower() in (".json", ".jsonl") or target.is_file():
        raise UserError("an Argilla dataset is a folder", where=str(path), fix="name a folder")
    shown = coded(study, ask, Naming(NAME, NAME, rater=_user))
    records = list(_records(shown.study, shown.order, ask))
    partly = {name for record in records for name in _left_open(record, shown.study.metrics)}
    settings = settings_of(shown.study, partly)
    folder = target / ".argilla"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"cannot be made: {problem.strerror or problem}", where=str(path)) from None
    files = {
        target / "records.json": _json(records),
        folder / "settings.json": _json(settings),
        folder / "dataset.json": _json(dataset_of(study.name, settings)),
    }
    notes = [*shown.notes, *(_asked_of_users(shown) if ask.labels else ())]
    return write_files(files, shown.key, target.with_name(f"{target.name}.key"), (len(records), notes))


def _records(study: Study, order: Sequence[int], ask: ToolOptions) -> Iterator[Record]:
    people = {at: study.raters[at].id for at in study.raters_of("human")} if ask.labels else {}
    judges = {
        at: study.raters[at].id for at in study.raters_of("judge") if study.raters[at].id in ask.pre_annotate
    }
    said, verdicts = answered(study, people), answered(study, judges)
    transcripts = {name for name, turns in shown_columns(study.items).items() if turns}
    points = {metric.name for metric in study.metrics if is_rating(metric)}
    sets = {metric.name for metric in study.metrics if takes_sets(metric)}
    for item in order:
        name = study.items.ids[item]
        responses: dict[str, list[Record]] = {}
        for given in _first_runs(said[item]):
            for question, response in _responses(given, points, sets):
                responses.setdefault(question, []).append(response)
        attributes = {column: values[item] for column, values in study.items.attributes.items()}
        yield {
            "id": name,
            "fields": {HANDLE: name, **dict(_fields(study, item, transcripts))},
            "metadata": {column: value for column, value in attributes.items() if value is not None},
            "suggestions": dict(_suggestions(verdicts[item], points, sets)),
            "responses": responses,
            "vectors": {},
            "status": "pending",
            "_server_id": None,
        }


def _fields(study: Study, item: int, transcripts: Collection[str]) -> Iterator[tuple[str, Any]]:
    """The item's texts, transcripts as the turns of a chat."""
    for name, column in study.items.texts.items():
        text = column[item]
        if text is not None and name in transcripts:
            yield name, turns_of(text)
        elif text is not None:
            yield name, text


def _first_runs(given: Sequence[Given]) -> list[Given]:
    """What each rater said first, for Argilla keeps one response a user."""
    return list({one.rater: one for one in reversed(given)}.values())[::-1]


def _responses(one: Given, points: Collection[str], sets: Collection[str]) -> Iterator[tuple[str, Record]]:
    """What one person answered; who skipped every question they were asked discarded the record."""
    skipped = all(label is None for label in one.labels.values())
    for question, label in one.labels.items():
        value = _value(label, question in points, question in sets)
        # Argilla refuses a submitted response without a value, and takes the status of the others
        of_one = "discarded" if skipped else None if value is None else "submitted"
        yield question, {"value": value, "user_id": one.rater, "status": of_one}
    status = "discarded" if skipped else "submitted"
    for question, remarks in one.remarks.items():
        for column, text in remarks.items():
            yield f"{question}__{column}", {"value": text, "user_id": one.rater, "status": status}


def _suggestions(
    given: Sequence[Given], points: Collection[str], sets: Collection[str]
) -> Iterator[tuple[str, Record]]:
    for one in given[:1]:
        for question, label in one.labels.items():
            if label is not None:
                value = _value(label, question in points, question in sets)
                yield question, {"value": value, "score": one.chance.get(question), "agent": one.rater}


def _value(label: str | tuple[str, ...] | None, is_rating: bool, in_sets: bool) -> Any:
    if isinstance(label, tuple):
        return list(label)
    if label is None:
        return None
    if in_sets:
        return [label]
    return int(label) if is_rating and label.isdigit() else label


def _left_open(record: Record, metrics: Sequence[Metric]) -> Iterator[str]:
    """The metrics on which somebody who answered the record did not."""
    answers: dict[str, set[str]] = {}
    for question, responses in record["responses"].items():
        for response in responses:
            if response["status"] == "submitted":
                answers.setdefault(response["user_id"], set()).add(question)
    for given in answers.values():
        yield from (metric.name for metric in metrics if metric.name not in given)


def _user(rater: str) -> str:
    """The UUID of a rater: its own name where that is one, else a code that is the same in every export."""
    try:
        return rater if str(uuid.UUID(rater)) == rater else str(uuid.uuid5(PEOPLE, rater))
    except ValueError:
        return str(uuid.uuid5(PEOPLE, rater))


def _asked_of_users(shown: Coded) -> Iterator[str]:
    """What has to be known of people's responses."""
    if codes := shown.key.raters:
        yield (
            f"Argilla knows people by UUID, so {len(codes):,} raters have codes; to log their responses on a "
            "server, put its users' ids in place of the codes, or export without labels."
        )
    if len(shown.study.ratings.run.values) < 2:
        return
    said = answered(shown.study, {at: shown.study.raters[at].id for at in shown.study.raters_of("human")})
    if later := sum(len(given) - len(_first_runs(given)) for given in said):
        yield f"Argilla keeps one response a user: {later:,} later runs are left out."


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False) + "\n"
