"""Fixtures for every test: the shared data beside the project, and how a missing part is treated."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import postgres
from voirdire.opening import open as open_study
from voirdire.study import Study

collect_ignore = ["resources"]
"""A plugin for tests is found by its entry point, not imported a second time for its doctests."""

LOOP = pytest.StashKey[Any]()
"""The event loop of the browser's driver, once it is started."""
SHARED = Path(__file__).resolve().parents[2] / "shared"
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


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


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A PostgreSQL server of this session's own."""
    folder = postgres.binaries()
    if folder is None:
        missing("a PostgreSQL server (initdb)")
    with postgres.serve(folder) as server:
        yield server


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    """One headless browser of the whole session: its driver cannot be started twice."""
    if not CHROMIUM.exists():
        missing(f"a browser at {CHROMIUM}")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        loop = request.config.stash[LOOP] = asyncio._get_running_loop()
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield chromium
        asyncio._set_running_loop(loop)
        chromium.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """The browser's driver leaves its event loop running: it is there for the browser's tests alone."""
    driven = "browser" in getattr(item, "fixturenames", ())
    asyncio._set_running_loop(item.config.stash.get(LOOP, None) if driven else None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(None)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261129)


def _opened(folder: Path) -> Study:
    if not folder.is_dir():
        missing(f"the shared data set {folder.name}")
    return open_study(folder)


@pytest.fixture(scope="session")
def humanebench(shared: Path) -> Study:
    return _opened(shared / "data" / "humanebench")


@pytest.fixture(scope="session")
def pandalm(shared: Path) -> Study:
    return _opened(shared / "data" / "pandalm")


@pytest.fixture(scope="session")
def dices(shared: Path) -> Study:
    return _opened(shared / "data" / "dices")


@pytest.fixture(scope="session")
def mtbench(shared: Path) -> Study:
    return _opened(shared / "data" / "mtbench_human")


@pytest.fixture(scope="session")
def llm_rubric(shared: Path) -> Study:
    return _opened(shared / "data" / "llm_rubric")


@pytest.fixture(scope="session")
def impactbench_folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the study.yaml of the tests and links to the six shared files."""
    data = shared / "data" / "impactbench_replica"
    if not data.is_dir():
        missing("the shared data set impactbench_replica")
    folder = tmp_path_factory.mktemp("impactbench")
    for file in data.iterdir():
        (folder / file.name).symlink_to(file)
    shutil.copy(Path(__file__).parent / "resources" / "impactbench" / "study.yaml", folder)
    return folder


@pytest.fixture(scope="session")
def impactbench(impactbench_folder: Path) -> Study:
    return open_study(impactbench_folder)
