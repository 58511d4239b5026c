"""Migrations: plain functions, each applied once and in order; the last ones are the newest."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import sqlalchemy as sql

from voirdire.errors import UserError
from voirdire.store import schema
from voirdire.store.bench_schema import BENCH_TABLES
from voirdire.store.review_schema import REVIEW_TABLES

__all__ = ["MIGRATIONS", "migrate"]


def m001_judging(connection: sql.Connection) -> None:
    """Replies, verdicts and manifests, and the parts that older rows move to."""
    for table in (schema.manifests, schema.parts, schema.replies, schema.verdicts):
        table.create(connection)


def m002_review(connection: sql.Connection) -> None:
    """Rounds of expert review: people and their links, assignments, labels, rulings, and every event."""
    for table in REVIEW_TABLES:
        table.create(connection)


def m003_bench(connection: sql.Connection) -> None:
    """Simulated conversations and their turns."""
    for table in BENCH_TABLES:
        table.create(connection)


MIGRATIONS: tuple[Callable[[sql.Connection], None], ...] = (m001_judging, m002_review, m003_bench)


def migrate(connection: sql.Connection, *, where: str) -> tuple[str, ...]:
    """Apply what is missing and return its names; a store of a newer version is a user's error."""
    schema.migrations.create(connection, checkfirst=True)
    applied = set(connection.scalars(sql.select(schema.migrations.c.name)))
    known = {step.__name__ for step in MIGRATIONS}
    if applied - known:
        raise UserError(
            "was written by a newer version of voirdire",
            where=where,
            expected=f"no migration beyond {MIGRATIONS[-1].__name__}",
            fix="upgrade voirdire",
        )
    missing = [step for step in MIGRATIONS if step.__name__ not in applied]
    for step in missing:
        step(connection)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        connection.execute(schema.migrations.insert().values(name=step.__name__, applied_at=now))
    return tuple(step.__name__ for step in missing)
