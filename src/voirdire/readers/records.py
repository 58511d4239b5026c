"""Records, as JSON has them: turned into columns a chunk at a time, an absent key being a missing value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from voirdire.errors import UserError
from voirdire.readers.coding import code_values
from voirdire.readers.naming import check_characters, named
from voirdire.study.column import Column
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable

__all__ = ["read_records", "unique_keys"]

CHUNK = 50_000


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose keys stand once each; a key that stands twice is an error that names it."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key '{next(key for key in keys if keys.count(key) > 1)}' stands twice")
    return record


def read_records(records: Iterable[Mapping[str, Any]], rows: Sequence[int], source: Source) -> RawTable:
    """The table of ``records`` (n,) from ``rows`` (n,) of ``source``; columns in order of appearance."""
    cells: dict[str, list[Any]] = {}
    n = 0
    stream = iter(records)
    while chunk := list(islice(stream, CHUNK)):
        for name in dict.fromkeys(key for record in chunk for key in record):
            column = cells.setdefault(name, [None] * n)
            column.extend([None] * (n - len(column)))
            column.extend([record.get(name) for record in chunk])
        n += len(chunk)
    if not n:
        raise UserError("has no rows", where=source.name, expected="one record a rating")
    columns: list[Column] = []
    whole = []
    for name, values in cells.items():
        values.extend([None] * (n - len(values)))
        coded, is_whole = code_values(values)
        columns.append(coded)
        whole += [name] if is_whole else []
    kept, notes = named(list(cells), columns, source.name)
    check_characters(kept, source.name)
    row = np.asarray(rows, dtype=np.int64)
    return RawTable(source, kept, row, text=False, whole=frozenset(whole), notes=tuple(notes))
