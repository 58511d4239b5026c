"""The audit's first lines: the answer, what it rests on, the facts beside it and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from voirdire.checks.contestants import contestants
from voirdire.checks.context import Context
from voirdire.checks.coverage import units
from voirdire.checks.coverage_notes import left_out
from voirdire.checks.finding import Action, Bounds, Finding
from voirdire.checks.stand_in_cases import pooled_pairs
from voirdire.checks.stand_in_rule import BY_MAPPING, NO_JUDGE, NO_PEOPLE, ONE_RATER, barely
from voirdire.checks.verdict import Answer, StandIn
from voirdire.checks.words import capital, count, listing, number, share, spoken
from voirdire.stats import REASONS

__all__ = ["actions", "answer", "facts", "lede"]

MOST_ACTIONS = 8


def answer(verdicts: Sequence[StandIn], findings: Sequence[Finding]) -> str:
    """May the judge stand in: the word, the number of metrics on each side, and the reasons."""
    if not verdicts:
        return findings[0].answer if findings else "Nothing to audit."
    if not any(one.judge for one in verdicts):
        return "Cannot tell. There is no judge in this study; it can say how far people agree."
    audited = [one for one in verdicts if one.reason not in (NO_PEOPLE, NO_JUDGE)]
    if not audited:
        return (
            "Cannot tell. No person rated what the judge did; the judge can be described, and not "
            "compared with people."
        )
    clauses = [_clause(audited, each) for each in ("yes", "no", "cannot tell")]
    word, nothing = _word({one.answer for one in audited}), _nothing(findings)
    first = nothing if nothing and word == "Yes." else f"{word} {nothing}".strip()
    rest = capital("; ".join(clause for clause in clauses if clause))
    return f"{first} {rest}.{_chosen(audited, findings)}"


def lede(context: Context, verdicts: Sequence[StandIn]) -> str:
    """What the answer rests on: agreement where several people rated beside agreement where one did."""
    several = [one for one in verdicts if one.n_items]
    alone = [one for one in verdicts if not one.n_items and one.judge_person.defined]
    said = [_where_several(context, several)] if several else []
    said += [_where_alone(alone)] if alone else []
    unrated = sum(len(one.metrics) for one in verdicts if one.reason == NO_PEOPLE)
    if said and unrated:
        said.append(f"{count(unrated, 'further metric')} no person rated")
    return f"{capital('; '.join(said))}." if said else _people_only(context)


def facts(context: Context, findings: Sequence[Finding]) -> Mapping[str, str]:
    """A few counts that a reader needs beside the answer."""
    study, rated = context.study, units(context)
    judges = study.raters_of("judge")
    found = {"Human labels": "none"}
    if rated.labels:
        found = {"Human labels": f"{rated.labels:,}, by {count(rated.people, 'person', 'people')}"}
        items = len(rated.items)
        found["Items"] = (
            f"{items:,}"
            if items == len(study.items)
            else f"{items:,} rated by people, of {len(study.items):,}"
        )
        found["Rated by one person"] = share(int((rated.raters == 1).sum()), len(rated.raters))
        found |= _indeterminate(context)
    else:
        found["Items"] = f"{len(study.items):,}"
    if left_out(context):
        found["Left out"] = (
            f"{count(left_out(context), 'label')} given beside the judge's verdict or shown to it"
        )
    if judges:
        found["Judge" if len(judges) == 1 else "Judges"] = listing([study.raters[code].id for code in judges])
        same = contestants(context)
        found |= {"Judge is a contestant": same} if same else {}
    return found


def actions(findings: Sequence[Finding]) -> tuple[Action, ...]:
    """What to do next: the checks' actions, those that settle most for a label first."""
    every = chain.from_iterable(finding.actions for finding in findings)
    return tuple(sorted(dict.fromkeys(every), key=lambda action: -action.gain)[:MOST_ACTIONS])


def _word(found: set[Answer]) -> str:
    if len(found) == 1:
        return {"yes": "Yes.", "no": "No.", "cannot tell": "Cannot tell."}[next(iter(found))]
    return "Not yet."


def _nothing(findings: Sequence[Finding]) -> str:
    """That the judge adds nothing beyond base rates, where it does so on every metric that was aligned."""
    for finding in findings:
        if finding.check == "alignment":
            found = {one.get("verdict") for one in finding.data.values() if isinstance(one, Mapping)}
            return finding.answer if found == {"nothing"} and not finding.missing else ""
    return ""


