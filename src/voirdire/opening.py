"""Opening a study: from a file, a frame in memory, a folder, or its study.yaml."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voirdire import registry
from voirdire.errors import UserError
from voirdire.readers.frames import is_frame, read_frame
from voirdire.study.build import build
from voirdire.study.config import MetricConfig, RaterConfig, ScaleConfig, StudyConfig, TableConfig
from voirdire.study.criterion import criterion_hash
from voirdire.study.declaration import load_declaration, read_declaration
from voirdire.study.faults import Faults
from voirdire.study.folder import sort_tables
from voirdire.study.raw import RawTable
from voirdire.study.study import Study

if TYPE_CHECKING:
    from voirdire.store.ratings import Kept
    from voirdire.store.sql import Store

__all__ = ["OwnFolder", "Reading", "find_tables", "open", "read", "read_folder", "read_table"]

DECLARATIONS = ("study.yaml", "study.yml")
FOLDERS = ("bench.yaml",)
"""Files of folders that are read as a study in a way of their own, registered under the kind ``folder``."""
GENERIC_NAMES = ("long", "wide", "labels", "ratings", "data", "annotations", "study")
STORE = "voirdire.sqlite"
"""The store in a study's folder; :mod:`voirdire.store` is imported only where there is one."""
URL = r"[a-z][a-z0-9+]+://"
ELSEWHERE = ("http", "file", "ftp", "s3")
"""How addresses begin that are no database's."""
NO_SUFFIX = "frame"
"""The one reader that reads no file."""


def open(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    judges: Collection[str] | str = (),
    wide: Sequence[str] | str = (),
    missing: Sequence[str] | str | None = None,
    config: Mapping[str, Any] | None = None,
) -> Study:
    """Open a study from a file of labels, a frame, a folder with study.yaml, or the study.yaml itself.

    ``source`` is a path; a pandas, Polars or Arrow frame; a dict of columns or a list of records. ``columns``
    maps a canonical column to the table's own name (``{"label": "score"}``; ``item_id`` may join several with
    ``+``), ``judges`` are raters that are judges, ``wide`` the columns that hold one rater each, ``missing``
    the spellings of a missing label (``[]`` for none); one name may stand alone. ``config`` holds further
    keys of study.yaml (``{"on_duplicate": "first"}``), which come before those of the file. A user's mistakes
    are raised as :class:`~voirdire.errors.UserError`.

    >>> labels = {"item_id": ["a", "a", "a"], "rater_id": ["Ann", "Bo", "J"], "label": ["yes", "no", "yes"]}
    >>> study = open(labels, judges="J")
    >>> study
    <Study data frame: 3 ratings of 1 item on 1 metric by 2 people and 1 judge>
    >>> study.assumptions[0]
    "data frame: no metric column, so all labels belong to one metric, 'label'."
    """
    found = read(source, columns=columns, wide=wide, missing=missing, config=config)
    return build(found.tables, found.config, name=found.name, judges=_names(judges), assumptions=found.notes)


@dataclass(frozen=True, eq=False)
class Reading:
    """What :func:`read` found: each table and the study with their declarations, and what was assumed."""

    tables: tuple[tuple[RawTable, TableConfig], ...]
    config: StudyConfig
    name: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class OwnFolder:
    """What a folder with a reader of its own holds: tables, their declaration, and the verdicts that count.

    ``asked`` are content hashes of verdicts in the folder's store.
    """

    tables: tuple[tuple[RawTable, TableConfig], ...]
    config: StudyConfig
    asked: frozenset[str]
    notes: tuple[str, ...] = ()


def read(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    wide: Sequence[str] | str = (),
    missing: Sequence[str] | str | None = None,
    config: Mapping[str, Any] | None = None,
) -> Reading:
    """The tables of a study before they are given a meaning; arguments as for :func:`open`."""
    over = _mapping(config, "config", "keys of study.yaml, as in {'on_duplicate': 'first'}")
    named = _mapping(columns, "columns", "canonical names and the table's own, as in {'label': 'score'}")
    spelled = None if missing is None else _names(missing)
    extra: dict[str, Any] = {"columns": named, "raters": _names(wide), "missing": spelled}
    if is_frame(source):
        frame = TableConfig(file="data frame", **extra)
        return Reading(((read_frame(source), frame),), read_declaration(over, where="config"), "data frame")
    if is_store(source):
        return _read_store(source, {**over, "missing": spelled} if spelled is not None else over)
    path = _path(source)
    if path.suffix.lower() in (".yaml", ".yml") or path.is_dir():
        return _read_folder(path, over if spelled is None else {**over, "missing": spelled}, extra)
    table = TableConfig(file=path.name, **extra)
    declared = read_declaration(over, where="config")
    kept, declared = _kept(path.parent, declared) if declared.store else ([], declared)
    return Reading(((read_table(path, table), table), *kept), declared, _name(path))


