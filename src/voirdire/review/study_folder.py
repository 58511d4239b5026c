"""A study as a folder of plain files: what its own files and its store hold, for anybody to audit."""

from __future__ import annotations

import re
from collections.abc import Set
from pathlib import Path

import numpy as np
import yaml

from voirdire.errors import UserError
from voirdire.opening import read
from voirdire.review.desk import Desk, Round
from voirdire.review.golden import GoldenOptions, golden_set, golden_table
from voirdire.store.sql import is_url
from voirdire.study.build import build
from voirdire.study.column import Column
from voirdire.study.config import StudyConfig, TableConfig
from voirdire.study.raw import RawTable
from voirdire.study.study import Study
from voirdire.writers.columns import Table, rating_columns
from voirdire.writers.formats import write_table

__all__ = ["GOLDEN", "export_golden", "export_study"]

GOLDEN = "golden set"
"""The rater under whose name the labels of a golden set stand."""


def export_study(desk: Desk, folder: Path) -> Path:
    """Write every table of the study, those of its store too, and a study.yaml that reads them the same.

    An audit of ``folder`` is that of the study with its store, but for the names of files. The folder is
    made; one that holds a study.yaml is a user's error. Returns the study.yaml.
    """
    target = _made(folder)
    found = read(desk.source, config={"store": desk.store.url})
    taken: set[str] = set()
    written = []
    for table, declared in found.tables:
        # a decimal comma is looked for only where no comma divides the cells
        file = f"{_free(_called(table, declared), taken)}.{'tsv' if table.comma else 'csv'}"
        write_table(Table(table.columns, {}), folder / file)
        written.append(_declared(file, table, declared))
    named = {"name": found.config.name or found.name, "store": "", "tables": written}
    return _declare(found.config.model_copy(update=named), target)


def export_golden(desk: Desk, round_: Round, folder: Path, options: GoldenOptions | None = None) -> Path:
    """Write a round's golden set as a study to audit or gate a judge against; returns its study.yaml.

    The set's labels are those of one rater, ``golden set``, for they are one label an item, however many
    people agreed on it: figures that need several people are not measurable on it. The verdicts of judges on
    the same items and the items themselves stand beside it.
    An empty set, and a folder that holds a study.yaml, are users' errors.
    """
    rows = golden_set(desk, round_, options)
    if not rows:
        raise UserError(
            "no label is agreed on or ruled yet",
            where=round_.id,
            fix="wait for labels, or ask for less agreement",
        )
    target = _made(folder)
    found = read(desk.source, config={"store": desk.store.url, "unrated": True})
    study = build(found.tables, found.config, name=found.name)
    metrics = sorted({row.metric for row in rows})
    wanted = {(row.item_id, row.metric) for row in rows}
    write_table(golden_table(rows), folder / "golden.csv")
    declared = [TableConfig(file="golden.csv", set={"rater_id": GOLDEN, "rater_kind": "human"}, missing=[""])]
    verdicts, items = _verdicts(study, wanted), _items(study, {item for item, _ in wanted})
    if len(verdicts):
        write_table(verdicts, folder / "verdicts.csv")
        declared.append(TableConfig(file="verdicts.csv", missing=[""]))
    if len(items.columns) > 1:
        write_table(items, folder / "items.csv")
        declared.append(TableConfig(file="items.csv", kind="items", missing=[""]))
    judges = {study.raters[code].id for code in study.raters_of("judge")} if len(verdicts) else set()
    config = StudyConfig(
        name=f"{found.config.name or found.name}: golden set",
        tables=declared,
        metrics={name: found.config.metric(name) for name in metrics},
        raters={name: told for name, told in found.config.raters.items() if name in judges},
        clusters=found.config.clusters,
        slices=found.config.slices,
    )
    return _declare(config, target)


def _verdicts(study: Study, wanted: Set[tuple[str, str]]) -> Table:
    """What judges said of the ``wanted`` items and metrics, without the items' own columns."""
    ratings = study.ratings
    asked = [
        (study.items.ids[item], study.metrics[metric].name) in wanted
        for item, metric in zip(ratings.item.tolist(), ratings.metric.tolist(), strict=True)
    ]
    kept = study.is_kind("judge")[ratings.rater] & np.array(asked, dtype=np.bool_)
    every = rating_columns(study)
    own = {*study.items.attributes, *study.items.texts}
    texts = {name: column.take(kept) for name, column in every.columns.items() if name not in own}
    return Table(texts, {name: values[kept] for name, values in every.numbers.items()})


def _items(study: Study, wanted: Set[str]) -> Table:
    codes = np.array([code for code, name in enumerate(study.items.ids) if name in wanted], dtype=np.int64)
    columns = {"item_id": Column.of(study.items.ids), **study.items.attributes, **study.items.texts}
    return Table({name: column.take(codes) for name, column in columns.items()}, {})


def _made(folder: Path) -> Path:
    """The study.yaml to write in ``folder``, which is made."""
    target = folder / "study.yaml"
    if target.exists():
        raise UserError("exists already", where=str(target), fix="name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    return target


def _declare(config: StudyConfig, target: Path) -> Path:
    document = config.model_dump(mode="json", exclude_defaults=True)
    text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=110)
    target.write_text(text, encoding="utf-8")
    return target


def _called(table: RawTable, declared: TableConfig) -> str:
    """A file's name: its own, or what a table of the store holds."""
    if not is_url(declared.file):
        return Path(declared.file).name.split(".")[0]
    if declared.kind == "reviews":
        return "reviews"
    return "verdicts" if table.columns["rater_kind"].values == ("judge",) else "labels"


def _declared(file: str, table: RawTable, declared: TableConfig) -> TableConfig:
    """How the file is read: as its source, whose nulls are the only missing values where it is typed."""
    update: dict[str, object] = {"file": file, "encoding": "", "separator": ""}
    if not table.text and declared.missing is None:
        update["missing"] = [""]
    return declared.model_copy(update=update)


def _free(name: str, taken: set[str]) -> str:
    """``name`` as a file's, which no other table has."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "table"
    candidates = (plain if k == 1 else f"{plain}-{k}" for k in range(1, len(taken) + 2))
    free = next(one for one in candidates if one.lower() not in taken)
    taken.add(free.lower())
    return free
