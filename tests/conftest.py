"""Fixtures for every test: the shared data beside the project, and how a missing part is treated."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def missing(what: str) -> NoReturn:
    """Skip with the reason, or fail where every part must be present (``VOIRDIRE_NO_SKIP=1``)."""
    if os.environ.get("VOIRDIRE_NO_SKIP") == "1":
        pytest.fail(f"{what} is missing, and VOIRDIRE_NO_SKIP=1 turns skips into failures")
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and reference values, ``../shared`` beside the project."""
    if not SHARED.is_dir():
        missing("the shared data folder ../shared")
    return SHARED


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261129)
