"""Labels that admit several verdicts are data: their rates, what they move, who must decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from voirdire.checks.contested import contested
from voirdire.checks.context import Context
from voirdire.checks.finding import Action, Bounds, Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.limits import capped
from voirdire.checks.panels import indeterminate_codes
from voirdire.checks.rating_notes import note_tables
from voirdire.checks.stand_in_cases import cases
from voirdire.checks.words import capital, count, listing, percent, share
from voirdire.registry import register
from voirdire.stats.proportion import proportion

__all__ = ["indeterminate"]

MOST_RATERS = 60
MOST_ITEMS = 500
"""Contested items listed; the count is of all."""


@register("check", "indeterminate")
def indeterminate(context: Context) -> Finding | None:
    """Rates of indeterminate labels, the headline under every policy, and the contested items."""
    if not context.audited():
        return None
    rows = tuple(_rates(context))
    queue, total = contested(context, MOST_ITEMS)
    tables = [
        _rate_table(rows),
        _headlines(context),
        _by_rater(context),
        _queue_table(queue, total),
        *note_tables(context),
    ]
    tables = [table for table in tables if table.rows]
    if not tables:
        return None
    actions: tuple[Action, ...] = ()
    if total:
        why = "No label holds a majority. Originals are kept beside the decision."
        actions = (Action(f"Adjudicate {count(total, 'item')}", why, count(total, "item"), gain=0.1),)
    return Finding(
        check="indeterminate",
        question="What is undecided?",
        answer=_answer(rows, total),
        tables=tuple(tables),
        beware=(
            "Borderline, unsure and ties are labels: they are counted, mapped in every defensible way, "
            "and never forced.",
        ),
        actions=actions,
        data={"contested": total},
    )


def _rates(context: Context) -> Iterator[Row]:
    """Share of every label on each metric that has indeterminate labels."""
    for name in context.audited():
        metric = context.study.metric(name)
        if not metric.scale.indeterminate:
            continue
        coded = context.people(name, context.policies(name)[0]).coded
        counts = np.bincount(coded.label, minlength=coded.q)
        for code, label in enumerate(metric.scale.labels):
            admits = listing(metric.scale.indeterminate.get(label, ()))
            cells: dict[str, Cell] = {
                "metric": metric.label,
                "label": label,
                "admits": admits or Missing("none", "a verdict"),
                "labels": share(int(counts[code]), coded.n_ratings),
                "share": proportion(int(counts[code]), coded.n_ratings, level=context.options.level),
            }
            yield Row(cells, Evidence(metric=name))


def _rate_table(rows: tuple[Row, ...]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("label", "Label"),
        Column("admits", "Admits"),
        Column("labels", "People's labels"),
        Column("share", "Share", "share"),
    )
    return Table("label_rates", "How often people give each label", columns, rows, folded=len(rows) > 16)


def _headlines(context: Context) -> Table:
    """Judge-person agreement under every policy, as a range."""
    rows = []
    for one in cases(context):
        if len(one.compared) > 1:
            cells: dict[str, Cell] = {
                "metric": context.study.metric(one.metric).label,
                "judge": context.study.raters[one.judge].id,
                "judge_person": Bounds({name: capped(pair.judge) for name, pair in one.compared.items()}),
                "person_person": Bounds({name: capped(pair.people) for name, pair in one.compared.items()}),
                "difference": Bounds(
                    dict(zip(one.compared, one.differences(context.options.level), strict=True))
                ),
            }
            rows.append(Row(cells, Evidence(metric=one.metric)))
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("judge_person", "Judge–person κ", "coefficient"),
        Column("person_person", "Person–person κ", "coefficient"),
        Column("difference", "Judge minus person", "difference"),
    )
    return Table(
        "headline_policies", "The headline under every mapping", columns, tuple(rows), ("difference",)
    )


def _by_rater(context: Context) -> Table:
    study = context.study
    given = np.zeros((len(study.raters), 2), dtype=np.int64)
    for metric in study.metrics:
        if metric.scale.indeterminate:
            rows = study.rows(metric.name)
            unsure = indeterminate_codes(metric.scale)[study.ratings.label[rows]]
            given[:, 0] += np.bincount(study.ratings.rater[rows], unsure, minlength=len(study.raters)).astype(
                np.int64
            )
            given[:, 1] += np.bincount(study.ratings.rater[rows], minlength=len(study.raters))
    rows_found = [
        Row(
            {
                "rater": study.raters[code].id,
                "kind": study.raters[code].kind,
                "labels": f"{unsure:,} of {total:,}",
                "share": proportion(unsure, total, level=context.options.level),
            },
            Evidence(raters=(study.raters[code].id,)),
        )
        for code, (unsure, total) in enumerate(given.tolist())
        if total
    ]
    columns = (
        Column("rater", "Rater"),
        Column("kind", "Kind"),
        Column("labels", "Indeterminate labels"),
        Column("share", "Share", "share"),
    )
    caption = "Who gives indeterminate labels"
    return Table("indeterminate_raters", caption, columns, tuple(rows_found), ("share",), folded=True)


def _queue_table(queue: Sequence[Row], total: int) -> Table:
    columns = (
        Column("item", "Item", "item"),
        Column("metric", "Metric"),
        Column("people", "People", "labels"),
        Column("judge", "Judge said"),
        Column("state", "State"),
    )
    shown = "" if total == len(queue) else f", the first {len(queue):,} of {total:,}"
    return Table(
        "adjudicate",
        f"Items to adjudicate: no label holds a majority{shown}",
        columns,
        tuple(queue),
        folded=total > 20,
    )


def _answer(rows: Sequence[Row], total: int) -> str:
    items = (
        f"{count(total, 'item')} {'has' if total == 1 else 'have'} no majority"
        if total
        else "every item with several people has a majority"
    )
    unsure = [row for row in rows if not isinstance(row.cells["admits"], Missing)]
    unsure = [row for row in unsure if not str(row.cells["labels"]).startswith("0 of ")]
    if not unsure:
        return f"{items[:1].upper()}{items[1:]}."
    given = {str(row.cells["label"]) for row in unsure}
    values = [row.cells["share"].value for row in unsure]  # type: ignore[union-attr]
    low, high = percent(min(values)), percent(max(values))
    span = low if low == high else f"{low} to {high}"
    make = "makes" if len(given) == 1 else "make"
    return f"{capital(listing(sorted(given)))} {make} up {span} of a metric's labels, and {items}."
