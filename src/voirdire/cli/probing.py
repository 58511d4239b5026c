"""What ``voirdire judge --probe`` does: ask about changed items too, and say which changes move verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from voirdire.judges.planning import Plan
    from voirdire.store.sql import Store

__all__ = ["FOLDER", "ask_changed", "folder_of"]

FOLDER = "probes"
"""Where verdicts on changed items are kept, in the study's folder: a study reads no store but its own."""


def folder_of(source: str) -> Path:
    """The folder of the study at ``source``."""
    path = Path(source)
    return path if path.is_dir() else path.parent


def ask_changed(
    plan: Plan,
    probe: str,
    store: Store,
    folder: Path,
    *,
    limit: int,
    quiet: bool,
    ask: Callable[[Plan, Store], None],
) -> None:
    """``ask`` for the verdicts of a whole plan on items as ``probe`` changes them, and say how many moved.

    The table is printed, and written as JSON beside the verdicts on changed items. Nothing is said where no
    verdict is there on both.
    """
    from voirdire.judges.flips import flips, under
    from voirdire.judges.planning import left_of
    from voirdire.judges.probing import probed
    from voirdire.store.sql import open_store

    (folder / FOLDER).mkdir(exist_ok=True)
    with open_store(folder / FOLDER) as kept:
        for _, judge in probed(plan.judge, probe).values():
            ask(left_of(under(plan, judge), kept, limit=limit), kept)
        found = flips(plan, probe, store, kept)
    if not any(row.n for row in found.rows):
        return
    path = folder / FOLDER / f"{probe}-{found.version}.json"
    path.write_text(json.dumps(found.to_dict(), ensure_ascii=False, indent=2), encoding="utf-8")
    if not quiet:
        typer.echo(f"{found}\nWritten to {path}.")
