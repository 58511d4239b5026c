"""``voirdire plan``: which items to label next, by whom, and what that should buy."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer

from voirdire.cli import flags
from voirdire.cli.progress import steps

__all__ = ["command"]

Names = list[str] | None
FILE = "A .csv, .tsv, .jsonl or .parquet file."


def command(
    source: flags.Source,
    budget: Annotated[int, typer.Option("--budget", help="How many labels people shall give.")] = 300,
    purpose: Annotated[
        str,
        typer.Option("--for", metavar="PURPOSE", help="fitting, floors, means, decisions or all."),
    ] = "all",
    design: Annotated[
        str, typer.Option("--design", help="Of rows to fit on: random, or balanced over the judge's labels.")
    ] = "random",
    rater: Annotated[
        Names,
        typer.Option(
            "--rater",
            metavar="NAME[:LOAD]",
            help="A person of the study, at most LOAD labels; again for more.",
        ),
    ] = None,
    new_rater: Annotated[
        Names, typer.Option("--new-rater", metavar="NAME[:LOAD]", help="A person who has not labelled yet.")
    ] = None,
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="FILE", help=f"Who labels what. {FILE}", show_default=False),
    ] = "",
    chances: Annotated[
        str,
        typer.Option(
            "--chances", metavar="FILE", help=f"Every labelled row's chance. {FILE}", show_default=False
        ),
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace the files where they exist.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, without the assignments.")
    ] = False,
    quiet: flags.Quiet = False,
    judge: flags.Judges = None,
    wide: flags.Wide = "",
    column: flags.ColumnNames = None,
    missing: flags.Missing = None,
    on_duplicate: flags.OnDuplicate = "",
    store: flags.Store = "",
    metric: Annotated[
        Names, typer.Option("--metric", metavar="NAME", help="This metric only; may be given again.")
    ] = None,
    use: Annotated[
        Names, typer.Option("--use", metavar="JUDGE", help="This judge only; may be given again.")
    ] = None,
    select: Annotated[
        str, typer.Option("--select", help="auto (a quick map), pool, one_se or a calibrator's name.")
    ] = "auto",
    curve: Annotated[
        bool, typer.Option("--curve", help="Also fit a learning curve, which takes longer.")
    ] = False,
    level: flags.Level = 0.95,
    seed: flags.Seed = 20261129,
) -> None:
    """Say which items people should label next, by whom, and what that should buy."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # many small fits: more threads only wait for each other
    from voirdire.decide.plan import plan
    from voirdire.decide.plan_options import PlanOptions, parse_raters

    options = PlanOptions(
        budget=budget,
        purpose=purpose,
        design=design,
        raters=parse_raters(rater or ()),
        new_raters=parse_raters(new_rater or ()),
        judges=tuple(use or ()),
        metrics=tuple(metric or ()),
        select=select,
        curve=curve,
        level=level,
        seed=seed,
    )
    flags.keep_existing(out, chances, force=force)
    with steps(quiet=quiet or as_json) as step:
        step(f"Reading {source}")
        study = flags.opened(
            source,
            judge=judge,
            wide=wide,
            column=column,
            missing=missing,
            on_duplicate=on_duplicate,
            store=store,
        )
        found = plan(study, options, progress=step)
        for file, write in ((out, found.export), (chances, found.export_chances)):
            if file:
                write(file)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif not quiet:
        typer.echo(str(found))
        if out:
            typer.echo(f"\nWrote {found.n_labels:,} labels to ask for to {out}.")
