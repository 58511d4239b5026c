"""Does a judge favour its own outputs, or its family's, and is the simulated user a contestant too?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from voirdire.checks.contestants import ranked, systems_named
from voirdire.checks.context import Context
from voirdire.checks.finding import Action, Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.systems_tables import labelled
from voirdire.checks.words import count, listing, number, percent, spoken
from voirdire.decide.kinship import kin_of, plain_name
from voirdire.decide.self_preference import self_preference
from voirdire.decide.self_preference_result import Preference, SelfPreference
from voirdire.decide.systems_options import SystemsOptions
from voirdire.errors import UserError
from voirdire.registry import register

__all__ = ["contest", "preferences", "users_that_compete"]

USER_COLUMNS = ("simulated_user", "user", "user_model")
MOST_SAID = 3
WHOSE = "\0"
"""Stands for the outputs in a sentence that two tests may share."""
MOST_ROWS = 20
SHOWN = ("for", "against", "leans for", "leans against")
ANSWERS = {
    "for": "for its own",
    "against": "against its own",
    "leans for": "leans for its own",
    "leans against": "leans against its own",
    "not shown": "none shown",
    "cannot tell": "cannot tell",
    "not testable": "not testable",
}


def preferences(context: Context) -> SelfPreference | None:
    """Every judge's error on its own and its family's outputs; None where people and judges share nothing."""
    return context.once("self preference", _preferences)


def _preferences(context: Context) -> SelfPreference | None:
    options = SystemsOptions(level=context.options.level, seed=context.options.seed)
    try:
        return self_preference(context.study, options)
    except UserError:  # no metric that both rated
        return None


@register("check", "contest")
def contest(context: Context) -> Finding | None:
    """Does a judge favour its own or its family's outputs, by the difference of its errors?"""
    systems = systems_named(context)
    kin = {
        rater.id: own
        for code in context.study.raters_of("judge")
        if (own := kin_of(rater := context.study.raters[code], systems)).every
    }
    users = users_that_compete(context)
    if not kin and not users:
        return None
    found = preferences(context)
    tests = found.tests if found else ()
    said = [
        *_users(context, users),
        *(_untested(kin_id, one.every) for kin_id, one in kin.items() if not tests),
    ]
    said = [*_told(context, found), *said] if found else said
    return Finding(
        check="contest",
        question="Does a judge favour its own outputs, or its family's?",
        answer=" ".join(said),
        tables=tuple(table for table in (_table(context, found),) if table.rows) if found else (),
        beware=tuple(_bewares(found)),
        actions=tuple(_actions(found)) if found else (),
        missing=()
        if tests or not kin
        else ("people's labels on outputs of the judge's own system and of others",),
        data={"tests": found.to_dict()["tests"] if found else [], "users": list(users)},
    )


def users_that_compete(context: Context) -> tuple[str, ...]:
    """Systems that also play the simulated user, by the columns of ``USER_COLUMNS``."""
    known = {plain_name(name): name for name in systems_named(context)}
    study = context.study
    columns = [study.items.attributes.get(name) for name in USER_COLUMNS]
    columns += [study.ratings.attributes.get(name) for name in USER_COLUMNS]
    named = [value for column in columns if column is not None for value in column.values]
    named += [
        value for rater in study.raters for name in USER_COLUMNS if (value := rater.attributes.get(name))
    ]
    return tuple(dict.fromkeys(known[one] for one in map(plain_name, named) if one in known))


def _users(context: Context, users: Sequence[str]) -> Iterator[str]:
    for name in users:
        place = ranked(context, name)
        yield (
            f"The simulated user {place if place == name else f'{place} by the judge,'} is also one of the "
            "systems: "
            "what favours it cannot be told from labels, only by conversations with another user."
        )


def _untested(judge: str, systems: Sequence[str]) -> str:
    return (
        f"{judge} is kin to {listing(list(systems))}: not testable, for no item that names its system has "
        "both a "
        "person's label and its verdict."
    )


def _told(context: Context, found: SelfPreference) -> Iterator[str]:
    """What is shown, else what the best test could have shown, else why there is none."""
    shown = [one for one in found.tests if _answer(found, one) in SHOWN]
    for one in shown[:MOST_SAID]:
        assert one.difference is not None, "what is shown has a figure"
        yield (
            f"{one.judge} errs {_answer(found, one).split()[-1]} {_whose(one)} on "
            f"{labelled(context, one.metrics)}: by {spoken(one.difference)} more than for others"
            f"{_other_causes(one)}."
        )
    if shown or not found.tests:
        return
    said: dict[str, list[str]] = {}
    for one in _widest(found.tests)[:MOST_SAID]:
        said.setdefault(_not_shown(context, found, one), []).append(_whose(one))
    for words, whose in said.items():
        yield words.replace(WHOSE, listing(whose))


def _other_causes(one: Preference) -> str:
    """What else could explain a difference that is shown."""
    parts = []
    if one.beyond is not None and one.beyond.has_interval:
        parts.append(f"{spoken(one.beyond)} beyond what its decisiveness explains")
    wide = one.any_systems
    if wide is None or not wide.has_interval:
        parts.append("too few other systems to tell it from other differences between systems")
    elif wide.low <= 0 <= wide.high:
        parts.append("no more than biases differ between other systems")
    return f" ({'; '.join(parts)})" if parts else ""


