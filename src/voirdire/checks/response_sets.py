"""Would the same judge be chosen if people were forced to one verdict, and if all they accept counted?

Figures of each judge under the forced-choice and the response-set target, on the rows (item and metric) that
all judges judged. Metrics with the same verdicts are pooled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from voirdire.align.set_choice import FORCED, SETS, JudgeChoice
from voirdire.align.set_figures import JudgeUnderTargets
from voirdire.align.set_matrices import SetMatrices
from voirdire.checks.context import Context
from voirdire.checks.finding import Bounds, Cell, Column, Evidence, Finding, Row, Table
from voirdire.checks.limits import capped, within
from voirdire.checks.response_sets_groups import TAU, Group, groups_of
from voirdire.checks.words import count, listing, percent
from voirdire.registry import register
from voirdire.stats import Estimate

__all__ = ["response_sets"]


@register("check", "response_sets")
def response_sets(context: Context) -> Finding | None:
    """Each judge under forced choices and under response sets, and whether both choose the same judge."""
    groups = list(groups_of(context))
    if not groups:
        return None
    tables = (
        *(_figures(context, group) for group in groups),
        _choices(context, groups),
        *(_sensitivity(group) for group in groups if group.sensitivity),
        *(table for group in groups if group.matrices for table in _matrices(group, group.matrices)),
    )
    return Finding(
        check="response_sets",
        question="Is the choice of a judge the same when every verdict that people accept counts?",
        answer=_answer(groups),
        tables=tuple(table for table in tables if table.rows),
        beware=tuple(_bewares(groups)),
        missing=tuple(dict.fromkeys(group.lacking for group in groups if group.lacking)),
        data={group.name: group.choice.to_dict() for group in groups},
    )


def _figures(context: Context, group: Group) -> Table:
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
    evidence = {name: Evidence(group.metric, (name,)) for name in group.table.judges}
    rows = [row for judge in choice.judges for row in _rows(judge, evidence[judge.judge], len(choice.judges))]
    caption = (
        f"{group.name}: judges against one verdict a person and against all that people accept, on "
        f"{count(choice.n_rows, 'row')}; the squared error on {choice.n_several:,} with several people"
    )
    return Table(f"targets_{context.study.metric_index(choice.metrics[0])}", caption, columns, tuple(rows))


def _rows(judge: JudgeUnderTargets, evidence: Evidence, n_judges: int) -> Iterator[Row]:
    forced, sets = judge.forced, judge.sets
    ways = Bounds({name: capped(kappa) for name, kappa in forced.kappa.items()})
    found: tuple[tuple[str, int, Estimate, Cell, Estimate, Estimate], ...] = (
        (FORCED, forced.rank, forced.hit, ways, forced.error, forced.decision_error),
        (SETS, sets.rank, sets.covered, capped(sets.kappa), sets.error, sets.decision_error),
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


def _choices(context: Context, groups: Sequence[Group]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("rows", "Rows", "count"),
        Column("forced", "Forced choices choose"),
        Column("shares", "Shares of forced choices choose"),
        Column("sets", "Response sets choose"),
        Column("cost", "Response-set error, forced minus sets", "difference"),
        Column("decisions", "Wrong decisions, forced minus sets", "points"),
        Column("stable", "Best again in resamples"),
    )
    rows = []
    for group in groups:
        rows += [_choice_row(group.name, group.choice, group.metric)] * (len(group.choice.judges) > 1)
        rows += [_choice_row(context.study.metric(name).label, choice, name) for name, choice in group.alone]
    caption = "Which judge each target chooses, and what the choice by forced choices costs"
    return Table("targets_chosen", caption, columns, tuple(rows), folded=len(rows) > 20)


def _choice_row(name: str, choice: JudgeChoice, metric: str) -> Row:
    cells: dict[str, Cell] = {
        "metric": name,
        "rows": choice.n_rows,
        "forced": choice.chosen[FORCED],
        "shares": choice.by_shares,
        "sets": choice.chosen[SETS],
        "stable": ", ".join(f"{percent(choice.stable[target])} ({target})" for target in (FORCED, SETS)),
    }
    if not choice.same:
        cells |= {"cost": choice.cost, "decisions": choice.decision_cost}
    return Row(cells, Evidence(metric))


def _sensitivity(group: Group) -> Table:
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


def _matrices(group: Group, found: SetMatrices) -> Iterator[Table]:
    """Who names what of all that they accept, and who would accept what of those who named one."""
    verdicts, labels = found.scale.verdicts, found.scale.labels
    shown = (
        (
            "names",
            "Of those who accept",
            labels,
            verdicts,
            found.forward,
            found.forward_low,
            found.forward_high,
        ),
        (
            "accepts",
            "Of those who named",
            verdicts,
            labels,
            found.reverse,
            found.reverse_low,
            found.reverse_high,
        ),
    )
    for name, first, given, asked, value, low, high in shown:
        columns = (
            Column("given", first),
            *(Column(f"share_{k}", each, "share") for k, each in enumerate(asked)),
        )
        rows = []
        for j, label in enumerate(given):
            cells: dict[str, Cell] = {"given": label}
            for k in range(len(asked)):
                entry = float(value[k, j]), float(low[k, j]), float(high[k, j])
                cells[f"share_{k}"] = Estimate(
                    *entry, found.level, n_items=found.n_pairs, method="Bayesian bootstrap"
                )
            rows.append(Row(cells))
        caption = (
            f"{group.name}: {first.lower()} ..., the share that {name} ..., from {found.n_pairs:,} pairs"
        )
        yield Table(f"pairs_{name}_{group.choice.metrics[0]}", caption, columns, tuple(rows), folded=True)


def _first(betas: Sequence[float]) -> str:
    return f"{min(betas):g}" if betas else "none"


def _answer(groups: Sequence[Group]) -> str:
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


def _bewares(groups: Sequence[Group]) -> Iterator[str]:
    yield (
        "Forced choice: a label that admits several verdicts is split evenly over them, κ under every "
        "mapping is shown as a range. Response sets: the share of people who accept each verdict."
    )
    yield (
        "The squared error is corrected for the number of people: 0 is right on average, and single figures "
        "may be below 0. Wrong sides are counted against the share among the people asked, so with few "
        "people some of the wrong ones are people's."
    )
    if any(len(group.choice.judges) > 1 for group in groups):
        yield (
            "Under forced choice judges rank by how many people name their verdict, under response sets by "
            "the squared error. The squared error of forced choices may choose a third."
        )
    if any(not group.choice.same for group in groups):
        yield "The judges were chosen on the rows that compare them, so the cost of a choice looks too large."
    if any(group.named_only for group in groups):
        yield (
            "Where people named one verdict, what they accept is read off those who were asked both ways, as "
            "if that did not depend on the item."
        )
    for group in groups:
        if group.choice.left_out:
            yield f"No common rows: {listing(group.choice.left_out)} could not be compared on {group.name}."
