"""``voirdire audit``: from a file of labels to the summary, the report and the JSON document."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli import flags
from voirdire.cli.progress import steps

if TYPE_CHECKING:
    from voirdire.checks.audit import Audit

__all__ = ["command", "say_written"]


def command(
    source: flags.Source,
    out: Annotated[
        str, typer.Option("--out", metavar="FOLDER", help="Write the report here.", show_default=False)
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the JSON document, not the summary.")
    ] = False,
    no_text: flags.NoText = False,
    quiet: flags.Quiet = False,
    judge: flags.Judges = None,
    wide: flags.Wide = "",
    column: flags.ColumnNames = None,
    missing: flags.Missing = None,
    on_duplicate: flags.OnDuplicate = "",
    store: flags.Store = "",
    level: flags.Level = 0.95,
    margin: flags.Margin = 0.10,
    resamples: flags.Resamples = 2000,
    seed: flags.Seed = 20261129,
    reading: flags.Reading = "mchugh",
    worst: flags.Worst = 20,
    check: flags.Check = None,
    align: Annotated[
        bool,
        typer.Option("--align", help="Say too how well the judge knows how people would judge (slower)."),
    ] = False,
) -> None:
    """Audit a judge against every human label: print the answer, and write the report where --out says."""
    if align:
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # many small fits: more threads wait for each other
    from voirdire import AuditOptions
    from voirdire import audit as run

    options = AuditOptions(
        level=level,
        margin=margin,
        resamples=resamples,
        seed=seed,
        reading=reading,
        worst=worst,
        checks=tuple(check or ()),
        align=align,
    )
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
        auditing = f"Auditing {len(study.ratings):,} ratings"
        step(auditing)
        audited = run(study, options, progress=lambda check: step(f"{auditing}: {check.replace('_', ' ')}"))
        step("Writing the report" if out else "Summing up")
        written = write(audited, out, text=not no_text) if out else []
    if as_json:
        typer.echo(json.dumps(audited.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif not quiet:
        typer.echo(str(audited))
        say_written(written)


def write(audited: Audit, folder: str, *, text: bool) -> list[Path]:
    """Write the report into ``folder``, which is made where it does not exist."""
    from voirdire.report import write as write_report

    return write_report(audited, Path(folder), text=text)


def say_written(written: list[Path]) -> None:
    """One line that says where the files went."""
    if written:
        more = f" and {len(written) - 2:,} more" if len(written) > 2 else ""
        typer.echo(f"Wrote {', '.join(map(str, written[:2]))}{more}.")
