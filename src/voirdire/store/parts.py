"""Parts: immutable Parquet files that finished rows move to, read together with the tables."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import sqlalchemy as sql
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.store import schema
from voirdire.store.sql import Store

__all__ = ["Compacted", "compact", "stored"]

MOVED = (schema.replies, schema.verdicts)
ROWS_A_PART = 10_000
YOUNG = 3600.0
"""Seconds for which a file that does not count yet is left alone."""
OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@dataclass(frozen=True)
class Compacted:
    """What was moved: rows by table, and the files they are in now."""

    rows: Mapping[str, int]
    files: tuple[Path, ...]

    def __str__(self) -> str:
        moved = ", ".join(f"{count:,} {name}" for name, count in self.rows.items() if count)
        return f"{moved} moved into {len(self.files)} Parquet files." if moved else "Nothing to move."


def compact(store: Store) -> Compacted:
    """Move every reply and verdict that is no error into Parquet files beside the store.

    A file counts from the transaction in which its rows leave the table, so that a stop at any moment loses
    and doubles nothing; files that an earlier stop left behind are removed.
    """
    if store.folder is None:
        raise UserError("no folder for Parquet parts", where=store.where, fix="name the study's folder")
    store.folder.mkdir(exist_ok=True)
    _sweep(store)
    moved: dict[str, int] = {}
    files: list[Path] = []
    for table in MOVED:
        moved[table.name] = 0
        while (file := _move(store, table)) is not None:
            moved[table.name] += file[1]
            files.append(file[0])
    return Compacted(moved, tuple(files))


def stored(store: Store, table: sql.Table, columns: Sequence[str], **equal: Any) -> list[dict[str, Any]]:
    """``columns`` of every row of ``table``, in the table and in its parts, where ``equal`` holds.

    A list there stands for any of its values. Of rows with one key, added after the first had moved, the
    first counts.
    """
    keys = [key.name for key in table.primary_key]
    read = list(dict.fromkeys([*columns, *keys]))
    query = sql.select(*(table.c[name] for name in read))
    query = query.where(
        *(
            table.c[name].in_(value) if isinstance(value, list) else table.c[name] == value
            for name, value in equal.items()
        )
    )
    listed = sql.select(schema.parts.c.file).where(schema.parts.c.table_name == table.name)
    listed = listed.order_by(schema.parts.c.created_at.desc(), schema.parts.c.file)
    with store.reading() as connection:
        rows = [dict(row) for row in connection.execute(query).mappings()]
        files = list(connection.scalars(listed))
    if files:
        moved = _read(store, table, files, read, equal)
        rows = list({tuple(row[key] for key in keys): row for row in [*rows, *moved]}.values())
    return [{name: row[name] for name in columns} for row in rows]


def _move(store: Store, table: sql.Table) -> tuple[Path, int] | None:
    """Write up to a part's rows to a file, and take them from the table; None where there are none."""
    rows = store.rows(
        sql.select(table).where(table.c.status != "error").order_by(*table.primary_key).limit(ROWS_A_PART)
    )
    if not rows:
        return None
    file = _write(store, table, rows)
    entry = {
        "file": file.name,
        "table_name": table.name,
        "rows": len(rows),
        "sha256": file.stem.rpartition("-")[2],
        "created_at": datetime.now(UTC).isoformat(timespec="microseconds"),
    }
    keys = list(table.primary_key)
    matches = sql.and_(*(key == sql.bindparam(f"key_{key.name}") for key in keys))
    names = [{f"key_{key.name}": row[key.name] for key in keys} for row in rows]
    with store.transaction() as connection:
        connection.execute(schema.parts.insert().values(**entry))
        gone = connection.execute(table.delete().where(matches), names).rowcount
        if gone != len(rows):
            raise UserError("another process moves rows at this moment", where=store.where, fix="wait for it")
    return file, len(rows)


def _write(store: Store, table: sql.Table, rows: Sequence[Mapping[str, Any]]) -> Path:
    """A Parquet file named by its content; one under another name is never listed."""
    assert store.folder is not None, "checked by compact"
    unnamed = store.folder / f".{table.name}-{os.getpid()}.parquet"
    cells = {column.name: _texts([row[column.name] for row in rows], column) for column in table.columns}
    cast = [f"CAST({_quoted(one.name)} AS {_type(one)}) AS {_quoted(one.name)}" for one in table.columns]
    with _database() as database:
        database.register("part", cells)
        copied = f"COPY (SELECT {', '.join(cast)} FROM part) TO ? (FORMAT parquet, COMPRESSION zstd)"
        database.execute(copied, [str(unnamed)])
    digest = hashlib.sha256(unnamed.read_bytes()).hexdigest()
    with unnamed.open("rb") as file:
        os.fsync(file.fileno())
    final = store.folder / f"{table.name}-{digest[:32]}.parquet"
    unnamed.replace(final)
    return final


def _read(
    store: Store,
    table: sql.Table,
    files: Sequence[str],
    columns: Sequence[str],
    equal: Mapping[str, Any],
) -> list[dict[str, Any]]:
    if store.folder is None:
        raise UserError("a part of its rows is in a study's folder", where=store.where, fix="open that study")
    paths = [store.folder / name for name in files]
    lacking = [path for path in paths if not path.is_file()]
    if lacking:
        raise UserError("a part of the store is missing", where=str(lacking[0]), fix="bring the file back")
    listed = ", ".join(_quoted(name) for name in columns)
    where = " AND ".join(f"{_quoted(name)} IN (SELECT unnest(?))" for name in equal) or "true"
    any_of = [value if isinstance(value, list) else [value] for value in equal.values()]
    with _database() as database:
        found = database.execute(
            f"SELECT {listed} FROM read_parquet(?) WHERE {where}",
            [[str(path) for path in paths], *any_of],
        ).fetchall()
    return [
        {name: _revived(value, table.c[name]) for name, value in zip(columns, row, strict=True)}
        for row in found
    ]


def _sweep(store: Store) -> None:
    """Remove old files that no transaction made count; a young one may be another process's, on its way."""
    assert store.folder is not None, "checked by compact"
    listed = {row["file"] for row in store.rows(sql.select(schema.parts.c.file))}
    for file in [*store.folder.glob("*.parquet"), *store.folder.glob(".*.parquet")]:
        if file.name not in listed and time.time() - file.stat().st_mtime > YOUNG:
            file.unlink()


@contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config=OFFLINE) as database:
        yield database


def _type(column: sql.Column[Any]) -> str:
    kind = column.type
    return (
        "BIGINT" if isinstance(kind, sql.Integer) else "DOUBLE" if isinstance(kind, sql.Float) else "VARCHAR"
    )


def _texts(values: Sequence[Any], column: sql.Column[Any]) -> NDArray[np.object_]:
    """The values as text that a cast reads back exactly, None where missing."""
    plain = json.dumps if isinstance(column.type, sql.JSON) else str
    texts = np.empty(len(values), dtype=object)
    texts[:] = [None if value is None else plain(value) for value in values]
    return texts


def _revived(value: Any, column: sql.Column[Any]) -> Any:
    return json.loads(value) if isinstance(column.type, sql.JSON) and value is not None else value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
