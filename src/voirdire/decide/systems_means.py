"""Means of every system by every source, with the covariance of all of them over shared clusters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import stdtrit

from voirdire.decide.rates_rows import Rank
from voirdire.decide.systems_scores import SystemScores
from voirdire.stats.estimate import THESE_RATERS, Estimate

__all__ = ["Contrasts", "SystemMeans", "pairs_of", "ranks", "sides_of_pairs"]

Floats = NDArray[np.float64]
Signs = NDArray[np.int64]
BLOCK = 4_000_000
"""Numbers simulated at a time."""


@dataclass(frozen=True, eq=False)
class SystemMeans:
    """``mean`` (K, S) by source and system, ``covariance`` (K S, K S) over clusters, ``df`` of its t.

    ``n`` (S,) counts each system's rows, of ``n_rows``, and ``n_clusters`` (S,) its clusters. Any contrast
    of sources or systems is paired where they share clusters.
    """

    mean: Floats
    covariance: Floats
    df: float
    n: NDArray[np.int64]
    n_rows: int
    n_clusters: NDArray[np.int64]

    @classmethod
    def of(cls, scores: SystemScores) -> SystemMeans:
        """Means and covariance of ``scores``; each system needs a row."""
        system, cluster, score = scores.entries()
        size = len(scores.systems)
        n = np.bincount(system, minlength=size)
        mean = np.stack([np.bincount(system, one, minlength=size) for one in score]) / n
        part = (score - mean[:, system]) / n[system]
        sources = len(score)
        column = (np.arange(sources)[:, None] * size + system).ravel()
        row = np.tile(cluster, sources)
        shape = (int(cluster.max(initial=0)) + 1, sources * size)
        sums = csr_array((part.ravel(), (row, column)), shape=shape)
        met = np.unique(cluster * size + system) % size
        clusters = np.bincount(met, minlength=size)
        grow = np.tile(np.sqrt(clusters / np.maximum(clusters - 1, 1)), sources)
        covariance = np.asarray((sums.T @ sums).toarray()) * np.outer(grow, grow)
        return cls(mean, covariance, float(clusters.min() - 1), n, len(scores.item), clusters)

    def contrasts(self, weights: Floats) -> Contrasts:
        """Contrasts (m,) of all means, ``weights`` (m, K, S)."""
        flat = weights.reshape(len(weights), -1)
        # differences of two means: a full quadratic form per contrast is cheap enough for 50 systems
        variance = np.einsum("mi,mi->m", flat @ self.covariance, flat)
        scale = max(float(np.diag(self.covariance).max(initial=0.0)), 1e-300)
        variance = np.where(variance > 1e-12 * scale, variance, 0.0)
        return Contrasts(flat @ self.mean.ravel(), np.sqrt(variance), flat, self)


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Values (m,) with standard errors (m,), the weights (m, K S) behind them, and the means."""

    value: Floats
    error: Floats
    weights: Floats
    means: SystemMeans

    def critical(self, *, level: float, draws: int, rng: np.random.Generator) -> float:
        """How many standard errors all contrasts together stay within, at ``level``; NaN without spread."""
        used = self.error > 0
        if not used.any() or self.means.df < 1:
            return float("nan")
        roots, vectors = np.linalg.eigh(self.means.covariance)
        half = (self.weights[used] / self.error[used, None]) @ (vectors * np.sqrt(np.maximum(roots, 0)))
        df = self.means.df
        largest = np.concatenate(list(_largest(half, draws, rng)))
        return float(np.quantile(largest / np.sqrt(rng.chisquare(df, size=draws) / df), level))

    def estimates(self, reach: float, *, level: float, method: str) -> tuple[Estimate, ...]:
        """Each contrast plus and minus ``reach`` standard errors."""
        n, groups = self.means.n_rows, int(self.means.n_clusters.max(initial=0))
        found = []
        for value, error in zip(self.value.tolist(), self.error.tolist(), strict=True):
            if not reach * error > 0:
                found.append(Estimate(value, level=level, n_items=n, no_interval="zero_width"))
                continue
            low, high = value - reach * error, value + reach * error
            found.append(
                Estimate(value, low, high, level, n, method=method, target=THESE_RATERS, n_clusters=groups)
            )
        return tuple(found)

    def alone(self, *, level: float, method: str) -> tuple[Estimate, ...]:
        """Each contrast with a t interval of its own."""
        df = self.means.df
        reach = float(stdtrit(df, (1 + level) / 2)) if df >= 1 else float("nan")
        return self.estimates(reach, level=level, method=method)

    def signs(self, reach: float) -> Signs:
        """1 or -1 where a contrast lies further than ``reach`` standard errors from 0, else 0, (m,)."""
        told = (np.abs(self.value) > reach * self.error) & (self.error > 0)
        return np.where(told, np.sign(self.value), 0).astype(np.int64)

    def take(self, rows: slice) -> Contrasts:
        """Only the contrasts in ``rows``."""
        return Contrasts(self.value[rows], self.error[rows], self.weights[rows], self.means)


def pairs_of(n_systems: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and second system of every pair, (P,) and (P,)."""
    first, second = np.triu_indices(n_systems, 1)
    return first, second


def sides_of_pairs(n_sources: int, n_systems: int, source: int) -> Floats:
    """Weights (P, K, S) of the first system minus the second, by one source."""
    first, second = pairs_of(n_systems)
    weights = np.zeros((len(first), n_sources, n_systems))
    rows = np.arange(len(first))
    weights[rows, source, first] = 1
    weights[rows, source, second] = -1
    return weights


def ranks(signs: Signs, n_systems: int) -> list[Rank]:
    """The ranks (S,) that each system may hold, where ``signs`` (P,) say which pairs are told apart."""
    first, second = pairs_of(n_systems)
    above = np.bincount(first[signs < 0], minlength=n_systems)
    above += np.bincount(second[signs > 0], minlength=n_systems)
    below = np.bincount(first[signs > 0], minlength=n_systems)
    below += np.bincount(second[signs < 0], minlength=n_systems)
    return [Rank(1 + int(a), n_systems - int(b)) for a, b in zip(above, below, strict=True)]


def _largest(half: Floats, draws: int, rng: np.random.Generator) -> Iterator[Floats]:
    """The largest of all standardised errors in each draw."""
    at_once = max(1, BLOCK // len(half))
    for start in range(0, draws, at_once):
        normal = rng.standard_normal((min(at_once, draws - start), half.shape[1]))
        yield np.abs(normal @ half.T).max(axis=1)
