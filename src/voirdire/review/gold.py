"""Gold items: items whose label is known, on which each rater is scored; no rater learns which they are."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql

from voirdire.decide.plan_raters import OWNERS
from voirdire.errors import UserError
from voirdire.review.assigning import Wanted
from voirdire.review.desk import Desk, Round, now
from voirdire.review.log import Cell, Event, record
from voirdire.review.settings import OfferedScale
from voirdire.store.review_schema import gold
from voirdire.store.sql import added
from voirdire.study.raw import RawTable

__all__ = ["GoldItem", "Score", "from_reference", "from_table", "gold_of", "scores", "set_gold", "to_ask"]

PURPOSE = "gold"
"""The purpose of an assignment that was added for the score alone."""


@dataclass(frozen=True)
class GoldItem:
    """The known ``label`` of an item on a metric."""

    item_id: str
    metric: str
    label: str


@dataclass(frozen=True)
class Score:
    """A rater's gold items: ``right`` of ``answered`` with a verdict; "not sure" is no answer to score."""

    right: int = 0
    answered: int = 0

    @property
    def share(self) -> float:
        """Share that is right, NaN where none is answered."""
        return self.right / self.answered if self.answered else float("nan")


def scores(
    known: Iterable[Mapping[str, Any]],
    labels: Iterable[Mapping[str, Any]],
    scales: Mapping[str, OfferedScale],
) -> dict[str, Score]:
    """Each rater's score: an answer is right where its labels hold the known one."""
    truth = {(row["item_id"], row["metric"]): row["label"] for row in known}
    found: dict[str, Score] = {}
    for row in labels:
        label = truth.get((row["item_id"], row["metric"]))
        if label is None or not row["labels"] or scales[row["metric"]].unsure in row["labels"]:
            continue
        before = found.get(row["rater_id"], Score())
        found[row["rater_id"]] = Score(before.right + (label in row["labels"]), before.answered + 1)
    return found


def gold_of(desk: Desk, round_id: str) -> list[GoldItem]:
    """The gold items of a round."""
    query = sql.select(gold.c.item_id, gold.c.metric, gold.c.label).where(gold.c.round_id == round_id)
    return [GoldItem(**row) for row in desk.store.rows(query.order_by(gold.c.metric, gold.c.item_id))]


def from_table(desk: Desk, round_: Round, table: RawTable) -> list[GoldItem]:
    """Gold items from a file with item_id, metric and label; without a metric where the round has one.

    What the study or the metric's scale does not have is a user's error by row.
    """
    only = round_.settings.metrics[0] if len(round_.settings.metrics) == 1 else ""
    lacking = [
        name
        for name in ("item_id", "metric", "label")
        if name not in table.columns and not (name == "metric" and only)
    ]
    if lacking:
        raise UserError(
            f"no column '{lacking[0]}'", where=table.name, expected="columns item_id, metric and label"
        )
    metrics = table.columns.get("metric")
    rows = [
        GoldItem(
            table.columns["item_id"][k] or "",
            (metrics[k] if metrics else None) or only,
            table.columns["label"][k] or "",
        )
        for k in range(len(table))
    ]
    for number, one in enumerate(rows, start=2):
        _check(desk, round_, one, f"{table.name}, row {number:,}")
    return rows


def from_reference(desk: Desk, round_: Round, rater_id: str) -> list[GoldItem]:
    """The labels of a reference rater of the study as gold, on the round's metrics; verdicts only."""
    study = desk.study
    names = [study.raters[code].id for code in study.raters_of("reference")]
    if rater_id not in names:
        raise UserError(f"no reference rater '{rater_id}'", expected=f"one of {', '.join(names) or 'none'}")
    code = next(k for k, rater in enumerate(study.raters) if rater.id == rater_id)
    found = []
    for metric in round_.settings.metrics:
        labels = study.metric(metric).scale.labels
        rows = [row for row in study.rows(metric, kind="reference") if study.ratings.rater[row] == code]
        known = {study.items.ids[study.ratings.item[row]]: labels[study.ratings.label[row]] for row in rows}
        verdicts = round_.settings.scales[metric].verdicts
        found += [GoldItem(item, metric, label) for item, label in known.items() if label in verdicts]
    return found


def set_gold(desk: Desk, round_: Round, items: Sequence[GoldItem]) -> int:
    """Add gold items and return how many are new; another label for one that is there is a user's error."""
    for one in items:
        _check(desk, round_, one, "gold")
    known = {(one.item_id, one.metric): one.label for one in gold_of(desk, round_.id)}
    for one in items:
        before = known.setdefault((one.item_id, one.metric), one.label)
        if before != one.label:
            raise UserError(
                f"item '{one.item_id}' has the gold label '{before}' on '{one.metric}', not '{one.label}'",
                fix="leave it out: a gold label stays as it was set",
            )
    wanted = dict.fromkeys(items)
    rows = [
        {
            "round_id": round_.id,
            "item_id": one.item_id,
            "metric": one.metric,
            "label": one.label,
            "created_at": now(),
        }
        for one in wanted
    ]
    if not rows:
        return 0
    with desk.transaction() as connection:
        new = added(connection, gold, rows)
        if new:
            record(connection, Event(secrets.token_hex(8), "gold", Cell(round_.id, ""), {"items": new}))
    return new


def to_ask(desk: Desk, items: Sequence[GoldItem], names: Sequence[str]) -> list[Wanted]:
    """Every gold item by everybody of ``names``, but nobody's own work."""
    attributes = [column for name in OWNERS if (column := desk.study.items.attributes.get(name))]
    return [
        Wanted(name, one.item_id, one.metric, PURPOSE)
        for one in items
        for name in names
        if name not in {column[desk.position[one.item_id]] for column in attributes}
    ]


def _check(desk: Desk, round_: Round, one: GoldItem, where: str) -> None:
    if one.item_id not in desk.position:
        raise UserError(f"no item '{one.item_id}' in the study", where=where)
    if one.metric not in round_.settings.metrics:
        raise UserError(
            f"no metric '{one.metric}' in this round",
            where=where,
            expected=f"one of {', '.join(round_.settings.metrics)}",
        )
    offered = round_.settings.scales[one.metric]
    allowed = [label for label in offered.labels if label != offered.unsure]
    if one.label not in allowed:
        raise UserError(f"no label '{one.label}'", where=where, expected=f"one of {', '.join(allowed)}")
