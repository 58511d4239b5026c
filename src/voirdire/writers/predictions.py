"""Predictions of an aligner, a row an item and metric: CSV, TSV, JSON Lines or Parquet, by the suffix."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from voirdire.registry import register
from voirdire.study.column import Column
from voirdire.writers.columns import Table
from voirdire.writers.formats import write_table

__all__ = ["Tabular", "export_predictions"]


class Tabular(Protocol):
    """Anything with text columns and number columns of one length."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """Text columns, in the order they are written."""

    @property
    def numbers(self) -> Mapping[str, NDArray[np.float64]]:
        """Number columns, NaN where undefined."""


@register("writer", "predictions")
def export_predictions(predictions: Tabular, path: str | PathLike[str]) -> Path:
    """Write item, metric, most likely label, contested, reason, each label's share with its credal bounds.

    The columns are ``item_id``, ``metric``, ``most_likely``, ``contested``, ``reason``, ``prob_<label>``,
    ``low_<label>``, ``high_<label>``, ``disagreement``, ``dispute`` and ``human_labels``; undefined numbers
    are empty. ``contested`` is true or false, a boolean in JSON Lines and Parquet.
    """
    return write_table(Table(predictions.columns, predictions.numbers, flags=("contested",)), path)
