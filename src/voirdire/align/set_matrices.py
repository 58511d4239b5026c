"""What people who name one verdict would also accept, learned from people who were asked both ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.align.response_sets import even_split, membership
from voirdire.align.set_table import joined_scale
from voirdire.errors import UserError
from voirdire.study.panel import Panel
from voirdire.study.policy import KEPT_APART
from voirdire.study.scale import Scale
from voirdire.study.study import Study

__all__ = ["PAIRS_ADVISED", "PairedLabels", "SetMatrices", "paired_labels", "set_matrices"]

Floats = NDArray[np.float64]
PAIRS_ADVISED = 100
"""Pairs of a response set and a forced choice below which the matrices are refused (Guerdan et al. 2025)."""
JEFFREYS = 0.5
SLIP = 0.05
"""Share of the prior for a choice outside one's own set."""


@dataclass(frozen=True, eq=False)
class PairedLabels:
    """m pairs: one person's response set and forced choice on one item.

    ``label`` (m,) is the set, a label of ``scale``; ``choice`` (m,) the verdict chosen, a position in
    ``scale.verdicts``; ``cluster`` (m,) the item's resampled unit.
    """

    scale: Scale
    label: NDArray[np.intp]
    choice: NDArray[np.intp]
    cluster: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.label)

    def table(self, weights: ArrayLike = 1.0) -> Floats:
        """How many pairs chose each verdict with each set (O, V), pairs weighted by ``weights`` (m,)."""
        shape = (len(self.scale.verdicts), len(self.scale.labels))
        counts = np.zeros(shape)
        np.add.at(counts, (self.choice, self.label), weights)
        return counts


@dataclass(frozen=True, eq=False)
class SetMatrices:
    """How sets and forced choices go together, in ``n_pairs`` pairs.

    ``forward`` F (O, V) is P(choice o | set v), columns sum to 1; ``reverse`` F' (V, O) is P(set v | choice
    o), columns sum to 1. The ``_low`` and ``_high`` are the bounds of each entry at ``level``.
    """

    scale: Scale
    n_pairs: int
    forward: Floats
    reverse: Floats
    forward_low: Floats
    forward_high: Floats
    reverse_low: Floats
    reverse_high: Floats
    level: float

    def sets_of(self, choices: Floats) -> Floats:
        """theta = F' O: shares of the sets (n, V) from shares ``choices`` (n, O) of forced choices.

        It holds where F' does not depend on the item.
        """
        shares: Floats = choices @ self.reverse.T
        return shares

    def accepted_of(self, choices: Floats) -> Floats:
        """omega (n, O): the share of people who accept each verdict, from shares ``choices`` (n, O)."""
        accepted: Floats = self.sets_of(choices) @ membership(self.scale).T
        return accepted

    def forced_choice(self, scale: Scale) -> Floats:
        """The read-out (O, V) of ``scale``'s labels into the verdict that people with that set choose.

        A label that no pair could have is split evenly.
        """
        readout = even_split(membership(scale))
        rows = [self.scale.verdicts.index(verdict) for verdict in scale.verdicts]
        for position, label in enumerate(scale.labels):
            if label in self.scale.labels:
                readout[:, position] = self.forward[rows, self.scale.code(label)]
        return readout

    def accepted(self, scale: Scale) -> Floats:
        """The read-out (O, V) of ``scale``'s forced choices into the verdicts that such people accept.

        A label that is itself a set is read as that set.
        """
        readout = membership(scale)
        rows = [self.scale.verdicts.index(verdict) for verdict in scale.verdicts]
        by_choice = self.accepted_of(np.eye(len(self.forward)))
        for row, verdict in zip(rows, scale.verdicts, strict=True):
            readout[:, scale.code(verdict)] = by_choice[row, rows]
        return readout


def paired_labels(study: Study, pairs: Mapping[str, str]) -> PairedLabels:
    """The labels of people who were asked twice: for all verdicts that they accept, and for one.

    ``pairs`` maps each metric that asked for sets to the one that asked for one verdict, as ``forced`` in
    ``study.yaml`` does; all share their verdicts. A pair is one person's label on both on one item. A forced
    choice that is itself indeterminate is no pair.
    """
    names = [name for pair in pairs.items() for name in pair]
    if not names:
        raise UserError("no pair of metrics", expected="for example {'all acceptable': 'best'}")
    scale = joined_scale([(name, study.metric(name).scale) for name in names])
    parts = [_pairs_of(study, scale, sets, forced) for sets, forced in pairs.items()]
    label, choice, item = (np.concatenate(part) for part in zip(*parts, strict=True))
    return PairedLabels(scale, label, choice, study.items.units(item))


