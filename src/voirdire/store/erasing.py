"""Erasing rows so that their content is in no file of the database any more."""

from __future__ import annotations

import sqlalchemy as sql

from voirdire.store.sql import Store

__all__ = ["erase_rows", "scrub"]


def erase_rows(connection: sql.Connection, table: sql.Table, condition: sql.ColumnElement[bool]) -> int:
    """Delete rows within a transaction, overwriting what they held, and return how many there were.

    :func:`scrub` does the rest once the transaction is kept.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete=ON")
    return connection.execute(table.delete().where(condition)).rowcount


def scrub(store: Store, table: sql.Table) -> None:
    """Let go of copies of deleted rows: SQLite's log is emptied, PostgreSQL's table written anew.

    Backups, and PostgreSQL's own log until it is recycled, are out of its reach.
    """
    if store.engine.name == "sqlite":
        raw = store.engine.raw_connection()
        try:
            raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        finally:
            raw.close()
        return
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f'VACUUM FULL "{table.name}"')
