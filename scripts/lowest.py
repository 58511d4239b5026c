"""Print the core dependencies pinned to the oldest releases that ``pyproject.toml`` allows, one a line."""

from __future__ import annotations

import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def lowest(requirement: str) -> str:
    """The oldest release a requirement allows.

    >>> lowest("numpy>=1.26")
    'numpy==1.26'
    """
    assert ">=" in requirement, f"{requirement} has no lower bound"
    return requirement.replace(">=", "==")


if __name__ == "__main__":
    for wanted in tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]:
        print(lowest(wanted))
