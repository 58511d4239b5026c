"""Slices by any attribute of items or people, written once for every check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.panels import narrow
from voirdire.study import Panel, Study

__all__ = ["MOST_VALUES", "Part", "by_slice", "parts"]

MOST_VALUES = 20
"""An attribute of people with more values than this is no slice."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Part:
    """The ratings for which one attribute has one value: of the items, or of the people who rated them.

    One of ``items`` (n_items of the study,) and ``raters`` (n_raters of the study,) marks them, the other
    is None.
    """

    attribute: str
    value: str
    items: NDArray[np.bool_] | None = None
    raters: NDArray[np.bool_] | None = None

    @property
    def where(self) -> tuple[tuple[str, str], ...]:
        """The part as evidence names it."""
        return ((self.attribute, self.value),)

    def rows(self, panel: Panel) -> NDArray[np.bool_]:
        """Which labels of ``panel`` are in the part, (n,)."""
        if self.items is not None:
            return self.items[panel.items][panel.coded.item]
        assert self.raters is not None, "a part is of items or of raters"
        return self.raters[panel.raters][panel.coded.rater]

    def __str__(self) -> str:
        return f"{self.attribute} = {self.value}"


def parts(context: Context) -> tuple[Part, ...]:
    """Every part to report by: the study's slices, then attributes of people with 2 to 20 values."""
    return context.once("parts", lambda context: (*_item_parts(context.study), *_people_parts(context.study)))


def by_slice(
    context: Context, panel: Panel, measure: Callable[[Panel], T], *, fewest: int = 1
) -> Iterator[tuple[Part, T]]:
    """``measure`` of each part of ``panel`` that holds at least ``fewest`` labels and not all of them."""
    for part in parts(context):
        rows = part.rows(panel)
        if fewest <= int(rows.sum()) < len(rows):
            yield part, measure(narrow(panel, rows))


def _item_parts(study: Study) -> Iterator[Part]:
    return (Part(one.attribute, one.value, items=one.mask) for one in study.slices())


def _people_parts(study: Study) -> Iterator[Part]:
    people = [rater for rater in study.raters if rater.kind == "human"]
    names = dict.fromkeys(name for rater in people for name in rater.attributes)
    columns = {"expertise": [rater.expertise for rater in study.raters]}
    columns |= {name: [rater.attributes.get(name, "") for rater in study.raters] for name in names}
    human = study.is_kind("human")
    for name, column in columns.items():
        values = np.array(column, dtype=object)
        present = sorted({value for value in values[human] if value})
        # as many values as people are names, not groups
        if 2 <= len(present) <= MOST_VALUES and len(present) < len(people):
            for value in present:
                yield Part(name, value, raters=(values == value) & human)