def _widest(tests: Sequence[Preference]) -> list[Preference]:
    """For each judge and kind, the test on most own outputs."""
    best: dict[tuple[str, str], Preference] = {}
    for one in tests:
        key = (one.judge, one.kind)
        if key not in best or one.n_own > best[key].n_own:
            best[key] = one
    return list(best.values())


def _not_shown(context: Context, found: SelfPreference, one: Preference) -> str:
    """What a test that shows nothing could have shown, with ``WHOSE`` for the outputs it is about."""
    smallest, chance = number(found.smallest * one.span), percent(found.power)
    need = (
        f"about {one.needed:,.0f} labelled own outputs, {_others(one)}, would show {smallest} with a "
        f"chance of {chance}"
        if math.isfinite(one.needed)
        else "how many labels it needs cannot be told"
    )
    if one.reason:
        counted = f"{one.n_own:,} own, {one.n_other:,} others'"
        return f"{one.judge} on {WHOSE}: not testable, {one.reason} ({counted}); {need}."
    assert one.difference is not None, "a test without a reason has a figure"
    where, seen = labelled(context, one.metrics), number(one.detectable)
    if _answer(found, one) == "not shown":
        return (
            f"{one.judge} shows no preference for {WHOSE} on {where} ({spoken(one.difference)}); one of "
            f"{seen} would "
            f"have been found with a chance of {chance}."
        )
    return (
        f"{one.judge} on {WHOSE}, {where}: the sample cannot tell ({spoken(one.difference)}); it would "
        f"show {seen} "
        f"or more, and {need}."
    )


def _others(one: Preference) -> str:
    return "others' in proportion" if one.n_own else "and as many of others"


def _whose(one: Preference) -> str:
    return (
        "its own outputs" if one.kind == "itself" else f"its family's outputs ({listing(list(one.systems))})"
    )


def _answer(found: SelfPreference, one: Preference) -> str:
    return one.answer(found.smallest, found.level)


def _table(context: Context, found: SelfPreference) -> Table:
    columns: tuple[Column, ...] = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("own", "Outputs of"),
        Column("labelled", "Labelled"),
        Column("difference", "Error on own minus others'", "difference"),
        Column("any", "with other biases", "difference"),
        Column("beyond", "beyond decisiveness", "difference"),
        Column("p", "p, corrected", "p"),
        Column("answer", "Preference"),
        Column("detectable", "Would show", "coefficient"),
        Column("needed", "Needed", "count"),
    )
    if not any(one.beyond for one in found.tests):
        columns = tuple(column for column in columns if column.key != "beyond")
    rows = tuple(_row(context, found, one) for one in found.tests)
    caption = "The judge's error (its score minus people's) on own outputs against others'"
    return Table("self_preference", caption, columns, rows, folded=len(rows) > MOST_ROWS)


def _row(context: Context, found: SelfPreference, one: Preference) -> Row:
    known = one.difference is not None and one.difference.has_interval
    cells: dict[str, Cell] = {
        "metric": labelled(context, one.metrics),
        "judge": one.judge,
        "own": f"{listing(list(one.systems))}\n{one.kind}{', by name' if one.by_name else ''}",
        "labelled": f"{one.n_own:,}\nothers' {one.n_other:,}",
        "difference": one.difference if known else Missing("not testable", one.reason),
        "any": one.any_systems,
        "beyond": one.beyond,
        "p": one.p_adjusted if known else None,
        "answer": ANSWERS[_answer(found, one)],
        "detectable": one.detectable if known else None,
        "needed": math.ceil(one.needed) if math.isfinite(one.needed) else None,
    }
    return Row(cells, Evidence(one.metrics[0] if len(one.metrics) == 1 else ""))


def _bewares(found: SelfPreference | None) -> Iterator[str]:
    if found is None or not found.tests:
        return
    yield (
        f"Would show: the smallest difference found with a chance of {percent(found.power)}. Needed: "
        "labelled own "
        f"outputs, with others' in proportion, that show {found.smallest:g} of the distance between the "
        "lowest and "
        "the highest label. On pairs, others' are pairs without an own output."
    )
    if all(one.reason for one in found.tests):
        return
    yield (
        "A judge's error can differ between systems for reasons other than kinship: style, length, or "
        "quality where "
        "it compresses or stretches people's scale. `With other biases` allows for as much as the other "
        "systems "
        "differ among themselves; one system can hardly stand out from few."
    )
    if any(one.by_name for one in found.tests):
        yield (
            "A family marked `by name` is guessed from the first word of the names; `model` and `family` "
            "of the "
            "judge in study.yaml settle it."
        )


def _actions(found: SelfPreference) -> Iterator[Action]:
    for one in _widest(found.tests):
        more = one.needed - one.n_own
        if _answer(found, one) in ("cannot tell", "not testable") and math.isfinite(more) and more > 0:
            yield Action(
                f"Label {count(math.ceil(more), 'more output')} of {listing(list(one.systems))}, "
                f"{_others(one)}",
                f"The sample cannot tell whether {one.judge} favours {_whose(one)}.",
                f"{math.ceil(more):,} labels and others'",
                gain=0.1,
            )
