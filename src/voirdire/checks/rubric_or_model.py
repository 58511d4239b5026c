"""Rubric or model? Low agreement with a low pass rate cannot tell a bad model from an unclear rubric."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.finding import Action, Cell, Column, Evidence, Finding, Row, Table
from voirdire.checks.outcomes import passing
from voirdire.checks.people_agreement import agreed
from voirdire.checks.shares import share_of
from voirdire.checks.verdict_rows import verdict_rows
from voirdire.checks.words import count, listing
from voirdire.registry import register

__all__ = ["rubric_or_model"]

LOW_ALPHA, LOW_RATE = 0.40, 0.50
"""Below both a metric is flagged: "fair" agreement at best for Landis and Koch, and most labels fail."""
FEWEST_VERDICTS = 10
NEVER = "nothing passes: needs an audit of rubric and judgment"
BOTH = "rubric or model?"


@register("check", "rubric_or_model")
def rubric_or_model(context: Context) -> Finding | None:
    """Metrics with low agreement and a low pass rate, and metrics or slices that nothing passes."""
    rated = _pass_rates(context)
    never = [*_never(context), *_never_slices(context)]
    if not rated and not never:
        return None
    both = _low_in_both(context, rated)
    rows = tuple(_low_row(context, name, rated[name]) for name in both) + tuple(never)
    columns = (
        Column("what", "Metric or slice"),
        Column("flag", "Flag"),
        Column("alpha", "α among people", "coefficient"),
        Column("n", "Labels or verdicts", "count"),
        Column("rate", "Pass rate", "rate"),
    )
    titles = [context.study.metric(name).label for name in both]
    return Finding(
        check="rubric_or_model",
        question="Rubric or model?",
        answer=_answer(titles, len(never), len(rated)),
        tables=(Table("flags", "Metrics whose low rate may be the rubric's fault", columns, rows),)
        if rows
        else (),
        actions=tuple(_actions(titles)),
        data={"low_in_both": tuple(both), "never": len(never)},
    )


def _pass_rates(context: Context) -> dict[str, tuple[int, int]]:
    """People's passing labels and all, on metrics with agreement defined and a passing label known."""
    found = {}
    for name, one in agreed(context).items():
        metric = context.study.metric(name)
        code = passing(metric)
        if code is not None and one.alpha.undefined is None:
            coded = context.people(name, context.policies(name)[0]).coded
            found[name] = (int((coded.label == code).sum()), coded.n_ratings)
    return found


def _low_in_both(context: Context, rated: dict[str, tuple[int, int]]) -> list[str]:
    found = agreed(context)
    low = [name for name, (x, n) in rated.items() if found[name].alpha.value < LOW_ALPHA and x / n < LOW_RATE]
    return sorted(low, key=lambda name: found[name].alpha.value)


def _low_row(context: Context, name: str, rate: tuple[int, int]) -> Row:
    hits = np.arange(rate[1]) < rate[0]
    cells: dict[str, Cell] = {
        "what": context.study.metric(name).label,
        "flag": BOTH,
        "alpha": agreed(context)[name].alpha,
        "n": rate[1],
        "rate": share_of(hits, level=context.options.level),
    }
    return Row(cells, Evidence(metric=name))


def _never(context: Context) -> Iterator[Row]:
    rows = verdict_rows(context)
    n = np.bincount(rows.metric, minlength=len(context.study.metrics))
    passed = np.bincount(rows.metric, rows.passed, minlength=len(context.study.metrics))
    for code in np.flatnonzero((n >= FEWEST_VERDICTS) & (passed == 0)).tolist():
        metric = context.study.metrics[code]
        none = np.zeros(int(n[code]), dtype=bool)
        cells: dict[str, Cell] = {"what": metric.label, "flag": NEVER, "n": int(n[code])}
        yield Row(cells | {"rate": share_of(none, level=context.options.level)}, Evidence(metric=metric.name))


def _never_slices(context: Context) -> Iterator[Row]:
    """Values of an attribute that nothing passes, such as a whole benchmark."""
    rows, study = verdict_rows(context), context.study
    for name in study.slice_by:
        column = study.items.attributes.get(name)
        if column is None or name == "system":
            continue
        code = column.codes[rows.item]
        n = np.bincount(code[code >= 0], minlength=len(column.values))
        passed = np.bincount(code[code >= 0], rows.passed[code >= 0], minlength=len(column.values))
        for value in np.flatnonzero((n >= FEWEST_VERDICTS) & (passed == 0)).tolist():
            none = np.zeros(int(n[value]), dtype=bool)
            cells: dict[str, Cell] = {
                "what": f"{name} = {column.values[value]}",
                "flag": NEVER,
                "n": int(n[value]),
            }
            where = ((name, column.values[value]),)
            yield Row(cells | {"rate": share_of(none, level=context.options.level)}, Evidence(where=where))


def _answer(titles: list[str], never: int, rated: int) -> str:
    said = []
    if titles:
        said.append(f"people hardly agree and few labels pass on {listing(titles, most=3)}")
    if never:
        said.append(f"nothing passes on {count(never, 'metric or slice', 'metrics or slices')}")
    if not said:
        return f"No flag: of {count(rated, 'metric')}, none has both low agreement and a low pass rate."
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}: more labels cannot say whether rubric or model is at fault."


def _actions(titles: list[str]) -> Iterator[Action]:
    if titles:
        why = "Low agreement and a low pass rate on one metric: rubric or model? More labels cannot say."
        yield Action(
            f"Review the rubric of {listing(titles, most=3)} before labelling more",
            why,
            "0 labels",
            gain=float(len(titles)),
        )
