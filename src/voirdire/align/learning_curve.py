"""The learning curve: what more labels would buy, from fits on nested random parts of those that exist."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voirdire.align.features import Features, Target
from voirdire.align.learning_curve_raters import Spread, spread_of_labels
from voirdire.align.options import AlignOptions
from voirdire.align.scores import log_score
from voirdire.align.selection import fit
from voirdire.errors import UserError
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate

__all__ = ["CurvePoint", "LearningCurve", "learning_curve", "losses_by_labels", "shape_of_curve"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
PARTS = (1 / 8, 1 / 4, 1 / 2, 1.0)
HELD_OUT = 1 / 3
FEWEST_CLUSTERS = 60
FEWEST_PART = 10
MORE = 100
STOP = 0.005
"""Nats a row: where all labels in the world would buy less than this, labelling more is not worth it."""


@dataclass(frozen=True)
class CurvePoint:
    """Mean log score of held-out rows after a fit on ``n_labels`` labels; ``loss`` spreads over draws."""

    n_labels: float
    loss: Estimate


@dataclass(frozen=True)
class LearningCurve:
    """Loss = ``floor`` + ``slope`` / labels. ``left`` is slope / n, what all further labels would buy.

    ``next_gain`` is what 100 more labels should buy, in nats a row, ``votes`` the same in units of what one
    more person's label tells; NaN where that is not measurable. Intervals are over draws of the same data;
    they held the slope of newly drawn data in 90 of 100 planted studies (``benchmarks/learning_curves.py``).
    Labelling more is not worth it where ``left`` is below ``smallest``, the smallest gain that matters to a
    decision. ``spread`` says whether to label new items or the same ones again.
    """

    points: tuple[CurvePoint, ...]
    n_labels: int
    floor: float
    slope: Estimate
    left: Estimate
    next_gain: Estimate
    votes: float
    smallest: float = STOP
    spread: Spread | None = None

    @property
    def stop(self) -> bool:
        """Whether all further labels would buy less than ``smallest`` nats a row, by the best estimate."""
        return self.left.value < self.smallest

    @property
    def sentence(self) -> str:
        """What to expect of 100 more labels, and whether to stop."""
        found = self.next_gain
        gain = f"{_nats(found.value)} nats a row [{_nats(found.low)}, {_nats(found.high)}]"
        votes = "" if math.isnan(self.votes) else f", about {self.votes:.2f} human votes"
        buy = f"Another {MORE} labels should buy {gain}{votes}"
        if not self.stop:
            return f"{buy}; all further labels together about {self.left.value:.3f}."
        doubt = f" (up to {self.left.high:.3f} is possible)" if self.left.high >= self.smallest else ""
        return (
            f"{buy}. All further labels would buy less than {self.smallest:g} nats{doubt}: stop labelling to "
            "fit this map."
        )

    def __str__(self) -> str:
        sizes = [f"{point.n_labels:.0f}" for point in self.points]
        losses = [f"{point.loss.value:.3f}" for point in self.points]
        wide = [max(map(len, pair)) for pair in zip(sizes, losses, strict=True)]
        rows = (("labels", sizes), ("loss (nats)", losses))
        table = [
            f"{head:11}  {'  '.join(cell.rjust(w) for cell, w in zip(cells, wide, strict=True))}"
            for head, cells in rows
        ]
        spread = [] if self.spread is None else ["", str(self.spread)]
        return "\n".join([*table, self.sentence, *spread])


def learning_curve(
    features: Features,
    target: Target,
    *,
    options: AlignOptions | None = None,
    draws: int = 4,
    gain_of_one: float = math.nan,
    say: Callable[[str], None] = lambda text: None,
    rng: np.random.Generator,
) -> LearningCurve:
    """Fit on an eighth, a quarter, a half and all of two thirds of the clusters; score on the other third.

    ``features`` and ``target`` are rows with human labels; parts are nested, and drawn ``draws`` times.
    ``gain_of_one`` is what one more person's label tells (nats). Fewer than 60 clusters are a user's error.
    Of ``options`` what is selected and the smallest gain that matters count. Whether to label new items or
    the same ones again is tried where 60 clusters have two labels.
    """
    chosen = options or AlignOptions()
    sizes, losses = losses_by_labels(features, target, select=chosen.select, draws=draws, say=say, rng=rng)
    curve = shape_of_curve(sizes, losses, int(target.counts.sum()), gain_of_one=gain_of_one)
    say("Learning curve over raters an item")
    spread = spread_of_labels(features, target, select=chosen.select, level=chosen.level, rng=rng)
    return replace(curve, smallest=chosen.smallest_gain, spread=spread)


def losses_by_labels(
    features: Features,
    target: Target,
    *,
    select: str = "pool",
    draws: int = 4,
    say: Callable[[str], None] = lambda text: None,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Labels fitted on and the held-out loss in nats a row, (draws, parts) each; parts are nested."""
    names = np.unique(target.cluster)
    if len(names) < FEWEST_CLUSTERS:
        raise UserError(
            f"{len(names)} items (clusters) with human labels are too few for a learning curve",
            expected=f"at least {FEWEST_CLUSTERS}",
            fix=f"label {FEWEST_CLUSTERS - len(names)} more",
        )
    sizes, losses = [], []
    for draw, own in enumerate(rng.spawn(draws)):
        say(f"Learning curve, draw {draw + 1} of {draws}")
        n, loss = _one_draw(features, target, own.permutation(names), select, own)
        sizes.append(n)
        losses.append(loss)
    return np.array(sizes), np.array(losses)


