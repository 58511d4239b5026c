"""Confidence sequences: bounds for a mean that hold at every time at once, however often one looks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.transforms import normal_quantile

__all__ = ["ConfidenceSequence", "confidence_sequence"]

Floats = NDArray[np.float64]
LAMBDAS = 0.5 ** np.arange(1, 11)
"""Slopes of the lines of which the boundary is the least: good from a handful of values to some millions."""


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """``low`` and ``high`` (..., n) after each of n values: each end is crossed with chance (1 - level) / 2.

    ``mean`` (..., n) are the running means. ``level`` is that of both ends together.
    """

    mean: Floats
    low: Floats
    high: Floats
    level: float

    def __len__(self) -> int:
        return int(self.mean.shape[-1])


@register("statistic", "confidence_sequence")
def confidence_sequence(
    x: ArrayLike,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    scale: ArrayLike | None = None,
    level: float = 0.95,
) -> ConfidenceSequence:
    """Bounds for the mean of ``x`` (..., n), in order of time, that hold after every value at once.

    Values lie within ``bounds`` and need be neither independent nor alike: given all before them their means
    may move, and the bounds are for the average of those means so far. So the lower one is above m with
    chance (1 - level) / 2 at most as long as no mean is above m. The upper end rests on the upper bound, the
    lower end on the lower one alone: it is computed in units of ``scale`` (one number, or (..., 1)) above
    that, which may be any positive number and does best a little above the expected mean (default the whole
    range).

    Source: the empirical Bernstein sequence of Howard, Ramdas, McAuliffe & Sekhon 2021, theorem 4, with ten
    linear boundaries that share the error alike; Waudby-Smith & Ramdas 2024, section 3.

    >>> found = confidence_sequence(np.tile([0.0, 1.0], 200))
    >>> found.low[-1].round(2), found.high[-1].round(2), found.low[3] < 0
    (np.float64(0.4), np.float64(0.6), np.True_)
    """
    normal_quantile(level)
    values, (least, most) = np.asarray(x, dtype=np.float64), bounds
    unit = np.asarray(most - least if scale is None else scale, dtype=np.float64)
    if not (least < most and (unit > 0).all()):
        raise UserError(f"bounds {bounds} and scale {unit}", expected="a lower end below an upper one")
    if not ((values >= least) & (values <= most)).all():
        raise UserError("a value outside the bounds", expected=f"numbers from {least:g} to {most:g}")
    error = (1 - level) / 2
    low = least + unit * _lower((values - least) / unit, error)
    high = most - (most - least) * _lower((most - values) / (most - least), error)
    mean = np.cumsum(values, axis=-1) / np.arange(1, values.shape[-1] + 1)
    return ConfidenceSequence(mean, low, high, level)


def _lower(x: Floats, error: float) -> Floats:
    """Lower bounds (..., n) for the mean of values from 0 up, crossed with chance ``error`` at most.

    The plug-in mean looks at earlier values only and lies within 0 and 1: both are what keeps
    exp(lambda (sum x - t mu) - psi(lambda) v) a supermartingale (Fan, Grama & Liu 2015).
    """
    t = np.arange(1, x.shape[-1] + 1)
    total = np.cumsum(x, axis=-1)
    v = np.cumsum((x - _before(np.minimum((0.5 + total) / (t + 1), 1.0), 0.5)) ** 2, axis=-1)
    boundary = np.full(x.shape, np.inf)
    for lambda_ in LAMBDAS.tolist():
        psi = -np.log1p(-lambda_) - lambda_
        boundary = np.minimum(boundary, (np.log(len(LAMBDAS) / error) + psi * v) / lambda_)
    lower: Floats = (total - boundary) / t
    return lower


def _before(running: Floats, first: float) -> Floats:
    """What was known before each value (..., n): ``first`` at the start."""
    start = np.full((*running.shape[:-1], 1), first)
    return np.concatenate([start, running[..., :-1]], axis=-1)[..., : running.shape[-1]]
