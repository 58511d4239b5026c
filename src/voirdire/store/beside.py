"""The store of a study: where a command or its study.yaml says, else in its folder."""

from __future__ import annotations

from pathlib import Path

from voirdire.store.sql import Store, is_url, open_store
from voirdire.study.declaration import load_declaration, read_declaration

__all__ = ["open_beside", "open_declared"]

DECLARATIONS = ("study.yaml", "study.yml")
SUFFIXES = (".yaml", ".yml")


def open_beside(source: str | Path, place: str = "", *, create: bool = True) -> Store:
    """The store of the study at ``source``: at ``place``, else at its study.yaml's ``store``, else beside it.

    ``place`` is a URL, a folder or a file. The Parquet parts of a database are in the study's folder.
    """
    path = Path(source)
    folder = path if path.is_dir() else path.parent
    if place:
        return open_store(place, create=create, folder=folder)
    beside = [folder / name for name in DECLARATIONS] if path.is_dir() else [path]
    file = next((one for one in beside if one.suffix in SUFFIXES and one.is_file()), None)
    declared = read_declaration(load_declaration(file), where=file.name).store if file else ""
    return open_declared(folder, declared, create=create)


def open_declared(folder: Path, declared: str, *, create: bool = True) -> Store:
    """The store that a study.yaml in ``folder`` names; a path is one from there."""
    place = declared if is_url(declared) else folder / declared
    return open_store(place, create=create, folder=folder)
