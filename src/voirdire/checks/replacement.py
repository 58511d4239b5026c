"""Can the judge replace one of the people? By its labels, and by how well it tells people's distribution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.words import count, listing, number
from voirdire.decide.replacement import NOT_ASKED, replacement_tests
from voirdire.decide.replacement_options import ReplacementOptions
from voirdire.decide.replacement_result import Person, Replacement, meanings
from voirdire.registry import register
from voirdire.stats import Estimate

__all__ = ["replacement"]

ANSWERS = {True: "yes", False: "not shown", None: "cannot tell"}
MOST_WARNINGS = 5
MOST_PAIRS = 20
"""Beyond so many judges and metrics an audit leaves the test by distribution to ``--align``."""
SCORES = {"accuracy": "equal labels", "neg_rmse": "small squared distance"}


@register("check", "replacement")
def replacement(context: Context) -> Finding | None:
    """Can the judge replace one of the people, by single labels and by distribution?"""
    metrics = [name for name in context.compared() if context.study.judges_of(name)]
    if not metrics:
        return None
    aligned = context.options.align
    pairs = sum(len(context.study.judges_of(name)) for name in metrics)
    options = ReplacementOptions(
        metrics=tuple(metrics),
        select="pool" if aligned else "auto",  # a quick map takes a tenth of a second, the pool two
        distribution=aligned or pairs <= MOST_PAIRS,
        level=context.options.level,
        seed=context.options.seed,
    )
    tests = replacement_tests(context.study, options).tests
    made = [one for one in tests if one.people]
    alone = dict.fromkeys(_label(context, one) for one in tests if not one.people)
    gap = f"three people on the same items, on {listing(list(alone))}: one is compared with the others"
    return Finding(
        check="replacement",
        question="Can the judge replace one of the people?",
        answer=_answer(context, made),
        tables=(_by_metric(context, made), _by_person(context, made)) if made else (),
        beware=tuple(_bewares(context, made)),
        missing=(gap,) if alone else (),
        data={"tests": [_data(one) for one in made]},
    )


def _by_metric(context: Context, tests: Sequence[Replacement]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("wins", "Wins over (ω)"),
        Column("advantage", "As good as a person (ρ)", "share"),
        Column("labels", "By labels", "verdict"),
        Column("worth", "Worth more than"),
        Column("gain", "Gain over one label (Δ, nats)", "difference"),
        Column("distribution", "By distribution", "verdict"),
    )
    rows = tuple(
        Row(
            {
                "metric": _label(context, one),
                "judge": one.judge,
                "wins": _won([test.rejected for test in one.tested], one.no_labels),
                "advantage": _or_missing(one.advantage, one.no_labels),
                "labels": ANSWERS[one.passes],
                "worth": _won([test.rejected for test in one.weighed], one.no_distribution),
                "gain": _or_missing(one.gain, one.no_distribution),
                "distribution": ANSWERS[one.passes_by_distribution],
            },
            Evidence(one.metric, (one.judge, *(person.id for person in one.people))),
        )
        for one in tests
    )
    return Table("tests", "Each judge against each person, and what it adds up to", columns, rows)


def _by_person(context: Context, tests: Sequence[Replacement]) -> Table:
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("person", "Person"),
        Column("items", "Items", "count"),
        Column("epsilon", "ε"),
        Column("advantage", "Judge as good (ρ)", "share"),
        Column("p_labels", "p, labels", "p"),
        Column("gain", "Gain over their label (nats)", "difference"),
        Column("p_distribution", "p, distribution", "p"),
    )
    rows = tuple(_person_row(context, one, person) for one in tests for person in one.people)
    return Table(
        "people", "Person by person; p corrected for the number of people", columns, rows, folded=True
    )


def _person_row(context: Context, one: Replacement, person: Person) -> Row:
    labels, spread = person.labels, person.distribution
    cells: dict[str, Cell] = {
        "metric": _label(context, one),
        "judge": one.judge,
        "person": person.id,
        "items": labels.n_items if labels else spread.n_items if spread else 0,
    }
    if labels:
        cells |= {
            "epsilon": f"{labels.epsilon:g} ({person.kind})",
            "advantage": labels.advantage,
            "p_labels": labels.p_adjusted,
        }
    if spread:
        cells |= {"gain": spread.gain, "p_distribution": spread.p_adjusted}
    note = f"test by labels: {labels.method}" if labels else ""
    return Row(cells, Evidence(one.metric, (one.judge, person.id)), note)


def _answer(context: Context, tests: Sequence[Replacement]) -> str:
    if not tests:
        return "Cannot tell: fewer than three people share items on every metric."
    if len(tests) == 1:
        return _sentence(tests[0])
    passed = sum(one.passes is True for one in tests)
    told = sum(one.passes_by_distribution is True for one in tests)
    unknown = sum(one.passes is None for one in tests)
    what = "metrics" if len({one.judge for one in tests}) == 1 else "judges and metrics"
    open_ones = f" ({unknown} cannot be told)" if unknown else ""
    weighed = [one for one in tests if one.gain is not None]
    spread = f", and by distribution on {told} of {len(weighed)}" if weighed else ""
    return f"It is shown by single labels on {passed} of {len(tests)} {what}{open_ones}{spread}."


def _sentence(one: Replacement) -> str:
    """One judge's answer in words.

    ω and ρ belong to the labels, the share of people and Δ to the distribution.
    """
    said = {True: "yes", False: "not shown", None: "cannot tell"}
    parts = []
    if one.advantage is not None:
        won = sum(test.rejected for test in one.tested)
        parts.append(
            f"By single labels: {said[one.passes]}; {one.judge} wins over {won} of "
            f"{count(len(one.tested), 'person', 'people')} and is as good as a person on a share of "
            f"{number(one.advantage.value)} of items."
        )
    if one.gain is not None:
        worth = sum(test.rejected for test in one.weighed)
        parts.append(
            f"By distribution: {said[one.passes_by_distribution]}; it is worth more than the labels of "
            f"{worth} of {count(len(one.weighed), 'person', 'people')}."
        )
    return " ".join(parts)


def _bewares(context: Context, tests: Sequence[Replacement]) -> Iterator[str]:
    if not tests:
        return
    scores = listing(list(dict.fromkeys(SCORES[one.score] for one in tests)))
    yield (
        "By labels is the alternative annotator test (Calderon et al. 2025): each person is left out in "
        f"turn and scored, as the judge is, against the others by {scores}. A tie counts for the judge, "
        "which may be worse by ε: 0.2 for an expert, 0.15 for a skilled person, 0.1 for the crowd or where "
        "no expertise is declared. The best judge by labels gives the majority's label, or the mean."
    )
    yield (
        "By distribution asks whether the judge's distribution, aligned out of fold, predicts the other "
        "people better than one person's label does, and better than base rates. Collapsing to the majority "
        "gains nothing there."
    )
    if any(one.small for one in tests):
        yield (
            "People with fewer than 30 shared items are tested exactly; the published test for them "
            "(Wilcoxon) would find too many wins."
        )
    warnings = [one.warning for one in tests if one.disagree]
    yield from warnings[:MOST_WARNINGS]
    if len(warnings) > MOST_WARNINGS:
        yield f"The two tests disagree on {len(warnings) - MOST_WARNINGS:,} more."
    yield from meanings(tests)
    if any(one.no_distribution == NOT_ASKED for one in tests):
        yield f"By distribution no more than {MOST_PAIRS} judges and metrics are tested; `--align` adds it."
    yield from _limits(context, tests)


def _limits(context: Context, tests: Sequence[Replacement]) -> Iterator[str]:
    """Where people share too few items to tell, and where only all of them together tell something."""
    few = [one for one in tests if one.tested and one.passes is None]
    if few:
        need = max(one.items_needed(min(test.epsilon for test in one.tested)) for one in few)
        yield (
            f"By labels no answer on {_names(context, few)}: too few people share enough items to be won "
            f"over even by a judge that never differs from them, {need:,} a person."
        )
    together = [one for one in tests if one.together]
    if together:
        yield (
            f"On {_names(context, together)} the distribution is worth more than one person's label over all "
            "people together, though not over half of them one by one."
        )


def _names(context: Context, tests: Sequence[Replacement]) -> str:
    several = len({one.judge for one in tests}) > 1
    named = [f"{_label(context, one)} ({one.judge})" if several else _label(context, one) for one in tests]
    return listing(named)


def _won(rejected: Sequence[bool], reason: str) -> Cell:
    return f"{sum(rejected)} of {len(rejected)}" if rejected else Missing("not measurable", reason)


def _or_missing(estimate: Estimate | None, reason: str) -> Cell:
    return Missing("not measurable", reason) if estimate is None else estimate


def _label(context: Context, one: Replacement) -> str:
    return context.study.metric(one.metric).label


def _data(one: Replacement) -> dict[str, object]:
    return {
        "metric": one.metric,
        "judge": one.judge,
        "winning_rate": None if one.winning_rate is None else one.winning_rate.value,
        "advantage": None if one.advantage is None else one.advantage.to_dict(),
        "passes": one.passes,
        "share_worth": None if one.share_worth is None else one.share_worth.value,
        "gain": None if one.gain is None else one.gain.to_dict(),
        "passes_by_distribution": one.passes_by_distribution,
        "disagree": one.disagree,
    }
