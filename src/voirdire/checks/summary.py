"""The audit's first lines: the answer, what it rests on, the facts beside it and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from voirdire.checks.context import Context
from voirdire.checks.finding import Action, Bounds, Finding
from voirdire.checks.verdict import Answer, StandIn
from voirdire.checks.words import capital, count, listing, number, share, spoken

__all__ = ["actions", "answer", "facts", "lede"]

MOST_ACTIONS = 8


def answer(verdicts: Sequence[StandIn], findings: Sequence[Finding]) -> str:
    """May the judge stand in: the word, the number of metrics on each side, and the reasons."""
    if not verdicts:
        return findings[0].answer if findings else "Nothing to audit."
    if not any(one.judge for one in verdicts):
        return "Cannot tell. There is no judge in this study; it can say how far people agree."
    if all(one.reason == "no person rated this metric" for one in verdicts):
        return "Cannot tell. No person rated these items; the judge can be described, and not compared with people."
    clauses = [_clause(verdicts, each) for each in ("yes", "no", "cannot tell")]
    return f"{_word({one.answer for one in verdicts})} {capital('; '.join(clause for clause in clauses if clause))}."


def lede(context: Context, verdicts: Sequence[StandIn]) -> str:
    """What the answer rests on: agreement where several people rated beside agreement where one did."""
    several = [one for one in verdicts if one.n_items]
    alone = [one for one in verdicts if not one.n_items and one.judge_person.defined]
    said = []
    if several:
        items = sum(one.n_items for one in several)
        said.append(
            f"where several people rated ({count(items, 'item')}), judge–person κ is {_range([one.judge_person for one in several])} "
            f"beside {_range([one.person_person for one in several])} between people"
        )
    if alone:
        items = sum(one.rated_items for one in alone)
        headline = (
            spoken(alone[0].judge_person.defined[0])
            if len(alone) == 1
            else _range([one.judge_person for one in alone])
        )
        said.append(
            f"where one person rated ({count(items, 'item')}), judge–person κ is {headline}, and nobody can check that person's labels"
        )
    return f"{capital('; '.join(said))}." if said else _people_only(context)


def facts(context: Context, findings: Sequence[Finding]) -> Mapping[str, str]:
    """A few counts that a reader needs beside the answer."""
    study = context.study
    people, judges = study.raters_of("human"), study.raters_of("judge")
    data = next((finding.data for finding in findings if finding.check == "coverage"), {})
    labels = sum(
        context.people(name, context.policies(name)[0]).coded.n_ratings for name in context.audited()
    )
    found = {"Human labels": f"{labels:,}, by {count(len(people), 'person', 'people')}" if people else "none"}
    found["Items"] = f"{len(study.items):,}"
    units, single = data.get("units", 0), data.get("single_rated", 0)
    if isinstance(units, int) and isinstance(single, int) and units:
        found["Rated by one person"] = share(single, units)
    found |= _indeterminate(context, labels)
    if judges:
        found["Judge" if len(judges) == 1 else "Judges"] = listing([study.raters[code].id for code in judges])
        found |= _contestants(context)
    return found


def actions(findings: Sequence[Finding]) -> tuple[Action, ...]:
    """What to do next: the checks' actions, those that settle most for a label first."""
    every = chain.from_iterable(finding.actions for finding in findings)
    return tuple(sorted(dict.fromkeys(every), key=lambda action: -action.gain)[:MOST_ACTIONS])


def _word(found: set[Answer]) -> str:
    if len(found) == 1:
        return {"yes": "Yes.", "no": "No.", "cannot tell": "Cannot tell."}[next(iter(found))]
    return "Not yet."


def _clause(verdicts: Sequence[StandIn], which: Answer) -> str:
    mine = [one for one in verdicts if one.answer == which]
    if not mine:
        return ""
    judges = listing(list(dict.fromkeys(one.judge for one in mine if one.judge)))
    several_judges = len({one.judge for one in verdicts if one.judge}) > 1
    metrics = list(dict.fromkeys(name for one in mine for name in one.metrics))
    on = f"on {metrics[0]}" if len(metrics) == 1 else f"on {count(len(metrics), 'metric')}"
    if which == "cannot tell":
        return f"{on} this audit cannot tell{f' for {judges}' if several_judges and judges else ''}, because {_because(mine)}"
    who = judges if several_judges else "the judge"
    are = "are" if several_judges and len({one.judge for one in mine}) > 1 else "is"
    verb = (
        f"{are} worse than one more person would be"
        if which == "no"
        else f"{'agree' if are == 'are' else 'agrees'} with people as well as one more person would"
    )
    return f"{on} {who} {verb}"


def _because(mine: Sequence[StandIn]) -> str:
    """The reasons, most metrics first, with the number of metrics where there are several."""
    reasons: dict[str, list[str]] = {}
    for one in mine:
        reasons.setdefault(_kind(one), []).extend(one.metrics)
    ordered = sorted(reasons.items(), key=lambda pair: -len(pair[1]))
    if len(ordered) == 1:
        return ordered[0][0]
    return listing(
        [
            f"{len(set(names)):,} {'has' if len(set(names)) == 1 else 'have'} {words}"
            for words, names in ordered
        ],
        most=3,
    )


def _kind(one: StandIn) -> str:
    """The reason in the words of a sentence, the same for metrics with like reasons."""
    if not one.n_items:
        return one.reason
    return "intervals too wide for the margin" if one.difference.defined else "no variation to measure"


def _range(bounds: Sequence[Bounds]) -> str:
    values = [estimate.value for each in bounds for estimate in each.defined]
    if not values:
        return "undefined"
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} to {high}"


def _people_only(context: Context) -> str:
    people, judges = context.study.raters_of("human"), context.study.raters_of("judge")
    if people and not judges:
        return "What follows is the audit of the people: how far they agree, and who differs."
    return "What follows describes the judge: how stable it is, and its rates." if judges else ""


def _indeterminate(context: Context, labels: int) -> dict[str, str]:
    counts: dict[str, int] = {}
    for name in context.audited():
        scale = context.study.metric(name).scale
        coded = context.people(name, context.policies(name)[0]).coded
        for label in scale.indeterminate:
            counts[label] = counts.get(label, 0) + int((coded.label == scale.code(label)).sum())
    return {label.capitalize(): f"{n:,} of {labels:,} labels" for label, n in counts.items()}


def _contestants(context: Context) -> dict[str, str]:
    """Whether a judge is also one of the systems that it judged."""
    study = context.study
    column = study.items.attributes.get("system")
    if column is None:
        return {}
    names = {value.casefold(): value for value in column.values}
    same = [
        names[known.casefold()]
        for code in study.raters_of("judge")
        for known in dict.fromkeys(
            (study.raters[code].id, study.raters[code].model, study.raters[code].family)
        )
        if known and known.casefold() in names
    ]
    return {"Judge is a contestant": f"yes: {listing(same)}" if same else "no system has the judge's name"}
