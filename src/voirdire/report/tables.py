"""Tables laid out for a reader: cells shown, plots on one axis, notes that name each interval's target."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voirdire.checks.finding import Bounds, Cell, Column, Evidence, Row, Table
from voirdire.report import marks, wording
from voirdire.report.cells import NUMERIC, Shown, show
from voirdire.report.strip import KEY, strip_axis
from voirdire.stats.estimate import Estimate
from voirdire.study import Scale

__all__ = [
    "Heading",
    "Href",
    "RowView",
    "ScaleOf",
    "TableView",
    "lay_out",
    "plot_groups",
    "row_actor",
    "telling_columns",
]

_FIGURES = re.compile(r"[<−+-]?\s?\d[\d,.]*\s?%?( of \d[\d,.]*)?(,?\s\(?\d[\d.]*\s?%\)?)?(\n.*)?")

Href = Callable[[Evidence | None], str]
"""Where the ratings behind a row can be seen, '' where nowhere."""
ScaleOf = Callable[[Evidence | None], Scale | None]
"""The scale of the labels in a row, or None where it is of no one metric."""


_COUNT = re.compile(r"\d+(?![\d.,])")


@dataclass(frozen=True)
class Heading:
    """A column's head: its title, whether figures stand under it, the axis of a plot or of strips."""

    title: str
    numeric: bool = False
    axis: marks.Axis | None = None
    strips: marks.Axis | None = None


@dataclass(frozen=True)
class RowView:
    """A row ready to print: one shown cell or plot a heading, the link to its ratings, and its note."""

    cells: tuple[Shown | marks.Plot, ...]
    href: str
    note: str


@dataclass(frozen=True)
class TableView:
    """A table ready to print; ``notes`` say what its intervals and ranges are, ``cautions`` what to doubt"""

    name: str
    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[RowView, ...]
    notes: tuple[str, ...]
    cautions: tuple[str, ...]
    folded: bool

    @property
    def narrow(self) -> bool:
        """Whether the table is better read at less than the page's width."""
        return len(self.headings) <= 4 and not any(heading.axis for heading in self.headings)


def lay_out(table: Table, *, check: str, href: Href, scale: ScaleOf, plots: bool = True) -> TableView:
    """``table`` ready to print; ``plots=False`` leaves its plot columns out, for a figure shows the same."""
    columns = telling_columns(table)
    with_n = not any(column.kind == "count" for column in columns) and table.name != "headline"
    numeric = {column.key: _is_numeric(column, table.rows) for column in columns}
    headings: list[Heading] = []
    cells: list[list[Shown | marks.Plot]] = [[] for _ in table.rows]
    drawn = {group[0].key: group for group in plot_groups(table, columns, check)} if plots else {}
    for column in columns:
        strips = strip_axis(row.cells.get(column.key) for row in table.rows)
        headings.append(Heading(column.title, numeric[column.key], strips=strips))
        for row, line in zip(table.rows, cells, strict=True):
            cell = row.cells.get(column.key)
            line.append(show(cell, column, with_n=with_n, scale=scale(row.evidence), on=strips))
        if column.key in drawn:
            heading, plotted = _plot_column(table, drawn[column.key], check)
            headings.append(heading)
            for line, mark in zip(cells, plotted, strict=True):
                line.append(mark)
    every = _estimates(table.rows, columns)
    rows = [
        RowView(tuple(line), href(row.evidence), row.note)
        for row, line in zip(table.rows, cells, strict=True)
    ]
    said = notes(every, _bounds(table.rows))
    if any(heading.strips for heading in headings):
        said = (KEY, *said)
    return TableView(
        table.name, table.caption, tuple(headings), tuple(rows), said, cautions(every), table.folded
    )


def telling_columns(table: Table) -> list[Column]:
    """The columns that say something, without those that name the same metric or judge in every row."""
    columns = [
        column for column in table.columns if any(_says(row.cells.get(column.key)) for row in table.rows)
    ]
    if len(table.rows) < 2:
        return columns or list(table.columns)
    for key in ("metric", "judge"):
        others = [column for column in columns if column.key != key]
        same = len({str(row.cells.get(key)) for row in table.rows}) == 1
        if same and others and others[0].kind in ("text", "item"):
            columns = others
    return columns


