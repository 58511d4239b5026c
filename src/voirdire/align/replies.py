"""Replies: every row of one judge as its own label in words, its probabilities and the order shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voirdire.align.adapters.pairwise import SWAPPED
from voirdire.study.ratings import STATUSES
from voirdire.study.scale import Scale
from voirdire.study.scales import as_number
from voirdire.study.study import Study

__all__ = ["Replies", "own_labels", "replies_of"]

OK, INVALID = STATUSES.index("ok"), STATUSES.index("invalid")


@dataclass(frozen=True, eq=False)
class Replies:
    """m replies of one judge: ``row`` (m,) in the ratings, ``item`` (m,) and ``metric`` (m,) positions.

    ``own`` (m,) indexes ``labels``, -1 where the reply gave no verdict. A label outside the human scale is
    kept in its own words.
    """

    study: Study
    row: NDArray[np.intp]
    item: NDArray[np.intp]
    metric: NDArray[np.intp]
    own: NDArray[np.intp]
    labels: tuple[str, ...]

    @cached_property
    def swapped(self) -> NDArray[np.bool_] | None:
        """Which replies (m,) saw the second response first; None where the order shown is not recorded."""
        of_rating = self.study.ratings.attributes.get("presented")
        of_item = self.study.items.attributes.get("presented")
        column, at = (of_rating, self.row) if of_rating is not None else (of_item, self.item)
        if column is None:
            return None
        said = np.array(
            [*(value.strip().casefold() in SWAPPED for value in column.values), False], dtype=np.bool_
        )
        return said[column.codes[at]]

    def probabilities(self, labels: Sequence[str], part: NDArray[np.intp]) -> NDArray[np.float64]:
        """The stated probability of each of ``labels`` in the replies at ``part`` (m, C), NaN for none."""
        table, row = self.study.ratings.probabilities, self.row[part]
        none = np.full(len(row), np.nan)
        return np.stack([table[name][row] if name in table else none for name in labels], axis=1)


def replies_of(study: Study, judge: str, metrics: Sequence[str]) -> Replies:
    """Every reply of ``judge`` on ``metrics``, usable or not."""
    code = next((k for k in study.raters_of("judge") if study.raters[k].id == judge), None)
    vocabulary: dict[str, int] = {}
    rows, position, own = [], [], []
    for k, name in enumerate(metrics):
        of_metric = np.zeros(0, dtype=np.intp) if code is None else study.replies(name, code)
        rows.append(of_metric)
        position.append(np.full(len(of_metric), k, dtype=np.intp))
        own.append(_own(study, of_metric, study.metric(name).scale.labels, vocabulary))
    row = np.concatenate([np.zeros(0, dtype=np.intp), *rows])
    metric = np.concatenate([np.zeros(0, dtype=np.intp), *position])
    given = np.concatenate([np.zeros(0, dtype=np.intp), *own])
    return Replies(study, row, study.ratings.item[row].astype(np.intp), metric, given, tuple(vocabulary))


def own_labels(study: Study, judge: str, metrics: Sequence[str], scale: Scale) -> tuple[str, ...]:
    """The labels ``judge`` may give on ``metrics``: the human ones first where it uses any, then its own."""
    used = set(replies_of(study, judge, metrics).labels)
    human = [label for label in scale.labels if used & set(scale.labels)]
    others = sorted(
        used - set(human), key=lambda label: (as_number(label) is None, as_number(label) or 0.0, label)
    )
    return (*human, *others)


def _own(
    study: Study, rows: NDArray[np.intp], labels: tuple[str, ...], vocabulary: dict[str, int]
) -> NDArray[np.intp]:
    """Each row's label as a code of ``vocabulary``, which grows; -1 for no verdict."""
    ratings = study.ratings
    label, status, raw = ratings.label[rows], ratings.status[rows], ratings.raw.codes[rows]
    off_scale = (status == INVALID) & (raw >= 0)
    own = _among(vocabulary, labels, np.where(status == OK, label, -1))
    if not off_scale.any():
        return own
    return np.where(off_scale, _among(vocabulary, ratings.raw.values, np.where(off_scale, raw, -1)), own)


def _among(vocabulary: dict[str, int], words: tuple[str, ...], code: NDArray[np.int32]) -> NDArray[np.intp]:
    """Codes (m,) of ``words``, -1 for none, as codes of ``vocabulary``."""
    used = np.zeros(len(words) + 1, dtype=np.bool_)
    used[code] = True
    table = np.full(len(words) + 1, -1, dtype=np.intp)
    for each in np.flatnonzero(used[:-1]).tolist():
        table[each] = vocabulary.setdefault(words[each], len(vocabulary))
    return table[code]
