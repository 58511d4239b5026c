"""``voirdire select``: which verdicts to trust without asking people, and where everything else goes."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer

from voirdire.cli import flags
from voirdire.cli.progress import steps

__all__ = ["command"]

Names = list[str] | None


def command(
    source: flags.Source,
    agreement: Annotated[
        float, typer.Option("--agreement", help="How often people shall agree with a trusted verdict.")
    ] = 0.85,
    delta: Annotated[float, typer.Option("--delta", help="Chance that the threshold is set too low.")] = 0.1,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the queue here: .csv, .tsv, .jsonl or .parquet.",
            show_default=False,
        ),
    ] = "",
    force: flags.Force = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, without the queue.")
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
    cascade: Annotated[
        str,
        typer.Option(
            "--cascade",
            metavar="NAME:COST,...",
            help="Judges with their cost an item, the cheapest first.",
            show_default=False,
        ),
    ] = "",
    each_stage: Annotated[
        bool, typer.Option("--each-stage", help="Keep the promise for every judge of a cascade by itself.")
    ] = False,
    target: Annotated[
        str, typer.Option("--target", help="What is promised: label, set (of labels) or loss (of shares).")
    ] = "label",
    set_size: Annotated[int, typer.Option("--set-size", help="Labels in a set, with --target set.")] = 2,
    confidence: Annotated[
        str,
        typer.Option(
            "--confidence", help="aligned, probability (the judge's own) or a column of its ratings."
        ),
    ] = "aligned",
    map_name: Annotated[
        str,
        typer.Option(
            "--select",
            help="The map to people's labels: pool, one_se (one simple map) or a calibrator's name.",
        ),
    ] = "pool",
    calibrator: Annotated[
        str, typer.Option("--calibrator", hidden=True, help="An older name of --select.")
    ] = "",
    fit_share: Annotated[
        float, typer.Option("--fit-share", help="Share of the labelled items (clusters) to fit the map on.")
    ] = 0.3,
    seed: flags.Seed = 20261129,
) -> None:
    """Say which verdicts may be trusted, with a guarantee, and where each other item should go."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # many small fits: more threads only wait for each other

    from voirdire.decide.select_options import SelectOptions, parse_cascade
    from voirdire.decide.selection import select

    options = SelectOptions(
        agreement=agreement,
        delta=delta,
        metrics=tuple(metric or ()),
        judges=tuple(use or ()),
        cascade=parse_cascade(cascade),
        each_stage=each_stage,
        target=target,
        set_size=set_size,
        confidence=confidence,
        select=calibrator or map_name,
        fit_share=fit_share,
        seed=seed,
    )
    flags.keep_existing(out, force=force)
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
        found = select(study, options, progress=step)
        if out:
            found.queue.export(out)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif not quiet:
        typer.echo(str(found))
        if out:
            typer.echo(f"Wrote {len(found.queue):,} rows to {out}.")