def plot_groups(table: Table, columns: Sequence[Column], check: str) -> list[list[Column]]:
    """Columns drawn together: of one kind, one an actor; a further one gets a plot of its own."""
    groups: list[list[Column]] = []
    for column in columns:
        if column.key not in table.plot:
            continue
        who = marks.actor(column.key, check)
        for group in groups:
            if group[0].kind == column.kind and who not in [marks.actor(one.key, check) for one in group]:
                group.append(column)
                break
        else:
            groups.append([column])
    return groups


def _plot_column(table: Table, group: Sequence[Column], check: str) -> tuple[Heading, list[marks.Plot]]:
    on = marks.axis(group[0].kind, [row.cells.get(column.key) for row in table.rows for column in group])
    names = " and ".join(column.title for column in group)
    plotted = [
        marks.plot([(row_actor(row, column, check), row.cells.get(column.key)) for column in group], on)
        for row in table.rows
    ]
    return Heading(f"Plot of {names}", axis=on), plotted


def row_actor(row: Row, column: Column, check: str) -> marks.Actor:
    """Who a row's figure speaks of: people where a cell of the row says so, else as its column."""
    says_people = any(isinstance(cell, str) and cell.casefold() == "people" for cell in row.cells.values())
    return "people" if says_people else marks.actor(column.key, check)


def _is_numeric(column: Column, rows: Sequence[Row]) -> bool:
    """Whether figures stand in the column, be it as text ("16 of 24 (67 %)")."""
    if column.kind in NUMERIC:
        return True
    texts = [cell for row in rows if isinstance(cell := row.cells.get(column.key), str) and cell]
    return column.kind == "text" and bool(texts) and all(_FIGURES.fullmatch(text) for text in texts)


def notes(every: Sequence[Estimate], bounds: Sequence[Bounds] = ()) -> tuple[str, ...]:
    """What the intervals of a table are, one sentence a kind, and over what its ranges run."""
    kinds = dict.fromkeys(
        (estimate.level, estimate.method, estimate.target) for estimate in every if estimate.has_interval
    )
    described = [
        f"{_level(level)} intervals" + (f", {method}" if method else "") + (f" ({target})" if target else "")
        for level, method, target in kinds
    ]
    written = [f"In brackets: {'; '.join(described)}"] if described else []
    policies = dict.fromkeys(name for bound in bounds for name in bound.by_policy if len(bound.by_policy) > 1)
    if policies:
        written.append(
            f"Ranges run over the mappings of indeterminate labels: {wording.listed(list(policies))}"
        )
    return tuple(f"{sentence}." for sentence in written)


def cautions(every: Sequence[Estimate]) -> tuple[str, ...]:
    """Each sentence of caution once; those that differ in a count alone become one with its range."""
    counts: dict[str, set[int]] = {}
    for estimate in every:
        if estimate.caution:
            sentence = _COUNT.sub("#", estimate.caution.rstrip("."), count=1)
            found = _COUNT.search(estimate.caution)
            counts.setdefault(sentence, set()).update([int(found[0])] if found else [])
    return tuple(
        sentence.replace("#", wording.span(sorted(numbers), "count"), 1) if numbers else sentence
        for sentence, numbers in counts.items()
    )


def _says(cell: Cell) -> bool:
    return cell is not None and cell != ""


def _estimates(rows: Sequence[Row], columns: Sequence[Column]) -> list[Estimate]:
    return [
        estimate
        for column in columns
        for row in rows
        for estimate in marks.estimates(row.cells.get(column.key))
    ]


def _bounds(rows: Sequence[Row]) -> list[Bounds]:
    return [cell for row in rows for cell in row.cells.values() if isinstance(cell, Bounds)]


def _level(level: float) -> str:
    return f"{100 * level:.4g}{wording.NBSP}%"
