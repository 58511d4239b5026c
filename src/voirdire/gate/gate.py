"""Gate: does a study pass a policy, fail it, or can that not be told yet, and what would settle it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from voirdire import registry
from voirdire.align.plain import plain
from voirdire.checks.context import Context
from voirdire.checks.options import AuditOptions
from voirdire.decide.lines import aligned, folded
from voirdire.errors import UserError
from voirdire.gate.measure import Measured
from voirdire.gate.policy import GatePolicy, Rule
from voirdire.stats.estimate import REASONS, Estimate
from voirdire.study.study import Study

__all__ = ["Case", "Gate", "Outcome", "Ruling", "gate"]

Outcome = Literal["pass", "fail", "inconclusive"]
MOST_LABELS = 100_000
"""Beyond this it is said that no reasonable number of labels would settle a case."""


@dataclass(frozen=True)
class Case:
    """One judge, metric or system under one rule: the figure, the outcome and what would settle it.

    ``needed`` is about how many items in all would settle it if the figure stayed as it is, 0 where nothing
    is to settle or it cannot be said.
    """

    about: str
    outcome: Outcome
    estimate: Estimate | None
    reason: str = ""
    needed: int = 0
    unit: str = ""

    @property
    def figure(self) -> str:
        """The figure as text, empty for a test."""
        return "" if self.estimate is None else str(self.estimate)


@dataclass(frozen=True)
class Ruling:
    """One rule's outcome, from its cases."""

    rule: Rule
    outcome: Outcome
    cases: tuple[Case, ...]
    reason: str = ""


@dataclass(frozen=True)
class Gate:
    """A policy's outcome on a study: ``fail`` if any rule fails, else inconclusive if any is, else pass."""

    study: str
    outcome: Outcome
    rulings: tuple[Ruling, ...]
    level: float

    @property
    def sentence(self) -> str:
        """The outcome in a sentence, with what would settle it."""
        failed = [one.rule.name for one in self.rulings if one.outcome == "fail"]
        unsure = [one for one in self.rulings if one.outcome == "inconclusive"]
        if failed:
            return f"FAIL: {'; '.join(failed)}."
        if not unsure:
            return f"PASS: {len(self.rulings)} of {len(self.rulings)} rules."
        return f"INCONCLUSIVE: {'; '.join(one.rule.name for one in unsure)}.{_what_settles(unsure)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        rulings = [
            {
                "rule": one.rule.model_dump(mode="json", exclude_defaults=True),
                "name": one.rule.name,
                "outcome": one.outcome,
                "reason": one.reason,
                "cases": [plain(case) for case in one.cases],
            }
            for one in self.rulings
        ]
        return {
            "schema": "voirdire-gate/1",
            "study": self.study,
            "outcome": self.outcome,
            "sentence": self.sentence,
            "level": self.level,
            "rules": rulings,
        }

    def __str__(self) -> str:
        rows = [["", "rule", "case", "figure", "why"]]
        for one in self.rulings:
            for place, case in enumerate(one.cases):
                name = one.rule.name if place == 0 else ""
                rows.append([case.outcome, name, case.about, case.figure, case.reason])
            if not one.cases:
                rows.append([one.outcome, one.rule.name, "", "", one.reason])
        return "\n".join([*folded(self.sentence), "", *aligned(rows)])


def gate(study: Study, policy: GatePolicy, *, progress: Callable[[str], None] | None = None) -> Gate:
    """Hold ``study`` against ``policy``; thresholds are held against intervals, never points.

    A case passes when its whole interval is on the right side of the threshold, fails when it is wholly on
    the wrong side, and is inconclusive otherwise, as it is where the figure is undefined.
    """
    if not isinstance(study, Study):
        raise UserError(f"cannot gate a {type(study).__name__}", expected="a Study")
    context = Context(study, AuditOptions(level=policy.level, seed=policy.seed))
    rulings = []
    for rule in policy.rules:
        if progress is not None:
            progress(rule.name)
        measure = registry.get("measure", rule.measure)()
        rulings.append(_ruling(rule, [_case(rule, one) for one in measure(context, rule)]))
    outcomes = {
        "pass" if one.outcome == "inconclusive" and one.rule.allow_inconclusive else one.outcome
        for one in rulings
    }
    outcome: Outcome = (
        "fail" if "fail" in outcomes else "inconclusive" if "inconclusive" in outcomes else "pass"
    )
    return Gate(study.name, outcome, tuple(rulings), policy.level)


