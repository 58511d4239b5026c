"""What did the judge say, how often? Pass rates by polarity, system and slice, with n and intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.contrasts import contrast_tables, contrast_values
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.rate_labels import commonest, label_table
from voirdire.checks.rate_means import extremes, mean_tables
from voirdire.checks.shares import share_of
from voirdire.checks.system_spread import lowest_table, spread_table
from voirdire.checks.verdict_rows import VerdictRows, verdict_rows
from voirdire.checks.words import count, number, percent
from voirdire.registry import register
from voirdire.stats import Estimate, undefined

__all__ = ["rates"]

POLARITIES = ("positive", "negative")
NOT_PREVALENCE = "Rates on a test set are not prevalence: they say how often this happened on these items."


@register("check", "rates")
def rates(context: Context) -> Finding | None:
    """Raw verdict rates by polarity, system and slice; matched contrasts; means of numbers."""
    rows = verdict_rows(context)
    means = [table for table in (*mean_tables(context), label_table(context)) if table.rows]
    if not len(rows) and not means:
        return None
    tables: list[Table] = []
    if len(rows):
        raters = np.unique(rows.rater) if rows.kind == "judge" else [None]
        for rater in raters:
            mine = rows if rater is None else rows.take(rows.rater == rater)
            who = "people" if rater is None else context.study.raters[rater].id
            tables += _tables(context, mine, who)
    return Finding(
        check="rates",
        question="What does the judge say, how often?"
        if rows.kind == "judge"
        else "What do people say, how often?",
        answer=_answer(context, rows) if len(rows) else _otherwise(means),
        tables=tuple(table for table in (*tables, *means) if table.rows),
        beware=(
            NOT_PREVALENCE,
            "These are the raters' verdicts as they came, not corrected for the judge's errors.",
        ),
        data={"verdicts": len(rows), "missing": rows.missing, "contrasts": contrast_values(context, rows)},
    )


def _otherwise(tables: Sequence[Table]) -> str:
    """The answer where no label passes: means or wins of systems, else the commonest label."""
    return commonest(tables[0]) if tables[0].name == "labels" else extremes(tables)


def _tables(context: Context, rows: VerdictRows, who: str) -> Iterator[Table]:
    yield _overall(context, rows, who)
    by = _columns(context)
    if "system" in by:
        systems = _by_attribute(context, rows, "system")
        yield Table(
            f"systems_{who}",
            f"Pass rates of {who} by system{_missing(rows)}",
            _heads(context, "System"),
            systems,
            ("rate",),
        )
        yield spread_table(context, rows, who)
        yield lowest_table(context, rows, who)
    slices = tuple(row for name in by if name != "system" for row in _by_attribute(context, rows, name))
    yield Table(
        f"slices_{who}",
        f"Pass rates of {who} by slice",
        _heads(context, "Slice"),
        slices,
        ("rate",),
        folded=len(slices) > 12,
    )
    yield from contrast_tables(context, rows, who)


def _columns(context: Context) -> list[str]:
    """Attributes of items to report by: the systems and everything that the study is sliced by."""
    known = context.study.items.attributes
    names = [name for name in context.study.slice_by if name in known]
    return list(dict.fromkeys((["system"] if "system" in known else []) + names))


def _heads(context: Context, first: str) -> tuple[Column, ...]:
    columns = [Column("part", first), Column("n", "Verdicts", "count"), Column("rate", "Pass rate", "rate")]
    if _has_polarity(context):
        columns += [
            Column("positive", "Positive metrics", "rate"),
            Column("negative", "Negative metrics", "rate"),
        ]
    return tuple(columns)


def _has_polarity(context: Context) -> bool:
    return len({metric.polarity for metric in context.study.metrics} & set(POLARITIES)) == 2


def _overall(context: Context, rows: VerdictRows, who: str) -> Table:
    found = [_row(context, "all", rows, Evidence(raters=() if who == "people" else (who,)))]
    title = f"Pass rates of {who}{_missing(rows)}"
    return Table(f"rates_{who}", title, _heads(context, "Part"), tuple(found), ("rate",))


def _missing(rows: VerdictRows) -> str:
    n = rows.missing
    return f"; {count(n, 'missing verdict')} left out and counted" if n else "; no verdict is missing"


def _by_attribute(context: Context, rows: VerdictRows, name: str) -> tuple[Row, ...]:
    column = context.study.items.attributes[name]
    code = column.codes[rows.item]
    order = np.argsort(code, kind="stable")
    edges = np.searchsorted(code[order], np.arange(len(column.values) + 1))
    found = []
    for value, (start, stop) in enumerate(pairwise(edges.tolist())):
        if stop > start:
            inside = np.zeros(len(rows), dtype=bool)
            inside[order[start:stop]] = True
            title = column.values[value] if name == "system" else f"{name} = {column.values[value]}"
            found.append(
                _row(context, title, rows.take(inside), Evidence(where=((name, column.values[value]),)))
            )
    return tuple(sorted(found, key=_rate, reverse=True)) if name == "system" else tuple(found)


def _rate(row: Row) -> float:
    rate = row.cells["rate"]
    assert isinstance(rate, Estimate), "every row has its rate"
    return rate.value


def _row(context: Context, title: str, rows: VerdictRows, evidence: Evidence) -> Row:
    cells: dict[str, Cell] = {"part": title, "n": len(rows), "rate": _share(context, rows)}
    if _has_polarity(context):
        polarity = np.array([metric.polarity for metric in context.study.metrics], dtype=object)[rows.metric]
        for name in POLARITIES:
            inside = polarity == name
            cells[name] = (
                _share(context, rows.take(inside)) if inside.any() else Missing("none", f"no {name} metric")
            )
    return Row(cells, evidence)


def _share(context: Context, rows: VerdictRows) -> Estimate:
    if not len(rows):
        return undefined("no_labels")
    return share_of(rows.passed, cluster=rows.cluster, level=context.options.level)


def _answer(context: Context, rows: VerdictRows) -> str:
    noun = "verdict" if rows.kind == "judge" else "label"
    said = f"{percent(float(rows.passed.mean()), len(rows))} of {count(len(rows), noun)} pass"
    both = [_of_polarity(context, rows, name) for name in POLARITIES]
    if not all(len(mine) for mine in both):
        return f"{said}; {count(rows.missing, noun)} {'is' if rows.missing == 1 else 'are'} missing."
    figures = [percent(float(mine.mean()), len(mine)) for mine in both]
    gap = 100 * (float(both[0].mean()) - float(both[1].mean()))
    tail = ""
    above, systems = _above(context, rows)
    if systems > 1:
        tail = f"; {above:,} of {systems:,} systems score higher on positive metrics"
    return (
        f"Positive metrics pass {figures[0]} (n {len(both[0]):,}), "
        f"negative {figures[1]} (n {len(both[1]):,}), a gap of {number(gap, 1)} points{tail}."
    )


def _of_polarity(context: Context, rows: VerdictRows, name: str) -> NDArray[np.bool_]:
    polarity = np.array([metric.polarity for metric in context.study.metrics], dtype=object)
    inside: NDArray[np.bool_] = polarity[rows.metric] == name
    return rows.passed[inside]


def _above(context: Context, rows: VerdictRows) -> tuple[int, int]:
    """On how many systems the pass rate of positive metrics is the higher, of those that have both."""
    column = context.study.items.attributes.get("system")
    if column is None:
        return 0, 0
    polarity = np.array([metric.polarity for metric in context.study.metrics], dtype=object)[rows.metric]
    code = column.codes[rows.item]
    both: list[Sequence[float]] = []
    for system in range(len(column.values)):
        mine = [rows.passed[(code == system) & (polarity == name)] for name in POLARITIES]
        if all(len(one) for one in mine):
            both.append([float(one.mean()) for one in mine])
    return sum(positive > negative for positive, negative in both), len(both)
