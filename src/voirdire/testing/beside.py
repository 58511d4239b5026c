"""The truth beside each estimate of an audit, and whether the interval holds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from voirdire.checks.audit import Audit
from voirdire.checks.finding import Row
from voirdire.stats.estimate import Estimate
from voirdire.testing.known_truth import KnownTruth, truth_name

__all__ = ["Beside", "beside"]


@dataclass(frozen=True)
class Beside:
    """One figure's truth and estimate: what was measured, on which metric or system, under which policy."""

    where: str
    figure: str
    policy: str
    truth: float
    estimate: Estimate

    @property
    def inside(self) -> bool | None:
        """Whether the interval holds the truth; None where there is no interval."""
        if not self.estimate.has_interval:
            return None
        return self.estimate.low <= self.truth <= self.estimate.high


def beside(audit: Audit, made: KnownTruth) -> tuple[Beside, ...]:
    """Every figure of ``audit``, made from ``made``, whose truth is known, in the order of the report."""
    found = [
        *_stand_in(audit, made),
        *_people(audit, made),
        *_single_rated(audit, made),
        *_stability(audit, made),
        *_rates(audit, made),
    ]
    return tuple(one for one in found if one.estimate.undefined is None)


def _stand_in(audit: Audit, made: KnownTruth) -> Iterator[Beside]:
    figures = {
        "judge_person": "judge–person κ",
        "person_person": "person–person κ",
        "difference": "difference",
    }
    for verdict in audit.stand_in:
        if len(verdict.metrics) != 1:
            continue
        metric = verdict.metrics[0]
        for key, words in figures.items():
            judge = "" if key == "person_person" else verdict.judge
            for policy, estimate in getattr(verdict, key).by_policy.items():
                name = truth_name(key, metric, judge=judge, policy=policy)
                if name in made.truth:
                    yield Beside(metric, words, policy, made.truth[name], estimate)


def _people(audit: Audit, made: KnownTruth) -> Iterator[Beside]:
    figures = {"alpha": ("krippendorff_alpha", "α"), "fleiss": ("fleiss_kappa", "Fleiss κ")}
    for row in _rows(audit, "people", "people"):
        metric = row.evidence.metric if row.evidence else ""
        for key, (figure, words) in figures.items():
            name, estimate = truth_name(figure, metric, policy="kept apart"), row.cells.get(key)
            if name in made.truth and isinstance(estimate, Estimate):
                yield Beside(metric, words, "", made.truth[name], estimate)


def _single_rated(audit: Audit, made: KnownTruth) -> Iterator[Beside]:
    for row in _rows(audit, "stand_in", "one_by_one"):
        metric, judge = row.evidence.metric if row.evidence else "", str(row.cells.get("judge"))
        policy, estimate = audit.study.metric(metric).policy.name, row.cells.get("kappa")
        name = truth_name("judge_person_single", metric, judge=judge, policy=policy)
        if name in made.truth and isinstance(estimate, Estimate):
            yield Beside(metric, "judge–expert κ", policy, made.truth[name], estimate)


def _rates(audit: Audit, made: KnownTruth) -> Iterator[Beside]:
    """Pass rates by system over all metrics: each metric's rate counts with its items of that system."""
    for judge in made.judges:
        for row in _rows(audit, "rates", f"systems_{judge.id}"):
            system, estimate = (
                dict(row.evidence.where if row.evidence else ()).get("system"),
                row.cells.get("rate"),
            )
            if system is not None and isinstance(estimate, Estimate):
                yield Beside(system, "pass rate", "", _pass_rate(made, judge.id, system), estimate)


def _pass_rate(made: KnownTruth, judge: str, system: str) -> float:
    position = [one.name for one in made.systems].index(system)
    counts = [int((made.items[metric.name].system == position).sum()) for metric in made.metrics]
    rates = [
        made.truth[truth_name("verdict_rate", metric.name, judge=judge, system=system, label="pass")]
        for metric in made.metrics
    ]
    return sum(n * rate for n, rate in zip(counts, rates, strict=True)) / sum(counts)


def _stability(audit: Audit, made: KnownTruth) -> Iterator[Beside]:
    figures = {
        "unanimous": ("unanimity", "unanimous repeats"),
        "fleiss": ("repeat_fleiss_kappa", "Fleiss κ of repeats"),
    }
    for row in _rows(audit, "stability", "stability"):
        if row.evidence is None or row.evidence.where:
            continue
        metric, judge = row.evidence.metric, "".join(row.evidence.raters)
        for key, (figure, words) in figures.items():
            name, estimate = truth_name(figure, metric, judge=judge), row.cells.get(key)
            if name in made.truth and isinstance(estimate, Estimate):
                yield Beside(metric, words, "", made.truth[name], estimate)


def _rows(audit: Audit, check: str, table: str) -> tuple[Row, ...]:
    finding = audit.finding(check)
    tables = finding.tables if finding else ()
    return next((one.rows for one in tables if one.name == table), ())
