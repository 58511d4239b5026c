"""Runs of small benchmarks in memory, and of the example, for tests of what runs them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from bench.benches import metric
from voirdire.bench.aggregate import AggregateOptions
from voirdire.bench.cast import Cast, load_cast
from voirdire.bench.running import RunControl, RunOutcome, run_bench
from voirdire.bench.suite import Bench, load_bench
from voirdire.bench.template import MetricTemplate
from voirdire.judges.judge import Judge, judge_of, load_judge
from voirdire.judges.judge_file import JudgeConfig
from voirdire.store.sql import open_store

RULES = [{"when": "PRESENT", "verdict": "present"}]


def reviewed(found: MetricTemplate) -> MetricTemplate:
    """The metric with a passed review of the version that it is."""
    passed = {"fidelity": True, "clarity": True, "observability": True}
    review = {"by": "made", "date": "2026-11-29", "version": found.version, **passed}
    whole = found.model_dump(mode="json", by_alias=True)
    return MetricTemplate.model_validate({**whole, "reviews": [review]})


def counted(name: str, **more: Any) -> MetricTemplate:
    """A metric that counts."""
    return reviewed(metric(name, **more))


def scripted_judge(rules: list[dict[str, Any]] | None = None, *, name: str = "j", **more: Any) -> Judge:
    """A judge that is no model: by default it finds the word PRESENT."""
    told = {"judge": name, "model": "rules", "recipe": "binary_rubric", "endpoint": {"client": "script"}}
    config = JudgeConfig.model_validate({**told, "parameters": {"rules": rules or RULES}, **more})
    return judge_of(config, where=Path("judge.yaml"))


def run(folder: Path, suite: Bench, players: Cast, *judges: Judge, **options: Any) -> RunOutcome:
    """One run; ``control`` and options of aggregation go by their names."""
    folder.mkdir(exist_ok=True)
    control = options.pop("control", RunControl())
    chosen = AggregateOptions(draws=200, **options)
    with open_store(folder) as store:
        return asyncio.run(
            run_bench(suite, store, players, judges or (scripted_judge(),), chosen, control=control)
        )


def run_folder(folder: Path, **options: Any) -> RunOutcome:
    """One run of a benchmark that stands in ``folder``."""
    suite = load_bench(folder)
    players = load_cast(suite, folder / "targets.yaml", folder / "user.yaml")
    return run(folder, suite, players, load_judge(folder / "judge.yaml"), **options)
