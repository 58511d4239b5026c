"""What more labels buy a map: the gain in nats, with an interval that holds what one refit will show."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from voirdire.align.features import CORRELATION, Features, Target
from voirdire.align.folds import FOLDS
from voirdire.align.learning_curve import FEWEST_CLUSTERS, losses_by_labels, shape_of_curve
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import THESE_RATERS, Estimate

__all__ = [
    "Slope",
    "effective_labels",
    "free_parameters",
    "predicted_gain",
    "slope_by_curve",
    "slope_by_optimism",
    "slope_by_rule",
    "weighed",
]

Floats = NDArray[np.float64]
DRAWS = 20_000
CURVES = 4
DOUBT = 1 / 2
"""The optimism's slope is taken to be off by this part of itself at least: losses follow b / n only about."""
FARTHEST = 2.5
"""No slope is taken to be off by more than a factor of e to this power."""
OPTIMISM = "the loss on held-out rows beside that on the fit's own"


@dataclass(frozen=True)
class Slope:
    """The excess loss of a map is ``value`` / n, n being effective labels; ``error`` is its standard error.

    ``df`` are the error's degrees of freedom, ``method`` says where it comes from.
    """

    value: float
    error: float
    df: float
    method: str


def effective_labels(labels_per_row: Floats) -> float:
    """Labels that tell as much as those of rows with k labels: the sum of k / (1 + (k - 1) 0.4).

    Labels of one row repeat each other; 0.4 is their assumed correlation (:mod:`voirdire.align.features`).

    >>> round(effective_labels(np.array([1.0, 1.0, 3.0])), 3)
    3.667
    """
    k = labels_per_row[labels_per_row > 0]
    return float((k / (1 + (k - 1) * CORRELATION)).sum())


def free_parameters(n_labels: int, n_metrics: int) -> int:
    """d of a map with a slope, a bias for each label but one, and a shift for each metric but one."""
    return n_labels + n_metrics - 1


def slope_by_rule(n_labels: int, n_metrics: int) -> Slope:
    """d / 2, from the loss d / (2 n) of d free parameters; taken to be known within itself."""
    value = free_parameters(n_labels, n_metrics) / 2
    return Slope(value, value, math.inf, "the rule d / (2 n)")


def slope_by_optimism(held_out: Floats, own: Floats, n: float, *, cluster: NDArray[np.intp]) -> Slope:
    """The slope from what a fit loses on clusters it did not see beside what it loses on its own rows.

    ``held_out`` and ``own`` (r,) are the losses of the same rows, by fits on all folds but one and by a fit
    on all ``n`` effective labels. A fit with d effective parameters loses d / (2 n) less than the best map of
    its kind on its own rows and as much more on others, so the difference is slope (1 / n + 1 / n'), n' being
    the labels of all folds but one. The same rows are on both sides, which is why little noise is left.

    Source: Takeuchi 1976 (the optimism of a likelihood); a standard error below a half is not believed.
    """
    gap = clustered_mean(held_out - own, cluster=cluster)
    bought = 1 / n + 1 / (n * (1 - 1 / FOLDS))
    value = max(gap.value / bought, 0.0)
    if not gap.has_interval:
        return Slope(value, value, math.inf, OPTIMISM)
    df = float((gap.n_clusters or 2) - 1)
    error = (gap.high - gap.low) / 2 / float(stdtrit(df, (1 + gap.level) / 2)) / bought
    return Slope(value, math.hypot(error, DOUBT * value), df, OPTIMISM)


def slope_by_curve(
    features: Features, target: Target, *, select: str, rng: np.random.Generator
) -> Slope | None:
    """The slope of a learning curve fitted to nested parts, None below 60 clusters."""
    if len(np.unique(target.cluster)) < FEWEST_CLUSTERS:
        return None
    sizes, losses = losses_by_labels(features, target, select=select, draws=CURVES, rng=rng)
    per_label = effective_labels(target.labels_per_row) / float(target.counts.sum())
    fitted = shape_of_curve(sizes * per_label, losses, int(target.counts.sum())).slope
    if not fitted.has_interval:
        return None
    error = (fitted.high - fitted.low) / 2 / float(stdtrit(CURVES - 1, (1 + fitted.level) / 2))
    return Slope(fitted.value, error, CURVES - 1, "a learning curve")


def weighed(first: Slope, second: Slope | None) -> Slope:
    """Both slopes by the inverse of their squared errors.

    >>> weighed(Slope(1.0, 1.0, 9, "one"), Slope(3.0, 1.0, 9, "two")).value
    2.0
    """
    if second is None or not min(first.error, second.error) > 0:
        return first
    weights = np.array([1 / first.error**2, 1 / second.error**2])
    value = float(weights @ [first.value, second.value] / weights.sum())
    method = f"{first.method} and {second.method}"
    return Slope(value, float(weights.sum() ** -0.5), min(first.df, second.df), method)


def predicted_gain(
    slope: Slope, now: float, more: float, *, level: float = 0.95, rng: np.random.Generator
) -> Estimate:
    """What ``more`` effective labels beside ``now`` take off the loss: slope (1 / n - 1 / (n + m)), nats.

    The interval is for the gain that one refit will show, which is random: the estimate from n labels is off
    by Z_n / sqrt(n) in d = 2 slope directions, the one from n + m by (sqrt(n) Z_n + sqrt(m) Z_m) / (n + m),
    and the loss grows by half the square. It counts the error of the slope too. ``now`` is above 0.

    >>> gain = predicted_gain(Slope(1.5, 0.1, 9, ""), 100, 100, rng=np.random.default_rng(1))
    >>> round(gain.value, 4), gain.low < gain.value < gain.high
    (0.0075, True)
    """
    d = 2 * _likely_slopes(slope, rng)
    first = 2 * rng.standard_gamma(d / 2)
    along, aside = rng.standard_normal(DRAWS), 2 * rng.standard_gamma(np.maximum(d - 1, 0.0) / 2)
    both = (np.sqrt(now * first) + np.sqrt(more) * along) ** 2 + more * aside
    gain = 0.5 * (first / now - both / (now + more) ** 2)
    low, high = np.quantile(gain, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(
        slope.value * (1 / now - 1 / (now + more)),
        float(low),
        float(high),
        level,
        method=slope.method,
        target=THESE_RATERS,
    )


def _likely_slopes(slope: Slope, rng: np.random.Generator) -> Floats:
    """Slopes that the estimate leaves possible: off by a factor, for a slope is above 0 and errs upwards."""
    middle = max(slope.value, slope.error)
    if middle == 0:
        return np.zeros(DRAWS)
    off = rng.standard_normal(DRAWS) if math.isinf(slope.df) else rng.standard_t(slope.df, DRAWS)
    drawn: Floats = middle * np.exp(np.clip(slope.error / middle * off, -FARTHEST, FARTHEST))
    return drawn
