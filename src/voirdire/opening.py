"""Opening a study: from a file, a frame in memory, a folder, or its study.yaml."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from voirdire import registry
from voirdire.errors import UserError
from voirdire.readers.frames import is_frame, read_frame
from voirdire.study.build import build
from voirdire.study.config import StudyConfig, TableConfig
from voirdire.study.declaration import load_declaration, read_declaration
from voirdire.study.faults import Faults
from voirdire.study.folder import sort_tables
from voirdire.study.raw import RawTable
from voirdire.study.study import Study

__all__ = ["open", "read_table"]

DECLARATIONS = ("study.yaml", "study.yml")
GENERIC_NAMES = ("long", "wide", "labels", "ratings", "data", "annotations", "study")
TABLE_SUFFIXES = ("csv", "tsv", "jsonl", "ndjson", "json", "parquet")


def open(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    judges: Collection[str] = (),
    wide: Sequence[str] = (),
    missing: Sequence[str] | None = None,
    config: Mapping[str, Any] | None = None,
) -> Study:
    """Open a study from a file of labels, a frame, a folder with study.yaml, or the study.yaml itself.

    ``columns`` maps a canonical column to the table's own name (``{"label": "score"}``; ``item_id`` may join several
    with ``+``), ``judges`` are raters that are judges, ``wide`` the columns that hold one rater each. ``missing`` are
    the spellings of a missing label in text files. ``config`` holds further keys of study.yaml
    (``{"on_duplicate": "first"}``), which come before those of the file. A user's mistakes are raised as ``UserError``.

    >>> study = open({"item_id": ["a", "a", "b"], "rater_id": ["Ann", "Bo", "Ann"], "label": ["pass", "fail", "pass"]})
    >>> study
    <Study data frame: 3 ratings of 2 items on 1 metrics by 2 people and 0 judges>
    """
    over = dict(config or {})
    over |= {"missing": list(missing)} if missing is not None else {}
    extra: dict[str, Any] = {"columns": dict(columns or {}), "raters": list(wide)}
    if is_frame(source):
        table = TableConfig(file="data frame", **extra)
        return build(
            [(read_frame(source), table)], _checked(over, "config"), name="data frame", judges=judges
        )
    path = _path(source)
    if path.suffix.lower() in (".yaml", ".yml") or path.is_dir():
        return _open_folder(path, over, extra, judges)
    table = TableConfig(file=path.name, **extra)
    return build(
        [(read_table(path, table), table)], _checked(over, "config"), name=_name(path), judges=judges
    )


def read_table(path: Path, declared: TableConfig | None = None) -> RawTable:
    """The table in the file at ``path``, read by the reader of its suffix."""
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.removeprefix(".").lower()
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "no such file"
        raise UserError(what, where=str(path), fix="check the path")
    if suffix not in (*TABLE_SUFFIXES, "txt"):
        raise UserError(
            f"no reader for '.{suffix}' files",
            where=path.name,
            expected=f"one of {', '.join(TABLE_SUFFIXES)}, or .gz of the text formats",
        )
    options = {}
    if declared is not None and declared.encoding and suffix != "parquet":
        options["encoding"] = declared.encoding
    if declared is not None and declared.separator and suffix in ("csv", "tsv", "txt"):
        options["delimiter"] = declared.separator
    table: RawTable = registry.get("reader", suffix)(path, **options)
    return table


def _open_folder(
    path: Path, over: Mapping[str, Any], extra: Mapping[str, Any], judges: Collection[str]
) -> Study:
    folder = path if path.is_dir() else path.parent
    declared = (
        path
        if path.is_file()
        else next((folder / name for name in DECLARATIONS if (folder / name).exists()), None)
    )
    loaded = {**(load_declaration(declared) if declared else {}), **over}
    config = _checked(loaded, declared.name if declared else "config")
    if config.tables:
        tables = _read_all([(folder / table.file, table) for table in _with_options(config.tables, extra)])
        notes: tuple[str, ...] = ()
    else:
        files = [file for file in sorted(folder.iterdir()) if _is_table(file)]
        read = _read_all([(file, TableConfig(file=file.name)) for file in files])
        tables, notes = sort_tables([table for table, _ in read], where=str(folder), **extra)
    return build(tables, config, name=folder.resolve().name, judges=judges, assumptions=notes)


def _checked(declared: Mapping[str, Any], where: str) -> StudyConfig:
    return read_declaration(declared, where=where)


def _with_options(tables: Sequence[TableConfig], extra: Mapping[str, Any]) -> list[TableConfig]:
    """Declared tables with what was asked for on this call, which only one table of ratings can take."""
    if not any(extra.values()):
        return list(tables)
    if sum(table.kind == "ratings" for table in tables) > 1:
        raise UserError(
            "columns and rater columns of several tables were given at once", fix="declare them in study.yaml"
        )
    return [
        table.model_copy(
            update={
                "columns": {**table.columns, **extra["columns"]},
                "raters": extra["raters"] or table.raters,
            }
        )
        if table.kind == "ratings"
        else table
        for table in tables
    ]


def _read_all(files: Sequence[tuple[Path, TableConfig]]) -> list[tuple[RawTable, TableConfig]]:
    """Read every file, and report the faults of all of them together."""
    faults = Faults()
    read = []
    for path, declared in files:
        try:
            read.append((read_table(path, declared), declared))
        except UserError as problem:
            faults.collect(problem)
    faults.check()
    return read


def _path(source: Any) -> Path:
    if not isinstance(source, (str, os.PathLike)):
        raise UserError(
            f"cannot open a {type(source).__name__}",
            expected="a path, a folder, a pandas, Polars or Arrow frame, a dict of columns or a list of records",
        )
    text = os.fspath(source)
    if re.match(r"[a-z][a-z0-9+]+://", str(text)):
        store = not str(text).startswith(("http", "file", "ftp", "s3"))
        raise UserError(
            "a store URL cannot be opened by this version"
            if store
            else "only files on this machine can be opened",
            where=str(text).split("://")[0] + "://...",  # a URL may carry a password
            fix="export the ratings to a file" if store else "download the file first",
        )
    if "\x00" in str(text):
        raise UserError("the path holds a NUL character", fix="check the path")
    return Path(os.fsdecode(text))


def _is_table(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz")
    return path.is_file() and not name.startswith(".") and name.rpartition(".")[2] in TABLE_SUFFIXES


def _name(path: Path) -> str:
    """A study's name from its file, or from the folder where the file's own name says nothing."""
    stem = path.name.split(".")[0]
    folder = path.resolve().parent.name
    return folder if stem.lower() in GENERIC_NAMES and folder else stem
