"""Which coefficient and which weights a scale calls for, chosen once so that no check can choose another."""

from __future__ import annotations

from typing import TypedDict

from voirdire.stats.krippendorff import Level
from voirdire.stats.weights import By, Weights
from voirdire.study import Scale

__all__ = ["Weighing", "alpha_level", "weights", "weights_named"]


def alpha_level(scale: Scale) -> Level:
    """Level of measurement for Krippendorff's alpha: nominal, ordinal or interval.

    >>> alpha_level(Scale("ordinal", ("1", "2", "3"), ordered=True, values=(1, 2, 3)))
    'ordinal'
    """
    if scale.kind == "numeric":
        return "interval"
    return "ordinal" if scale.kind == "ordinal" and scale.ordered else "nominal"


class Weighing(TypedDict):
    """The two arguments by which the statistics take weights."""

    weights: Weights
    by: By


def weights(scale: Scale) -> Weighing:
    """How a disagreement weighs where judge and people are compared, as arguments of the statistics.

    Nominal: any two different labels disagree fully. Ordinal: by the squared distance of ranks. Numeric: by
    the squared distance of the numbers.
    """
    level = alpha_level(scale)
    if level == "nominal":
        return {"weights": "identity", "by": "value"}
    return {"weights": "quadratic", "by": "rank" if level == "ordinal" else "value"}


def weights_named(scale: Scale) -> str:
    """The weights as a caption says them."""
    return {
        "nominal": "any two different labels count as a full disagreement",
        "ordinal": "a disagreement weighs the squared distance of the labels' ranks",
        "interval": "a disagreement weighs the squared distance of the numbers",
    }[alpha_level(scale)]
