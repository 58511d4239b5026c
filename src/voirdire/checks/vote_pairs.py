"""Pairwise preferences: agreement over pooled pairs of votes, with ties and without, overall and by slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.by_slice import parts
from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Row, Table
from voirdire.checks.panels import Pairs, same_label_pairs
from voirdire.checks.stand_in_cases import Case
from voirdire.checks.words import percent
from voirdire.stats import Coded

__all__ = ["judge_pairs", "vote_pair_table"]

TIE = "tie"


def vote_pair_table(context: Context, every: Sequence[Case]) -> Table:
    """One row a metric with a pairwise scale, judge and slice; every pair of votes on an item counts once."""
    rows = [
        row
        for one in every
        if context.study.metric(one.metric).scale.kind == "pairwise"
        for row in _rows(context, one)
    ]
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("part", "Part"),
        Column("judge_person", "Judge and person, same vote"),
        Column("judge_person_decided", "the same, neither says tie"),
        Column("person_person", "Two people, same vote"),
        Column("person_person_decided", "the same, neither says tie"),
    )
    caption = "Raw agreement over pooled pairs of votes; read it beside κ above"
    return Table("vote_pairs", caption, columns, tuple(rows), folded=len(rows) > 8)


def judge_pairs(coded: Coded, codes: NDArray[np.intp], rows: NDArray[np.bool_]) -> Pairs:
    """Pairs of the judge and one person, over the labels in ``rows`` (n,) on items with a verdict."""
    said = codes[coded.item]
    counted = rows & (said >= 0)
    return Pairs(int((said[counted] == coded.label[counted]).sum()), int(counted.sum()))


def _rows(context: Context, one: Case) -> Iterator[Row]:
    panel = context.people(one.metric)
    codes = context.verdicts(one.metric, one.judge).codes
    everything = np.ones(panel.coded.n_ratings, dtype=bool)
    yield _row(context, one, "all", everything, codes)
    for part in parts(context):
        inside = part.rows(panel)
        if 0 < inside.sum() < len(inside):
            yield _row(context, one, str(part), inside, codes, part.where)


def _row(
    context: Context,
    one: Case,
    name: str,
    inside: NDArray[np.bool_],
    codes: NDArray[np.intp],
    where: tuple[tuple[str, str], ...] = (),
) -> Row:
    panel = context.people(one.metric)
    tie = panel.scale.code(TIE)
    decided = inside & (panel.coded.label != tie)
    cells: dict[str, Cell] = {
        "metric": panel.metric.label,
        "judge": context.study.raters[one.judge].id,
        "part": name,
        "judge_person": _said(judge_pairs(panel.coded, codes, inside)),
        "judge_person_decided": _said(judge_pairs(panel.coded, np.where(codes == tie, -1, codes), decided)),
        "person_person": _said(same_label_pairs(panel.coded.select(inside))),
        "person_person_decided": _said(same_label_pairs(panel.coded.select(decided))),
    }
    return Row(cells, Evidence(metric=one.metric, where=where))


def _said(pairs: Pairs) -> str:
    return (
        f"{pairs.same:,} of {pairs.total:,}, {percent(pairs.share, pairs.total)}"
        if pairs.total
        else "no pair"
    )
