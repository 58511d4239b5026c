"""Every rater with intercepts of their own: for unbalanced assignment, or to predict a given rater."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features
from voirdire.align.lbfgs import minimise
from voirdire.align.loglinear import PRECISIONS, SLOPE, Design, indicators, intercepts
from voirdire.align.numerics import softmax
from voirdire.registry import register

__all__ = ["AnnotatorOffsets"]

Floats = NDArray[np.float64]


@register("calibrator", "annotator_offsets")
@dataclass(frozen=True)
class AnnotatorOffsets(Calibrator):
    """logits of one label = a * z + b + u_metric + o_rater; the population is the mean over the raters seen.

    Fitted on single labels (``Target.row``, ``rater``, ``label``), one ridge for metrics and raters. Where
    only counts are known there are no offsets, and it is temperature scaling with bias.
    """

    name: ClassVar[str] = "annotator_offsets"

    def applies(self, features: Features) -> str:
        """It needs a judge that answers with human labels or their probabilities."""
        return "" if features.speaks else "no judge gives human labels or their probabilities"

    def settings(self, features: Features) -> tuple[Setting, ...]:
        """Every ridge."""
        return tuple(Setting(precision) for precision in PRECISIONS)

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        """The ridge estimate, and the offsets (raters, C) apart."""
        target, features = problem.target, problem.features
        known = len(target.row) > 0
        row = target.row if known else np.arange(len(features))
        raters, rater = np.unique(target.rater, return_inverse=True)
        every = features.take(row)
        counts = problem.counts
        if known:
            weight = counts.sum(axis=1) / target.labels_per_row
            counts = np.where(np.arange(counts.shape[1]) == target.label[:, None], weight[row, None], 0.0)
        offsets = indicators(rater.astype(np.int32), len(raters)) if known else np.zeros((0, len(row)))
        design = _design(every, setting, offsets)
        floor, counts = np.asfortranarray(problem.floor.rows(every.metric)), np.asfortranarray(counts)
        first = design.centre if start is None else start["theta"]
        theta = minimise(lambda theta: design.objective(theta, floor, counts), first)
        return {"theta": theta, "_raters": raters.astype(np.float64)}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> Floats:
        """The mean over raters of the softmax with their offsets."""
        raters = len(parameters["_raters"])
        if not raters:
            return self.of_rater(parameters, features, setting, None)
        total = np.zeros((len(features), features.n_labels))
        for rater in range(raters):
            total += self.of_rater(parameters, features, setting, rater)
        return total / raters

    def of_rater(
        self, parameters: Parameters, features: Features, setting: Setting, rater: int | None
    ) -> Floats:
        """What one rater, by position among those seen in training, would say (n, C)."""
        codes = np.full(len(features), -1 if rater is None else rater, dtype=np.int32)
        design = _design(features, setting, indicators(codes, len(parameters["_raters"])))
        return softmax(design.logits(parameters["theta"]))


def _design(features: Features, setting: Setting, offsets: Floats) -> Design:
    """Panel, ones, metrics and raters."""
    return Design.of(
        features,
        tied=[(features.panel(setting.alpha), 1.0, SLOPE)],
        free=[*intercepts(features, setting.precision), (offsets, setting.precision)],
    )
