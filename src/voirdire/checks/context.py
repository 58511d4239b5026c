"""Context: the study and options that every check receives, with the parts that several checks share."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

import numpy as np

from voirdire.checks.options import AuditOptions
from voirdire.study import Panel, Policy, Slice, Study

__all__ = ["Context"]


@dataclass(frozen=True, eq=False)
class Context:
    """What a check reads: ``study``, ``options``, and panels cut out of the study once."""

    study: Study
    options: AuditOptions
    _panels: dict[tuple[str, str, str], Panel] = field(default_factory=dict, repr=False)

    def rng(self, name: str) -> np.random.Generator:
        """A stream that depends on the seed and ``name`` only, so that checks may run in any order or alone."""
        return np.random.default_rng([self.options.seed, zlib.crc32(name.encode())])

    def people(self, metric: str, policy: Policy | None = None, where: Slice | None = None) -> Panel:
        """The people's labels on ``metric`` under ``policy``, in one slice or all."""
        chosen = policy or self.study.metric(metric).policy
        key = (metric, chosen.name, "" if where is None else str(where))
        if key not in self._panels:
            self._panels[key] = self.study.panel(metric, policy=chosen, where=where)
        return self._panels[key]
