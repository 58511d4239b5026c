"""A benchmark that was run once, for every test of the pages of its results."""

from __future__ import annotations

from pathlib import Path

import pytest

from voirdire.web.results.folder import write_site
from voirdire.web.results.shown import Shown
from web.shown_made import shown_made


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """Its results with people's labels and their audit."""
    return shown_made(tmp_path_factory.mktemp("shown") / "bench", audited=True)


@pytest.fixture(scope="session")
def results_folder(shown: Shown, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its site as files."""
    folder = tmp_path_factory.mktemp("results") / "out"
    write_site(shown, folder)
    return folder
