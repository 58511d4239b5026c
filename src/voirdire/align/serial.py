"""Arrays and numbers in plain form for JSON, and back without losing a bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["pack", "unpack"]


def pack(value: Any) -> Any:
    """An array with its shape and type; a number as it is, infinity as text, which JSON lacks.

    >>> pack(np.array([[1.5]])), pack(math.inf)
    ({'values': [1.5], 'shape': [1, 1], 'type': 'float64'}, 'inf')
    """
    if isinstance(value, np.ndarray):
        flat = [pack(item) for item in value.ravel().tolist()]
        return {"values": flat, "shape": list(value.shape), "type": str(value.dtype)}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: pack(item) for name, item in value.items()}
    return value


def unpack(value: Any) -> Any:
    """What :func:`pack` was given."""
    if isinstance(value, dict) and set(value) == {"values", "shape", "type"}:
        flat = [float(item) if isinstance(item, str) else item for item in value["values"]]
        return np.array(flat, dtype=value["type"]).reshape(value["shape"])
    return float(value) if value in ("inf", "-inf", "nan") else value
