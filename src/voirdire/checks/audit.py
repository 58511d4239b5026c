"""Audit: every check's finding on one study, led by the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from voirdire import registry
from voirdire.checks.context import Context
from voirdire.checks.finding import Action, Finding
from voirdire.checks.options import AuditOptions
from voirdire.checks.stand_in import stand_ins
from voirdire.checks.summary import actions, answer, facts, lede
from voirdire.checks.verdict import Answer, StandIn
from voirdire.errors import UserError
from voirdire.study import Study

__all__ = ["ORDER", "Answer", "Audit", "StandIn", "audit"]

ORDER = (
    "alignment",
    "stand_in",
    "coverage",
    "people",
    "raters",
    "stability",
    "against_people",
    "judges",
    "judging",
    "replacement",
    "indeterminate",
    "response_sets",
    "selection",
    "rates",
    "systems",
    "contest",
    "position",
    "preference",
    "disagreements",
    "reviews",
    "rubric_or_model",
    "coherence",
)
"""The order of sections; checks from plugins follow, by name."""


@dataclass(frozen=True, eq=False)
class Audit:
    """One study's audit: the ``answer`` in a sentence, ``lede`` what it rests on, then the ``findings``.

    ``facts`` stand beside the answer, ``stand_in`` holds the verdict on each judge and metric, ``actions``
    what to do next and ``missing`` what the study lacks. ``truth`` is for made studies. Printing it gives the
    summary, a notebook shows the answer and the headline table.
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

    def __repr__(self) -> str:
        return f"<Audit of {self.study.name}: {self.answer}>"

    def __str__(self) -> str:
        summary: str = registry.get("report", "text")(self)
        return summary

    def _repr_html_(self) -> str:
        fragment: str = registry.get("report", "notebook")(self)
        return fragment


def audit(
    study: Study, options: AuditOptions | None = None, *, progress: Callable[[str], None] | None = None
) -> Audit:
    """Run every check that ``study`` supports, or those that ``options.checks`` names; lead with the answer.

    ``progress`` is told the name of each check before it runs.

    >>> from voirdire.opening import open
    >>> labels = ["yes", "no", "yes", "yes", "yes", "no"]
    >>> study = open({"item_id": list("aabbcc"), "rater_id": ["Ann", "Bo"] * 3, "label": labels})
    >>> found = audit(study, AuditOptions(checks=("people",)))
    >>> found.finding("people").question
    'How far do people agree?'
    """
    if not isinstance(study, Study):
        raise UserError(
            f"cannot audit a {type(study).__name__}",
            expected="a Study",
            fix="open it first: voirdire.audit(voirdire.open(source))",
        )
    if not isinstance(options, AuditOptions | None):
        raise UserError(f"options are a {type(options).__name__}", expected="voirdire.AuditOptions(...)")
    chosen = options or AuditOptions()
    context = Context(study, chosen)
    found = []
    for name in _in_order(chosen):
        if progress is not None:
            progress(name)
        found.append(registry.get("check", name)(context))
    findings = tuple(finding for finding in found if finding is not None)
    verdicts = stand_ins(context) if any(finding.check == "stand_in" for finding in findings) else ()
    said, aligned = answer(verdicts, findings), _aligned(findings)
    return Audit(
        study=study,
        options=chosen,
        answer=said,
        lede=f"{'' if aligned in said else aligned} {lede(context, verdicts)}".strip(),
        facts=facts(context, findings),
        stand_in=verdicts,
        findings=findings,
        actions=actions(findings),
        missing=tuple(dict.fromkeys(gap for finding in findings for gap in finding.missing)),
    )


def _aligned(findings: tuple[Finding, ...]) -> str:
    """How well the judge knows how people would judge, in a sentence, where that was asked for."""
    return next((finding.answer for finding in findings if finding.check == "alignment"), "")


def _in_order(options: AuditOptions) -> list[str]:
    if options.checks:
        for name in options.checks:
            registry.get("check", name)
    names = [name for name in registry.names("check") if not options.checks or name in options.checks]
    place = {name: position for position, name in enumerate(ORDER)}
    return sorted(names, key=lambda name: (place.get(name, len(ORDER)), name))
