"""The tables of the alignment section: floors to ceiling, people's power curve, metrics, contested items."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import numpy as np

from voirdire.align.aligner import Aligner
from voirdire.align.evaluation import Evaluation, ModelScore
from voirdire.align.predictions import Predictions
from voirdire.checks.alignment_calibration import calibration_tables
from voirdire.checks.alignment_metrics import metric_gains
from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, LabelCounts, LabelShares, Missing, Row, Table
from voirdire.checks.words import count

__all__ = ["tables"]

ROLES = {"floor": "knows no verdict", "judge": "the judge as it is", "candidate": "aligned", "chosen": "used"}
NAMES = {
    "uniform": "every label alike",
    "label_prior": "base rates",
    "metric_prior": "base rates by metric",
    "system_prior": "base rates by system",
    "raw_judge": "the judge as it is",
    "pool": "pool of the aligned",
    "one_se": "simplest within one standard error",
}


def tables(context: Context, metrics: Sequence[str], aligner: Aligner | None) -> list[Table]:
    """Every table for the metrics of one scale."""
    assert aligner is not None
    found = aligner.evaluation
    made = [
        _scores(found),
        _two_views(found),
        _power(found),
        metric_gains(context, found),
        _contested(context, metrics, aligner),
        _candidates(found),
        *calibration_tables(found),
        _comparable(found),
    ]
    return [table for table in made if table.rows]


def _scores(found: Evaluation) -> Table:
    """Floors, the judge as it is, what is used, and the best possible."""
    shown = [one for one in found.models if one.role != "candidate"]
    if len(found.metrics) == 1:
        shown = [one for one in shown if one.name != "label_prior"]
    rows = _score_rows(shown)
    floor = found.model("metric_prior")
    if not math.isnan(found.optimum) and floor is not None:
        best: dict[str, Cell] = {"model": "best possible", "role": "by model", "rows": found.design.n_rows}
        best |= {"minus_prior": floor.log.value - found.optimum, "log": found.optimum, "kernel": 0.0}
        rows.append(Row(best))
    caption = "From floors to ceiling: how well each prediction knows people's labels, out of fold"
    return Table("alignment", caption, _score_columns(found), tuple(rows), ("minus_prior",))


def _candidates(found: Evaluation) -> Table:
    rows = _score_rows([one for one in found.models if one.role == "candidate"])
    caption = f"The {count(len(rows), 'aligned prediction')} one by one"
    return Table("candidates", caption, _score_columns(found), tuple(rows), ("minus_prior",), folded=True)


def _score_columns(found: Evaluation) -> tuple[Column, ...]:
    return (
        Column("model", "Prediction"),
        Column("role", "What it is"),
        Column("rows", "Rows", "count"),
        Column("minus_prior", "Gain over base rates, nats", "difference"),
        Column("log", "Log score, nats", "coefficient"),
        Column("kernel", found.kernel_name[:1].upper() + found.kernel_name[1:], "coefficient"),
    )


def _score_rows(models: Sequence[ModelScore]) -> list[Row]:
    return [Row(_score_cells(one)) for one in sorted(models, key=lambda one: -one.log.value)]


def _score_cells(one: ModelScore) -> dict[str, Cell]:
    return {
        "model": NAMES.get(one.name, one.name.replace("_", " ")),
        "role": ROLES[one.role],
        "rows": one.log.n_items,
        "minus_prior": Missing("reference") if one.name == "metric_prior" else one.minus_prior,
        "ahead": one.gain,
        "log": one.log,
        "kernel": one.kernel,
    }


def _two_views(found: Evaluation) -> Table:
    """Agreement with the majority beside distribution fit, a held-out person's value for both."""
    columns = (
        Column("measure", "Measure"),
        Column("person", "One other person", "coefficient"),
        Column("judge", "Judge as it is", "coefficient"),
        Column("aligned", "Aligned", "coefficient"),
    )
    accuracy, raw, chosen = found.accuracy, found.model("raw_judge"), found.model(found.chosen)
    points = found.power[0].points if found.power else ()
    cells: list[dict[str, Cell]] = [
        {
            "measure": "Agreement with the majority of the others",
            "person": accuracy.person,
            "judge": accuracy.judge,
            "aligned": accuracy.aligned,
        },
        {
            "measure": "Log score of a label, nats (lower is better)",
            "person": points[1].people if len(points) > 1 else Missing("not measurable"),
            "judge": raw.log if raw else Missing("none", "no human label from a judge"),
            "aligned": chosen.log if chosen else None,
        },
    ]
    caption = "One label a row, or the whole distribution: two views that need not agree"
    return Table("two_views", caption, columns, tuple(Row(each) for each in cells))


