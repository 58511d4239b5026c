"""JSON: an array of objects, or an object whose key ``ratings`` holds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.readers.files import decode, read_bytes
from voirdire.readers.label_studio import are_tasks, ratings_of_tasks
from voirdire.readers.records import read_records, unique_keys
from voirdire.registry import register
from voirdire.study.faults import Faults
from voirdire.study.raw import RawTable

__all__ = ["read_json"]


@register("reader", "json")
def read_json(path: Path, *, encoding: str = "") -> RawTable:
    """Read an array of objects, one a rating, or Label Studio's tasks; the n-th object is row n."""
    file = read_bytes(path)
    text = decode(file, encoding)
    name = file.source.name
    try:
        document = json.loads(text.data.decode(text.encoding), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as problem:
        raise UserError(f"is not JSON ({problem})", where=name, expected="an array of objects") from None
    records = _records(document, name)
    if are_tasks(records):
        ratings, rows, note = ratings_of_tasks(records, name)
        return read_records(ratings, rows, file.source).noting(text.note).noting(note)
    return read_records(records, range(1, len(records) + 1), file.source).noting(text.note)


def _records(document: object, name: str) -> list[dict[str, Any]]:
    if isinstance(document, dict):
        document = document.get("ratings", document)
    if isinstance(document, dict):
        keys = ", ".join(list(document)[:20])
        raise UserError(
            f"is one object with the keys {keys}",
            where=name,
            expected="an array of objects, or one under ratings",
        )
    if not isinstance(document, list):
        raise UserError("is a single value", where=name, expected="an array of objects")
    faults = Faults()
    for row, record in enumerate(document, start=1):
        if not isinstance(record, dict):
            faults.add("is no object", where=f"{name}, row {row:,}", expected="one object a rating")
    faults.check()
    return document