def shape_of_curve(
    sizes: Floats, losses: Floats, n_labels: int, *, gain_of_one: float = math.nan
) -> LearningCurve:
    """Fit loss = floor + slope / n to ``sizes`` and ``losses`` (draws, parts), the slope at least 0.

    >>> n = np.array([[50.0, 100.0, 200.0]] * 3)
    >>> curve = shape_of_curve(n, 0.9 + 2 / n, 300)
    >>> round(curve.floor, 3), round(curve.slope.value, 3), round(curve.next_gain.value, 5)
    (0.9, 2.0, 0.00167)
    """
    fits = np.array([_line(1 / n, loss) for n, loss in zip(sizes, losses, strict=True)])
    slope = clustered_mean(fits[:, 1])
    bought = 1 / n_labels - 1 / (n_labels + MORE)
    gain = _times(slope, bought)
    points = tuple(
        CurvePoint(float(sizes[:, k].mean()), clustered_mean(losses[:, k])) for k in range(sizes.shape[1])
    )
    return LearningCurve(
        points,
        n_labels,
        float(fits[:, 0].mean()),
        slope,
        _times(slope, 1 / n_labels),
        gain,
        gain.value / gain_of_one if gain_of_one > 0 else math.nan,
    )


def _one_draw(
    features: Features, target: Target, order: Positions, select: str, rng: np.random.Generator
) -> tuple[list[float], list[float]]:
    """Labels fitted on and the held-out loss, for each part."""
    held = int(len(order) * HELD_OUT)
    test = np.flatnonzero(np.isin(target.cluster, order[:held]))
    counts, known = target.counts[test], order[held:]
    sizes, losses = [], []
    for part in PARTS:
        chosen = known[: max(int(len(known) * part), FEWEST_PART)]
        rows = np.flatnonzero(np.isin(target.cluster, chosen))
        model = fit(features.take(rows), target.take(rows), select=select, rng=rng)
        sizes.append(float(target.counts[rows].sum()))
        losses.append(float(log_score(model.predict(features.take(test)), counts).mean()))
    return sizes, losses


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Intercept and slope of least squares with a slope of at least 0, parts weighted by their labels."""
    weight = 1 / x
    mean_x, mean_y = float(weight @ x / weight.sum()), float(weight @ y / weight.sum())
    slope = max(float(weight @ ((x - mean_x) * (y - mean_y)) / (weight @ (x - mean_x) ** 2)), 0.0)
    return mean_y - slope * mean_x, slope


def _nats(value: float) -> str:
    """Three decimals, or that it is less."""
    return "under 0.001" if value < 0.0005 else f"{value:.3f}"


def _times(estimate: Estimate, factor: float) -> Estimate:
    """The estimate in other units, its lower end at least 0 as that of a gain from more labels."""
    low, high = (factor * end for end in (estimate.low, estimate.high))
    return Estimate(
        factor * estimate.value,
        max(low, 0.0),
        high,
        estimate.level,
        n_items=estimate.n_items,
        method="t over draws",
        target="draws from these labels",
        no_interval=estimate.no_interval,
    )
