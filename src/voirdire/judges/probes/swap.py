"""Swap: the two sides of a pair change places, which should change nothing but the label's name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from voirdire.judges.probing import Change, Items
from voirdire.registry import register
from voirdire.study.metric import Metric

__all__ = ["swap"]

OTHER = {"first": "second", "second": "first"}


@register("probe", "swap")
def swap() -> Sequence[Change]:
    """Show a pair's sides in the other places and read the verdict back.

    A recipe that asks in both orders itself moves by its own noise alone; one that asks in one order moves by
    its position bias too.
    """
    words = "The first side as the second, and the second as the first."
    return [
        Change(
            name="sides", words=words, alter=_swapped, back=lambda label: OTHER.get(label, label), pairs=True
        )
    ]


def _swapped(items: Items, metric: Metric) -> Items:
    first, second = items
    return replace(second, side="first"), replace(first, side="second")
