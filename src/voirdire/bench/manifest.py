"""Manifests: all that went into a run of a benchmark, kept whole, so that it can be aggregated again."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from voirdire import registry
from voirdire.bench.aggregate import AggregateOptions
from voirdire.bench.cast import Cast, TargetConfig, UserConfig
from voirdire.bench.suite import Bench, BenchConfig
from voirdire.bench.template import MetricTemplate
from voirdire.errors import UserError
from voirdire.judges.call import content_hash
from voirdire.judges.judge import Judge
from voirdire.judges.judge_file import JudgeConfig
from voirdire.judges.prompts import Prompt
from voirdire.judges.records import now
from voirdire.store.schema import manifests
from voirdire.store.sql import Store
from voirdire.study.documents import validated

__all__ = ["CAUSES", "Run", "keep_run", "run_called", "runs_of", "scoring_version"]

DIGITS = 12
LAST = "last"
RUN, METRIC, HELD = "bench run", "metric", "conversations"
CAUSES = ("metrics", "judge", "simulator", "targets", "parameters", "scoring")
"""What a result follows from; each has a hash of its own in a run's manifest."""
SCORING = (
    "voirdire.bench.outcomes",
    "voirdire.bench.collecting",
    "voirdire.bench.cells",
    "voirdire.bench.shares",
    "voirdire.bench.tree",
    "voirdire.bench.aggregate",
    "voirdire.stats.clustered_ratios",
)
"""The modules between verdicts and rates."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run as its manifest keeps it: ``number`` counts the runs of a store, ``ids`` are its conversations.

    ``parts`` are hashes by cause, ``started`` is when it was first asked for. ``bench``, ``cast`` and
    ``judges`` are as they were then, whatever became of their files; of systems whose transcripts were held
    elsewhere the cast knows the names alone.
    """

    name: str
    number: int
    started: str
    document: Mapping[str, Any]
    parts: Mapping[str, str]
    metrics: tuple[MetricTemplate, ...]
    ids: tuple[str, ...]

    @property
    def label(self) -> str:
        """As commands print it and take it: ``run-1``."""
        return f"run-{self.number}"

    @cached_property
    def bench(self) -> Bench:
        """The benchmark as it was."""
        return Bench(Path(), BenchConfig.model_validate(self.document["bench"]), self.metrics)

    @cached_property
    def cast(self) -> Cast:
        """Who played."""
        user = UserConfig.model_validate(_without(self.document["user"], "version"))
        told = [_without(one, "version") for one in self.document["targets"]]
        return Cast(user, tuple(TargetConfig.model_validate(one) for one in told), {})

    @cached_property
    def judges(self) -> tuple[Judge, ...]:
        """Who judged, the first for the figures."""
        return tuple(_judge(document) for document in self.document["judges"])

    @property
    def options(self) -> AggregateOptions:
        """How verdicts were counted."""
        return AggregateOptions(**self.document["options"])


def keep_run(
    bench: Bench, cast: Cast, judges: Sequence[Judge], options: AggregateOptions, store: Store
) -> Run:
    """Keep what a run is asked to do, once however often it is asked for, and return it.

    The same benchmark, cast, judges and options are the same run. What is kept: bench.yaml, every metric
    whole, the cast with versions, each judge with its prompt, the version of the scoring code, and the names
    of the conversations that belong to it.
    """
    ids = [part.id for part in cast.parts(bench, unreviewed=options.unreviewed)]
    whole = [metric.model_dump(mode="json", by_alias=True) for metric in bench.metrics]
    rows = [_row(METRIC, document) for document in whole] + [_row(HELD, ids)]
    document = {
        "bench": bench.config.model_dump(mode="json"),
        "metrics": [row["manifest"] for row in rows[:-1]],
        **cast.document,
        "judges": [_judge_document(judge) for judge in judges],
        "options": asdict(options),
        "scoring": scoring_version(),
        "conversations": rows[-1]["manifest"],
        "voirdire": version("voirdire"),
    }
    document["parts"] = _parts(document, bench, judges)
    row = _row(RUN, document)
    store.add(manifests, [*rows, row])
    return run_called(store, row["manifest"])


