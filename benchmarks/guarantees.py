"""Simulations behind each guarantee, one section a module of ``_guarantees``, each with fixed seeds.

    python benchmarks/guarantees.py [--runs N] [replacement selective rates ...]

Without names every section runs. A section is ``benchmarks/_guarantees/<name>.py`` with ``run(runs: int)``:
it prints each figure beside what was promised. ``--runs`` is how many studies to simulate, 500 by default.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: more BLAS threads only wait for each other

import argparse
import importlib
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def sections() -> list[str]:
    """Names of the sections, sorted."""
    return sorted(path.stem for path in (HERE / "_guarantees").glob("*.py") if path.stem != "__init__")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", choices=[*sections(), []], metavar="section")
    parser.add_argument("--runs", type=int, default=500)
    asked = parser.parse_args()
    sys.path.insert(0, str(HERE))
    for name in asked.sections or sections():
        started = time.process_time()
        print(f"== {name}")
        importlib.import_module(f"_guarantees.{name}").run(asked.runs)
        print(f"   {time.process_time() - started:.0f} s of processor time")


if __name__ == "__main__":
    main()
