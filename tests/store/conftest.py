"""A place for a store on either kind of database."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path

import pytest

from voirdire.store.sql import Store, open_store


@dataclass(frozen=True)
class Place:
    """Where a test's store is, and the study's folder; it can be sent to another process."""

    source: str
    folder: Path

    def open(self, *, create: bool = True) -> Store:
        return open_store(self.source, create=create, folder=self.folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """An empty folder, or a new database of a real server beside one."""
    if request.param == "sqlite":
        return Place(str(tmp_path), tmp_path)
    return Place(request.getfixturevalue("postgres_server").new(uuid.uuid4().hex), tmp_path)
