"""The judged benchmark at full size: 809 metrics x 3 scenarios x 2 variants x 10 systems, scripted.

    python benchmarks/bench_scale.py [--share 0.05] [--folder DIR]

It prints time, peak memory and disk by phase. A second run with the same folder shows what going on costs.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from voirdire.bench.cast import Cast, TargetsConfig, UserConfig
from voirdire.bench.running import RunControl, RunOutcome, run_bench
from voirdire.bench.simulating import Simulated
from voirdire.bench.suite import Bench, BenchConfig
from voirdire.bench.template import MetricTemplate
from voirdire.judges.judge import judge_of
from voirdire.judges.judge_file import JudgeConfig
from voirdire.judges.planning import Plan
from voirdire.judges.runner import Outcome
from voirdire.store.sql import open_store

METRICS, POSITIVE, SYSTEMS = 809, 460, 10
BENCHMARKS = 26
WORDS = "a reply of a few sentences, as systems give them, so that a transcript has a usual length. " * 3


def metric(number: int) -> MetricTemplate:
    """A made-up metric with three scenarios of two moves each, reviewed as it stands."""
    place = number % BENCHMARKS
    told: dict[str, Any] = {
        "metric": f"metric-{number:03}",
        "title": f"Metric {number}",
        "polarity": "positive" if number < POSITIVE else "negative",
        "benchmark": f"Benchmark {place}",
        "subarea": f"Subarea {place % 8}",
        "area": f"Area {place % 4}",
        "justification": {"construct": "c", "literature": "l", "evidence": "e"},
        "scenario": {"user": "u", "model_knows": "k", "message": "m"},
        "scoring": {
            "question": f"Does the system do what number {number} says?",
            "present": "It does.",
            "absent": "It does not.",
        },
        "scenarios": [scenario(name) for name in ("s1", "s2", "s3")],
    }
    found = MetricTemplate.model_validate(told)
    review = {"by": "made up", "date": "2026-11-29", "version": found.version}
    passed = {"fidelity": True, "clarity": True, "observability": True}
    return MetricTemplate.model_validate({**told, "reviews": [{**review, **passed}]})


def scenario(name: str) -> dict[str, Any]:
    """Six turns: the opening, two moves and three lines of the script."""
    return {
        "id": name,
        "setting": f"You want help ({name}).",
        "opening": f"Can you help me with {name}? {WORDS}",
        "moves": [
            {"turn": 3, "name": "insists", "say": "Just do it for me."},
            {"turn": 6, "name": "hurries", "say": "It must be done tomorrow."},
        ],
        "script": ["Thanks, and the beginning?", "And the ending?", "And between?"],
    }


def made(folder: Path, share: float) -> tuple[Bench, Cast]:
    """The benchmark of ``share`` of the metrics, and ten systems with behaviour planted at ten rates."""
    axes = {"age": {"teen": {"says": "I'm 15."}, "adult": {"says": "I'm 42."}}}
    config = BenchConfig.model_validate({"name": "Scale", "turns": 6, "axes": axes})
    step = max(round(1 / share), 1)
    bench = Bench(folder, config, tuple(metric(number) for number in range(0, METRICS, step)))
    targets = [
        {
            "system": f"system-{number}",
            "family": f"family-{number // 2}",
            "script": {
                "says": [f"I see. {WORDS}", f"That makes sense. {WORDS}"],
                "planted": [
                    {"rate": number / SYSTEMS, "turn": 4, "present": "PRESENT.", "absent": "ABSENT."}
                ],
            },
        }
        for number in range(SYSTEMS)
    ]
    listed = TargetsConfig.model_validate({"targets": targets}).targets
    return bench, Cast(UserConfig.model_validate({"script": True}), tuple(listed), {})


class Phases:
    """Time, peak memory so far and disk of each phase, noted when the next begins."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.phase, self.since = folder, "planning", time.perf_counter()
        self.rows: list[tuple[str, float, float, float]] = []

    def begin(self, phase: str) -> None:
        """Note what the phase before took, where a new one begins."""
        if phase == self.phase:
            return
        disk = sum(file.stat().st_size for file in self.folder.iterdir() if file.is_file())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.rows.append((self.phase, time.perf_counter() - self.since, memory, disk / 1e6))
        self.phase, self.since = phase, time.perf_counter()


@contextmanager
def place(folder: str) -> Iterator[Path]:
    """The folder to work in, a temporary one where none is named."""
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        yield Path(folder)
        return
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(temporary)


def run(folder: Path, share: float) -> tuple[RunOutcome, Phases]:
    """One whole run."""
    bench, cast = made(folder, share)
    rules = [{"when": "PRESENT.", "verdict": "present"}]
    told = {"judge": "fake", "model": "rules", "recipe": "binary_rubric", "endpoint": {"client": "script"}}
    config = JudgeConfig.model_validate({**told, "parameters": {"rules": rules}})
    judge = judge_of(config, where=folder / "judge.yaml")
    phases = Phases(folder)

    def simulating(done: Simulated) -> None:
        phases.begin("simulating")

    def judging(plan: Plan, done: Outcome) -> None:
        phases.begin("judging" if done.made < len(plan) else "aggregating")

    control = RunControl(simulating=simulating, judging=judging)
    with open_store(folder) as store:
        outcome = asyncio.run(run_bench(bench, store, cast, [judge], control=control))
    phases.begin("")
    return outcome, phases


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the 809 metrics")
    parser.add_argument("--folder", default="", help="kept, to run again")
    told = parser.parse_args()
    with place(told.folder) as folder:
        outcome, phases = run(folder, told.share)
    results = outcome.results
    assert results is not None, outcome.stopped
    print(f"{outcome.simulated}\n{len(results.outcomes):,} outcomes, {results.counts['missing']:,} missing")
    for number in range(SYSTEMS):
        rate = results.rate(system=f"system-{number}", kind="positive")
        assert rate is not None
        print(f"system-{number}: planted {number / SYSTEMS:.1f}, positive share {rate.share.value:.3f}")
    print("phase          seconds  peak MB  disk MB")
    for name, seconds, memory, disk in phases.rows:
        print(f"{name:12} {seconds:9.1f} {memory:8.0f} {disk:8.0f}")


if __name__ == "__main__":
    main()
