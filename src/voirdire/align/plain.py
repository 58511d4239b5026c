"""Nested frozen records as plain data for JSON, and back: NaN is null, infinity is text."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

__all__ = ["plain", "revived"]


def plain(value: Any) -> Any:
    """A dataclass, its fields in order, as dictionaries, lists and numbers.

    >>> plain((1.5, math.nan, math.inf))
    [1.5, None, 'inf']
    """
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def revived(kind: Any, saved: Any) -> Any:
    """The value of type ``kind`` that :func:`plain` described."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: revived(hints[name], item) for name, item in saved.items()})  # type: ignore[operator]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple:
        return tuple(revived(inner[0], item) for item in saved)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return {name: revived(inner[1], item) for name, item in saved.items()}
    if origin is types.UnionType:
        return None if saved is None else revived(inner[0], saved)
    if kind is float:
        return math.nan if saved is None else float(saved)
    return saved
