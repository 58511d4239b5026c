"""Truncation: half of what is judged is left out, which a judge that reads to the end should notice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from voirdire.judges.probing import Change, Items, last_text
from voirdire.judges.recipe import JudgedItem
from voirdire.registry import register
from voirdire.study.metric import Metric

__all__ = ["truncation"]


@register("probe", "truncation")
def truncation() -> Sequence[Change]:
    """Leave out the second half of a transcript's turns, or of the last text; of a pair, of both sides.

    Here a small share of moved verdicts is the warning: where the second half could not have mattered to so
    many items, the judge decides by the beginning, or its prompt is cut on the way.
    """
    words = "The second half of the turns, or of the last text, is left out."
    return [Change(name="first half", words=words, alter=_halved)]


def _halved(items: Items, metric: Metric) -> Items:
    return tuple(_half(item) for item in items)


def _half(item: JudgedItem) -> JudgedItem:
    if len(item.turns) > 1:
        return replace(item, turns=item.turns[: (len(item.turns) + 1) // 2])
    return last_text(item, _first_half)


def _first_half(text: str) -> str:
    """The first half of the words, their spacing kept; of a single word the first half of its letters."""
    half = text[: (len(text) + 1) // 2]
    whole, space, _ = half.rpartition(" ")
    return whole if space else half
