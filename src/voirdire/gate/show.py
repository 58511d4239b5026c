"""A gate's outcome for other programs: JUnit XML for test reports, Markdown for a comment on a change."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from voirdire.decide.lines import printable
from voirdire.gate.gate import Gate

__all__ = ["junit", "markdown"]

MARKS = {"pass": "✅", "fail": "❌", "inconclusive": "❔"}
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, however it is escaped."""


def junit(gate: Gate) -> str:
    """A JUnit report: one test case a rule and case, failed ones as failures, inconclusive ones as skipped.

    An inconclusive case that the policy does not allow is an error, so that no reader counts it as passed.
    """
    suite = ElementTree.Element("testsuite", name=_legal(f"voirdire gate: {gate.study}"))
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for one in gate.rulings:
        for about, outcome, said in [
            (case.about, case.outcome, _said(case.figure, case.reason)) for case in one.cases
        ] or [("", one.outcome, one.reason)]:
            case = ElementTree.SubElement(
                suite, "testcase", classname=_legal(one.rule.name), name=_legal(about or one.rule.measure)
            )
            counts["tests"] += 1
            settled = one.outcome == "pass"
            kind = {"fail": "failure", "inconclusive": "error"}.get(outcome)
            if kind and (settled or (outcome == "inconclusive" and one.rule.allow_inconclusive)):
                kind = "skipped"
            if kind:
                counts[{"failure": "failures", "error": "errors", "skipped": "skipped"}[kind]] += 1
                ElementTree.SubElement(case, kind, message=_legal(f"{outcome}: {said}"))
    for name, count in counts.items():
        suite.set(name, str(count))
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def markdown(gate: Gate) -> str:
    """A table a reader of a change sees: the outcome first, then every case."""
    lines = [f"## {MARKS[gate.outcome]} voirdire gate: {_cell(gate.study)}", "", _cell(gate.sentence), ""]
    lines += ["| | Rule | Case | Figure | Why |", "| --- | --- | --- | --- | --- |"]
    for one in gate.rulings:
        for case in one.cases:
            cells = [MARKS[case.outcome], one.rule.name, case.about, case.figure, case.reason]
            lines.append(f"| {' | '.join(map(_cell, cells))} |")
        if not one.cases:
            lines.append(f"| {MARKS[one.outcome]} | {_cell(one.rule.name)} | | | {_cell(one.reason)} |")
    lines += [
        "",
        f"Intervals at {100 * gate.level:g} %; a rule passes when the whole interval clears its threshold.",
    ]
    return "\n".join(lines) + "\n"


def _said(figure: str, reason: str) -> str:
    return "; ".join(part for part in (figure, reason) if part)


def _legal(text: str) -> str:
    return ILLEGAL.sub("�", text)


def _cell(text: str) -> str:
    """Text that stays inside its cell, whatever a name holds."""
    plain = printable(text).replace("\\", "\\\\").replace("|", "\\|")
    return re.sub(r"([<>`*_\[\]!@#])", r"\\\1", plain)
