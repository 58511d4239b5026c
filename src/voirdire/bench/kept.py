"""The store of a benchmark that was run."""

from __future__ import annotations

from pathlib import Path

from voirdire.bench.suite import read_parts
from voirdire.errors import UserError
from voirdire.store.beside import open_beside
from voirdire.store.sql import FILE, Store

__all__ = ["kept_of"]


def kept_of(folder: str | Path, place: str = "") -> Store:
    """The store at ``place`` or in ``folder``; a benchmark that was never run is a user's error."""
    if not place and not (Path(folder) / FILE).is_file():
        read_parts(folder)  # which says so where the folder is no benchmark at all
        raise UserError("has not been run", where=str(folder), fix=f"voirdire bench run {folder}")
    return open_beside(folder, place, create=False)
