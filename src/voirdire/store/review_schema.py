"""The tables of expert review; like the others their rows are added, never changed.

The one exception is ``identities``, whose row is deleted when a person asks to be forgotten.
"""

from __future__ import annotations

import sqlalchemy as sql

from voirdire.store.schema import Words, metadata

__all__ = [
    "REVIEW_TABLES",
    "adjudications",
    "assignments",
    "events",
    "gold",
    "identities",
    "labels",
    "links",
    "metric_reviews",
    "people",
    "revocations",
    "rounds",
    "secrets",
]

secrets = sql.Table(
    "secrets",
    metadata,
    sql.Column("name", sql.Text, primary_key=True),
    sql.Column("value", sql.Text, nullable=False),
)
"""Random keys of this store: what links and sessions are made with."""

rounds = sql.Table(
    "rounds",
    metadata,
    sql.Column("round_id", sql.Text, primary_key=True),
    sql.Column("document", sql.JSON, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""One row a round of labelling, with its settings as :class:`voirdire.review.settings.RoundSettings`."""

people = sql.Table(
    "people",
    metadata,
    sql.Column("rater_id", sql.Text, primary_key=True),
    sql.Column("expertise", Words, nullable=False, server_default=""),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""Everybody who was invited, by the code that their labels carry."""

identities = sql.Table(
    "identities",
    metadata,
    sql.Column("rater_id", sql.Text, primary_key=True),
    sql.Column("name", Words, nullable=False),
    sql.Column("contact", Words, nullable=False, server_default=""),
)
"""Who is behind a code; nothing else in the store names a person."""

links = sql.Table(
    "links",
    metadata,
    sql.Column("link_id", sql.Text, primary_key=True),
    sql.Column("token_hash", sql.Text, nullable=False, unique=True),
    sql.Column("role", sql.Text, nullable=False),
    sql.Column("round_id", sql.Text, nullable=False),
    sql.Column("rater_id", sql.Text, nullable=False, server_default=""),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""Invitations: whoever holds the token is ``rater_id`` in this round, as rater, panel or organiser."""

revocations = sql.Table(
    "revocations",
    metadata,
    sql.Column("link_id", sql.Text, primary_key=True),
    sql.Column("created_at", sql.Text, nullable=False),
)

assignments = sql.Table(
    "assignments",
    metadata,
    sql.Column("round_id", sql.Text, primary_key=True),
    sql.Column("rater_id", sql.Text, primary_key=True),
    sql.Column("place", sql.Integer, primary_key=True),
    sql.Column("item_id", sql.Text, nullable=False),
    sql.Column("metric", sql.Text, nullable=False),
    sql.Column("purpose", sql.Text, nullable=False, server_default=""),
    sql.Column("stratum", sql.Text, nullable=False, server_default=""),
    sql.Column("sampling_probability", sql.Float),
    sql.Column("presented", sql.Text, nullable=False, server_default=""),
    sql.Column("options", sql.JSON, nullable=False),
    sql.Column("letter", sql.Text, nullable=False, server_default=""),
    sql.Column("created_at", sql.Text, nullable=False),
    sql.UniqueConstraint("round_id", "rater_id", "item_id", "metric"),
)
"""Who is asked for what. ``place`` is its number in the rater's own random order, ``options`` the labels in
the order in which they are shown, ``letter`` the system's name to this rater, ``presented`` the order of a
pair's sides; all are frozen here."""

events = sql.Table(
    "events",
    metadata,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("key", sql.Text, nullable=False, unique=True),
    sql.Column("kind", sql.Text, nullable=False),
    sql.Column("round_id", sql.Text, nullable=False),
    sql.Column("rater_id", sql.Text, nullable=False, server_default=""),
    sql.Column("item_id", sql.Text, nullable=False, server_default=""),
    sql.Column("metric", sql.Text, nullable=False, server_default=""),
    sql.Column("document", sql.JSON, nullable=False),
    sql.Column("said_at", sql.Text, nullable=False, server_default=""),
    sql.Column("created_at", sql.Text, nullable=False),
    sql.Index("events_by_cell", "round_id", "rater_id", "item_id", "metric"),
    sql.Index("events_by_kind", "round_id", "kind"),
)
"""Everything that happened, in order. ``key`` is the sender's own name of the act, so that one that is sent
twice counts once; ``said_at`` is the sender's clock, ``created_at`` the server's."""

labels = sql.Table(
    "labels",
    metadata,
    sql.Column("round_id", sql.Text, primary_key=True),
    sql.Column("rater_id", sql.Text, primary_key=True),
    sql.Column("item_id", sql.Text, primary_key=True),
    sql.Column("metric", sql.Text, primary_key=True),
    sql.Column("revision", sql.Integer, primary_key=True),
    sql.Column("labels", sql.JSON, nullable=False),
    sql.Column("status", sql.Text, nullable=False),
    sql.Column("confidence", sql.Integer),
    sql.Column("challenge", sql.Text, nullable=False, server_default=""),
    sql.Column("cites", sql.JSON, nullable=False),
    sql.Column("comment", Words, nullable=False, server_default=""),
    sql.Column("seconds", sql.Float),
    sql.Column("presented", sql.Text, nullable=False, server_default=""),
    sql.Column("anchored", sql.Boolean, nullable=False),
    sql.Column("late", sql.Boolean, nullable=False),
    sql.Column("event", sql.Text, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""What a rater handed in; the last ``revision`` counts. ``labels`` holds several for a response set, and none
for a skip; ``event`` is the key of the event that holds the same."""

adjudications = sql.Table(
    "adjudications",
    metadata,
    sql.Column("round_id", sql.Text, primary_key=True),
    sql.Column("item_id", sql.Text, primary_key=True),
    sql.Column("metric", sql.Text, primary_key=True),
    sql.Column("revision", sql.Integer, primary_key=True),
    sql.Column("ruling", sql.Text, nullable=False),
    sql.Column("label", sql.Text),
    sql.Column("reason", Words, nullable=False, server_default=""),
    sql.Column("rater_id", sql.Text, nullable=False),
    sql.Column("event", sql.Text, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""A panel's rulings beside the labels: ``label``, ``contested`` or ``rubric``; the last revision counts."""

metric_reviews = sql.Table(
    "metric_reviews",
    metadata,
    sql.Column("round_id", sql.Text, primary_key=True),
    sql.Column("rater_id", sql.Text, primary_key=True),
    sql.Column("metric", sql.Text, primary_key=True),
    sql.Column("revision", sql.Integer, primary_key=True),
    sql.Column("adequacy", sql.Text, nullable=False),
    sql.Column("rename", Words, nullable=False, server_default=""),
    sql.Column("edits", Words, nullable=False, server_default=""),
    sql.Column("comment", Words, nullable=False, server_default=""),
    sql.Column("event", sql.Text, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""What a rater thinks of a metric itself; ``rename`` is the name that it should have, if another."""

gold = sql.Table(
    "gold",
    metadata,
    sql.Column("round_id", sql.Text, primary_key=True),
    sql.Column("item_id", sql.Text, primary_key=True),
    sql.Column("metric", sql.Text, primary_key=True),
    sql.Column("label", sql.Text, nullable=False),
    sql.Column("created_at", sql.Text, nullable=False),
)
"""Items whose label is known, on which each rater is scored; no rater learns which they are."""

REVIEW_TABLES = (
    secrets,
    rounds,
    people,
    identities,
    links,
    revocations,
    assignments,
    events,
    labels,
    adjudications,
    metric_reviews,
    gold,
)