def _what_settles(unsure: Sequence[Ruling]) -> str:
    """How many labels would settle the rules, and whether some would stay open whatever their number."""
    cases = [case for one in unsure for case in one.cases if case.outcome == "inconclusive"]
    needed: dict[str, int] = {}
    for case in cases:
        if case.needed:
            needed[case.unit] = max(case.needed, needed.get(case.unit, 0))
    if not needed:
        return ""
    told = all(case.needed for case in cases) and all(one.cases for one in unsure)
    amounts = " and ".join(f"{n:,} {unit}" for unit, n in needed.items())
    return f" About {amounts} in all would settle {'it' if told else 'what labels can settle'}."


def _ruling(rule: Rule, cases: Sequence[Case]) -> Ruling:
    """A rule with nothing to hold it against is inconclusive: an empty study must not pass."""
    if not cases:
        return Ruling(rule, "inconclusive", (), "nothing in this study to measure")
    passed = sum(case.outcome == "pass" for case in cases)
    possible = passed + sum(case.outcome == "inconclusive" for case in cases)
    enough = {"all": len(cases), "most": len(cases) // 2 + 1, "any": 1}[rule.need]
    outcome: Outcome = "pass" if passed >= enough else "inconclusive" if possible >= enough else "fail"
    return Ruling(rule, outcome, tuple(cases))


def _case(rule: Rule, measured: Measured) -> Case:
    if measured.estimate is None:
        named: Outcome = "inconclusive" if measured.passes is None else "pass" if measured.passes else "fail"
        return Case(measured.about, named, None, measured.reason)
    estimate = measured.estimate
    if math.isnan(estimate.value):
        reason = measured.reason or REASONS[estimate.undefined or "not_identifiable"]
        return Case(measured.about, "inconclusive", estimate, f"not measurable: {reason}")
    low, high = (estimate.value, estimate.value) if measured.exact else (estimate.low, estimate.high)
    if math.isnan(low) or math.isnan(high):
        why = f": {REASONS[estimate.no_interval]}" if estimate.no_interval else ""
        return Case(measured.about, "inconclusive", estimate, f"no interval{why}")
    least, most = (
        (-math.inf if rule.at_least is None else rule.at_least),
        (math.inf if rule.at_most is None else rule.at_most),
    )
    if least <= low and high <= most:
        return Case(measured.about, "pass", estimate, estimate.caution or "")
    if high < least or low > most:
        why = "; ".join(filter(None, ("the whole interval is on the wrong side", estimate.caution)))
        return Case(measured.about, "fail", estimate, why)
    needed = _needed(rule, measured, low, high)
    side = "below" if not least <= low else "above"
    end = least if side == "below" else most
    reason = f"the interval reaches {side} {end:g}"
    if needed > MOST_LABELS:
        return Case(
            measured.about, "inconclusive", estimate, f"{reason}, and the figure lies at the threshold"
        )
    more = f"; about {needed:,} {measured.unit} in all, now {measured.n:,}" if needed else ""
    return Case(measured.about, "inconclusive", estimate, reason + more, needed, measured.unit)


def _needed(rule: Rule, measured: Measured, low: float, high: float) -> int:
    """Items in all at which the interval would clear the threshold, for it shrinks with their square root.

    Wilson's bound b solves (p - b)² = z² b (1 - b) / n, so its n is known for any bound.
    """
    assert measured.estimate is not None, "only figures have intervals"
    value, needed = measured.estimate.value, 0.0
    for end in (rule.at_least, rule.at_most):
        if end is None or not low < end < high:
            continue
        bound, gap = (low if value >= end else high), abs(value - end)
        factor = ((value - bound) / gap) ** 2 if gap else math.inf
        if measured.estimate.method.startswith("Wilson"):  # its width follows the bound's own variance
            factor *= end * (1 - end) / (bound * (1 - bound))
        needed = max(needed, measured.n * factor)
    return MOST_LABELS + 1 if needed > MOST_LABELS else math.ceil(needed)