def find_tables(
    folder: Path, *, columns: Mapping[str, str] | None = None, wide: Sequence[str] = ()
) -> tuple[list[tuple[RawTable, TableConfig]], tuple[str, ...]]:
    """The tables of a folder that has no study.yaml: the ratings and what describes their items."""
    return sort_tables(read_folder(folder), where=str(folder), columns=columns or {}, raters=wide)


def read_folder(folder: Path) -> list[RawTable]:
    """Every table that stands in ``folder`` itself, by name."""
    suffixes = [suffix for suffix in _suffixes() if suffix != "txt"]  # a .txt beside tables is a note, mostly
    files = [file for file in sorted(folder.iterdir()) if _is_table(file, suffixes)]
    return [table for table, _ in _read_all([(file, TableConfig(file=file.name)) for file in files])]


def read_table(path: Path, declared: TableConfig | None = None) -> RawTable:
    """The table in the file at ``path``, read by the reader of its suffix."""
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.removeprefix(".").lower()
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "no such file"
        raise UserError(what, where=str(path), fix="check the path")
    known = _suffixes()
    if suffix not in known:
        raise UserError(
            f"no reader for '.{suffix}' files",
            where=path.name,
            expected=f"one of {', '.join(known)}, or .gz of the text formats",
        )
    reader = registry.get("reader", suffix)
    options = {"encoding": declared.encoding, "delimiter": declared.separator} if declared else {}
    taken = inspect.signature(reader).parameters
    table: RawTable = reader(path, **{name: said for name, said in options.items() if said and name in taken})
    return table


def _read_folder(path: Path, over: Mapping[str, Any], extra: Mapping[str, Any]) -> Reading:
    folder = path if path.is_dir() else path.parent
    beside = (folder / name for name in DECLARATIONS)
    declared = next((file for file in beside if file.exists()), None) if path.is_dir() else path
    loaded = {**(load_declaration(declared) if declared else {}), **over}
    config = read_declaration(loaded, where=declared.name if declared else "config")
    name = folder.resolve().name
    own = next((file for file in FOLDERS if path.is_dir() and (folder / file).is_file()), None)
    if own is not None and declared is None:
        return _read_own(folder, own, config)
    kept, config = _kept(folder, config)
    if config.tables:
        tables = _read_all([(folder / table.file, table) for table in _with_options(config.tables, extra)])
        return Reading((*tables, *kept), config, name)
    found, notes = find_tables(folder, columns=extra["columns"], wide=extra["raters"])
    return Reading((*found, *kept), config, name, notes)


def is_store(source: Any) -> bool:
    """Whether ``source`` is the address of a database.

    >>> is_store("postgresql://host/base"), is_store("labels.csv")
    (True, False)
    """
    text = source if isinstance(source, str) else ""
    return re.match(URL, text) is not None and not text.startswith(ELSEWHERE)


def _read_store(source: str, over: Mapping[str, Any]) -> Reading:
    """All that a store holds, without a study's texts and declarations."""
    from voirdire.store.sql import open_store

    with open_store(source, create=False) as store:
        tables, config = _from_store(store, read_declaration(over, where="config"), alone=True)
        where = store.where
    if not tables:
        raise UserError("holds no label and no verdict", where=where, fix="name the study's folder")
    return Reading(tuple(tables), config, where.rpartition("/")[2])


def _kept(folder: Path, config: StudyConfig) -> tuple[list[tuple[RawTable, TableConfig]], StudyConfig]:
    """What judges and people said, from the study's store, where there is one, and what is known of it."""
    if not config.store and not (folder / STORE).is_file():
        return [], config
    from voirdire.store.beside import open_declared

    with open_declared(folder, config.store, create=False) as store:
        return _from_store(store, config)


def _read_own(folder: Path, file: str, config: StudyConfig) -> Reading:
    """A folder that ``file`` marks: what its own reader finds, and what its store holds of that."""
    from voirdire.store.beside import open_declared

    with open_declared(folder, config.store, create=False) as store:
        found: OwnFolder = registry.get("folder", file)(folder, store)
        asked = {name: getattr(config, name) for name in config.model_fields_set}
        kept, declared = _from_store(store, found.config.model_copy(update=asked), own=found)
    return Reading((*found.tables, *kept), declared, folder.resolve().name, found.notes)


