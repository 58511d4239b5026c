"""The headline table: may the judge stand in, metric by metric, as a table like any other."""

from __future__ import annotations

from collections.abc import Sequence

from voirdire.checks.audit import Audit, StandIn
from voirdire.checks.finding import Bounds, Cell, Column, Missing, Row, Table
from voirdire.report import wording
from voirdire.report.worth import worth

__all__ = ["headline", "metric_title", "rules", "size"]


def headline(audit: Audit, stand_in: Sequence[StandIn] | None = None) -> Table:
    """The verdicts as a table: judge-person and person-person agreement, then their difference."""
    entries = audit.stand_in if stand_in is None else stand_in
    columns = _names(audit)
    columns += [
        Column("answer", "May it stand in?", "verdict"),
        Column("judge_person", "Judge–person agreement", "coefficient"),
        Column("person_person", "Person–person agreement", "coefficient"),
        Column("difference", "Judge minus person", "difference"),
        Column("single_rated", "Rated by one person"),
    ]
    if audit.finding("alignment") is not None:
        columns.append(Column("worth", "Worth, in human labels"))
    first = columns[0].key
    rows = tuple(Row(_cells(audit, entry, first), entry.evidence) for entry in entries)
    caption = "Answer per metric, with judge–person and person–person agreement"
    return Table("headline", caption, tuple(columns), rows, ("judge_person", "person_person"))


def metric_title(audit: Audit, entry: StandIn) -> str:
    """What the entry is about: its metric's title, or how many metrics share the answer."""
    if len(entry.metrics) == 1:
        return audit.study.metric(entry.metrics[0]).label
    answered_apart = any(len(other.metrics) == 1 for other in audit.stand_in if other.judge == entry.judge)
    return f"{len(entry.metrics)} {'other ' if answered_apart else ''}metrics"


def size(entry: StandIn) -> str:
    """How many items and people the entry rests on."""
    items = entry.n_items or entry.rated_items
    people = f"{wording.count(entry.n_people)} people" if entry.n_people != 1 else "1 person"
    if entry.rated_items and entry.single_rated == entry.rated_items:
        people = "one person each"
    return f"{wording.count(items)} items, {people}" if items else "no item with both"


def rules(audit: Audit) -> tuple[tuple[str, str, str], ...]:
    """The rule behind each answer in words: its mark, its word and what it takes."""
    margin = wording.number(-audit.options.margin)
    reached = {entry.answer for entry in audit.stand_in}
    some = "" if "yes" in reached or not reached else " No metric reached this."
    corrected = sorted({entry.level for entry in audit.stand_in if entry.level > audit.options.level + 1e-12})
    wider = (
        f" Intervals of the difference are widened to {100 * corrected[-1]:.4g}{wording.NBSP}%, "
        "for several metrics are read at once."
        if corrected
        else ""
    )
    return (
        (
            "v-yes",
            "Yes",
            f"Under every mapping, the whole interval of judge minus person lies above {margin}.{some}",
        ),
        ("v-no", "No", f"Under every mapping, the whole interval lies below 0.{wider}"),
        ("v-na", "Cannot tell", "Anything else, and always where items have one rater."),
    )


def _names(audit: Audit) -> list[Column]:
    """What tells entries apart: the metric, the judge where there are several, or that alone."""
    several_judges = len({entry.judge for entry in audit.stand_in if entry.judge}) > 1
    several_metrics = len({entry.metrics for entry in audit.stand_in if entry.judge}) > 1
    if several_judges and not several_metrics:
        return [Column("judge", "Judge")]
    return [Column("metric", "Metric"), *([Column("judge", "Judge")] if several_judges else [])]


def _cells(audit: Audit, entry: StandIn, first: str) -> dict[str, Cell]:
    cells: dict[str, Cell] = {
        "metric": metric_title(audit, entry),
        "judge": entry.judge,
        "answer": f"{entry.answer}\n{entry.reason}",
        "judge_person": _bounds(entry.judge_person, entry),
        "person_person": _bounds(entry.person_person, entry),
        "difference": _bounds(entry.difference, entry),
        "single_rated": _single_rated(entry),
        "worth": worth(audit, entry),
    }
    return cells | {first: f"{cells[first]}\n{size(entry)}"}


def _bounds(bounds: Bounds, entry: StandIn) -> Cell:
    if bounds.by_policy:
        return bounds
    return Missing("not measurable", entry.reason)


def _single_rated(entry: StandIn) -> Cell:
    if not entry.rated_items:
        return Missing("none", "no item rated")
    share = wording.number(entry.single_rated / entry.rated_items, "share", cases=entry.rated_items)
    return f"{share}\n{wording.count(entry.single_rated)} of {wording.count(entry.rated_items)}"
