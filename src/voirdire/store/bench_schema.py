"""The tables of simulated conversations; rows are added, never changed."""

from __future__ import annotations

import sqlalchemy as sql

from voirdire.store.schema import Words, metadata

__all__ = ["BENCH_TABLES", "conversations", "turns"]

turns = sql.Table(
    "turns",
    metadata,
    sql.Column("conversation", sql.Text, primary_key=True),
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("user_text", Words, nullable=False),
    sql.Column("move", sql.Text, nullable=False, server_default=""),
    sql.Column("user_request", sql.Text, nullable=False, server_default=""),
    sql.Column("reply", Words, nullable=False),
    sql.Column("reply_status", sql.Text, nullable=False, server_default="ok"),
    sql.Column("reply_request", sql.Text, nullable=False, server_default=""),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""A checkpoint a turn: what the user said, the scripted move it delivers if any, and what the system replied.

The requests name the calls behind both, as rows of ``replies``; they are empty for scripts. A turn whose call
ended in an error is not here: only ``replies`` keeps it.
"""

conversations = sql.Table(
    "conversations",
    metadata,
    sql.Column("conversation", sql.Text, primary_key=True),
    sql.Column("retry", sql.Integer, primary_key=True, server_default="0"),
    sql.Column("metric", sql.Text, nullable=False),
    sql.Column("scenario", sql.Text, nullable=False),
    sql.Column("variant", sql.Text, nullable=False),
    sql.Column("system", sql.Text, nullable=False),
    sql.Column("family", sql.Text, nullable=False, server_default=""),
    sql.Column("repeat", sql.Integer, nullable=False),
    sql.Column("case_hash", sql.Text, nullable=False),
    sql.Column("user_version", sql.Text, nullable=False),
    sql.Column("target_version", sql.Text, nullable=False),
    sql.Column("ended", sql.Text, nullable=False),
    sql.Column("n_turns", sql.Integer, nullable=False),
    sql.Column("transcript_hash", sql.Text, nullable=False),
    sql.Column("audit", sql.JSON, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""One row a conversation that has ended. ``conversation`` is a hash of all that went into it, ``ended`` says
why, ``audit`` what the simulated user did: whether it stayed in role and which moves it delivered.

One that ended in an error is taken up again by a later command, and ends anew as the next ``retry``; the last
one counts."""

BENCH_TABLES = (turns, conversations)
