"""Argilla's settings of a dataset: fields, one question a metric, metadata and how many people answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from voirdire.errors import UserError
from voirdire.study.metric import Metric
from voirdire.study.study import Study
from voirdire.writers.answered import as_numbers, choices_of, criterion_of, remarked, takes_sets
from voirdire.writers.written import shown_columns

__all__ = ["HANDLE", "dataset_of", "is_rating", "settings_of"]

HANDLE = "item"
"""The field that every record has: Argilla wants one that is required."""
MOST_CHOICES, LONGEST_LABEL, MOST_POINTS = 250, 200, 10
LONGEST_TITLE, LONGEST_DESCRIPTION = 500, 1000
Record = dict[str, Any]


def settings_of(study: Study, partly: Collection[str]) -> Record:
    """The settings for ``study``; nobody need answer the metrics in ``partly``, which some left open."""
    fields = [_field(HANDLE, is_chat=False, required=True)]
    fields += [
        _field(name, is_chat=turns, required=False) for name, turns in shown_columns(study.items).items()
    ]
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
    criteria = [(metric.label, criterion_of(metric)) for metric in study.metrics]
    return {
        "guidelines": "\n\n".join(f"{name}\n{words}" for name, words in criteria if words) or None,
        "questions": questions,
        "fields": fields,
        "vectors": [],
        "metadata": [_term(name) for name in study.items.attributes],
        "allow_extra_metadata": True,
        "distribution": {"strategy": "overlap", "min_submitted": max(_most_people(study), 1)},
        "mapping": None,
    }


def _most_people(study: Study) -> int:
    """The most people that rated one item."""
    ratings = study.ratings
    human = study.is_kind("human")[ratings.rater]
    pairs = np.unique(np.stack([ratings.item[human], ratings.rater[human]]), axis=1)
    return int(np.bincount(pairs[0], minlength=1).max())


def _field(name: str, *, is_chat: bool, required: bool) -> Record:
    settings = {"type": "chat" if is_chat else "text", "use_markdown": False}
    return {"name": name, "title": name, "required": required, "description": None, "settings": settings}


def _term(name: str) -> Record:
    settings = {"type": "terms", "values": None, "visible_for_annotators": False}
    return {"name": name, "title": name, "visible_for_annotators": False, "settings": settings}


def _question(metric: Metric, *, required: bool) -> Record:
    """The question of a metric: a rating from 0 to 10, a number in words, or a choice of one or several."""
    description = criterion_of(metric)
    if is_rating(metric):
        settings: Record = {"type": "rating", "options": [{"value": int(one)} for one in metric.scale.labels]}
    elif takes_sets(metric):
        settings = {
            "type": "multi_label_selection",
            "options": _options(metric),
            "options_order": "natural",
        }
    elif metric.scale.kind == "numeric":
        settings = {"type": "text", "use_markdown": False}
        description = "\n\n".join(filter(None, [description, "Answer with a number."]))
    else:
        settings = {"type": "label_selection", "options": _options(metric)}
    return {
        "name": metric.name,
        "title": metric.label[:LONGEST_TITLE],
        "description": description[:LONGEST_DESCRIPTION] or None,
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


def is_rating(metric: Metric) -> bool:
    """Whether the labels of ``metric`` are whole numbers from 0 to 10, which Argilla asks for as a rating."""
    numbers = as_numbers(metric) or []
    return len(numbers) > 1 and all(one.is_integer() and 0 <= one <= MOST_POINTS for one in numbers)


def dataset_of(name: str, settings: Mapping[str, Any]) -> Record:
    """What Argilla keeps of the dataset itself, under a name that it takes."""
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
