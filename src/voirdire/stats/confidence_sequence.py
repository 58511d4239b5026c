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
LARGEST_BET = 0.5
"""The cap c on lambda, from the paper's section 3."""


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
        return self.mean.shape[-1]


@register("statistic", "confidence_sequence")
def confidence_sequence(
    x: ArrayLike, *, bounds: tuple[float, float] = (0.0, 1.0), scale: float | None = None, level: float = 0.95
) -> ConfidenceSequence:
    """Bounds for the mean of ``x`` (..., n), in order of time, that hold after every value at once.

    The predictable plug-in empirical Bernstein sequence. Values lie within ``bounds`` and have the same mean
    given all before them; they need be neither independent nor alike otherwise. If the conditional mean moves
    the bounds are for its weighted average, so that the lower one is above m with chance (1 - level) / 2 at
    most as long as no mean is above m. The upper end rests on the upper bound, the lower end on the lower
    one alone: it is computed in units of ``scale`` above that, which may be any positive number and does best
    a little above the expected mean (default the whole range).

    Source: Waudby-Smith & Ramdas 2024, theorem 2, each side by itself; that a side needs one bound only is
    the inequality of Fan, Grama & Liu 2015, section 4.

    >>> found = confidence_sequence(np.tile([0.0, 1.0], 200))
    >>> found.low[-1].round(2), found.high[-1].round(2), found.low[3] < 0
    (np.float64(0.41), np.float64(0.59), np.True_)
    """
    normal_quantile(level)
    values, (least, most) = np.asarray(x, dtype=np.float64), bounds
    unit = most - least if scale is None else scale
    if not (least < most and unit > 0):
        raise UserError(f"bounds {bounds} and scale {scale}", expected="a lower end below an upper one")
    if not ((values >= least) & (values <= most)).all():
        raise UserError("a value outside the bounds", expected=f"numbers from {least:g} to {most:g}")
    error = (1 - level) / 2
    low = least + unit * _lower((values - least) / unit, error)
    high = most - (most - least) * _lower((most - values) / (most - least), error)
    mean = np.cumsum(values, axis=-1) / np.arange(1, values.shape[-1] + 1)
    return ConfidenceSequence(mean, low, high, level)


def _lower(x: Floats, error: float) -> Floats:
    """Lower bounds (..., n) for the mean of values from 0 up, crossed with chance ``error`` at most.

    lambda_t looks at earlier values only, and the plug-in mean lies within 0 and 1: both are what keeps
    exp(sum lambda (x - mu) - v psi(lambda)) a supermartingale.
    """
    t = np.arange(1, x.shape[-1] + 1)
    mean = np.minimum((0.5 + np.cumsum(x, axis=-1)) / (t + 1), 1.0)
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (t + 1)
    mean_before, variance_before = _before(mean, 0.5), _before(variance, 0.25)
    lambda_ = np.minimum(np.sqrt(2 * np.log(1 / error) / (variance_before * t * np.log1p(t))), LARGEST_BET)
    psi = -np.log1p(-lambda_) - lambda_
    v = (x - mean_before) ** 2
    weighted = np.cumsum(lambda_ * x, axis=-1) - np.cumsum(v * psi, axis=-1) - np.log(1 / error)
    lower: Floats = weighted / np.cumsum(lambda_, axis=-1)
    return lower


def _before(running: Floats, first: float) -> Floats:
    """What was known before each value (..., n): ``first`` at the start."""
    start = np.full((*running.shape[:-1], 1), first)
    return np.concatenate([start, running[..., :-1]], axis=-1)[..., : running.shape[-1]]
