"""``voirdire rates``: what people would say of every system, corrected for the judge's errors."""

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
    verdicts: Annotated[
        str,
        typer.Argument(metavar="[VERDICTS]", help="A file of the judge's verdicts on further items."),
    ] = "",
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", metavar="FILE", help="A .csv, .tsv, .jsonl or .parquet file.", show_default=False
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    quiet: flags.Quiet = False,
    judge: flags.Judges = None,
    wide: flags.Wide = "",
    column: flags.ColumnNames = None,
    missing: flags.Missing = None,
    on_duplicate: flags.OnDuplicate = "",
    use: Annotated[
        Names, typer.Option("--use", metavar="JUDGE", help="Correct this judge only; may be given again.")
    ] = None,
    metric: Annotated[
        Names, typer.Option("--metric", metavar="NAME", help="This metric only; may be given again.")
    ] = None,
    select: Annotated[
        str,
        typer.Option("--select", help="auto (a quick map), pool, one_se or a calibrator's name."),
    ] = "auto",
    probability: Annotated[
        str,
        typer.Option(
            "--probability", metavar="COLUMN", help="Each item's chance of being labelled; '' for none."
        ),
    ] = "sampling_probability",
    fewest: Annotated[
        int, typer.Option("--fewest", help="Labelled items below which a system borrows from others.")
    ] = 30,
    level: flags.Level = 0.95,
    seed: flags.Seed = 20261129,
) -> None:
    """Say what people would say of every system, with intervals and ranks, from few labels and a judge."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # many small fits: more threads only wait for each other
    from voirdire.decide.rates import rates
    from voirdire.decide.rates_options import RatesOptions

    options = RatesOptions(
        judges=tuple(use or ()),
        metrics=tuple(metric or ()),
        select=select,
        probability=probability,
        fewest=fewest,
        level=level,
        seed=seed,
    )
    how = {"judge": judge, "wide": wide, "column": column, "missing": missing, "on_duplicate": on_duplicate}
    with steps(quiet=quiet or as_json) as step:
        step(f"Reading {source}")
        study = flags.opened(source, **how)  # type: ignore[arg-type]
        further = None
        if verdicts:
            step(f"Reading {verdicts}")
            further = flags.opened(verdicts, **how)  # type: ignore[arg-type]
        found = rates(study, options, verdicts=further, progress=step)
        if out:
            found.export(out)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif not quiet:
        typer.echo(str(found))
        if out:
            typer.echo(f"Wrote {out}.")
