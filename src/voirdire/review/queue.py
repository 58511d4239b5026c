"""The panel's queue: which items the labels so far leave open, why, and what was ruled of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from voirdire.review.settings import OfferedScale

__all__ = ["REASONS", "Open", "left_open", "reasons_of"]

REASONS = {
    "tied": "no verdict ahead",
    "split": "people differ",
    "unsure": "not sure",
    "borderline": "borderline",
    "contested": "called ambiguous",
}
"""Why an item goes to the panel, the most urgent first."""
NEAR = 1
"""On an ordered scale people who are so many steps apart, and mostly agree, need no panel."""


@dataclass(frozen=True)
class Open:
    """An item and metric that the labels leave open, for ``reasons`` of :data:`REASONS`.

    ``n_labels`` people answered of ``n_asked``; ``ruling`` is the row of the panel's last ruling, None while
    there is none.
    """

    item_id: str
    metric: str
    reasons: tuple[str, ...]
    n_labels: int
    n_asked: int
    ruling: Mapping[str, Any] | None = None

    @property
    def waits(self) -> bool:
        """Whether the panel has yet to rule."""
        return self.ruling is None

    @property
    def complete(self) -> bool:
        """Whether everybody who is asked has answered."""
        return self.n_labels >= self.n_asked


def left_open(
    answers: Iterable[Mapping[str, Any]],
    asked: Iterable[tuple[str, str, str]],
    scales: Mapping[str, OfferedScale],
    *,
    rulings: Mapping[tuple[str, str], Mapping[str, Any]] | None = None,
    unfinished: bool = False,
) -> tuple[Open, ...]:
    """What goes to the panel: one entry an item and metric, those without a ruling and the most urgent first.

    ``answers`` are rows of the last answers in time, ``asked`` a rater, an item and a metric for each label
    that is wanted, ``rulings`` the last ones by item and metric. Items with fewer answers than wanted wait,
    unless ``unfinished`` asks for them. What was ruled stays in the list.
    """
    ruled = rulings or {}
    given: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    wanted: dict[tuple[str, str], set[str]] = {}
    for row in answers:
        given.setdefault((row["item_id"], row["metric"]), []).append(row)
    for rater_id, item_id, metric in asked:
        wanted.setdefault((item_id, metric), set()).add(rater_id)
    found = []
    for cell, rows in given.items():
        who = {row["rater_id"] for row in rows}
        reasons = reasons_of(rows, scales[cell[1]])
        missing = wanted.get(cell, set()) - who
        if cell in ruled or (reasons and (unfinished or not missing)):
            found.append(Open(*cell, reasons, len(who), len(who | missing), ruled.get(cell)))
    return tuple(sorted(found, key=_urgency))


def reasons_of(answers: Sequence[Mapping[str, Any]], scale: OfferedScale) -> tuple[str, ...]:
    """Why these answers to one item on one metric leave it open, the most urgent reason first; () if settled.

    A response set is one ballot. Not sure and borderline are answers of their own and outvote nobody; a skip
    says nothing.

    >>> scale = OfferedScale(kind="ordinal", labels=["1", "2", "3", "not sure"], ordered=True)
    >>> reasons_of([{"labels": ["1"], "challenge": ""}, {"labels": ["3"], "challenge": "ambiguous"}], scale)
    ('tied', 'contested')
    """
    said = [tuple(row["labels"]) for row in answers if row["labels"]]
    verdicts = [labels for labels in said if not set(labels) & set(scale.indeterminate)]
    votes = sorted(Counter(verdicts).values(), reverse=True)
    holds = {
        "tied": len(votes) > 1 and votes[0] == votes[1],
        "split": len(votes) > 1 and votes[0] > votes[1] and _far(verdicts, votes[0], scale),
        "unsure": any(scale.unsure in labels for labels in said),
        "borderline": any(set(labels) & set(scale.between) for labels in said),
        "contested": any(row["challenge"] == "ambiguous" for row in answers),
    }
    return tuple(reason for reason in REASONS if holds[reason])


def _far(verdicts: Sequence[tuple[str, ...]], most: int, scale: OfferedScale) -> bool:
    """Whether people who differ are too far apart: always without an order, else by steps or no majority."""
    if not scale.ordered or 2 * most <= len(verdicts):
        return True
    step = {label: number for number, label in enumerate(scale.verdicts)}
    gaps = (
        min(abs(step[a] - step[b]) for a in one for b in other)
        for one, other in combinations(set(verdicts), 2)
    )
    return max(gaps) > NEAR


def _urgency(one: Open) -> tuple[bool, int, int, str, str]:
    order = list(REASONS)
    first = min((order.index(reason) for reason in one.reasons), default=len(order))
    return not one.waits, first, -len(one.reasons), one.item_id, one.metric
