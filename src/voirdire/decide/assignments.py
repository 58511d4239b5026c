"""Who labels what: named raters with loads, every pair of raters on about as many shared items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Assigned", "Task", "assign", "even_targets"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """A row to label by ``wanted`` raters of those in ``eligible``; raters in ``known`` have labelled it."""

    row: int
    wanted: int
    eligible: tuple[int, ...]
    known: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Assigned:
    """Pairs of task and rater (m,) in the order of tasks, each rater's number of labels and shared items.

    ``pairs`` (R, R) counts the rows that two raters share. ``missing`` labels found nobody.
    """

    task: Counts
    rater: Counts
    load: Counts
    pairs: Counts
    missing: int


def assign(tasks: Sequence[Task], capacity: Sequence[int], *, rng: np.random.Generator) -> Assigned:
    """Give every task its raters, none beyond their ``capacity`` (R,), loads and pairs as even as possible.

    Tasks with the most raters, and among them those that the fewest can take, go first. Each takes the raters
    who are furthest below their share of the load, among equals those who share the fewest rows with
    the task's other raters, then at random.

    >>> done = assign([Task(k, 2, (0, 1, 2)) for k in range(6)], [9, 9, 9], rng=np.random.default_rng(1))
    >>> done.load.tolist(), done.pairs[np.triu_indices(3, 1)].tolist()
    ([4, 4, 4], [2, 2, 2])
    """
    n_raters = len(capacity)
    most = np.asarray(capacity, dtype=np.int64)
    target = even_targets(most, sum(task.wanted for task in tasks))
    load, pairs = np.zeros(n_raters, dtype=np.int64), np.zeros((n_raters, n_raters), dtype=np.int64)
    found: list[tuple[int, int]] = []
    order = sorted(range(len(tasks)), key=lambda k: (-tasks[k].wanted, len(tasks[k].eligible)))
    missing = 0
    for k in order:
        task = tasks[k]
        together = list(task.known)
        for left in range(task.wanted, 0, -1):
            able = [r for r in task.eligible if load[r] < most[r] and r not in together]
            if not able:
                missing += left
                break
            best = _least(np.asarray(able), load / target, pairs[:, together].sum(axis=1), rng)
            pairs[best, together] += 1
            pairs[together, best] += 1
            load[best] += 1
            together.append(best)
            found.append((k, best))
    found.sort(key=lambda pair: pair[0])
    both = np.array(found, dtype=np.int64).reshape(-1, 2)
    return Assigned(both[:, 0], both[:, 1], load, pairs, missing)


def even_targets(capacity: Counts, n: int) -> Floats:
    """Each rater's share (R,) of ``n`` labels: the same for all, less for those whose capacity is below it.

    >>> even_targets(np.array([10, 100, 100]), 110).tolist()
    [10.0, 50.0, 50.0]
    """
    target = np.minimum(capacity, 1.0)
    full = np.zeros(len(capacity), dtype=np.bool_)
    left = float(min(n, int(capacity.sum())))
    while left > 0 and not full.all():
        level = left / int((~full).sum())
        over = ~full & (capacity <= level)
        if not over.any():
            target[~full] = level
            break
        target[over] = capacity[over]
        left -= float(capacity[over].sum())
        full |= over
    share: Floats = np.maximum(target, math.ulp(1.0)).astype(np.float64)
    return share


def _least(able: Counts, used: Floats, shared: Counts, rng: np.random.Generator) -> int:
    """The rater of ``able`` with the lowest share of the load, then the fewest shared rows, then by lot."""
    lot = rng.random(len(able))
    return int(able[np.lexsort((lot, shared[able], np.round(used[able], 9)))[0]])
