"""The queue: every item and metric with where it goes, why, and what is known of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voirdire.align.fusion import LARGEST_KAPPA, fuse
from voirdire.decide.cascade import CascadeStage, Passage
from voirdire.decide.evidence import Evidence
from voirdire.decide.routing import ASK_ONE_MORE, CONTESTED_ROUTE, ESCALATE, ROUTES, TRUST, Routed, routes_of
from voirdire.decide.select_options import SelectOptions
from voirdire.decide.select_result import Queue
from voirdire.decide.trials import Verdict, verdict_of
from voirdire.study.column import Column
from voirdire.study.study import Study

__all__ = ["Routing", "queue_of"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
FIRST = (CONTESTED_ROUTE, ASK_ONE_MORE, ESCALATE, TRUST)
"""The order of the queue."""


@dataclass(frozen=True, eq=False)
class Routing:
    """The rows of ``evidence`` after they have passed the ``stages`` of their metric."""

    evidence: Evidence
    stages: Mapping[int, Sequence[CascadeStage]]
    passage: Passage
    options: SelectOptions

    @cached_property
    def measured(self) -> bool:
        """Whether labels can be weighed against the judge: kappa is known."""
        return self.evidence.kappa.undefined is None

    @cached_property
    def mean(self) -> Floats:
        """Expected shares of people (n, C), labels that exist counted in where they can be weighed."""
        kappa = min(self.evidence.kappa.value, LARGEST_KAPPA) if self.measured else math.nan
        every = np.stack([stage.shares for stage in self.evidence.stages])
        spoken = every[self.heard, np.arange(len(self.heard))]
        shares = np.where(np.isnan(spoken), self.evidence.shares, spoken)
        return fuse(shares, self.evidence.counts, kappa)

    @cached_property
    def votes(self) -> Floats:
        """The size of the posterior (n,): kappa and the labels that exist; NaN where kappa is not known."""
        kappa = min(self.evidence.kappa.value, LARGEST_KAPPA) if self.measured else math.nan
        votes: Floats = kappa + self.evidence.counts.sum(axis=1)
        return votes

    @cached_property
    def supported(self) -> Verdict:
        """The verdict that judge and labels together support."""
        return verdict_of(
            self.mean, self.evidence.scale, target=self.options.target, set_size=self.options.set_size
        )

    @cached_property
    def trusted(self) -> Flags:
        """Rows (n,) trusted to a judge, unless people who labelled the row lean to another label."""
        decided = self.mean if self.measured else self.evidence.counts
        top = decided.argmax(axis=1)
        agrees = np.zeros(len(top), dtype=np.bool_)
        for k, stage in enumerate(self.evidence.stages):
            here = self.passage.trusted == k
            agrees[here] = stage.verdict.answer[here, top[here]]
        flags: Flags = agrees | ((self.passage.trusted >= 0) & ~self.evidence.labelled)
        return flags

    @cached_property
    def settled(self) -> Flags:
        """Labelled rows (n,) on which judge and labels together expect the agreement that is asked for."""
        enough = self.supported.confidence >= self.options.agreement
        flags: Flags = self.evidence.labelled & enough & self.measured & ~self.trusted
        return flags

    @cached_property
    def routed(self) -> Routed:
        """Where every row goes."""
        return routes_of(self.mean, self.votes, self.evidence.scale, trusted=self.trusted | self.settled)

    @cached_property
    def heard(self) -> NDArray[np.intp]:
        """The stage (n,) that speaks for a row: the one it is trusted to, else the last that it reached."""
        last = np.zeros(len(self.evidence.item), dtype=np.intp)
        for k, (reached, stage) in enumerate(zip(self.passage.reached, self.evidence.stages, strict=True)):
            last[reached & stage.asked] = k
        return np.where(self.passage.trusted >= 0, self.passage.trusted, last)

    @cached_property
    def confidence(self) -> Floats:
        """How sure that stage is (n,), NaN without its verdict."""
        every = np.stack([stage.verdict.confidence for stage in self.evidence.stages])
        sure: Floats = every[self.heard, np.arange(len(self.heard))]
        return sure

    def labels(self) -> list[str]:
        """The answer of each row: the trusted judge's, else what judge and labels support."""
        answer = self.supported.answer.copy()
        for k, stage in enumerate(self.evidence.stages):
            here = self.trusted & (self.passage.trusted == k)
            answer[here] = stage.verdict.answer[here]
        sets, row = np.unique(answer, axis=0, return_inverse=True)
        names = self.evidence.scale.labels
        words = [" or ".join(names[c] for c in np.flatnonzero(each)) for each in sets]
        return [words[code] for code in row.ravel().tolist()]

    def reasons(self) -> list[str]:
        """Why each row goes where it goes."""
        route = self.routed.route
        words = {
            TRUST: self._why_trusted,
            CONTESTED_ROUTE: self._why_contested,
            ASK_ONE_MORE: self._why_one_more,
            ESCALATE: self._why_escalated,
        }
        return [words[code](row) for row, code in enumerate(route.tolist())]

    def _why_trusted(self, row: int) -> str:
        if self.trusted[row]:
            judge, _, threshold = self._stage(row)
            return f"{judge} is sure enough: {self.confidence[row]:.3f}, threshold {threshold:.3f}"
        k = int(self.evidence.counts[row].sum())
        labels = f"{k} label{'s' if k > 1 else ''}"
        return f"settled by {labels} and the judge: {self.supported.confidence[row]:.2f} expected"

    def _why_contested(self, row: int) -> str:
        one, two = self._leading(row)
        return f"people split between {one} and {two}, and more labels would not change that"

    def _why_one_more(self, row: int) -> str:
        one, two = self._leading(row)
        return f"one more label may decide between {one} and {two}"

    def _why_escalated(self, row: int) -> str:
        waits = int(self.passage.waits[row])
        if waits >= 0:
            return f"not yet judged by {' and '.join(self.evidence.stages[waits].judges)}"
        judge, stage, threshold = self._stage(row)
        if self.passage.trusted[row] >= 0:
            return f"people's labels speak against {judge}"
        if math.isnan(self.confidence[row]):
            return f"{judge} gave no verdict"
        if stage.found.abstains:
            return f"no threshold holds for {judge}"
        return f"{judge} is not sure enough: {self.confidence[row]:.3f}, threshold {threshold:.3f}"

    def _stage(self, row: int) -> tuple[str, CascadeStage, float]:
        """The judge that speaks for a row, its stage and its threshold."""
        k = int(self.heard[row])
        stage = self.stages[int(self.evidence.metric[row])][k]
        judges = self.evidence.stages[k].judges
        return "the panel" if len(judges) > 1 else judges[0], stage, stage.found.threshold

    def _leading(self, row: int) -> tuple[str, str]:
        """The two likeliest labels, in the scale's order."""
        one, two = sorted(np.argsort(-self.mean[row], kind="stable")[:2].tolist())
        return self.evidence.scale.labels[one], self.evidence.scale.labels[two]


