"""The SQL store: SQLite with a write-ahead log in a study's folder, or PostgreSQL by URL, one schema."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite

from voirdire.errors import UserError
from voirdire.store.migrations import migrate

__all__ = ["FILE", "Store", "is_url", "open_store"]

FILE = "voirdire.sqlite"
"""The store's name in a study's folder."""
PARTS = "voirdire-parts"
"""The folder of Parquet parts beside it."""
BUSY = 30.0
"""Seconds that a writer waits for another process to finish its transaction."""
PAUSE = 0.02
"""Seconds between two tries to turn on the write-ahead log."""
READING = "voirdire_reading"
"""The execution option of a transaction that only reads, which must not wait for a writer."""
POOL = 15
"""Connections to PostgreSQL that are kept once they were needed."""
LOCK = 5_811_734_204
"""The advisory lock under which PostgreSQL's schema is brought up to date."""


@dataclass(frozen=True, eq=False)
class Store:
    """An open store; ``where`` names it in messages, without a password.

    ``folder`` holds the Parquet parts of its older rows, None for a database without a study's folder.
    """

    engine: sql.Engine
    where: str
    folder: Path | None = None

    @property
    def url(self) -> str:
        """The address to open the store by again, with its password: for no message and no file."""
        return self.engine.url.render_as_string(hide_password=False)

    @contextmanager
    def transaction(self) -> Iterator[sql.Connection]:
        """A connection whose changes are kept together when the block ends, or not at all."""
        with self.engine.begin() as connection:
            yield connection

    def add(self, table: sql.Table, rows: Sequence[Mapping[str, Any]]) -> int:
        """Insert ``rows`` and return how many were new; a row whose key exists stays as it was."""
        if not rows:
            return 0
        with self.transaction() as connection:
            return added(connection, table, rows)

    @contextmanager
    def reading(self) -> Iterator[sql.Connection]:
        """A connection that sees the store as it was at its first look, and makes no writer wait."""
        with self._reading("REPEATABLE READ") as connection:
            yield connection

    def rows(self, query: sql.Select[Any], **values: Any) -> list[dict[str, Any]]:
        """Everything that ``query`` finds, where its parameters have these ``values``."""
        # one statement sees one state of the store by itself, and needs no transaction to be begun and ended
        with self._reading("AUTOCOMMIT") as connection:
            found = connection.execute(query, values)
            names = list(found.keys())
            return [dict(zip(names, row, strict=True)) for row in found]

    def _reading(self, level: sql.engine.interfaces.IsolationLevel) -> sql.Connection:
        """A connection to read by; the ``level`` is PostgreSQL's, since SQLite has one."""
        told = {"isolation_level": level} if self.engine.name == "postgresql" else {}
        return self.engine.connect().execution_options(**{READING: True}, **told)

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def added(connection: sql.Connection, table: sql.Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert ``rows`` within a transaction, leaving rows whose key exists; how many were new."""
    if connection.dialect.name == "sqlite":
        return connection.execute(sqlite.insert(table).on_conflict_do_nothing(), list(rows)).rowcount
    # many rows go in one statement here, of which the driver gives no row count
    key = next(iter(table.primary_key))
    new = postgresql.insert(table).on_conflict_do_nothing().returning(key)
    return len(connection.execute(new, list(rows)).all())


def open_store(source: str | Path, *, create: bool = True, folder: Path | None = None) -> Store:
    """The store at a URL (``postgresql://...``, ``sqlite:///file``), in a folder, or in a file.

    It is created and brought up to date; with ``create=False`` one that is not there is a user's error.
    ``folder`` is the study's, where the parts of a database elsewhere are.
    """
    url = _url(source)
    where = url.render_as_string(hide_password=True) if is_url(str(source)) else str(source)
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, where, create)
    if url.get_backend_name() != "postgresql":
        raise UserError(f"a {url.get_backend_name()} store", where=where, expected="sqlite or postgresql")
    return _postgresql(url, where, folder)


def is_url(source: str) -> bool:
    """Whether ``source`` names a database by its address.

    >>> is_url("postgresql://host/base"), is_url("study/")
    (True, False)
    """
    return "://" in source


def _url(source: str | Path) -> sql.URL:
    text = str(source)
    if is_url(text):
        try:
            return sql.make_url(text)
        except sql.exc.ArgumentError:
            raise UserError("is no address of a database", expected="postgresql://user@host/base") from None
    path = Path(text)
    return sql.URL.create("sqlite", database=str(path / FILE if path.is_dir() else path))


def _sqlite(url: sql.URL, where: str, create: bool) -> Store:
    path = Path(url.database or "")
    if not create and not path.is_file():
        raise UserError("no store there", where=where, expected=f"a file {FILE}")
    if not path.parent.is_dir():
        raise UserError("no such folder", where=str(path.parent), fix="make it first, or check the path")
    protected = not all(os.access(one, os.W_OK) for one in (path.parent, path) if one.exists())
    reading = protected and not create
    engine = sql.create_engine(
        _for_reading(path) if reading else url, connect_args={"timeout": BUSY}, hide_parameters=True
    )
    if not reading:
        sql.event.listen(engine, "connect", _prepare_sqlite)
    sql.event.listen(engine, "begin", _begin)
    store = Store(engine, where, path.parent / PARTS)
    try:
        with store.reading() if reading else store.transaction() as connection:
            migrate(connection, where=where)
    except sql.exc.DatabaseError as problem:
        engine.dispose()
        fix = "keep it elsewhere: --store, or store in study.yaml" if protected else ""
        raise UserError(f"cannot be opened: {problem.orig}", where=where, fix=fix) from None
    return store


def _for_reading(path: Path) -> sql.URL:
    """The address of a store in a place that cannot be written, where no lock can be had either."""
    query = {"uri": "true", "mode": "ro"}
    if not path.with_name(f"{path.name}-wal").exists():
        query["immutable"] = "1"
    return sql.URL.create("sqlite", database=path.absolute().as_uri(), query=query)


def _prepare_sqlite(connection: Any, record: Any) -> None:
    # transactions are begun by hand: the driver's own would take the write lock too late
    connection.isolation_level = None
    _to_write_ahead(connection)
    connection.execute("PRAGMA synchronous=FULL")  # a reply is paid for: it must survive a loss of power
    connection.execute("PRAGMA foreign_keys=ON")


def _to_write_ahead(connection: sqlite3.Connection) -> None:
    """Turn on the write-ahead log; while another process does the same SQLite refuses instead of waiting."""
    last = time.monotonic() + BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > last:
                raise
            time.sleep(PAUSE)


def _begin(connection: sql.Connection) -> None:
    reading = connection.get_execution_options().get(READING, False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _postgresql(url: sql.URL, where: str, folder: Path | None) -> Store:
    if "+" not in url.drivername:
        url = url.set(drivername="postgresql+psycopg")
    try:
        engine = sql.create_engine(url, pool_pre_ping=True, pool_size=POOL, hide_parameters=True)
    except ModuleNotFoundError:
        raise UserError(
            "PostgreSQL needs its driver", where=where, fix="pip install 'voirdire[postgres]'"
        ) from None
    try:
        with engine.begin() as connection:
            connection.execute(sql.select(sql.func.pg_advisory_xact_lock(LOCK)))
            migrate(connection, where=where)
    except sql.exc.DatabaseError as problem:
        engine.dispose()
        what = "cannot be reached" if isinstance(problem, sql.exc.OperationalError) else "cannot be opened"
        raise UserError(f"{what}: {_first_line(problem)}", where=where) from None
    except BaseException:
        engine.dispose()
        raise
    return Store(engine, where, None if folder is None else folder / PARTS)


def _first_line(problem: sql.exc.DBAPIError) -> str:
    return str(problem.orig).splitlines()[0]
