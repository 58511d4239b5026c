"""``voirdire bench check``: what is missing, unobservable or unreviewed in a benchmark; exit code 0 or 1."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli import flags

if TYPE_CHECKING:
    from voirdire.bench.checking import Checked

__all__ = ["command"]

QUESTIONS = {
    "fidelity": "Fidelity: does it measure what is named?",
    "clarity": "Clarity: would two readers understand the same?",
    "observability": "Observability: can it be seen in a transcript?",
}
"""What a reviewer is asked about a metric."""
PATIENCE = 0.5
"""Seconds between two looks at the files."""


def command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The benchmark's folder.")] = ".",
    watch: Annotated[bool, typer.Option("--watch", help="Check again whenever a file is saved.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="Write it to a file as JSON.", show_default=False)
    ] = "",
    sign: Annotated[
        str,
        typer.Option(
            "--sign",
            metavar="METRIC",
            help="Answer three questions about a metric and write the review into its file.",
            show_default=False,
        ),
    ] = "",
    by: Annotated[
        str,
        typer.Option("--by", metavar="NAME", help="Who signs, as in 'Ann, psychology'.", show_default=False),
    ] = "",
    quiet: flags.Quiet = False,
) -> None:
    """Name what is missing, what a conversation cannot show, and who reviewed what; exit code 0 or 1."""
    from voirdire.bench.checking import check_bench
    from voirdire.errors import UserError

    if sign or by:
        _sign(folder, sign, by)
    checked = check_bench(folder)
    _show(checked, as_json=as_json, out=out, quiet=quiet)
    seen = _saved(folder)
    while watch:
        time.sleep(PATIENCE)
        now = _saved(folder)
        if now == seen:
            continue
        seen = now
        typer.echo(f"\n--- {time.strftime('%H:%M:%S')} ---")
        try:
            _show(check_bench(folder), as_json=as_json, out=out, quiet=quiet)
        except UserError as mistake:  # a file that an editor is about to put back
            typer.echo(str(mistake))
    raise typer.Exit(0 if checked.passed else 1)


def _sign(folder: str, name: str, by: str) -> None:
    """Show a metric, ask what a reviewer says of it, and write it down."""
    from voirdire.bench.signing import sign_metric
    from voirdire.bench.suite import load_bench
    from voirdire.bench.template import Reviewed
    from voirdire.errors import UserError

    if not (name and by):
        raise UserError(f"no {'--by' if name else '--sign'}", fix="--sign my_metric --by 'Ann, psychology'")
    metric = load_bench(folder).metric(name)
    typer.echo(f"{metric.title} ({metric.polarity}), version {metric.version}")
    typer.echo(f"Measured: {metric.justification.measured}\nQuestion: {metric.scoring.question}")
    answers = {part: typer.confirm(words) for part, words in QUESTIONS.items()}
    note = typer.prompt("A note, or Enter for none", default="", show_default=False)
    today = time.strftime("%Y-%m-%d")
    review = Reviewed(by=by, date=today, version=metric.version, parts=metric.parts, note=note, **answers)
    file = sign_metric(folder, name, review)
    typer.echo(f"Signed in {file}.\n")


def _show(checked: Checked, *, as_json: bool, out: str, quiet: bool) -> None:
    from voirdire.cli.bench.writing import write_text

    text = json.dumps(checked.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if out:
        write_text(out, text + "\n")
    if as_json:
        typer.echo(text)
    elif not quiet:
        typer.echo(str(checked))


def _saved(folder: str) -> dict[str, int]:
    """When each file of the benchmark was last saved."""
    saved = {}
    for path in sorted(Path(folder).rglob("*.y*ml")):
        with suppress(FileNotFoundError):
            saved[str(path)] = path.stat().st_mtime_ns
    return saved