def queue_of(study: Study, parts: Sequence[Routing]) -> Queue:
    """All rows of all parts: contested first, then by what one more label would bring, the trusted last."""
    route = np.concatenate([part.routed.route for part in parts])
    gain = np.concatenate([part.routed.gain for part in parts])
    sure = np.concatenate([part.confidence for part in parts])
    item = np.concatenate([part.evidence.item for part in parts])
    order = np.lexsort((np.nan_to_num(sure, nan=-1.0), -np.nan_to_num(gain), np.argsort(FIRST)[route]))
    names = [part.evidence.metrics[k] for part in parts for k in part.evidence.metric.tolist()]
    columns = {
        "item_id": Column(item.astype(np.int32), study.items.ids),
        "metric": Column.of(names),
        "route": Column(route.astype(np.int32), ROUTES),
        "reason": Column.of([reason for part in parts for reason in part.reasons()]),
        "label": Column.of([label for part in parts for label in part.labels()]),
    }
    numbers = {
        "confidence": sure,
        "human_labels": np.concatenate([part.evidence.counts.sum(axis=1) for part in parts]),
        "gain": gain,
        "contested": np.concatenate([part.routed.contested for part in parts]),
    }
    labels = dict.fromkeys(label for part in parts for label in part.evidence.scale.labels)
    numbers |= {f"prob_{label}": np.concatenate([_share(part, label) for part in parts]) for label in labels}
    return Queue(
        {name: column.take(order) for name, column in columns.items()},
        {name: values[order] for name, values in numbers.items()},
    )


def _share(part: Routing, label: str) -> Floats:
    """The expected share of ``label`` (n,), NaN on metrics that do not have it."""
    code = part.evidence.scale.code(label)
    return part.mean[:, code] if code >= 0 else np.full(len(part.mean), np.nan)
