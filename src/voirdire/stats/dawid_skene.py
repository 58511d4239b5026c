"""Dawid and Skene's model: one true class an item, and each rater's own errors about it.

A diagnostic of raters, never a target for a judge: it takes every disagreement for somebody's error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from voirdire.errors import UserError
from voirdire.registry import register

__all__ = ["DawidSkene", "Mode", "dawid_skene", "separation"]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

ITERATIONS = 5_000
STILL = 1e-12
"""EM stops where a step gains less than this share of the log likelihood,"""
SETTLED = 1e-6
"""and moves no item's class by more than this."""
SAME = 1e-4
"""Log likelihoods nearer than this are one mode."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One local maximum: its log likelihood, and how many of the starts ended there."""

    log_likelihood: float
    starts: int


@dataclass(frozen=True, slots=True, eq=False)
class DawidSkene:
    """A local maximum of the likelihood, reached from the share of each item's labels as its classes.

    ``prevalence`` (q,) are the classes' shares, ``confusion`` (R, q, q) each rater's chance of every label
    (last axis) given the class, NaN in the row of a class that the rater met on no item. ``posterior``
    (N, q) are the items' classes as the model sees them. ``modes`` are all maxima found, the likeliest first,
    over this start and ``restarts`` random ones. ``undefined`` is ``no_labels`` without a label.
    """

    prevalence: Floats
    confusion: Floats
    posterior: Floats
    log_likelihood: float
    iterations: int
    converged: bool
    restarts: int
    modes: tuple[Mode, ...]
    one_coin: bool
    undefined: str | None = None

    @property
    def start(self) -> str:
        """Where the search began, in words."""
        return f"each item's share of labels; {self.restarts} random restarts"

    @property
    def multimodal(self) -> bool:
        """Whether the starts ended in maxima of different height, so that the fit hangs on the start."""
        return len(self.modes) > 1

    @property
    def separation(self) -> Floats:
        """How far each rater's labels tell classes apart (R,): 1 without error, 0 for one who ignores them.

        The mean over pairs of classes of half the squared distance of their rows in ``confusion``; NaN for
        a rater who met fewer than two classes. Source: Raykar & Yu 2012, equation 12.
        """
        return separation(self.confusion)


def separation(confusion: Floats) -> Floats:
    """Mean over pairs of classes of half the squared distance of their rows: (..., q, q) gives (...).

    >>> separation(np.array([np.eye(2), [[0.3, 0.7], [0.3, 0.7]]])).tolist()
    [1.0, 0.0]
    """
    first, second = np.triu_indices(confusion.shape[-1], 1)
    apart = ((confusion[..., first, :] - confusion[..., second, :]) ** 2).sum(axis=-1) / 2
    known = np.isfinite(apart)
    with np.errstate(invalid="ignore"):
        mean: Floats = np.where(known, apart, 0.0).sum(axis=-1) / known.sum(axis=-1)
    return mean


@register("statistic", "dawid_skene")
def dawid_skene(
    item: ArrayLike,
    rater: ArrayLike,
    label: ArrayLike,
    *,
    n_labels: int,
    one_coin: bool = False,
    restarts: int = 20,
    rng: np.random.Generator | None = None,
) -> DawidSkene:
    """Raters' confusion matrices and items' classes that make the labels likeliest, by EM in logs.

    ``item``, ``rater`` and ``label`` (n,) are codes from 0, one entry a rating; several ratings of one item
    by one rater all count. With ``one_coin`` a rater errs equally often on every class and spreads errors
    evenly. The likelihood has several maxima: the fit is the one reached from each item's share of labels,
    and ``modes`` says what ``restarts`` random starts reached.

    A diagnostic only: it explains disagreement away as error, so neither its classes nor its posteriors are
    what people think.

    Source: Dawid & Skene 1979.

    >>> item, rater, label = [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 1, 0]
    >>> fitted = dawid_skene(item, rater, label, n_labels=2, restarts=0)
    >>> fitted.posterior.argmax(axis=1).tolist()[:2], fitted.start
    ([0, 1], "each item's share of labels; 0 random restarts")
    """
    votes = _Votes.of(item, rater, label, n_labels)
    if restarts and rng is None:
        raise UserError("random restarts need a generator", fix="rng=np.random.default_rng(0)")
    if not len(votes.rated):
        return _nothing(votes, one_coin, restarts)
    shares = votes.by_item()
    found = _climb(votes, shares / shares.sum(axis=1, keepdims=True), one_coin)
    starts = [rng.dirichlet(np.ones(n_labels), len(shares)) for _ in range(restarts)] if rng else []
    reached = [found.log_likelihood, *(_climb(votes, one, one_coin).log_likelihood for one in starts)]
    posterior = np.full((votes.n_items, n_labels), math.nan)
    posterior[votes.rated] = found.posterior
    return DawidSkene(
        np.exp(found.log_prevalence),
        _met(votes, found),
        posterior,
        found.log_likelihood,
        found.iterations,
        found.converged,
        restarts,
        _modes(reached),
        one_coin,
    )


