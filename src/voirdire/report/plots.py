"""Figures as Vega-Lite specifications: every number in one also stands in the table under it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from markupsafe import Markup

from voirdire.checks.finding import Bounds, Cell, Column, Finding, Row, Table
from voirdire.report.assets import embedded
from voirdire.report.cells import show
from voirdire.report.marks import Axis, axis, estimates
from voirdire.report.tables import plot_groups, row_actor, telling_columns

__all__ = ["Figure", "figure", "intervals"]

FROM_ROWS = 6
"""A table with fewer plotted rows draws its marks in its own cells."""
DRAWN = ("raters", "rates")
"""Checks whose tables are drawn as figures, highest value first."""
DRAWN_TABLES = ("slices", "base_rates")
"""Ends of the names of further tables that are drawn, in their own order."""
AT_MOST = 60
"""Rows that one figure draws."""
TALL = 24
"""A figure with more rows folds with its table."""
FONT = 'Inter,"Source Sans 3","Segoe UI","Helvetica Neue",Arial,"Liberation Sans",sans-serif'
"""The page's sans: Vega measures text itself, and cannot measure a font that it must inherit."""
LABEL = 190
"""Pixels for a row's name; a longer one is cut with an ellipsis."""
ROW = 26
"""Pixels a row."""
JUDGE_AND_PEOPLE = {"domain": ["judge", "people"], "range": ["var(--judge)", "var(--people)"]}


@dataclass(frozen=True)
class Figure:
    """A figure ready to print: ``spec`` as embedded JSON, a ``label`` that says what it shows, a caption.

    A ``tall`` figure stands folded with its table.
    """

    id: str
    spec: Markup
    label: str
    caption: str
    tall: bool = False


def figure(finding: Finding, table: Table, name: str) -> Figure | None:
    """The figure that draws ``table``, or None where its cells do or nothing can be drawn."""
    groups = plot_groups(table, table.columns, finding.check)
    plotted = groups[0] if groups else []
    rows = [row for row in table.rows if any(estimates(row.cells.get(column.key)) for column in plotted)]
    if len(rows) < FROM_ROWS or not (finding.check in DRAWN or table.name.endswith(DRAWN_TABLES)):
        return None
    if finding.check in DRAWN:
        rows.sort(key=lambda row: -_middle(row.cells.get(plotted[0].key)))
    spec = intervals(table, plotted, rows[:AT_MOST], finding.check)
    label = f"{finding.answer} {table.caption}, as a plot."
    caption = _caption(plotted, rows)
    return Figure(f"plot-{name}", embedded(spec), label, caption, tall=len(rows) > TALL)


def _caption(plotted: Sequence[Column], rows: Sequence[Row]) -> str:
    """What the marks and lines are, and where the numbers stand."""
    cells = [row.cells.get(column.key) for row in rows for column in plotted]
    thin = any(estimate.has_interval for cell in cells for estimate in estimates(cell))
    lines = ["its interval a thin line"] if thin else []
    lines += (
        ["its range over mappings a thick one"] if any(isinstance(cell, Bounds) for cell in cells) else []
    )
    names = " and ".join(column.title for column in plotted)
    some = f" The first {AT_MOST} of {len(rows)} rows." if len(rows) > AT_MOST else ""
    return f"{', '.join([f'{names}: a mark a row', *lines])}.{some} The numbers are in the table below."


def intervals(
    table: Table, plotted: Sequence[Column], rows: Sequence[Row], check: str = ""
) -> dict[str, Any]:
    """Points with their intervals, a row each: agreement by slice, rates by system, leniency by rater."""
    on = axis(plotted[0].kind, [row.cells.get(column.key) for row in rows for column in plotted])
    names = _unique(_names(table, rows))
    values = [
        _point(name, row.cells.get(column.key), column, on) | {"who": row_actor(row, column, check)}
        for name, row in zip(names, rows, strict=True)
        for column in plotted
        if estimates(row.cells.get(column.key))
    ]
    both = len({value["who"] for value in values}) > 1
    legend = _legend() if both else None
    shared: dict[str, Any] = {
        "y": {"field": "row", "type": "nominal", "sort": None, "title": None, "axis": _down(names)},
        "color": {"field": "who", "type": "nominal", "scale": JUDGE_AND_PEOPLE, "legend": legend},
    }
    apart = len(plotted) > 1 and any(value["low"] is not None for value in values)
    if apart:
        order = {"domain": JUDGE_AND_PEOPLE["domain"]}
        shared["yOffset"] = {"field": "who", "type": "nominal", "scale": order}
    across = _across(plotted[0], on)
    layers = [
        _layer(
            "low",
            {"type": "rule", "strokeWidth": 1.5},
            {"x": {**across, "field": "low"}, "x2": {"field": "high"}},
        ),
        _layer(
            "from",
            {"type": "rule", "strokeWidth": 5},
            {"x": {**across, "field": "from"}, "x2": {"field": "to"}},
        ),
        _layer("off_low", _arrow("triangle-left"), {"x": {**across, "field": "low"}}),
        _layer("off_high", _arrow("triangle-right"), {"x": {**across, "field": "high"}}),
        _layer(
            "value",
            {"type": "point", "filled": True, "size": 90, "opacity": 1},
            {"x": across, "shape": _shape(legend), "tooltip": _tooltip("row", "what", "shown")},
        ),
    ]
    for layer in layers:
        layer["encoding"] = {**shared, **layer["encoding"]}
    return {**_frame(values, height=len(rows) * ROW * (len(plotted) if apart else 1)), "layer": layers}


