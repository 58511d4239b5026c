"""Prediction-powered means of every cell at once, with the covariance between cells that share clusters.

The estimate of a cell is its mean label minus lambda times what labelled rows are predicted to differ from
all rows. The errors of all cells are sums over clusters, so their covariance counts pairing by prompt; the
same sums over raters say what new raters would add.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from voirdire.decide.rates_design import Design, Values

__all__ = ["Means", "direct_means"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
DENSE = 4
"""A table with at most this many places an entry is multiplied faster in full than as a sparse one."""


@dataclass(frozen=True, eq=False)
class Means:
    """S cells: ``value`` with ``covariance`` (S, S) over new items and ``df`` (S,) degrees of freedom.

    ``alone`` and ``alone_variance`` (S,) are of the labels without predictions. ``tuning`` (S,) is lambda.
    ``rater_covariance`` (S, S) is what new raters add (a contrast of it may be negative: then nothing), on
    ``raters`` (S,) people. ``pooled`` (S,) marks cells that borrowed from others.
    """

    value: Floats
    covariance: Floats
    df: Floats
    alone: Floats
    alone_variance: Floats
    tuning: Floats
    rater_covariance: Floats
    raters: NDArray[np.int64]
    pooled: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Parts:
    """By cell (S,): mean label, mean prediction of labelled and of all rows, sum of weights and of rows."""

    label: Floats
    labelled: Floats
    every: Floats
    weight: Floats
    rows: NDArray[np.int64]


def direct_means(design: Design, values: Values) -> Means:
    """The estimate of each cell (S) from its own labels alone; NaN without one."""
    y, f, at = values.y, values.f, design.labelled
    parts = _parts(design, y, f, at)
    w, cell = design.weight[at], design.cell[at]
    own = w * (y[at] - parts.label[cell]) / parts.weight[cell]
    drawn = w * (f[at] - parts.labelled[cell]) / parts.weight[cell]
    every = np.arange(len(design.cell))
    labels = design.by_block(own, at)
    others = design.by_block(drawn, at)
    others -= design.by_block((f - parts.every[design.cell]) / parts.rows[design.cell], every)
    tuning = _tuning(design, labels, others)
    error = labels - tuning[design.block_cell] * others
    clusters = design.labelled_clusters.astype(np.float64)
    df = clusters - 1 - (tuning > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        grow = np.sqrt(np.where(df > 0, clusters / df, np.nan))
        grow_alone = np.where(clusters > 1, clusters / (clusters - 1), np.nan)
    return Means(
        parts.label - tuning * (parts.labelled - parts.every),
        _over_clusters(design, error) * np.outer(grow, grow),
        df,
        parts.label,
        design.of_blocks(labels**2) * grow_alone,
        tuning,
        _of_raters(design, values, parts, tuning),
        design.raters,
        np.zeros(design.n_cells, dtype=np.bool_),
    )


def _parts(design: Design, y: Floats, f: Floats, at: Positions) -> _Parts:
    w = design.weight[at]
    weight, rows = design.total(w, at), design.rows
    with np.errstate(invalid="ignore", divide="ignore"):
        return _Parts(
            design.total(w * y[at], at) / weight,
            design.total(w * f[at], at) / weight,
            design.total(f) / rows,
            weight,
            rows,
        )


def _tuning(design: Design, labels: Floats, others: Floats) -> Floats:
    """Lambda of each cell: the slope of the labels' error on the predictions', between 0 and 1."""
    both, square = design.of_blocks(labels * others), design.of_blocks(others**2)
    slope = np.divide(both, square, out=np.zeros_like(both), where=square > 1e-20)
    few = design.labelled_clusters < 3
    return np.where(few, 0.0, np.clip(slope, 0.0, 1.0))


def _over_clusters(design: Design, error: Floats) -> Floats:
    """Sums over clusters of the products of two cells' errors (S, S); ``error`` is by block (B,)."""
    shared = design.shared
    group, cell = design.block_cluster[shared], design.block_cell[shared]
    alone = design.of_blocks(np.where(shared, 0.0, error**2))
    return np.diag(alone) + _products(group, cell, error[shared], design.n_cells)


def _products(group: Positions, cell: Positions, error: Floats, n_cells: int) -> Floats:
    """Sums over groups of the products of two cells' errors (S, S)."""
    names, group = np.unique(group, return_inverse=True)
    if len(names) * n_cells <= DENSE * len(error):
        sums = np.bincount(group * n_cells + cell, weights=error, minlength=len(names) * n_cells)
        full = sums.astype(np.float64).reshape(len(names), n_cells)
        return full.T @ full
    table = csr_array((error, (group, cell)), shape=(len(names), n_cells))
    return np.asarray((table.T @ table).toarray(), dtype=np.float64)


def _of_raters(design: Design, values: Values, parts: _Parts, tuning: Floats) -> Floats:
    """What raters share over items, as covariance: sums by rater less sums by rater and cluster."""
    entry, rater = design.label_entry, design.label_rater
    if not len(entry):
        return np.zeros((design.n_cells, design.n_cells))
    cell = design.cell[entry]
    times = np.bincount(entry, minlength=len(design.cell))[entry]
    residual = values.label - tuning[cell] * values.f[entry]
    centre = parts.label - tuning * parts.labelled
    error = design.weight[entry] * (residual - centre[cell]) / (parts.weight[cell] * times)
    size = int(design.cluster.max(initial=0)) + 1
    met = np.unique(rater * size + design.cluster[entry], return_inverse=True)[1]
    raters = design.raters
    grow = np.sqrt(raters / np.maximum(raters - 1, 1))
    by_rater = _products(rater, cell, error, design.n_cells) * np.outer(grow, grow)
    shared: Floats = by_rater - _products(met, cell, error, design.n_cells)
    return shared
