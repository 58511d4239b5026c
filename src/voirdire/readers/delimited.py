"""CSV and TSV: one header row, then one record a row; the delimiter and the encoding are found."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.readers.coding import Coder
from voirdire.readers.files import FileBytes, Text, decode, read_bytes
from voirdire.readers.label_studio import minimal_note
from voirdire.readers.naming import named
from voirdire.registry import register
from voirdire.study.column import Column
from voirdire.study.columns import KNOWN, normal_name
from voirdire.study.faults import Faults
from voirdire.study.raw import RawTable

__all__ = ["read_delimited"]

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
CHUNK = 2_000
LONGEST_CELL = 100_000_000
SAMPLE = 30


@register("reader", "csv")
@register("reader", "tsv")
@register("reader", "txt")
def read_delimited(path: Path, *, encoding: str = "", delimiter: str = "") -> RawTable:
    """Read a delimited text file, ``delimiter`` and ``encoding`` being found where they are not declared.

    A record that has more or fewer cells than the header is a fault; all of a file's faults are raised at
    once.
    """
    file = read_bytes(path)
    text = decode(file, encoding)
    if delimiter and (len(delimiter) > 1 or delimiter in '"\r\n'):
        raise UserError(
            f"separator {delimiter!r}", where=file.source.name, expected="one character, as in ';'"
        )
    with _long_cells():
        delimiter = delimiter or _delimiter(text, "\t" if ".tsv" in path.name else ",")
        return _read(file, text, delimiter)


def _read(file: FileBytes, text: Text, delimiter: str) -> RawTable:
    name = file.source.name
    reader = csv.reader(text.lines(), delimiter=delimiter, strict=True)
    faults = Faults()
    try:
        header = next((record for record in reader if any(cell.strip() for cell in record)), None)
        if header is None:
            raise UserError("is empty", where=name, expected="a header row with column names")
        coders = [Coder() for _ in header]
        blank: list[int] = []
        rows = [_add(chunk, coders) for chunk in _chunks(reader, len(header), name, faults, blank)]
    except csv.Error as problem:
        raise UserError(f"is not a table: {problem}", where=f"{name}, row {reader.line_num:,}") from None
    if not rows:
        if faults and len(header) == 1:
            raise UserError(
                f"the first row has one cell, '{header[0][:40]}', and no row below it has",
                where=name,
                expected="a header row with column names",
                fix="remove what stands above the column names",
            )
        faults.check()
        raise UserError("has a header and no rows", where=name, expected="one row a rating")
    columns = [Column(coder.codes(), tuple(coder.values)) for coder in coders]
    notes = [text.note] if text.note else []
    if delimiter != ("\t" if ".tsv" in name else ","):
        notes.append(f"{name} was read with {DELIMITERS.get(delimiter, repr(delimiter))} between cells.")
    if blank:
        rows_were = "row was" if len(blank) == 1 else "rows were"
        notes.append(f"{name}: {len(blank):,} blank {rows_were} left out, the first row {blank[0]:,}.")
    notes += filter(None, [minimal_note(header, name)])
    kept, said = named(header, columns, name)
    return RawTable(
        file.source,
        kept,
        np.concatenate(rows),
        text=True,
        comma=delimiter != ",",
        notes=(*notes, *said),
        problem=faults.error(),
    )


def _add(chunk: tuple[list[list[str]], list[int]], coders: list[Coder]) -> NDArray[np.int64]:
    records, lines = chunk
    for coder, cells in zip(coders, zip(*records, strict=True), strict=True):
        coder.add(cells)
    return np.asarray(lines, dtype=np.int64)


def _chunks(
    reader: Any, width: int, name: str, faults: Faults, blank: list[int]
) -> Iterator[tuple[list[list[str]], list[int]]]:
    """Records of the right width with the line each starts on, many at a time; the others become faults.

    A record whose cells are all blank, as spreadsheets leave below a table, is none; ``blank`` gets its line.
    """
    records: list[list[str]] = []
    lines: list[int] = []
    line = reader.line_num + 1
    try:
        for record in reader:
            if len(record) == width and (record[0].strip() or any(cell.strip() for cell in record)):
                records.append(record)
                lines.append(line)
                if len(records) == CHUNK:
                    yield records, lines
                    records, lines = [], []
            elif not any(cell.strip() for cell in record):
                blank += [line] * bool(record)
            else:
                faults.add(
                    f"{len(record)} cells",
                    where=f"{name}, row {line:,}",
                    expected=f"{width}, as in the header",
                    fix="put quotes round a cell that holds the separator",
                )
            line = reader.line_num + 1
    except csv.Error as problem:
        faults.add(_broken(problem), where=f"{name}, row {line:,}", fix='double a quote inside a cell: ""')
    if records:
        yield records, lines


def _broken(problem: csv.Error) -> str:
    if "unexpected end" in str(problem):
        return "a quote that opens here is never closed"
    return f"is not well quoted, so the rows below are not read ({problem})"


def _delimiter(text: Text, usual: str) -> str:
    """The delimiter whose first records are most like a table: known names, equal widths, many columns."""

    def likeness(delimiter: str) -> tuple[int, float, int]:
        records = [
            record for record in islice(csv.reader(text.lines(), delimiter=delimiter), SAMPLE) if record
        ]
        if not records or len(records[0]) < 2:
            return (0, 0.0, 0)
        width = len(records[0])
        known = sum(normal_name(cell) in KNOWN for cell in records[0])
        return (known, sum(len(record) == width for record in records) / len(records), width)

    candidates = [usual, *(delimiter for delimiter in DELIMITERS if delimiter != usual)]
    try:
        return max(candidates, key=likeness)
    except csv.Error:
        return usual


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let the csv module read whole transcripts in one cell; its limit is global, so it is put back."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)
