"""Where a further column belongs: to the item, to the rater, or to the single rating."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import Fault, UserError
from voirdire.study.column import Column
from voirdire.study.columns import CANONICAL, RATING_COLUMNS, RESERVED_ITEM_COLUMNS
from voirdire.study.faults import Faults
from voirdire.study.long import Long

__all__ = ["Placed", "constant_within", "is_text", "place"]

TEXT_COLUMNS = ("text", "transcript")
LONG_TEXT = 60
PROBABILITY = "prob_"


@dataclass(frozen=True, eq=False)
class Placed:
    """The further columns of a study's ratings: one value an item, a rater or a rating."""

    items: Mapping[str, Column]
    raters: Mapping[str, Column]
    ratings: Mapping[str, Column]
    probabilities: Mapping[str, NDArray[np.float64]]
    polarity: Column | None
    notes: tuple[str, ...]


def place(long: Long) -> Placed:
    """Give every further column to what it is constant in: item, else rater, else the rating itself.

    ``prob_<label>`` columns are numbers. Columns that the data model gives to ratings stay there; two values
    of a reserved item column on one item are a user's error.
    """
    items: dict[str, Column] = {}
    raters: dict[str, Column] = {}
    ratings: dict[str, Column] = {}
    probabilities = {}
    notes: list[str] = []
    item, rater = long.columns["item_id"], long.columns["rater_id"]
    for name, column in long.columns.items():
        rows = long.given.get(name)
        if name in CANONICAL:
            continue
        if name.startswith(PROBABILITY) and len(name) > len(PROBABILITY):
            probabilities[name.removeprefix(PROBABILITY)] = _numbers(long, name)
        elif name in RATING_COLUMNS:
            ratings[name] = column
        elif name in RESERVED_ITEM_COLUMNS and name != "presented":
            items[name] = _of_item(long, name, notes)
        elif (value := constant_within(item, column, rows)) is not None:
            items[name] = value
        elif (value := constant_within(rater, column, rows)) is not None:
            raters[name] = value
        else:
            ratings[name] = column
    polarity = long.columns.get("polarity")
    if polarity is not None:
        polarity = constant_within(long.columns["metric"], polarity, long.given.get("polarity"))
    return Placed(items, raters, ratings, probabilities, polarity, tuple(notes))


def constant_within(group: Column, column: Column, rows: NDArray[np.bool_] | None) -> Column | None:
    """One value of ``column`` for each value of ``group``, or None where they differ within one.

    Only ``rows`` are looked at, where given: those whose table has the column.
    """
    group_codes, codes = group.codes, column.codes
    if rows is not None:
        group_codes, codes = group_codes[rows], codes[rows]
    first = np.full(len(group.values), -1, dtype=np.int32)
    first[group_codes[::-1]] = codes[::-1]
    return Column(first, column.values) if bool((first[group_codes] == codes).all()) else None


def is_text(name: str, column: Column) -> bool:
    """Whether an item column holds what was said: named so, or long on average."""
    if name in TEXT_COLUMNS:
        return True
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
    lengths = np.fromiter(map(len, column.values), dtype=np.int64, count=len(column.values))
    return bool(counts.sum()) and float((counts * lengths).sum() / counts.sum()) > LONG_TEXT


def _of_item(long: Long, name: str, notes: list[str]) -> Column:
    """A reserved item column: one value an item, rows without one taking that of the item's other rows."""
    item, column = long.columns["item_id"], long.columns[name]
    given = ~column.is_missing
    value = constant_within(item, column, given)
    if value is None:
        raise _differs(long, name)
    empty = ~given & (value.codes[item.codes] >= 0)
    if name in long.given:
        empty &= long.given[name]
    if empty.any():
        notes.append(f"{int(empty.sum()):,} ratings without '{name}' have that of the item's other ratings.")
    return value


def _differs(long: Long, name: str) -> UserError:
    item, column = long.columns["item_id"], long.columns[name]
    first = np.full(len(item.values), -1, dtype=np.int32)
    rows = np.flatnonzero(~column.is_missing)
    first[item.codes[rows[::-1]]] = column.codes[rows[::-1]]
    row = int(rows[first[item.codes[rows]] != column.codes[rows]][0])
    other = column.values[int(first[item.codes[row]])]
    names = long.tables[int(long.table[row])].names
    own = f"{names.get('item_id', 'item_id')}+{names.get(name, name)}"
    return UserError(
        f"item '{item[row]}' has {name} '{column[row]}' here and '{other}' in another row",
        where=long.where(row, name),
        expected="one value an item",
        fix=f"name items by both: --column item_id={own}",
    )


def _numbers(long: Long, name: str) -> NDArray[np.float64]:
    """A ``prob_<label>`` column as numbers from 0 to 1, NaN where missing."""
    column = long.columns[name]
    numbers = np.array([*map(_probability, column.values), np.nan])[column.codes]
    faults = Faults()
    faults.add_rows(np.flatnonzero(numbers < 0), partial(_no_probability, long, name))
    faults.check()
    return numbers


def _probability(text: str) -> float:
    """The number from 0 to 1 that ``text`` spells, NaN where it spells that, else −1."""
    try:
        value = float(text)
    except ValueError:
        return -1.0
    return value if 0 <= value <= 1 or np.isnan(value) else -1.0


def _no_probability(long: Long, name: str, row: int) -> Fault:
    text = long.columns[name][row]
    return Fault(f"'{text}' is no probability", where=long.where(row, name), expected="a number from 0 to 1")
