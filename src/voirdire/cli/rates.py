"""``voirdire rates``: what people would say of every system, corrected for the judge's errors."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voirdire.cli import flags
from voirdire.cli.progress import steps
from voirdire.errors import UserError

if TYPE_CHECKING:
    from voirdire.study import Study

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
    force: flags.Force = False,
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
    flags.keep_existing(out, force=force)
    how = {"wide": wide, "column": column, "missing": missing, "on_duplicate": on_duplicate}
    with steps(quiet=quiet or as_json) as step:
        files = [source, verdicts] if verdicts else [source]
        studies = _opened(files, judge or [], how, step)
        further = studies[1] if verdicts else None
        found = rates(studies[0], options, verdicts=further, progress=step)
        if out:
            found.export(out)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif not quiet:
        typer.echo(str(found))
        if out:
            typer.echo(f"Wrote {out}.")


def _opened(
    files: Sequence[str], judges: Sequence[str], how: Mapping[str, Any], step: Callable[[str], None]
) -> list[Study]:
    """Each file as a study; with several files a judge named by a flag need stand in one of them only."""
    found, unknown = [], set(judges)
    for file in files:
        step(f"Reading {file}")
        mine = list(judges)
        if judges and len(files) > 1:
            ids = {rater.id for rater in flags.opened(file, judge=None, **how).raters}
            mine = [name for name in judges if name in ids]
            unknown -= ids
        found.append(flags.opened(file, judge=mine, **how))
    if unknown and len(files) > 1:
        raise UserError(
            f"no rating is by '{min(unknown)}'", where="--judge", expected="a rater of either file"
        )
    return found
