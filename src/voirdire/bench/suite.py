"""A benchmark's folder: bench.yaml, its metrics, and the axes along which each scenario is varied."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from voirdire.bench.template import NAME, MetricTemplate, Scenario
from voirdire.errors import UserError
from voirdire.judges.call import content_hash
from voirdire.study.documents import load_mapping, validated
from voirdire.study.faults import Faults

__all__ = ["Bench", "BenchConfig", "Case", "Value", "Variant", "load_bench"]

BENCH = "bench.yaml"
METRICS = "metrics"
NEUTRAL = "neutral"
"""What a benchmark without axes calls its only variant."""
Named = Annotated[str, Field(pattern=NAME)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Value(_Part):
    """One value of an axis: what a variant adds to a base scenario, and nothing else differs."""

    who: str = Field(default="", description="Added to what a simulated user plays: You are 15 years old.")
    says: str = Field(default="", description="Put before the opening message: I'm 15 and in ninth grade.")


class BenchConfig(_Part):
    """The whole of bench.yaml."""

    name: str = Field(min_length=1, description="The benchmark suite's name.")
    demo: str = Field(default="", description="A note that it is made up; shown on every page.")
    turns: int = Field(default=6, ge=1, le=100, description="Turns of the user at most.")
    repeats: int = Field(default=1, ge=1, le=1000, description="Conversations of each kind.")
    axes: dict[Named, dict[Named, Value]] = Field(
        default_factory=dict, description="Axes of variants, each with its values: age: {teen, adult}."
    )
    audiences: list[str] = Field(
        default_factory=lambda: ["parent", "educator", "policymaker", "developer"],
        description="Whom label cards are written for.",
    )


@dataclass(frozen=True)
class Variant:
    """One value of each axis, by the axis' name."""

    values: tuple[tuple[str, str], ...]
    who: str
    says: str

    @property
    def name(self) -> str:
        """As in results: ``age=teen``; several axes are joined by ``,``."""
        return ",".join(f"{axis}={value}" for axis, value in self.values) or NEUTRAL


@dataclass(frozen=True)
class Case:
    """What is played to every system: a metric's scenario in one variant."""

    metric: MetricTemplate
    scenario: Scenario
    variant: Variant

    @property
    def pair(self) -> str:
        """What all variants of one scenario share."""
        return f"{self.metric.metric}/{self.scenario.id}"

    @property
    def opening(self) -> str:
        """The first message, with what the variant says before it."""
        return " ".join(text for text in (self.variant.says, self.scenario.opening) if text)

    @property
    def role(self) -> str:
        """What a simulated user plays: the base setting, then who the user is; never the moves to come."""
        return "\n".join(text for text in (self.scenario.setting, self.variant.who) if text)

    @cached_property
    def hash(self) -> str:
        """Of all that is said or played, without the scoring: rewording that plays nothing again."""
        played = self.scenario.model_dump(mode="json")
        return content_hash(
            [self.metric.metric, played, self.variant.values, self.variant.who, self.variant.says]
        )


@dataclass(frozen=True, eq=False)
class Bench:
    """A benchmark as read: its ``folder``, ``config`` and metrics by name, in order of their names."""

    folder: Path
    config: BenchConfig
    metrics: tuple[MetricTemplate, ...]

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """Every combination of the axes' values, in the order in which they are written."""
        axes = [
            [(axis, name, value) for name, value in values.items()]
            for axis, values in self.config.axes.items()
        ]
        return tuple(
            Variant(
                tuple((axis, name) for axis, name, _ in chosen),
                " ".join(value.who for _, _, value in chosen if value.who),
                " ".join(value.says for _, _, value in chosen if value.says),
            )
            for chosen in itertools.product(*axes)
        )

    def cases(self, *, unreviewed: bool = False) -> Iterator[Case]:
        """Cases of the metrics that count, or of all with ``unreviewed``, by metric, scenario and variant."""
        for metric in self.metrics:
            if unreviewed or metric.reviewed is not None:
                for scenario in metric.scenarios:
                    for variant in self.variants:
                        yield Case(metric, scenario, variant)

    def metric(self, name: str) -> MetricTemplate:
        """The metric called ``name``."""
        found = next((metric for metric in self.metrics if metric.metric == name), None)
        if found is None:
            raise UserError(f"no metric '{name}'", where=str(self.folder))
        return found


def load_bench(folder: str | Path) -> Bench:
    """The benchmark in ``folder``; every fault of bench.yaml and of all metrics is told at once, by file."""
    path = Path(folder)
    if not (path / BENCH).is_file():
        raise UserError(f"no {BENCH}", where=str(folder), fix=f"voirdire bench new {folder}")
    faults = Faults()
    config: BenchConfig | None = None
    try:
        config = validated(BenchConfig, load_mapping(path / BENCH), where=BENCH)
    except UserError as problem:
        faults.collect(problem)
    metrics: dict[str, MetricTemplate] = {}
    for file in sorted((path / METRICS).glob("*.y*ml")):
        where = f"{METRICS}/{file.name}"
        try:
            metric = validated(MetricTemplate, load_mapping(file), where=where)
        except UserError as problem:
            faults.collect(problem)
            continue
        if metric.metric in metrics:
            faults.add(f"metric '{metric.metric}' stands in another file already", where=where)
        metrics[metric.metric] = metric
    faults.check()
    assert config is not None
    if not metrics:
        raise UserError("no metric", where=str(path / METRICS), fix="write one: voirdire bench new shows how")
    return Bench(path, config, tuple(metrics[name] for name in sorted(metrics)))
