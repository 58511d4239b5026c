"""Grouped folds: rows that share a cluster are never on both sides of a split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError

__all__ = ["FOLDS", "Folds", "grouped_folds"]

FOLDS = 5


@dataclass(frozen=True, eq=False)
class Folds:
    """``fold`` (n,) says in which of ``n_folds`` parts a row is held out; -1 is neither held out nor used."""

    fold: NDArray[np.intp]
    n_folds: int

    def __iter__(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Rows to train on and rows held out, one pair a fold."""
        for k in range(self.n_folds):
            held = self.fold == k
            yield np.flatnonzero(~held & (self.fold >= 0)), np.flatnonzero(held)


def grouped_folds(
    cluster: NDArray[np.intp],
    *,
    folds: int = FOLDS,
    use: NDArray[np.bool_] | None = None,
    rng: np.random.Generator,
) -> Folds:
    """Deal whole clusters (n,) to ``folds`` parts of about equal size, rows outside ``use`` (n,) to none.

    Clusters are shuffled, then the largest go first, each to the part with the fewest rows. With fewer
    clusters than folds there is one fold a cluster; a single cluster cannot be split.

    >>> split = grouped_folds(np.array([0, 0, 1, 1, 2]), folds=3, rng=np.random.default_rng(1))
    >>> split.fold[0] == split.fold[1], split.n_folds
    (np.True_, 3)
    """
    used = np.ones(len(cluster), dtype=np.bool_) if use is None else use
    names, part, size = np.unique(cluster[used], return_inverse=True, return_counts=True)
    if len(names) < 2:
        raise UserError(
            f"{len(names)} clusters with human labels cannot be split",
            expected="2 or more, better 50",
            fix="label more",
        )
    parts = min(folds, len(names))
    order = rng.permutation(len(names))
    order = order[np.argsort(-size[order], kind="stable")]
    load = np.zeros(parts)
    home = np.empty(len(names), dtype=np.intp)
    for name in order.tolist():
        home[name] = load.argmin()
        load[home[name]] += size[name]
    fold = np.full(len(cluster), -1, dtype=np.intp)
    fold[used] = home[part]
    return Folds(fold, parts)
