"""Where each metric stands: whether it counts, who checked which version, and what has changed since."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from typing import Literal

from voirdire.bench.template import MetricTemplate, Reviewed

__all__ = [
    "ALIKE",
    "Place",
    "Severity",
    "Standing",
    "State",
    "count_metrics",
    "misplaced",
    "places",
    "standing",
]

State = Literal["counts", "not reviewed", "found wanting", "changed since", "draft"]
Severity = Literal["fault", "flag", "note"]
LEVELS = ("benchmark", "subarea", "area")
CLOSE = 0.9
ALIKE = "names alike"
"""The rule by which a metric accepts a name that is nearly another's."""


@dataclass(frozen=True)
class Standing:
    """How far a metric is: only one that ``counts`` enters headlines.

    ``by`` and ``date`` are of the last review; ``changed`` names the parts that differ from what it read,
    where the review says what it read.
    """

    metric: str
    file: str
    version: str
    state: State
    by: str = ""
    date: str = ""
    changed: tuple[str, ...] = ()

    def __str__(self) -> str:
        who = f" by {self.by}, {self.date}" if self.by else ""
        if self.state == "changed since":
            what = f": {', '.join(self.changed)}" if self.changed else ""
            return f"changed since it was reviewed{who}{what}"
        if self.state == "draft":
            return "a model's draft, which nobody has edited"
        return {"counts": f"reviewed{who}", "found wanting": f"found wanting{who}"}.get(
            self.state, self.state
        )


def standing(metric: MetricTemplate, file: str) -> Standing:
    """Where ``metric``, read from ``file``, stands."""
    last = _last(metric)
    by, date = (last.by, last.date) if last else ("", "")
    state: State = "counts"
    changed: tuple[str, ...] = ()
    if metric.draft:
        state = "draft"
    elif last is None:
        state = "not reviewed"
    elif last.version != metric.version:
        state = "changed since"
        now = metric.parts
        changed = tuple(name for name in now if last.parts and last.parts.get(name) != now[name])
    elif metric.reviewed is None:
        state = "found wanting"
    return Standing(metric.metric, file, metric.version, state, by, date, changed)


def _last(metric: MetricTemplate) -> Reviewed | None:
    """The last review of this version, else the last of any."""
    mine = [one for one in metric.reviews if one.version == metric.version]
    every = mine or metric.reviews
    return every[-1] if every else None


def count_metrics(metrics: Sequence[MetricTemplate]) -> dict[str, int]:
    """How many metrics there are, by polarity, in how many benchmarks, subareas and areas, and scenarios."""
    polarity = Counter(metric.polarity for metric in metrics)
    return {
        "metrics": len(metrics),
        "positive": polarity["positive"],
        "negative": polarity["negative"],
        "benchmarks": len({metric.benchmark for metric in metrics}),
        "subareas": len({metric.subarea for metric in metrics}),
        "areas": len({metric.area for metric in metrics}),
        "scenarios": sum(len(metric.scenarios) for metric in metrics),
    }


@dataclass(frozen=True)
class Place:
    """A benchmark in its subarea and area, and how many metrics of each polarity it has."""

    area: str
    subarea: str
    benchmark: str
    positive: int
    negative: int


def places(metrics: Sequence[MetricTemplate]) -> tuple[Place, ...]:
    """Every benchmark, by area and subarea."""
    found: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for metric in metrics:
        found[metric.area, metric.subarea, metric.benchmark][metric.polarity] += 1
    return tuple(
        Place(*place, count["positive"], count["negative"]) for place, count in sorted(found.items())
    )


def misplaced(metrics: Mapping[str, MetricTemplate]) -> Iterator[tuple[str, str, Severity]]:
    """Files whose metric breaks the tree of areas, what is wrong, and how much it matters.

    A benchmark lies in one subarea. A subarea's name may stand in several areas, as "other" does; it is told.
    Names that are spelt nearly alike may be one, unless the metric accepts the rule "names alike".
    """
    for level, above in pairwise(LEVELS):
        severity: Severity = "fault" if level == "benchmark" else "note"
        first_place: dict[str, str] = {}
        for file, metric in metrics.items():
            name, parent = getattr(metric, level), getattr(metric, above)
            first = first_place.setdefault(name, parent)
            if first != parent:
                what = f"{level} '{name}' lies in {above} '{parent}' here and in '{first}' elsewhere"
                yield file, what, severity
    for level in LEVELS:
        names: dict[str, str] = {}
        for file, metric in metrics.items():
            name = getattr(metric, level)
            near = get_close_matches(name.casefold(), names, n=1, cutoff=CLOSE)
            if near and names[near[0]] != name and ALIKE not in metric.accepted:
                yield file, f"{level} '{name}' is spelt nearly as '{names[near[0]]}'", "flag"
            names.setdefault(name.casefold(), name)
