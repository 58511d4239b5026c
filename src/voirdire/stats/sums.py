"""Sums of features over items or clusters: a form's value, its resamples and its leave-one-out values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from voirdire.stats.coded import Coded
from voirdire.stats.units import Units, collapse, fingerprint, leave_one_out

__all__ = ["Form", "Sums", "draws", "resample", "tally"]

CHUNK = 2_000_000  # numbers drawn at a time: 16 MB, whatever the number of resamples
RARE = 32  # units rarer than this are cheaper drawn one by one than as a binomial


@dataclass(frozen=True, slots=True)
class Form:
    """A statistic as ``value(sum over items of features)``.

    ``features`` maps units to (U, p) numbers and ``value`` maps sums (..., p) to (...) or (..., k); both are
    NaN where undefined and neither warns. ``by_rater`` says that features depend on who gave which label;
    ``by_share`` that chance agreement hangs on the labels' shares, so that rare labels weaken intervals.
    """

    features: Callable[[Units], NDArray[np.float64]]
    value: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    by_rater: bool = False
    by_share: bool = True


@dataclass(frozen=True, slots=True)
class Sums:
    """Feature rows (V, p) of the distinct resampled units, how often each occurs, and one row a rater.

    A resampled unit is an item, or a cluster where clusters are given. ``raters`` (R, p) is what each rater's
    ratings add to the sums.
    """

    form: Form
    features: NDArray[np.float64]
    frequency: NDArray[np.int64]
    raters: NDArray[np.float64]

    @property
    def n(self) -> int:
        """Number of resampled units."""
        return int(self.frequency.sum())

    @property
    def total(self) -> NDArray[np.float64]:
        """The sums themselves (p,)."""
        return self.frequency @ self.features

    def value(self) -> NDArray[np.float64]:
        """The statistic."""
        return self.form.value(self.total)

    def without_each_unit(self) -> NDArray[np.float64]:
        """The statistic without one unit, for every distinct unit (V, ...)."""
        return self.form.value(self.total - self.features)

    def without_each_rater(self) -> NDArray[np.float64]:
        """The statistic without one rater, for every rater who rated (R, ...)."""
        return self.form.value(self.total - self.raters)


def tally(
    coded: Coded, forms: list[Form], *, tag: NDArray[np.integer] | None = None, raters: bool = False
) -> list[Sums]:
    """Sum the features of several forms over the same units, clusters collapsed where they are equal too."""
    by_rater = any(form.by_rater for form in forms)
    units = collapse(coded, by_rater=by_rater, tag=tag)
    rows = [form.features(units) for form in forms]
    shares = _rater_rows(units, coded, forms, rows, by_rater) if raters else [np.empty((0, 0))] * len(forms)
    frequency = units.frequency
    if coded.cluster is not None:
        rows, frequency = _by_cluster(units, coded.cluster, rows)
    return [Sums(form, row, frequency, share) for form, row, share in zip(forms, rows, shares, strict=True)]


def resample(sums: list[Sums], resamples: int, rng: np.random.Generator) -> list[NDArray[np.float64]]:
    """Values of every form over the same resamples of the units (B, ...).

    Drawing n units with replacement is exactly a multinomial over the distinct ones. Each chunk has its own
    stream, so the values depend on the generator alone.
    """
    features = np.hstack([each.features for each in sums])
    ends = np.cumsum([each.features.shape[1] for each in sums])[:-1]
    drawn = []
    for weights in draws(sums[0].frequency, resamples, rng):
        parts = np.split(weights @ features, ends, axis=1)
        drawn.append([each.form.value(part) for each, part in zip(sums, parts, strict=True)])
    return [np.concatenate(values) for values in zip(*drawn, strict=True)]


def draws(
    frequency: NDArray[np.int64], resamples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """Chunks (b, V) of multiplicities, together ``resamples`` draws from Multinomial(n, frequency / n)."""
    size = max(1, CHUNK // max(len(frequency), 1))
    sizes = [min(size, resamples - start) for start in range(0, resamples, size)]
    for stream, b in zip(rng.spawn(len(sizes)), sizes, strict=True):
        yield _multiplicities(frequency, b, stream)


def _multiplicities(frequency: NDArray[np.int64], b: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Common units by binomials; the rare ones pooled as one cell, then split unit by unit."""
    n = int(frequency.sum())
    rare, common = np.flatnonzero(frequency < RARE), np.flatnonzero(frequency >= RARE)
    pooled = int(frequency[rare].sum())
    out = np.empty((b, len(frequency)))
    cells = rng.multinomial(n, np.append(frequency[common], pooled) / n, size=b)
    out[:, common] = cells[:, :-1]
    owner = np.repeat(np.arange(len(rare)), frequency[rare])
    for row, taken in zip(out, cells[:, -1], strict=True):
        row[rare] = np.bincount(owner[rng.integers(0, max(pooled, 1), taken, np.int32)], minlength=len(rare))
    return out


def _rater_rows(
    units: Units, coded: Coded, forms: list[Form], rows: list[NDArray[np.float64]], by_rater: bool
) -> list[NDArray[np.float64]]:
    """What each rater's ratings add to the sums (R, p): the difference that leaving them out makes."""
    left, source, which = leave_one_out(units, coded, by_rater=by_rater)
    present, rater = np.unique(coded.rater, return_inverse=True)
    times = sparse.csr_array((np.ones(len(which)), (rater, which)), shape=(len(present), len(source)))
    return [
        np.asarray(times @ (row[source] - form.features(left))) for form, row in zip(forms, rows, strict=True)
    ]


def _by_cluster(
    units: Units, cluster: NDArray[np.int32], rows: list[NDArray[np.float64]]
) -> tuple[list[NDArray[np.float64]], NDArray[np.int64]]:
    """Feature sums of the distinct clusters; clusters made of the same units are one."""
    rated = np.flatnonzero(units.of_item >= 0)
    unit = units.of_item[rated]
    present, where = np.unique(cluster[rated], return_inverse=True)
    key = np.zeros(len(present), np.uint64)
    np.add.at(key, where, fingerprint(unit))
    _, first, frequency = np.unique(key, return_index=True, return_counts=True)
    order = np.argsort(first)
    holds = sparse.csr_array((np.ones(len(unit)), (where, unit)), shape=(len(present), len(units.item)))[
        first[order]
    ]
    return [np.asarray(holds @ row) for row in rows], frequency[order]
