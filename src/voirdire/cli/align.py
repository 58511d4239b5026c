"""``voirdire align``: learn how people's labels follow from a judge's output, and say how well."""

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
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="FILE", help="Save the aligner here (JSON).", show_default=False),
    ] = "",
    force: flags.Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the evaluation as JSON.")] = False,
    quiet: flags.Quiet = False,
    judge: flags.Judges = None,
    wide: flags.Wide = "",
    column: flags.ColumnNames = None,
    missing: flags.Missing = None,
    on_duplicate: flags.OnDuplicate = "",
    store: flags.Store = "",
    use: Annotated[
        Names, typer.Option("--use", metavar="JUDGE", help="Learn from this judge only; may be given again.")
    ] = None,
    metric: Annotated[
        Names, typer.Option("--metric", metavar="NAME", help="Align this metric only; may be given again.")
    ] = None,
    numbers: Annotated[
        Names, typer.Option("--number", metavar="COLUMN", help="A numeric item column to learn from.")
    ] = None,
    select: Annotated[
        str, typer.Option("--select", help="pool, one_se (one simple map) or a calibrator's name.")
    ] = "pool",
    calibrator: Annotated[
        Names,
        typer.Option(
            "--calibrator", metavar="NAME", help="Evaluate this one beside the floors; all for all."
        ),
    ] = None,
    folds: Annotated[int, typer.Option("--folds", help="Parts of the outer cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option("--repeats", help="How often the parts are dealt anew.")] = 3,
    curve: Annotated[bool, typer.Option("--curve", help="Say what more labels would buy (slower).")] = False,
    smallest_gain: Annotated[
        float, typer.Option("--smallest-gain", metavar="NATS", help="With --curve: stop below this.")
    ] = 0.005,
    view: Annotated[
        str,
        typer.Option(
            "--view",
            help="Of one metric: learn from verdicts on it (holistic), on the others (decomposed), both.",
        ),
    ] = "holistic",
    compare_views: Annotated[
        bool,
        typer.Option("--compare-views", help="Of one metric: compare the views at equal labels (slower)."),
    ] = False,
    level: flags.Level = 0.95,
    credal: Annotated[float, typer.Option("--credal", help="Coverage of predicted shares' bounds.")] = 0.9,
    seed: flags.Seed = 20261129,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes to work in.")] = 1,
) -> None:
    """Learn how people would judge from what the judge says; print how well, and save the aligner."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # many small fits: more threads only wait for each other
    from voirdire.align.aligner import align
    from voirdire.align.options import AlignOptions
    from voirdire.cli.processes import mapping
    from voirdire.decide.lines import assumed

    options = AlignOptions(
        judges=tuple(use or ()),
        metrics=tuple(metric or ()),
        columns=tuple(numbers or ()),
        select=select,
        calibrators=tuple(calibrator or ()),
        folds=folds,
        repeats=repeats,
        level=level,
        credal=credal,
        curve=curve,
        smallest_gain=smallest_gain,
        view=view,
        compare_views=compare_views,
        seed=seed,
    )
    flags.keep_existing(out, force=force)
    with steps(quiet=quiet or as_json) as step, mapping(jobs) as run:
        step(f"Reading {source}")
        study = flags.opened(
            source,
            judge=judge,
            wide=wide,
            column=column,
            missing=missing,
            on_duplicate=on_duplicate,
            parts=compare_views or view != "holistic",
            store=store,
        )
        aligner = align(study, options, run=run, progress=step)
        if out:
            aligner.save(out)
    if as_json:
        document = {**aligner.evaluation.to_dict(), "assumptions": list(study.assumptions)}
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    elif not quiet:
        typer.echo("\n".join([str(aligner), *assumed(study.assumptions)]))
        if out:
            typer.echo(f"Wrote {out}.")
