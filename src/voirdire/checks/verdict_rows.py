"""One row a verdict, from which rates are counted: who gave it, on what, and whether it passes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.outcomes import passing
from voirdire.study import Metric, RaterKind

__all__ = ["VerdictRows", "first_runs", "verdict_rows"]


@dataclass(frozen=True, eq=False)
class VerdictRows:
    """Verdicts on metrics with a passing label: positions in the study and ``passed``, all (n,).

    ``lacking`` (n_raters of the study,) counts the units that each rater was asked for and gave no verdict
    on, or one that the declared policy removes: they are in no denominator. ``kind`` says whose verdicts
    these are: judge, or human where there is no judge.
    """

    kind: RaterKind
    rater: NDArray[np.intp]
    item: NDArray[np.intp]
    metric: NDArray[np.intp]
    passed: NDArray[np.bool_]
    cluster: NDArray[np.intp] | None
    lacking: NDArray[np.intp]

    @property
    def missing(self) -> int:
        """Missing verdicts of the raters who are in these rows."""
        return int(self.lacking[np.unique(self.rater)].sum())

    def take(self, rows: NDArray[np.bool_]) -> VerdictRows:
        """Only the verdicts in ``rows`` (n,)."""
        cluster = None if self.cluster is None else self.cluster[rows]
        return VerdictRows(
            self.kind,
            self.rater[rows],
            self.item[rows],
            self.metric[rows],
            self.passed[rows],
            cluster,
            self.lacking,
        )

    def __len__(self) -> int:
        return len(self.passed)


def verdict_rows(context: Context) -> VerdictRows:
    """The judges' verdicts, or the people's labels where there is no judge; the first run of each counts."""
    return context.once("verdict_rows", _verdict_rows)


def first_runs(context: Context, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of ``rows`` of the ratings, the first run of each rater, metric and item, in their order."""
    study, ratings = context.study, context.study.ratings
    if len(ratings.run.values) < 2:
        return rows
    unit = ratings.metric[rows].astype(np.int64) * len(study.items) + ratings.item[rows]
    unit = unit * len(study.raters) + ratings.rater[rows]
    order = np.argsort(ratings.run.codes[rows], kind="stable")
    _, first = np.unique(unit[order], return_index=True)
    return np.sort(rows[order[first]])


def _verdict_rows(context: Context) -> VerdictRows:
    study, ratings = context.study, context.study.ratings
    kind: RaterKind = "judge" if study.raters_of("judge") else "human"
    outcome = [_outcomes(metric) for metric in study.metrics]
    known = np.array([one is not None for one in outcome], dtype=bool)
    asked = np.flatnonzero(study.is_kind(kind)[ratings.rater] & known[ratings.metric])
    rows = first_runs(context, asked[study.usable[asked]])
    width = max([len(one) for one in outcome if one is not None], default=1)
    table = np.full((len(outcome), width), -1, dtype=np.int8)
    for code, one in enumerate(outcome):
        if one is not None:
            table[code, : len(one)] = one
    result = table[ratings.metric[rows], ratings.label[rows]]
    unit = ratings.metric[asked].astype(np.int64) * len(study.items) + ratings.item[asked]
    units = np.unique(unit * len(study.raters) + ratings.rater[asked]) % max(len(study.raters), 1)
    rows = rows[result >= 0]
    item = ratings.item[rows].astype(np.intp)
    given = np.bincount(ratings.rater[rows], minlength=len(study.raters))
    return VerdictRows(
        kind,
        ratings.rater[rows].astype(np.intp),
        item,
        ratings.metric[rows].astype(np.intp),
        result[result >= 0] == 1,
        _cluster(context, item),
        np.bincount(units, minlength=len(study.raters)) - given,
    )


def _outcomes(metric: Metric) -> NDArray[np.int8] | None:
    """Each label's outcome under the declared policy: 1 passes, 0 fails, −1 is removed; None if unknown."""
    code = passing(metric)
    if code is None:
        return None
    scale, new = metric.policy.apply(metric.scale)
    target = scale.code(metric.scale.labels[code])
    return np.where(new < 0, -1, new == target).astype(np.int8)


def _cluster(context: Context, item: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Each verdict's declared cluster, else its item where items were judged more than once."""
    declared = context.study.items.cluster
    if declared is not None:
        return declared[item].astype(np.intp)
    return item if len(np.unique(item)) < len(item) else None
