"""Context: the study and options that every check receives, with the parts that several checks share."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from voirdire.checks.options import AuditOptions
from voirdire.study import Panel, Policy, RaterKind, Study, Verdicts, policies

__all__ = ["Context"]

T = TypeVar("T")
MOST_RESAMPLED = 1000


@dataclass(frozen=True, eq=False)
class Context:
    """What a check reads: ``study``, ``options``, and what several checks need, computed once."""

    study: Study
    options: AuditOptions
    _panels: dict[tuple[str, str], Panel] = field(default_factory=dict, repr=False)
    _verdicts: dict[tuple[str, str, int], Verdicts] = field(default_factory=dict, repr=False)
    _shared: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def rng(self, name: str) -> np.random.Generator:
        """A stream that depends on the seed and ``name`` only: checks may run in any order or alone."""
        return np.random.default_rng([self.options.seed, zlib.crc32(name.encode())])

    def once(self, name: Hashable, compute: Callable[[Context], T]) -> T:
        """What ``compute`` gives for this context; later callers of ``name`` get the same object."""
        if name not in self._shared:
            self._shared[name] = compute(self)
        value: T = self._shared[name]
        return value

    def policies(self, metric: str) -> tuple[Policy, ...]:
        """Every defensible mapping of the metric's indeterminate labels."""
        return policies(self.study.metric(metric).scale)

    def people(self, metric: str, policy: Policy | None = None) -> Panel:
        """The people's labels on ``metric`` under ``policy``, by default the metric's declared one."""
        chosen = policy or self.study.metric(metric).policy
        key = (metric, chosen.name)
        if key not in self._panels:
            self._panels[key] = self.study.panel(metric, policy=chosen)
        return self._panels[key]

    def verdicts(self, metric: str, judge: int, policy: Policy | None = None) -> Verdicts:
        """The verdicts of one judge on the items of :meth:`people`, in their order."""
        chosen = policy or self.study.metric(metric).policy
        key = (metric, chosen.name, judge)
        if key not in self._verdicts:
            items = self.people(metric, chosen).items
            self._verdicts[key] = self.study.verdicts(metric, judge, items, policy=chosen)
        return self._verdicts[key]

    def resamples(self, n_items: int) -> int:
        """How often to resample a panel: as the options say, or 0 for the jackknife beyond 1,000 items.

        There the two standard errors agree to a percent, and a study of many metrics would resample for
        minutes.
        """
        return self.options.resamples if n_items <= MOST_RESAMPLED else 0

    def audited(self) -> tuple[str, ...]:
        """Names of the metrics on which at least one person gave a label, in declared order."""
        return self.once("audited", lambda context: context._metrics_with("human"))

    def judged(self) -> tuple[str, ...]:
        """Names of the metrics on which at least one judge gave a verdict, in declared order."""
        return self.once("judged", lambda context: context._metrics_with("judge"))

    def compared(self) -> tuple[str, ...]:
        """The audited metrics that a judge rated too; all audited metrics where no judge rated any."""
        judged = set(self.judged())
        return tuple(name for name in self.audited() if name in judged) or self.audited()

    def _metrics_with(self, kind: RaterKind) -> tuple[str, ...]:
        study = self.study
        rows = study.usable & study.is_kind(kind)[study.ratings.rater]
        present = np.bincount(study.ratings.metric[rows], minlength=len(study.metrics)) > 0
        return tuple(metric.name for metric, found in zip(study.metrics, present, strict=True) if found)
