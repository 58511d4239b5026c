"""Arithmetic on panels that several checks need: pairs, majorities, parts, and labels as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.stats import Coded
from voirdire.study import Panel, Scale, Verdicts

__all__ = [
    "Pairs",
    "as_judge",
    "indeterminate_codes",
    "item_means",
    "majority",
    "narrow",
    "same_label_pairs",
    "several",
    "stack",
    "subset",
    "unanimous",
    "values_of",
]


@dataclass(frozen=True)
class Pairs:
    """Pairs of raters of one item: ``same`` of ``total`` gave one label."""

    same: int
    total: int

    @property
    def share(self) -> float:
        """Share of pairs with one label, NaN where there is no pair."""
        return self.same / self.total if self.total else float("nan")


def subset(coded: Coded, rows: NDArray[np.bool_]) -> tuple[Coded, NDArray[np.intp], NDArray[np.intp]]:
    """Only the ratings in ``rows`` (n,), with items and raters numbered anew; and their old numbers."""
    items, item = np.unique(coded.item[rows], return_inverse=True)
    raters, rater = np.unique(coded.rater[rows], return_inverse=True)
    cluster = None
    if coded.cluster is not None:
        cluster = np.unique(coded.cluster[items], return_inverse=True)[1].astype(np.int32)
    part = Coded(
        item=item.astype(np.int32),
        rater=rater.astype(np.int32),
        label=coded.label[rows],
        n_items=len(items),
        n_raters=len(raters),
        q=coded.q,
        values=coded.values,
        cluster=cluster,
        ordered=coded.ordered,
    )
    return part, items.astype(np.intp), raters.astype(np.intp)


def narrow(panel: Panel, rows: NDArray[np.bool_]) -> Panel:
    """The panel with only the labels in ``rows`` (n,)."""
    coded, items, raters = subset(panel.coded, rows)
    return Panel(panel.metric, panel.scale, coded, panel.items[items], panel.raters[raters], panel.rows[rows])


def stack(panels: Sequence[Panel], unit: NDArray[np.int32] | None) -> tuple[Coded, NDArray[np.intp]]:
    """Panels of one scale as one, each panel's items apart; and the raters' positions in the study.

    ``unit`` (n_items of the study,) are the study's clusters. The labels of one item on several metrics
    stay together when clusters are resampled, so without clusters the item is the cluster.
    """
    starts = np.concatenate([[0], np.cumsum([panel.coded.n_items for panel in panels])])
    cluster = np.concatenate([panel.items if unit is None else unit[panel.items] for panel in panels])
    raters, rater = np.unique(
        np.concatenate([panel.raters[panel.coded.rater] for panel in panels]), return_inverse=True
    )
    item = [panel.coded.item + start for panel, start in zip(panels, starts[:-1], strict=True)]
    first = panels[0].coded
    coded = Coded(
        item=np.concatenate(item).astype(np.int32),
        rater=rater.astype(np.int32),
        label=np.concatenate([panel.coded.label for panel in panels]),
        n_items=int(starts[-1]),
        n_raters=len(raters),
        q=first.q,
        values=first.values,
        cluster=np.unique(cluster, return_inverse=True)[1].astype(np.int32),
        ordered=first.ordered,
    )
    return coded, raters.astype(np.intp)


def several(coded: Coded) -> NDArray[np.bool_]:
    """Which items have two raters or more, (n_items,)."""
    return coded.ratings_per_item() >= 2


def same_label_pairs(coded: Coded) -> Pairs:
    """All pairs of raters of one item, each pair counted once, and those with the same label."""
    cells = np.unique(coded.item.astype(np.int64) * coded.q + coded.label, return_counts=True)[1]
    per_item = coded.ratings_per_item()
    return Pairs(int((cells * (cells - 1) // 2).sum()), int((per_item * (per_item - 1) // 2).sum()))


def majority(coded: Coded, tie: int | None = None) -> NDArray[np.intp]:
    """The most frequent label of each item, (n_items,); ``tie`` where two lead, −1 without one.

    >>> coded = Coded.from_matrix([[0, 0, 1], [0, 1, None], [1, None, None]], categories=[0, 1])
    >>> majority(coded).tolist(), majority(coded, tie=0).tolist()
    ([0, -1, 1], [0, 0, 1])
    """
    counts = coded.counts()
    if not counts.size:
        return np.full(coded.n_items, -1, dtype=np.intp)
    top = counts.max(axis=1)
    tied = (counts == top[:, None]).sum(axis=1) > 1
    return np.where(tied | (top == 0), -1 if tie is None else tie, counts.argmax(axis=1))


def as_judge(verdicts: Verdicts) -> NDArray[np.int64] | NDArray[np.float64]:
    """Verdicts as the statistics take them: codes (n_items,) of one run, shares (n_items, q) of several."""
    once = int(verdicts.runs.max(initial=0)) <= 1
    return verdicts.codes.astype(np.int64) if once else verdicts.shares


def unanimous(coded: Coded) -> NDArray[np.bool_]:
    """Which items have two raters or more who all gave one label, (n_items,)."""
    low = np.full(coded.n_items, coded.q, dtype=np.int64)
    high = np.full(coded.n_items, -1, dtype=np.int64)
    np.minimum.at(low, coded.item, coded.label)
    np.maximum.at(high, coded.item, coded.label)
    same: NDArray[np.bool_] = several(coded) & (low == high)
    return same


def values_of(scale: Scale) -> NDArray[np.float64] | None:
    """Each label as a number (q,): its value, else its rank where the scale is ordered, else None."""
    if scale.values is not None:
        return np.asarray(scale.values, dtype=np.float64)
    return np.arange(len(scale.labels), dtype=np.float64) if scale.ordered else None


def item_means(coded: Coded, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of the labels' ``values`` on each item, (n_items,), NaN where it has none."""
    n = coded.ratings_per_item()
    sums = np.bincount(coded.item, values[coded.label], minlength=coded.n_items)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: NDArray[np.float64] = sums / n
    return means


def indeterminate_codes(scale: Scale) -> NDArray[np.bool_]:
    """Which labels of the scale are indeterminate, (q,)."""
    return np.array([label in scale.indeterminate for label in scale.labels], dtype=bool)
