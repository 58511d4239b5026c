"""What the pages show: results, and where there are any the transcripts, verdicts and labels behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voirdire.bench.audited import CorrectedRate
from voirdire.bench.cells import ALL, ALL_VARIANTS, Kind
from voirdire.bench.contrasts import VariantContrast
from voirdire.bench.manifest import Run
from voirdire.bench.outcomes import Signs
from voirdire.bench.ranks import Ranking
from voirdire.bench.results import Results
from voirdire.bench.shares import PassRate
from voirdire.bench.suite import Bench
from voirdire.bench.tree import OVERALL, Node
from voirdire.checks.audit import Audit
from voirdire.judges.call import content_hash
from voirdire.judges.planning import Plan
from voirdire.store.sql import Store
from voirdire.study.study import Study

__all__ = ["KINDS", "Kept", "Shown", "system_id"]

KINDS: tuple[Kind, ...] = ("positive", "negative", "both")
DIGITS = 12


def system_id(name: str) -> str:
    """The name of a system in addresses: the head of a hash, since its own may be any text.

    >>> len(system_id("any / text"))
    12
    """
    return content_hash(["system", name])[:DIGITS]


@dataclass(frozen=True, eq=False)
class Kept:
    """Where the transcripts and verdicts behind results are: ``plan`` names every verdict that counts."""

    bench: Bench
    store: Store
    plan: Plan

    @cached_property
    def hashes(self) -> Mapping[str, tuple[tuple[str, str, int], ...]]:
        """By conversation its verdicts: metric, hash of all that went in, and run."""
        ids = self.plan.study.items.ids
        names = [metric.name for metric in self.plan.study.metrics]
        found: dict[str, list[tuple[str, str, int]]] = {}
        for task in self.plan.tasks:
            verdict = names[task.metric], task.content_hash, task.run
            found.setdefault(ids[task.items[0]], []).append(verdict)
        return {name: tuple(verdicts) for name, verdicts in found.items()}


@dataclass(frozen=True, eq=False)
class Shown:
    """``results``, what is ``kept`` behind them and their ``run``, people's labels and the audit of them.

    ``kept`` is None for verdicts that somebody else handed over without transcripts.
    """

    results: Results
    kept: Kept | None = None
    run: Run | None = None
    people: Study | None = None
    audit: Audit | None = None

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that the whole benchmark has figures of."""
        return tuple(kind for kind in KINDS if self.rate(OVERALL, kind) is not None)

    @cached_property
    def selections(self) -> tuple[str, ...]:
        """The names of the choices of variants, all of them first."""
        return tuple(dict.fromkeys([ALL_VARIANTS, *(rate.variant for rate in self.results.rates)]))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Systems by the share of all that went well, the best first."""
        ranking = self.results.ranking(self.kinds[-1]) if self.kinds else None
        if ranking is None:
            return tuple(player.name for player in self.results.systems)
        first = [one.system for one in ranking.systems]
        return (*first, *(one.name for one in self.results.systems if one.name not in first))

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Nodes by id."""
        return {node.id: node for node in self.results.nodes}

    def children(self, node: Node) -> tuple[Node, ...]:
        """The nodes right below ``node``."""
        return self._below.get(node.id, ())

    def trail(self, node: Node) -> tuple[Node, ...]:
        """The nodes from the area down to ``node`` itself."""
        found = [node]
        while found[0].parent and found[0].parent != OVERALL:
            found.insert(0, self.nodes[found[0].parent])
        return tuple(one for one in found if one.id != OVERALL)

    def rate(self, node: str, kind: Kind, system: str = ALL, variant: str = ALL_VARIANTS) -> PassRate | None:
        """A rate, None where no conversation is in its cell."""
        return self.results.rate(node, kind, system=system, variant=variant)

    def own_rate(self, node: Node, system: str = ALL) -> PassRate | None:
        """The rate of a metric's node, which is of the metric's own kind."""
        wanted = self.results.metrics[node.metrics[0]].polarity == "positive"
        return self.rate(node.id, "positive" if wanted else "negative", system)

    def corrected(self, node: str, kind: Kind, system: str = ALL) -> CorrectedRate | None:
        """What people would say of a cell, None where too few conversations of it carry their labels."""
        return self._corrected.get((node, kind, system))

    def contrasts(self, node: str, kind: Kind, system: str = ALL) -> tuple[VariantContrast, ...]:
        """Matched variants compared in a cell, axis by axis."""
        return self._contrasts.get((node, kind, system), ())

    def ranking(self, kind: Kind, variant: str = ALL_VARIANTS, node: str = OVERALL) -> Ranking | None:
        """The order of systems in a cell, None below two systems."""
        return self.results.ranking(kind, node=node, variant=variant)

    @cached_property
    def passed(self) -> Signs:
        """Whether each conversation went as experts ask for (n,)."""
        return self.results.outcomes.passed

    def place(self, conversation: str) -> tuple[Node, str] | None:
        """The metric's node and the system of a conversation, None where there is no such one."""
        row = self._row_of.get(conversation)
        if row is None:
            return None
        outcomes = self.results.outcomes
        return self._metric_nodes[int(outcomes.metric[row])], outcomes.systems[int(outcomes.system[row])]

    def rows(self, metric: int, system: str = "") -> NDArray[np.intp]:
        """Rows of the outcomes of a metric, of one system or of all."""
        start, end = np.searchsorted(self._by_metric[1], [metric, metric + 1])
        rows = self._by_metric[0][start:end]
        if system:
            rows = rows[self.results.outcomes.system[rows] == self.results.outcomes.systems.index(system)]
        return rows

    @cached_property
    def _row_of(self) -> Mapping[str, int]:
        return {name: row for row, name in enumerate(self.results.outcomes.ids)}

    @cached_property
    def _metric_nodes(self) -> Mapping[int, Node]:
        return {node.metrics[0]: node for node in self.results.nodes if node.level == "metric"}

    @cached_property
    def _below(self) -> Mapping[str, tuple[Node, ...]]:
        found: dict[str, list[Node]] = {}
        for node in self.results.nodes:
            found.setdefault(node.parent, []).append(node)
        return {name: tuple(nodes) for name, nodes in found.items()}

    @cached_property
    def _corrected(self) -> Mapping[tuple[str, str, str], CorrectedRate]:
        return {(one.node, one.kind, one.system): one for one in self.results.audited.rates}

    @cached_property
    def _contrasts(self) -> Mapping[tuple[str, str, str], tuple[VariantContrast, ...]]:
        found: dict[tuple[str, str, str], list[VariantContrast]] = {}
        for one in self.results.contrasts:
            found.setdefault((one.node, one.kind, one.system), []).append(one)
        return {cell: tuple(every) for cell, every in found.items()}

    @cached_property
    def _by_metric(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """All rows in order of their metrics, and the metric of each."""
        order = np.argsort(self.results.outcomes.metric, kind="stable")
        return order, self.results.outcomes.metric[order]
