"""Slice: the items for which one attribute has one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Slice"]


@dataclass(frozen=True, eq=False)
class Slice:
    """The items whose ``attribute`` is ``value``; ``mask`` (n_items of the study,) marks them."""

    attribute: str
    value: str
    mask: NDArray[np.bool_]

    def __str__(self) -> str:
        return f"{self.attribute} = {self.value}"
