"""JudgeOutput: what one judge said of every row, whatever form it said it in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voirdire.study.scale import Scale

__all__ = ["JudgeOutput"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JudgeOutput:
    """One judge's output on n rows (item and metric pairs), for human labels C.

    ``labels`` are the judge's own labels, which need not be people's; ``code`` (n,) int32 numbers the label
    it gave, and ``len(labels)`` stands for a reply without a verdict. ``log_probs`` (n, C) are log
    probabilities of the human labels, NaN where it gave none; ``votes`` (n, C) how many of its runs gave
    each human label, 0 where it answered with other labels or none. ``score`` (n,) is its verdict as a
    number, NaN without one; ``spread`` (n,) the standard deviation of that number within the judge;
    ``unit`` the range of its scale. ``floored`` (n,) marks rows where a label's probability was missing and
    set from the smallest one seen. ``coded`` says that the code and the order tell everything else of a row:
    it holds one verdict at most and no probabilities.

    Pairwise: ``margin`` (n,) is its preference for the first response averaged over both orders of showing
    them, ``offset`` (n,) its preference for whatever is shown first, ``order`` (n,) 1 or -1 where it saw
    only one order (the first response shown first, or last), 0 where both or not recorded.
    """

    judge: str
    labels: tuple[str, ...]
    code: NDArray[np.int32]
    log_probs: Floats
    votes: Floats
    score: Floats
    spread: Floats
    unit: float = 1.0
    floored: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    margin: Floats = field(default_factory=lambda: np.zeros(0))
    offset: Floats = field(default_factory=lambda: np.zeros(0))
    order: Floats = field(default_factory=lambda: np.zeros(0))
    coded: bool = False

    def __post_init__(self) -> None:
        n = len(self.code)
        for name, kind in (("floored", np.bool_), ("margin", float), ("offset", float), ("order", float)):
            if len(getattr(self, name)) != n:
                object.__setattr__(self, name, np.zeros(n, dtype=kind))

    @property
    def n_codes(self) -> int:
        """How many codes there are: the judge's labels, and the reply without a verdict."""
        return len(self.labels) + 1

    @property
    def has_verdict(self) -> NDArray[np.bool_]:
        """Rows with a verdict, (n,)."""
        return self.code < len(self.labels)

    @cached_property
    def speaks(self) -> NDArray[np.bool_]:
        """Rows where the output bears on the human labels, (n,): probabilities or a vote."""
        known: NDArray[np.bool_] = np.isfinite(self.log_probs[:, 0]) | (self.n_votes > 0)
        return known

    @cached_property
    def n_votes(self) -> Floats:
        """How many votes each row has, (n,)."""
        total: Floats = self.votes @ np.ones(self.votes.shape[1])
        return total

    def shares(self, alpha: float) -> Floats:
        """Probabilities of the human labels (n, C): given, or (m_c + alpha / C) / (m + alpha) of votes m.

        A row without either is uniform.
        """
        n_labels = self.votes.shape[1]
        smoothed: Floats = (self.votes + alpha / n_labels) / (self.n_votes[:, None] + alpha)
        if not self.states:
            return smoothed
        return np.where(np.isfinite(self.log_probs), np.exp(self.log_probs), smoothed)

    def logits(self, alpha: float) -> Floats:
        """Logs of :meth:`shares` (n, C)."""
        if not self.states:
            return np.log(self.shares(alpha))
        return np.where(np.isfinite(self.log_probs), self.log_probs, np.log(self.shares(alpha)))

    @cached_property
    def states(self) -> bool:
        """Whether any row has probabilities."""
        return bool(np.isfinite(self.log_probs[:, 0]).any())

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_] | slice) -> JudgeOutput:
        """The output on ``rows`` only."""
        names = ("code", "log_probs", "votes", "score", "spread", "floored", "margin", "offset", "order")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def swapped(self, scale: Scale) -> JudgeOutput:
        """The output had the responses of every pair changed places, the judge being indifferent to it."""
        columns = swap(scale.labels)
        codes = np.append(swap(self.labels), len(self.labels)).astype(np.int32)
        return replace(
            self,
            code=codes[self.code],
            log_probs=self.log_probs[:, columns],
            votes=self.votes[:, columns],
            score=-self.score,
            margin=-self.margin,
            order=-self.order,
        )


def swap(labels: tuple[str, ...]) -> NDArray[np.intp]:
    """Positions (C,) of the labels after first and second changed places.

    >>> swap(("first", "tie", "second")).tolist()
    [2, 1, 0]
    """
    other = {"first": "second", "second": "first"}
    renamed = [other.get(label, label) for label in labels]
    return np.array(
        [labels.index(name) if name in labels else k for k, name in enumerate(renamed)], dtype=np.intp
    )
