"""Flags that several commands share, each with its help written once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.errors import UserError

if TYPE_CHECKING:
    from voirdire.study import Study

__all__ = [
    "Check",
    "ColumnNames",
    "Force",
    "Judges",
    "Level",
    "Margin",
    "Missing",
    "NoText",
    "OnDuplicate",
    "Quiet",
    "Reading",
    "Resamples",
    "Seed",
    "Source",
    "Store",
    "Wide",
    "Worst",
    "column_names",
    "keep_existing",
    "missing_spellings",
    "opened",
    "split",
]

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="A file of labels, or a folder with study.yaml.", show_default=False
    ),
]

Store = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="URL",
        help="Where the study's labels and verdicts are kept, in place of its own store.",
        show_default=False,
    ),
]
ColumnNames = Annotated[
    list[str] | None,
    typer.Option(
        "--column", metavar="NAME=COLUMN", help="The file's own name of a column, as in label=score."
    ),
]
Judges = Annotated[
    list[str] | None, typer.Option("--judge", metavar="RATER", help="A rater that is a judge, not a person.")
]
Wide = Annotated[
    str,
    typer.Option(
        "--wide", metavar="A,B,C", help="Columns that each hold one rater's labels.", show_default=False
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing", metavar="SPELLING", help="A spelling of a missing label; '' alone switches off."
    ),
]
OnDuplicate = Annotated[
    str,
    typer.Option(
        "--on-duplicate",
        metavar="RULE",
        help="Where one rater labelled an item twice: error, first, last or majority.",
        show_default=False,
    ),
]

Level = Annotated[float, typer.Option("--level", help="Coverage of the intervals.")]
Margin = Annotated[
    float,
    typer.Option("--margin", help="How far below person-person agreement a judge may be and still stand in."),
]
Resamples = Annotated[int, typer.Option("--resamples", help="Bootstrap resamples.")]
Seed = Annotated[int, typer.Option("--seed", help="Makes the resamples repeatable: same seed, same report.")]
Reading = Annotated[
    str, typer.Option("--reading", help="Words for coefficients: mchugh, landis-koch or krippendorff.")
]
Worst = Annotated[int, typer.Option("--worst", help="How many of the worst disagreements are listed.")]
Check = Annotated[
    list[str] | None, typer.Option("--check", metavar="NAME", help="Run this check only; may be given again.")
]

NoText = Annotated[bool, typer.Option("--no-text", help="Leave the items' texts out of the report.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file where it exists.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no summary and no progress.")]


def keep_existing(*files: str, force: bool) -> None:
    """A user's error where one of ``files`` exists and may not be replaced; empty names are passed over."""
    for file in files:
        if file and Path(file).exists() and not force:
            raise UserError(
                "exists already", where=file, fix="choose another name, or replace it with --force"
            )


def opened(
    source: str,
    *,
    judge: Sequence[str] | None,
    wide: str,
    column: Sequence[str] | None,
    missing: Sequence[str] | None,
    on_duplicate: str,
    parts: bool = False,
    unrated: bool = False,
    store: str = "",
) -> Study:
    """The study at ``source``, read as the flags of the same names say.

    With ``parts`` also the parts of verdicts, with ``unrated`` also the items that nobody has rated.
    """
    from voirdire.opening import open as open_study

    config = {"on_duplicate": on_duplicate, "parts": parts, "unrated": unrated, "store": store}
    return open_study(
        source,
        columns=column_names(column),
        judges=judge or (),
        wide=split(wide),
        missing=missing_spellings(missing),
        config={name: said for name, said in config.items() if said},
    )


def split(names: str) -> tuple[str, ...]:
    """Names between commas, trimmed.

    >>> split("a, b")
    ('a', 'b')
    """
    return tuple(name.strip() for name in names.split(",") if name.strip())


def column_names(pairs: Sequence[str] | None) -> dict[str, str] | None:
    """``NAME=COLUMN`` pairs as a mapping, None where there are none.

    >>> column_names(["label=score"])
    {'label': 'score'}
    """
    if not pairs:
        return None
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not (name and equals and column):
            raise UserError(f"--column {pair}", expected="NAME=COLUMN", fix="write --column label=score")
    return dict(pair.split("=", 1) for pair in pairs)


def missing_spellings(spellings: Sequence[str] | None) -> tuple[str, ...] | None:
    """Declared spellings of a missing label: None keeps the default ones, one empty one switches them off.

    >>> missing_spellings(None), missing_spellings([""]), missing_spellings(["-", "?"])
    (None, (), ('-', '?'))
    """
    if spellings is None or not len(spellings):
        return None
    return () if list(spellings) == [""] else tuple(spellings)
