"""Which rows count towards which cell (a system, a pair of systems), with what weight and in what cluster."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Design", "Values"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Values:
    """A quantity on e entries: ``y`` people's mean, ``f`` as predicted, and ``spread`` the variance that is
    predicted for ``y``, all (e,), ``y`` and ``spread`` any number where unlabelled; ``label`` (m,) of each
    single label.
    """

    y: Floats
    f: Floats
    spread: Floats
    label: Floats


@dataclass(frozen=True, eq=False)
class Design:
    """e entries, each a judged row that counts towards one of S cells; a row may count towards two.

    ``row`` (e,), ``cell`` (e,) and ``cluster`` (e,) place an entry; ``weight`` (e,) is the inverse of its
    chance of being labelled, 0 where it has no label. ``block`` (e,) numbers the clusters within cells;
    ``block_cell`` (B,) and ``block_cluster`` (B,) say which. ``label_entry``, ``label_rater`` (m,) and
    ``label_value`` (m,) are the single labels: the label's position in the scale.
    """

    row: Positions
    cell: Positions
    cluster: Positions
    weight: Floats
    n_cells: int
    block: Positions
    block_cell: Positions
    block_cluster: Positions
    label_entry: Positions
    label_rater: Positions
    label_value: Positions

    @classmethod
    def of(
        cls,
        row: Positions,
        cell: Positions,
        n_cells: int,
        *,
        cluster: Positions,
        weight: Floats,
        labels: tuple[Positions, Positions, Positions],
    ) -> Design:
        """Entries (e,) of rows; ``cluster`` and ``weight`` are by row (n,), ``labels`` row, rater and label.

        >>> none = np.zeros(0, dtype=np.intp)
        >>> entries = np.arange(4), np.array([0, 0, 1, 1])
        >>> cluster = np.array([0, 0, 0, 1])
        >>> made = Design.of(*entries, 2, cluster=cluster, weight=np.ones(4), labels=(none, none, none))
        >>> made.block.tolist(), made.block_cell.tolist()
        ([0, 0, 1, 2], [0, 1, 1])
        """
        own = cluster[row]
        size = int(own.max(initial=0)) + 1
        used, block = np.unique(cell * size + own, return_inverse=True)
        of_row, rater, value = labels
        labelled = np.flatnonzero(weight[row] > 0)
        order = labelled[np.argsort(row[labelled], kind="stable")]
        start = np.searchsorted(row[order], of_row)
        times = np.searchsorted(row[order], of_row, side="right") - start
        first = np.repeat(start, times)
        offset = np.arange(len(first)) - np.repeat(np.cumsum(times) - times, times)
        return cls(
            row,
            cell,
            own,
            weight[row],
            n_cells,
            block.astype(np.intp),
            used // size,
            used % size,
            order[first + offset],
            np.repeat(rater, times),
            np.repeat(value, times),
        )

    @cached_property
    def labelled(self) -> Positions:
        """The entries with a label."""
        return np.flatnonzero(self.weight > 0)

    @cached_property
    def shared(self) -> NDArray[np.bool_]:
        """The blocks (B,) whose cluster has rows in other cells too."""
        return np.bincount(self.block_cluster)[self.block_cluster] > 1

    def by_block(self, x: Floats, at: Positions) -> Floats:
        """Sum of ``x`` over the entries ``at``, by block (B,)."""
        return np.bincount(self.block[at], weights=x, minlength=len(self.block_cell)).astype(np.float64)

    def of_blocks(self, x: Floats) -> Floats:
        """Sum of ``x`` (B,) by cell (S,)."""
        return np.bincount(self.block_cell, weights=x, minlength=self.n_cells).astype(np.float64)

    def total(self, x: Floats, at: Positions | None = None) -> Floats:
        """Sum of ``x`` over the entries ``at``, all of them unless given, by cell (S,)."""
        cell = self.cell if at is None else self.cell[at]
        return np.bincount(cell, weights=x, minlength=self.n_cells).astype(np.float64)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """How many rows each cell has (S,)."""
        return np.bincount(self.cell, minlength=self.n_cells)

    @cached_property
    def labelled_rows(self) -> NDArray[np.int64]:
        """How many labelled rows each cell has (S,)."""
        return np.bincount(self.cell[self.labelled], minlength=self.n_cells)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """How many labels each cell has (S,)."""
        return np.bincount(self.cell[self.label_entry], minlength=self.n_cells)

    @cached_property
    def labelled_clusters(self) -> NDArray[np.int64]:
        """How many clusters with a label each cell has (S,)."""
        used = np.bincount(self.block[self.labelled], minlength=len(self.block_cell)) > 0
        return np.bincount(self.block_cell[used], minlength=self.n_cells)

    @cached_property
    def raters(self) -> NDArray[np.int64]:
        """How many people labelled each cell (S,)."""
        size = int(self.label_rater.max(initial=0)) + 1
        used = np.unique(self.cell[self.label_entry] * size + self.label_rater) // size
        return np.bincount(used, minlength=self.n_cells)
