"""Figures as Vega-Lite specifications: every number in one also stands in the table under it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from voirdire.checks.finding import Bounds, Cell, Column, Finding, Row, Table
from voirdire.report.assets import embedded
from voirdire.report.cells import show
from voirdire.report.marks import actor, axis, estimates

__all__ = ["Figure", "figure", "intervals", "label_shares"]

FROM_ROWS = 8
"""A table with fewer plotted rows draws its marks in its own cells."""
ROW = 26
JUDGE_AND_PEOPLE = {"domain": ["judge", "people"], "range": ["var(--judge)", "var(--people)"]}


@dataclass(frozen=True)
class Figure:
    """A figure ready to print: ``spec`` as embedded JSON, a ``label`` that says what it shows, a caption."""

    id: str
    spec: Markup
    label: str
    caption: str


def figure(finding: Finding, table: Table, name: str) -> Figure | None:
    """The figure that draws ``table``, or None where its cells do or nothing can be drawn."""
    plotted = [column for column in table.columns if column.key in table.plot]
    rows = [row for row in table.rows if any(estimates(row.cells.get(column.key)) for column in plotted)]
    if len(rows) < FROM_ROWS:
        return None
    spec = intervals(table, plotted, rows, finding.check)
    names = " and ".join(column.title for column in plotted)
    caption = f"{names}, a row each; thin line: interval. The table under it has the numbers."
    return Figure(f"plot-{name}", embedded(spec), f"{finding.answer} Numbers in the table below.", caption)


def intervals(
    table: Table, plotted: Sequence[Column], rows: Sequence[Row], check: str = ""
) -> dict[str, Any]:
    """Points with their intervals, a row each: agreement by slice, rates by system, leniency by rater."""
    first = table.columns[0]
    names = _unique([show(row.cells.get(first.key), first).text for row in rows])
    values = [
        _point(name, row.cells.get(column.key), column, check)
        for name, row in zip(names, rows, strict=True)
        for column in plotted
        if estimates(row.cells.get(column.key))
    ]
    on = axis(plotted[0].kind, [row.cells.get(column.key) for row in rows for column in plotted])
    both = len({value["who"] for value in values}) > 1
    colour = {
        "field": "who",
        "type": "nominal",
        "scale": JUDGE_AND_PEOPLE,
        "legend": _legend() if both else None,
    }
    across = {
        "field": "value",
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [on.low, on.high], "nice": False, "zero": False},
        "axis": _across(plotted[0], [tick for tick, _ in on.ticks]),
    }
    down: dict[str, Any] = {"field": "row", "type": "nominal", "sort": None, "title": None, "axis": _down()}
    offset = {"yOffset": {"field": "who", "type": "nominal", "scale": {"domain": JUDGE_AND_PEOPLE["domain"]}}}
    shared = {"y": down, **(offset if both else {}), "color": colour}
    tooltip = [
        {"field": "row", "type": "nominal", "title": first.title},
        {"field": "what", "type": "nominal", "title": "shows"},
        {"field": "shown", "type": "nominal", "title": "figure"},
    ]
    return {
        **_frame(values, height=len(rows) * ROW * (2 if both else 1)),
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "transform": [{"filter": "isValid(datum.low)"}],
                "encoding": {**shared, "x": {**across, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {**shared, "x": across, "shape": _shape(), "tooltip": tooltip},
            },
        ],
    }


def label_shares(values: Sequence[dict[str, Any]], labels: Sequence[str]) -> dict[str, Any]:
    """How often people and the judge gave each label: bars of ``values`` with label, who, share and shown."""
    return {
        **_frame(list(values), height=len(labels) * ROW * 2),
        "mark": {"type": "bar", "height": {"band": 0.8}},
        "encoding": {
            "y": {"field": "label", "type": "nominal", "sort": list(labels), "title": None, "axis": _down()},
            "yOffset": {"field": "who", "type": "nominal", "scale": {"domain": JUDGE_AND_PEOPLE["domain"]}},
            "x": {
                "field": "share",
                "type": "quantitative",
                "title": None,
                "scale": {"domain": [0, 1]},
                "axis": _across(Column("share", "", "share"), [0, 0.25, 0.5, 0.75, 1]),
            },
            "color": {"field": "who", "type": "nominal", "scale": JUDGE_AND_PEOPLE, "legend": _legend()},
            "tooltip": [
                {"field": "label", "type": "nominal"},
                {"field": "who", "type": "nominal"},
                {"field": "shown", "type": "nominal", "title": "share"},
            ],
        },
    }


def _point(name: str, cell: Cell, column: Column, check: str) -> dict[str, Any]:
    found = estimates(cell)
    values = [estimate.value for estimate in found]
    ends = [end for estimate in found if estimate.has_interval for end in (estimate.low, estimate.high)]
    shown = show(cell, column, with_n=not isinstance(cell, Bounds))
    return {
        "row": name,
        "who": actor(column.key, check),
        "what": column.title,
        "value": (min(values) + max(values)) / 2,
        "low": min(ends) if ends else None,
        "high": max(ends) if ends else None,
        "shown": shown.plain,
    }


def _frame(values: list[dict[str, Any]], *, height: int) -> dict[str, Any]:
    text = {
        "labelColor": "var(--ink2)",
        "titleColor": "var(--ink2)",
        "labelFontSize": 12,
        "labelFont": "inherit",
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


def _across(column: Column, ticks: list[float]) -> dict[str, Any]:
    percent = column.kind in ("share", "rate")
    label = "format(100 * datum.value, 'd') + ' %'" if percent else "format(datum.value, '.2~f')"
    zero = {"condition": {"test": "datum.value === 0", "value": "var(--edge)"}, "value": "var(--rule)"}
    return {
        "values": [tick for tick in ticks if math.isfinite(tick)],
        "labelExpr": label,
        "gridColor": zero,
        "domain": False,
        "ticks": False,
        "orient": "top",
    }


def _down() -> dict[str, Any]:
    return {"labelLimit": 170, "labelColor": "var(--ink)", "ticks": False, "domain": False, "labelPadding": 8}


def _legend() -> dict[str, Any]:
    return {"orient": "bottom", "title": None, "direction": "horizontal", "symbolType": "square"}


def _shape() -> dict[str, Any]:
    shapes = {"domain": JUDGE_AND_PEOPLE["domain"], "range": ["diamond", "circle"]}
    return {"field": "who", "type": "nominal", "scale": shapes, "legend": None}


def _unique(names: Sequence[str]) -> list[str]:
    """The names, those that repeat told apart by a space of no width, so that each keeps a row of its own."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, -1) + 1
        unique.append(name + "\N{ZERO WIDTH SPACE}" * seen[name])
    return unique
