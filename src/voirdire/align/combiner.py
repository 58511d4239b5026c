"""The anonymous Bayesian combiner: what m people's labels say of the next, learned from the other items."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

__all__ = ["anonymous_bayesian_losses"]

Floats = NDArray[np.float64]
MOST_CELLS = 20_000_000


def anonymous_bayesian_losses(
    counts: Floats, group: NDArray[np.int32], alpha: Floats, m: int
) -> Floats | None:
    """Expected -log probability of one label given ``m`` others of its row at random (n,), in nats.

    The joint probability of a sequence of labels is its mean, over the other rows of the same ``group`` (n,)
    with m + 1 labels, of the chance to draw it without replacement; the next label's probability is a ratio
    of two joints. One more row, Dirichlet-multinomial with ``alpha`` (n, C) averaged over the group, makes
    every sequence possible. Exact over which labels are drawn. NaN below m + 1 labels; None where there are
    too many possible sequences.

    Source: Resnick et al. 2021 (arXiv 2106.01254), section 5; the additional row is ours.

    >>> counts = np.array([[2.0, 0.0]] * 9 + [[0.0, 2.0]] * 9)
    >>> loss = anonymous_bayesian_losses(counts, np.zeros(18, dtype=np.int32), np.ones((18, 2)), 1)
    >>> bool((loss < 0.1).all())
    True
    """
    usable = counts.sum(axis=1) > m
    loss = np.full(len(counts), np.nan)
    for code in np.unique(group[usable]).tolist():
        rows = np.flatnonzero(usable & (group == code))
        kinds, kind, times = np.unique(counts[rows], axis=0, return_inverse=True, return_counts=True)
        evidence = _multisets(counts.shape[1], m)
        if len(kinds) * len(evidence) * counts.shape[1] > MOST_CELLS:
            return None
        each = _losses(kinds, times.astype(np.float64), alpha[rows].mean(axis=0), evidence)
        loss[rows] = each[kind.ravel()]
    return loss


def _losses(kinds: Floats, times: Floats, alpha: Floats, evidence: Floats) -> Floats:
    """The loss of each distinct row of counts ``kinds`` (U, C), which occurs ``times`` (U,)."""
    m, c = int(evidence[0].sum()), kinds.shape[1]
    ways = np.exp(gammaln(m + 1) - gammaln(evidence + 1).sum(axis=1))
    known = _drawn(kinds, evidence)
    before = _others(known, times, _urn(alpha, evidence))
    loss = np.zeros(len(kinds))
    for label in range(c):
        longer = evidence + np.eye(c)[label]
        joint = _drawn(kinds, longer)
        after = _others(joint, times, _urn(alpha, longer))
        loss -= (ways * joint * np.log(after / before)).sum(axis=1)
    return loss


def _others(chance: Floats, times: Floats, further: Floats) -> Floats:
    """Summed chance (U, S) over all other rows and the additional one; a row does not inform itself."""
    total = times @ chance - chance
    others: Floats = np.maximum(total, 0.0) + further
    return others


def _drawn(kinds: Floats, sequence: Floats) -> Floats:
    """Chance (U, S) to draw one sequence with these counts (S, C) from each row's labels (U, C)."""
    n, s = kinds[:, None, :], sequence[None, :, :]
    possible = (n >= s).all(axis=2)
    left = np.maximum(n - s, 0)
    log = (gammaln(n + 1) - gammaln(left + 1)).sum(axis=2)
    size, m = kinds.sum(axis=1)[:, None], sequence.sum(axis=1)[None, :]
    log = log - gammaln(size + 1) + gammaln(np.maximum(size - m, 0) + 1)
    return np.where(possible, np.exp(log), 0.0)


def _urn(alpha: Floats, sequence: Floats) -> Floats:
    """Chance (S,) of one sequence under the Dirichlet-multinomial."""
    total, m = alpha.sum(), sequence.sum(axis=1)
    log = (gammaln(alpha + sequence) - gammaln(alpha)).sum(axis=1) + gammaln(total) - gammaln(total + m)
    chance: Floats = np.exp(log)
    return chance


def _multisets(n_labels: int, m: int) -> Floats:
    """Every way to have m labels, as counts (S, C)."""
    rows = [
        np.bincount(each, minlength=n_labels) for each in combinations_with_replacement(range(n_labels), m)
    ]
    return np.array(rows if m else [np.zeros(n_labels)], dtype=np.float64)
