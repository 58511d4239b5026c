"""Variance of numbers that are nested in levels, split among the levels, with missing and uneven cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.intervals import jackknife_error, student

__all__ = ["NestedComponents", "nested_components"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
WITHIN = "within"


@dataclass(frozen=True)
class NestedComponents:
    """One variance a level, outermost first, the last being what is left within the innermost.

    ``names`` are the levels', and ``within``. ``merged`` says for each level which further ones it holds,
    because each of its groups has only one of theirs. ``n`` counts the groups of each level, cases last.
    """

    names: tuple[str, ...]
    variance: tuple[Estimate, ...]
    merged: tuple[tuple[str, ...], ...]
    n: tuple[int, ...]

    @property
    def total(self) -> float:
        """The sum of the variances that have a value, none counted below 0."""
        return math.fsum(max(one.value, 0.0) for one in self.variance if one.undefined is None)


@register("statistic", "nested_components")
def nested_components(
    values: ArrayLike,
    levels: Sequence[ArrayLike],
    *,
    names: Sequence[str] = (),
    stratum: ArrayLike | None = None,
    level: float = 0.95,
) -> NestedComponents:
    """Split the variance of ``values`` (n,) among nested ``levels``, outermost first, each codes (n,).

    A code of an inner level counts within its outer one. ``stratum`` (n,) gives cases fixed means of their
    own, such as the systems compared: the variance is that within strata, pooled. ``names`` name the levels.
    The estimates are those of the analysis of variance (Henderson's first method): unbiased whatever the
    distribution, and so right for 0 and 1; one may fall below 0 where the truth is near it. Intervals are
    jackknifed over the outermost groups, with t.

    A level whose every group holds one group of the next cannot be told from that (``not_identifiable``): the
    two have one variance, at the outer one's place. No value at all is undefined (``no_labels``).

    Source: Henderson 1953; Searle, Casella & McCulloch 1992, section 5.2 and appendix F.

    >>> leaf = nested_components([3.3, 3.1, 2.5, 2.4, 2.8, 2.7], [[0, 0, 1, 1, 2, 2]], names=["plant"])
    >>> [round(one.value, 3) for one in leaf.variance]
    [0.138, 0.01]
    """
    y = np.asarray(values, dtype=np.float64)
    told = tuple(names) or tuple(f"level {place + 1}" for place in range(len(levels)))
    if len(told) != len(levels) or any(np.shape(codes) != y.shape for codes in levels):
        raise UserError("levels and values differ in length", expected="a code of each level for each value")
    if not np.isfinite(y).all():
        raise UserError("a value that is no number", fix="leave out cases without a value")
    told = (*told, WITHIN)
    if not y.size:
        nothing = undefined("no_labels")
        return NestedComponents(told, (nothing,) * len(told), ((),) * len(told), (0,) * len(told))
    strata = np.zeros(y.size, dtype=np.int64) if stratum is None else _coded(stratum)
    outer = _coded(levels[0]) if levels else np.arange(y.size)
    paths = _paths(strata, levels, y.size)
    sizes = tuple(len(np.unique(path)) for path in paths[1:])
    owner = _owners(sizes)
    kept = [0, *(1 + place for place in dict.fromkeys(owner))]
    whole, each = _equations(y - y.mean(), outer, [paths[place] for place in kept])
    found = _solved(whole)
    without = np.stack([_solved(whole.less(each, group)) for group in range(each.groups)])
    estimates = dict(zip(dict.fromkeys(owner), _estimates(found, without, level, y.size), strict=True))
    variance = tuple(
        estimates[place] if owner[place] == place else undefined("not_identifiable", n_items=y.size)
        for place in range(len(told))
    )
    merged = tuple(
        tuple(told[other] for other in range(len(told)) if owner[other] == place and other != place)
        for place in range(len(told))
    )
    return NestedComponents(told, variance, merged, sizes)


def _coded(codes: ArrayLike) -> Codes:
    return np.unique(np.asarray(codes), return_inverse=True)[1].astype(np.int64)


def _paths(strata: Codes, levels: Sequence[ArrayLike], n: int) -> list[Codes]:
    """The group of each case at the root (its stratum), at every level, and the case itself."""
    paths = [strata]
    for codes in levels:
        inner = _coded(codes)
        paths.append(_coded(paths[-1] * (int(inner.max()) + 1) + inner))
    return [*paths, np.arange(n)]


def _owners(sizes: Sequence[int]) -> list[int]:
    """For each level the one that holds its variance: its own, or an outer one with as many groups."""
    owner: list[int] = []
    for place, size in enumerate(sizes):
        owner.append(owner[-1] if place and sizes[place - 1] == size else place)
    return owner


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over outermost groups, or (G, ...) of each.

    ``square`` (L,) of squared totals over sizes of each level's groups, ``held`` (L, L) how often these
    expect each level's variance; by stratum ``total`` and ``size`` (S,), and ``inner`` (S, L) of squared
    sizes of each level's groups.
    """

    groups: int
    square: Floats
    held: Floats
    total: Floats
    size: Floats
    inner: Floats

    def whole(self) -> _Sums:
        """Over all outermost groups."""
        parts = (self.square, self.held, self.total, self.size, self.inner)
        return _Sums(self.groups, *(part.sum(axis=0) for part in parts))

    def less(self, each: _Sums, group: int) -> _Sums:
        """Without one outermost group."""
        return _Sums(
            self.groups - 1,
            self.square - each.square[group],
            self.held - each.held[group],
            self.total - each.total[group],
            self.size - each.size[group],
            self.inner - each.inner[group],
        )


def _equations(y: Floats, outer: Codes, paths: Sequence[Codes]) -> tuple[_Sums, _Sums]:
    """The sums over everything, and of each outermost group; those of the root are by stratum."""
    groups, strata, levels = int(outer.max()) + 1, int(paths[0].max()) + 1, len(paths) - 1
    size = [np.bincount(path).astype(np.float64) for path in paths]
    first = [np.unique(path, return_index=True)[1] for path in paths]
    square, held = np.zeros((groups, levels)), np.zeros((groups, levels, levels))
    inner = np.zeros((groups, strata, levels))
    for at in range(1, levels + 1):
        own = outer[first[at]]
        square[:, at - 1] = np.bincount(own, np.bincount(paths[at], y) ** 2 / size[at], minlength=groups)
        for other in range(1, levels + 1):
            # a level within, or around: the whole group of the case's own level is in one outer group
            share = size[max(at, other)][paths[max(at, other)]] / size[at][paths[at]]
            held[:, at - 1, other - 1] = np.bincount(
                outer, share if other > at else np.ones(len(y)), minlength=groups
            )
        cell = own * strata + paths[0][first[at]]
        inner[:, :, at - 1] = np.bincount(cell, size[at] ** 2, minlength=groups * strata).reshape(
            groups, strata
        )
    place = outer * strata + paths[0]
    total = np.asarray(np.bincount(place, y, minlength=groups * strata), dtype=np.float64)
    count = np.bincount(place, minlength=groups * strata).reshape(groups, strata).astype(np.float64)
    each = _Sums(groups, square, held, total.reshape(groups, strata), count, inner)
    return each.whole(), each


def _solved(sums: _Sums) -> Floats:
    """The variances (L,) at which expected sums of squares are those seen; NaN where there are none."""
    used = sums.size > 0
    root = (sums.total[used] ** 2 / sums.size[used]).sum()
    root_held = (sums.inner[used] / sums.size[used, None]).sum(axis=0)
    seen = np.diff(np.concatenate([[root], sums.square]))
    expected = np.diff(np.concatenate([root_held[None], sums.held]), axis=0)
    try:
        found: Floats = np.linalg.solve(expected, seen)
    except np.linalg.LinAlgError:
        return np.full(len(seen), np.nan)
    return found


def _estimates(found: Floats, without: Floats, level: float, n: int) -> list[Estimate]:
    made: dict[str, Any] = {"level": level, "n_items": n, "n_clusters": len(without)}
    told = []
    for place, value in enumerate(found.tolist()):
        if math.isnan(value):
            told.append(undefined("not_identifiable", n_items=n))
            continue
        error = float(jackknife_error(without[:, place])) if len(without) > 1 else math.nan
        bounds = student(value, error, len(without) - 1, level)
        low, high = bounds.low, bounds.high
        how = "jackknife over outermost groups, t" if bounds.none is None else ""
        told.append(Estimate(value, low, high, no_interval=bounds.none, method=how, **made))
    return told
