"""The tree of a benchmark: metrics in benchmarks, in subareas, in areas, in all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from voirdire.bench.outcomes import Rated
from voirdire.judges.call import content_hash

__all__ = ["LEVELS", "OVERALL", "Level", "Node", "tree_of"]

Level = Literal["overall", "area", "subarea", "benchmark", "metric"]
LEVELS: tuple[Level, ...] = ("overall", "area", "subarea", "benchmark", "metric")
OVERALL = "overall"
ID_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Node:
    """One place of the tree: ``path`` names it from the area down, ``metrics`` are the codes of its metrics.

    ``id`` is the same in every run with this path; ``parent`` is that of the node above, empty at the root.
    Above metrics only those that count are in ``metrics``, and ``waiting`` are those that do not: no review
    has passed them as they stand.
    """

    id: str
    level: Level
    path: tuple[str, ...]
    title: str
    parent: str
    metrics: tuple[int, ...]
    waiting: tuple[int, ...] = ()


def tree_of(metrics: Sequence[Rated]) -> tuple[Node, ...]:
    """Every node that holds one of ``metrics``, from the root down, names in order within a level.

    A benchmark that stands under two subareas is a node in each.

    >>> cold = Rated("m1", "Is cold", "negative", "B", "S", "A", "v1", True)
    >>> [node.title for node in tree_of([cold])]
    ['overall', 'A', 'S', 'B', 'Is cold']
    """
    nodes = []
    for depth, level in enumerate(LEVELS):
        groups: dict[tuple[str, ...], list[int]] = {}
        for code, metric in enumerate(metrics):
            path = (metric.area, metric.subarea, metric.benchmark, metric.name)[:depth]
            groups.setdefault(path, []).append(code)
        for path in sorted(groups):
            codes = groups[path]
            alone = level == "metric"
            counted = [code for code in codes if alone or metrics[code].counts]
            title = metrics[codes[0]].title if alone else (path or (OVERALL,))[-1]
            parent = _id(path[:-1]) if path else ""
            waiting = tuple(code for code in codes if code not in counted)
            nodes.append(Node(_id(path), level, path, title, parent, tuple(counted), waiting))
    return tuple(nodes)


def _id(path: tuple[str, ...]) -> str:
    return content_hash(list(path))[:ID_DIGITS] if path else OVERALL
