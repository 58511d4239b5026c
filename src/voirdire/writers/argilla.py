"""Argilla: a dataset as ``rg.Dataset.from_disk`` reads it, records and settings."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.study.metric import Metric
from voirdire.study.study import Study
from voirdire.study.turns import messages_of
from voirdire.writers.answered import Given, answered, as_numbers, choices_of, remarked, takes_sets
from voirdire.writers.coded import Naming, ToolOptions, coded
from voirdire.writers.written import Written, shown_columns, write_files

__all__ = ["export_argilla"]

HANDLE = "item"
NAME = re.compile(rf"(?!{HANDLE}$)(?=.*[a-z0-9])[a-z0-9_-]{{1,200}}")
MOST_CHOICES, LONGEST_LABEL, MOST_POINTS = 250, 200, 10
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
    settings = _settings(shown.study, partly)
    folder = target / ".argilla"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"cannot be made: {problem.strerror or problem}", where=str(path)) from None
    files = {
        target / "records.json": _json(records),
        folder / "settings.json": _json(settings),
        folder / "dataset.json": _json(_dataset(study.name, settings)),
    }
    notes = [*shown.notes, *_asked_of_users(shown.key.raters if ask.labels else ())]
    return write_files(files, shown.key, target.with_name(f"{target.name}.key"), (len(records), notes))


def _records(study: Study, order: Sequence[int], ask: ToolOptions) -> Iterator[Record]:
    people = {at: study.raters[at].id for at in study.raters_of("human")} if ask.labels else {}
    judges = {
        at: study.raters[at].id for at in study.raters_of("judge") if study.raters[at].id in ask.pre_annotate
    }
    said, verdicts = answered(study, people), answered(study, judges)
    transcripts = {name for name, turns in shown_columns(study).items() if turns}
    points = {metric.name for metric in study.metrics if _is_rating(metric)}
    sets = {metric.name for metric in study.metrics if takes_sets(metric)}
    for item in order:
        texts = {name: column[item] for name, column in study.items.texts.items()}
        attributes = {name: column[item] for name, column in study.items.attributes.items()}
        responses: dict[str, list[Record]] = {}
        for given in said[item]:
            for question, response in _responses(given, points, sets):
                responses.setdefault(question, []).append(response)
        yield {
            "id": study.items.ids[item],
            "fields": {
                HANDLE: study.items.ids[item],
                **{
                    name: _chat(text) if name in transcripts else text
                    for name, text in texts.items()
                    if text is not None
                },
            },
            "metadata": {name: value for name, value in attributes.items() if value is not None},
            "suggestions": dict(_suggestions(verdicts[item], points, sets)),
            "responses": responses,
            "vectors": {},
            "status": "pending",
            "_server_id": None,
        }


def _responses(one: Given, points: Collection[str], sets: Collection[str]) -> Iterator[tuple[str, Record]]:
    """What one person answered; who skipped every question they were asked discarded the record."""
    skipped = all(label is None for label in one.labels.values())
    for question, label in one.labels.items():
        value = _value(label, question in points, question in sets)
        # Argilla refuses a submitted response without a value, and takes the status of the others
        status = "discarded" if skipped else None if value is None else "submitted"
        yield question, {"value": value, "user_id": one.rater, "status": status}
    if not skipped:
        for question, remarks in one.remarks.items():
            for column, text in remarks.items():
                yield f"{question}__{column}", {"value": text, "user_id": one.rater, "status": "submitted"}


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


def _chat(text: str) -> list[Record]:
    return [{"role": role, "content": words} for role, words in messages_of(text)]


def _left_open(record: Record, metrics: Sequence[Metric]) -> Iterator[str]:
    """The metrics on which somebody who answered the record did not."""
    answers: dict[str, set[str]] = {}
    for question, responses in record["responses"].items():
        for response in responses:
            if response["status"] == "submitted":
                answers.setdefault(response["user_id"], set()).add(question)
    for given in answers.values():
        yield from (metric.name for metric in metrics if metric.name not in given)


def _settings(study: Study, partly: Collection[str]) -> Record:
    fields = [_field(HANDLE, is_chat=False, required=True)]
    fields += [_field(name, is_chat=turns, required=False) for name, turns in shown_columns(study).items()]
    questions = [_question(metric, required=metric.name not in partly) for metric in study.metrics]
    titles = {metric.name: metric.label for metric in study.metrics}
    questions += [
        {
            "name": f"{name}__{column}",
            "title": f"{titles[name]}: {column}",
            "description": None,
            "required": False,
            "settings": {"type": "text", "use_markdown": False},
        }
        for name, column in remarked(study)
    ]
    people = max((len(given) for given in answered(study, _people(study))), default=1)
    return {
        "guidelines": "\n\n".join(f"{one.label}: {one.rubric}" for one in study.metrics if one.rubric)
        or None,
        "questions": questions,
        "fields": fields,
        "vectors": [],
        "metadata": [_term(name) for name in study.items.attributes],
        "allow_extra_metadata": True,
        "distribution": {"strategy": "overlap", "min_submitted": max(people, 1)},
        "mapping": None,
    }


def _people(study: Study) -> dict[int, str]:
    return {at: study.raters[at].id for at in study.raters_of("human")}


def _field(name: str, *, is_chat: bool, required: bool) -> Record:
    settings = {"type": "chat" if is_chat else "text", "use_markdown": False}
    return {"name": name, "title": name, "required": required, "description": None, "settings": settings}


def _term(name: str) -> Record:
    settings = {"type": "terms", "values": None, "visible_for_annotators": False}
    return {"name": name, "title": name, "visible_for_annotators": False, "settings": settings}


def _question(metric: Metric, *, required: bool) -> Record:
    """The question of a metric: a rating from 0 to 10 where its labels are such numbers, else a choice."""
    if _is_rating(metric):
        settings: Record = {"type": "rating", "options": [{"value": int(one)} for one in metric.scale.labels]}
    else:
        settings = {"type": "label_selection", "options": _options(metric)}
        if takes_sets(metric):
            settings = {
                "type": "multi_label_selection",
                "options": _options(metric),
                "options_order": "natural",
            }
    return {
        "name": metric.name,
        "title": metric.label[:500],
        "description": metric.rubric[:1000] or None,
        "required": required,
        "settings": settings,
    }


def _options(metric: Metric) -> list[Record]:
    """The verdicts, then the labels that admit several of them; too few or too long is a user's error."""
    verdicts, undecided = choices_of(metric)
    where, labels = f"metric '{metric.name}'", [*verdicts, *undecided]
    if not 2 <= len(labels) <= MOST_CHOICES:
        raise UserError(
            f"{len(labels):,} labels",
            where=where,
            expected=f"2 to {MOST_CHOICES} to choose from",
            fix="declare its labels in study.yaml",
        )
    long = next((label for label in labels if len(label) > LONGEST_LABEL), None)
    if long is not None:
        raise UserError(
            f"label '{long[:40]}...'", where=where, expected=f"at most {LONGEST_LABEL} characters"
        )
    return [
        {"value": label, "text": label, "description": _admits(undecided.get(label, ()))} for label in labels
    ]


