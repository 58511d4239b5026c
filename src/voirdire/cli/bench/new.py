"""``voirdire bench new``: a folder with a template to fill in, or the bundled example."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["command"]


def command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A new folder.", show_default=False)],
    example: Annotated[
        bool, typer.Option("--example", help="Copy the example: eight metrics with planted behaviour.")
    ] = False,
) -> None:
    """Start a benchmark: a metric with comments on what belongs where; it runs without a model."""
    from voirdire.bench.starting import start_bench

    files = start_bench(folder, example=example)
    typer.echo(
        f"Wrote {len(files)} files into {folder}. What is missing in it: voirdire bench check {folder}"
    )
