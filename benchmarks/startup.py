"""How long a user waits: ``voirdire --help``, and the audit of a small published study with its report.

Run ``python benchmarks/startup.py``. Takes the best of five runs; leaves with 1 where a limit is broken.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 5
HUMANEBENCH = Path(__file__).resolve().parents[2] / "shared" / "data" / "humanebench" / "long.csv"


def best(arguments: list[str]) -> float:
    """Wall seconds of the fastest of a few runs of ``voirdire``."""
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "voirdire", *arguments], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> int:
    """Measure, print and compare with the limits."""
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        cases = [("voirdire --help", ["--help"], 0.4)]
        if HUMANEBENCH.exists():
            cases.append(("voirdire audit humanebench", ["audit", str(HUMANEBENCH), "--out", folder], 3.0))
        else:
            print(f"skipped: {HUMANEBENCH} is missing")
        for name, arguments, limit in cases:
            seconds = best(arguments)
            broken += seconds > limit
            print(
                f"{name:28} {seconds:6.2f} s  limit {limit} s  {'within' if seconds <= limit else 'BROKEN'}"
            )
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
