"""Ratings: the long table, one row a rating, as integer-coded columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from voirdire.study.column import Column

__all__ = ["OK", "STATUSES", "Ratings", "Source"]

STATUSES = ("ok", "skip", "unparsed", "ambiguous", "refusal", "truncated", "invalid", "error")
OK = 0


@dataclass(frozen=True)
class Source:
    """Where rows came from: the file, and its SHA-256 in hexadecimal ('' for a frame)."""

    name: str
    sha256: str = ""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Every rating of a study; all arrays have shape (n,).

    ``item``, ``metric``, ``rater`` index the study's items, metrics and raters. ``raw`` is the label as it
    came in; ``label`` its code in the metric's scale after declared maps and normalisation, −1 where there is
    none. ``status`` indexes :data:`STATUSES`. ``run`` is the repeat, as text. ``source`` and ``row`` say
    which row of which file (from 1, the header being row 1 of a text file). ``probabilities`` maps a label to
    its ``prob_<label>`` column, NaN where absent. ``attributes`` are all further columns that belong to the
    rating (rationale, confidence, challenge, ...).
    """

    item: NDArray[np.int32]
    metric: NDArray[np.int32]
    rater: NDArray[np.int32]
    run: Column
    raw: Column
    label: NDArray[np.int32]
    status: NDArray[np.int8]
    source: NDArray[np.int32]
    row: NDArray[np.int64]
    probabilities: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    attributes: Mapping[str, Column] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.item)

    def __repr__(self) -> str:
        further = [*self.attributes, *(f"prob_{label}" for label in self.probabilities)]
        return f"<Ratings: {len(self):,}, with {', '.join(further) or 'labels only'}>"
