"""Does a judge rank systems as people do, and is the judge that agrees best also the one that ranks best?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from voirdire.checks.context import Context
from voirdire.checks.finding import Finding
from voirdire.checks.panels import as_judge
from voirdire.checks.scales import weights
from voirdire.checks.systems_tables import labelled, pair_table, panel_table, ranking_table, system_table
from voirdire.checks.words import count, listing, number, spoken
from voirdire.decide.replacement import replacement_tests
from voirdire.decide.replacement_options import ReplacementOptions
from voirdire.decide.systems import judged_systems
from voirdire.decide.systems_options import SystemsOptions
from voirdire.decide.systems_result import JudgedSystems, Systems
from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats import Estimate, judge_agreement

__all__ = ["orders_differ", "ranked_systems", "systems"]

MOST_SAID = 3
FEWEST_SYSTEMS = 3
"""Two systems have one order and its reverse: they compare no judges."""
EXAGGERATES = (
    "Decisiveness is the exponent a of judge win rate = Beta(a, a) distribution function of people's win "
    "rate: 1 "
    "is faithful; above 1 the judge lets the stronger system win more often than people do, which lifts "
    "strong "
    "systems and lowers weak ones. What is left of a bias after that is beyond decisiveness."
)


def ranked_systems(context: Context) -> Systems | None:
    """Every judge's ranking of systems against people's; None where there are no two systems to rank."""
    return context.once("judged systems", _ranked)


def _ranked(context: Context) -> Systems | None:
    if not {"system", "system_a"} & set(context.study.items.attributes) or not context.judged():
        return None
    options = SystemsOptions(level=context.options.level, seed=context.options.seed)
    try:
        return judged_systems(context.study, options)
    except UserError:  # nobody rated what the judge rated: other sections say so
        return None


@register("check", "systems")
def systems(context: Context) -> Finding | None:
    """Does the judge rank systems as people do, and whom does it favour?"""
    found = ranked_systems(context)
    if found is None or not (found.judged or found.panels):
        return None
    rows = found.judged
    tables = (
        ranking_table(context, rows),
        system_table(context, rows),
        pair_table(context, rows),
        panel_table(context, found.panels),
    )
    return Finding(
        check="systems",
        question="Does the judge rank systems as people do?",
        answer=" ".join(_answer(context, found)),
        tables=tuple(table for table in tables if table.rows),
        beware=tuple(_bewares(rows)),
        missing=() if rows else ("labels of people on items of each system that the judge rated too",),
        data={
            "rankings": [
                {
                    "judge": one.judge,
                    "metric": one.metric,
                    "tau": one.tau.to_dict(),
                    "soft_pairwise_accuracy": one.soft.value if one.soft.undefined is None else None,
                    "contrary": len(one.contrary),
                }
                for one in rows
            ]
        },
    )


def _answer(context: Context, found: Systems) -> Iterator[str]:
    rows = found.judged
    if len(rows) <= MOST_SAID:
        for one in rows:
            yield _sentence(context, one)
    else:
        told, other = sum(one.apart("people") for one in rows), sum(len(one.contrary) for one in rows)
        known = [one for one in rows if one.tau.undefined is None]
        ends = [side(known, key=lambda one: one.tau.value) for side in (min, max)] if known else []
        span = " to ".join(f"{number(one.tau.value)} ({_named(context, one)})" for one in ends)
        yield (
            f"The rankings by judge and by people have a tau-b of {span}; of {told:,} pairs of systems that "
            "people "
            f"tell apart, the judge tells {other:,} apart the other way."
        )
    yield from list(orders_differ(context, rows))[:MOST_SAID]
    moved = [one for one in found.panels if one.led != one.leader]
    if moved:
        said = [f"without {one.judge} {one.leader} is, on {labelled(context, one.metrics)}" for one in moved]
        yield f"Which system is first hangs on one judge: {moved[0].led} by all, {listing(said[:MOST_SAID])}."
    elif found.panels and not rows:
        yield "No system has enough items with people's labels; without any one judge the same one is first."


def _sentence(context: Context, one: JudgedSystems) -> str:
    pairs, contrary = one.apart("people"), len(one.contrary)
    alike = sum(_told(pair.people) and _told(pair.judge) for pair in one.pairs) - contrary
    open_ones = pairs - alike - contrary
    told = (
        f"of {count(pairs, 'pair')} that people tell apart it orders {alike:,} alike, {contrary:,} the "
        "other way "
        f"and leaves {open_ones:,} open"
        if pairs
        else "people tell no two of them apart"
    )
    first = one.best
    top = "" if first[0] == first[1] else f" People put {first[0]} first, the judge {first[1]}."
    ranking = f"tau-b of its ranking of {count(len(one.systems), 'system')} and people's is {spoken(one.tau)}"
    return f"{_named(context, one)}: {ranking}; {told}.{top}"


def _told(estimate: Estimate) -> bool:
    return estimate.has_interval and not estimate.low <= 0 <= estimate.high


def _named(context: Context, one: JudgedSystems) -> str:
    return f"{one.judge} on {labelled(context, one.metrics)}"


def orders_differ(context: Context, rows: Sequence[JudgedSystems]) -> Iterator[str]:
    """Where the judge nearest to people item by item is not the one whose ranking is nearest, in words.

    And where a judge passes the replacement test by labels, yet ranks worst of all or against people.
    """
    for metric in dict.fromkeys(one.metrics for one in rows if len(one.metrics) == 1):
        mine = [one for one in rows if one.metrics == metric]
        passed = _replaces(context, metric[0])
        yield from _turned(context, [one for one in mine if len(one.systems) >= FEWEST_SYSTEMS], passed)
        for one in mine:
            if one.judge in passed and one.contrary:
                yield (
                    f"{_named(context, one)} passes the replacement test by labels and still puts "
                    f"{count(len(one.contrary), 'pair')} of systems in the wrong order."
                )


def _turned(context: Context, rows: Sequence[JudgedSystems], passed: frozenset[str]) -> Iterator[str]:
    """Of the judges of one metric, the nearest item by item and the best in ranking, where they differ."""
    if len(rows) < 2:
        return
    where = labelled(context, rows[0].metrics)
    agreement = {one.judge: _agreement(context, one.metrics[0], one.judge) for one in rows}
    nearest = max(rows, key=lambda one: agreement[one.judge])
    best = max(rows, key=lambda one: one.soft.value)
    worst = min(rows, key=lambda one: one.soft.value)
    turned = _above(best.soft.value, nearest.soft.value)
    if turned and _above(agreement[nearest.judge], agreement[best.judge]):
        yield (
            f"On {where} the judges' order turns round: {nearest.judge} agrees with people most item by item "
            f"(κ {number(agreement[nearest.judge])}, {best.judge} {number(agreement[best.judge])}), and "
            f"{best.judge} ranks systems most as people do (soft pairwise accuracy "
            f"{number(best.soft.value)}, "
            f"{nearest.judge} {number(nearest.soft.value)}{_chance(best, nearest)})."
        )
    elif worst.judge in passed and not worst.contrary and _above(best.soft.value, worst.soft.value):
        yield (
            f"{worst.judge} passes the replacement test by labels on {where} and ranks systems least as "
            "people do "
            f"of {len(rows)} judges (soft pairwise accuracy {number(worst.soft.value)} against "
            f"{number(best.soft.value)}{_chance(best, worst)})."
        )


def _above(one: float, other: float) -> bool:
    """Whether a figure is the higher as printed."""
    return round(one, 2) > round(other, 2)


def _chance(best: JudgedSystems, other: JudgedSystems) -> str:
    """Whether the two rankings' tau-b may be the same."""
    apart = best.tau.low > other.tau.high
    return "" if apart else "; their tau-b intervals overlap"


