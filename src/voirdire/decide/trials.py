"""One trial an item: what a verdict is, how sure it is, and what each label of a person would cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.scale import Scale

__all__ = ["Verdict", "draw_trials", "verdict_of"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Verdict:
    """What is said of n rows: ``answer`` (n, C), True for the labels named, and ``confidence`` (n,) in it.

    ``loss`` (n, C) is what the answer costs, from 0 to 1, where a person gives label c; it is 0 or 1 where
    an answer is right or wrong.
    """

    answer: NDArray[np.bool_]
    confidence: Floats
    loss: Floats

    def take(self, rows: Positions | NDArray[np.bool_]) -> Verdict:
        """The verdict on ``rows`` only."""
        return Verdict(self.answer[rows], self.confidence[rows], self.loss[rows])


def verdict_of(shares: Floats, scale: Scale, *, target: str, set_size: int = 2) -> Verdict:
    """The verdict that a distribution ``shares`` (n, C) supports.

    ``label``: the likeliest label, as sure as its share. ``set``: the ``set_size`` labels with the most mass,
    neighbours on an ordered scale. ``loss``: the distribution itself, its loss half the Brier loss
    sum_c (q_c - [c = y])^2 / 2, and its confidence 1 minus that loss's expectation under q.

    >>> q = np.array([[0.5, 0.1, 0.4]])
    >>> grades = Scale("ordinal", ("1", "2", "3"), ordered=True)
    >>> [verdict_of(q, grades, target=each).confidence.round(2).tolist() for each in ("label", "set", "loss")]
    [[0.5], [0.6], [0.71]]
    """
    c = shares.shape[1]
    if target == "loss":
        square = (shares**2).sum(axis=1)
        loss = (square[:, None] - 2 * shares + 1) / 2
        return Verdict(_likeliest(shares), (1 + square) / 2, np.clip(np.nan_to_num(loss, nan=1.0), 0.0, 1.0))
    size = set_size if target == "set" else 1
    if size >= c:
        raise UserError(
            f"a set of {size} labels holds all {c} labels", expected=f"a set_size from 1 to {c - 1}"
        )
    answer = _window(shares, size) if scale.ordered else _top(shares, size)
    mass = np.where(np.isnan(shares).any(axis=1), np.nan, (shares * answer).sum(axis=1))
    return Verdict(answer, mass, (~answer).astype(np.float64))


def draw_trials(loss: Floats, counts: Floats, *, binary: bool, rng: np.random.Generator) -> Floats:
    """Each row's error (n,): the ``loss`` (n, C) of a label drawn from its ``counts`` (n, C), or the mean.

    Where an error is right or wrong (``binary``) one label an item is one trial: k labels of an item hang
    together, and are never k trials. A mean over an item's labels is one bounded loss.
    """
    if not binary:
        mean: Floats = (loss * counts).sum(axis=1) / counts.sum(axis=1)
        return mean
    below = np.cumsum(counts, axis=1)
    label = (rng.random(len(counts))[:, None] * below[:, -1:] >= below).sum(axis=1)
    drawn: Floats = loss[np.arange(len(loss)), label]
    return drawn


def _likeliest(shares: Floats) -> NDArray[np.bool_]:
    chosen: NDArray[np.bool_] = np.arange(shares.shape[1]) == shares.argmax(axis=1)[:, None]
    return chosen


def _top(shares: Floats, size: int) -> NDArray[np.bool_]:
    """The ``size`` largest shares of each row."""
    order = np.argsort(-shares, axis=1, kind="stable")[:, :size]
    answer = np.zeros(shares.shape, dtype=np.bool_)
    np.put_along_axis(answer, order, values=True, axis=1)
    return answer


def _window(shares: Floats, size: int) -> NDArray[np.bool_]:
    """The ``size`` neighbouring labels with the most mass."""
    total = np.cumsum(np.pad(shares, ((0, 0), (1, 0))), axis=1)
    first = (total[:, size:] - total[:, :-size]).argmax(axis=1)[:, None]
    place = np.arange(shares.shape[1])
    inside: NDArray[np.bool_] = (place >= first) & (place < first + size)
    return inside
