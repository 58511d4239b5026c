"""The numbers behind the organiser's tables, as tables to write."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voirdire.review.agreement import Agreement
from voirdire.review.progress import Progress
from voirdire.study.column import Column
from voirdire.writers.columns import Table

__all__ = ["standing_tables"]


def standing_tables(progress: Progress, agreement: Mapping[str, Agreement]) -> dict[str, Table]:
    """``coverage`` with agreement by metric, ``raters``, and ``shared``, a row a pair of raters."""
    pairs = [
        {
            "first": a,
            "second": b,
            "labelled": progress.shared.given[i][j],
            "planned": progress.shared.planned[i][j],
        }
        for i, a in enumerate(progress.shared.raters)
        for j, b in enumerate(progress.shared.raters)
        if i < j
    ]
    return {
        "coverage": _table(
            [_coverage(one, agreement.get(one.metric)) for one in progress.metrics],
            ("metric", "why_undefined"),
        ),
        "raters": _table([_rater(one) for one in progress.raters], ("rater_id", "last_seen")),
        "shared": _table(pairs, ("first", "second")),
    }


def _coverage(one: Any, told: Agreement | None) -> dict[str, Any]:
    alpha = None if told is None else told.alpha
    return {
        "metric": one.metric,
        "planned": one.planned,
        "labels": one.labels,
        "skips": one.skips,
        "not_sure": one.unsure,
        "borderline": one.borderline,
        **{
            f"items_with_{name}": n
            for name, n in zip(("0", "1", "2", "3_or_more"), one.coverage, strict=True)
        },
        **{
            f"challenge_{name}": one.challenges.get(name, 0)
            for name in ("none", "unclear", "hard", "ambiguous", "evidence")
        },
        "alpha": math.nan if alpha is None else alpha.value,
        "alpha_low": math.nan if alpha is None else alpha.low,
        "alpha_high": math.nan if alpha is None else alpha.high,
        "why_undefined": None if alpha is None else alpha.undefined,
    }


def _rater(one: Any) -> dict[str, Any]:
    return {
        "rater_id": one.rater_id,
        "assigned": one.assigned,
        "done": one.done,
        "labels": one.labels,
        "skips": one.skips,
        "not_sure": one.unsure,
        "borderline": one.borderline,
        "median_seconds": math.nan if one.seconds is None else one.seconds,
        "gold_right": one.gold.right,
        "gold_answered": one.gold.answered,
        "last_seen": one.seen or None,
    }


def _table(rows: Sequence[Mapping[str, Any]], texts: Sequence[str]) -> Table:
    """Rows as a table: ``texts`` are its text columns, all others are numbers."""
    names = list(rows[0]) if rows else list(texts)
    return Table(
        {name: Column.of([row[name] for row in rows]) for name in names if name in texts},
        {name: _numbers([row[name] for row in rows]) for name in names if name not in texts},
    )


def _numbers(values: Sequence[float]) -> Any:
    whole = all(isinstance(value, int) for value in values)
    return np.array(values, dtype=np.int64 if whole else np.float64)
