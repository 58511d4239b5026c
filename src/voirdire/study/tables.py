"""From one table as read to ratings in the canonical long form."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

import numpy as np

from voirdire.errors import Fault, UserError
from voirdire.study.column import Column
from voirdire.study.columns import Naming, find_columns, normal_name, own_column
from voirdire.study.config import TableConfig
from voirdire.study.faults import Faults
from voirdire.study.long import Long, LongTable, compose
from voirdire.study.placing import constant_within
from voirdire.study.raw import RawTable
from voirdire.study.spelling import MISSING, Spelling, with_points
from voirdire.study.wide import check_wide_columns, find_rater_columns, melt

__all__ = ["Named", "name_columns", "to_long"]


@dataclass(frozen=True, eq=False)
class Named:
    """A table's columns by canonical name: ``names`` gives the table's own, ``notes`` what was assumed."""

    columns: Mapping[str, Column]
    names: Mapping[str, str]
    notes: tuple[str, ...]

    def noting(self, note: str) -> Named:
        """With a further sentence on what was assumed."""
        return Named(self.columns, self.names, (*self.notes, note))

    def adding(self, name: str, column: Column, note: str = "") -> Named:
        """With one further column, and why it is there."""
        notes = (*self.notes, note) if note else self.notes
        return Named({**self.columns, name: column}, self.names, notes)


def to_long(
    table: RawTable,
    declared: TableConfig,
    faults: Faults,
    *,
    missing: Collection[str] | None = None,
    steps: Sequence[str] = (),
) -> tuple[Long, tuple[str, ...]]:
    """The ratings of ``table``, and the sentences that say what was assumed about its columns.

    ``missing`` are the study's spellings of a missing label, None for the usual ones; ``steps`` the declared
    normalisation. Rows without an item, a metric or a rater go to ``faults`` and are left out.
    """
    named = name_columns(table, declared)
    wide, names, named = _wide_columns(table, declared, named)
    row = table.row
    if named.names.get("label", "label") in table.whole:
        note = f"{table.name}: labels are decimal numbers that are all whole, and are written without .0."
        named = named.noting(note)
    if wide:
        named = Named(melt(named.columns, wide, names), named.names, named.notes)
        row = np.repeat(row, len(wide))
    named = _completed(table, named, wide=bool(wide))
    spelled = _missing(table, declared, missing)
    raw = named.columns["label"]
    points = {} if declared.map or not table.comma else with_points(raw.values, spelled)
    if points:
        named = named.noting(f"{table.name}: labels are numbers with a decimal comma, 1,5 being read as 1.5.")
    label = Spelling(spelled, steps, points or declared.map).read(raw)
    raw = raw.without([""]) if "" in spelled else raw
    # an attribute that is the empty text says as little as a null, and text files cannot tell them apart
    columns = {name: column.without([""]) for name, column in named.columns.items() if name != "label"}
    columns["label"] = label
    described = LongTable(table.source, named.names, table.text, names)
    long = Long(columns, raw, np.zeros(len(row), dtype=np.int32), row, (described,), {})
    return _named_rows(long, faults), named.notes


def name_columns(table: RawTable, declared: TableConfig) -> Named:
    """The columns of ``table`` under their canonical names, with composed and constant ones."""
    own = dict(declared.columns)
    joined = {name: own.pop(name).split("+") for name in list(own) if _is_composed(own[name], table)}
    if declared.item_from:
        joined["item_id"] = list(declared.item_from)
    skip = {*declared.set, *joined}
    naming = find_columns(list(table.columns), own, where=table.name, skip=skip)
    if "metric" not in own:
        naming = _without_question(table, naming)
    notes = [*table.notes, *naming.notes]
    columns = _renamed(table, naming, {*skip}, notes)
    for name, value in declared.set.items():
        columns[name] = Column.constant(value, len(table))
    for name, parts in joined.items():
        columns[name] = compose([_part(table, columns, part.strip()) for part in parts])
    names = {**naming.source, **{name: "+".join(parts) for name, parts in joined.items()}}
    return Named(columns, names, tuple(notes))


def _without_question(table: RawTable, naming: Naming) -> Naming:
    """A column that was taken as metric by its other name and asks something else of nearly every item is
    none.
    """
    own, item = naming.source.get("metric", ""), naming.source.get("item_id", "")
    if not own or not item or normal_name(own) == "metric":
        return naming
    metrics, items = table.columns[own], table.columns[item]
    if not 2 < len(items.values) < 2 * len(metrics.values) or constant_within(items, metrics, None) is None:
        return naming
    source = {name: column for name, column in naming.source.items() if name != "metric"}
    notes = [note for note in naming.notes if "is taken as metric" not in note]
    said = f"{table.name}: column '{own}' has another value for nearly every item, so it is no metric."
    return Naming(source, (*notes, said))


def _is_composed(own: str, table: RawTable) -> bool:
    """Whether a declared column is several of the table's joined by ``+``."""
    return "+" in own and own not in table.columns


