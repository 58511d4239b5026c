"""What a full audit costs: ``voirdire audit`` of 1,000,000 and 10,000,000 ratings, in a process of its own.

Run ``python benchmarks/audit.py`` for all cases, or name some: ``python benchmarks/audit.py csv-1m``. Prints
CPU and wall time and the largest memory held; leaves with 1 where CPU time or memory is over its limit. CPU
time of the process and all its threads is what is judged, because wall time depends on what else runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from voirdire.testing import (
    Difficulty,
    KnownTruth,
    PlantedJudge,
    PlantedMetric,
    PlantedSystem,
    known_truth,
    people,
)
from voirdire.testing.files import write

METRICS, SYSTEMS, PEOPLE = 40, 5, 5


@dataclass(frozen=True)
class Case:
    """One input: how many ratings in which form, and the limits for its audit."""

    name: str
    ratings: int
    file: str
    seconds: float
    gigabytes: float


CASES = (
    Case("csv-1m", 1_000_000, "labels.csv", 20, 1.5),
    Case("parquet-1m", 1_000_000, "labels.parquet", 20, 1.5),
    Case("study-1m", 1_000_000, "study", 20, 1.5),
    Case("parquet-10m", 10_000_000, "labels.parquet", 200, 6),
)
"""``study-1m`` declares borderline as indeterminate, so every headline is computed under four policies."""


@dataclass(frozen=True)
class Cost:
    """What one process took."""

    cpu: float
    wall: float
    gigabytes: float
    status: int


def study(ratings: int) -> KnownTruth:
    """About ``ratings`` ratings on 40 metrics: on every item a judge and five people, who skip a tenth."""
    items = round(ratings / METRICS / (PEOPLE * 0.9 + 1))
    levels = (Difficulty(share=0.7, indeterminate=0.03), Difficulty(share=0.3, guess=0.6, indeterminate=0.25))
    metrics = [
        PlantedMetric(
            name=f"metric-{number:02d}",
            people=people(PEOPLE, missing=0.1),
            items=items,
            difficulty=levels,
            indeterminate="borderline",
            cluster_size=SYSTEMS,
            cluster_pull=0.3,
        )
        for number in range(METRICS)
    ]
    systems = [PlantedSystem(name=f"system-{number}", shift=0.05 * number - 0.1) for number in range(SYSTEMS)]
    return known_truth(metrics, judges=[PlantedJudge(id="judge", accuracy=0.85, lean=0.05)], systems=systems)


def run(arguments: list[str]) -> Cost:
    """Run one command and wait for it; its own CPU time and largest resident set, from the kernel."""
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024**2, process.returncode)


def main(names: list[str]) -> int:
    """Measure the named cases, all where none is named."""
    broken = 0
    print(
        f"{'case':12}  {'ratings':>10}  {'CPU s':>7}  {'wall s':>7}  {'limit s':>7}  {'GB':>5}  {'limit':>5}"
    )
    for case in CASES:
        if names and case.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / case.file
            made = study(case.ratings)
            write(made, source)
            n = len(made)
            del made
            cost = run(
                [sys.executable, "-m", "voirdire", "audit", str(source), "--quiet", "--out", f"{folder}/out"]
            )
        kept = cost.status == 0 and cost.cpu <= case.seconds and cost.gigabytes <= case.gigabytes
        broken += not kept
        seconds = f"{cost.cpu:7.1f}  {cost.wall:7.1f}  {case.seconds:7.0f}"
        memory = f"{cost.gigabytes:5.2f}  {case.gigabytes:5.1f}"
        verdict = "within" if kept else f"BROKEN (exit {cost.status})"
        print(f"{case.name:12}  {n:10,}  {seconds}  {memory}  {verdict}", flush=True)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
