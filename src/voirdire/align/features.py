"""Features: everything a calibrator may know of a row, and Target: the human labels it learns from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.align.judge_output import JudgeOutput, swap
from voirdire.align.numerics import used_codes
from voirdire.errors import UserError
from voirdire.study.scale import Scale

__all__ = ["ALPHA", "Features", "Target"]

ALPHA = 0.15
"""Smoothing of one judge's votes where it is not chosen by cross-validation."""
CORRELATION = 0.4
"""Assumed correlation of two labels' losses within a row: k labels weigh as k / (1 + (k - 1) * 0.4)."""
SMALLEST = 1e-10
"""A stated probability below this counts as this; no set of human labels could tell them apart."""
CHUNK = 20_000

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Rows = NDArray[np.intp] | NDArray[np.bool_] | slice


@dataclass(frozen=True, eq=False)
class Features:
    """What is known of n rows (item and metric pairs) without their human labels.

    ``scale`` holds the C human labels. ``judges`` are their outputs. ``metric`` (n,) int32 indexes
    ``metrics``, and ``system`` (n,) ``systems``, -1 where not known. ``covariates`` (n, d) are numbers that
    may shift every label, ``contrasts`` (n, e) numbers that change sign when the two responses of a pair
    change places.
    """

    scale: Scale
    judges: tuple[JudgeOutput, ...]
    metric: Codes
    metrics: tuple[str, ...] = ("",)
    system: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    systems: tuple[str, ...] = ()
    covariates: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    covariate_names: tuple[str, ...] = ()
    contrasts: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    contrast_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.metric)
        if len(self.system) != n:
            object.__setattr__(self, "system", np.full(n, -1, dtype=np.int32))
        for name in ("covariates", "contrasts"):
            if getattr(self, name).size == 0:
                object.__setattr__(self, name, np.zeros((n, 0)))
        for output in self.judges:
            shape = (n, len(self.scale.labels))
            if output.votes.shape != shape or output.log_probs.shape != shape:
                raise UserError(
                    f"judge '{output.judge}' has outputs of shape {output.votes.shape}", expected=f"{shape}"
                )
        if len(self.covariates) != n or len(self.contrasts) != n:
            raise UserError(f"covariates have {len(self.covariates)} rows", expected=f"{n}")

    def __len__(self) -> int:
        return len(self.metric)

    def __getstate__(self) -> dict[str, Any]:
        """For another process: the fields alone, without what was computed on the way."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @property
    def n_labels(self) -> int:
        """C, the number of human labels."""
        return len(self.scale.labels)

    @property
    def n_metrics(self) -> int:
        """How many metrics are named."""
        return len(self.metrics)

    @property
    def positions(self) -> Floats:
        """The human labels as numbers (C,): their values, or their place in order."""
        return np.asarray(self.scale.values or range(self.n_labels), dtype=np.float64)

    @property
    def codes(self) -> Codes:
        """Each judge's own label (n, J); the last code of a judge is a reply without a verdict."""
        return np.stack([output.code for output in self.judges], axis=1)

    @property
    def scores(self) -> Floats:
        """Each judge's verdict as a number (n, J), NaN without one."""
        return np.stack([output.score for output in self.judges], axis=1)

    @property
    def spread(self) -> Floats:
        """Standard deviation within and between the judges (n,), in units of each judge's own scale."""
        if not self.judges:
            return np.zeros(len(self))
        score = self.scores / np.array([output.unit for output in self.judges])
        within = np.stack([output.spread / output.unit for output in self.judges], axis=1)
        given = np.isfinite(score)
        count = np.maximum(given.sum(axis=1), 1)
        mean = np.where(given, score, 0.0).sum(axis=1) / count
        square = np.where(given, (score - mean[:, None]) ** 2 + within**2, 0.0)
        spread: Floats = np.sqrt(square.sum(axis=1) / count)
        return spread

    def log_probs(self, alpha: float = ALPHA) -> Floats:
        """Each judge's log probabilities of the human labels (n, J, C)."""
        return np.stack([output.logits(alpha) for output in self.judges], axis=1)

    def panel(self, alpha: float = ALPHA) -> Floats:
        """Log of the mean probability over judges that speak of human labels (n, C); uniform where none."""
        if alpha not in self._panels:
            total, voices = np.zeros((len(self), self.n_labels)), np.zeros((len(self), 1))
            for output in self.judges:
                total += np.where(output.speaks[:, None], output.shares(alpha), 0.0)
                voices += output.speaks[:, None]
            mean = np.where(voices > 0, total / np.maximum(voices, 1), 1 / self.n_labels)
            self._panels[alpha] = np.log(np.maximum(mean, SMALLEST))
        return self._panels[alpha]

    @cached_property
    def _panels(self) -> dict[float, Floats]:
        """What :meth:`panel` has computed, by alpha: several calibrators ask for the same."""
        return {}

    @cached_property
    def speaks(self) -> bool:
        """Whether any judge bears on the human labels in any row."""
        return any(bool(output.speaks.any()) for output in self.judges)

    @cached_property
    def votes_vary(self) -> bool:
        """Whether a row can hold several votes, so that their smoothing matters."""
        voting = sum(bool(output.votes.any()) for output in self.judges)
        return voting > 1 or any(bool((output.n_votes > 1).any()) for output in self.judges)

    def take(self, rows: Rows) -> Features:
        """The features of ``rows`` only."""
        names = ("metric", "system", "covariates", "contrasts")
        parts = {name: getattr(self, name)[rows] for name in names}
        return replace(self, judges=tuple(output.take(rows) for output in self.judges), **parts)

    def kinds(self) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
        """One row of each kind (k,) and the kind of every row (n,): rows of a kind are alike in everything.

        None where rows hold numbers of their own, or could be of more kinds than there are rows.
        """
        measured = self.covariates.shape[1] + self.contrasts.shape[1] > 0
        if measured or not all(output.coded for output in self.judges):
            return None
        parts = [(self.metric + 1, self.n_metrics + 1), (self.system + 1, len(self.systems) + 1)]
        parts += [(output.code, output.n_codes) for output in self.judges]
        parts += [(output.order.astype(np.int32) + 1, 3) for output in self.judges if output.order.any()]
        size = math.prod(n for _, n in parts)
        if size > len(self):
            return None
        key = np.zeros(len(self), dtype=np.intp)
        for code, n in parts:
            key = key * n + code
        used, kind = used_codes(key, size)
        row = np.empty(len(used), dtype=np.intp)
        row[kind] = np.arange(len(self))
        return row, kind

    def chunks(self) -> Iterator[tuple[slice, Features]]:
        """The rows in parts of 20,000, which stay in a processor's cache, and where each part stands."""
        if len(self) <= CHUNK:
            yield slice(0, len(self)), self
            return
        for first in range(0, len(self), CHUNK):
            rows = slice(first, first + CHUNK)
            yield rows, self.take(rows)

    def swapped(self) -> Features:
        """The features had the two responses of every pair changed places."""
        return replace(
            self,
            judges=tuple(output.swapped(self.scale) for output in self.judges),
            system=np.full(len(self), -1, dtype=np.int32),
            contrasts=-self.contrasts,
        )


