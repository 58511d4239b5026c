"""JSON Lines: one object a line; blank lines are passed over."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from voirdire.readers.files import decode, read_bytes
from voirdire.readers.label_studio import minimal_note
from voirdire.readers.records import read_records, unique_keys
from voirdire.readers.tools import told_by_tool
from voirdire.registry import register
from voirdire.study.faults import Faults
from voirdire.study.raw import RawTable

__all__ = ["read_json_lines"]


@register("reader", "ndjson")
@register("reader", "jsonl")
def read_json_lines(path: Path, *, encoding: str = "") -> RawTable:
    """Read one JSON object a line; every line that is none is a fault, and all are raised at once.

    Lines that are a labelling tool's tasks, records or assets are read as in a JSON array.
    """
    file = read_bytes(path)
    text = decode(file, encoding)
    name = file.source.name
    decoder = json.JSONDecoder(object_pairs_hook=unique_keys)
    faults = Faults()
    records: list[dict[str, Any]] = []
    rows: list[int] = []
    for number, line in enumerate(text.lines(), start=1):
        if not line.strip():
            continue
        try:
            record = decoder.decode(line)
        except (ValueError, RecursionError) as problem:
            faults.add(
                f"is not JSON ({problem})", where=f"{name}, row {number:,}", expected="one object a line"
            )
            continue
        if not isinstance(record, dict):
            faults.add(f"is {_kind(record)}", where=f"{name}, row {number:,}", expected="one object a line")
            continue
        records.append(record)
        rows.append(number)
    if not records:
        faults.check()
    told = told_by_tool(records, path)
    if told is None:
        table = read_records(records, rows, file.source)
    else:
        table = read_records(told.records, [rows[row - 1] for row in told.rows], file.source)
    notes = told.notes if told else (minimal_note(table.columns, name),)
    return replace(table.noting(text.note, *notes), problem=faults.error())


def _kind(value: object) -> str:
    names = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
