"""Time of ``voirdire rates``: 1,000,000 verdicts, 5,000 human labels and 50 systems.

    python benchmarks/rates.py [--verdicts 1000000] [--labels 5000] [--systems 50]

Prints seconds of processor time, and by the clock, of reading both files, joining them and the rates, and of
the whole command, which may take 10 s of processor time; a busy machine stretches the clock.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: more BLAS threads only wait for each other

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import voirdire
from voirdire.study.column import Column
from voirdire.study.combine import combine
from voirdire.writers.columns import Table
from voirdire.writers.formats import write_table

LABELS = ("1", "2", "3", "4", "5")
RATERS = 12
PER_ITEM = 3


def made(verdicts: int, labels: int, systems: int, folder: Path) -> tuple[Path, Path]:
    """A study of human labels, three an item, and a file with a verdict on every item."""
    rng = np.random.default_rng(20261129)
    system = rng.integers(systems, size=verdicts)
    quality = rng.normal(size=verdicts) + np.linspace(-0.5, 0.5, systems)[system]
    said = cut(quality + rng.normal(size=verdicts))
    ids = tuple(f"item{k:07d}" for k in range(verdicts))
    names = tuple(f"system{k:02d}" for k in range(systems))
    of_judge = {
        "item_id": Column(np.arange(verdicts, dtype=np.int32), ids),
        "metric": Column.constant("quality", verdicts),
        "rater_id": Column.constant("judge", verdicts),
        "rater_kind": Column.constant("judge", verdicts),
        "label": Column(said.astype(np.int32), LABELS),
        "system": Column(system.astype(np.int32), names),
    }
    items = np.repeat(rng.choice(verdicts, size=labels // PER_ITEM, replace=False), PER_ITEM)
    rater = np.concatenate([rng.choice(RATERS, PER_ITEM, replace=False) for _ in range(labels // PER_ITEM)])
    given = cut(quality[items] + rng.normal(size=len(items)))
    of_people = {
        "item_id": Column(items.astype(np.int32), ids).compact(),
        "metric": Column.constant("quality", len(items)),
        "rater_id": Column(rater.astype(np.int32), tuple(f"person{k:02d}" for k in range(RATERS))),
        "rater_kind": Column.constant("human", len(items)),
        "label": Column(given.astype(np.int32), LABELS),
        "system": Column(system[items].astype(np.int32), names),
    }
    return (
        write_table(Table(of_people, {}), folder / "labels.parquet"),
        write_table(Table(of_judge, {}), folder / "verdicts.parquet"),
    )


def cut(x: np.ndarray) -> np.ndarray:
    """Five labels of about equal frequency."""
    return np.digitize(x, [-1.2, -0.4, 0.4, 1.2])


def timed(what: str, call: Callable[[], Any]) -> Any:
    """Call, and print how long it took."""
    started, clock = used_by_all(), time.perf_counter()
    result = call()
    used, passed = used_by_all() - started, time.perf_counter() - clock
    print(f"{what:<24}{used:7.2f} s of processor time, {passed:7.2f} s by the clock")
    return result


def used_by_all() -> float:
    """Seconds of processor time of this process and of those it has started."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--verdicts", type=int, default=1_000_000)
    parser.add_argument("--labels", type=int, default=5_000)
    parser.add_argument("--systems", type=int, default=50)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        labels, verdicts = made(asked.verdicts, asked.labels, asked.systems, Path(folder))
        study = timed("reading the labels", lambda: voirdire.open(labels))
        further = timed("reading the verdicts", lambda: voirdire.open(verdicts))
        both = timed("joining", lambda: combine(study, further))
        found = timed("rates", lambda: voirdire.rates(both))
        print(
            f"{len(found.rows):,} rows, {len(found.differences):,} differences, predicted with {found.select}"
        )
        command = [sys.executable, "-m", "voirdire", "rates", str(labels), str(verdicts), "--quiet"]
        timed("the whole command", lambda: subprocess.run(command, check=True))


if __name__ == "__main__":
    main()
