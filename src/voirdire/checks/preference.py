"""How strong is each system, by people's pairwise preferences and by the judge's?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Row, Table
from voirdire.checks.preference_length import baseline_table, length_table
from voirdire.checks.preference_votes import PEOPLE, Votes, votes
from voirdire.checks.words import listing, share
from voirdire.registry import register
from voirdire.stats import REASONS, Abilities, circular_triads

__all__ = ["preference"]

MOST_ROWS = 20


@dataclass(frozen=True, eq=False)
class _Side:
    """The votes of people or of one judge, and the abilities fitted to them."""

    votes: Votes
    abilities: Abilities

    @property
    def systems(self) -> tuple[str, ...]:
        return self.votes.systems

    @property
    def order(self) -> list[int]:
        """Systems from the strongest down; where no common fit exists, groups after those that beat them."""
        fit = self.abilities.fit
        within = np.zeros(len(self.systems)) if fit is None else fit.theta[: len(self.systems)]
        group = self.abilities.graph.of_system()
        return sorted(range(len(self.systems)), key=lambda code: (group[code], -within[code]))

    @property
    def reason(self) -> str:
        """Why there is no common fit, with names; empty where there is one."""
        if self.abilities.undefined is None:
            return ""
        return self.abilities.graph.said(self.systems) or REASONS[self.abilities.undefined]


@register("check", "preference")
def preference(context: Context) -> Finding | None:
    """Each system's log ability by people and by each judge, or whose results leave it undetermined."""
    metrics = [metric for metric in context.study.metrics if metric.scale.kind == "pairwise"]
    if "system_a" not in context.study.items.attributes or "system_b" not in context.study.items.attributes:
        return None
    found = [one for metric in metrics for one in votes(context, metric)]
    sides = [_Side(one, one.fitted(context.options.level)) for one in found]
    if not sides:
        return None
    lengths = [length_table(context, found), baseline_table(context, found)]
    tables = [_strengths(sides), _fits(sides), *lengths]
    return Finding(
        check="preference",
        question="How strong is each system, by people and by the judge?",
        answer=_answer(sides),
        tables=tuple(table for table in tables if table is not None and table.rows),
        beware=_beware(sides),
        missing=()
        if any(table is not None for table in lengths)
        else ("lengths of both answers: what length does to the judge is not known",),
        data={"no_common_fit": sum(side.abilities.undefined is not None for side in sides)},
    )


def _strengths(sides: Sequence[_Side]) -> Table:
    """One row a metric, judge and system, people beside the judge."""
    rows = tuple(row for people, judge in _beside(sides) for row in _systems(people, judge))
    columns = (
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("system", "System"),
        Column("judge_ability", "Judge", "difference"),
        Column("people_ability", "People", "difference"),
    )
    caption = (
        "Log ability, 0 for the mean system: two systems that lie 1 apart win as e to 1, or 73 to 27, where "
        "they do not tie"
    )
    plot = ("judge_ability", "people_ability")
    return Table("strengths", caption, columns, rows, plot, folded=len(rows) > MOST_ROWS)


def _systems(people: _Side | None, judge: _Side | None) -> Iterator[Row]:
    shown = people or judge
    assert shown is not None, "somebody voted"
    ours, theirs = (side.abilities.log_ability if side else () for side in (people, judge))
    who = tuple(name for side in (people, judge) if side for name in side.votes.raters)
    for code in shown.order:
        cells: dict[str, Cell] = {
            "metric": shown.votes.metric.label,
            "judge": judge.votes.who if judge else "",
            "system": shown.systems[code],
            "judge_ability": theirs[code] if theirs else None,
            "people_ability": ours[code] if ours else None,
        }
        yield Row(cells, Evidence(shown.votes.metric.name, who if len(who) == 1 else ()))


def _fits(sides: Sequence[_Side]) -> Table:
    """One row a metric and whose verdicts: what was fitted to what, how often they tie, circles, order."""
    columns = (
        Column("metric", "Metric"),
        Column("who", "Who"),
        Column("n", "Verdicts", "count"),
        Column("ties", "No winner"),
        Column("model", "Model"),
        Column("tie", "ν", "coefficient"),
        Column("circles", "Circular triads"),
        Column("same_order", "Pairs of systems ordered as by people"),
        Column("apart", "of pairs that people tell apart"),
        Column("order", "From the strongest down", "prose"),
    )
    rows = tuple(_fit(sides, side) for side in sides)
    caption = (
        "What the log abilities were fitted to. ν: the odds of a tie of two equals against a win of one; "
        "circular triad: three systems each of which beats the next"
    )
    return Table("preference_fits", caption, columns, rows)


