"""``voirdire bench results``: the figures of a benchmark that was run, and its site as files."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from voirdire.cli import flags

__all__ = ["command"]


def command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The benchmark's folder.")] = ".",
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="Write the site here, which opens from a disk.",
            show_default=False,
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print every figure as JSON.")] = False,
    quiet: flags.Quiet = False,
    store: flags.Store = "",
    run: Annotated[str, typer.Option("--run", metavar="RUN", help="A run, as in run-1.")] = "last",
    no_audit: Annotated[
        bool, typer.Option("--no-audit", help="Leave out the audit of people's labels (faster).")
    ] = False,
) -> None:
    """Print how each system did, and write the site with every conversation where --out says."""
    from voirdire.cli.progress import steps
    from voirdire.web.results.folder import write_site
    from voirdire.web.results.opening import open_results

    with steps(quiet=quiet or as_json) as step:
        step(f"Reading {folder}")
        shown = open_results(folder, run=run, store=store, audited=not no_audit)
        written = None
        if out:
            written = write_site(
                shown, out, progress=lambda done, of: step(f"Writing page {done:,} of {of:,}")
            )
    if as_json:
        typer.echo(json.dumps(shown.results.to_dict(), ensure_ascii=False, allow_nan=False))
    elif not quiet:
        typer.echo(str(shown.results))
        if written is not None:
            typer.echo(str(written))
