"""Metric reviews: what a rater thinks of a metric itself, kept beside the labels."""

from __future__ import annotations

from typing import Any, Literal

import sqlalchemy as sql
from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.review.desk import Desk, Round, now
from voirdire.review.log import Cell, Event, record
from voirdire.store.review_schema import metric_reviews, rounds
from voirdire.store.schema import storable

__all__ = ["MetricReview", "last_review", "last_reviews", "review_metric"]

LONGEST = 20_000


class MetricReview(BaseModel):
    """Whether a metric measures what it claims; ``rename`` is a better name, ``edits`` a better rubric."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    adequacy: Literal["adequate", "uncertain", "inadequate"]
    rename: str = Field(default="", max_length=200)
    edits: str = Field(default="", max_length=LONGEST)
    comment: str = Field(default="", max_length=LONGEST)


def review_metric(
    desk: Desk, round_: Round, rater_id: str, metric: str, review: MetricReview, key: str
) -> int:
    """Keep ``review`` as the rater's next revision of it, once however often it is sent, and return which.

    A metric that the round does not ask for is a user's error.
    """
    if metric not in round_.settings.metrics:
        raise UserError(
            f"no metric '{metric}' in this round", expected=f"one of {', '.join(round_.settings.metrics)}"
        )
    cell = Cell(round_.id, rater_id, metric=metric)
    document = review.model_dump()
    with desk.transaction() as connection:
        # one at a time, for the revision is the next number
        connection.execute(
            sql.select(rounds.c.round_id).where(rounds.c.round_id == round_.id).with_for_update()
        )
        new = record(connection, Event(key, "reviewed", cell, document))
        mine = sql.select(metric_reviews.c.revision).where(*_of(cell))
        if not new:
            found = connection.scalars(mine.where(metric_reviews.c.event == storable(key))).first()
            if found is None:
                raise UserError("this name of an act was used for another one", fix="send it under a new key")
            return int(found)
        revision = len(connection.scalars(mine).all()) + 1
        row = {name: storable(text) for name, text in document.items()}
        connection.execute(
            metric_reviews.insert().values(
                round_id=round_.id,
                rater_id=rater_id,
                metric=metric,
                revision=revision,
                event=storable(key),
                created_at=now(),
                **row,
            )
        )
    return revision


def last_review(desk: Desk, round_id: str, rater_id: str, metric: str) -> MetricReview | None:
    """What a rater said last of ``metric``, None where nothing yet."""
    cell = Cell(round_id, rater_id, metric=metric)
    newest = sql.select(metric_reviews).where(*_of(cell)).order_by(metric_reviews.c.revision.desc()).limit(1)
    rows = desk.store.rows(newest)
    return None if not rows else MetricReview(**{name: rows[0][name] for name in MetricReview.model_fields})


def last_reviews(desk: Desk, round_id: str) -> list[dict[str, Any]]:
    """The last review of each rater and metric of a round, as rows of the store."""
    query = sql.select(metric_reviews).where(metric_reviews.c.round_id == round_id)
    rows = desk.store.rows(
        query.order_by(metric_reviews.c.metric, metric_reviews.c.rater_id, metric_reviews.c.revision)
    )
    return list({(row["rater_id"], row["metric"]): row for row in rows}.values())


def _of(cell: Cell) -> tuple[sql.ColumnElement[bool], ...]:
    return (
        metric_reviews.c.round_id == cell.round_id,
        metric_reviews.c.rater_id == cell.rater_id,
        metric_reviews.c.metric == cell.metric,
    )
