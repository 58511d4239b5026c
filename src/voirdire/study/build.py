"""From tables as read, and what is declared about them, to a Study."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from voirdire.errors import UserError
from voirdire.study.clusters import find_clusters
from voirdire.study.column import Column
from voirdire.study.config import StudyConfig, TableConfig
from voirdire.study.duplicates import merge_duplicates
from voirdire.study.faults import Faults
from voirdire.study.items import Items
from voirdire.study.join import ItemTable, item_table, join_items, read_reviews
from voirdire.study.labels import CodedLabels, check_statuses, code_labels
from voirdire.study.long import Long, concatenate
from voirdire.study.metrics import declare_metrics
from voirdire.study.placing import Placed, is_text, place
from voirdire.study.rater import Rater
from voirdire.study.ratings import STATUSES, Ratings, Source
from voirdire.study.raw import RawTable
from voirdire.study.recruit import recruit, with_attributes
from voirdire.study.review import Review
from voirdire.study.slicing import default_slices
from voirdire.study.spelling import count_changes
from voirdire.study.study import Study
from voirdire.study.tables import to_long

__all__ = ["build"]


@dataclass
class _Read:
    """What the tables hold, gathered one after another."""

    ratings: list[Long] = field(default_factory=list)
    items: list[ItemTable] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def build(
    tables: Iterable[tuple[RawTable, TableConfig]],
    config: StudyConfig,
    *,
    name: str,
    judges: Collection[str] = (),
    assumptions: Sequence[str] = (),
) -> Study:
    """The study that ``tables`` hold, each with its declaration, under the whole declaration ``config``.

    ``name`` is used where none is declared, ``judges`` are raters that are judges, ``assumptions`` what was
    assumed on the way here. Faults are raised together, as many as can be found before the rows stop making
    sense.
    """
    faults = Faults()
    read = _read(tables, config, faults)
    if len(faults):
        raise _every_fault(read, config, judges, faults)
    try:
        return _assemble(read, config, name, judges, assumptions)
    except UserError as problem:
        every = _every_fault(read, config, judges, Faults())
        raise every if len(every.faults) > len(problem.faults) else problem from None


def _assemble(
    read: _Read,
    config: StudyConfig,
    name: str,
    judges: Collection[str],
    assumptions: Sequence[str],
) -> Study:
    notes = [*assumptions, *read.notes]
    long = concatenate(read.ratings)
    if config.unrated:
        long = _with_unrated(long, read.items, config)
    raters, guessed = recruit(long, config.raters, judges)
    counts, changed = count_changes(long.raw, config.normalise)
    notes += [*guessed, *changed]
    long = _without_blank_cells(long, raters, counts, notes)
    long, merged, said = merge_duplicates(long, config.on_duplicate)
    counts |= merged
    notes += said
    coded = code_labels(long, raters, config)
    notes += [*coded.notes, *_missing(long, counts)]
    counts |= {
        f"{STATUSES[code]}_ratings": n
        for code, n in enumerate(np.bincount(coded.status).tolist())
        if code and n
    }
    placed = place(long)
    notes += placed.notes
    items = _items(long, placed, read.items, config, counts, notes)
    slice_by = _slices(items, config, notes)
    return Study(
        name=config.name or name,
        items=items,
        metrics=declare_metrics(long, coded.scales, placed.polarity, config),
        raters=with_attributes(raters, placed.raters),
        ratings=_ratings(long, coded, placed),
        sources=(*(table.source for table in long.tables), *read.sources),
        assumptions=tuple(dict.fromkeys(notes)),
        counts=counts,
        reviews=tuple(read.reviews),
        population=dict(config.population),
        design=config.design,
        slice_by=slice_by,
        demo=config.demo,
        reported=dict(config.reported),
    )


def _read(tables: Iterable[tuple[RawTable, TableConfig]], config: StudyConfig, faults: Faults) -> _Read:
    """Give every table its meaning; what is wrong with one goes to ``faults``."""
    read = _Read()
    for table, declared in tables:
        if table.problem is not None:
            faults.collect(table.problem)
        try:
            _read_one(table, declared, config, read, faults)
        except UserError as problem:
            faults.collect(problem)
    if config.unrated and read.items:
        read.ratings.append(_nothing_yet())
    if not read.ratings and not len(faults):
        faults.add("no table holds ratings", where="study.yaml", fix="add a table of kind ratings")
    return read


def _read_one(
    table: RawTable, declared: TableConfig, config: StudyConfig, read: _Read, faults: Faults
) -> None:
    if declared.kind == "items":
        read.items.append(item_table(table, declared))
        read.sources.append(table.source)
    elif declared.kind == "reviews":
        reviews, said = read_reviews(table, declared)
        read.reviews += reviews
        read.sources.append(table.source)
        read.notes += said
    else:
        long, said = to_long(table, declared, faults, missing=config.missing, steps=config.normalise)
        read.ratings.append(long)
        read.notes += said


def _every_fault(read: _Read, config: StudyConfig, judges: Collection[str], faults: Faults) -> UserError:
    """All that can be found wrong with the rows at once, beside the ``faults`` found already."""
    if read.ratings:
        long = concatenate(read.ratings)
        faults.attempt(lambda: recruit(long, config.raters, judges))
        faults.attempt(lambda: check_statuses(long))
        faults.attempt(lambda: merge_duplicates(long, config.on_duplicate))
        faults.attempt(lambda: place(long))
    return faults.error() or UserError("the tables hold no study")


def _nothing_yet() -> Long:
    """Ratings of a study in which nobody has labelled anything."""
    columns = dict.fromkeys(("item_id", "metric", "rater_id", "run", "label"), Column.missing(0))
    none = np.zeros(0, dtype=np.int64)
    return Long(columns, Column.missing(0), none.astype(np.int32), none, (), {})


def _with_unrated(long: Long, tables: Sequence[ItemTable], config: StudyConfig) -> Long:
    """``long`` with every item of ``tables`` and every declared metric among the values of its columns."""
    metrics = [name for name in config.metrics if not set("*?[") & set(name)]
    wanted = {"item_id": [one for table in tables for one in table.ids.values], "metric": metrics}
    columns = {
        name: Column(long.columns[name].codes, tuple(dict.fromkeys([*long.columns[name].values, *values])))
        for name, values in wanted.items()
    }
    return replace(long, columns={**long.columns, **columns})


def _without_blank_cells(
    long: Long, raters: Sequence[Rater], counts: dict[str, int], notes: list[str]
) -> Long:
    """In a wide table a person's blank cell is no rating; a judge's is a reply without a label."""
    wide = np.asarray([bool(table.wide) for table in long.tables], dtype=np.bool_)[long.table]
    if not wide.any():
        return long
    person = np.asarray([rater.kind in ("human", "reference") for rater in raters], dtype=np.bool_)
    blank = wide & long.columns["label"].is_missing & person[long.columns["rater_id"].codes]
    if not blank.any():
        return long
    counts["blank_cells"] = int(blank.sum())
    notes.append(f"{int(blank.sum()):,} blank cells in people's columns are ratings not given.")
    return long.take(~blank)


def _missing(long: Long, counts: dict[str, int]) -> list[str]:
    """Count the labels that are missing, and list how they were spelled."""
    missing = long.columns["label"].is_missing
    counts["missing_labels"] = int(missing.sum())
    if not missing.any():
        return []
    raw = long.raw.codes[missing]
    spelled = np.bincount(raw[raw >= 0], minlength=len(long.raw.values))
    parts = [f"{int((raw < 0).sum()):,} empty"] if (raw < 0).any() else []
    parts += [f"{int(n):,} '{long.raw.values[code]}'" for code, n in enumerate(spelled.tolist()) if n]
    return [
        f"{int(missing.sum()):,} labels are missing ({', '.join(parts)}): "
        "a judge's is unparsed, a person's a skip."
    ]


def _items(
    long: Long,
    placed: Placed,
    tables: Sequence[ItemTable],
    config: StudyConfig,
    counts: dict[str, int],
    notes: list[str],
) -> Items:
    ids = long.columns["item_id"].values
    columns, without_ratings, said = join_items(ids, placed.items, tables)
    if tables:
        counts["items_without_ratings"] = without_ratings
    texts = {name: column for name, column in columns.items() if is_text(name, column)}
    attributes = {name: column for name, column in columns.items() if name not in texts}
    cluster, note = find_clusters(ids, attributes, config.clusters)
    notes += [*said, *([note] if note else [])]
    return Items(ids, attributes, texts, cluster)


def _ratings(long: Long, coded: CodedLabels, placed: Placed) -> Ratings:
    return Ratings(
        item=long.columns["item_id"].codes,
        metric=long.columns["metric"].codes,
        rater=long.columns["rater_id"].codes,
        run=long.columns["run"],
        raw=long.raw,
        label=coded.label,
        status=coded.status,
        source=long.table,
        row=long.row,
        probabilities=placed.probabilities,
        attributes=placed.ratings,
    )


def _slices(items: Items, config: StudyConfig, notes: list[str]) -> tuple[str, ...]:
    if config.slices is None:
        found = default_slices(items.attributes)
        if found:
            notes.append(f"Sliced by the item attributes with 2 to 20 values: {', '.join(found)}.")
        return found
    for name in config.slices:
        if name not in items.attributes:
            known = ", ".join(items.attributes) or "none"
            raise UserError(f"no item attribute '{name}'", where="slices", expected=f"one of {known}")
    return tuple(config.slices)
