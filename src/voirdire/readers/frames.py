"""Frames in memory: pandas, Polars, Arrow, a dict of columns, a list of records; no package is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voirdire.errors import UserError
from voirdire.readers.coding import code_values
from voirdire.readers.naming import check_characters, named
from voirdire.readers.records import read_records
from voirdire.registry import register
from voirdire.study.column import Column
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable

__all__ = ["is_frame", "read_frame"]

NAME = "data frame"
TABLES = {"pandas": "iterrows", "polars": "get_column", "pyarrow": "column_names"}
"""What a whole table of each library has, and a single column or a lazy frame has not."""


def is_frame(source: object) -> bool:
    """Whether ``source`` is a table in memory that :func:`read_frame` takes."""
    return isinstance(source, (Mapping, list)) or _library(source) in TABLES


@register("reader", "frame")
def read_frame(frame: Any) -> RawTable:
    """Read a table in memory, column by column; nulls and not-a-number are missing, rows count from 1."""
    if isinstance(frame, list):
        if not all(isinstance(record, Mapping) for record in frame):
            raise UserError(
                "the list holds something other than records", where=NAME, expected="one dict a rating"
            )
        records = [{str(key): value for key, value in record.items()} for record in frame]
        return read_records(records, range(1, len(records) + 1), Source(NAME))
    names, values = _columns(frame)
    for name, column in zip(names, values, strict=True):
        if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
            raise UserError(f"column '{name}' is a single value", where=NAME, expected="one value a row")
    lengths = {len(column) for column in values}
    if not lengths or lengths == {0}:
        raise UserError("has no rows", where=NAME, expected="one row a rating")
    if len(lengths) > 1:
        raise UserError(
            f"columns of {' and '.join(map(str, sorted(lengths)))} values", where=NAME, expected="one length"
        )
    coded = [_coded(column) for column in values]
    kept, notes = named(names, [column for column, _ in coded], NAME)
    check_characters(kept, NAME)
    whole = frozenset(name for name, (_, is_whole) in zip(names, coded, strict=True) if is_whole)
    row = np.arange(1, lengths.pop() + 1, dtype=np.int64)
    return RawTable(Source(NAME), kept, row, text=False, whole=whole, notes=tuple(notes))


def _library(source: object) -> str:
    return type(source).__module__.partition(".")[0]


def _columns(frame: Any) -> tuple[list[str], list[Sequence[Any]]]:
    """The names and the values of each column; pandas categories and the like come as what they stand for."""
    if isinstance(frame, Mapping):
        return [str(name) for name in frame], list(frame.values())
    library = _library(frame)
    if not hasattr(frame, TABLES[library]):
        raise UserError(
            f"cannot open a {type(frame).__name__} of {library}",
            expected="a whole table: a DataFrame, Table or RecordBatch",
            fix="collect a lazy frame; put a single column into a frame",
        )
    if library == "pandas":
        return [str(name) for name in frame.columns], [frame.iloc[:, at] for at in range(frame.shape[1])]
    if library == "pyarrow":
        return [str(name) for name in frame.column_names], frame.columns
    return [str(name) for name in frame.columns], [frame.get_column(name) for name in frame.columns]


def _coded(values: Any) -> tuple[Column, bool]:
    if hasattr(values, "cat") and hasattr(values.cat, "codes"):  # a pandas category is coded already
        codes = np.asarray(values.cat.codes, dtype=np.int32)
        texts, whole = code_values(list(values.cat.categories))
        return Column(np.append(texts.codes, np.int32(-1))[codes], texts.values).compact(), whole
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return code_values(getattr(values, method)())
    return code_values(list(values))
