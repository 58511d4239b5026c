"""Corrected rates as a result: what they are as data, as a table in a file, and as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.plain import plain
from voirdire.decide.lines import assumed, folded
from voirdire.decide.rates_rows import Difference, Rate
from voirdire.decide.rates_text import text
from voirdire.stats.estimate import Estimate
from voirdire.study.column import Column
from voirdire.writers.columns import Table
from voirdire.writers.formats import write_table

__all__ = ["Rates"]


@dataclass(frozen=True, eq=False)
class Rates:
    """Every corrected rate with the differences between systems, and ``notes`` on how they came about.

    ``assumptions`` are what was assumed of the study, and of the verdicts that were joined to it.
    """

    rows: tuple[Rate, ...]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    select: str
    level: float
    seed: int
    assumptions: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, numbers and text, for JSON."""
        said: dict[str, Any] = plain(
            {
                "rates": self.rows,
                "differences": self.differences,
                "notes": self.notes,
                "select": self.select,
                "level": self.level,
                "seed": self.seed,
                "assumptions": self.assumptions,
            }
        )
        return said

    def export(self, path: str | Path) -> Path:
        """Write a row a rate; the format follows the suffix: .csv, .tsv, .jsonl or .parquet."""
        return write_table(_table(self.rows), path)

    def __str__(self) -> str:
        percent = f"{100 * self.level:g} %"
        pooled = " and the other systems" if any(row.method == "pooled" for row in self.rows) else ""
        how = (
            f"Intervals: {percent}, these raters and new items; `new raters` speaks for other people too. "
            f"Predicted with {self.select}. gain: so many times the labels would be needed without the judge"
            f"{pooled}."
        )
        notes = [line for note in (how, *self.notes) for line in folded(note)]
        return "\n".join([*text(self.rows, self.differences), *notes, *assumed(self.assumptions)])


def _table(rows: tuple[Rate, ...]) -> Table:
    flat = [dict(_flat(row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    columns: dict[str, Column] = {}
    numbers: dict[str, NDArray[np.float64] | NDArray[np.int64]] = {}
    for name in names:
        cells = [row.get(name) for row in flat]
        if any(isinstance(cell, str) for cell in cells):
            columns[name] = Column.of([None if cell is None or cell == "" else str(cell) for cell in cells])
        elif all(isinstance(cell, int) for cell in cells):
            numbers[name] = np.array(cells, dtype=np.int64)
        else:
            numbers[name] = np.array([math.nan if cell is None else float(cell) for cell in cells])
    return Table(columns, numbers)


def _flat(row: Rate) -> Iterator[tuple[str, str | float | None]]:
    """One row's cells; the bounds of an interval stand beside its value."""
    yield from (("metric", row.metric), ("system", row.system), ("quantity", row.quantity))
    yield from (("method", row.method), ("target", row.corrected.target))
    yield "undefined", row.corrected.undefined or row.corrected.no_interval or ""
    yield from _bounds("corrected", row.corrected)
    yield from (("these_items_low", row.these_items.low), ("these_items_high", row.these_items.high))
    yield from _bounds("new_raters", row.new_raters)
    yield from _bounds("labels_alone", row.labels_alone)
    for judge in row.judges:
        yield from _bounds(f"naive_{judge.judge}", judge.naive)
        yield f"missing_{judge.judge}", judge.missing
        if judge.rogan_gladen is not None:
            yield from _bounds(f"rogan_gladen_{judge.judge}", judge.rogan_gladen)
    for name in ("n_items", "n_labelled", "n_labels", "n_raters", "tuning", "gain"):
        yield name, getattr(row, name)
    rank: Mapping[str, int] = {} if row.rank is None else {"low": row.rank.low, "high": row.rank.high}
    yield from (("rank_low", rank.get("low")), ("rank_high", rank.get("high")))


def _bounds(name: str, estimate: Estimate) -> Iterator[tuple[str, float]]:
    yield from ((name, estimate.value), (f"{name}_low", estimate.low), (f"{name}_high", estimate.high))
