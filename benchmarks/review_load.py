"""How fast raters are answered: 20 of them at a person's pace and as fast as they can, on either database.

Run ``python benchmarks/review_load.py``; ``--labels`` is how many each hands in, ``--raters`` how many
there are, and ``--pace`` the mean seconds between two acts of one (a person takes longer). Server,
raters and database share this machine, the server being the one process that ``voirdire review``
starts, and everything is written to the disk before it is acknowledged. Leaves with 1 where the slowest
twentieth of requests at a person's pace took more than 200 ms.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.pop(0)  # this folder, whose align.py would stand before the tests' folder of that name
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np

import postgres
from review.studies import begun
from web.crowd import Crowd
from web.servers import Server, run_crowd

MOST = 0.2
"""Seconds within which 95 of 100 requests are answered."""
DRAFTS = 1
"""A draft before each label."""
HEAD = f"{'store':<12}{'pace':>8}{'requests':>10}{'a second':>10}" + "".join(
    f"{name:>8}" for name in ("CPU ms", "p50 ms", "p95 ms", "p99 ms")
)


def cpu_seconds(process: int) -> float:
    """CPU that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def measure(store: str, url: str, options: argparse.Namespace, pace: float) -> float:
    """Print what one crowd took, and return its 95th percentile in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        names = tuple(f"Rater {number}" for number in range(options.raters))
        way = begun(
            Path(folder) / "study",
            names=names,
            metrics=("kind",),
            store=url,
            items=options.labels,
            borderline=False,
        )
        tokens = [invited.token for invited in way.people.values()]
        with Server(Path(folder) / "study", url) as server:
            assert server.process is not None
            before, began = cpu_seconds(server.process.pid), time.perf_counter()
            told = run_crowd(Crowd(server.port, tokens, options.labels, DRAFTS, pace))
            took = time.perf_counter() - began
            cpu = cpu_seconds(server.process.pid) - before
        way.desk.store.close()
    seconds = np.asarray([one for rater in told for one in rater["seconds"]])
    p50, p95, p99 = np.quantile(seconds, [0.5, 0.95, 0.99])
    print(
        f"{store:<12}{f'{pace:g} s' if pace else 'none':>8}{len(seconds):>10,}{len(seconds) / took:>10.0f}"
        f"{1000 * cpu / len(seconds):>8.1f}{1000 * p50:>8.0f}{1000 * p95:>8.0f}{1000 * p99:>8.0f}",
        flush=True,
    )
    return float(p95)


@contextmanager
def stores() -> Iterator[dict[str, list[str]]]:
    """Addresses of two empty stores of each kind, an empty text standing for a file beside the study."""
    folder = postgres.binaries()
    if folder is None:
        yield {"SQLite": ["", ""]}
        return
    with postgres.serve(folder, fsync="on") as server:
        yield {"SQLite": ["", ""], "PostgreSQL": [server.new(f"review-{number}") for number in range(2)]}


def main() -> int:
    """Measure both databases at both paces."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=20)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--pace", type=float, default=2.0)
    options = parser.parse_args()
    print(f"{options.raters} raters, {options.labels} labels each, a draft before each\n{HEAD}")
    slow = 0
    with stores() as every:
        for store, (first, second) in every.items():
            slow += measure(store, first, options, options.pace) > MOST
            measure(store, second, options, 0.0)
    return int(slow > 0)


if __name__ == "__main__":
    raise SystemExit(main())
