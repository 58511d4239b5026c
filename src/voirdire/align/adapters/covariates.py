"""Item attributes as numbers: text length, family and variant, judge and system of one family."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from voirdire.study.column import Column
from voirdire.study.items import Items
from voirdire.study.study import Study

__all__ = ["column_values", "contrast_columns", "covariate_columns", "numeric_column"]

Floats = NDArray[np.float64]
LEVELS = ("family", "variant", "language")
MOST_LEVELS = 20
PAIR = re.compile(r"^(?P<stem>.*?)[ _-]?(?P<side>1|2|a|b|first|second)$", re.IGNORECASE)
FIRST = ("1", "a", "first")


def covariate_columns(study: Study, judges: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the covariates that the items offer: ``length:text``, ``family=x``, ``self:judge``."""
    names = [f"length:{name}" for name in study.items.texts]
    for name in LEVELS:
        column = study.items.attributes.get(name)
        if column is not None and 2 <= len(column.values) <= MOST_LEVELS:
            names += [f"{name}={value}" for value in sorted(column.values)[1:]]
    family = study.items.attributes.get("family")
    kin = {rater.id: rater.family for rater in study.raters}
    if family is not None:
        names += [f"self:{judge}" for judge in judges if kin.get(judge) and kin[judge] in family.values]
    return tuple(names)


def contrast_columns(study: Study, *, systems: bool) -> tuple[str, ...]:
    """Names of what tells a pair's responses apart: ``length:one|two`` and, if asked, ``system=x``."""
    sides: dict[str, dict[bool, str]] = {}
    for name in study.items.texts:
        found = PAIR.match(name)
        if found:
            sides.setdefault(found["stem"], {})[found["side"].lower() in FIRST] = name
    names = [f"length:{pair[True]}|{pair[False]}" for pair in sides.values() if len(pair) == 2]
    a, b = (study.items.attributes.get(name) for name in ("system_a", "system_b"))
    if systems and a is not None and b is not None:
        names += [f"system={value}" for value in sorted({*a.values, *b.values})]
    return tuple(names)


def column_values(study: Study, name: str) -> Floats:
    """A value an item of the study (n_items,) for a name of either list; 0 where the column is lacking."""
    items = study.items
    if name.startswith("length:"):
        one, _, two = name.removeprefix("length:").partition("|")
        return _length(items, one) - _length(items, two) if two else _length(items, one)
    if name.startswith("self:"):
        rater = next((rater for rater in study.raters if rater.id == name.removeprefix("self:")), None)
        return _equals(items, "family", rater.family if rater else "")
    attribute, _, value = name.partition("=")
    if attribute == "system" and "system_a" in items.attributes:
        return _equals(items, "system_a", value) - _equals(items, "system_b", value)
    return _equals(items, attribute, value)


def numeric_column(study: Study, name: str) -> Floats:
    """An item attribute as numbers (n_items,), NaN where it is missing or not a number."""
    column = study.items.attributes.get(name, Column.missing(len(study.items)))
    values = np.array([*(_number(value) for value in column.values), np.nan])
    return values[column.codes]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _length(items: Items, name: str) -> Floats:
    """log(1 + characters) of a text (n_items,), 0 where it is missing."""
    column = items.texts.get(name, Column.missing(len(items)))
    lengths = np.array([*(np.log1p(len(text)) for text in column.values), 0.0])
    return lengths[column.codes]


def _equals(items: Items, name: str, value: str) -> Floats:
    """1 for items whose attribute is ``value`` (n_items,), else 0."""
    column = items.attributes.get(name, Column.missing(len(items)))
    return column.equals(value).astype(np.float64)
