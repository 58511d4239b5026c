"""Views of a metric: the judge's verdict on it (holistic), those on the others (decomposed), or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.judge_output import JudgeOutput
from voirdire.align.output import output_of
from voirdire.align.plain_scale import scale_from_dict, scale_to_dict
from voirdire.align.replies import Replies, own_labels, replies_of
from voirdire.errors import UserError
from voirdire.study.parts import parts_of
from voirdire.study.scale import Scale
from voirdire.study.study import Study

__all__ = ["VIEWS", "Aspect", "aspects_of", "holistic_judges"]

VIEWS = ("holistic", "decomposed", "both")
"""What an aligner of one metric learns from: the verdicts on it, those on the other metrics, or all."""


@dataclass(frozen=True)
class Aspect:
    """What ``judge`` says of ``metric``, as something known of the same item's row on another metric.

    ``labels`` are those the judge gave on it and ``scale`` is the metric's own, which need not be that of the
    metric that is predicted.
    """

    judge: str
    metric: str
    labels: tuple[str, ...]
    scale: Scale

    @property
    def name(self) -> str:
        """The judge and the metric, as the name of one output."""
        return f"{self.judge} on {self.metric}"

    def replies(self, study: Study) -> Replies:
        """Every reply of the judge on the metric, usable or not."""
        return replies_of(study, self.judge, [self.metric])

    def output(self, replies: Replies, row: NDArray[np.intp], shape: tuple[int, int]) -> JudgeOutput:
        """Its label and score on ``shape`` (n, C) rows and labels; ``row`` (m,) is where a reply belongs.

        An answer to another question is no vote on this one: it has no probabilities of the C labels and
        enters by fitted coefficients alone.
        """
        own = output_of(replies, self.name, self.labels, self.scale, row, shape[0])
        none, votes = np.full(shape, np.nan), np.zeros(shape)
        return replace(own, log_probs=none, votes=votes, score=_score(own, self.scale))

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, for JSON."""
        return {
            "judge": self.judge,
            "metric": self.metric,
            "labels": list(self.labels),
            "scale": scale_to_dict(self.scale),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Aspect:
        """What :meth:`to_dict` gave."""
        return cls(saved["judge"], saved["metric"], tuple(saved["labels"]), scale_from_dict(saved["scale"]))


def aspects_of(study: Study, judges: Sequence[str], metric: str) -> tuple[Aspect, ...]:
    """What ``judges`` say of the parts of ``metric`` (``metric/part``), or where it has none of every other.

    None at all is a user's error.
    """
    parts = parts_of(metric, [other.name for other in study.metrics])
    others = [other for other in study.metrics if other.name != metric and (not parts or other.name in parts)]
    found = (
        Aspect(judge, other.name, own_labels(study, judge, [other.name], other.scale), other.scale)
        for judge in judges
        for other in others
    )
    aspects = tuple(aspect for aspect in found if aspect.labels)
    if not aspects:
        raise UserError(
            f"no judge has a verdict on a metric other than '{metric}'",
            expected="verdicts on the parts that the metric is made of",
            fix="leave out --view and --compare-views",
        )
    return aspects


def holistic_judges(study: Study, judges: Sequence[str], metric: str) -> tuple[str, ...]:
    """Those of ``judges`` whose verdict on ``metric`` is not put together from parts, or all where none is.

    A checklist's or a rubric's verdict holds what its parts say already.
    """
    parts = parts_of(metric, [other.name for other in study.metrics])
    whole = [
        judge
        for judge in judges
        if len(replies_of(study, judge, [metric]).row) and not len(replies_of(study, judge, parts).row)
    ]
    return tuple(whole or judges)


def _score(output: JudgeOutput, scale: Scale) -> NDArray[np.float64]:
    """The verdict as a number: expected value, or of two labels without order the second's share."""
    if scale.ordered or len(scale.labels) != 2 or "first" in scale.labels:
        return output.score
    given = output.votes.sum(axis=1)
    voted = np.where(given > 0, output.votes[:, 1] / np.maximum(given, 1), np.nan)
    stated = np.exp(output.log_probs[:, 1])
    return np.where(np.isfinite(stated), stated, voted)
