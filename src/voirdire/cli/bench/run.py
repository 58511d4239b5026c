"""``voirdire bench run``: conversations, verdicts and rates of a benchmark, as one run that can go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from voirdire.cli import flags

__all__ = ["command"]


def command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The benchmark's folder.")] = ".",
    targets: Annotated[
        str, typer.Option("--targets", metavar="FILE", help="The systems; DIR/targets.yaml by default.")
    ] = "",
    user: Annotated[
        str, typer.Option("--user", metavar="FILE", help="The simulated user; DIR/user.yaml by default.")
    ] = "",
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge", metavar="FILE", help="A judge; DIR/judge.yaml by default. Figures follow the first."
        ),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", help="Verdicts of each conversation.")] = 1,
    unreviewed: Annotated[
        bool, typer.Option("--unreviewed", help="Also run metrics without a review; they count nowhere.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", help="At most so many conversations now; 0 for all.")] = 0,
    budget: Annotated[
        float, typer.Option("--budget", help="Stop when so much money is spent; 0 for no limit.")
    ] = 0.0,
    calls: Annotated[int, typer.Option("--calls", help="Stop after so many calls; 0 for no limit.")] = 0,
    store: flags.Store = "",
    level: flags.Level = 0.95,
    seed: flags.Seed = 20261129,
    as_json: Annotated[bool, typer.Option("--json", help="Print the run and every figure as JSON.")] = False,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="Write that JSON to a file.", show_default=False)
    ] = "",
    quiet: flags.Quiet = False,
) -> None:
    """Hold the conversations, have them judged, and say how each system did; run again, it goes on."""
    from voirdire.bench.aggregate import AggregateOptions
    from voirdire.bench.cast import load_cast
    from voirdire.bench.running import run_bench
    from voirdire.bench.suite import load_bench
    from voirdire.cli.bench.going import INTERRUPTED, carried_out, spending
    from voirdire.cli.bench.writing import write_text
    from voirdire.errors import check_whole
    from voirdire.judges.judge import load_judge
    from voirdire.store.beside import open_beside

    check_whole("--limit", limit, 0, 10**9)
    at, money = Path(folder), spending(budget, calls)
    bench = load_bench(folder)
    cast = load_cast(bench, targets or at / "targets.yaml", user or at / "user.yaml")
    judges = [load_judge(file) for file in judge or [str(at / "judge.yaml")]]
    options = AggregateOptions(level=level, seed=seed, runs=runs, unreviewed=unreviewed)
    with open_beside(folder, store) as kept:
        outcome, stopped = carried_out(
            lambda control: run_bench(bench, kept, cast, judges, options, control=control),
            budget=money,
            limit=limit,
            quiet=quiet,
        )
    if as_json or out:
        text = json.dumps(outcome.to_dict(), ensure_ascii=False, allow_nan=False)
        if out:
            write_text(out, text + "\n")
        if as_json:
            typer.echo(text)
    if not (quiet or as_json):
        typer.echo(str(outcome))
    if stopped:
        raise typer.Exit(INTERRUPTED if stopped == "stopped" else 0)
