"""Tables laid out for a reader: cells shown, plots on one axis, notes that name each interval's target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voirdire.checks.finding import Bounds, Cell, Column, Evidence, Row, Table
from voirdire.report import marks, wording
from voirdire.report.cells import NUMERIC, Shown, show
from voirdire.stats.estimate import Estimate

__all__ = ["Heading", "Href", "RowView", "TableView", "lay_out"]

Href = Callable[[Evidence | None], str]
"""Where the ratings behind a row can be seen, '' where nowhere."""


@dataclass(frozen=True)
class Heading:
    """A column's head: its title, whether figures stand under it, and the axis of a plot column."""

    title: str
    numeric: bool = False
    axis: marks.Axis | None = None


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


def lay_out(
    table: Table, *, check: str, href: Href, indeterminate: frozenset[str] = frozenset(), plots: bool = True
) -> TableView:
    """``table`` ready to print; ``plots=False`` leaves its plot column out, for a figure shows the same."""
    columns = [
        column for column in table.columns if any(_says(row.cells.get(column.key)) for row in table.rows)
    ]
    columns = columns or list(table.columns)
    drawn = [column for column in columns if column.key in table.plot] if plots else []
    cells = {column.key: [row.cells.get(column.key) for row in table.rows] for column in drawn}
    on = marks.axis(drawn[0].kind, [cell for column in cells.values() for cell in column]) if drawn else None
    with_n = not any(column.kind == "count" for column in columns) and table.name != "headline"
    place = columns.index(drawn[0]) + 1 if drawn else 0
    headings = [Heading(column.title, column.kind in NUMERIC) for column in columns]
    rows = []
    for row in table.rows:
        shown: list[Shown | marks.Plot] = [
            show(row.cells.get(column.key), column, with_n=with_n, indeterminate=indeterminate)
            for column in columns
        ]
        if on is not None:
            lines = [(marks.actor(column.key, check), row.cells.get(column.key)) for column in drawn]
            shown.insert(place, marks.plot(lines, on))
        rows.append(RowView(tuple(shown), href(row.evidence), row.note))
    if on is not None:
        headings.insert(place, Heading("Plot", axis=on))
    every = _estimates(table.rows, columns)
    return TableView(
        table.name,
        table.caption,
        tuple(headings),
        tuple(rows),
        notes(every, _bounds(table.rows)),
        cautions(every),
        table.folded,
    )


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
    """Each sentence of caution once."""
    return tuple(dict.fromkeys(estimate.caution for estimate in every if estimate.caution))


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
