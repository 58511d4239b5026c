"""Items: what was rated, with the attributes that reports are sliced by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.study.column import Column

__all__ = ["Items"]


@dataclass(frozen=True, eq=False)
class Items:
    """All items of a study, in order of first appearance.

    ``ids`` (n,) are their names. ``attributes`` holds one value an item for each column that is constant
    within item (system, group, ...), ``texts`` the columns that hold what was said. ``cluster`` (n,) int32
    codes the resampled unit, or None where each item stands alone.
    """

    ids: tuple[str, ...]
    attributes: Mapping[str, Column] = field(default_factory=dict)
    texts: Mapping[str, Column] = field(default_factory=dict)
    cluster: NDArray[np.int32] | None = None

    def units(self, item: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """The resampled unit of each item of ``item`` (n,), from 0: its cluster, else the item itself."""
        unit = item if self.cluster is None else self.cluster[item]
        return np.unique(unit, return_inverse=True)[1].astype(np.intp)

    def said(self, item: int) -> str | None:
        """The first text of the item at position ``item``, or None."""
        return next((text for column in self.texts.values() if (text := column[item])), None)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Items: {len(self):,}, with {', '.join([*self.attributes, *self.texts]) or 'ids only'}>"
