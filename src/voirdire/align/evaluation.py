"""Evaluation: how well people's labels are predicted out of fold, between floors and ceilings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from voirdire.align.by_metric import MetricGain, PooledGain
from voirdire.align.calibration import Bin, Disagreement
from voirdire.align.comparability import Comparable
from voirdire.align.contested import Flagging
from voirdire.align.equivalence import PowerCurve
from voirdire.align.held_out_person import Accuracy, RaterGain
from voirdire.align.pit import Pit
from voirdire.align.plain import plain, revived
from voirdire.align.verdict import Verdict, votes_in_words, worth_in_words
from voirdire.stats.estimate import Estimate

__all__ = ["Design", "Evaluation", "ModelScore", "Role", "Stratum"]

Role = Literal["floor", "judge", "candidate", "chosen"]


@dataclass(frozen=True)
class Design:
    """What the evaluation rests on: a row is an item and metric with a human label.

    ``labels_per_row`` counts rows by their number of labels; ``folds`` outer parts of whole clusters,
    ``repeats`` times.
    """

    n_rows: int
    n_clusters: int
    n_labels: int
    n_raters: int
    labels_per_row: Mapping[str, int]
    folds: int
    repeats: int


@dataclass(frozen=True)
class ModelScore:
    """One prediction's mean scores over rows: ``log`` in nats, ``kernel`` distance (rows with two labels).

    ``gain`` is its log score minus the chosen one's, positive where the chosen one is better; ``minus_prior``
    the metric prior's minus its own, positive where it beats base rates.
    """

    name: str
    role: Role
    log: Estimate
    kernel: Estimate
    gain: Estimate
    minus_prior: Estimate


@dataclass(frozen=True)
class Stratum:
    """A third of the rows by the prediction's entropy: its scores and its gain over base rates."""

    name: str
    n_rows: int
    log: Estimate
    kernel: Estimate
    gain: Estimate


@dataclass(frozen=True)
class Evaluation:
    """How well the chosen prediction knows how people would judge; every figure is out of fold.

    ``gain`` is over the metric prior, ``gain_new_raters`` the same had raters been drawn too,
    ``gain_over_system`` over knowing the system, ``judge_beyond_system`` what judge and system together gain
    over the system. ``optimum`` is the model's best log score and ``skill`` the way to it from the metric
    prior. ``power`` holds one curve a combiner. ``reliability`` is by label, ``raw_reliability`` and
    ``raw_disagreement`` are the judge's as it is. ``pit`` is None where labels have no order. ``pooled`` is
    what the gains of ``metrics`` are drawn towards.
    """

    verdict: Verdict
    design: Design
    chosen: str
    weights: Mapping[str, float]
    kernel_name: str
    models: tuple[ModelScore, ...]
    gain: Estimate
    gain_new_raters: Estimate
    gain_over_system: Estimate
    judge_beyond_system: Estimate
    kappa: Estimate
    optimum: float
    skill: Estimate
    power: tuple[PowerCurve, ...]
    accuracy: Accuracy
    disagreement: Disagreement
    flagging: Flagging
    marginal: Mapping[str, Estimate]
    reliability: Mapping[str, tuple[Bin, ...]]
    raw_reliability: Mapping[str, tuple[Bin, ...]]
    raw_disagreement: tuple[Bin, ...]
    pit: Pit | None
    comparable: tuple[Comparable, ...]
    metrics: tuple[MetricGain, ...]
    pooled: PooledGain
    raters: tuple[RaterGain, ...]
    strata: tuple[Stratum, ...]

    def model(self, name: str) -> ModelScore | None:
        """The scores of one prediction, None where it did not apply."""
        return next((one for one in self.models if one.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: NaN is null, infinity the text ``inf``."""
        saved: dict[str, Any] = plain(self)
        return saved

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Evaluation:
        """What :meth:`to_dict` gave."""
        evaluation: Evaluation = revived(cls, saved)
        return evaluation

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        design, best = self.design, self.model(self.chosen)
        width = max(len(one.name) for one in self.models)
        lines = [
            self.verdict.sentence,
            f"{design.n_rows:,} rows (item and metric) in {design.n_clusters:,} clusters, "
            f"{design.n_labels:,} labels by {design.n_raters:,} people; {design.folds} folds, "
            f"{design.repeats} repeats.",
            "",
            f"{'':{width}}  log score (nats)      {self.kernel_name}",
        ]
        for one in sorted(self.models, key=lambda each: -each.log.value):
            mark = " *" if one is best else ""
            lines.append(f"{one.name:{width}}  {one.log!s:20}  {one.kernel!s:20}{mark}".rstrip())
        if not math.isnan(self.optimum):
            lines.append(f"{'best possible':{width}}  {self.optimum:.2f} (by model)")
        lines.append(f"Gain over base rates {self.gain} nats; skill {self.skill}.")
        votes = votes_in_words(self.kappa)
        lines.append(f"Beside labels that exist the judge counts as this many human votes: {votes}.")
        lines.append(f"Worth in people: {worth_in_words(self.power[0])}.")
        return lines
