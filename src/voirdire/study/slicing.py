"""Slice: the items for which one attribute has one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.study.column import Column
from voirdire.study.columns import normal_name

__all__ = ["Slice", "default_slices"]

NOT_SLICED = ("cluster", "variant_of", "parent_id", "sampling_probability")
MOST_SLICES = 20


@dataclass(frozen=True, eq=False)
class Slice:
    """The items whose ``attribute`` is ``value``; ``mask`` (n_items of the study,) marks them."""

    attribute: str
    value: str
    mask: NDArray[np.bool_]

    def __str__(self) -> str:
        return f"{self.attribute} = {self.value}"


def default_slices(attributes: Mapping[str, Column]) -> tuple[str, ...]:
    """The attributes to report by where none are declared: those with 2 to 20 values that are no ids."""
    return tuple(
        name
        for name, column in attributes.items()
        if name not in NOT_SLICED
        and not normal_name(name).endswith("_id")
        and 2 <= _used(column) <= MOST_SLICES
    )


def _used(column: Column) -> int:
    return len(np.unique(column.codes[column.codes >= 0]))