def _from_store(
    store: Store, config: StudyConfig, *, alone: bool = False, own: OwnFolder | None = None
) -> tuple[list[tuple[RawTable, TableConfig]], StudyConfig]:
    """The tables of ``store`` and ``config`` with what it knows; ``alone`` there is no study beside it.

    Of a folder with a reader of its ``own`` those verdicts count whose content hash it asks for, and those
    labels that answer its metrics as they are worded.
    """
    from voirdire.store.labels import collected
    from voirdire.store.ratings import kept_verdicts

    worded = {} if own is None else own.config.metrics
    said = collected(store, criteria={name: criterion_hash(metric) for name, metric in worded.items()})
    tables = []
    if said.ratings is not None:
        tables.append((said.ratings, TableConfig(file=said.ratings.name)))
        if "unrated" not in config.model_fields_set:  # labels are still coming in
            config = config.model_copy(update={"unrated": True})
    if said.reviews is not None:
        tables.append((said.reviews, TableConfig(file=said.reviews.name, kind="reviews")))
    known = {**said.declared, **said.scales} if alone else said.scales
    scales = {name: _with_scale(config.metric(name), scale) for name, scale in known.items()}
    config = config.model_copy(update={"metrics": {**config.metrics, **scales}})
    kept = kept_verdicts(store, parts=config.parts, asked=None if own is None else own.asked)
    if kept is None:
        return tables, config
    tables.append((kept.table, TableConfig(file=kept.table.name)))
    return tables, _with_judges(kept, config)


def _with_scale(declared: MetricConfig, scale: ScaleConfig) -> MetricConfig:
    """A metric on the scale of a round of review, which holds what its own declares and more."""
    return declared.model_copy(update={"scale": scale})


def _with_judges(kept: Kept, config: StudyConfig) -> StudyConfig:
    """``config`` with what a store knows of its judges and of the parts of their verdicts."""
    from voirdire.store.judge_records import declared_judge

    metrics = {
        name: MetricConfig(
            scale=ScaleConfig(labels=list(labels), ordered=True) if labels else config.metric(metric).scale
        )
        for name, (metric, labels) in kept.parts.items()
    }
    raters = {
        name: declared_judge(document).model_copy(update=_told(config.raters.get(name)))
        for name, document in kept.judges.items()
    }
    told = {"metrics": {**metrics, **config.metrics}, "raters": {**config.raters, **raters}}
    return config.model_copy(update=told)


def _told(declared: RaterConfig | None) -> dict[str, Any]:
    """What study.yaml says of a rater, which comes before what a store knows."""
    return {} if declared is None else {name: getattr(declared, name) for name in declared.model_fields_set}


def _with_options(tables: Sequence[TableConfig], extra: Mapping[str, Any]) -> list[TableConfig]:
    """Declared tables with what was asked for on this call, which only one table of ratings can take."""
    asked = {name: extra[name] for name in ("columns", "raters") if extra[name]}
    if not asked:
        return list(tables)
    if sum(table.kind == "ratings" for table in tables) > 1:
        raise UserError(
            "columns and rater columns of several tables were given at once", fix="declare them in study.yaml"
        )
    return [
        table.model_copy(update={**asked, "columns": {**table.columns, **extra["columns"]}})
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
            expected="a path, a pandas, Polars or Arrow frame, a dict of columns or a list of records",
        )
    text = os.fspath(source)
    if re.match(URL, str(text)):
        where = str(text).split("://")[0] + "://..."  # a URL may carry a password
        raise UserError(
            "only files on this machine can be opened", where=where, fix="download the file first"
        )
    if "\x00" in str(text):
        raise UserError("the path holds a NUL character", fix="check the path")
    return Path(os.fsdecode(text))


def _suffixes() -> list[str]:
    """What a file that can be read may end in; a plugin's reader adds its own."""
    return [name for name in registry.names("reader") if name != NO_SUFFIX]


def _is_table(path: Path, suffixes: Collection[str]) -> bool:
    name = path.name.lower().removesuffix(".gz")
    return path.is_file() and not name.startswith(".") and name.rpartition(".")[2] in suffixes


def _names(names: Collection[str] | str) -> list[str]:
    """Names as a list; a single one may stand alone."""
    return [names] if isinstance(names, str) else list(names)


def _mapping(given: Mapping[str, Any] | None, what: str, expected: str) -> dict[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise UserError(f"{what} is a {type(given).__name__}", expected=f"a dict of {expected}")
    return dict(given or {})


def _name(path: Path) -> str:
    """A study's name from its file, or from the folder where the file's own name says nothing."""
    stem = path.name.split(".")[0]
    folder = path.resolve().parent.name
    return folder if stem.lower() in GENERIC_NAMES and folder else stem
