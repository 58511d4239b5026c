"""What judging took, what failed, and how each judge was asked: the record of the judges' own runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.judging_record import prompt_table, record_table
from voirdire.checks.words import count, number, percent, share
from voirdire.registry import register
from voirdire.study import Study
from voirdire.study.parts import is_part
from voirdire.study.ratings import OK, STATUSES

__all__ = ["judging"]

TAKEN = ("cost", "prompt_tokens", "completion_tokens", "latency")
THIN = 0.5
"""Probability on the labels below which a distribution rests on little of what the model said."""
SLOW = 95
FAILED = STATUSES[2:]
THOUSAND = 1000
NOT_RECORDED = Missing("not recorded")


@dataclass(frozen=True, eq=False)
class _Taken:
    """One judge's n replies: ``status`` (n,), what each took and its mass (n,), NaN where not known."""

    judge: int
    status: NDArray[np.int8]
    numbers: dict[str, NDArray[np.float64]]

    def total(self, name: str) -> float:
        """The sum over the replies where it is known, NaN where it is known of none."""
        values = self.numbers[name]
        known = values[np.isfinite(values)]
        return float(known.sum()) if len(known) else math.nan

    @property
    def thin(self) -> tuple[int, int]:
        """How many distributions have little mass, and how many there are."""
        mass = self.numbers["mass"][self.status == OK]
        known = mass[np.isfinite(mass)]
        return int((known < THIN).sum()), len(known)


@register("check", "judging")
def judging(context: Context) -> Finding | None:
    """Cost, tokens, latency and failures of each judge, and how it was asked and what it could see."""
    study = context.study
    every = [_taken(study, code) for code in study.raters_of("judge")]
    recorded = any(np.isfinite(values).any() for one in every for values in one.numbers.values())
    if not recorded and not any(study.raters[one.judge].asked for one in every):
        return None
    judged = [one for one in every if len(one.status)]
    tables = (
        _taken_table(study, judged),
        _failure_table(study, judged),
        record_table(study),
        prompt_table(study),
    )
    return Finding(
        check="judging",
        question="How was each judge asked, what did it take, and what failed?",
        answer=" ".join(_said(study, one) for one in judged),
        tables=tuple(table for table in tables if table.rows),
        beware=tuple(_bewares(study, judged)),
        data={study.raters[one.judge].id: _figures(one) for one in judged},
    )


def _taken(study: Study, judge: int) -> _Taken:
    names = [metric.name for metric in study.metrics]
    whole = np.array([not is_part(name, names) for name in names])
    rows = np.flatnonzero((study.ratings.rater == judge) & whole[study.ratings.metric])
    numbers = {}
    for name in (*TAKEN, "mass"):
        column = study.ratings.attributes.get(name)
        told = (
            np.array([])
            if column is None
            else np.array([*map(_number, column.values), math.nan])[column.codes[rows]]
        )
        numbers[name] = told if column is not None else np.full(len(rows), math.nan)
    return _Taken(judge, study.ratings.status[rows], numbers)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) and value >= 0 else math.nan


def _taken_table(study: Study, judged: list[_Taken]) -> Table:
    columns = (
        Column("judge", "Judge"),
        Column("verdicts", "Replies", "count"),
        Column("cost", "Cost"),
        Column("each", "Cost of 1,000"),
        Column("sent", "Tokens sent"),
        Column("received", "Tokens received"),
        Column("median", "Latency, median (s)"),
        Column("slow", f"{SLOW} % below (s)"),
        Column("thin", f"Mass on labels below {number(THIN, 1)}"),
    )
    rows = tuple(_taken_row(study, one) for one in judged)
    if not any(cell is not NOT_RECORDED for row in rows for cell in list(row.cells.values())[2:]):
        rows = ()
    caption = "What the replies of each judge took, retries and several calls for one verdict included"
    return Table("judging", caption, columns, rows)