def _renamed(table: RawTable, naming: Naming, taken: set[str], notes: list[str]) -> dict[str, Column]:
    canonical = {own: name for name, own in naming.source.items()}
    taken |= set(naming.source)
    columns = {}
    for own, column in table.columns.items():
        name = canonical.get(own, own)
        if own not in canonical and own in taken:
            name = f"{own} (as in file)"
            notes.append(
                f"{table.name}: the column '{own}' is kept as '{name}', since {own} is declared otherwise."
            )
        columns[name] = column
    return columns


def _part(table: RawTable, columns: Mapping[str, Column], name: str) -> Column:
    if name in table.columns:
        return table.columns[name]
    if name in columns:
        return columns[name]
    return table.columns[own_column(name, list(table.columns), table.name)]


def _wide_columns(table: RawTable, declared: TableConfig, named: Named) -> tuple[list[str], str, Named]:
    """The columns of labels of one rater or metric each, which of the two they are, and all columns."""
    if declared.layout == "long":
        return [], "", named
    if declared.raters and declared.metrics:
        raise UserError(
            "raters and metrics are both listed as columns", where=table.name, expected="one of them"
        )
    if declared.raters:
        raters = check_wide_columns(table, declared.raters)
        return raters, "rater_id", _unguessed(table, declared, named, raters)
    if declared.metrics:
        metrics = check_wide_columns(table, declared.metrics)
        return metrics, "metric", _unguessed(table, declared, named, metrics)
    if "rater_id" in named.columns and "label" not in named.columns and declared.layout != "wide":
        return _metric_columns(table, declared, named)
    sure = "label" in declared.columns or "label" in table.columns or "rater_id" in named.columns
    if sure and declared.layout != "wide":
        return [], "", named
    taken = {
        own for name, own in named.names.items() if name in declared.columns or name in ("item_id", "metric")
    }
    raters = find_rater_columns(table, [*taken, *declared.item_from])
    if not raters:
        if declared.layout == "wide":
            raise UserError(
                "no columns look like one rater each", where=table.name, fix="list them under raters"
            )
        return [], "", named
    note = f"{table.name}: the columns {', '.join(raters)} are taken as one rater each."
    named = _unguessed(table, declared, named, raters)
    return raters, "rater_id", named.noting(note)


def _metric_columns(table: RawTable, declared: TableConfig, named: Named) -> tuple[list[str], str, Named]:
    """Columns of like labels beside a column of raters: one metric each."""
    taken = [own for name, own in named.names.items() if name != "label"]
    metrics = [] if "metric" in named.columns else find_rater_columns(table, [*taken, *declared.item_from])
    if not metrics:
        return [], "", named
    note = f"{table.name}: the columns {', '.join(metrics)} are taken as one metric each."
    return metrics, "metric", named.noting(note)


