"""Progress of a round: labels in and planned, coverage by metric, each rater's work, and what pairs share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import sqlalchemy as sql

from voirdire.review.answers import current
from voirdire.review.desk import Desk, Round
from voirdire.review.gold import Score, scores
from voirdire.review.settings import OfferedScale
from voirdire.store.review_schema import assignments, events, gold, people

__all__ = ["MetricProgress", "Progress", "RaterProgress", "RoundRows", "Shared", "progress", "rows_of"]

Row = Mapping[str, Any]
MOST_COUNTED = 3
"""Items with so many labels or more are counted together."""


@dataclass(frozen=True, eq=False)
class RoundRows:
    """The rows of one round: ``asked`` are assignments in force, ``answers`` everybody's last ones in time.

    ``late`` counts answers whose last version came too late, ``gold`` are the items whose label is known,
    ``seen`` is each rater's last act, and ``expertise`` is by rater.
    """

    asked: Sequence[Row]
    answers: Sequence[Row]
    late: int = 0
    gold: Sequence[Row] = ()
    seen: Mapping[str, str] = field(default_factory=dict)
    expertise: Mapping[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> list[Row]:
        """Answers that hold a label; the others are skips."""
        return [row for row in self.answers if row["status"] == "ok"]


@dataclass(frozen=True)
class MetricProgress:
    """One metric: ``coverage`` counts its items with 0, 1, 2, and 3 labels or more.

    ``challenges`` counts by name what made its items hard, where raters said so.
    """

    metric: str
    planned: int
    labels: int
    skips: int
    unsure: int
    borderline: int
    coverage: tuple[int, int, int, int]
    challenges: Mapping[str, int]

    @property
    def items(self) -> int:
        """Items that somebody is asked for or has labelled."""
        return sum(self.coverage)

    @property
    def several(self) -> int:
        """Items with two labels or more."""
        return self.coverage[2] + self.coverage[3]

    @property
    def main_challenge(self) -> tuple[str, int]:
        """The challenge named most often and how often; an empty name where nobody said."""
        ordered = sorted(self.challenges.items(), key=lambda pair: (-pair[1], pair[0]))
        return ordered[0] if ordered else ("", 0)


@dataclass(frozen=True)
class RaterProgress:
    """One rater: ``done`` of ``assigned`` (skips are done), and what stands in the labels.

    ``seconds`` is the median time of an answer, None where no time was kept; ``seen`` is the last act.
    """

    rater_id: str
    assigned: int
    done: int
    labels: int
    skips: int
    unsure: int
    borderline: int
    seconds: float | None
    gold: Score
    seen: str = ""
    expertise: str = ""


@dataclass(frozen=True)
class Shared:
    """Labels that each pair of ``raters`` (R,) gave on the same item and metric, and is asked for: (R, R)."""

    raters: tuple[str, ...]
    given: tuple[tuple[int, ...], ...]
    planned: tuple[tuple[int, ...], ...]

    @property
    def least(self) -> int:
        """The smallest planned overlap of two raters, 0 where there are no two."""
        size = len(self.raters)
        return min((self.planned[i][j] for i in range(size) for j in range(i)), default=0)

    @property
    def apart(self) -> list[tuple[str, str]]:
        """Pairs of raters who neither share a label nor are asked to."""
        return [
            (first, second)
            for i, first in enumerate(self.raters)
            for j, second in enumerate(self.raters)
            if i < j and not self.planned[i][j] and not self.given[i][j]
        ]


@dataclass(frozen=True)
class Progress:
    """Where a round stands; ``late`` answers are left out of everything else."""

    planned: int
    labels: int
    skips: int
    late: int
    metrics: tuple[MetricProgress, ...]
    raters: tuple[RaterProgress, ...]
    shared: Shared

    @property
    def items(self) -> int:
        """Items by metric that somebody is asked for or has labelled."""
        return sum(one.items for one in self.metrics)

    @property
    def several(self) -> int:
        """Those with two labels or more."""
        return sum(one.several for one in self.metrics)

    @property
    def left(self) -> int:
        """Answers that are still to come."""
        return self.planned - self.labels - self.skips


def rows_of(desk: Desk, round_id: str) -> RoundRows:
    """The rows of a round as they stand now."""
    in_round = assignments.c.round_id == round_id
    asked = desk.store.rows(
        sql.select(assignments).where(in_round).order_by(assignments.c.rater_id, assignments.c.place)
    )
    taken = sql.select(events.c.rater_id, events.c.item_id, events.c.metric)
    taken = taken.where(events.c.round_id == round_id, events.c.kind == "withdrawn")
    withdrawn = {_cell(row) for row in desk.store.rows(taken)}
    last = sql.select(events.c.rater_id, sql.func.max(events.c.created_at).label("at"))
    last = last.where(events.c.round_id == round_id, events.c.kind.in_(["accepted", "draft", "submitted"]))
    known = desk.store.rows(sql.select(people.c.rater_id, people.c.expertise))
    return RoundRows(
        [row for row in asked if _cell(row) not in withdrawn],
        list(current(desk, round_id, late=False).values()),
        sum(row["late"] for row in current(desk, round_id).values()),
        desk.store.rows(sql.select(gold).where(gold.c.round_id == round_id)),
        {row["rater_id"]: row["at"] for row in desk.store.rows(last.group_by(events.c.rater_id))},
        {row["rater_id"]: row["expertise"] for row in known},
    )


def progress(round_: Round, rows: RoundRows) -> Progress:
    """Where ``round_`` stands. An answer counts as planned even where its assignment was withdrawn since."""
    scales = round_.settings.scales
    planned = {_cell(row) for row in (*rows.asked, *rows.answers)}
    labels = rows.labels
    return Progress(
        planned=len(planned),
        labels=len(labels),
        skips=len(rows.answers) - len(labels),
        late=rows.late,
        metrics=tuple(_metric(name, scales[name], planned, rows) for name in round_.settings.metrics),
        raters=tuple(_raters(scales, planned, rows)),
        shared=shared(planned, labels),
    )


def shared(planned: Iterable[tuple[str, str, str]], labels: Iterable[Row]) -> Shared:
    """How many items by metric each two raters have both labelled, and are both asked for."""
    asked = _by_rater(planned)
    given = _by_rater(_cell(row) for row in labels)
    names = tuple(sorted(asked, key=_natural))
    return Shared(
        names,
        tuple(tuple(len(given.get(a, set()) & given.get(b, set())) for b in names) for a in names),
        tuple(tuple(len(asked[a] & asked[b]) for b in names) for a in names),
    )


def _metric(
    name: str, scale: OfferedScale, planned: Iterable[tuple[str, str, str]], rows: RoundRows
) -> MetricProgress:
    asked = {item for _, item, metric in planned if metric == name}
    counted = [row for row in rows.answers if row["metric"] == name]
    labels = [row for row in counted if row["status"] == "ok"]
    given = Counter(row["item_id"] for row in labels)
    coverage = Counter(min(given[item], MOST_COUNTED) for item in asked)
    return MetricProgress(
        metric=name,
        planned=sum(metric == name for _, _, metric in planned),
        labels=len(labels),
        skips=len(counted) - len(labels),
        unsure=sum(is_unsure(row, scale) for row in labels),
        borderline=sum(is_between(row, scale) for row in labels),
        coverage=(coverage[0], coverage[1], coverage[2], coverage[3]),
        challenges=Counter(row["challenge"] for row in labels if row["challenge"]),
    )


def _raters(
    scales: Mapping[str, OfferedScale], planned: Iterable[tuple[str, str, str]], rows: RoundRows
) -> Iterable[RaterProgress]:
    asked = _by_rater(planned)
    gold = scores(rows.gold, rows.labels, scales)
    for name in sorted(asked, key=_natural):
        mine = [row for row in rows.answers if row["rater_id"] == name]
        labels = [row for row in mine if row["status"] == "ok"]
        times = [row["seconds"] for row in labels if row["seconds"] is not None]
        yield RaterProgress(
            rater_id=name,
            assigned=len(asked[name]),
            done=len(mine),
            labels=len(labels),
            skips=len(mine) - len(labels),
            unsure=sum(is_unsure(row, scales[row["metric"]]) for row in labels),
            borderline=sum(is_between(row, scales[row["metric"]]) for row in labels),
            seconds=median(times) if times else None,
            gold=gold.get(name, Score()),
            seen=rows.seen.get(name, ""),
            expertise=rows.expertise.get(name, ""),
        )


def is_unsure(row: Row, scale: OfferedScale) -> bool:
    """Whether an answer says that its rater cannot judge."""
    return bool(scale.unsure) and scale.unsure in row["labels"]


def is_between(row: Row, scale: OfferedScale) -> bool:
    """Whether an answer is a label in between, such as borderline."""
    return any(label in scale.between for label in row["labels"])


def _cell(row: Row) -> tuple[str, str, str]:
    return row["rater_id"], row["item_id"], row["metric"]


def _by_rater(cells: Iterable[tuple[str, str, str]]) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for rater, item, metric in cells:
        found.setdefault(rater, set()).add((item, metric))
    return found


def _natural(name: str) -> tuple[str, int, str]:
    """An order in which R2 comes before R10."""
    word = name.rstrip("0123456789")
    return word, int(name[len(word) :] or 0), name
