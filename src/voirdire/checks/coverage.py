"""What was covered: who rated what, how many people an item had, and what the record leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.coverage_notes import bewares, gaps
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.verdict_rows import first_runs
from voirdire.checks.words import count, percent, share
from voirdire.registry import register
from voirdire.study import STATUSES, Study

__all__ = ["Units", "coverage", "units"]


@dataclass(frozen=True, eq=False)
class Units:
    """Rated units, an item on one metric each: positions ``item``, ``metric``, number of ``raters`` (n,).

    ``people`` gave ``labels`` in all.
    """

    item: NDArray[np.intp]
    metric: NDArray[np.intp]
    raters: NDArray[np.intp]
    people: int
    labels: int

    @property
    def noun(self) -> str:
        """What a unit is called: an item, unless items were rated on several metrics."""
        return "item" if len(self.items) == len(self.item) else "item–metric pair"

    @cached_property
    def items(self) -> NDArray[np.intp]:
        """Positions in the study of the items that people rated."""
        return np.flatnonzero(np.bincount(self.item))


def units(context: Context) -> Units:
    """Every item on a metric of :meth:`Context.compared` that a person labelled, and how many people did."""
    return context.once("units", _units)


@register("check", "coverage")
def coverage(context: Context) -> Finding | None:
    """Who rated what: fields, raters an item, shares of the population, statuses, what is not recorded."""
    study, rated = context.study, units(context)
    if not len(study.ratings):
        return None
    tables = (_covered(context, rated), _histogram(rated), _fields(context), _statuses(study))
    return Finding(
        check="coverage",
        question="What was covered?",
        answer=_answer(context, rated),
        tables=tuple(table for table in tables if table.rows),
        beware=tuple(bewares(context, rated.raters, rated.metric, rated.item)),
        missing=tuple(gaps(context)),
        data={
            "units": len(rated.raters),
            "single_rated": int((rated.raters == 1).sum()),
            "raters_per_item": {str(k): int(n) for k, n in enumerate(np.bincount(rated.raters)) if n},
            "people": rated.people,
            "labels": rated.labels,
            "items": len(rated.items),
            "judges": len(study.raters_of("judge")),
        },
    )


def _units(context: Context) -> Units:
    study, ratings = context.study, context.study.ratings
    counted = np.isin(
        np.arange(len(study.metrics)), [study.metric_index(name) for name in context.compared()]
    )
    rows = np.flatnonzero(study.usable & study.is_kind("human")[ratings.rater] & counted[ratings.metric])
    unit = ratings.metric[rows].astype(np.int64) * len(study.items) + ratings.item[rows]
    pair = np.sort(unit)
    if len(ratings.run.values) > 1:
        # a person who rated an item in several runs is one rater
        pair = np.unique(unit * len(study.raters) + ratings.rater[rows]) // max(len(study.raters), 1)
    # sorted already, so equal neighbours are one unit: hashing ten million of them again would cost seconds
    first = np.flatnonzero(np.diff(pair, prepend=-1))
    found, raters = pair[first], np.diff(first, append=len(pair))
    people = int(np.count_nonzero(np.bincount(ratings.rater[rows])))
    return Units(
        found % max(len(study.items), 1), found // max(len(study.items), 1), raters, people, len(pair)
    )


def _answer(context: Context, rated: Units) -> str:
    study, n = context.study, len(rated.raters)
    if not n:
        return (
            f"No person's label: {count(len(study.ratings), 'rating')} by judges, on "
            f"{count(len(study.items), 'item')}."
        )
    metrics = len(context.compared())
    total = study.population.get("metrics", len(study.metrics))
    of_all = f" of {total:,}" if total > metrics else ""
    people = count(rated.people, "person", "people")
    single = int((rated.raters == 1).sum())
    fewest, most = int(rated.raters.min()), int(rated.raters.max())
    each = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    were = "was" if single == 1 else "were"
    seen = f"{share(single, n)} {were} seen by one person" if single else f"each was seen by {each} people"
    return (
        f"{people} labelled {count(n, rated.noun)} on {metrics:,}{of_all} "
        f"{'metric' if metrics == 1 and not of_all else 'metrics'}; {seen}."
    )


def _covered(context: Context, rated: Units) -> Table:
    columns = (
        Column("what", "Covered"),
        Column("audited", "Audited", "count"),
        Column("of", "Of", "count"),
        Column("share", "Share"),
    )
    rows = []
    for what, audited, total in _totals(context, rated):
        known = total >= audited > 0
        there = total if total >= max(audited, 1) else Missing("not recorded")
        rows.append(
            Row(
                {
                    "what": what,
                    "audited": audited or Missing("not recorded"),
                    "of": there,
                    "share": percent(audited / total, total) if known else Missing("not recorded"),
                }
            )
        )
    return Table(
        "covered",
        "What people labelled, of what is declared or in the files",
        columns,
        tuple(rows),
        folded=not context.study.population,
    )


def _totals(context: Context, rated: Units) -> Iterator[tuple[str, int, int]]:
    study = context.study
    declared = dict(study.population)
    yield "Metrics", len(context.compared()), declared.pop("metrics", len(study.metrics))
    items = rated.items
    yield "Items", len(items), declared.pop("items", len(study.items))
    for name, total in declared.items():
        column = study.items.attributes.get(name) or study.items.attributes.get(name.removesuffix("s"))
        if column is not None:
            codes = np.unique(column.codes[items])
            yield name.capitalize(), int((codes >= 0).sum()), total
        else:
            yield name.capitalize(), len(items), total


def _histogram(rated: Units) -> Table:
    n = len(rated.raters)
    rows = []
    for raters, found in enumerate(np.bincount(rated.raters, minlength=1)):
        if found:
            note = "agreement cannot be measured" if raters == 1 else ""
            cells: dict[str, Cell] = {
                "raters": count(raters, "person", "people"),
                "items": int(found),
                "share": percent(found / n, n),
            }
            rows.append(Row(cells, note=note))
    columns = (
        Column("raters", "Rated by"),
        Column("items", f"{rated.noun.capitalize()}s", "count"),
        Column("share", "Share"),
    )
    return Table("raters_per_item", f"{rated.noun.capitalize()}s by number of people", columns, tuple(rows))


def _fields(context: Context) -> Table:
    study = context.study
    rows_of = [study.rows(name, kind="human") for name in context.compared()]
    rows = first_runs(context, np.concatenate(rows_of)) if rows_of else np.empty(0, dtype=np.intp)
    raters = study.ratings.rater[rows]
    labels = np.bincount(raters, minlength=len(study.raters))
    people = [code for code in study.raters_of("human") if labels[code]]
    fields = Counter(study.raters[code].expertise or "not recorded" for code in people)
    found = []
    for field, n in sorted(fields.items(), key=lambda pair: (pair[0] == "not recorded", -pair[1], pair[0])):
        mine = [code for code in people if (study.raters[code].expertise or "not recorded") == field]
        cells: dict[str, Cell] = {
            "field": Missing("not recorded") if field == "not recorded" else field,
            "people": n,
            "labels": int(labels[mine].sum()),
        }
        found.append(Row(cells, Evidence(raters=tuple(study.raters[code].id for code in mine))))
    columns = (
        Column("field", "Field"),
        Column("people", "People", "count"),
        Column("labels", "Labels", "count"),
    )
    return Table(
        "fields", "Who rated, by field", columns, tuple(found), folded=set(fields) == {"not recorded"}
    )


def _statuses(study: Study) -> Table:
    kinds = ("human", "judge", "program", "reference")
    kind = np.array([kinds.index(rater.kind) for rater in study.raters], dtype=np.int64)
    cell = kind[study.ratings.rater] * len(STATUSES) + study.ratings.status
    table = np.bincount(cell, minlength=len(kinds) * len(STATUSES)).reshape(len(kinds), len(STATUSES))
    shown = [k for k in range(len(kinds)) if table[k].sum()]
    rows = [
        Row({"status": status, **{kinds[k]: int(table[k, s]) for k in shown}})
        for s, status in enumerate(STATUSES)
        if table[:, s].sum()
    ]
    words = {"human": "People", "judge": "Judges", "program": "Programs", "reference": "References"}
    columns = (Column("status", "Status"), *(Column(kinds[k], words[kinds[k]], "count") for k in shown))
    return Table(
        "statuses", f"What became of {count(len(study.ratings), 'rating')}", columns, tuple(rows), folded=True
    )
