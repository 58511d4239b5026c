"""Ratings as columns of integers for the viewer in a page: every label of every rater, nothing said twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.study import STATUSES, Column, Study

__all__ = ["SHORT", "ordered_rows", "ratings_data"]

Rows = NDArray[np.intp]
Codes = NDArray[np.integer[Any]]
SHORT = 60
"""A rating's attribute with a longer value is text, and is left out where texts are."""
SAID = ("rationale", "comment")
"""Attributes of ratings that are text however short."""


def ordered_rows(study: Study, rows: Rows) -> Rows:
    """``rows`` (n,) sorted by metric, item and rater, so that one item's ratings stand together."""
    ratings = study.ratings
    key = ratings.metric[rows].astype(np.int64) * len(study.items) + ratings.item[rows]
    key = key * len(study.raters) + ratings.rater[rows]
    order: Rows = rows[np.argsort(key, kind="stable")]
    return order


def ratings_data(study: Study, rows: Rows, *, text: bool = True) -> dict[str, Any]:
    """The ratings at ``rows`` (n,) of ``study`` as plain lists, items, raters and metrics numbered from 0.

    A column with one value throughout is that value instead of a list. ``text=False`` leaves out
    what was said: the items' texts, and attributes of ratings that hold more than a few words.
    """
    ratings = study.ratings
    items, item = _renumbered(ratings.item[rows], len(study.items))
    raters, rater = _renumbered(ratings.rater[rows], len(study.raters))
    metrics, metric = _renumbered(ratings.metric[rows], len(study.metrics))
    return {
        "items": [study.items.ids[code] for code in items.tolist()],
        "raters": [
            {"id": study.raters[code].id, "kind": study.raters[code].kind} for code in raters.tolist()
        ],
        "metrics": [
            {"name": study.metrics[code].name, "title": study.metrics[code].label}
            for code in metrics.tolist()
        ],
        "statuses": list(STATUSES),
        "sources": [source.name for source in study.sources],
        "attributes": _columns(study.items.attributes, items),
        "texts": _columns(study.items.texts, items) if text else [],
        "item": _packed(item),
        "rater": _packed(rater),
        "metric": _packed(metric),
        "label": _column(ratings.raw, rows),
        "run": _column(ratings.run, rows),
        "status": _packed(ratings.status[rows]),
        "source": _packed(ratings.source[rows]),
        "row": _packed(ratings.row[rows]),
        "more": _columns(ratings.attributes, rows, longest=None if text else SHORT),
    }


def _columns(
    columns: Mapping[str, Column], rows: Rows, *, longest: int | None = None
) -> list[dict[str, Any]]:
    return [
        {"name": name, **_column(column, rows)}
        for name, column in columns.items()
        if longest is None or (name not in SAID and max(map(len, column.values), default=0) <= longest)
    ]


def _column(column: Column, rows: Rows) -> dict[str, Any]:
    used, codes = _renumbered(column.codes[rows], len(column.values))
    return {"values": [column.values[code] for code in used.tolist()], "codes": _packed(codes)}


def _renumbered(codes: Codes, size: int) -> tuple[NDArray[np.intp], Codes]:
    """The codes in use, (k,), and ``codes`` renumbered to them; −1 stays −1."""
    used = np.zeros(size + 1, dtype=bool)
    used[codes] = True
    used[size] = False
    new = np.cumsum(used, dtype=np.int64) - 1
    new[size] = -1
    return np.flatnonzero(used), new[codes]


def _packed(codes: Codes) -> int | Sequence[int]:
    if len(codes) and (codes == codes[0]).all():
        return int(codes[0])
    packed: list[int] = codes.tolist()
    return packed
