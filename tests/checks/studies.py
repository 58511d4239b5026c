"""Small studies built by hand, so that a check's test shows every label that it counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from voirdire.study import Column, Items, Metric, Rater, RaterKind, Ratings, Scale, Source, Study

PASS_FAIL = Scale("binary", ("pass", "fail"))
BORDERLINE = Scale("nominal", ("pass", "borderline", "fail"), indeterminate={"borderline": ("pass", "fail")})
SEVERITY = Scale("ordinal", ("1", "2", "3", "4"), ordered=True, values=(1.0, 2.0, 3.0, 4.0))
PAIR = Scale("pairwise", ("first", "tie", "second"))

Row = tuple[str, str, str, str | None]
"""item, metric, rater, label; a fifth entry is the run."""


def study(
    rows: Sequence[tuple[str | None, ...]],
    metrics: Sequence[Metric],
    *,
    judges: Sequence[str] = (),
    attributes: Mapping[str, Mapping[str, str]] | None = None,
    texts: Mapping[str, str] | None = None,
    people: Mapping[str, Rater] | None = None,
    rating_attributes: Mapping[str, Sequence[str | None]] | None = None,
    cluster: Mapping[str, str] | None = None,
    **more: object,
) -> Study:
    """A study of ``rows`` (item, metric, rater, label[, run]); ``attributes`` maps a name to the items'
    values.
    """
    items = tuple(dict.fromkeys(str(row[0]) for row in rows))
    ids = tuple(dict.fromkeys(str(row[2]) for row in rows))
    known = people or {}
    raters = tuple(known.get(one) or Rater(one, _kind(one, judges)) for one in ids)
    names = [metric.name for metric in metrics]
    label = [
        metrics[names.index(str(row[1]))].scale.code(str(row[3])) if row[3] is not None else -1
        for row in rows
    ]
    status = [
        0 if code >= 0 else 2 if _kind(str(row[2]), judges) == "judge" else 1
        for row, code in zip(rows, label, strict=True)
    ]
    ratings = Ratings(
        item=np.array([items.index(str(row[0])) for row in rows], dtype=np.int32),
        metric=np.array([names.index(str(row[1])) for row in rows], dtype=np.int32),
        rater=np.array([ids.index(str(row[2])) for row in rows], dtype=np.int32),
        run=Column.of([str(row[4]) if len(row) > 4 else "0" for row in rows]),
        raw=Column.of([row[3] for row in rows]),
        label=np.array(label, dtype=np.int32),
        status=np.array(status, dtype=np.int8),
        source=np.zeros(len(rows), dtype=np.int16),
        row=np.arange(2, len(rows) + 2, dtype=np.int64),
        attributes={name: Column.of(values) for name, values in (rating_attributes or {}).items()},
    )
    columns = {
        name: Column.of([values.get(one) for one in items]) for name, values in (attributes or {}).items()
    }
    given = {"text": Column.of([texts.get(one) for one in items])} if texts else {}
    clusters = None if cluster is None else Column.of([cluster[one] for one in items]).codes
    defaults: dict[str, object] = {"slice_by": tuple(columns), "sources": (Source("by hand"),)}
    return Study(
        "by hand",
        Items(items, columns, given, clusters),
        tuple(metrics),
        raters,
        ratings,
        **(defaults | more),
    )  # type: ignore[arg-type]


def table(metric: str, labels: Mapping[str, Sequence[str | None]], *, start: int = 0) -> list[Row]:
    """Rows of one metric from each rater's labels in the order of the items; None is no rating."""
    return [
        (f"i{start + position}", metric, rater, label)
        for rater, column in labels.items()
        for position, label in enumerate(column)
        if label is not None
    ]


def _kind(rater: str, judges: Sequence[str]) -> RaterKind:
    return "judge" if rater in judges else "human"
