"""The store's tables; the same in SQLite and PostgreSQL. Rows are added, never changed."""

from __future__ import annotations

import re

import sqlalchemy as sql

__all__ = ["manifests", "metadata", "migrations", "parts", "replies", "storable", "verdicts"]

metadata = sql.MetaData()
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """``text`` with U+FFFD for what no database's text holds: NUL, and half of a surrogate pair.

    >>> storable("a\\x00b") == "a\\ufffdb"
    True
    """
    return UNSTORABLE.sub("\ufffd", text)


class Words(sql.types.TypeDecorator[str]):
    """Text that anybody may have written, kept as :func:`storable`."""

    impl = sql.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sql.Dialect) -> str | None:
        """The text as it is kept."""
        return None if value is None else storable(value)


migrations = sql.Table(
    "migrations",
    metadata,
    sql.Column("name", sql.Text, primary_key=True),
    sql.Column("applied_at", sql.Text, nullable=False),
)

manifests = sql.Table(
    "manifests",
    metadata,
    sql.Column("manifest", sql.Text, primary_key=True),
    sql.Column("kind", sql.Text, nullable=False),
    sql.Column("document", sql.JSON, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""What a command was asked to do: the judge as written, its version, the study's hash, the options."""

parts = sql.Table(
    "parts",
    metadata,
    sql.Column("file", sql.Text, primary_key=True),
    sql.Column("table_name", sql.Text, nullable=False),
    sql.Column("rows", sql.Integer, nullable=False),
    sql.Column("sha256", sql.Text, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""Parquet files that hold rows which have left the tables; a file that is not listed here does not count."""

replies = sql.Table(
    "replies",
    metadata,
    sql.Column("request_hash", sql.Text, primary_key=True),
    sql.Column("run", sql.Integer, primary_key=True),
    sql.Column("sample", sql.Integer, primary_key=True),
    sql.Column("retry", sql.Integer, primary_key=True),
    sql.Column("judge", sql.Text, nullable=False),
    sql.Column("judge_version", sql.Text, nullable=False),
    sql.Column("status", sql.Text, nullable=False),
    sql.Column("request", Words, nullable=False),
    sql.Column("response", Words),
    sql.Column("text", Words, nullable=False),
    sql.Column("tokens", sql.JSON),
    sql.Column("finish_reason", Words, nullable=False),
    sql.Column("model", Words, nullable=False),
    sql.Column("error", Words, nullable=False, server_default=""),
    sql.Column("prompt_tokens", sql.Integer),
    sql.Column("completion_tokens", sql.Integer),
    sql.Column("cost", sql.Float),
    sql.Column("latency", sql.Float),
    sql.Column("attempts", sql.Integer, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""One row a call to a model: the exact request, what came back, and what it took.

``run`` numbers repeats of a verdict, ``sample`` repeats of one request within it. A call that ended in an
error may be made anew by a later command, as the next ``retry``.
"""

verdicts = sql.Table(
    "verdicts",
    metadata,
    sql.Column("content_hash", sql.Text, primary_key=True),
    sql.Column("run", sql.Integer, primary_key=True),
    sql.Column("part", sql.Text, primary_key=True, server_default=""),
    sql.Column("item_id", sql.Text, primary_key=True),
    sql.Column("retry", sql.Integer, primary_key=True),
    sql.Column("metric", sql.Text, nullable=False),
    sql.Column("rater_id", sql.Text, nullable=False),
    sql.Column("judge_version", sql.Text, nullable=False),
    sql.Column("label", sql.Text),
    sql.Column("status", sql.Text, nullable=False),
    sql.Column("probabilities", sql.JSON),
    sql.Column("mass", sql.Float),
    sql.Column("score", sql.Float),
    sql.Column("confidence", sql.Float),
    sql.Column("rationale", Words, nullable=False, server_default=""),
    sql.Column("citations", sql.JSON),
    sql.Column("presented", sql.Text, nullable=False, server_default=""),
    sql.Column("requests", sql.JSON, nullable=False),
    sql.Column("extra", sql.JSON),
    sql.Column("prompt_tokens", sql.Integer),
    sql.Column("completion_tokens", sql.Integer),
    sql.Column("cost", sql.Float),
    sql.Column("latency", sql.Float),
    sql.Column("manifest", sql.Text, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""One row a verdict: ``content_hash`` is of all that went in, ``part`` a panel's member or rubric's leaf.

As of replies, only those with status error are followed by a ``retry``.
"""
