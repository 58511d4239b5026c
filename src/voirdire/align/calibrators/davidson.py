"""Davidson's model of pairs with ties: what holds for first against second holds when they swap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.judge_output import swap
from voirdire.align.lbfgs import minimise
from voirdire.align.loglinear import BIAS, PRECISIONS, SLOPE, indicators
from voirdire.align.numerics import mixture_loss, softmax, through_softmax
from voirdire.align.priors import BaseRates
from voirdire.registry import register

__all__ = ["Davidson", "Pairs"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The inputs of n pairs: ``turning`` (d, n) change sign when responses swap, ``staying`` (e, n) do not.

    ``sign`` (C,) is 1/2 for first, -1/2 for second and 0 for the other labels.
    """

    turning: Floats
    turning_ridge: Floats
    staying: Floats
    staying_ridge: Floats
    sign: Floats

    @property
    def neutral(self) -> NDArray[np.intp]:
        """Positions of the labels that name no winner."""
        return np.flatnonzero(self.sign == 0)

    @property
    def size(self) -> int:
        """How many coefficients there are: d, and e for each neutral label."""
        return len(self.turning) + len(self.staying) * len(self.neutral)

    def logits(self, theta: Floats) -> Floats:
        """eta / 2 for first, -eta / 2 for second, nu_k for a neutral label (n, C)."""
        d = len(self.turning)
        table = self.sign[:, None] * (theta[:d] @ self.turning)
        table[self.neutral] = theta[d:].reshape(len(self.neutral), -1) @ self.staying
        return table.T

    def objective(self, theta: Floats, floor: Floats, counts: Floats) -> tuple[float, Floats]:
        """Loss of the mixture plus ridge, and its gradient."""
        model = softmax(self.logits(theta))
        loss, slope = mixture_loss(model, floor, counts)
        by_label = through_softmax(model, slope).T
        gradient = np.concatenate(
            [self.turning @ (self.sign @ by_label), (by_label[self.neutral] @ self.staying.T).ravel()]
        )
        ridge = np.concatenate([self.turning_ridge, np.tile(self.staying_ridge, len(self.neutral))])
        return loss + 0.5 * float(ridge @ theta**2), gradient + ridge * theta


@register("calibrator", "davidson")
@dataclass(frozen=True)
class Davidson(Calibrator):
    """P(first) ~ exp(eta / 2), P(second) ~ exp(-eta / 2), P(tie) ~ exp(nu) (Davidson 1970, in logs).

    eta = sum_j a_j * margin_j + position term where only one order was shown + contrasts; nu = c + effects
    of |margin_j|, |offset_j|, the judge's labels that name no winner, a reply without a verdict, and the
    metric. Any further human label that names no winner has a nu of its own. Swapping the responses swaps
    the prediction.
    """

    name: ClassVar[str] = "davidson"

    def applies(self, features: Features) -> str:
        """It needs pairwise labels first and second, and a judge; no set may hold one of the two alone."""
        if not {"first", "second"} <= set(features.scale.labels):
            return "the human labels are not first and second"
        sets = [features.scale.members(label) for label in features.scale.indeterminate]
        if any(("first" in admitted) != ("second" in admitted) for admitted in sets):
            return "a label leans to one response without naming it"
        return "" if features.judges else "no judge"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Every ridge."""
        return tuple(Setting(precision) for precision in PRECISIONS)

    def prepare(self, problem: Problem) -> Problem:
        """Base rates that do not know which response came first."""
        table = problem.floor.table
        even = (table + table[:, swap(problem.features.scale.labels)]) / 2
        return replace(problem, floor=BaseRates(even, problem.floor.kappa))

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The ridge estimate; margins are divided by their root mean square, which keeps their sign."""
        margins = np.stack([output.margin for output in problem.features.judges])
        size = np.sqrt((margins**2).mean(axis=1))
        unit = np.where(size > 0, size, 1.0)
        pairs = _pairs(problem.features, setting, unit)
        floor, counts = np.asfortranarray(problem.floor_rows), np.asfortranarray(problem.counts)
        first = np.zeros(pairs.size) if start is None else start["theta"]
        theta = minimise(lambda theta: pairs.objective(theta, floor, counts), first)
        return {"theta": theta, "_unit": unit}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """softmax of (eta / 2, nu, -eta / 2)."""
        return softmax(_pairs(features, setting, parameters["_unit"]).logits(parameters["theta"]))


def _pairs(features: Features, setting: Setting, unit: Floats) -> Pairs:
    """The rows of ``features`` as inputs."""
    c = setting.precision
    margins = np.stack([output.margin for output in features.judges]) / unit[:, None]
    orders = np.stack([output.order for output in features.judges])
    offsets = np.abs(np.stack([output.offset for output in features.judges])) / unit[:, None]
    metric = indicators(features.metric, features.n_metrics if features.n_metrics > 1 else 0)
    codes = [indicators(output.code, output.n_codes)[_undecided(output.labels)] for output in features.judges]
    turning = [(margins, SLOPE), (orders, c), (features.contrasts.T, c)]
    staying = [
        (np.ones((1, len(features))), BIAS),
        (np.abs(margins), c),
        (offsets, c),
        (np.vstack(codes), c),
        (metric, c),
    ]
    names = features.scale.labels
    sign = np.array([0.5 if name == "first" else -0.5 if name == "second" else 0.0 for name in names])
    return Pairs(
        np.vstack([block for block, _ in turning]),
        np.concatenate([np.full(len(block), ridge) for block, ridge in turning]),
        np.vstack([block for block, _ in staying]),
        np.concatenate([np.full(len(block), ridge) for block, ridge in staying]),
        sign,
    )


def _undecided(labels: tuple[str, ...]) -> list[int]:
    """Positions of the judge's labels that name no winner, a reply without a verdict among them."""
    return [k for k, name in enumerate((*labels, "")) if name not in ("first", "second")]