def _pairs_of(
    study: Study, scale: Scale, sets: str, forced: str
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Set, choice and item (m,) of each pair on two metrics."""
    of_sets, of_forced = (study.panel(name, policy=KEPT_APART) for name in (sets, forced))
    here, there = _same_rating(of_sets, of_forced, len(study.raters))
    label = np.array([scale.code(name) for name in of_sets.scale.labels])[of_sets.coded.label[here]]
    place = {verdict: position for position, verdict in enumerate(scale.verdicts)}
    choice = np.array([place.get(name, -1) for name in of_forced.scale.labels])[of_forced.coded.label[there]]
    item = of_sets.items[of_sets.coded.item[here]]
    kept = choice >= 0
    return label[kept], choice[kept], item[kept]


def _same_rating(one: Panel, two: Panel, n_raters: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions in both panels of the labels that one person gave one item on both metrics."""
    first, second = (
        panel.items[panel.coded.item] * n_raters + panel.raters[panel.coded.rater] for panel in (one, two)
    )
    _, here, there = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return here.astype(np.intp), there.astype(np.intp)


def set_matrices(
    pairs: PairedLabels,
    *,
    strength: float = 1.0,
    fewest: int = PAIRS_ADVISED,
    level: float = 0.95,
    resamples: int = 2000,
    rng: np.random.Generator,
) -> SetMatrices:
    """Estimate the forward and the reverse matrix from pairs, each entry shrunk and with an interval.

    Each column has a Dirichlet prior worth ``strength`` pairs. Forward: an even choice among the set's
    verdicts, with 5 % for a choice outside. Reverse: the shares of all sets that contain the choice. The
    interval weighs whole clusters by Exp(1) draws, so that pairs of one cluster count as fewer. Fewer pairs
    than ``fewest`` are refused with how many are lacking.

    Source: Guerdan et al. 2025 (arXiv 2503.05965); Rubin 1981 for the Bayesian bootstrap.
    """
    if strength <= 0:
        raise UserError(f"strength is {strength!r}", expected="a number of pairs above 0")
    if len(pairs) < max(fewest, 1):
        raise UserError(
            f"{len(pairs):,} pairs of a response set and a forced choice by one person on one item",
            expected=f"{max(fewest, 1):,} or more",
            fix=f"ask people both questions on {max(fewest, 1) - len(pairs):,} more labels",
        )
    table, (forward, reverse) = pairs.table(), _priors(pairs, strength)
    drawn = _drawn(pairs, resamples, rng)
    forward_low, forward_high = _bounds(table, forward, drawn, level, rng)
    reverse_low, reverse_high = _bounds(table.T, reverse, drawn.transpose(0, 2, 1), level, rng)
    return SetMatrices(
        pairs.scale,
        len(pairs),
        _columns(table + forward),
        _columns(table.T + reverse),
        forward_low,
        forward_high,
        reverse_low,
        reverse_high,
        level,
    )


def _priors(pairs: PairedLabels, strength: float) -> tuple[Floats, Floats]:
    """Pseudo-pairs of the forward (O, V) and the reverse (V, O) matrix, ``strength`` a column."""
    members = membership(pairs.scale)
    split = (1 - SLIP) * even_split(members) + SLIP / len(members)
    given = pairs.table().sum(axis=0) + 1 / members.shape[1]
    containing = members.T * given[:, None]
    return strength * split, strength * _columns(
        (1 - SLIP) * _columns(containing) + SLIP * _columns(given)[:, None]
    )


def _columns(table: Floats) -> Floats:
    """Every column divided by its sum."""
    shares: Floats = table / table.sum(axis=0)
    return shares


def _drawn(pairs: PairedLabels, resamples: int, rng: np.random.Generator) -> Floats:
    """Tables of pairs (B, O, V) with whole clusters weighted by Exp(1) draws."""
    groups = np.unique(pairs.cluster, return_inverse=True)[1]
    return np.stack([pairs.table(rng.exponential(size=groups.max() + 1)[groups]) for _ in range(resamples)])


def _bounds(
    table: Floats, prior: Floats, drawn: Floats, level: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Bounds of each entry of ``table`` (X, Y) as a share of its column; ``drawn`` (B, X, Y) are its draws.

    Each entry and the rest of its column have at least Jeffreys' half a pair as prior; the bound is 0 where
    no pair is there, 1 where all are (Brown, Cai & DasGupta 2001).
    """
    rest, drawn_rest = (one.sum(axis=-2, keepdims=True) - one for one in (table, drawn))
    prior_rest = prior.sum(axis=0) - prior
    entry = drawn + rng.gamma(np.maximum(prior, JEFFREYS), size=drawn.shape)
    others = drawn_rest + rng.gamma(np.maximum(prior_rest, JEFFREYS), size=drawn.shape)
    low, high = np.quantile(entry / (entry + others), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.where(table == 0, 0.0, low), np.where(rest == 0, 1.0, high)