def _clause(verdicts: Sequence[StandIn], which: Answer) -> str:
    mine = [one for one in verdicts if one.answer == which]
    if not mine:
        return ""
    judges = listing(list(dict.fromkeys(one.judge for one in mine if one.judge)))
    several_judges = len({one.judge for one in verdicts if one.judge}) > 1
    metrics = list(dict.fromkeys(name for one in mine for name in one.metrics))
    on = f"on {metrics[0]}" if len(metrics) == 1 else f"on {count(len(metrics), 'metric')}"
    if which == "cannot tell":
        return (
            f"{on} this audit cannot tell{f' for {judges}' if several_judges and judges else ''}, because "
            f"{_because(mine)}"
        )
    who = judges if several_judges else "the judge"
    are = "are" if several_judges and len({one.judge for one in mine}) > 1 else "is"
    if which == "no":
        return f"{on} {who} {are} worse than one more person would be"
    agrees = "agree" if are == "are" else "agrees"
    return f"{on} {who} {agrees} with people as well as one more person would{_barely(mine)}"


def _chosen(verdicts: Sequence[StandIn], findings: Sequence[Finding]) -> str:
    """What a yes must not be read without: that the judged items were easier than the others."""
    flattering = any(finding.check == "selection" and finding.data["flattering"] for finding in findings)
    yes = any(one.answer == "yes" for one in verdicts)
    return (
        " The judged items are ones that people agree on more than on the rest." if flattering and yes else ""
    )


def _barely(mine: Sequence[StandIn]) -> str:
    """What a yes is worth where people themselves hardly agree."""
    found = {name for one in mine if barely(one.person_person.defined) for name in one.metrics}
    every = {name for one in mine for name in one.metrics}
    where = "" if found == every else f" on {len(found):,} of them"
    return f", and{where} people barely agree with each other" if found else ""


def _because(mine: Sequence[StandIn]) -> str:
    """The reasons, most metrics first, with the number of metrics where there are several."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in mine:
        reasons.setdefault(_kind(one), []).extend(one.metrics)
    ordered = sorted(reasons.items(), key=lambda pair: -len(pair[1]))
    if len(ordered) == 1:
        return ordered[0][0][0]
    return listing([f"on {len(set(names)):,} {words[1]}" for words, names in ordered], most=3)


def _kind(one: StandIn) -> tuple[str, str]:
    """The reason in words, alone and after "on 3"; the same for metrics with like reasons."""
    if one.reason == ONE_RATER:
        return "each item had one person", "each item had one person"
    if not one.n_items:
        return one.reason, one.reason
    if one.reason.endswith(BY_MAPPING):
        words = "the answer depends on how indeterminate labels are counted"
        return words, words
    if one.reason.endswith(REASONS["scale_mismatch"]):
        return REASONS["scale_mismatch"], REASONS["scale_mismatch"]
    if one.difference.defined:
        return "the interval is too wide for the margin", "the interval is too wide"
    return "the labels do not vary", "the labels do not vary"


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


def _where_several(context: Context, several: Sequence[StandIn]) -> str:
    items = {
        name: max(one.n_items for one in several if name in one.metrics)
        for name in dict.fromkeys(name for one in several for name in one.metrics)
    }
    judge, people = _together(context, several)
    n = count(sum(items.values()), units(context).noun)
    return f"where several people rated ({n}), judge–person κ is {judge} beside {people} between people"


def _where_alone(alone: Sequence[StandIn]) -> str:
    by_judge: dict[str, int] = {}
    for one in alone:
        by_judge[one.judge] = by_judge.get(one.judge, 0) + one.rated_items
    defined = alone[0].judge_person.defined
    same = len(alone) == 1 and len({str(each) for each in defined}) == 1
    kappa = spoken(defined[0]) if same else _range([each.judge_person for each in alone])
    n = count(max(by_judge.values()), "item")
    return (
        f"where one person rated ({n}), judge–person κ is {kappa}, and nobody can check that person's labels"
    )


def _together(context: Context, several: Sequence[StandIn]) -> tuple[str, str]:
    """Judge-person and person-person κ in words: pooled where one judge rated several metrics of a scale."""
    names = [name for one in several for name in one.metrics]
    scales = {context.study.metric(name).scale.labels for name in names}
    judges = {one.judge for one in several}
    if len(names) > 1 and len(scales) == 1 and len(judges) == 1:
        code = next(
            code for code in context.study.raters_of("judge") if context.study.raters[code].id in judges
        )
        found = pooled_pairs(context, code, names)
        both = (
            Bounds({name: pair.judge for name, pair in found.items()}),
            Bounds({name: pair.people for name, pair in found.items()}),
        )
        return _range([both[0]]), _range([both[1]])
    return _range([one.judge_person for one in several]), _range([one.person_person for one in several])


def _indeterminate(context: Context) -> dict[str, str]:
    counts: dict[str, tuple[int, int]] = {}
    for name in context.compared():
        scale = context.study.metric(name).scale
        coded = context.people(name, context.policies(name)[0]).coded
        for label in scale.indeterminate:
            given, total = counts.get(label, (0, 0))
            counts[label] = given + int((coded.label == scale.code(label)).sum()), total + coded.n_ratings
    return {
        label[:1].upper() + label[1:]: f"{n:,} of {total:,} labels"
        for label, (n, total) in counts.items()
        if n
    }
