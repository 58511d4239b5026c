"""A study's ratings as the columns of one long table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.study.column import Column
from voirdire.study.ratings import OK, STATUSES
from voirdire.study.study import Study

__all__ = ["Table", "rating_columns"]


@dataclass(frozen=True, eq=False)
class Table:
    """Text ``columns`` and number columns (NaN where missing), all (n,), in the order they are written.

    ``flags`` are text columns of ``true`` and ``false``, written as booleans where the format has them.
    """

    columns: Mapping[str, Column]
    numbers: Mapping[str, NDArray[np.float64] | NDArray[np.int64]]
    flags: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


def rating_columns(study: Study) -> Table:
    """One row a rating: canonical columns, attributes of item, rater and rating, texts and probabilities.

    A status is written where any rating is not simply labelled. Columns are left out that the study does not
    have.
    """
    ratings = study.ratings
    columns = {
        "item_id": Column(ratings.item, study.items.ids),
        "metric": Column(ratings.metric, tuple(metric.name for metric in study.metrics)),
        "rater_id": Column(ratings.rater, tuple(rater.id for rater in study.raters)),
        "rater_kind": Column.of([rater.kind for rater in study.raters]).take(ratings.rater),
        "label": ratings.raw,
        "run": ratings.run,
    }
    if (ratings.status != OK).any():
        columns["status"] = Column(ratings.status.astype(np.int32), STATUSES)
    for name, column in _further(study):
        columns.setdefault(name, column)
    numbers = {f"prob_{label}": values for label, values in ratings.probabilities.items()}
    return Table(columns, numbers)


def _further(study: Study) -> Iterator[tuple[str, Column]]:
    ratings = study.ratings
    for name, column in {**study.items.attributes, **study.items.texts}.items():
        yield name, column.take(ratings.item)
    for name in dict.fromkeys(name for rater in study.raters for name in rater.attributes):
        yield name, Column.of([rater.attributes.get(name) for rater in study.raters]).take(ratings.rater)
    for name in ("expertise", "model", "family"):
        values = [getattr(rater, name) or None for rater in study.raters]
        if any(values):
            yield name, Column.of(values).take(ratings.rater)
    yield from ratings.attributes.items()
