"""Progress of a round: labels in and planned, coverage by metric, each rater's work, and what pairs share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from voirdire.review.desk import Round
from voirdire.review.gold import Score, scores
from voirdire.review.round_rows import Cell, RoundRows, Row, cell_of

__all__ = ["MetricProgress", "Progress", "RaterProgress", "Shared", "progress", "shared"]

MOST_COUNTED = 3
"""Items with so many labels or more are counted together."""


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


def progress(round_: Round, rows: RoundRows) -> Progress:
    """Where ``round_`` stands. An answer counts as planned even where its assignment was withdrawn since."""
    scales = round_.settings.scales
    planned = {cell_of(row) for row in (*rows.asked, *rows.answers)}
    kinds = {name: _Kinds(scale.unsure, frozenset(scale.between)) for name, scale in scales.items()}
    by_metric, by_rater = (_grouped(rows.answers, name) for name in ("metric", "rater_id"))
    asked = _by_rater(planned)
    known = scores(rows.gold, rows.labels, scales)
    items: dict[str, list[str]] = {}
    for _, item, metric in planned:
        items.setdefault(metric, []).append(item)
    return Progress(
        planned=len(planned),
        labels=len(rows.labels),
        skips=len(rows.answers) - len(rows.labels),
        late=rows.late,
        metrics=tuple(
            _metric(name, items.get(name, []), by_metric.get(name, []), kinds)
            for name in round_.settings.metrics
        ),
        raters=tuple(
            _rater(name, len(asked[name]), by_rater.get(name, []), rows, (kinds, known))
            for name in sorted(asked, key=_natural)
        ),
        shared=shared(planned, rows.labels),
    )


def shared(planned: Iterable[Cell], labels: Iterable[Row]) -> Shared:
    """How many items by metric each two raters have both labelled, and are both asked for."""
    asked = _by_rater(planned)
    given = _by_rater(cell_of(row) for row in labels)
    names = tuple(sorted(asked, key=_natural))
    return Shared(
        names,
        tuple(tuple(len(given.get(a, set()) & given.get(b, set())) for b in names) for a in names),
        tuple(tuple(len(asked[a] & asked[b]) for b in names) for a in names),
    )


@dataclass(frozen=True)
class _Kinds:
    """Which labels of a metric say that one cannot judge, or stand in between."""

    unsure: str
    between: frozenset[str]

    def is_unsure(self, row: Row) -> bool:
        return bool(self.unsure) and self.unsure in row["labels"]

    def is_between(self, row: Row) -> bool:
        return not self.between.isdisjoint(row["labels"])


def _metric(
    name: str, asked: Sequence[str], answers: Sequence[Row], kinds: Mapping[str, _Kinds]
) -> MetricProgress:
    """One metric; ``asked`` names an item once for everybody who is asked for it."""
    labels = [row for row in answers if row["status"] == "ok"]
    given = Counter(row["item_id"] for row in labels)
    coverage = Counter(min(given[item], MOST_COUNTED) for item in set(asked))
    return MetricProgress(
        metric=name,
        planned=len(asked),
        labels=len(labels),
        skips=len(answers) - len(labels),
        unsure=sum(map(kinds[name].is_unsure, labels)),
        borderline=sum(map(kinds[name].is_between, labels)),
        coverage=(coverage[0], coverage[1], coverage[2], coverage[3]),
        challenges=Counter(row["challenge"] for row in labels if row["challenge"]),
    )


def _rater(
    name: str,
    assigned: int,
    answers: Sequence[Row],
    rows: RoundRows,
    told: tuple[Mapping[str, _Kinds], Mapping[str, Score]],
) -> RaterProgress:
    kinds, known = told
    labels = [row for row in answers if row["status"] == "ok"]
    times = [row["seconds"] for row in labels if row["seconds"] is not None]
    return RaterProgress(
        rater_id=name,
        assigned=assigned,
        done=len(answers),
        labels=len(labels),
        skips=len(answers) - len(labels),
        unsure=sum(kinds[row["metric"]].is_unsure(row) for row in labels),
        borderline=sum(kinds[row["metric"]].is_between(row) for row in labels),
        seconds=median(times) if times else None,
        gold=known.get(name, Score()),
        seen=rows.seen.get(name, ""),
        expertise=rows.expertise.get(name, ""),
    )


def _grouped(rows: Iterable[Row], name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[name], []).append(row)
    return found


def _by_rater(cells: Iterable[Cell]) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for rater, item, metric in cells:
        found.setdefault(rater, set()).add((item, metric))
    return found


def _natural(name: str) -> tuple[str, int, str]:
    """An order in which R2 comes before R10."""
    word = name.rstrip("0123456789")
    return word, int(name[len(word) :] or 0), name
