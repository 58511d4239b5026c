"""A metric's page: what it asks, how each system did, and where its conversations are."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.bench.cells import ALL
from voirdire.bench.outcomes import MISSING
from voirdire.bench.template import MetricTemplate
from voirdire.bench.tree import Node
from voirdire.web.results import addresses
from voirdire.web.results.explorer import Step, believed, steps
from voirdire.web.results.figures import Figure, figure_of, share
from voirdire.web.results.shown import Shown
from voirdire.web.results.words import variant_words

__all__ = ["MetricPage", "MetricRow", "metric_page"]


@dataclass(frozen=True)
class MetricRow:
    """One system on the metric: its rate three ways, counts, and passes by variant in words."""

    system: str
    href: str
    rate: Figure
    with_occasion: Figure
    sound: Figure
    missing: int
    bounds: str
    by_variant: tuple[str, ...]


@dataclass(frozen=True)
class MetricPage:
    """All that is said of one metric; ``template`` is the expert's file where it is known."""

    node: Node
    name: str
    title: str
    wanted: bool
    version: str
    counts: bool
    believed: str
    trail: tuple[Step, ...]
    variants: tuple[str, ...]
    rows: tuple[MetricRow, ...]
    template: MetricTemplate | None
    download: str


def metric_page(shown: Shown, node: Node) -> MetricPage:
    """The page of the metric at ``node``."""
    metric = shown.results.metrics[node.metrics[0]]
    bench = shown.kept.bench if shown.kept else None
    template = next((one for one in bench.metrics if one.metric == metric.name), None) if bench else None
    return MetricPage(
        node,
        metric.name,
        metric.title,
        metric.polarity == "positive",
        metric.version,
        metric.counts,
        believed(shown, metric.name),
        steps(shown, node),
        tuple(variant_words(name) for name in shown.results.variants),
        tuple(_row(shown, node, system) for system in (*shown.systems, ALL)),
        template,
        f"data/metrics/{addresses.slug(metric.name)}.yaml" if template else "",
    )


def _row(shown: Shown, node: Node, system: str) -> MetricRow:
    rate = shown.own_rate(node, system)
    known = system != ALL and shown.kept is not None
    missing = 0 if rate is None else rate.missing
    return MetricRow(
        "All systems" if system == ALL else system,
        addresses.talks(node.id, system) if known else "",
        figure_of(rate),
        figure_of(None) if rate is None else share(rate.with_occasion),
        figure_of(None) if rate is None else share(rate.simulator_sound),
        missing,
        f"{rate.least:.0%} to {rate.most:.0%} whatever they say".replace("%", "\N{NO-BREAK SPACE}%")
        if rate is not None and missing
        else "",
        _by_variant(shown, node.metrics[0], "" if system == ALL else system),
    )


def _by_variant(shown: Shown, metric: int, system: str) -> tuple[str, ...]:
    outcomes = shown.results.outcomes
    rows = shown.rows(metric, system)
    passed = shown.passed[rows]
    found = []
    for code in range(len(outcomes.variants)):
        here = passed[outcomes.variant[rows] == code]
        judged = int((here != MISSING).sum())
        found.append(f"{int((here == 1).sum()):,} of {judged:,}" if judged else "none")
    return tuple(found)