def _point(name: str, cell: Cell, column: Column, on: Axis) -> dict[str, Any]:
    found = estimates(cell)
    values = [estimate.value for estimate in found]
    ends = [end for estimate in found if estimate.has_interval for end in (estimate.low, estimate.high)]
    shown = show(cell, column, with_n=not isinstance(cell, Bounds))
    return {
        "row": name,
        "what": column.title,
        "value": _middle(cell),
        "from": min(values) if max(values) - min(values) > (on.high - on.low) / 200 else None,
        "to": max(values),
        "low": max(min(ends), on.low) if ends else None,
        "high": min(max(ends), on.high) if ends else None,
        "off_low": (min(ends) < on.low or None) if ends else None,
        "off_high": (max(ends) > on.high or None) if ends else None,
        "shown": shown.plain,
    }


def _middle(cell: Cell) -> float:
    values = [estimate.value for estimate in estimates(cell)]
    return (min(values) + max(values)) / 2 if values else -math.inf


def _frame(values: list[dict[str, Any]], *, height: int) -> dict[str, Any]:
    text = {
        "labelColor": "var(--ink2)",
        "titleColor": "var(--ink2)",
        "labelFontSize": 12,
        "labelFont": FONT,
    }
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": "container",
        "height": height,
        "background": None,
        "data": {"values": values},
        "config": {
            "view": {"stroke": None},
            "axis": {
                **text,
                "gridColor": "var(--rule)",
                "domainColor": "var(--edge)",
                "tickColor": "var(--edge)",
            },
            "legend": text,
        },
    }


_PERCENT = "format(100 * datum.value, 'd') + ' %'"
_LABELS = {"share": _PERCENT, "rate": _PERCENT, "points": "format(100 * datum.value, 'd')"}


def _across(column: Column, on: Axis) -> dict[str, Any]:
    zero = {"condition": {"test": "datum.value === 0", "value": "var(--edge)"}, "value": "var(--rule)"}
    return {
        "field": "value",
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [on.low, on.high], "nice": False, "zero": False},
        "axis": {
            "values": [tick for tick, _ in on.ticks],
            "labelExpr": _LABELS.get(column.kind, "format(datum.value, '.2~f')"),
            "gridColor": zero,
            "domain": False,
            "ticks": False,
            "orient": "top",
        },
    }


def _layer(field: str, mark: dict[str, Any], encoding: dict[str, Any]) -> dict[str, Any]:
    """One layer for the values that have ``field``."""
    return {"mark": mark, "transform": [{"filter": f"isValid(datum.{field})"}], "encoding": encoding}


def _arrow(shape: str) -> dict[str, Any]:
    return {"type": "point", "shape": shape, "filled": True, "size": 40, "opacity": 1}


def _tooltip(*fields: str) -> list[dict[str, str]]:
    return [{"field": field, "type": "nominal"} for field in fields]


def _down(names: Sequence[str]) -> dict[str, Any]:
    room = min(LABEL, 7 * max(map(len, names), default=0)) + 8
    return {
        "labelLimit": LABEL,
        "minExtent": room,
        "labelColor": "var(--ink)",
        "ticks": False,
        "domain": False,
        "labelPadding": 8,
    }


def _legend() -> dict[str, Any]:
    return {"orient": "bottom", "title": None, "direction": "horizontal"}


def _shape(legend: dict[str, Any] | None) -> dict[str, Any]:
    shapes = {"domain": JUDGE_AND_PEOPLE["domain"], "range": ["diamond", "circle"]}
    return {"field": "who", "type": "nominal", "scale": shapes, "legend": legend}


def _names(table: Table, rows: Sequence[Row]) -> list[str]:
    """What tells the rows apart: the words before the first figure, without those that every row shares."""
    before = list(takewhile(lambda column: column.kind in ("text", "item"), telling_columns(table)))
    said = {column.key: [show(row.cells.get(column.key), column).text for row in rows] for column in before}
    differ = [column for column in before if len(set(said[column.key])) > 1] or before[:1]
    return [_joined([(column.key, said[column.key][k]) for column in differ]) for k in range(len(rows))]


def _joined(words: Sequence[tuple[str, str]]) -> str:
    parts = [f"{word}: " if key == "attribute" else f"{word}, " for key, word in words if word]
    return "".join(parts).removesuffix(", ")


def _unique(names: Sequence[str]) -> list[str]:
    """The names, those that repeat told apart by a space of no width, so that each keeps a row of its own."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, -1) + 1
        unique.append(name + "\N{ZERO WIDTH SPACE}" * seen[name])
    return unique
