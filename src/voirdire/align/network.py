"""The small network of NAPHA: C inputs, 2C rectified hidden units, softmax over C labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voirdire.align.lbfgs import minimise
from voirdire.align.numerics import mixture_loss, softmax, through_softmax

__all__ = ["fit_network", "forward", "objective", "size", "start_of"]

Floats = NDArray[np.float64]
ITERATIONS = 200


def size(c: int) -> int:
    """4 C^2 + 3 C coefficients."""
    return 4 * c * c + 3 * c


def _split(theta: Floats, c: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Weights (2C, C) and biases (2C,) of the hidden layer, weights (C, 2C) and biases (C,) of the output."""
    h = 2 * c
    w, b, v, d = np.split(theta, np.cumsum([h * c, h, c * h]))
    return w.reshape(h, c), b, v.reshape(c, h), d


def forward(theta: Floats, inputs: Floats) -> tuple[Floats, Floats]:
    """Output probabilities (n, C) and hidden activations (2C, n)."""
    w, b, v, d = _split(theta, inputs.shape[1])
    hidden = np.maximum(w @ inputs.T + b[:, None], 0.0)
    return softmax((v @ hidden + d[:, None]).T), hidden


def objective(
    theta: Floats, inputs: Floats, floor: Floats, shares: Floats, ridge: float
) -> tuple[float, Floats]:
    """Cross-entropy of label shares (n, C), KL but for a constant, plus weight decay; and its gradient."""
    c = inputs.shape[1]
    _, _, v, _ = _split(theta, c)
    model, hidden = forward(theta, inputs)
    loss, slope = mixture_loss(model, floor, shares)
    out = through_softmax(model, slope).T
    back = (v.T @ out) * (hidden > 0)
    gradient = np.concatenate(
        [(back @ inputs).ravel(), back.sum(axis=1), (out @ hidden.T).ravel(), out.sum(axis=1)]
    )
    return loss + 0.5 * ridge * float(theta @ theta), gradient + ridge * theta


def start_of(c: int, rng: np.random.Generator) -> Floats:
    """Normal weights scaled by fan-in (He et al. 2015), biases 0."""
    h = 2 * c
    w = rng.standard_normal((h, c)) * np.sqrt(2 / c)
    v = rng.standard_normal((c, h)) * np.sqrt(1 / h)
    return np.concatenate([w.ravel(), np.zeros(h), v.ravel(), np.zeros(c)])


def fit_network(
    inputs: Floats, floor: Floats, shares: Floats, decay: float, rng: np.random.Generator
) -> Floats:
    """Coefficients (4 C^2 + 3 C,) with ``decay`` on the mean loss, so n * decay on its sum; by L-BFGS."""
    ridge = decay * len(inputs)
    floor, shares = np.asfortranarray(floor), np.asfortranarray(shares)
    start = start_of(inputs.shape[1], rng)
    return minimise(
        lambda theta: objective(theta, inputs, floor, shares, ridge), start, iterations=ITERATIONS
    )