def _agreement(context: Context, metric: str, judge: str) -> float:
    code = next(code for code in context.study.judges_of(metric) if context.study.raters[code].id == judge)
    panel = context.people(metric)
    said = as_judge(context.verdicts(metric, code))
    found = judge_agreement(panel.coded, said, **weights(panel.scale), level=context.options.level)
    return found.coefficient.value if found.coefficient.undefined is None else float("-inf")


def _replaces(context: Context, metric: str) -> frozenset[str]:
    """The judges that pass the alternative annotator test on ``metric``."""
    options = ReplacementOptions(metrics=(metric,), distribution=False, level=context.options.level)
    try:
        tests = replacement_tests(context.study, options).tests
    except UserError:  # too few people: the test has no answer
        return frozenset()
    return frozenset(one.judge for one in tests if one.passes)


def _bewares(rows: Sequence[JudgedSystems]) -> Iterator[str]:
    if not rows:
        return
    yield (
        "Scores are compared on the items that people and the judge both labelled, paired by prompt or "
        "source; "
        "ranks and differences hold for all systems together. tau-b's interval counts every pair that is "
        "not told "
        "apart by both as open, so it is wide where systems lie close."
    )
    yield (
        "Soft pairwise accuracy compares the confidence with which both order each pair and depends on how "
        "many "
        "items there are. The least confirmed gap is the judge's difference from which on people order two "
        "systems as it does, with probability 0.95."
    )
    if any(one.decisiveness.undefined is None for one in rows):
        yield EXAGGERATES
    left = sorted({name for one in rows for name in one.left_out})
    if left:
        yield f"Left out, with fewer than 10 such items or beyond the 60 systems with most: {listing(left)}."
