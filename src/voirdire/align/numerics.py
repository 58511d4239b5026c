"""What every calibrator's fit is made of: softmax, the mixture with a floor, and L-BFGS.

Small fits are quickest with one BLAS thread (set ``OMP_NUM_THREADS=1``): several threads wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

__all__ = ["PRIOR_MASS", "log_loss", "minimise", "mixture", "mixture_loss", "softmax", "through_softmax"]

PRIOR_MASS = 0.01
"""The share of every prediction that is the base rate, so that no label is ever impossible."""

Floats = NDArray[np.float64]
Objective = Callable[[Floats], tuple[float, Floats]]


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


def log_loss(predicted: Floats, counts: Floats) -> Floats:
    """-sum_c n_ic log q_ic of each row (n,), in nats."""
    loss: Floats = -(counts * np.log(predicted)).sum(axis=1)
    return loss


def minimise(objective: Objective, start: Floats, *, iterations: int = 300) -> Floats:
    """The minimum of ``objective`` (value and gradient) by L-BFGS from ``start`` (p,)."""
    if not len(start):
        return start
    options: Any = {"maxiter": iterations, "ftol": 1e-8, "gtol": 1e-4, "maxcor": 20}
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x, dtype=np.float64)
