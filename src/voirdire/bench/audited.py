"""What people would say: rates corrected for the judge's errors, where people labelled conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from voirdire.bench.cells import ALL, KINDS, Kind
from voirdire.bench.outcomes import Rated
from voirdire.bench.tree import Node
from voirdire.decide.rates import populations, rates_of
from voirdire.decide.rates_options import FEWEST, RatesOptions
from voirdire.decide.rates_population import Population, all_metrics
from voirdire.decide.rates_rows import ALL as ALL_SYSTEMS
from voirdire.decide.rates_rows import Rate
from voirdire.errors import UserError
from voirdire.stats.estimate import Estimate
from voirdire.study.column import Column
from voirdire.study.study import Study

__all__ = ["NOT_AUDITED", "Audited", "CorrectedRate", "audited_rates"]

QUANTITY = "pass rate"
NOT_AUDITED = "no person has labelled a conversation"


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """The share of conversations that people would pass, by the estimators of ``voirdire rates``.

    ``corrected`` is for these raters and new conversations, ``new_raters`` for other people too,
    ``labels_alone`` without the judge. ``labelled`` of ``items`` conversations carry labels of ``raters``
    people. It speaks for ``metrics`` of the node's ``of`` metrics: those with a label.
    """

    node: str
    kind: Kind
    system: str
    corrected: Estimate
    new_raters: Estimate
    labels_alone: Estimate
    items: int
    labelled: int
    raters: int
    metrics: int
    of: int
    method: str


@dataclass(frozen=True)
class Audited:
    """The corrected ``rates``, ``labels`` of people behind them, and ``why`` there are none where so."""

    rates: tuple[CorrectedRate, ...] = ()
    labels: int = 0
    raters: int = 0
    items: int = 0
    why: str = NOT_AUDITED
    notes: tuple[str, ...] = ()


def audited_rates(
    study: Study, metrics: Sequence[Rated], nodes: Sequence[Node], *, level: float = 0.95, seed: int = 0
) -> Audited:
    """Corrected rates of every node with 30 labelled conversations or more, by kind and system.

    ``study`` holds the judge's verdicts and people's labels on conversations, each rated on its own metric.
    Chances of being labelled are read from ``sampling_probability`` where it stands. Whole metrics are
    resampled, and of a single metric whole scenarios.
    """
    labelled = _labelled(study, metrics)
    people = {
        int(rater)
        for name in labelled
        for rater in study.ratings.rater[study.rows(name, kind="human")].tolist()
    }
    if not labelled:
        return Audited()
    options = RatesOptions(level=level, seed=seed)
    notes: tuple[str, ...] = ()
    found: list[CorrectedRate] = []
    try:
        parts = _predicted(study, options)
    except UserError as problem:
        parts, notes = {}, (str(problem),)
    for node in nodes:
        for kind, every in _cells(node, metrics):
            own = [parts[name] for name in every if name in parts]
            if sum(rows.n_labelled for rows in own) >= FEWEST:
                joined = _joined(study, own)
                made = rates_of(study, joined, options)
                found += [
                    _corrected(node, kind, row, (len(own), len(every)))
                    for row in made
                    if row.quantity == QUANTITY
                ]
    items = sum(labelled.values())
    few = f"people labelled {items:,} conversations, of {FEWEST} that a corrected rate needs"
    why = "" if found else next(iter(notes), few)
    given = sum(len(study.rows(name, kind="human")) for name in labelled)
    return Audited(tuple(found), given, len(people), items, why, notes)


def _labelled(study: Study, metrics: Sequence[Rated]) -> dict[str, int]:
    """How many conversations people labelled, by metric; those without one are left out."""
    known = {metric.name for metric in study.metrics}
    counts = {
        metric.name: len(np.unique(study.ratings.item[study.rows(metric.name, kind="human")]))
        for metric in metrics
        if metric.name in known
    }
    return {name: count for name, count in counts.items() if count}


def _cells(node: Node, metrics: Sequence[Rated]) -> Iterator[tuple[Kind, list[str]]]:
    """Each kind that a node holds, with its metrics."""
    there = {metrics[code].polarity for code in node.metrics}
    for kind in KINDS:
        if kind in there or (kind == "both" and len(there) > 1):
            own = [metrics[code] for code in node.metrics]
            yield kind, [metric.name for metric in own if kind in ("both", metric.polarity)]


def _predicted(study: Study, options: RatesOptions) -> dict[str, Population]:
    """Each labelled metric's rows; predictions learn from other metrics, or where too few are labelled from
    other scenarios.
    """
    try:
        found = populations(study, options)
    except UserError:
        scenario: Column = study.items.attributes["variant_of"]
        items = replace(study.items, cluster=scenario.codes.astype(np.int32))
        found = populations(replace(study, items=items), options)
    return {rows.metric.name: rows for rows in found}


def _joined(study: Study, parts: Sequence[Population]) -> Population:
    """The rows of several metrics; of a single one with its scenarios as clusters."""
    if len(parts) > 1:
        return all_metrics(study, parts)
    scenario = study.items.attributes["variant_of"].codes[parts[0].item]
    return replace(parts[0], cluster=np.unique(scenario, return_inverse=True)[1].astype(np.intp))


def _corrected(node: Node, kind: Kind, row: Rate, metrics: tuple[int, int]) -> CorrectedRate:
    return CorrectedRate(
        node.id,
        kind,
        ALL if row.system == ALL_SYSTEMS else row.system,
        row.corrected,
        row.new_raters,
        row.labels_alone,
        row.n_items,
        row.n_labelled,
        row.n_raters,
        *metrics,
        row.method,
    )
