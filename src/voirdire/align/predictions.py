"""Predictions: how people would judge each item, as a table, with the rows on which they would split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire import registry
from voirdire.align.calibration import CONTESTED
from voirdire.study.column import Column
from voirdire.study.scale import Scale

__all__ = ["Predictions", "contested_reasons"]

Floats = NDArray[np.float64]
THIRD = 0.2
"""A label outside the two likeliest that is expected from this share of people makes a row spread out."""
DECIMALS = 6
UNSEEN = "no human label on this metric in training"
SILENT = "the judge gave no verdict"


@dataclass(frozen=True, eq=False)
class Predictions:
    """One row an item and metric, n in all.

    ``item`` and ``metric`` name the rows, ``scale`` holds the C labels. ``probabilities`` (n, C) are the
    expected shares of people who give each label, human labels that exist (``human_labels`` (n,)) counted
    in. ``low`` and ``high`` (n, C) are credal bounds of the shares at ``level``, NaN where kappa is not
    measurable. ``disagreement`` (n,) is the chance that two people differ. ``contested`` (n,) rows have no
    label with an expected share of 0.6; ``reason`` says between which labels people split, and what makes a
    row less certain.
    """

    item: Column
    metric: Column
    scale: Scale
    probabilities: Floats
    low: Floats
    high: Floats
    disagreement: Floats
    human_labels: NDArray[np.int64]
    contested: NDArray[np.bool_]
    reason: Column
    level: float
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.probabilities)

    @property
    def columns(self) -> dict[str, Column]:
        """The text columns, in the order they are written; ``contested`` is ``true`` or ``false``."""
        most = self.probabilities.argmax(axis=1).astype(np.int32)
        return {
            "item_id": self.item,
            "metric": self.metric,
            "most_likely": Column(most, self.scale.labels),
            "contested": Column(self.contested.astype(np.int32), ("false", "true")),
            "reason": self.reason,
        }

    @property
    def numbers(self) -> dict[str, Floats]:
        """The number columns, to six decimals: shares, bounds, disagreement, the number of human labels."""
        labels = self.scale.labels
        table = {f"prob_{label}": self.probabilities[:, c] for c, label in enumerate(labels)}
        for c, label in enumerate(labels):
            table[f"low_{label}"], table[f"high_{label}"] = self.low[:, c], self.high[:, c]
        table |= {"disagreement": self.disagreement, "human_labels": self.human_labels.astype(np.float64)}
        return {name: values.round(DECIMALS) for name, values in table.items()}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every row as a dictionary of plain values; None where a number is undefined."""
        columns, numbers = self.columns, self.numbers
        for i in range(len(self)):
            row: dict[str, Any] = {name: column[i] for name, column in columns.items()}
            row["contested"] = bool(self.contested[i])
            values = ((name, float(each[i])) for name, each in numbers.items())
            yield row | {name: None if np.isnan(value) else value for name, value in values}

    def export(self, path: str) -> Path:
        """Write the table; the format follows the suffix: .csv, .tsv, .jsonl or .parquet."""
        written: Path = registry.get("writer", "predictions")(self, path)
        return written

    def to_pandas(self) -> Any:
        """The table as a pandas frame, where pandas is installed."""
        return import_module("pandas").DataFrame(list(self.rows()))


def contested_reasons(
    probabilities: Floats, scale: Scale, *, unseen: NDArray[np.bool_], silent: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], Column]:
    """Which rows (n,) are contested, and why each row is less than certain, missing where nothing is to say.

    ``probabilities`` is (n, C). Two likeliest labels with another between them on an ordered scale are called
    polarised, so that they are not taken for middling.

    >>> scale = Scale("ordinal", ("1", "2", "3"), ordered=True)
    >>> table, none = np.array([[0.5, 0.05, 0.45], [0.9, 0.1, 0.0]]), np.zeros(2, dtype=bool)
    >>> flags, why = contested_reasons(table, scale, unseen=none, silent=none)
    >>> flags.tolist(), why[0], why[1]
    ([True, False], 'polarised between 1 and 3', None)
    """
    contested = probabilities.max(axis=1) < CONTESTED
    order = np.argsort(-probabilities, axis=1, kind="stable")
    one, two = np.sort(order[:, :2], axis=1).T
    c = probabilities.shape[1]
    third = np.take_along_axis(probabilities, order[:, 2:3], axis=1)[:, 0] if c > 2 else np.zeros(len(order))
    spread = contested & (third >= THIRD)
    pair = np.where(contested, np.where(spread, c * c, one * c + two), -1)
    key = (pair + 1) * 4 + unseen * 2 + silent
    used, codes = np.unique(key, return_inverse=True)
    words = [_words(int(code), scale) for code in used.tolist()]
    return contested, Column(codes.astype(np.int32).ravel(), tuple(map(str, used))).recode(words)


def _words(key: int, scale: Scale) -> str | None:
    """The reason behind one key: which labels, a metric never seen, a judge without a verdict."""
    pair, flags = key // 4 - 1, key % 4
    c = len(scale.labels)
    said = []
    if pair == c * c:
        said.append("spread over more than two labels")
    elif pair >= 0:
        one, two = pair // c, pair % c
        kind = "polarised" if scale.ordered and two - one > 1 else "split"
        said.append(f"{kind} between {scale.labels[one]} and {scale.labels[two]}")
    said += [UNSEEN] if flags & 2 else []
    said += [SILENT] if flags & 1 else []
    return "; ".join(said) or None
