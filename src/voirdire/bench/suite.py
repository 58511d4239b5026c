"""A benchmark's folder: bench.yaml, its metrics, and the axes along which each scenario is varied."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from voirdire.bench.reading import read_document
from voirdire.bench.template import NAME, MetricTemplate, Scenario
from voirdire.errors import UserError
from voirdire.judges.call import content_hash
from voirdire.study.faults import Faults

__all__ = [
    "Bench",
    "BenchConfig",
    "Case",
    "Expected",
    "Parts",
    "Value",
    "Variant",
    "load_bench",
    "read_parts",
]

BENCH = "bench.yaml"
METRICS = "metrics"
NEUTRAL = "neutral"
"""What a benchmark without axes calls its only variant."""
Named = Annotated[str, Field(pattern=NAME)]
Model = TypeVar("Model", bound=BaseModel)
Count = Annotated[int, Field(ge=0)] | None


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Value(_Part):
    """One value of an axis: what a variant adds to a base scenario, and nothing else differs."""

    who: str = Field(default="", description="Added to what a simulated user plays: You are 15 years old.")
    says: str = Field(default="", description="Put before the opening message: I'm 15 and in ninth grade.")


class Expected(_Part):
    """How many there should be; `voirdire bench check` counts what is written here."""

    metrics: Count = Field(default=None, description="Metrics.")
    positive: Count = Field(default=None, description="Metrics of which the behaviour is wanted.")
    negative: Count = Field(default=None, description="Metrics of which it is not.")
    areas: Count = Field(default=None, description="Areas.")
    subareas: Count = Field(default=None, description="Subareas.")
    benchmarks: Count = Field(default=None, description="Benchmarks.")
    scenarios: Count = Field(default=None, description="Base scenarios of all metrics.")


class BenchConfig(_Part):
    """The whole of bench.yaml."""

    name: str = Field(min_length=1, description="The benchmark suite's name.")
    demo: str = Field(default="", description="A note that it is made up; shown on every page.")
    turns: int = Field(default=6, ge=1, le=100, description="Turns of the user at most.")
    repeats: int = Field(default=1, ge=1, le=1000, description="Conversations of each kind.")
    axes: dict[Named, dict[Named, Value]] = Field(
        default_factory=dict, description="Axes of variants, each with its values: age: {teen, adult}."
    )
    expects: Expected = Field(
        default_factory=Expected, description="How many metrics, areas, ... there should be, to be checked."
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


@dataclass(frozen=True, eq=False)
class Parts:
    """What stands in a benchmark's folder: metrics by file, and ``problems`` of what could not be read."""

    folder: Path
    config: BenchConfig | None
    metrics: Mapping[str, MetricTemplate]
    problems: tuple[UserError, ...]

    @property
    def bench(self) -> Bench | None:
        """The benchmark of all that could be read, None without bench.yaml or any metric."""
        every = {metric.metric: metric for metric in self.metrics.values()}
        if self.config is None or not every:
            return None
        return Bench(self.folder, self.config, tuple(every[name] for name in sorted(every)))


def read_parts(folder: str | Path) -> Parts:
    """Everything in ``folder`` that can be read; only where there is no bench.yaml an error is raised."""
    path = Path(folder)
    if not (path / BENCH).is_file():
        raise UserError(f"no {BENCH}", where=str(folder), fix=f"voirdire bench new {folder}")
    problems: list[UserError] = []
    config = _attempt(BenchConfig, path / BENCH, BENCH, problems)
    found = {}
    for file in sorted((path / METRICS).glob("*.y*ml")):
        where = f"{METRICS}/{file.name}"
        metric = _attempt(MetricTemplate, file, where, problems)
        if metric is not None:
            found[where] = metric
    problems += _named_twice(found)
    if not any((path / METRICS).glob("*.y*ml")):
        fix = "write one: voirdire bench new shows how"
        problems.append(UserError("no metric", where=f"{path / METRICS}", fix=fix))
    return Parts(path, config, found, tuple(problems))


def load_bench(folder: str | Path) -> Bench:
    """The benchmark in ``folder``; every fault of bench.yaml and of all metrics is told at once, by line."""
    parts = read_parts(folder)
    faults = Faults()
    for problem in parts.problems:
        faults.collect(problem)
    faults.check()
    bench = parts.bench
    assert bench is not None, "without a problem there is a benchmark"
    return bench


def _attempt(model: type[Model], file: Path, where: str, problems: list[UserError]) -> Model | None:
    try:
        return read_document(model, file, where)
    except UserError as problem:
        problems.append(problem)
        return None


def _named_twice(metrics: Mapping[str, MetricTemplate]) -> Iterator[UserError]:
    first: dict[str, str] = {}
    for where, metric in metrics.items():
        if metric.metric in first:
            yield UserError(
                f"metric '{metric.metric}' stands in {first[metric.metric]} already",
                where=where,
                fix="give it a name of its own",
            )
        first.setdefault(metric.metric, where)