def _admits(verdicts: Sequence[str]) -> str | None:
    return f"admits {' or '.join(verdicts)}" if verdicts else None


def _is_rating(metric: Metric) -> bool:
    numbers = as_numbers(metric) or []
    return len(numbers) > 1 and all(one.is_integer() and 0 <= one <= MOST_POINTS for one in numbers)


def _dataset(name: str, settings: Mapping[str, Any]) -> Record:
    return {
        "id": None,
        "inserted_at": None,
        "updated_at": None,
        "name": re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_") or "study",
        "status": "draft",
        "guidelines": settings["guidelines"],
        "allow_extra_metadata": True,
        "distribution": settings["distribution"],
        "workspace_id": None,
        "last_activity_at": None,
    }


def _user(rater: str) -> str:
    """The UUID of a rater: its own name where that is one, else a code that is the same in every export."""
    try:
        return rater if str(uuid.UUID(rater)) == rater else str(uuid.uuid5(PEOPLE, rater))
    except ValueError:
        return str(uuid.uuid5(PEOPLE, rater))


def _asked_of_users(codes: Collection[str]) -> list[str]:
    if not codes:
        return []
    return [
        f"Argilla knows people by UUID, so {len(codes):,} raters have codes; to log their responses on a "
        "server, put its users' ids in place of the codes, or export without labels."
    ]


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False) + "\n"
