"""``voirdire bench review``: people read a sample of a run's conversations, and rates are corrected by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from voirdire.cli import flags

__all__ = ["command"]


def command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The benchmark's folder.")] = ".",
    rater: Annotated[
        list[str] | None,
        typer.Option("--rater", metavar="NAME[:MOST]", help="Who labels, and at most how much; again."),
    ] = None,
    conversations: Annotated[int, typer.Option("--conversations", help="How many are read.")] = 150,
    overlap: Annotated[int, typer.Option("--overlap", help="People who read each shared conversation.")] = 2,
    shared: Annotated[
        float, typer.Option("--shared", help="The share that is read by several people.")
    ] = 0.3,
    contested: Annotated[
        list[str] | None,
        typer.Option("--contested", metavar="METRIC", help="All drawn of this metric are shared; again."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="NAME", help="Draw from this metric only; may be given again."),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="What raters read above their work.")] = "",
    borderline: Annotated[bool, typer.Option("--borderline", help="Also offer borderline.")] = False,
    plan_only: Annotated[bool, typer.Option("--plan-only", help="Write the plan and begin nothing.")] = False,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="The plan's file; DIR/panel.csv by default.")
    ] = "",
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port to listen on.")] = 8765,
    links: Annotated[bool, typer.Option("--links", help="Print the links and stop.")] = False,
    store: flags.Store = "",
    seed: flags.Seed = 20261129,
    force: flags.Force = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the plan as JSON and begin nothing.")
    ] = False,
    quiet: flags.Quiet = False,
) -> None:
    """Draw conversations of the last run for people to label blind, and serve the pages; links stay."""
    from voirdire.bench.kept import kept_of
    from voirdire.bench.manifest import run_called
    from voirdire.bench.panel import PanelOptions, panel_plan
    from voirdire.cli.review import command as review
    from voirdire.decide.plan_options import parse_raters
    from voirdire.writers.formats import write_table

    loads = parse_raters(rater or [])
    options = PanelOptions(
        raters=loads,
        conversations=conversations,
        overlap=min(overlap, len(loads) or 1),
        shared=shared,
        contested=tuple(contested or ()),
        metrics=tuple(metric or ()),
        seed=seed,
    )
    with kept_of(folder, store) as kept:
        plan = panel_plan(run_called(kept, "last"), kept, options)
    if as_json:
        typer.echo(json.dumps(plan.to_dict(), ensure_ascii=False, allow_nan=False))
        return
    file = out or str(Path(folder) / "panel.csv")
    flags.keep_existing(file, force=force)
    write_table(plan.table, file)
    if not quiet:
        typer.echo(str(plan))
        typer.echo(f"Wrote the plan to {file}: it holds the judge's verdicts, so keep it from raters.")
    if not plan_only:
        review(
            folder,
            rater=rater,
            plan=Path(file),
            metric=sorted({row[1] for row in plan.rows}),
            title=title,
            borderline=borderline,
            new_round=True,
            host=host,
            port=port,
            links=links,
            store=store,
            seed=seed,
            quiet=quiet,
        )
