"""``voirdire export``: every rating of every rater, as it came in."""

from __future__ import annotations

from typing import Annotated

import typer

from voirdire.cli import flags

__all__ = ["command"]


def command(
    source: flags.Source,
    target: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A .csv, .tsv, .jsonl or .parquet file.", show_default=False),
    ],
    judge: flags.Judges = None,
    wide: flags.Wide = "",
    column: flags.ColumnNames = None,
    missing: flags.Missing = None,
    on_duplicate: flags.OnDuplicate = "",
    force: flags.Force = False,
) -> None:
    """Write every rating of every rater, as it came in, as one long table."""
    flags.keep_existing(target, force=force)
    study = flags.opened(
        source, judge=judge, wide=wide, column=column, missing=missing, on_duplicate=on_duplicate
    )
    study.export(target)
    typer.echo(f"Wrote {len(study.ratings):,} ratings to {target}.")
