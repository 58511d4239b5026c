"""What raters said about their own labels: confidence, challenges, and the judge's own probabilities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Row, Table
from voirdire.checks.words import percent, share
from voirdire.stats.proportion import proportion

__all__ = ["note_tables"]

NOTES = ("confidence", "challenge")
MOST_VALUES = 12
UNSURE = 0.60
"""A judge whose likeliest label has a lower probability than this is undecided about the item."""


def note_tables(context: Context) -> Iterator[Table]:
    """A table each for recorded confidence, recorded challenges, and probabilities near the middle."""
    for name in NOTES:
        table = _values(context, name)
        if table.rows:
            yield table
    table = _undecided(context)
    if table.rows:
        yield table


def _values(context: Context, name: str) -> Table:
    """How often each recorded value was given, by kind of rater."""
    study = context.study
    column = study.ratings.attributes.get(name)
    rows: list[Row] = []
    kinds = [rater.kind for rater in study.raters]
    if column is not None and len(column.values) <= MOST_VALUES:
        for kind in dict.fromkeys(kinds):
            mine = np.array([one == kind for one in kinds], dtype=bool)[study.ratings.rater] & (
                column.codes >= 0
            )
            n = int(mine.sum())
            found = np.bincount(column.codes[mine], minlength=len(column.values))
            for code in np.flatnonzero(found).tolist():
                cells: dict[str, Cell] = {
                    "kind": kind,
                    "value": column.values[code],
                    "ratings": share(int(found[code]), n),
                }
                rows.append(Row(cells))
    columns = (
        Column("kind", "Kind of rater"),
        Column("value", name.capitalize()),
        Column("ratings", "Ratings"),
    )
    return Table(name, f"Recorded {name}", columns, tuple(rows), folded=True)


def _undecided(context: Context) -> Table:
    """Verdicts whose likeliest label the judge itself gave less than 0.60."""
    study = context.study
    probabilities = study.ratings.probabilities
    rows: list[Row] = []
    if probabilities:
        every = np.array(list(probabilities.values()))
        known = ~np.isnan(every).all(axis=0)
        top = np.max(np.where(np.isnan(every), -1.0, every), axis=0)
        for judge in study.raters_of("judge"):
            mine = known & (study.ratings.rater == judge)
            n, unsure = int(mine.sum()), int((top[mine] < UNSURE).sum())
            if n:
                cells: dict[str, Cell] = {
                    "judge": study.raters[judge].id,
                    "verdicts": share(unsure, n),
                    "share": proportion(unsure, n, level=context.options.level),
                }
                rows.append(Row(cells, Evidence(raters=(study.raters[judge].id,))))
    columns = (
        Column("judge", "Judge"),
        Column("verdicts", "Undecided verdicts"),
        Column("share", "Share", "share"),
    )
    caption = (
        f"Verdicts whose likeliest label had a probability below {percent(UNSURE)} in the judge's own words"
    )
    return Table("undecided", caption, columns, tuple(rows))
