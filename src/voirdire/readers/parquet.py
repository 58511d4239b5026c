"""Parquet, read by DuckDB straight into coded columns, so that ten million ratings fit in memory."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np

from voirdire.errors import UserError
from voirdire.readers.coding import Coder
from voirdire.readers.files import hash_file
from voirdire.readers.naming import named
from voirdire.registry import register
from voirdire.study.column import Column
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable

__all__ = ["read_parquet"]

OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
MOST_NUMBERED = 50_000
CHUNK = 50_000
FRACTIONS = ("DOUBLE", "FLOAT", "REAL")


@register("reader", "parquet")
def read_parquet(path: Path) -> RawTable:
    """Read a Parquet file; numbers, dates and lists become text, nulls and not-a-number are missing."""
    source = Source(path.name, hash_file(path))
    try:
        with duckdb.connect(config=OFFLINE) as database:
            database.execute(f"CREATE VIEW source AS SELECT * FROM read_parquet({_quoted(path)})")
            schema = database.execute("DESCRIBE source").fetchall()
            whole = {name for name, kind, *_ in schema if kind in FRACTIONS and _is_whole(database, name)}
            columns = [_column(database, name, kind, name in whole) for name, kind, *_ in schema]
    except duckdb.Error as problem:
        text = str(problem).splitlines()[0]
        raise UserError(f"is not a Parquet file that can be read ({text})", where=path.name) from None
    if not columns or not len(columns[0]):
        raise UserError("has no rows", where=path.name, expected="one row a rating")
    kept, notes = named([name for name, *_ in schema], columns, path.name)
    row = np.arange(1, len(columns[0]) + 1, dtype=np.int64)
    return RawTable(source, kept, row, text=False, whole=frozenset(whole), notes=tuple(notes))


def _column(database: duckdb.DuckDBPyConnection, name: str, kind: str, whole: bool) -> Column:
    """One column as codes, by DuckDB where few values repeat often, else value by value."""
    text = _as_text(_identifier(name), kind, whole)
    distinct = database.execute(f"SELECT approx_count_distinct({text}) FROM source").fetchone()
    if distinct is not None and distinct[0] <= MOST_NUMBERED:
        return _numbered(database, text)
    coder = Coder()
    cells = database.execute(f"SELECT {text} FROM source")
    while rows := cells.fetchmany(CHUNK):
        coder.add([value for (value,) in rows])
    return coder.column()


def _numbered(database: duckdb.DuckDBPyConnection, text: str) -> Column:
    """A column whose distinct values DuckDB numbers as an ENUM, so that only the numbers are handed over."""
    database.execute(
        f"CREATE OR REPLACE TYPE coded AS ENUM "
        f"(SELECT DISTINCT {text} AS value FROM source WHERE {text} IS NOT NULL)"
    )
    codes = database.execute(
        f"SELECT coalesce(enum_code(CAST({text} AS coded))::INTEGER, -1) AS code FROM source"
    ).fetchnumpy()["code"]
    values = [value for (value,) in database.execute("SELECT unnest(enum_range(NULL::coded))").fetchall()]
    return Column(np.asarray(codes, dtype=np.int32), tuple(values)).compact()


def _as_text(column: str, kind: str, whole: bool) -> str:
    if whole:
        return f"CAST(CAST(CASE WHEN isnan({column}) THEN NULL ELSE {column} END AS BIGINT) AS VARCHAR)"
    if kind in FRACTIONS:
        return f"CAST(CASE WHEN isnan({column}) THEN NULL ELSE {column} END AS VARCHAR)"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP")):
        return f"CAST(to_json({column}) AS VARCHAR)"
    return f"CAST({column} AS VARCHAR)"


def _is_whole(database: duckdb.DuckDBPyConnection, name: str) -> bool:
    column = _identifier(name)
    number = f"isfinite({column}) AND {column} = trunc({column}) AND abs({column}) < 2^53"
    test = f"bool_and(isnan({column}) OR ({number}))"
    found = database.execute(f"SELECT {test} FROM source").fetchone()
    return bool(found and found[0])


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quoted(path: Path) -> str:
    """The path as DuckDB reads it, which takes ``*?[`` for a pattern unless each stands in brackets."""
    plain = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
    return "'" + plain.replace("'", "''") + "'"
