"""Audit: every check's finding on one study, led by the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from voirdire import registry
from voirdire.checks.context import Context
from voirdire.checks.finding import Action, Bounds, Evidence, Finding
from voirdire.checks.options import AuditOptions
from voirdire.study import Study

__all__ = ["ORDER", "Answer", "Audit", "StandIn", "audit"]

Answer = Literal["yes", "no", "cannot tell"]

ORDER = (
    "stand_in",
    "coverage",
    "people",
    "raters",
    "stability",
    "against_people",
    "judges",
    "indeterminate",
    "selection",
    "rates",
    "position",
    "disagreements",
    "reviews",
    "rubric_or_model",
    "coherence",
)
"""The order of sections; checks from plugins follow, by name."""


@dataclass(frozen=True)
class StandIn:
    """May ``judge`` stand in for people on ``metrics``? One metric, or several that have the same answer and reason.

    ``judge_person``, ``person_person`` and ``difference`` hold one estimate a policy; their intervals have ``level``,
    which is corrected over metrics. ``n_items`` are the items with several people and a verdict, ``single_rated`` of
    ``rated_items`` had one person.
    """

    judge: str
    metrics: tuple[str, ...]
    answer: Answer
    reason: str
    settle: str
    judge_person: Bounds
    person_person: Bounds
    difference: Bounds
    level: float
    n_items: int
    n_people: int
    rated_items: int
    single_rated: int
    evidence: Evidence | None = None


@dataclass(frozen=True, eq=False)
class Audit:
    """One study's audit: ``answer`` in a sentence, ``lede`` what it rests on, ``facts`` beside it, then the findings.

    ``.to_dict()`` is the JSON document, ``.to_html()`` the report; printing it gives the summary.
    """

    study: Study
    options: AuditOptions
    answer: str
    lede: str
    facts: Mapping[str, str]
    stand_in: tuple[StandIn, ...]
    findings: tuple[Finding, ...]
    actions: tuple[Action, ...]
    missing: tuple[str, ...]
    truth: Mapping[str, float] = field(default_factory=dict)

    def finding(self, check: str) -> Finding | None:
        """The finding of one check, or None where the study gives it nothing to answer."""
        return next((finding for finding in self.findings if finding.check == check), None)

    def to_dict(self) -> dict[str, Any]:
        """The audit as plain data that follows the published JSON schema."""
        document: dict[str, Any] = registry.get("report", "json")(self)
        return document

    def to_html(self, *, text: bool = True) -> str:
        """The audit as one self-contained HTML page; ``text=False`` leaves the items' texts out."""
        page: str = registry.get("report", "html")(self, text=text)
        return page

    def __str__(self) -> str:
        summary: str = registry.get("report", "text")(self)
        return summary

    def _repr_html_(self) -> str:
        fragment: str = registry.get("report", "notebook")(self)
        return fragment


def audit(study: Study, options: AuditOptions | None = None) -> Audit:
    """Run every check that ``study`` supports and lead with the answer."""
    raise NotImplementedError(Context)
