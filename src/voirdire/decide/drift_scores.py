"""The scores that a drift alarm follows: one a cluster of new human labels, in order of time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from voirdire.align.observe import Observed
from voirdire.align.pool import Pool
from voirdire.align.scores import log_score
from voirdire.decide.drift_map import by_cluster
from voirdire.errors import UserError
from voirdire.study.study import Study

__all__ = ["Scored", "moment", "scored"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Scored:
    """Mean log scores (n,) of clusters of ``n_labels`` labels, ordered by ``created_at`` or by ``rows``."""

    score: Floats
    n_labels: int
    order: str
    notes: tuple[str, ...] = ()


def scored(model: Pool, study: Study, rows: Observed, *, since: str = "") -> Scored:
    """Each cluster's mean log score under the model, at the time of its last label, from ``since`` on."""
    at, order, notes = _moments(study, rows)
    if since and order != "created_at":
        raise UserError(
            f"since {since}, and not every label says when it was given",
            where=study.name,
            expected="a column created_at",
        )
    late = rows.take(np.flatnonzero(at >= moment(since, "since"))) if since else rows
    if not len(late):
        return Scored(np.zeros(0), 0, order, notes)
    at = at[at >= moment(since, "since")] if since else at
    score = log_score(model.predict(late.features), late.target.counts)
    cluster = np.unique(late.target.cluster, return_inverse=True)[1]
    mean = by_cluster(score, cluster)
    last = np.full(len(mean), -np.inf)
    np.maximum.at(last, cluster, at)
    return Scored(mean[np.argsort(last, kind="stable")], int(late.target.counts.sum()), order, notes)


def moment(text: str, what: str) -> float:
    """Seconds since 1970 of an ISO date and time; without a zone it is UTC.

    >>> moment("1970-01-02", "since")
    86400.0
    """
    try:
        read = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError(f"{what} '{text}'", expected="a date such as 2026-11-29T10:30:00") from None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def _moments(study: Study, rows: Observed) -> tuple[Floats, str, tuple[str, ...]]:
    """When each row (n,) had its last human label: in seconds, or the place in the table."""
    n, present = len(study.items), [metric.name for metric in study.metrics]
    code = np.array([present.index(name) if name in present else -1 for name in rows.encoding.metrics])
    human = np.flatnonzero(study.usable & study.is_kind("human")[study.ratings.rater])
    place, order, notes = _places(study, human)
    last = np.full(len(present) * n, -np.inf)
    np.maximum.at(last, study.ratings.metric[human].astype(np.intp) * n + study.ratings.item[human], place)
    return last[code[rows.metric] * n + rows.item], order, notes


def _places(study: Study, human: Positions) -> tuple[Floats, str, tuple[str, ...]]:
    """The time of each human rating where all have one, else its place in the table."""
    column = study.ratings.attributes.get("created_at")
    if column is None:
        return human.astype(np.float64), "rows", ()
    codes = column.codes[human]
    if (codes < 0).any():
        note = f"{int((codes < 0).sum()):,} labels have no created_at: labels are taken in order of the rows."
        return human.astype(np.float64), "rows", (note,)
    seconds = np.full(len(column.values), np.nan)
    used = np.unique(codes)
    seconds[used] = [moment(column.values[k], "created_at") for k in used.tolist()]
    return seconds[codes], "created_at", ()