def _fit(sides: Sequence[_Side], side: _Side) -> Row:
    met = side.votes.met
    circles = circular_triads(met.wins())
    people = _people(sides, side)
    alike = _Alike.of(people, side) if people is not None and people is not side else None
    cells: dict[str, Cell] = {
        "metric": side.votes.metric.label,
        "who": side.votes.who,
        "n": len(met),
        "ties": share(side.votes.ties, len(met)),
        "model": side.abilities.model.name,
        "tie": side.abilities.tie,
        "circles": f"{circles.circular:,} of {circles.decided:,}" if circles.decided else "",
        "same_order": f"{alike.same:,} of {alike.both:,}" if alike else "",
        "apart": f"{alike.apart_same:,} of {alike.apart:,}" if alike else "",
        "order": side.reason or listing([side.systems[code] for code in side.order], most=12),
    }
    return Row(cells, Evidence(side.votes.metric.name, side.votes.raters))


def _beside(sides: Sequence[_Side]) -> Iterator[tuple[_Side | None, _Side | None]]:
    """Each judge with the people of its metric, and people alone where no judge voted."""
    for metric in dict.fromkeys(side.votes.metric.name for side in sides):
        mine = [side for side in sides if side.votes.metric.name == metric]
        people = next((side for side in mine if side.votes.who == PEOPLE), None)
        judges = [side for side in mine if side.votes.who != PEOPLE]
        yield from ((people, judge) for judge in judges)
        if not judges:
            yield people, None


def _people(sides: Sequence[_Side], side: _Side) -> _Side | None:
    name = side.votes.metric.name
    return next((one for one in sides if one.votes.who == PEOPLE and one.votes.metric.name == name), None)


@dataclass(frozen=True)
class _Alike:
    """Pairs of systems that both sides can order, those ordered alike, and the same of pairs told apart."""

    both: int
    same: int
    apart: int
    apart_same: int

    @classmethod
    def of(cls, people: _Side, judge: _Side) -> _Alike:
        """``apart`` counts the pairs whose difference by people has an interval that leaves out 0."""
        found = []
        for i, j in combinations(range(len(people.systems)), 2):
            ours, theirs = (side.abilities.difference(i, j) for side in (people, judge))
            if ours.undefined is None and theirs.undefined is None:
                told = ours.has_interval and not ours.low <= 0 <= ours.high
                found.append((_sign(ours.value) == _sign(theirs.value), told))
        same, apart = (sum(pair[k] for pair in found) for k in (0, 1))
        return cls(len(found), same, apart, sum(all(pair) for pair in found))


def _sign(difference: float) -> int:
    """Which of two systems is ahead, 0 where rounding alone parts them."""
    return int(np.sign(round(difference, 9)))


def _answer(sides: Sequence[_Side]) -> str:
    missing = [
        f"{_whose(side, sides)} give no common strength: {side.reason}" for side in sides if side.reason
    ]
    alike = [
        (judge.votes.who, _Alike.of(people, judge))
        for people, judge in _beside(sides)
        if people is not None and judge is not None
    ]
    said = [(who, one) for who, one in alike if one.apart]
    sentences = []
    if said:
        most = max(one.apart for _, one in said)
        shown = listing([f"{who} orders {one.apart_same:,} of {one.apart:,}" for who, one in said], most=4)
        pairs = "the pair of systems" if most == 1 else "the pairs of systems"
        sentences.append(f"Of {pairs} that people tell apart, {shown} as they do")
    elif any(one.both for _, one in alike):
        sentences.append("People tell no two systems apart")
    elif not missing:
        first = sides[0]
        sentences.append(f"By {first.votes.who}: {listing([first.systems[code] for code in first.order])}")
    return " ".join(f"{sentence}." for sentence in (*sentences, *missing[:3]))


def _whose(side: _Side, sides: Sequence[_Side]) -> str:
    several = len({one.votes.metric.name for one in sides}) > 1
    who = "People's verdicts" if side.votes.who == PEOPLE else f"The verdicts of {side.votes.who}"
    return f"{who} on {side.votes.metric.label}" if several else who


def _beware(sides: Sequence[_Side]) -> tuple[str, ...]:
    said = [
        "A judge that is never unsure lies further apart on this scale than people who differ among "
        "themselves: compare orders and signs, not distances.",
    ]
    if any(len(side.votes.metric.scale.labels) > 3 for side in sides):
        said.append("Every label that names no winner counts as a tie.")
    return tuple(said)
