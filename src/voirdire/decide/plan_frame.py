"""The sampling frame of a label plan: every item and metric that may be labelled, and what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.plan_raters import Pool
from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.scales import as_number
from voirdire.study.study import Study

__all__ = ["Frame", "frame_of"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]
CHANCE = "sampling_probability"
NO_VERDICT = "no verdict"


@dataclass(frozen=True, eq=False)
class Frame:
    """n rows, one an item and metric, sorted by metric and item.

    ``item`` (n,) are positions in the study's items, ``metric`` (n,) in the study's metrics. ``people`` (n,)
    counts who labelled a row, ``asked`` (n,) says whether a judge was asked. ``said`` (n,) is the judges'
    most frequent label as a position in ``labels``, whose last one is no verdict; ``systems`` (n, 1) or
    (n, 2) whose work it is, -1 where not recorded. ``chance`` (n,) is the chance with which a row came to be
    labelled so far, ``uneven`` says that these chances are recorded and differ. ``able`` (n,) counts the
    raters who may still label a row; ``closed`` are pairs of row and rater who may not.
    """

    item: Positions
    metric: Positions
    people: NDArray[np.int64]
    asked: Flags
    said: Positions
    labels: tuple[str, ...]
    systems: Positions
    chance: Floats
    uneven: bool
    able: NDArray[np.int64]
    closed: tuple[Positions, Positions]

    def __len__(self) -> int:
        return len(self.item)

    @property
    def labelled(self) -> Flags:
        """Rows that a person has labelled, (n,)."""
        labelled: Flags = self.people > 0
        return labelled

    @property
    def metrics(self) -> list[int]:
        """The metrics that have rows, as positions in the study's."""
        every: list[int] = np.unique(self.metric).tolist()
        return every


def frame_of(study: Study, pool: Pool, metrics: Sequence[str]) -> Frame:
    """Every item that a judge was asked about or a person labelled; without a judge every item, by metric.

    Without ``metrics`` those that people have begun to label count, all where they have labelled none. Items
    used as examples in a judge's prompt are left out.
    """
    codes = sorted(dict.fromkeys(study.metric_index(name) for name in metrics or _begun(study)))
    parts = [_rows_of(study, code) for code in codes]
    item = np.concatenate([part for part, _ in parts])
    metric = np.repeat(np.array(codes, dtype=np.intp), [len(part) for part, _ in parts])
    asked = np.concatenate([each for _, each in parts])
    if not len(item):
        raise UserError("no item to label", where=study.name, fix="add items, or a judge's verdicts on them")
    keys = metric * len(study.items) + item
    people = _people(study, keys)
    said, labels = _said(study, keys, codes)
    closed = pool.closed(study, item, metric)
    able = len(pool.names) - np.bincount(closed[0], minlength=len(item))
    chance, uneven = _chance(study, item, metric, people > 0, asked)
    return Frame(
        item, metric, people, asked, said, labels, _systems(study, item), chance, uneven, able, closed
    )


def _begun(study: Study) -> list[str]:
    """The metrics that people have labelled, of those a judge was asked about where there are such."""
    every = [metric.name for metric in study.metrics]
    begun = [name for name in every if len(study.rows(name, kind="human"))]
    judged = [name for name in begun if len(study.rows(name, kind="judge", usable=False))]
    return judged or begun or every


def _rows_of(study: Study, code: int) -> tuple[Positions, Flags]:
    """The items of one metric, and on which of them a judge was asked."""
    name, ratings, n = study.metrics[code].name, study.ratings, len(study.items)
    asked, kept = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    asked[ratings.item[study.rows(name, kind="judge", usable=False)]] = True
    kept[ratings.item[study.rows(name, kind="human")]] = True
    kept |= asked if asked.any() else True
    column = ratings.attributes.get("used_as_example")
    if column is not None:
        shown = [value.strip().lower() in ("true", "1", "yes") for value in column.values]
        flagged = np.array([*shown, False])[column.codes] & (ratings.metric == code)
        kept[ratings.item[flagged]] = False
    rows = np.flatnonzero(kept)
    return rows, asked[rows]


