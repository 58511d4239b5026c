"""Pool: a weighted average of fitted calibrators, its weights learned on predictions out of fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Fitted, restore
from voirdire.align.features import Features
from voirdire.align.numerics import log_loss

__all__ = ["Pool", "pool_weights"]

Floats = NDArray[np.float64]
ROUNDS = 500
STILL = 1e-7


@dataclass(frozen=True, eq=False)
class Pool:
    """``members`` and their ``weights`` (M,), which sum to 1; a single chosen calibrator is a pool of one."""

    members: tuple[Fitted, ...]
    weights: Floats

    def predict(self, features: Features) -> Floats:
        """The weighted average of the members' distributions (n, C), computed once for rows alike."""
        kinds = features.kinds()
        if kinds is None:
            return self._mean(features)
        row, kind = kinds
        return self._mean(features.take(row))[kind]

    def _mean(self, features: Features) -> Floats:
        total = np.zeros((len(features), features.n_labels))
        for rows, part in features.chunks():
            for weight, member in zip(self.weights.tolist(), self.members, strict=True):
                total[rows] += weight * member.predict(part)
        return total

    def unseen(self, features: Features) -> NDArray[np.bool_]:
        """Rows whose metric had no human label in training (n,): their prediction is wider."""
        return self.members[0].unseen(features)

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain lists and numbers, for JSON."""
        return {"weights": self.weights.tolist(), "members": [member.to_dict() for member in self.members]}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Pool:
        """What :meth:`to_dict` gave."""
        return cls(tuple(restore(member) for member in saved["members"]), np.array(saved["weights"]))


def pool_weights(predicted: Sequence[Floats], counts: Floats) -> Floats:
    """Weights (M,) under which the average of ``predicted`` (n, C) each makes the labels (n, C) most likely.

    EM for mixture weights (linear pool) with one label's worth of prior spread evenly, 1/M each: no weight
    is 0.

    >>> sure, vague = np.array([[0.9, 0.1]] * 20), np.array([[0.5, 0.5]] * 20)
    >>> bool(pool_weights([sure, vague], np.array([[1.0, 0.0]] * 20))[0] > 0.9)
    True
    """
    row, label = np.nonzero(counts)
    weight = counts[row, label]
    likelihood = np.stack([each[row, label] for each in predicted], axis=1)
    m = likelihood.shape[1]
    weights = np.full(m, 1 / m)
    for _ in range(ROUNDS):
        mixed = likelihood @ weights
        share = weights * (likelihood.T @ (weight / mixed))
        new = (share + 1 / m) / (weight.sum() + 1)
        moved = float(np.abs(new - weights).max())
        weights = new
        if moved < STILL:
            break
    return weights


def one_standard_error(
    predicted: Sequence[Floats], counts: Floats, cluster: NDArray[np.intp], size: Sequence[int]
) -> int:
    """The smallest model (by ``size``) whose loss is within one standard error of the best model's.

    The standard error is that of the paired difference to the best, over clusters (n,).
    """
    losses = np.stack([log_loss(each, counts) for each in predicted])
    by_cluster = np.stack([np.bincount(cluster, weights=loss) for loss in losses])
    by_cluster = by_cluster[:, np.bincount(cluster) > 0]
    total = by_cluster.sum(axis=1)
    best = int(total.argmin())
    difference = by_cluster - by_cluster[best]
    n = by_cluster.shape[1]
    error = np.sqrt(n * difference.var(axis=1, ddof=1))
    near: list[int] = np.flatnonzero(total - total[best] <= error).tolist()
    return min(near, key=lambda k: (size[k], total[k]))
