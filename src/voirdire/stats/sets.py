"""Krippendorff's alpha for labels that are sets, with the MASI or the Jaccard distance."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.coded import Coded
from voirdire.stats.coefficient import computed_by, evaluate
from voirdire.stats.encoding import is_missing
from voirdire.stats.krippendorff import distance_form
from voirdire.stats.sums import Form

__all__ = ["KrippendorffAlphaSets", "SetDistance", "krippendorff_alpha_sets", "set_distance"]

SetDistance = Literal["masi", "jaccard"]


@dataclass(frozen=True, kw_only=True)
class KrippendorffAlphaSets:
    """Options of :func:`krippendorff_alpha_sets` on codes whose category k is the set ``sets[k]``."""

    name: ClassVar[str] = "krippendorff_alpha_sets"
    sets: tuple[frozenset[Hashable], ...]
    distance: SetDistance = "masi"

    def reason(self, coded: Coded) -> str | None:
        return None

    def form(self, coded: Coded) -> Form:
        if len(self.sets) != coded.q:
            raise UserError(f"{len(self.sets)} sets for {coded.q} categories", expected="one set a category")
        return distance_form(
            np.array([[set_distance(a, b, self.distance) for b in self.sets] for a in self.sets]).reshape(
                coded.q, coded.q
            )
        )


@register("statistic", "krippendorff_alpha_sets")
@computed_by(KrippendorffAlphaSets)
def krippendorff_alpha_sets(ratings: Iterable[Iterable[Any]], *, distance: SetDistance = "masi") -> float:
    """Krippendorff's alpha where each rating is a set of labels (a response set).

    ``ratings`` holds one row an item and one entry a rater: a set, frozenset, list or tuple of labels, or
    None where missing; the empty set is a rating. NaN as :func:`krippendorff_alpha` is. Passonneau (2006),
    "Measuring Agreement on Set-valued Items (MASI)".

    >>> krippendorff_alpha_sets([[{"a"}, {"a"}], [{"a", "b"}, ["b", "a"]], [{"b"}, {"a", "b"}]]).__round__(4)
    0.5833
    """
    rows = [[None if is_missing(label) else _as_set(label) for label in row] for row in ratings]
    sets = tuple(dict.fromkeys(label for row in rows for label in row if label is not None))
    place = {label: float(k) for k, label in enumerate(sets)}
    width = {len(row) for row in rows}
    if len(width) > 1:
        raise UserError(
            "rows differ in length", expected="one entry a rater in every row, None where missing"
        )
    table = np.array([[np.nan if label is None else place[label] for label in row] for row in rows], float)
    coded = Coded.from_matrix(table.reshape(len(rows), -1), categories=[float(k) for k in range(len(sets))])
    return evaluate(KrippendorffAlphaSets(sets=sets, distance=distance), coded)


def set_distance(a: Iterable[Hashable], b: Iterable[Hashable], distance: SetDistance = "masi") -> float:
    """Distance of two sets: 1 - Jaccard, or MASI = 1 - Jaccard x monotonicity.

    Monotonicity is 1 for equal sets, 2/3 where one contains the other, 1/3 where they only overlap and 0
    where they are disjoint (Passonneau 2006). Two empty sets are equal.

    >>> round(set_distance({1, 2}, {1, 2, 3, 4}), 4)
    0.6667
    """
    if distance not in ("masi", "jaccard"):
        raise UserError(f"no distance of sets named {distance!r}", expected="'masi' or 'jaccard'")
    first, second = frozenset(a), frozenset(b)
    if first == second:
        return 0.0
    jaccard = len(first & second) / len(first | second)
    return 1 - jaccard * (_monotonicity(first, second) if distance == "masi" else 1.0)


def _monotonicity(a: frozenset[Hashable], b: frozenset[Hashable]) -> float:
    if a <= b or b <= a:
        return 2 / 3
    return 1 / 3 if a & b else 0.0


def _as_set(label: Any) -> frozenset[Hashable]:
    if isinstance(label, set | frozenset | list | tuple | np.ndarray):
        return frozenset(label)
    raise UserError(
        f"label {label!r} is not a set", expected="a set, list or tuple of labels, or None where missing"
    )
