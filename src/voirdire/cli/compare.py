"""``voirdire compare``: what changed between two studies, and whether it is more than noise."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from voirdire.cli import flags
from voirdire.cli.progress import steps

__all__ = ["command"]

Names = list[str] | None


def command(
    old: Annotated[
        str, typer.Argument(metavar="OLD", help="The old study, or an aligner (JSON) to follow for drift.")
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new study.")],
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write everything as Markdown here.", show_default=False
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
        Names,
        typer.Option("--use", metavar="JUDGE", help="Compare this judge, or OLD=NEW; may be given again."),
    ] = None,
    metric: Annotated[
        Names, typer.Option("--metric", metavar="NAME", help="This metric only; may be given again.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", metavar="NATS", help="How far the aligned score may drop.")
    ] = 0.02,
    select: Annotated[
        str, typer.Option("--select", help="The map fitted to both: stack, pool, ...; '' fits none.")
    ] = "stack",
    level: flags.Level = 0.95,
    resamples: flags.Resamples = 1000,
    seed: flags.Seed = 20261129,
) -> None:
    """Say what changed between two studies: the judge, the items, the people, and what moved the figures."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # many small fits: more threads only wait for each other
    from voirdire.align.aligner import Aligner
    from voirdire.decide.change import compare
    from voirdire.decide.change_options import CompareOptions
    from voirdire.errors import UserError

    options = CompareOptions(
        judges=tuple(use or ()),
        metrics=tuple(metric or ()),
        tolerance=tolerance,
        select=select,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    if Path(old).resolve() == Path(new).resolve():
        raise UserError("OLD and NEW are the same", where=old, expected="two studies")
    flags.keep_existing(out, force=force)
    how = {"judge": judge, "wide": wide, "column": column, "missing": missing, "on_duplicate": on_duplicate}
    with steps(quiet=quiet or as_json) as step:
        step(f"Reading {old}")
        before = Aligner.load(old) if _is_aligner(old) else flags.opened(old, **how)  # type: ignore[arg-type]
        step(f"Reading {new}")
        found = compare(before, flags.opened(new, **how), options, progress=step)  # type: ignore[arg-type]
        if out:
            _write(out, found.to_markdown())
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif not quiet:
        typer.echo(str(found))
        if out:
            typer.echo(f"Wrote {out}.")


def _is_aligner(path: str) -> bool:
    """Whether the file says that it is an aligner; a study may be JSON too."""
    file = Path(path)
    if file.suffix != ".json" or not file.is_file():
        return False
    with file.open(encoding="utf-8", errors="replace") as text:
        return '"voirdire-aligner/' in text.read(200)


def _write(path: str, text: str) -> None:
    from voirdire.errors import UserError

    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise UserError(f"cannot be written: {problem.strerror or problem}", where=path) from None
