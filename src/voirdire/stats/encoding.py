"""From arrays as people hold them to integer codes: what is missing, what is a label, what has an order."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from voirdire.errors import UserError

__all__ = ["MISSING", "Encoded", "encode", "is_missing", "number_ids"]

MISSING = -1
TABLE_SPAN = 1 << 16  # integers this close together are coded through one look-up table


@dataclass(frozen=True, slots=True)
class Encoded:
    """Codes (any shape, int32, ``MISSING`` where no label) and what the ``q`` categories are."""

    codes: NDArray[np.int32]
    categories: tuple[Hashable, ...]
    values: NDArray[np.float64] | None
    ordered: bool


def is_missing(label: object) -> bool:
    """Whether a label is a real null: ``None`` or a NaN. The texts "nan", "None" and "" are labels.

    >>> [is_missing(label) for label in (None, float("nan"), "nan", "", 0)]
    [True, True, False, False, False]
    """
    return label is None or (isinstance(label, float | np.floating) and bool(np.isnan(label)))


def encode(labels: ArrayLike, categories: Sequence[Hashable] | None = None) -> Encoded:
    """Code labels by their place among the declared categories, or among those seen.

    Declared categories keep their declared order. Categories that are only seen are sorted; numbers then
    carry their order and value, words carry neither. A label outside the declared categories is a
    :class:`UserError`.

    >>> encode([[1.0, 2.0], [float("nan"), 5.0]]).codes.tolist()
    [[0, 1], [-1, 2]]
    """
    array = labels if isinstance(labels, np.ndarray) else np.asarray(labels, dtype=object)
    if categories is not None and len(set(categories)) != len(categories):
        raise UserError("a category is declared twice", where=f"categories {list(categories)}")
    numeric = _numeric(array, categories)
    if numeric is None:
        return _encode_objects(array, categories)
    missing = np.isnan(numeric)
    declared = None if categories is None else np.array([float(_plain(c)) for c in categories])
    codes, known = _encode_numbers(numeric, missing, declared)
    names = tuple(known.tolist()) if categories is None else tuple(categories)
    return Encoded(codes, names, known, ordered=True)


def number_ids(ids: Iterable[Hashable]) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Number ids from 0 in the order in which they first appear; the codes and the ids behind them.

    >>> number_ids(["b", "a", "b"])[0].tolist()
    [0, 1, 0]
    """
    place: dict[Hashable, int] = {}
    codes = np.fromiter((place.setdefault(_plain(i), len(place)) for i in ids), np.int32)
    return codes, list(place)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _is_number(label: object) -> bool:
    return isinstance(label, numbers.Real | np.bool_)


def _numeric(array: NDArray[Any], categories: Sequence[Hashable] | None) -> NDArray[np.float64] | None:
    """The labels as floats, NaN where missing, if they and the declared categories are all numbers."""
    if categories is not None and not all(_is_number(c) for c in categories):
        return None
    if array.dtype.kind in "fiub":
        return array.astype(np.float64, copy=False)
    if array.dtype.kind != "O" or not all(is_missing(x) or _is_number(x) for x in array.ravel()):
        return None
    return np.array([np.nan if x is None else x for x in array.ravel()], np.float64).reshape(array.shape)


def _encode_numbers(
    x: NDArray[np.float64], missing: NDArray[np.bool_], declared: NDArray[np.float64] | None
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    if np.isinf(x).any():
        raise UserError("a label is infinite", expected="finite numbers, NaN where missing")
    filled = np.where(missing, 0.0, x)
    span = _span(filled, declared)
    whole = filled.astype(np.int64) if span is not None else None
    if span is not None and whole is not None and bool((whole == filled).all()):
        low, high = span
        times = np.bincount((whole - low).ravel(), minlength=high - low + 1)
        times[-low] -= missing.sum()  # where missing, the label was filled with 0, which lies in the span
        seen = np.flatnonzero(times) + low
        known = seen.astype(np.float64) if declared is None else declared
        table = np.full(high - low + 1, MISSING - 1, np.int32)
        table[known.astype(np.int64) - low] = np.arange(len(known))
        codes = table[whole - low]
    else:
        known = np.unique(x[~missing]) if declared is None else declared
        order = np.argsort(known, kind="stable").astype(np.int32)
        place = np.searchsorted(known[order], filled).clip(0, max(len(known) - 1, 0))
        found = known[order][place] == filled if len(known) else np.zeros(x.shape, bool)
        codes = np.where(found, order[place] if len(known) else 0, MISSING - 1).astype(np.int32)
    codes[missing] = MISSING
    outside = codes < MISSING
    if outside.any():
        raise _outside(x[outside].ravel()[0], known.tolist())
    return codes, known


def _span(x: NDArray[np.float64], declared: NDArray[np.float64] | None) -> tuple[int, int] | None:
    """The integers to look up, lowest and highest with 0 between; None where they are many or not whole."""
    ends = x.ravel() if declared is None else np.append([x.min(initial=0), x.max(initial=0)], declared)
    low, high = ends.min(initial=0), ends.max(initial=0)
    if high - low >= TABLE_SPAN or not (declared is None or (declared == np.floor(declared)).all()):
        return None
    return int(np.floor(low)), int(np.ceil(high))


def _encode_objects(array: NDArray[Any], categories: Sequence[Hashable] | None) -> Encoded:
    flat = [_plain(label) for label in array.ravel()]
    if categories is None:
        seen = {label for label in flat if not is_missing(label)}
        known: tuple[Hashable, ...] = tuple(
            sorted(seen, key=lambda label: (type(label).__name__, str(label)))
        )
    else:
        known = tuple(categories)
    place: dict[Any, int] = {category: k for k, category in enumerate(known)}
    codes = np.empty(len(flat), np.int32)
    for i, label in enumerate(flat):
        code = MISSING if is_missing(label) else place.get(label)
        if code is None:
            raise _outside(label, list(known))
        codes[i] = code
    return Encoded(codes.reshape(array.shape), known, None, ordered=categories is not None)


def _outside(label: object, known: list[Any]) -> UserError:
    shown = ", ".join(repr(k) for k in known[:12]) + (", ..." if len(known) > 12 else "")
    return UserError(
        f"label {_plain(label)!r} is not among the declared categories",
        expected=f"one of {shown}",
        fix="declare it, or mark it as missing (None, NaN)",
    )
