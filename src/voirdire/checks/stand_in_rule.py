"""The verdict rule: what differences of agreement under every policy say about one judge on one metric."""

from __future__ import annotations

import math
from collections.abc import Sequence

from voirdire.checks.verdict import Answer
from voirdire.checks.words import count, number
from voirdire.stats import REASONS, Estimate
from voirdire.stats.transforms import normal_quantile

__all__ = [
    "BY_MAPPING",
    "FEW_ITEMS",
    "MEANING",
    "NO_JUDGE",
    "NO_PEOPLE",
    "NO_SHARED",
    "ONE_RATER",
    "barely",
    "decide",
    "items_needed",
    "reach_needed",
    "reason",
    "rule",
]

ONE_RATER = "one rater per item"
NO_JUDGE = "no judge on this metric"
NO_PEOPLE = "no person rated this metric"
BY_MAPPING = "answer depends on mapping"
NO_SHARED = "no item has both a person and a verdict"

FEW_ITEMS = 50
"""Below this many items an answer names their number."""
MOST_TIMES = 1000
"""More than so many times the present items is no plan."""
MOST_WORDS = 10
BARELY = 0.20
"""People whose agreement beyond chance lies below this barely agree."""


MEANING = (
    "Judge minus person: how much better, beyond chance, a person agrees with the judge than with another "
    "person on the same items. The lower bound must also hold after one more item on which the judge "
    "contradicts people."
)
"""What the difference is, as a reader needs it."""


def rule(margin: float) -> str:
    """The rule in one sentence.

    >>> print(rule(0.1)[:78])
    Yes if, under every mapping of indeterminate labels, the whole interval of the
    """
    return (
        "Yes if, under every mapping of indeterminate labels, the whole interval of the difference lies "
        f"above {number(-margin)}; no if under every mapping it lies below 0; otherwise cannot tell."
    )


def decide(differences: Sequence[Estimate], margin: float) -> Answer:
    """Yes, no or cannot tell, from judge minus person agreement under every policy.

    >>> decide([Estimate(0.02, -0.06, 0.10), Estimate(0.00, -0.09, 0.09)], 0.10)
    'yes'
    >>> decide([Estimate(-0.3, -0.5, -0.1), Estimate(-0.2, -0.5, 0.1)], 0.10)
    'cannot tell'
    """
    if not differences or not all(one.undefined is None and one.has_interval for one in differences):
        return "cannot tell"
    if min(one.low for one in differences) > -margin:
        return "yes"
    if max(one.high for one in differences) < 0:
        return "no"
    return "cannot tell"


def reason(differences: Sequence[Estimate], people: Sequence[Estimate], n_items: int, margin: float) -> str:
    """Why the rule says what it says, in at most ten words."""
    undefined = next((one.undefined for one in (*people, *differences) if one.undefined is not None), None)
    if undefined is not None:
        why = f"{count(n_items, 'item')}; {REASONS[undefined]}"
        return why if len(why.split()) <= MOST_WORDS else REASONS[undefined]
    no_interval = next((one.no_interval for one in differences if not one.has_interval), None)
    if no_interval is not None:
        return f"{count(n_items, 'item')}; no interval can be built"
    low, high = min(one.low for one in differences), max(one.high for one in differences)
    answer = decide(differences, margin)
    if answer == "yes":
        few = f"; only {count(n_items, 'item')}" if n_items < FEW_ITEMS else ""
        few = "; people barely agree" if barely(people) else few
        return f"difference at least {number(low)}, above {number(-margin)}{few}"
    if answer == "no":
        return f"difference at most {number(high)}, below 0"
    items = f"{count(n_items, 'item')}; "
    if n_items < FEW_ITEMS and barely(people):
        return f"{items}people barely agree"
    if len({decide([one], margin) for one in differences}) > 1:
        return f"{items}{BY_MAPPING}"
    if min(one.value for one in differences) < 0 < max(one.value for one in differences):
        return f"{items}sign depends on mapping"
    return f"{items}interval {number(low)} to {number(high)}"


def barely(people: Sequence[Estimate]) -> bool:
    """Whether people hardly agree beyond chance under some policy, so that one more person is worth little.

    >>> barely([Estimate(0.12), Estimate(0.31)]), barely([Estimate(0.31)])
    (True, False)
    """
    return any(one.undefined is None and one.value < BARELY for one in people)


def items_needed(
    differences: Sequence[Estimate], errors: Sequence[float], n_items: int, margin: float
) -> int | None:
    """How many items with several people would settle an undecided answer, None where none can.

    One side of an interval reaches z times the standard error, of ``errors``, which shrinks with the square
    root of the number of items, and what a small sample and an added item contribute, which shrinks with
    the number itself. The widest policy counts, and its reach must shrink to :func:`reach_needed`.

    >>> items_needed([Estimate(-0.1, -0.45, 0.25)], [0.15], 9, 0.10)
    88
    """
    if not differences or not n_items or not all(one.has_interval for one in differences):
        return None
    reach = [_reach(one) for one in differences]
    target, _ = reach_needed(differences, n_items, margin)
    if target < 1e-6:
        return None
    z = normal_quantile(differences[0].level)
    needed = max(_times(z * error, seen, target) for error, seen in zip(errors, reach, strict=True))
    return max(n_items + 1, math.ceil(round(n_items * needed, 6))) if needed <= MOST_TIMES else None


def reach_needed(differences: Sequence[Estimate], n_items: int, margin: float) -> tuple[float, bool]:
    """How far the widest interval may reach, and whether that settles the answer if the differences stay.

    That is the distance from the present differences to the nearer of the two ends, minus the margin and 0.
    Where it is less than the margin, or differences on few items will hardly stay, the interval must first
    shrink to the margin, which settles nothing by itself and says whether more is worth while.

    >>> wide = [Estimate(0.05, -0.2, 0.3)]
    >>> reach_needed(wide, 100, 0.10), reach_needed(wide, 20, 0.10)
    ((0.15..., True), (0.1, False))
    """
    values = [one.value for one in differences]
    distance = max(min(values) + margin, -max(values))
    wide = margin or 0.10
    if (distance >= wide and n_items >= FEW_ITEMS) or max(_reach(one) for one in differences) <= wide:
        return distance, True
    return wide, False


def _reach(one: Estimate) -> float:
    return max(one.value - one.low, one.high - one.value)


def _times(root: float, seen: float, target: float) -> float:
    """How many times the items bring ``seen`` to ``target``; ``root`` of it shrinks with their root."""
    if seen <= target:
        return 1.0
    rest = max(seen - root, 0.0)
    # rest r² + root r = target, r² being the share of items that there are of those that are needed
    r = 2 * target / (root + math.sqrt(root**2 + 4 * rest * target))
    return 1 / r**2
