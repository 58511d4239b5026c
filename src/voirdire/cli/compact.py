"""``voirdire compact``: move finished verdicts and replies into Parquet files beside the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from voirdire.cli import flags

__all__ = ["command"]


def command(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The study's folder.", show_default=False)],
    store: Annotated[
        str,
        typer.Option("--store", metavar="URL", help="A database elsewhere.", show_default=False),
    ] = "",
    quiet: flags.Quiet = False,
) -> None:
    """Move finished verdicts and replies into Parquet files; whatever reads the store reads both."""
    from voirdire.errors import UserError
    from voirdire.store.beside import open_beside
    from voirdire.store.parts import compact

    path = Path(folder)
    if not path.is_dir():
        raise UserError("no such folder", where=folder, expected="the folder of a study")
    with open_beside(path, store, create=False) as kept:
        moved = compact(kept)
    if not quiet:
        typer.echo(str(moved))