def _taken_row(study: Study, one: _Taken) -> Row:
    name = study.raters[one.judge].id
    cost, latency = one.total("cost"), one.numbers["latency"]
    known = latency[np.isfinite(latency)]
    priced = int(np.isfinite(one.numbers["cost"]).sum())
    thin, stated = one.thin
    cells: dict[str, Cell] = {
        "judge": name,
        "verdicts": len(one.status),
        "cost": _figure(cost),
        "each": _figure(THOUSAND * cost / priced if priced else math.nan),
        "sent": _whole(one.total("prompt_tokens")),
        "received": _whole(one.total("completion_tokens")),
        "median": _seconds(known, 50),
        "slow": _seconds(known, SLOW),
        "thin": share(thin, stated) if stated else NOT_RECORDED,
    }
    return Row(cells, Evidence(raters=(name,)))


def _failure_table(study: Study, judged: list[_Taken]) -> Table:
    columns = (
        Column("judge", "Judge"),
        Column("verdicts", "Replies", "count"),
        Column("ok", "Verdict"),
        *(Column(status, status.capitalize(), "count") for status in FAILED),
    )
    rows = []
    for one in judged:
        counts = np.bincount(one.status, minlength=len(STATUSES)).tolist()
        failed = {status: counts[STATUSES.index(status)] for status in FAILED}
        cells: dict[str, Cell] = {
            "judge": study.raters[one.judge].id,
            "verdicts": len(one.status),
            "ok": share(counts[OK], len(one.status)),
            **failed,
        }
        rows.append(Row(cells, Evidence(raters=(study.raters[one.judge].id,))))
    caption = "How the replies of each judge ended; only a verdict counts, and nothing is clamped or guessed"
    return Table("judging_failures", caption, columns, tuple(rows))


def _said(study: Study, one: _Taken) -> str:
    """One judge in a sentence."""
    n = len(one.status)
    failed = n - int((one.status == OK).sum())
    cost = one.total("cost")
    parts = [f"{study.raters[one.judge].id}: {count(n, 'reply', 'replies')}"]
    parts += [f"{percent(failed / n, n)} without a verdict" if failed else "each with a verdict"]
    parts += [] if math.isnan(cost) else [f"cost {_figure(cost)}"]
    return f"{', '.join(parts)}."


def _bewares(study: Study, judged: list[_Taken]) -> Iterator[str]:
    for one in judged:
        thin, stated = one.thin
        if thin:
            yield (
                f"{study.raters[one.judge].id}: in {share(thin, stated)} distributions less than "
                f"{percent(THIN)} of the model's probability lay on the labels; the rest was scaled up."
            )
        partly = sum(
            np.isfinite(one.numbers[name]).any() != np.isfinite(one.numbers[name]).all() for name in TAKEN
        )
        if partly:
            yield f"{study.raters[one.judge].id}: sums are over the replies of which the figure is recorded."
    if any(math.isfinite(one.total("cost")) for one in judged):
        yield (
            "Costs are those of the calls behind each verdict, at the price in the judge's file; a call that "
            "several verdicts share counts with each of them."
        )


def _figures(one: _Taken) -> dict[str, float]:
    """The plain numbers, for the JSON document."""
    thin, stated = one.thin
    totals = {name: one.total(name) for name in TAKEN if name != "latency"}
    counts = np.bincount(one.status, minlength=len(STATUSES)).tolist()
    return {
        "replies": float(len(one.status)),
        **totals,
        "thin": float(thin),
        "distributions": float(stated),
        **{status: float(n) for status, n in zip(STATUSES, counts, strict=True) if status != "skip"},
    }


def _figure(value: float) -> Cell:
    return NOT_RECORDED if math.isnan(value) else f"{value:,.4g}"


def _whole(value: float) -> Cell:
    return NOT_RECORDED if math.isnan(value) else f"{value:,.0f}"


def _seconds(known: NDArray[np.float64], q: float) -> Cell:
    return number(float(np.percentile(known, q))) if len(known) else NOT_RECORDED
