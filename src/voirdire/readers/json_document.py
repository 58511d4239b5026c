"""JSON: an array of objects, or an object whose key ``ratings`` holds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.readers.files import decode, read_bytes
from voirdire.readers.inspect_log import is_log, records_of_log
from voirdire.readers.label_studio import minimal_note
from voirdire.readers.records import read_records, unique_keys
from voirdire.readers.tools import told_by_tool
from voirdire.registry import register
from voirdire.study.faults import Faults
from voirdire.study.raw import RawTable

__all__ = ["read_json"]


@register("reader", "json")
def read_json(path: Path, *, encoding: str = "") -> RawTable:
    """Read an array of objects, one a rating; the n-th object is row n.

    Label Studio's tasks, Argilla's records and Kili's assets are known by their form: every person's label is
    a rating, predictions and suggestions are a judge's, and row n is the n-th task. A log of Inspect's
    in its JSON form is read as an ``.eval`` file is.
    """
    file = read_bytes(path)
    text = decode(file, encoding)
    name = file.source.name
    try:
        document = json.loads(text.data.decode(text.encoding), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as problem:
        raise UserError(f"is not JSON ({problem})", where=name, expected="an array of objects") from None
    records = records_of_log(document, name) if is_log(document) else _records(document, name)
    told = told_by_tool(records, path)
    if told is not None:
        return read_records(told.records, told.rows, file.source).noting(text.note, *told.notes)
    table = read_records(records, range(1, len(records) + 1), file.source)
    return table.noting(text.note, minimal_note(table.columns, name))


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
