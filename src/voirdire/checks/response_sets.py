"""Would the same judge be chosen if people were forced to one verdict, and if all they accept counted?

Figures of each judge under the forced-choice and the response-set target, on the rows (item and metric) that
all judges judged. Metrics with the same verdicts are pooled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.align.set_choice import FORCED, SETS, JudgeChoice, judge_choice
from voirdire.align.set_figures import JudgeUnderTargets
from voirdire.align.set_sensitivity import SetSensitivity, set_sensitivity
from voirdire.align.set_table import SetTable
from voirdire.checks.context import Context
from voirdire.checks.finding import Bounds, Cell, Column, Evidence, Finding, Row, Table
from voirdire.checks.judges import judged_metrics
from voirdire.checks.limits import within
from voirdire.checks.words import count, listing, percent
from voirdire.registry import register
from voirdire.stats import Estimate

__all__ = ["TAU", "response_sets"]

TAU = 0.5
"""A verdict is accepted where more than this share of people accept it."""
FEW_RESAMPLES = 400
"""Resamples where a study has too many items for more."""


@dataclass(frozen=True, eq=False)
class _Group:
    """Metrics of one set of verdicts: their rows, the comparison on all, and on each of several."""

    name: str
    table: SetTable
    choice: JudgeChoice
    alone: tuple[tuple[str, JudgeChoice], ...]
    sensitivity: tuple[SetSensitivity, ...]


@register("check", "response_sets")
def response_sets(context: Context) -> Finding | None:
    """Each judge under forced choices and under response sets, and whether both choose the same judge."""
    groups = list(_groups(context))
    if not groups:
        return None
    tables = (
        *(_figures(context, group) for group in groups),
        _choices(context, groups),
        *(_sensitivity(group) for group in groups if group.sensitivity),
    )
    return Finding(
        check="response_sets",
        question="Is the choice of a judge the same when every verdict that people accept counts?",
        answer=_answer(groups),
        tables=tuple(table for table in tables if table.rows),
        beware=tuple(_bewares(groups)),
        data={group.name: group.choice.to_dict() for group in groups},
    )


def _groups(context: Context) -> Iterator[_Group]:
    by_verdicts: dict[frozenset[str], list[str]] = {}
    for name in judged_metrics(context):
        verdicts = frozenset(context.study.metric(name).scale.verdicts)
        by_verdicts.setdefault(verdicts, []).append(name)
    for names in by_verdicts.values():
        for metrics in _compatible(context, names):
            table = SetTable.of(context.study, metrics)
            if _several_accepted(table) and len(table.common()):
                yield _group(context, metrics, table)


def _compatible(context: Context, names: Sequence[str]) -> list[list[str]]:
    """The metrics in groups within which no label admits different verdicts."""
    groups: list[tuple[dict[str, frozenset[str]], list[str]]] = []
    for name in names:
        scale = context.study.metric(name).scale
        admits = {label: scale.members(label) for label in scale.labels}
        home = next((g for g in groups if all(g[0].get(k, v) == v for k, v in admits.items())), None)
        if home is None:
            groups.append((admits, [name]))
        else:
            home[0].update(admits)
            home[1].append(name)
    return [metrics for _, metrics in groups]


def _several_accepted(table: SetTable) -> bool:
    """Whether anybody gave a label that admits more than one verdict."""
    wide = np.array([len(table.scale.members(label)) > 1 for label in table.scale.labels])
    return bool(table.counts[:, wide].any() or table.verdicts[:, :, wide].any())


def _group(context: Context, metrics: Sequence[str], table: SetTable) -> _Group:
    labels = [context.study.metric(name).label for name in metrics]
    several = len(metrics) > 1 and len(table.common().judges) > 1
    alone = [
        (name, _compare(context, part))
        for position, name in enumerate(metrics if several else ())
        if len((part := table.take(table.metric == position)).common().judges) > 1
    ]
    forced = not table.people_give_sets and len(table.common().judges) > 1
    return _Group(
        labels[0]
        if len(labels) == 1
        else f"{count(len(labels), 'metric')} with {listing(table.scale.verdicts)}",
        table,
        _compare(context, table),
        tuple(alone),
        set_sensitivity(table) if forced else (),
    )


def _compare(context: Context, table: SetTable) -> JudgeChoice:
    return judge_choice(
        table,
        tau=TAU,
        level=context.options.level,
        resamples=context.resamples(len(table)) or FEW_RESAMPLES,
        rng=context.rng("response_sets"),
    )


def _figures(context: Context, group: _Group) -> Table:
    ranked = (Column("rank", "Rank", "count"),) * (len(group.choice.judges) > 1)
    columns = (
        Column("judge", "Judge"),
        Column("target", "People's labels as"),
        *ranked,
        Column("verdict", "People who name or accept its verdict", "share"),
        Column("kappa", "Judge–person κ", "coefficient"),
        Column("error", "Squared error of shares", "coefficient"),
        Column("decisions", f"Wrong side of {TAU:g}", "share"),
    )
    choice = group.choice
    evidence = {name: Evidence(_only(group), (name,)) for name in group.table.judges}
    rows = [row for judge in choice.judges for row in _rows(judge, evidence[judge.judge], len(choice.judges))]
    caption = (
        f"{group.name}: judges against one verdict a person and against all that people accept, on "
        f"{count(choice.n_rows, 'row')}; the squared error on {choice.n_several:,} with several people"
    )
    return Table(f"targets_{context.study.metric_index(choice.metrics[0])}", caption, columns, tuple(rows))


def _rows(judge: JudgeUnderTargets, evidence: Evidence, n_judges: int) -> Iterator[Row]:
    forced, sets = judge.forced, judge.sets
    found: tuple[tuple[str, int, Estimate, Cell, Estimate, Estimate], ...] = (
        (FORCED, forced.rank, forced.hit, Bounds(forced.kappa), forced.error, forced.decision_error),
        (SETS, sets.rank, sets.covered, sets.kappa, sets.error, sets.decision_error),
    )
    for target, rank, verdict, kappa, error, wrong in found:
        cells: dict[str, Cell] = {
            "judge": judge.judge,
            "target": target,
            "verdict": within(verdict),
            "kappa": kappa,
            "error": error,
            "decisions": within(wrong),
        }
        yield Row(cells | ({"rank": rank} if n_judges > 1 else {}), evidence)


def _choices(context: Context, groups: Sequence[_Group]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("rows", "Rows", "count"),
        Column("forced", "Forced choices choose"),
        Column("sets", "Response sets choose"),
        Column("cost", "Response-set error, first minus second", "difference"),
        Column("decisions", "Wrong decisions, first minus second", "points"),
        Column("stable", "Best again in resamples"),
    )
    rows = []
    for group in groups:
        rows += [_choice_row(group.name, group.choice, _only(group))] * (len(group.choice.judges) > 1)
        rows += [_choice_row(context.study.metric(name).label, choice, name) for name, choice in group.alone]
    caption = "Which judge each target chooses, and what the choice by forced choices costs"
    return Table("targets_chosen", caption, columns, tuple(rows), folded=len(rows) > 20)


def _choice_row(name: str, choice: JudgeChoice, metric: str) -> Row:
    cells: dict[str, Cell] = {
        "metric": name,
        "rows": choice.n_rows,
        "forced": choice.chosen[FORCED],
        "sets": choice.chosen[SETS],
        "stable": ", ".join(f"{percent(choice.stable[target])} ({target})" for target in (FORCED, SETS)),
    }
    if not choice.same:
        cells |= {"cost": choice.cost, "decisions": choice.decision_cost}
    return Row(cells, Evidence(metric))


def _sensitivity(group: _Group) -> Table:
    columns = (
        Column("verdict", "Those who named another verdict also accept"),
        Column("chosen", "Best judge without"),
        Column("choice", "Another is best from β"),
        Column("ranking", "The order changes from β"),
    )
    rows = tuple(
        Row(
            {
                "verdict": one.verdict or "any verdict",
                "chosen": one.best[0],
                "choice": _first(one.changes_choice),
                "ranking": _first(one.changes_ranking),
            }
        )
        for one in group.sensitivity
    )
    caption = f"{group.name}: people gave no sets; what if they would have accepted more, with probability β"
    return Table(f"beta_{group.choice.metrics[0]}", caption, columns, rows, folded=True)


def _first(betas: Sequence[float]) -> str:
    return f"{min(betas):g}" if betas else "none"


def _only(group: _Group) -> str:
    """The metric that the group is, or '' for several."""
    return group.choice.metrics[0] if len(group.choice.metrics) == 1 else ""


def _answer(groups: Sequence[_Group]) -> str:
    if len(groups) == 1:
        return _sentence(groups[0].choice)
    return " ".join(f"On {group.name}: {_sentence(group.choice)}" for group in groups)


def _sentence(choice: JudgeChoice) -> str:
    if len(choice.judges) > 1:
        return str(choice)
    judge = choice.judges[0]
    return (
        f"There is one judge, {judge.judge}: forced to one verdict, {percent(judge.forced.hit.value)} of "
        f"people name its verdict; {percent(judge.sets.covered.value)} accept it."
    )


def _bewares(groups: Sequence[_Group]) -> Iterator[str]:
    yield (
        "Forced choice: a label that admits several verdicts is split evenly over them, κ under every "
        "mapping is shown as a range. Response sets: the share of people who accept each verdict."
    )
    yield (
        "The squared error is corrected for the number of people: 0 is right on average, and single figures "
        "may be below 0. Wrong sides are counted against the share among the people asked, so with few "
        "people some of the wrong ones are people's."
    )
    if any(not group.choice.same for group in groups):
        yield "The judges were chosen on the rows that compare them, so the cost of a choice looks too large."
    for group in groups:
        if group.choice.left_out:
            yield f"No common rows: {listing(group.choice.left_out)} could not be compared on {group.name}."
