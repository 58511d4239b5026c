"""Starting a benchmark: a folder with a template to fill in, or the example that comes with the package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from voirdire.errors import UserError

__all__ = ["EXAMPLE", "START", "bundled", "start_bench"]

START, EXAMPLE = "start", "example"


def bundled(name: str) -> Traversable:
    """The folder of the package that holds the template (:data:`START`) or the example (:data:`EXAMPLE`)."""
    return files("voirdire.bench") / name


def start_bench(folder: str | Path, *, example: bool = False) -> tuple[Path, ...]:
    """Write a new benchmark into ``folder`` and return its files; nothing that exists is replaced.

    It is one metric with comments on what belongs where, or with ``example`` a whole benchmark of eight
    metrics with planted behaviour. Both run without a model or a network.
    """
    target = Path(folder)
    found = {target / name: source for name, source in _below(bundled(EXAMPLE if example else START))}
    there = sorted(path for path in found if path.exists())
    if there:
        raise UserError("exists already", where=str(there[0]), fix="choose another folder")
    try:
        for path, source in found.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.read_bytes())
    except OSError as problem:
        raise UserError(f"cannot be written: {problem.strerror or problem}", where=str(folder)) from None
    return tuple(sorted(found))


def _below(folder: Traversable, within: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _below(entry, f"{within}{entry.name}/")
        elif entry.name.endswith((".yaml", ".md")):
            yield f"{within}{entry.name}", entry
