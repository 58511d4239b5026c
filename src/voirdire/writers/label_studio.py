"""Label Studio: tasks with annotations as JSON, and the labeling interface as XML beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.study.study import Study
from voirdire.writers.answered import Given, answered, remarked
from voirdire.writers.coded import Coded, Naming, ToolOptions, coded
from voirdire.writers.labeling_config import control_of, labeling_config, object_names
from voirdire.writers.written import Written, shown_columns, turns_of, write_files

__all__ = ["export_label_studio"]

NAMING = Naming(re.compile(r"\w[\w .:/-]*"), re.compile(r"(?!item_id$)\w+"))
Record = dict[str, Any]


@register("writer", "label-studio")
def export_label_studio(
    study: Study, path: str | PathLike[str], options: ToolOptions | None = None
) -> Written:
    """Write tasks to ``path`` (.json), the labeling interface beside it (.xml) and what is coded (.key).

    A task is an item with its texts, transcripts as lists of turns, and its attributes; every person's
    ratings are an annotation. What names systems is left out unless asked for, and so are judges' verdicts,
    which become predictions. A path that does not end in .json is a user's error.
    """
    target = Path(path)
    if target.suffix.lower() != ".json":
        raise UserError("tasks are JSON", where=str(path), fix=f"write to {target.with_suffix('.json').name}")
    ask = options or ToolOptions()
    shown = coded(study, ask, NAMING)
    columns = shown_columns(shown.study.items) or {"item_id": False}
    tasks = list(_tasks(shown, columns, ask))
    config = labeling_config(shown.study.metrics, columns, list(remarked(shown.study)))
    files = {target: _json(tasks), target.with_suffix(".xml"): config}
    people = [study.raters[at].id for at in study.raters_of("human")] if ask.labels else []
    notes = [*shown.notes, *_members(people)]
    return write_files(files, shown.key, target.with_suffix(".key"), (len(tasks), notes))


def _tasks(shown: Coded, columns: Mapping[str, bool], ask: ToolOptions) -> Iterator[Record]:
    study = shown.study
    kinds = {metric.name: control_of(metric) for metric in study.metrics}
    target = next(iter(object_names(columns).values()))
    people = {at: study.raters[at].id for at in study.raters_of("human")} if ask.labels else {}
    judges = {
        at: study.raters[at].id for at in study.raters_of("judge") if study.raters[at].id in ask.pre_annotate
    }
    said, verdicts = answered(study, people), answered(study, judges)
    for item in shown.order:
        task: Record = {"data": _data(study, item, columns)}
        task["annotations"] = [_annotation(one, kinds, target) for one in said[item]]
        if judges:
            task["predictions"] = [_prediction(one, kinds, target) for one in verdicts[item]]
        yield task


def _data(study: Study, item: int, columns: Mapping[str, bool]) -> Record:
    """The item's own columns; what is shown is always there, since Label Studio refuses a task without it."""
    items = study.items
    data: Record = {"item_id": items.ids[item]}
    for name, column in {**items.attributes, **items.texts}.items():
        text = column[item]
        if columns.get(name) and text is not None:
            data[name] = turns_of(text)
        elif text is not None:
            data[name] = text
    return {**{name: [] if turns else "" for name, turns in columns.items()}, **data}


def _annotation(one: Given, kinds: Mapping[str, str], target: str) -> Record:
    """All that one person said of the task; who skipped every question they were asked cancelled it."""
    skipped = all(label is None for label in one.labels.values())
    annotation: Record = {
        "completed_by": int(one.rater) if _is_number(one.rater) else {"email": one.rater},
        "was_cancelled": skipped,
        "result": list(_results(one, kinds, target)),
    }
    return {**annotation, "created_at": one.created_at} if one.created_at else annotation


def _prediction(one: Given, kinds: Mapping[str, str], target: str) -> Record:
    given = Given(one.rater, {metric: label for metric, label in one.labels.items() if label is not None})
    prediction: Record = {"model_version": one.rater, "result": list(_results(given, kinds, target))}
    for result in prediction["result"]:
        if result["from_name"] in one.chance:
            result["score"] = one.chance[result["from_name"]]
    if one.chance:
        prediction["score"] = sum(one.chance.values()) / len(one.chance)
    return prediction


def _results(one: Given, kinds: Mapping[str, str], target: str) -> Iterator[Record]:
    """One result a question; an empty one is a skip of that question."""
    number = 0
    for metric, label in one.labels.items():
        number += 1
        yield {
            "id": f"r{number}",
            "from_name": metric,
            "to_name": target,
            **_value(label, kinds[metric]),
        }
    for metric, remarks in one.remarks.items():
        for column, text in remarks.items():
            number += 1
            yield {
                "id": f"r{number}",
                "from_name": f"{metric}__{column}",
                "to_name": target,
                "type": "textarea",
                "value": {"text": [text]},
            }


def _value(label: str | tuple[str, ...] | None, kind: str) -> Record:
    """A label as the control of its metric gives it; what is no number of the control's is a choice."""
    if kind == "choices" or isinstance(label, tuple):
        labels = [] if label is None else [label] if isinstance(label, str) else list(label)
        return {"type": "choices", "value": {"choices": labels}}
    try:
        number = None if label is None else float(label)
    except ValueError:
        return {"type": "choices", "value": {"choices": [label]}}
    whole = number is not None and number.is_integer()
    return {"type": kind, "value": {kind: int(number) if whole and number is not None else number}}


def _members(people: Sequence[str]) -> list[str]:
    """What Label Studio asks of annotations that come with tasks."""
    if not people:
        return []
    strangers = [name for name in people if "@" not in name and not _is_number(name)]
    if not strangers:
        return ["Label Studio takes annotations of members of the project only: add their addresses first."]
    named = ", ".join(strangers[:5]) + (", ..." if len(strangers) > 5 else "")
    return [
        f"Label Studio knows people by their address, so it refuses annotations by {named}: "
        "rename these raters to their members' addresses, or export without labels."
    ]


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and str(int(name)) == name


def _json(tasks: Sequence[Record]) -> str:
    """One task a line, so that a file of many can be looked at."""
    return "[\n" + ",\n".join(json.dumps(task, ensure_ascii=False) for task in tasks) + "\n]\n"
