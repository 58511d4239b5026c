"""Agreement weights: how much two labels agree, from 1 (the same) to 0 (as far apart as can be)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError
from voirdire.stats.coded import Coded

__all__ = ["By", "Weights", "agreement_weights", "weights_reason"]

Weights: TypeAlias = Literal["identity", "linear", "quadratic", "ordinal"] | ArrayLike
By: TypeAlias = Literal["value", "rank"]

NAMES = ("identity", "linear", "quadratic", "ordinal")
NEEDS = {
    "too_many_labels": ("need categories that can be counted", "treat the labels as numbers, or group them"),
    "no_order": ("need an order of the labels", "declare the categories in their order"),
    "not_numeric": ("by value need numbers as labels", "use by='rank', or give the categories values"),
}


def weights_reason(coded: Coded, weights: Weights = "identity", by: By = "value") -> str | None:
    """Why these labels cannot carry these weights (a word of ``REASONS``), or None where they can.

    >>> weights_reason(Coded.from_matrix([["low", "high"]]), "linear", "rank")
    'no_order'
    """
    if not coded.countable:
        return "too_many_labels"
    if not isinstance(weights, str) or weights == "identity":
        return None
    if weights not in NAMES:
        raise UserError(
            f"no weights named {weights!r}", expected=f"one of {', '.join(NAMES)}, or a (q, q) array"
        )
    if by not in ("value", "rank"):
        raise UserError(f"weights cannot go by {by!r}", expected="'value' or 'rank'")
    if not coded.has_order:
        return "no_order"
    return "not_numeric" if by == "value" and weights != "ordinal" and coded.values is None else None


def agreement_weights(coded: Coded, weights: Weights = "identity", by: By = "value") -> NDArray[np.float64]:
    """The (q, q) weights w_kl with w_kk = 1, for the categories of ``coded``.

    ``identity`` counts only equal labels; ``linear`` is 1 - |x_k - x_l| / range and ``quadratic`` its square
    (Cohen 1968; Fleiss & Cohen 1973), by the categories' declared ``value`` or by their ``rank``; ``ordinal``
    is 1 - C(|k - l| + 1, 2) / max, by rank (Gwet 2014). An array is taken as it is: symmetric, in [0,
    1], 1 on its diagonal. Labels without the order or the numbers that the weights need are a
    :class:`UserError`.

    >>> agreement_weights(Coded.from_matrix([[1, 2], [4, 4]]), "linear").round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.33], [0.0, 0.33, 1.0]]
    """
    reason = weights_reason(coded, weights, by)
    if reason is not None:
        raise UserError(f"{_named(weights)} weights {NEEDS[reason][0]}", fix=NEEDS[reason][1])
    if not isinstance(weights, str):
        return _custom(np.asarray(weights, np.float64), coded.q)
    if weights == "identity":
        return np.eye(coded.q)
    rank = np.arange(coded.q, dtype=np.float64)
    x = coded.values if by == "value" and coded.values is not None and weights != "ordinal" else rank
    apart = np.abs(x[:, None] - x[None, :])
    distance = {"linear": apart, "quadratic": apart**2, "ordinal": apart * (apart + 1) / 2}[weights]
    widest = distance.max(initial=0.0)
    return 1 - distance / widest if widest > 0 else np.eye(coded.q)


def _custom(weights: NDArray[np.float64], q: int) -> NDArray[np.float64]:
    if weights.shape != (q, q):
        raise UserError(f"weights have shape {weights.shape}", expected=f"({q}, {q}), one row a category")
    sound = (
        (weights == weights.T).all()
        and (np.diag(weights) == 1).all()
        and ((weights >= 0) & (weights <= 1)).all()
    )
    if not sound:
        raise UserError(
            "weights are not agreement weights", expected="symmetric, in [0, 1], 1 on the diagonal"
        )
    return weights


def _named(weights: Weights) -> str:
    return weights if isinstance(weights, str) else "custom"
