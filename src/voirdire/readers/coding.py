"""Turns streams of values into coded columns; how typed values are written as text."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.column import Column

__all__ = ["Coder", "as_text", "code_values"]

ALIKE = ({int}, {bool}, {date})
"""Types, each alone in its column, whose equal values are always written alike."""


class Coder:
    """Codes one column piece by piece: every distinct value gets the next integer.

    >>> coder = Coder()
    >>> coder.add(["b", "a"]); coder.add(["b"])
    >>> coder.codes().tolist(), coder.values
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self) -> None:
        # the default of a new key is the dict's own length: a lookup codes and stores in one step, in C
        self._seen: defaultdict[Any, int] = defaultdict()
        self._seen.default_factory = self._seen.__len__
        self._parts: list[NDArray[np.int32]] = []

    def add(self, values: Sequence[Any]) -> None:
        """Code further ``values``."""
        self._parts.append(
            np.fromiter(map(self._seen.__getitem__, values), dtype=np.int32, count=len(values))
        )

    def codes(self) -> NDArray[np.int32]:
        """The codes of everything added, (n,)."""
        return np.concatenate(self._parts) if self._parts else np.empty(0, dtype=np.int32)

    def column(self) -> Column:
        """Everything added, all of it text or None, as a column in which None is missing."""
        codes, values = self.codes(), self.values
        if None not in self._seen:
            return Column(codes, tuple(values))
        missing = self._seen[None]
        codes = np.where(codes == missing, -1, codes - (codes > missing)).astype(np.int32)
        return Column(codes, tuple(values[:missing] + values[missing + 1 :]))

    @property
    def values(self) -> list[Any]:
        """The distinct values, in order of first appearance."""
        return list(self._seen)


def code_values(values: Sequence[Any]) -> tuple[Column, bool]:
    """Typed ``values`` (n,) as a column of text, None and not-a-number being missing.

    The second value says whether they were decimal numbers, all whole, which are written without ``.0``.
    """
    kinds = set(map(type, values))
    coder = Coder()
    if kinds <= {str, type(None)}:
        coder.add(values)
        return coder.column(), False
    kinds -= {type(None)}
    if all(issubclass(kind, float) for kind in kinds) or kinds in ALIKE:
        coder.add(values)
    else:  # what is equal and written differently (1 and True, two Decimals, two time zones) stays apart
        coder.add([as_text(value) for value in values])
    distinct = coder.values
    whole = _all_whole(distinct)
    texts = [as_text(value, whole=whole) for value in distinct]
    return Column(coder.codes(), tuple(map(str, distinct))).recode(texts), whole


def as_text(value: Any, *, whole: bool = False) -> str | None:
    """How a typed value is written: true, false, 1 for 1.0 if ``whole``, lists as JSON, None if missing."""
    if value is None or isinstance(value, str):
        return value
    if hasattr(value, "item") and not isinstance(value, np.ndarray):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if whole else repr(value)
    if isinstance(value, (datetime, date, time)):
        return None if value != value else value.isoformat()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        return _json(value)
    try:
        return None if _is_null(value) else str(value)
    except ValueError as problem:  # a whole number of thousands of digits
        raise UserError(f"a cell holds a value that cannot be written as text ({problem})") from None


def _json(value: Iterable[Any]) -> str:
    plain = sorted(map(str, value)) if isinstance(value, (set, frozenset)) else value
    try:
        return json.dumps(plain, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError) as problem:
        raise UserError(f"a cell holds a value that cannot be written as JSON ({problem})") from None


def _is_null(value: Any) -> bool:
    return type(value).__name__ in ("NAType", "NaTType")


def _all_whole(distinct: Sequence[Any]) -> bool:
    numbers = [value for value in distinct if isinstance(value, float) and not math.isnan(value)]
    if not numbers or any(not isinstance(value, float) for value in distinct if value is not None):
        return False
    return all(math.isfinite(value) and value == int(value) and abs(value) < 2**53 for value in numbers)