def _power(found: Evaluation) -> Table:
    columns = (
        Column("m", "Other people known", "count"),
        Column("rows", "Rows", "count"),
        Column("gap", "People minus judge, nats", "difference"),
        Column("people", "People and base rates", "coefficient"),
        Column("judge", "Judge alone", "coefficient"),
        Column("both", "Judge and people", "coefficient"),
    )
    rows = tuple(
        Row(
            {
                "m": one.m,
                "rows": one.n_rows,
                "gap": one.gap,
                "people": one.people,
                "judge": one.judge,
                "both": one.both,
            }
        )
        for one in (found.power[0].points if found.power else ())
    )
    caption = "Log score of one more label when m other people's labels are known, on the same rows"
    return Table("power", caption, columns, rows, ("gap",))


def _contested(context: Context, metrics: Sequence[str], aligner: Aligner) -> Table:
    """The rows that two people are likeliest to dispute."""
    predicted = aligner.predict(context.study)
    wanted = [code for code, name in enumerate(predicted.metric.values) if name in metrics]
    candidates = np.flatnonzero(predicted.contested & np.isin(predicted.metric.codes, wanted)).tolist()
    most = heapq.nsmallest(context.options.worst, candidates, key=lambda i: (-float(predicted.dispute[i]), i))
    rows = tuple(_contested_row(context, predicted, i) for i in most)
    labels = ", ".join(predicted.scale.labels)
    columns = [
        Column("item", "Item", "item"),
        Column("metric", "Metric"),
        Column("people", "People said", "labels"),
        Column("expected", f"Expected of people, %: {labels}", "labels"),
        Column("reason", "Why contested"),
    ]
    if any("text" in row.cells for row in rows):
        columns.append(Column("text", "Text", "prose"))
    caption = (
        f"The {count(len(rows), 'item')} most likely contested, of {len(candidates):,} flagged with "
        "their own labels counted in"
    )
    return Table("likely_contested", caption, tuple(columns), rows, folded=len(rows) > 12)


def _contested_row(context: Context, predicted: Predictions, i: int) -> Row:
    study = context.study
    name, metric = str(predicted.item[i]), str(predicted.metric[i])
    shares = predicted.probabilities[i].tolist()
    cells: dict[str, Cell] = {
        "item": name,
        "metric": study.metric(metric).label,
        "people": _people_said(context, metric, int(predicted.item.codes[i])),
        "expected": LabelShares(dict(zip(predicted.scale.labels, shares, strict=True))),
        "reason": predicted.reason[i] or "",
    }
    position = int(predicted.item.codes[i])
    text = study.items.said(position)
    if text is not None:
        cells["text"] = text
    return Row(cells, Evidence(metric, items=(name,)))


def _people_said(context: Context, metric: str, item: int) -> Cell:
    panel = context.people(metric)
    at = np.flatnonzero(panel.items == item)
    if not len(at):
        return Missing("none", "no human label")
    counts = np.bincount(panel.coded.label[panel.coded.item == at[0]], minlength=panel.coded.q)
    return LabelCounts({label: int(n) for label, n in zip(panel.scale.labels, counts, strict=True) if n})


def _comparable(found: Evaluation) -> Table:
    columns = (
        Column("name", "Distance"),
        Column("value", "Aligned", "coefficient"),
        Column("perfect", "A perfect prediction", "coefficient"),
    )
    rows = tuple(
        Row(
            {
                "name": one.name,
                "value": one.value,
                "perfect": Missing("not measurable") if math.isnan(one.perfect) else one.perfect,
            }
        )
        for one in found.comparable
    )
    caption = (
        "Distances that other papers report. With few labels a perfect prediction does not score 0, and "
        "sharper ones may score better"
    )
    return Table("comparable", caption, columns, rows, folded=True)
