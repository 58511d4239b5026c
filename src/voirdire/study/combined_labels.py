"""The labels of verdicts beside a study: read as the study reads the same rater, else by their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.study.column import Column
from voirdire.study.metric import Metric
from voirdire.study.ratings import OK, Ratings
from voirdire.study.scale import Scale
from voirdire.study.study import Study

__all__ = ["Codes", "joined_labels", "taken"]

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Codes:
    """Item, metric and rater of each rating (n,), as positions in the whole."""

    item: Positions
    metric: Positions
    rater: Positions


def taken(ratings: Ratings, rows: Positions) -> Ratings:
    """The ratings at ``rows`` only."""
    arrays = ("item", "metric", "rater", "label", "status", "source", "row")
    return replace(
        ratings,
        **{name: getattr(ratings, name)[rows] for name in arrays},
        run=ratings.run.take(rows),
        raw=ratings.raw.take(rows),
        probabilities={name: values[rows] for name, values in ratings.probabilities.items()},
        attributes={name: column.take(rows) for name, column in ratings.attributes.items()},
    )


def joined_labels(
    study: Study, verdicts: Study, theirs: Ratings, codes: Codes
) -> tuple[tuple[Metric, ...], NDArray[np.int32]]:
    """The study's metrics with room for the verdicts' labels, and the label codes of all ratings (n,).

    A text that the same rater gave on the same metric in the study means what it means there, declared maps
    included. Another label is added to a scale of numbers or of unordered words; an ordered scale of words
    takes none (-1).
    """
    known = _as_in_study(study, theirs, codes)
    metrics, own = list(study.metrics), study.ratings.label.copy()
    label = known.copy()
    for at in np.unique(codes.metric).tolist():
        mine = np.flatnonzero(codes.metric == at)
        source = verdicts.metrics[int(theirs.metric[mine[0]])].scale
        open_rows = mine[(known[mine] < 0) & (theirs.label[mine] >= 0)]
        used = np.unique(theirs.label[open_rows])
        scale = _widened(study.metrics[at].scale, source, [source.labels[code] for code in used.tolist()])
        metrics[at] = replace(metrics[at], scale=scale)
        moved = _moved(study.metrics[at].scale.labels, scale)
        of_metric = study.ratings.metric == at
        own[of_metric] = moved[own[of_metric]]
        label[mine] = moved[known[mine]]
        label[open_rows] = _moved(source.labels, scale)[theirs.label[open_rows]]
    return tuple(metrics), np.concatenate([own, label]).astype(np.int32)


def _moved(labels: Sequence[str], scale: Scale) -> Positions:
    """The code in ``scale`` of each of ``labels`` (q + 1,), -1 last: for no label."""
    return np.array([*(scale.code(label) for label in labels), -1], dtype=np.intp)


def _as_in_study(study: Study, theirs: Ratings, codes: Codes) -> Positions:
    """The label code (n,) that the study has for the same rater, metric and text; -1 where it has none."""
    ratings = study.ratings
    both = Column.concatenate([ratings.raw, theirs.raw])
    size = len(both.values) + 1
    n = len(ratings)

    def keys(metric: NDArray[np.integer], rater: NDArray[np.integer], raw: NDArray[np.int32]) -> Positions:
        wide = metric.astype(np.intp) * (len(study.raters) + 1) + np.minimum(rater, len(study.raters))
        key: Positions = wide * size + raw + 1
        return key

    read = np.flatnonzero((ratings.status == OK) & (ratings.label >= 0) & (both.codes[:n] >= 0))
    seen, first = np.unique(keys(ratings.metric, ratings.rater, both.codes[:n])[read], return_index=True)
    if not len(seen):
        return np.full(len(theirs), -1, dtype=np.intp)
    wanted = keys(codes.metric, codes.rater, both.codes[n:])
    at = np.minimum(np.searchsorted(seen, wanted), len(seen) - 1)
    met = (seen[at] == wanted) & (theirs.status == OK)
    return np.where(met, ratings.label[read[first[at]]], -1).astype(np.intp)


def _widened(own: Scale, theirs: Scale, used: Sequence[str]) -> Scale:
    """The study's scale with the labels ``used`` that only the verdicts have, where it has room for them."""
    new = [label for label in used if label not in own.labels]
    if not new:
        return own
    if own.values is not None and theirs.values is not None:
        value = dict(zip(theirs.labels, theirs.values, strict=True))
        all_values = {label: value[label] for label in new} | dict(zip(own.labels, own.values, strict=True))
        labels = sorted(all_values, key=lambda label: all_values[label])
        return replace(own, labels=tuple(labels), values=tuple(all_values[label] for label in labels))
    return own if own.ordered else replace(own, labels=(*own.labels, *new), values=None)