def _place(keys: Positions, wanted: Positions) -> tuple[Positions, Flags]:
    """The row of each key that is ``wanted`` (m,), and whether there is one."""
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return at, keys[at] == wanted


def _people(study: Study, keys: Positions) -> NDArray[np.int64]:
    ratings = study.ratings
    used = np.flatnonzero(study.usable & study.is_kind("human")[ratings.rater])
    wanted = ratings.metric[used].astype(np.intp) * len(study.items) + ratings.item[used]
    at, known = _place(keys, wanted)
    pair = np.unique(at[known] * len(study.raters) + ratings.rater[used[known]])
    return np.bincount(pair // len(study.raters), minlength=len(keys))


def _said(study: Study, keys: Positions, codes: Sequence[int]) -> tuple[Positions, tuple[str, ...]]:
    """The label that judges gave most often, by row; the first in the scale's order among equals."""
    labels = tuple(dict.fromkeys(label for code in codes for label in study.metrics[code].scale.labels))
    said = np.full(len(keys), len(labels), dtype=np.intp)
    ratings, c = study.ratings, len(labels) + 1
    for code in codes:
        rows = study.rows(study.metrics[code].name, kind="judge")
        place = np.array([labels.index(label) for label in study.metrics[code].scale.labels], dtype=np.intp)
        at, known = _place(keys, code * len(study.items) + ratings.item[rows].astype(np.intp))
        cell, votes = np.unique(at[known] * c + place[ratings.label[rows[known]]], return_counts=True)
        order = np.lexsort((cell, -votes, cell // c))
        row, first = np.unique(cell[order] // c, return_index=True)
        said[row] = cell[order][first] % c
    return said, (*labels, NO_VERDICT)


def _systems(study: Study, item: Positions) -> Positions:
    attributes = study.items.attributes
    if "system" in attributes:
        return attributes["system"].codes[item].astype(np.intp)[:, None]
    if {"system_a", "system_b"} <= set(attributes):
        both = Column.concatenate([attributes["system_a"], attributes["system_b"]])
        n = len(study.items)
        return np.stack([both.codes[:n][item], both.codes[n:][item]], axis=1).astype(np.intp)
    return np.zeros((len(item), 1), dtype=np.intp)


def _chance(
    study: Study, item: Positions, metric: Positions, labelled: Flags, asked: Flags
) -> tuple[Floats, bool]:
    """The recorded chances, else each metric's share of rows with a label; rows without a judge apart."""
    share = np.zeros(len(item))
    for code in np.unique(metric).tolist():
        for judged in (False, True):
            rows = (metric == code) & (asked == judged)
            share[rows] = labelled[rows].mean() if rows.any() else 0.0
    stated = _stated(study, item, metric)
    sound = (stated > 0) & (stated <= 1)
    seen = stated[sound & labelled]
    return np.where(sound, stated, share), bool(len(seen) and np.ptp(seen) > 1e-9)


def _stated(study: Study, item: Positions, metric: Positions) -> Floats:
    """What a column ``sampling_probability`` says of items, else of people's ratings; NaN elsewhere."""
    column = study.items.attributes.get(CHANCE)
    if column is not None:
        return _numbers(column)[item]
    stated = np.full(len(item), np.nan)
    column = study.ratings.attributes.get(CHANCE)
    if column is not None:
        used = np.flatnonzero(study.is_kind("human")[study.ratings.rater] & ~column.is_missing)
        wanted = study.ratings.metric[used].astype(np.intp) * len(study.items) + study.ratings.item[used]
        at, known = _place(metric * len(study.items) + item, wanted)
        stated[at[known]] = _numbers(column)[used[known]]
    return stated


def _numbers(column: Column) -> Floats:
    values = [as_number(value) for value in column.values]
    return np.array([*(np.nan if value is None else value for value in values), np.nan])[column.codes]
