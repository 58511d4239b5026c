"""Predictions: how people would judge each item, as a table, with the rows on which they would split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire import registry
from voirdire.align.contested import disputes
from voirdire.align.numerics import used_codes
from voirdire.study.column import Column
from voirdire.study.scale import Scale

__all__ = ["Predictions", "contested_reasons"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
THIRD = 0.2
"""A label outside the two likeliest that is expected from this share of people makes a row spread out."""
DECIMALS = 6
SPLIT, POLARISED, SPREAD = range(3)
UNSEEN = "no human label on this metric in training"
SILENT = "the judge gave no verdict"


@dataclass(frozen=True, eq=False)
class Predictions:
    """One row an item and metric, n in all.

    ``item`` and ``metric`` name the rows, ``scale`` holds the C labels. ``probabilities`` (n, C) are the
    expected shares of people who give each label, human labels that exist (``human_labels`` (n,)) counted
    in. ``low`` and ``high`` (n, C) are credal bounds of the shares at ``level``, NaN where kappa is not
    measurable. ``disagreement`` (n,) is the chance that two people differ, ``dispute`` (n,) that they differ
    by more than a third of an ordered scale. ``contested`` (n,) rows have a dispute of their metric's
    ``thresholds`` or more; ``reason`` says between which labels people split, and what makes a row less
    certain.
    """

    item: Column
    metric: Column
    scale: Scale
    probabilities: Floats
    low: Floats
    high: Floats
    disagreement: Floats
    dispute: Floats
    human_labels: NDArray[np.int64]
    contested: Flags
    reason: Column
    level: float
    thresholds: Mapping[str, float]
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
        """The number columns, to six decimals: shares, bounds, disagreement, dispute, number of labels."""
        labels = self.scale.labels
        table = {f"prob_{label}": self.probabilities[:, c] for c, label in enumerate(labels)}
        for c, label in enumerate(labels):
            table[f"low_{label}"], table[f"high_{label}"] = self.low[:, c], self.high[:, c]
        table |= {"disagreement": self.disagreement, "dispute": self.dispute}
        table["human_labels"] = self.human_labels.astype(np.float64)
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
    probabilities: Floats,
    contested: Flags,
    scale: Scale,
    *,
    unseen: Flags,
    silent: Flags,
) -> Column:
    """Why each row is less than certain, missing where nothing is to say.

    ``probabilities`` is (n, C), ``contested`` (n,). The labels named are the two that people likeliest
    dispute. On an ordered scale they are called polarised where every label between them is less likely than
    both, so that they are not taken for middling.

    >>> scale = Scale("ordinal", ("1", "2", "3"), ordered=True)
    >>> table, none = np.array([[0.5, 0.05, 0.45], [0.9, 0.1, 0.0]]), np.zeros(2, dtype=bool)
    >>> why = contested_reasons(table, np.array([True, False]), scale, unseen=none, silent=none)
    >>> why[0], why[1]
    ('polarised between 1 and 3', None)
    """
    c = len(scale.labels)
    q = probabilities[contested]
    one, two = _likeliest_dispute(q, scale)
    third = np.sort(q, axis=1)[:, -3] if c > 2 else np.zeros(len(q))
    kind = np.where(_polarised(q, one, two) & scale.ordered, POLARISED, SPLIT)
    kind = np.where((kind == SPLIT) & (third >= THIRD), SPREAD, kind)
    key = unseen * 2 + silent
    key[contested] += 4 * (1 + kind + 3 * (one * c + two))
    used, codes = used_codes(key, 4 * (1 + 3 * c**2))
    words = [_words(code, scale) for code in used.tolist()]
    return Column(codes.astype(np.int32), tuple(map(str, used))).recode(words)


def _likeliest_dispute(q: Floats, scale: Scale) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The two labels (n,) of the dispute that is likeliest, the lower one first."""
    one, two = np.nonzero(np.triu(disputes(scale)))
    if not len(one):
        return np.zeros(len(q), dtype=np.intp), np.zeros(len(q), dtype=np.intp)
    best = (q[:, one] * q[:, two]).argmax(axis=1)
    return one[best], two[best]


def _polarised(q: Floats, one: NDArray[np.intp], two: NDArray[np.intp]) -> Flags:
    """Whether labels lie between the two and all are less likely than both (n,)."""
    place, row = np.arange(q.shape[1]), np.arange(len(q))
    between = (place > one[:, None]) & (place < two[:, None])
    most = np.where(between, q, -1.0).max(axis=1)
    found: Flags = (most >= 0) & (most < np.minimum(q[row, one], q[row, two]))
    return found


def _words(key: int, scale: Scale) -> str | None:
    """The reason behind one key: which labels, a metric never seen, a judge without a verdict."""
    dispute, flags = key // 4 - 1, key % 4
    said = []
    if dispute >= 0:
        one, two = divmod(dispute // 3, len(scale.labels))
        labels = scale.labels[one], scale.labels[two]
        if dispute % 3 == SPREAD:
            reach = "from {} to {}" if scale.ordered else "over more than two labels"
            said.append("spread " + reach.format(*labels))
        else:
            kind = "polarised" if dispute % 3 == POLARISED else "split"
            said.append("{} between {} and {}".format(kind, *labels))
    said += [UNSEEN] if flags & 2 else []
    said += [SILENT] if flags & 1 else []
    return "; ".join(said) or None