def runs_of(store: Store) -> tuple[Run, ...]:
    """Every run of ``store``, the oldest first."""
    query = sql.select(manifests).where(manifests.c.kind == RUN)
    rows = store.rows(query.order_by(manifests.c.created_at, manifests.c.manifest))
    return tuple(_run(store, row, number) for number, row in enumerate(rows, start=1))


def run_called(store: Store, name: str) -> Run:
    """The run called ``name``: ``run-2``, ``last``, or how its own name begins; another is a user's error."""
    query = sql.select(manifests.c.manifest).where(manifests.c.kind == RUN)
    rows = store.rows(query.order_by(manifests.c.created_at, manifests.c.manifest))
    names = [row["manifest"] for row in rows]
    found = [
        number
        for number, one in enumerate(names, start=1)
        if name == f"run-{number}" or (name and one.startswith(name)) or (name == LAST and one is names[-1])
    ]
    if len(found) != 1:
        known = ", ".join(f"run-{number} ({one})" for number, one in enumerate(names, start=1))
        raise UserError(
            f"no run '{name}'" if not found else f"'{name}' begins the names of {len(found)} runs",
            where=store.where,
            expected=f"one of {known}" if names else "a run: none is there yet",
            fix="" if names else "voirdire bench run",
        )
    row = store.rows(sql.select(manifests).where(manifests.c.manifest == names[found[0] - 1]))[0]
    return _run(store, row, found[0])


def scoring_version() -> str:
    """The head of a hash of the code between verdicts and rates."""
    return content_hash([inspect.getsource(import_module(name)) for name in SCORING])[:DIGITS]


def _parts(document: Mapping[str, Any], bench: Bench, judges: Sequence[Judge]) -> dict[str, str]:
    """The head of a hash of each cause."""
    counted = [(one.metric, one.version, one.reviewed is not None) for one in bench.metrics]
    systems = [(one["system"], one["version"]) for one in document["targets"]]
    # what changes no figure is no cause: a judge's price, the name under which a user plays
    told = {
        "metrics": counted,
        "judge": [[judge.name, judge.version, judge.config.metrics] for judge in judges],
        "simulator": document["user"]["version"],
        "targets": systems,
        "parameters": [_without(document["bench"], "name", "demo", "expects", "audiences")],
        "scoring": document["scoring"],
    }
    told["parameters"] += [document["options"]]
    return {name: content_hash(told[name])[:DIGITS] for name in CAUSES}


def _row(kind: str, document: Any) -> dict[str, Any]:
    name = content_hash([kind, document])[: DIGITS + 4]
    return {"manifest": name, "kind": kind, "document": document, "created_at": now()}


def _run(store: Store, row: Mapping[str, Any], number: int) -> Run:
    document = row["document"]
    named = [*document["metrics"], document["conversations"]]
    query = sql.select(manifests.c.manifest, manifests.c.document).where(manifests.c.manifest.in_(named))
    kept = {one["manifest"]: one["document"] for one in store.rows(query)}
    metrics = tuple(MetricTemplate.model_validate(kept[name]) for name in document["metrics"])
    ids = tuple(kept[document["conversations"]])
    return Run(row["manifest"], number, row["created_at"], document, document["parts"], metrics, ids)


def _judge_document(judge: Judge) -> dict[str, Any]:
    prompt = judge.prompt
    return {
        "config": judge.config.model_dump(mode="json"),
        "prompt": None if prompt is None else [prompt.user, prompt.system, prompt.where],
        "version": judge.version,
    }


def _judge(document: Mapping[str, Any]) -> Judge:
    """The judge under the version that it had, by which its verdicts are found."""
    config = JudgeConfig.model_validate(document["config"])
    said = document["prompt"]
    prompt = None if said is None else Prompt(said[0], said[1], where=said[2])
    make = registry.get("recipe", config.recipe)
    recipe = make(validated(make.Options, config.options, where=f"judge {config.judge}"), prompt)
    return Judge(config, recipe, prompt, document["version"])


def _without(document: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}
