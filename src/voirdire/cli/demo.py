"""``voirdire demo``: audit a bundled study whose truth is known, and print the truth beside each estimate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.audit import say_written, write
from voirdire.cli.progress import steps

if TYPE_CHECKING:
    from voirdire.testing.beside import Beside

__all__ = ["command"]


def command(
    out: Annotated[
        str, typer.Option("--out", metavar="FOLDER", help="Write the study and the report here.")
    ] = "out/demo",
) -> None:
    """Audit a bundled study whose truth is known; print the truth beside each estimate."""
    from dataclasses import replace

    from voirdire import audit, open
    from voirdire.testing.beside import beside
    from voirdire.testing.demo import write_demo

    folder = Path(out)
    with steps() as step:
        step("Drawing the study")
        made = write_demo(folder / "study")
        step("Auditing")
        audited = audit(open(folder / "study"))
        compared = beside(audited, made)
        step("Writing the report")
        truth = {f"{one.where} | {one.figure} | {one.policy}".rstrip(" |"): one.truth for one in compared}
        written = write(replace(audited, truth=truth), out, text=True)
    typer.echo(str(audited))
    for line in _table([one for one in compared if one.policy in ("", "as fail")]):
        typer.echo(line)
    say_written(written)
    typer.echo(f"The study is in {folder / 'study'}; audit it yourself: voirdire audit {folder / 'study'}")


def _table(compared: Sequence[Beside]) -> Iterator[str]:
    """The truth beside each estimate, one line a figure, and the count of intervals that hold it."""
    where = max(len(one.where) for one in compared)
    figure = max(len(one.figure) for one in compared)
    yield "\nTruth beside estimate, borderline counted as fail"
    yield f"{'where':{where}}  {'figure':{figure}}  truth  estimate"
    first = {one.where: place for place, one in reversed(list(enumerate(compared)))}
    for one in sorted(compared, key=lambda one: first[one.where]):
        truth = f"{one.truth:5.2f}".replace("-", "−")
        mark = {True: "", False: "  misses the truth", None: "  no interval"}[one.inside]
        yield f"{one.where:{where}}  {one.figure:{figure}}  {truth}  {one.estimate}{mark}"
    intervals = [one for one in compared if one.inside is not None]
    held = sum(one.inside is True for one in intervals)
    yield f"{held} of {len(intervals)} intervals hold the truth.\n"