def _unguessed(table: RawTable, declared: TableConfig, named: Named, raters: Sequence[str]) -> Named:
    """Undo what was guessed about the columns of labels, and about a label beside them."""
    undone = {
        name: own
        for name, own in named.names.items()
        if own in raters or (name == "label" and name not in declared.columns)
    }
    columns = {undone.get(name, name): column for name, column in named.columns.items()}
    names = {name: own for name, own in named.names.items() if name not in undone}
    taken = [f"column '{own}' is taken" for own in undone.values()]
    return Named(
        columns, names, tuple(note for note in named.notes if not any(part in note for part in taken))
    )


def _completed(table: RawTable, named: Named, *, wide: bool) -> Named:
    """The columns with what the table does not say: metric, rater and run."""
    n = len(next(iter(named.columns.values())))
    stem = PurePath(table.name).name.split(".")[0] or "label"
    if "label" not in named.columns:
        raise _lacks(table, "label", "the column with the labels")
    if "item_id" not in named.columns:
        if not wide:
            raise _lacks(table, "item_id", "the column with the items' names")
        width = n // len(table)
        ids = Column(
            np.repeat(np.arange(len(table), dtype=np.int32), width), tuple(f"row {row}" for row in table.row)
        )
        named = named.adding(
            "item_id", ids, f"{table.name}: no column names the items, so each row is one item."
        )
    if "metric" not in named.columns:
        own = named.names.get("label", "label")
        metric = stem if wide else own
        note = f"{table.name}: no metric column, so all labels belong to one metric, '{metric}'."
        named = named.adding("metric", Column.constant(metric, n), note)
    if "rater_id" not in named.columns:
        named = _one_rater(table, named, n)
    if "run" not in named.columns:
        named = named.adding("run", Column.constant("0", n), "Where no column tells the run, it is run 0.")
    return named


def _one_rater(table: RawTable, named: Named, n: int) -> Named:
    asked = [named.columns[name] for name in ("item_id", "metric", "run") if name in named.columns]
    if len(compose(asked).values) < n:
        raise _lacks(table, "rater_id", "the column that says who gave the label")
    rater = named.names.get("label", "label")
    rater = "rater" if rater == "label" else rater
    note = f"{table.name}: no rater column and one label an item, so all come from one rater, '{rater}'."
    return named.adding("rater_id", Column.constant(rater, n), note)


def _missing(table: RawTable, declared: TableConfig, missing: Collection[str] | None) -> tuple[str, ...]:
    if declared.missing is not None:
        return tuple(declared.missing)
    if not table.text:
        return ()
    return MISSING if missing is None else tuple(missing)


def _lacks(table: RawTable, name: str, meaning: str) -> UserError:
    seen = ", ".join(list(table.columns)[:30])
    fix = f"name it with --column {name}=..."
    if name == "label":
        fix += ", or in study.yaml list the columns of raters, or of metrics"
    near = difflib.get_close_matches(name, [normal_name(own) for own in table.columns], n=1, cutoff=0.75)
    if near:
        own = next(own for own in table.columns if normal_name(own) == near[0])
        fix = f"did you mean '{own}'? --column {name}={own}"
    fix = "is the separator right?" if len(table.columns) == 1 else fix
    return UserError(f"no column '{name}', {meaning}; the columns are {seen}", where=table.name, fix=fix)


def _named_rows(long: Long, faults: Faults) -> Long:
    """The ratings with an item, a metric and a rater; the others are faults."""
    before = len(faults)
    for name in ("item_id", "metric", "rater_id"):
        rows = np.flatnonzero(long.columns[name].is_missing)
        # one row of a wide table is several ratings, and one fault
        first = np.sort(np.unique(long.row[rows], return_index=True)[1])
        faults.add_rows(rows[first], partial(_empty, long, name))
    if len(faults) == before:
        return long
    columns = [long.columns[name] for name in ("item_id", "metric", "rater_id")]
    return long.take(np.logical_and.reduce([~column.is_missing for column in columns]))


def _empty(long: Long, name: str, row: int) -> Fault:
    return Fault("is empty", where=long.where(row, name), expected="a name in every row")