@dataclass(frozen=True, eq=False)
class Target:
    """The human labels of n rows: ``counts`` (n, C), their ``cluster`` (n,), and ``weights`` (n,).

    ``row``, ``rater`` and ``label`` (m,) are the single labels, for models that know who gave them; empty
    where only counts are known.
    """

    counts: Floats
    cluster: NDArray[np.intp]
    weights: Floats
    row: NDArray[np.intp]
    rater: NDArray[np.intp]
    label: NDArray[np.intp]

    @classmethod
    def of(
        cls, counts: ArrayLike, *, cluster: ArrayLike | None = None, weights: ArrayLike | None = None
    ) -> Target:
        """Human label counts (n, C), each row its own cluster and of weight 1 unless given.

        >>> Target.of([[2, 1], [0, 3]]).labels_per_row.tolist()
        [3.0, 3.0]
        """
        table = np.asarray(counts, dtype=np.float64)
        if table.ndim != 2 or not np.isfinite(table).all() or (table < 0).any():
            raise UserError(f"label counts of shape {table.shape}", expected="(n, C) numbers from 0 up")
        n = len(table)
        groups = np.arange(n) if cluster is None else np.asarray(cluster)
        weight = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
        for name, given in (("clusters", groups), ("weights", weight)):
            if given.shape != (n,):
                raise UserError(f"{name} of shape {given.shape}", expected=f"({n},)")
        none = np.zeros(0, dtype=np.intp)
        return cls(table, np.unique(groups, return_inverse=True)[1], weight, none, none, none)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def labels_per_row(self) -> Floats:
        """k_i, the number of human labels of each row (n,)."""
        total: Floats = self.counts.sum(axis=1)
        return total

    @property
    def effective(self) -> Floats:
        """Counts weighted for the loss (n, C): k labels of a row count as k / (1 + (k - 1) * 0.4) rows."""
        shrink = self.weights / (1 + np.maximum(self.labels_per_row - 1, 0) * CORRELATION)
        return self.counts * shrink[:, None]

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Rows with a human label, (n,)."""
        return self.labels_per_row > 0

    def take(self, rows: Rows) -> Target:
        """The labels of ``rows`` only; a row is taken once at most where single labels are known."""
        chosen = np.arange(len(self))[rows]
        position = np.full(len(self), -1, dtype=np.intp)
        position[chosen] = np.arange(len(chosen))
        kept = position[self.row] >= 0
        return Target(
            self.counts[chosen],
            self.cluster[chosen],
            self.weights[chosen],
            position[self.row[kept]],
            self.rater[kept],
            self.label[kept],
        )

    def permuted(self, labels: Sequence[int]) -> Target:
        """The same labels with their columns in another order."""
        order = np.asarray(labels, dtype=np.intp)
        inverse = np.argsort(order)
        return replace(self, counts=self.counts[:, order], label=inverse[self.label])

    def swapped(self, scale: Scale) -> Target:
        """The labels had the two responses of every pair changed places."""
        return self.permuted(swap(scale.labels).tolist())
