"""How a table is written: delimited text, JSON Lines or Parquet, by the file's suffix."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.writers.columns import Table

__all__ = ["write_table"]

CHUNK = 50_000
BOOLEANS = {"true": True, "false": False}
OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def write_table(table: Table, path: str | PathLike[str]) -> Path:
    """Write ``table`` in the format of the suffix of ``path``, and return the path.

    A suffix that no writer knows, a file that cannot be written, and labels that a text file cannot tell from
    missing ones are users' errors.
    """
    target = Path(path)
    packed = target.suffix.lower() == ".gz"
    suffix = (target.with_suffix("") if packed else target).suffix.lower()
    if suffix not in WRITERS or (packed and suffix == ".parquet"):
        raise UserError(
            f"no writer for '{''.join(target.suffixes) or target.name}'",
            where=str(path),
            expected=f"one of {', '.join(WRITERS)}, or .gz of the text formats",
        )
    try:
        WRITERS[suffix](table, target)
    except OSError as problem:
        raise UserError(f"cannot be written: {problem.strerror or problem}", where=str(path)) from None
    return target


def write_csv(table: Table, path: Path) -> None:
    """Comma-separated UTF-8 text."""
    _write_delimited(table, path, ",")


def write_tsv(table: Table, path: Path) -> None:
    """Tab-separated UTF-8 text."""
    _write_delimited(table, path, "\t")


def write_json_lines(table: Table, path: Path) -> None:
    """One object a line, null where missing."""
    names = [*table.columns, *table.numbers]
    with _opened(path) as file:
        for row in _rows(table, flags=table.flags):
            file.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n")


def write_parquet(table: Table, path: Path) -> None:
    """Parquet with text columns, booleans and numbers; nulls where missing."""
    cells: dict[str, NDArray[Any]] = {
        name: _texts(column)[column.codes] for name, column in table.columns.items()
    }
    kept = []
    for name in cells:
        kind = "BOOLEAN" if name in table.flags else "VARCHAR"
        kept.append(f"CAST({_identifier(name)} AS {kind}) AS {_identifier(name)}")
    for name, values in table.numbers.items():
        column = _identifier(name)
        missing = f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END AS {column}"
        kept.append(missing if values.dtype.kind == "f" else column)
    target = "'" + str(path).replace("'", "''") + "'"
    with duckdb.connect(config=OFFLINE) as database:
        database.register("ratings", {**cells, **table.numbers})
        try:
            database.execute(
                f"COPY (SELECT {', '.join(kept)} FROM ratings) TO {target} (FORMAT parquet, COMPRESSION zstd)"
            )
        except duckdb.IOException as problem:
            raise UserError(f"cannot be written: {str(problem).splitlines()[0]}", where=str(path)) from None


WRITERS: Mapping[str, Callable[[Table, Path], None]] = {
    ".csv": write_csv,
    ".tsv": write_tsv,
    ".jsonl": write_json_lines,
    ".parquet": write_parquet,
}


def _write_delimited(table: Table, path: Path, delimiter: str) -> None:
    if "label" in table.columns:
        _check_empty_labels(table.columns["label"], path)
    with _opened(path) as file:
        # both line-end characters must be special to the csv module, or one stays unquoted in a cell
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\r\n")
        writer.writerow([*table.columns, *table.numbers])
        writer.writerows(_rows(table))


def _check_empty_labels(label: Column, path: Path) -> None:
    if "" in label.values and label.is_missing.any() and label.equals("").any():
        raise UserError(
            "some labels are the empty text and some are missing, which text files cannot tell apart",
            where=str(path),
            fix="export to .jsonl or .parquet",
        )


def _rows(table: Table, *, flags: Collection[str] = ()) -> Iterator[tuple[Any, ...]]:
    """The rows, a chunk of columns at a time; None where missing, True and False in columns of ``flags``."""
    texts = {name: _texts(column) for name, column in table.columns.items()}
    for name in flags:
        texts[name] = np.array([BOOLEANS.get(value) for value in texts[name]], dtype=object)
    for start in range(0, len(table), CHUNK):
        part = slice(start, start + CHUNK)
        cells = [texts[name][column.codes[part]].tolist() for name, column in table.columns.items()]
        for values in table.numbers.values():
            cells.append([None if math.isnan(value) else value for value in values[part].tolist()])
        yield from zip(*cells, strict=True)


def _texts(column: Column) -> NDArray[np.object_]:
    """The column's values with None at the end, where code −1 finds it."""
    texts = np.empty(len(column.values) + 1, dtype=object)
    texts[:-1] = column.values
    return texts


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _opened(path: Path) -> Iterator[io.TextIOWrapper]:
    """The file for writing, packed where its name ends in .gz, without a time inside so that bytes repeat."""
    with ExitStack() as stack:
        file: Any = stack.enter_context(path.open("wb"))
        if path.suffix.lower() == ".gz":
            file = stack.enter_context(gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0))
        yield stack.enter_context(io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=False))
