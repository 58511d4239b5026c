"""The lock files pin what pyproject.toml asks for, with hashes, and name no index and no path."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CORE = PROJECT["project"]["dependencies"]
GROUPS = PROJECT["dependency-groups"]
WANTED = {
    "requirements.lock": CORE,
    "requirements-test.lock": [*CORE, *GROUPS["test"], *GROUPS["lint"]],
    "requirements-weights.lock": GROUPS["weights"],
}


def canonical(requirement: str) -> str:
    """The normalised project name at the head of a requirement."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name is not None, requirement
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def blocks(lock: str) -> list[str]:
    """One block a pinned release: its line and its hashes."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    return re.split(r"\n(?=[A-Za-z0-9])", text.strip())


@pytest.mark.parametrize("lock", WANTED)
def test_a_lock_pins_every_dependency_of_pyproject(lock: str) -> None:
    pinned = {canonical(block) for block in blocks(lock)}
    lacking = {canonical(requirement) for requirement in WANTED[lock]} - pinned
    assert not lacking, f"{lock} lacks {sorted(lacking)}: run make lock"


@pytest.mark.parametrize("lock", WANTED)
def test_every_pinned_release_has_hashes_and_no_address(lock: str) -> None:
    for block in blocks(lock):
        assert re.match(r"[a-z0-9-]+==\S+", block), block.splitlines()[0]
        assert "--hash=sha256:" in block, block.splitlines()[0]
        assert not re.search(r"://|^-[ief]|--\w*index", block, re.MULTILINE), block.splitlines()[0]


def test_both_locks_pin_the_same_core() -> None:
    # the one for tests may need a release on more platforms than the core does
    core, every = (
        {block.split()[0] for block in blocks(lock)}
        for lock in ("requirements.lock", "requirements-test.lock")
    )
    assert core <= every
