"""Is the judge stable? The same input judged several times: reliability, not correctness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.checks.by_slice import parts
from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Row, Table
from voirdire.checks.panels import several, subset, unanimous
from voirdire.checks.people_agreement import MOST_LABELS, resampled
from voirdire.checks.scales import alpha_level
from voirdire.checks.shares import share_of
from voirdire.checks.words import count, listing, percent
from voirdire.registry import register
from voirdire.stats import Coded, Estimate, FleissKappa, KrippendorffAlpha
from voirdire.study import Scale

__all__ = ["Repeats", "repeats", "stability"]

NOT_CORRECTNESS = "This is reliability, not correctness."


@dataclass(frozen=True, eq=False)
class Repeats:
    """One rater's repeated ratings on one scale: ``coded`` has runs as its raters, units as its items.

    ``item`` and ``metric`` (n_items of coded,) say which item and metric of the study each unit is.
    """

    rater: int
    scale: Scale
    coded: Coded
    item: NDArray[np.intp]
    metric: NDArray[np.intp]

    @property
    def units(self) -> str:
        """How many units, and what they are."""
        return count(
            self.coded.n_items, "item" if len(set(self.metric.tolist())) == 1 else "item–metric pair"
        )


def repeats(context: Context, rater: int) -> tuple[Repeats, ...]:
    """What ``rater`` rated in two runs or more, one entry a scale."""
    study, ratings = context.study, context.study.ratings
    if len(ratings.run.values) < 2:
        return ()
    rows = np.flatnonzero(study.usable & (ratings.rater == rater) & (ratings.run.codes >= 0))
    scales = list(dict.fromkeys(metric.scale.labels for metric in study.metrics))
    of_metric = np.array([scales.index(metric.scale.labels) for metric in study.metrics])
    found = []
    for code, labels in enumerate(scales):
        scale = next(metric.scale for metric in study.metrics if metric.scale.labels == labels)
        mine = rows[of_metric[ratings.metric[rows]] == code]
        one = _repeats(context, rater, scale, mine)
        if one is not None:
            found.append(one)
    return tuple(found)


@register("check", "stability")
def stability(context: Context) -> Finding | None:
    """Unanimity and agreement beyond chance over runs, by slice too, of every judge with repeats."""
    found = [one for judge in context.study.raters_of("judge") for one in repeats(context, judge)]
    if not found:
        if not context.judged():
            return None
        answer = "Not recorded: every verdict was asked for once."
        gap = "repeated verdicts of the judge on the same items"
        return Finding("stability", "Is the judge stable?", answer, missing=(gap,))
    numeric = any(one.scale.kind in ("ordinal", "numeric") for one in found)
    columns = [
        Column("judge", "Judge"),
        Column("part", "Part"),
        Column("units", "Items × runs"),
        Column("unanimous", "Unanimous", "share"),
        Column("fleiss", "Fleiss κ", "coefficient"),
    ]
    columns += [Column("alpha", "α by the scale", "coefficient")] if numeric else []
    rows = tuple(row for one in found for row in _rows(context, one))
    return Finding(
        check="stability",
        question="Is the judge stable?",
        answer=_answer(context, found),
        tables=(
            Table(
                "stability", "Agreement of a judge with itself over runs", tuple(columns), rows, ("fleiss",)
            ),
        ),
        beware=(
            "A judge that repeats itself may be wrong every time; a judge that does not cannot be right "
            "every time.",
        ),
        data={"unanimous": [int(unanimous(one.coded).sum()) for one in found]},
    )


def _repeats(context: Context, rater: int, scale: Scale, rows: NDArray[np.intp]) -> Repeats | None:
    study, ratings = context.study, context.study.ratings
    unit = ratings.metric[rows].astype(np.int64) * len(study.items) + ratings.item[rows]
    _, place, runs = np.unique(unit, return_inverse=True, return_counts=True)
    rows, unit = rows[runs[place] >= 2], unit[runs[place] >= 2]
    if not len(rows):
        return None
    units, item = np.unique(unit, return_inverse=True)
    run_codes, run = np.unique(ratings.run.codes[rows], return_inverse=True)
    which = units % len(study.items)
    groups = study.items.units(which).astype(np.int32)
    coded = Coded(
        item=item.astype(np.int32),
        rater=run.astype(np.int32),
        label=ratings.label[rows],
        n_items=len(units),
        n_raters=len(run_codes),
        q=len(scale.labels),
        values=None if scale.values is None else np.asarray(scale.values, dtype=np.float64),
        cluster=groups if len(np.unique(groups)) < len(groups) else None,
        ordered=scale.ordered,
    )
    return Repeats(rater, scale, coded, which, units // len(study.items))


def _rows(context: Context, one: Repeats) -> Iterator[Row]:
    everything = np.ones(one.coded.n_items, dtype=bool)
    yield _row(context, one, "all", everything, ())
    polarity = np.array([metric.polarity for metric in context.study.metrics], dtype=object)[one.metric]
    for value in ("positive", "negative"):
        inside = polarity == value
        if 0 < inside.sum() < len(inside):
            yield _row(context, one, value, inside, ())
    for part in parts(context):
        if part.items is not None and 0 < (inside := part.items[one.item]).sum() < len(inside):
            yield _row(context, one, str(part), inside, part.where)


def _row(
    context: Context, one: Repeats, name: str, inside: NDArray[np.bool_], where: tuple[tuple[str, str], ...]
) -> Row:
    coded, _, _ = subset(one.coded, inside[one.coded.item])
    several_runs = several(coded)
    group = None if coded.cluster is None else coded.cluster[several_runs].astype(np.intp)
    level = context.options.level
    cells: dict[str, Cell] = {
        "judge": context.study.raters[one.rater].id,
        "part": name,
        "units": f"{coded.n_items:,} × {coded.n_raters:,}",
        "unanimous": share_of(unanimous(coded)[several_runs], cluster=group, level=level),
    }
    if coded.q <= MOST_LABELS:
        cells["fleiss"] = _coefficient(context, coded, FleissKappa(), name)
    if one.scale.kind in ("ordinal", "numeric"):
        cells["alpha"] = _coefficient(context, coded, KrippendorffAlpha(level=alpha_level(one.scale)), name)
    names = {context.study.metrics[code].name for code in one.metric[inside].tolist()}
    metric = names.pop() if len(names) == 1 else ""
    return Row(cells, Evidence(metric, (context.study.raters[one.rater].id,), where))


def _coefficient(
    context: Context, coded: Coded, option: FleissKappa | KrippendorffAlpha, name: str
) -> Estimate:
    return resampled(context, coded, {"it": option}, f"stability {name}")["it"]


def _answer(context: Context, found: list[Repeats]) -> str:
    said = []
    for one in found:
        n, same = one.coded.n_items, int(unanimous(one.coded).sum())
        who = "it" if len({each.rater for each in found}) == 1 else context.study.raters[one.rater].id
        times = {2: "twice", 3: "three times"}.get(one.coded.n_raters, f"{one.coded.n_raters} times")
        said.append(
            f"asked {times}, {who} gave one verdict on {same:,} of {one.units} ({percent(same / n, n)})"
        )
    text = listing(said, most=3)
    return f"{text[:1].upper()}{text[1:]}. {NOT_CORRECTNESS}"
