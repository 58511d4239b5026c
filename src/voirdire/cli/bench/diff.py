"""``voirdire bench diff``: what moved the headline from one run to another."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from voirdire.cli import flags

__all__ = ["command"]


def command(
    first: Annotated[str, typer.Argument(metavar="RUN", help="A run, as in run-1.", show_default=False)],
    second: Annotated[str, typer.Argument(metavar="RUN", help="A later one.", show_default=False)],
    folder: Annotated[str, typer.Option("--bench", metavar="DIR", help="The benchmark's folder.")] = ".",
    run: Annotated[
        bool, typer.Option("--run", help="First hold and judge what swapping a cause needs and lacks.")
    ] = False,
    budget: Annotated[
        float, typer.Option("--budget", help="With --run: stop at so much money; 0 for no limit.")
    ] = 0.0,
    calls: Annotated[
        int, typer.Option("--calls", help="With --run: stop after so many calls; 0 for no limit.")
    ] = 0,
    store: flags.Store = "",
    level: flags.Level = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print every effect as JSON.")] = False,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="Write that JSON to a file.", show_default=False)
    ] = "",
    quiet: flags.Quiet = False,
) -> None:
    """Say which cause moved the rates: metrics, judge, simulator, targets, parameters or scoring code."""
    from voirdire.bench.diff import diff_runs
    from voirdire.bench.filling import fill_diff
    from voirdire.bench.kept import kept_of
    from voirdire.cli.bench.going import INTERRUPTED, carried_out, spending
    from voirdire.cli.bench.writing import write_text
    from voirdire.errors import check_share

    check_share("level", level, 0.5)
    money = spending(budget, calls)
    with kept_of(folder, store) as kept:
        if run:
            _, stopped = carried_out(
                lambda control: fill_diff(kept, first, second, control=control), budget=money, quiet=quiet
            )
            if stopped:
                typer.echo(f"{stopped}: the same command goes on from here.", err=True)
                raise typer.Exit(INTERRUPTED if stopped == "stopped" else 0)
        found = diff_runs(kept, first, second, level=level)
    text = json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False)
    if out:
        write_text(out, text + "\n")
    if as_json:
        typer.echo(text)
    elif not quiet:
        typer.echo(str(found))
