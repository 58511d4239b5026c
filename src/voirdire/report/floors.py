"""The alignment section's first figure: from floors to ceiling, with the figures that stand under it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from voirdire.checks.finding import Cell, Missing, Row, Table
from voirdire.report import wording
from voirdire.report.squares import Histogram, Square, histogram, squares
from voirdire.stats.estimate import Estimate

__all__ = ["AlignmentFigures", "Dot", "Floors", "FloorsRow", "alignment_figures"]

FIRST = "alignment"
"""The table that each scale's run of tables starts with."""
PEOPLE = {1: "One other person", 2: "Two other people", 3: "Three other people"}

Form = Literal["floor", "raw", "aligned", "people"]
FORMS: dict[str, Form] = {
    "knows no verdict": "floor",
    "the judge as it is": "raw",
    "used": "aligned",
}


@dataclass(frozen=True)
class Dot:
    """A mark ``at`` and its interval, in percent of the axis; ``y`` in pixels."""

    form: Form
    y: int
    at: float
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class FloorsRow:
    """One prediction: its name, its marks and its probability in words; second lines for name and figure."""

    name: str
    second: str
    main: bool
    dots: tuple[Dot, ...]
    probability: str
    beside: str = ""


@dataclass(frozen=True)
class Floors:
    """Predictions from worst to best on the probability given to the label that a person chose.

    ``floor`` and ``ceiling`` are places in percent of the axis (``ceiling`` None where there is none);
    ``ticks`` are places with their words.
    """

    caption: str
    rows: tuple[FloorsRow, ...]
    floor: float
    ceiling: float | None
    ceiling_words: str
    ticks: tuple[tuple[float, str], ...]
    note: str


@dataclass(frozen=True)
class AlignmentFigures:
    """The figures of the metrics of one scale."""

    floors: Floors
    squares: tuple[Square, ...]
    histogram: Histogram | None


def alignment_figures(tables: Sequence[Table], place: int) -> AlignmentFigures | None:
    """The figures that stand above ``tables[place]``, or None where it is not a table of floors.

    They draw the tables from there to the next such table.
    """
    if tables[place].name != FIRST:
        return None
    rest = tables[place + 1 :]
    end = next((k for k, table in enumerate(rest) if table.name == FIRST), len(rest))
    named = {table.name: table for table in (tables[place], *rest[:end])}
    drawn = _floors(named[FIRST], named.get("power"))
    if drawn is None:
        return None
    return AlignmentFigures(drawn, squares(named), histogram(named.get("pit")))


@dataclass(frozen=True)
class _Scale:
    """Probabilities from 0 to ``top``, as percent of the axis."""

    top: float

    def x(self, nats: float) -> float:
        return round(100 * min(math.exp(-nats) / self.top, 1), 2)

    def dot(self, form: Form, found: Estimate, y: int = 15) -> Dot:
        ends = (self.x(found.high), self.x(found.low)) if found.has_interval else None
        return Dot(form, y, self.x(found.value), ends)


def _floors(table: Table, power: Table | None) -> Floors | None:
    scored = [(row, found) for row in table.rows if (found := _defined(row.cells.get("log")))]
    people = list(_people(power))
    floors = [found for row, found in scored if FORMS.get(str(row.cells["role"])) == "floor"]
    if not floors:
        return None
    ceiling = next((cell for row in table.rows if isinstance(cell := row.cells.get("log"), float)), None)
    every = [found for _, found in (*scored, *people)]
    on = _Scale(_top(every, ceiling))
    rows = [_model_row(row, found, on) for row, found in scored]
    rows += [_people_row(row, found, on, floors[0].n_items) for row, found in people]
    best = min(found.value for found in floors)
    ticks = _ticks(on.top)
    return Floors(
        caption=table.caption,
        rows=tuple(rows),
        floor=on.x(best),
        ceiling=None if ceiling is None else on.x(ceiling),
        ceiling_words="" if ceiling is None else _chance(math.exp(-ceiling)),
        ticks=tuple((round(100 * tick / on.top, 2), _chance(tick)) for tick in ticks),
        note=_note(scored),
    )


def _people(power: Table | None) -> Iterator[tuple[Row, Estimate]]:
    for row in power.rows if power else ():
        if row.cells["m"] in PEOPLE and (found := _defined(row.cells.get("people"))):
            yield row, found


def _model_row(row: Row, found: Estimate, on: _Scale) -> FloorsRow:
    form = FORMS.get(str(row.cells["role"]), "floor")
    name = "the judge, aligned" if form == "aligned" else str(row.cells["model"])
    second = str(row.cells["model"]) if form == "aligned" else ""
    return FloorsRow(
        name=name[:1].upper() + name[1:],
        second=second,
        main=form == "aligned",
        dots=(on.dot(form, found),),
        probability=_probability(found),
    )


def _people_row(row: Row, found: Estimate, on: _Scale, n_rows: int) -> FloorsRow:
    """People; where fewer rows have so many labels, the judge on the same rows above them."""
    judge, fewer = _defined(row.cells.get("judge")), found.n_items != n_rows
    dots: tuple[Dot, ...] = (on.dot("people", found),)
    beside = ""
    if fewer and judge:
        dots = (on.dot("aligned", judge, 8), on.dot("people", found, 22))
        beside = f"judge {_probability(judge)}"
    m = row.cells["m"]
    assert isinstance(m, int)
    second = f"on {wording.count(found.n_items)} rows" if fewer else ""
    return FloorsRow(PEOPLE[m], second, False, dots, _probability(found), beside)


def _note(scored: Sequence[tuple[Row, Estimate]]) -> str:
    """Whether the aligned interval reaches into the floor area, and what the paired gain says of it."""
    by_form = {FORMS.get(str(row.cells["role"])): (row, found) for row, found in scored}
    if "aligned" not in by_form:
        return ""
    row, found = by_form["aligned"]
    floors = [pair for pair in scored if FORMS.get(str(pair[0].cells["role"])) == "floor"]
    best_row, best = min(floors, key=lambda pair: pair[1].value)
    if not found.has_interval or found.high < best.value:
        return ""
    reference = isinstance(best_row.cells.get("minus_prior"), Missing)
    gain = _defined(row.cells.get("minus_prior") if reference else best_row.cells.get("ahead"))
    if gain is not None and gain.has_interval and gain.low > 0:
        return (
            "The aligned interval reaches into the floor area; row by row, on the same labels, its gain over "
            f"{best_row.cells['model']} does not reach 0."
        )
    return f"The aligned interval reaches into the floor area: no better than {best_row.cells['model']}."


def _defined(cell: Cell) -> Estimate | None:
    return cell if isinstance(cell, Estimate) and cell.undefined is None else None


def _top(found: Sequence[Estimate], ceiling: float | None) -> float:
    """The end of the axis: the next 10 % above everything drawn, at most 100 %."""
    nats = [one.low if one.has_interval else one.value for one in found]
    most = math.exp(-min([*nats, *([] if ceiling is None else [ceiling])]))
    return min(1.0, math.floor(10 * most + 1) / 10)


def _ticks(top: float) -> list[float]:
    step = 0.1 if top <= 0.5 else 0.2
    return [round(step * k, 1) for k in range(int(top / step + 1e-9) + 1)]


def _probability(found: Estimate) -> str:
    return wording.number(math.exp(-found.value), "share", cases=found.n_items)


def _chance(share: float) -> str:
    return f"{100 * share:.0f}{wording.NBSP}%"
