"""Limited-memory BFGS for the small smooth losses of calibrators.

SciPy's routine solves its tiny inner systems with threaded LAPACK, which on a machine with few or busy cores
takes most of the time of a fit of this size; here there are only inner products.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["minimise"]

Floats = NDArray[np.float64]
Objective = Callable[[Floats], tuple[float, Floats]]
Memory = deque[tuple[Floats, Floats, float]]

MEMORY = 10
STILL = 1e-7
FLAT = 1e-3
ENOUGH = 1e-4
"""Armijo: a step must gain at least this share of what the slope promises."""
HALVINGS = 30


def minimise(objective: Objective, start: Floats, *, iterations: int = 300) -> Floats:
    """The point (p,) where ``objective`` (value and gradient) stops falling, from ``start`` (p,).

    Two-loop recursion with 10 pairs and backtracking (Nocedal and Wright 2006, algorithms 7.4 and 3.1). It
    stops when no gradient component exceeds 1e-3, or a step gains less than 1e-7 of the loss.

    >>> minimise(lambda x: (float(x @ x - 2 * x.sum()), 2 * x - 2), np.zeros(2)).round(3).tolist()
    [1.0, 1.0]
    """
    point = np.array(start, dtype=np.float64)
    if not len(point):
        return point
    value, gradient = objective(point)
    memory: Memory = deque(maxlen=MEMORY)
    for _ in range(iterations):
        if np.abs(gradient).max() <= FLAT:
            break
        direction = _direction(gradient, memory)
        slope = float(direction @ gradient)
        if slope >= 0:  # rounding, or a kink of a rectified unit: forget the curvature and go straight down
            memory.clear()
            direction, slope = -gradient, -float(gradient @ gradient)
        first = 1.0 if memory else min(1.0, 1.0 / float(np.abs(gradient).sum()))
        step = _step(objective, point, direction, value, slope, first)
        if step is None:
            break
        new, new_value, new_gradient = step
        moved, bent = new - point, new_gradient - gradient
        curvature = float(moved @ bent)
        if curvature > 1e-10 * float(bent @ bent):
            memory.append((moved, bent, curvature))
        gain = value - new_value
        point, value, gradient = new, new_value, new_gradient
        if gain <= STILL * max(abs(value), 1.0):
            break
    return point


def _direction(gradient: Floats, memory: Memory) -> Floats:
    """-H g, H being the inverse curvature that the remembered steps tell of."""
    q = -gradient
    shares = []
    for moved, bent, curvature in reversed(memory):
        share = float(moved @ q) / curvature
        q = q - share * bent
        shares.append(share)
    if memory:
        _, bent, curvature = memory[-1]
        q = q * (curvature / float(bent @ bent))
    for (moved, bent, curvature), share in zip(memory, reversed(shares), strict=True):
        q = q + (share - float(bent @ q) / curvature) * moved
    return q


def _step(
    objective: Objective, point: Floats, direction: Floats, value: float, slope: float, length: float
) -> tuple[Floats, float, Floats] | None:
    """The first point on the way that gains enough, halving or interpolating; None where none does."""
    for _ in range(HALVINGS):
        new = point + length * direction
        with np.errstate(over="ignore", invalid="ignore"):  # a step too far is shortened below
            new_value, gradient = objective(new)
        falls = np.isfinite(new_value) and new_value <= value + ENOUGH * length * slope
        if falls and np.isfinite(gradient).all():
            return new, new_value, gradient
        fallen = 2 * (new_value - value - length * slope)
        best = -slope * length**2 / fallen if np.isfinite(fallen) and fallen > 0 else 0.0
        length = min(max(best, 0.1 * length), 0.5 * length)
    return None
