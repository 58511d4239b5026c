"""What every calibrator's fit is made of: softmax, the mixture with base rates, and its loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PRIOR_MASS", "log_loss", "mixture", "mixture_loss", "softmax", "through_softmax", "used_codes"]

PRIOR_MASS = 0.01
"""The share of every prediction that is the base rate, so that no label is ever impossible."""

Floats = NDArray[np.float64]


def softmax(logits: Floats) -> Floats:
    """exp(logits) over its sum along the last axis, of any shape.

    >>> softmax(np.log([[1.0, 3.0]])).tolist()
    [[0.25, 0.75]]
    """
    shifted: Floats = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shifted /= shifted.sum(axis=-1, keepdims=True)
    return shifted


def mixture(model: Floats, floor: Floats) -> Floats:
    """0.99 of the model's probabilities and 0.01 of the base rates, both (n, C)."""
    return (1 - PRIOR_MASS) * model + PRIOR_MASS * floor


def mixture_loss(model: Floats, floor: Floats, counts: Floats) -> tuple[float, Floats]:
    """-sum n log q with q the mixture, and its derivative by the model's probabilities (n, C)."""
    q = mixture(model, floor)
    return -float((counts * np.log(q)).sum()), -(1 - PRIOR_MASS) * counts / q


def through_softmax(model: Floats, slope: Floats) -> Floats:
    """The derivative by the logits (n, C), from that by the probabilities ``model`` = softmax(logits)."""
    by_logit: Floats = model * (slope - (model * slope).sum(axis=-1, keepdims=True))
    return by_logit


def used_codes(code: NDArray[np.integer[Any]], size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which of the codes 0 to ``size`` - 1 occur (k,), and each one's place among them (n,).

    As ``np.unique`` with ``return_inverse``, without sorting.

    >>> [each.tolist() for each in used_codes(np.array([3, 1, 3]), 4)]
    [[1, 3], [1, 0, 1]]
    """
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[code] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[code]


def log_loss(predicted: Floats, counts: Floats) -> Floats:
    """-sum_c n_ic log q_ic of each row (n,), in nats."""
    loss: Floats = -(counts * np.log(predicted)).sum(axis=1)
    return loss
