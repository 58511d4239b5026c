"""``voirdire predict``: from a judge's verdicts to how people would judge, row by row."""

from __future__ import annotations

from math import isinf
from typing import Annotated

import typer

from voirdire.cli import flags
from voirdire.cli.progress import steps

__all__ = ["command"]


def command(
    aligner: Annotated[
        str, typer.Argument(metavar="ALIGNER", help="A file of voirdire align.", show_default=False)
    ],
    source: flags.Source,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", metavar="FILE", help="A .csv, .tsv, .jsonl or .parquet file.", show_default=False
        ),
    ],
    quiet: flags.Quiet = False,
    judge: flags.Judges = None,
    wide: flags.Wide = "",
    column: flags.ColumnNames = None,
    missing: flags.Missing = None,
    on_duplicate: flags.OnDuplicate = "",
    store: flags.Store = "",
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="NAME", help="Predict this metric only; may be given again."),
    ] = None,
    contested: Annotated[
        float | None,
        typer.Option(
            "--contested",
            metavar="CHANCE",
            help="Flag a row from this chance of a dispute on; by default, as many as people dispute.",
            show_default=False,
        ),
    ] = None,
    force: flags.Force = False,
) -> None:
    """Predict the distribution of human labels of each item, and which items people would contest."""

    from voirdire.align.aligner import Aligner
    from voirdire.align.contested import rule_in_words

    flags.keep_existing(out, force=force)
    with steps(quiet=quiet) as step:
        step(f"Reading {aligner}")
        fitted = Aligner.load(aligner)
        step(f"Reading {source}")
        study = flags.opened(
            source,
            judge=judge,
            wide=wide,
            column=column,
            missing=missing,
            on_duplicate=on_duplicate,
            parts=bool(fitted.encoding.aspects),
            store=store,
        )
        step("Predicting")
        predictions = fitted.predict(study, metrics=metric or None, contested=contested)
        step("Writing")
        predictions.export(out)
    if quiet:
        return
    for note in predictions.notes:
        typer.echo(note)
    flagged = int(predictions.contested.sum())
    typer.echo(f"Wrote {len(predictions):,} rows to {out}; {flagged:,} are contested.")
    undisputed = [name for name, limit in predictions.thresholds.items() if isinf(limit)]
    if undisputed:
        names = ", ".join(undisputed[:3]) + (", ..." if len(undisputed) > 3 else "")
        typer.echo(
            f"No row of {names} can be contested: people disputed too few at fitting to set a limit; "
            "--contested CHANCE sets one."
        )
    fitted_to_people = fitted.evaluation.flagging.disputed.undefined is None
    typer.echo(rule_in_words(predictions.scale, at=contested, fitted=fitted_to_people))
