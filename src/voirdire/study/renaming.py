"""A study under other names: of its items, raters, metrics and columns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.study import Study

__all__ = ["Renames", "pseudonym", "pseudonymous", "renamed"]

ADDRESS = re.compile(r"[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+")


@dataclass(frozen=True)
class Renames:
    """New names by old ones; what is not named here keeps its name."""

    items: Mapping[str, str] = field(default_factory=dict)
    raters: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)


def renamed(study: Study, names: Renames) -> Study:
    """``study`` with the new ``names``; two things under one name are a user's error.

    >>> from voirdire.opening import open
    >>> study = open({"item_id": ["a"], "rater_id": ["Ann"], "label": ["pass"]})
    >>> renamed(study, Renames(items={"a": "item-1"}, raters={"Ann": "R1"})).items.ids
    ('item-1',)
    """
    items = study.items
    ids = _new(items.ids, names.items, "items")
    raters = _new([rater.id for rater in study.raters], names.raters, "raters")
    metrics = _new([metric.name for metric in study.metrics], names.metrics, "metrics")
    _new([*items.attributes, *items.texts], names.columns, "columns")
    return replace(
        study,
        items=replace(
            items,
            ids=ids,
            attributes=_under(items.attributes, names.columns),
            texts=_under(items.texts, names.columns),
        ),
        raters=tuple(replace(rater, id=name) for rater, name in zip(study.raters, raters, strict=True)),
        metrics=tuple(
            replace(metric, name=name, forced=names.metrics.get(metric.forced, metric.forced))
            for metric, name in zip(study.metrics, metrics, strict=True)
        ),
        reviews=tuple(
            replace(review, metric=names.metrics.get(review.metric, review.metric))
            for review in study.reviews
        ),
        reported={names.metrics.get(name, name): told for name, told in study.reported.items()},
        slice_by=tuple(names.columns.get(name, name) for name in study.slice_by),
    )


def pseudonymous(study: Study) -> Study:
    """``study`` with a stable code in place of every rater's name that holds an e-mail address.

    What raters and items say is not searched for addresses.

    >>> from voirdire.opening import open
    >>> study = open({"item_id": ["a"], "rater_id": ["ann@example.org"], "label": ["pass"]})
    >>> pseudonymous(study).raters[0].id
    'rater-438c4c7afe60'
    """
    addresses = [rater.id for rater in study.raters if ADDRESS.search(rater.id)]
    return renamed(study, Renames(raters={address: pseudonym(address) for address in addresses}))


def pseudonym(address: str) -> str:
    """The code of an e-mail address: the same in every file.

    It hides the address from readers, not from somebody who guesses it and computes the code.
    """
    return f"rater-{hashlib.sha256(address.encode()).hexdigest()[:12]}"


def _new(names: Iterable[str], new: Mapping[str, str], what: str) -> tuple[str, ...]:
    """The new name of each; one that stands twice is a user's error."""
    changed = tuple(new.get(name, name) for name in names)
    if len(set(changed)) < len(changed):
        twice = next(name for name in changed if changed.count(name) > 1)
        raise UserError(f"two {what} would be called '{twice}'", expected="one name each")
    return changed


def _under(columns: Mapping[str, Column], new: Mapping[str, str]) -> dict[str, Column]:
    return {new.get(name, name): column for name, column in columns.items()}
