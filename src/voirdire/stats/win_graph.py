"""Who beat whom, as a graph: whether abilities have a best fit at all, and whose results stand in the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components, shortest_path

from voirdire.registry import register
from voirdire.stats.paired_comparisons import PairedComparisons, as_paired_comparisons

__all__ = ["WinGraph", "win_graph"]

Group = tuple[int, ...]
Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WinGraph:
    """Groups of systems whose abilities can be compared, and what parts them.

    ``groups`` are the strongly connected groups, each before those that it only beat; ``islands`` the groups
    that no comparison links. ``undefeated`` are groups that met others and never lost or tied, ``winless``
    those that never won or tied. ``undefined`` is None where one group holds all systems, else
    ``disconnected`` or ``undefeated``, or ``insufficient_systems`` below two.
    """

    groups: tuple[Group, ...]
    islands: tuple[Group, ...]
    undefeated: tuple[Group, ...]
    winless: tuple[Group, ...]
    undefined: str | None

    def of_system(self) -> Codes:
        """The number of each system's group (n_systems,)."""
        codes = np.zeros(sum(map(len, self.groups)), dtype=np.int64)
        for number, group in enumerate(self.groups):
            codes[list(group)] = number
        return codes

    def said(self, names: Sequence[str]) -> str:
        """Why there is no common fit, with the systems' names; empty where there is one.

        >>> win_graph([[0, 1, 1], [0, 0, 1], [0, 1, 0]]).said(["a", "b", "c"])
        'a never lost to b or c'
        """
        return "; ".join(self._reasons(names))

    def _reasons(self, names: Sequence[str]) -> Iterator[str]:
        if len(self.islands) > 1:
            yield f"{', '.join(_set(island, names) for island in self.islands)} never met"
        for island in self.islands:
            inside = [group for group in self.groups if group[0] in island]
            ends = [(group, "lost to") for group in self.undefeated if group in inside]
            ends += [(group, "won against") for group in self.winless if group in inside]
            if len(inside) == 2:  # one says what the other says
                ends = [min(ends, key=lambda end: len(end[0]))]
            for group, what in ends:
                others = [system for system in island if system not in group]
                yield f"{_words(group, names, 'and')} never {what} {_words(others, names, 'or')}"


@register("statistic", "win_graph")
def win_graph(comparisons: PairedComparisons | ArrayLike) -> WinGraph:
    """Can every system's ability be told from these results? Only if no group always wins, or never meets.

    ``comparisons`` are :class:`~voirdire.stats.PairedComparisons`, or wins (n, n): how often row beat column.
    The abilities of Bradley and Terry have a finite best fit exactly where, however the systems are split in
    two, some system of each side beat (or tied with) one of the other: where the graph is strongly connected.

    Source: Ford 1957; Hunter 2004, assumption 1.

    >>> win_graph([[0, 2], [1, 0]]).undefined is None, win_graph([[0, 2], [0, 0]]).undefined
    (True, 'undefeated')
    """
    met = as_paired_comparisons(comparisons)
    edges = ((met.wins() > 0) | (met.ties() > 0)).astype(np.int64)
    n, strong = connected_components(edges, connection="strong")
    _, weak = connected_components(edges, connection="weak")
    between = _condensed(edges, strong, n)
    # a group reaches more groups than any that it beat, so this order puts it before them
    reach = np.isfinite(shortest_path(between, unweighted=True)).sum(axis=1) if n > 1 else np.ones(n)
    groups = [tuple(np.flatnonzero(strong == code).tolist()) for code in range(n)]
    order = sorted(range(n), key=lambda code: (-reach[code], groups[code]))
    won, lost = between.sum(axis=1), between.sum(axis=0)
    islands = [tuple(np.flatnonzero(weak == code).tolist()) for code in range(int(weak.max(initial=-1)) + 1)]
    return WinGraph(
        tuple(groups[code] for code in order),
        tuple(sorted(islands)),
        tuple(groups[code] for code in order if won[code] and not lost[code]),
        tuple(groups[code] for code in order if lost[code] and not won[code]),
        _reason(met.n_systems, n, len(islands)),
    )


def _reason(systems: int, groups: int, islands: int) -> str | None:
    if systems < 2:
        return "insufficient_systems"
    if islands > 1:
        return "disconnected"
    return "undefeated" if groups > 1 else None


def _condensed(edges: Codes, group: NDArray[np.int32], n: int) -> Codes:
    """Which group beat or tied with which other (n, n)."""
    rows, columns = np.nonzero(edges)
    between = np.zeros((n, n), dtype=np.int64)
    between[group[rows], group[columns]] = 1
    np.fill_diagonal(between, 0)
    return between


def _set(group: Group, names: Sequence[str]) -> str:
    return f"{{{', '.join(names[system] for system in group)}}}"


def _words(group: Sequence[int], names: Sequence[str], last: str) -> str:
    words = [names[system] for system in group]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