def _met(votes: _Votes, found: _Climb) -> Floats:
    """The confusion matrices, NaN where a rater has no item of the class."""
    met = votes.weight(found.posterior).sum(axis=2, keepdims=True) > 0
    return np.where(met, np.exp(found.log_confusion), math.nan)


def _modes(reached: list[float]) -> tuple[Mode, ...]:
    """Log likelihoods grouped where they lie next to each other, the highest first."""
    heights: list[list[float]] = []
    for value in sorted(reached, reverse=True):
        if heights and heights[-1][0] - value <= SAME * max(1.0, abs(value) * 1e-2):
            heights[-1].append(value)
        else:
            heights.append([value])
    return tuple(Mode(group[0], len(group)) for group in heights)


def _nothing(votes: _Votes, one_coin: bool, restarts: int) -> DawidSkene:
    q, nan = votes.q, math.nan
    empty = np.empty((0, q, q)), np.empty((0, q))
    return DawidSkene(np.full(q, nan), *empty, nan, 0, False, restarts, (), one_coin, "no_labels")


@dataclass(frozen=True, slots=True, eq=False)
class _Votes:
    """How often each rater gave each label on each rated item: ``counts`` (rated items, R q), sparse.

    ``by_cell`` is its transpose.
    """

    counts: csr_array
    by_cell: csr_array
    rated: Codes
    n_items: int
    n_raters: int
    q: int

    @classmethod
    def of(cls, item: ArrayLike, rater: ArrayLike, label: ArrayLike, q: int) -> _Votes:
        items, raters, labels = (np.asarray(codes, dtype=np.int64) for codes in (item, rater, label))
        if not items.shape == raters.shape == labels.shape or items.ndim != 1:
            raise UserError("items, raters and labels of different shapes", expected="one entry a rating")
        if min(codes.min(initial=0) for codes in (items, raters, labels)) < 0 or labels.max(initial=0) >= q:
            raise UserError("a code out of range", expected=f"codes from 0, labels to {q - 1}")
        if q < 2:
            raise UserError(f"{q} labels", expected="two or more")
        rated, row = np.unique(items, return_inverse=True)
        n_raters = int(raters.max(initial=-1)) + 1
        counts = csr_array((np.ones(len(row)), (row, raters * q + labels)), shape=(len(rated), n_raters * q))
        return cls(counts, counts.T.tocsr(), rated, int(items.max(initial=-1)) + 1, n_raters, q)

    def by_item(self) -> Floats:
        """Labels of each rated item by any rater (rated items, q)."""
        any_rater = np.tile(np.eye(self.q), (self.n_raters, 1))
        return np.asarray(self.counts @ any_rater)

    def weight(self, posterior: Floats) -> Floats:
        """Expected number of each rater's labels by class (R, q, q)."""
        table = np.asarray(self.by_cell @ posterior).reshape(self.n_raters, self.q, self.q)
        return table.transpose(0, 2, 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Climb:
    log_prevalence: Floats
    log_confusion: Floats
    posterior: Floats
    log_likelihood: float
    iterations: int
    converged: bool


def _climb(votes: _Votes, posterior: Floats, one_coin: bool) -> _Climb:
    """EM from the items' classes ``posterior`` (rated items, q) until they and the likelihood stand still."""
    value, converged, step = -math.inf, False, 0
    while not converged and step < ITERATIONS:
        step += 1
        log_prevalence, log_confusion = _maximise(votes, posterior, one_coin)
        by_label = log_confusion.transpose(0, 2, 1).reshape(-1, votes.q)
        joint = log_prevalence + np.asarray(votes.counts @ by_label)
        before, new, posterior = posterior, *_normalised(joint)
        converged = new - value <= STILL * abs(new) and bool(np.abs(posterior - before).max() <= SETTLED)
        value = new
    return _Climb(log_prevalence, log_confusion, posterior, value, step, converged)


def _normalised(joint: Floats) -> tuple[float, Floats]:
    """Sum of the rows' log sums of exponentials, and each row's shares (n, q)."""
    top = joint.max(axis=1, keepdims=True)
    shares = np.exp(joint - top)
    total = shares.sum(axis=1, keepdims=True)
    return float((top + np.log(total)).sum()), shares / total


def _maximise(votes: _Votes, posterior: Floats, one_coin: bool) -> tuple[Floats, Floats]:
    """Log prevalence (q,) and log confusion (R, q, q), given the items' classes."""
    weight = votes.weight(posterior)
    if one_coin:
        weight = _one_coin(weight)
    total = weight.sum(axis=2, keepdims=True)
    # a class that a rater never met says nothing about them: any row leaves the likelihood as it is
    confusion = np.where(total > 0, weight, 1.0) / np.where(total > 0, total, votes.q)
    with np.errstate(divide="ignore"):
        return np.log(posterior.mean(axis=0)), np.log(confusion)


def _one_coin(weight: Floats) -> Floats:
    """The same chance of being right in every class, and of each error."""
    q = weight.shape[1]
    right = np.trace(weight, axis1=1, axis2=2) / np.maximum(weight.sum(axis=(1, 2)), 1e-300)
    wrong = (1 - right) / (q - 1)
    table: Floats = np.where(np.eye(q, dtype=bool), right[:, None, None], wrong[:, None, None])
    return table
