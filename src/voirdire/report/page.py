"""The report's page as data: what each part says, ready for its template."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version

from voirdire.checks.audit import Audit
from voirdire.checks.finding import Action, Column, Finding, Row, Table
from voirdire.checks.reading import TITLES
from voirdire.report import wording
from voirdire.report.floors import AlignmentFigures, alignment_figures
from voirdire.report.headline import headline, rules
from voirdire.report.links import Links
from voirdire.report.palette import scale_of
from voirdire.report.plots import Figure, figure
from voirdire.report.stack import Stack, stack
from voirdire.report.tables import TableView, lay_out

__all__ = ["Page", "Part", "Section", "build_page", "moment"]

NAV = {
    "coverage": "Coverage",
    "people": "People",
    "raters": "Raters",
    "stability": "Stability",
    "against_people": "Agreement",
    "judges": "Judges",
    "indeterminate": "Undecided",
    "rates": "Systems",
    "disagreements": "Disagreements",
}
"""Sections named in the bar at the top; the others are reached by reading on."""

VERDICTS = ("Yes.", "No.", "Not yet.", "Cannot tell.", "Partly.")
"""The first words of an answer that stand in bold."""

SHOWN = 30
"""Rows of the headline table that stand open; further ones are folded."""

LONG = 40
"""A table with more rows than this is folded."""


@dataclass(frozen=True)
class Part:
    """A table of a section, with the figure or the bar that draws it where one does."""

    view: TableView
    figure: Figure | None = None
    stack: Stack | None = None
    alignment: AlignmentFigures | None = None


@dataclass(frozen=True)
class Section:
    """One finding as a section: question, answer in a sentence, figures and tables, what to beware of."""

    id: str
    question: str
    answer: str
    parts: tuple[Part, ...]
    beware: tuple[str, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of all parts."""
        return tuple(part.figure for part in self.parts if part.figure is not None)


@dataclass(frozen=True)
class Page:
    """Everything that the report's template prints, in the order in which it does."""

    title: str
    subject: str
    demo: str
    eyebrow: str
    verdict: str
    answer: str
    lede: str
    facts: tuple[tuple[str, str], ...]
    question: str
    headline: TableView
    more_headline: TableView | None
    key: tuple[str, ...]
    ranges: bool
    rules: tuple[tuple[str, str, str], ...]
    beware: tuple[str, ...]
    folded: tuple[TableView, ...]
    sections: tuple[Section, ...]
    actions: tuple[Action, ...]
    missing: tuple[str, ...]
    assumptions: tuple[str, ...]
    basis: tuple[TableView, ...]
    settings: str
    marks: str

    @property
    def nav(self) -> tuple[tuple[str, str], ...]:
        """Where the bar at the top leads."""
        there = [section.id for section in self.sections]
        return (
            *((name, NAV[name]) for name in there if name in NAV),
            ("next", "What next"),
            ("rows", "Ratings"),
        )


def build_page(audit: Audit, links: Links, *, text: bool = True) -> Page:
    """The page of ``audit``; ``links`` says where ratings are, ``text=False`` leaves out columns of prose."""
    builder = _Builder(audit, links, text)
    stand_in = audit.finding("stand_in")
    verdict = next((word for word in VERDICTS if audit.answer.startswith(word)), "")
    compared = [entry for entry in audit.stand_in if entry.judge]
    first_rows, more_rows = compared[:SHOWN], compared[SHOWN:]
    return Page(
        title=f"Audit of {_subject(audit)}: {audit.answer}"[:120],
        subject=_subject(audit),
        demo=audit.study.demo,
        eyebrow=_eyebrow(audit),
        verdict=verdict,
        answer=audit.answer.removeprefix(verdict).lstrip(),
        lede=audit.lede,
        facts=tuple(audit.facts.items()),
        question=stand_in.question if stand_in else "May a judge stand in for people?",
        headline=builder.view(headline(audit, first_rows), "stand_in"),
        more_headline=builder.view(headline(audit, more_rows), "stand_in") if more_rows else None,
        key=_key(audit),
        ranges=any(len(entry.judge_person.by_policy) > 1 for entry in compared),
        rules=rules(audit),
        beware=stand_in.beware if stand_in and compared else (),
        folded=tuple(
            builder.view(table, "stand_in") for table in (stand_in.tables if stand_in and compared else ())
        ),
        sections=tuple(
            builder.section(finding)
            for finding in audit.findings
            if finding.check != "stand_in" and (finding.answer or finding.tables)
        ),
        actions=audit.actions,
        missing=audit.missing,
        assumptions=audit.study.assumptions,
        basis=tuple(builder.view(table, "") for table in _basis(audit)),
        settings=_settings(audit),
        marks=f"voirdire {version('voirdire')}",
    )


def moment() -> datetime:
    """Now, or the moment that ``SOURCE_DATE_EPOCH`` names for builds that must repeat byte for byte."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)


@dataclass(frozen=True)
class _Builder:
    audit: Audit
    links: Links
    text: bool

    def view(self, table: Table, check: str, *, plots: bool = True) -> TableView:
        return lay_out(
            table if self.text else _without_prose(table),
            check=check,
            href=self.links,
            scale=partial(scale_of, self.audit.study),
            plots=plots,
        )

    def section(self, finding: Finding) -> Section:
        anchor = re.sub(r"[^a-z0-9_-]+", "-", finding.check.lower())
        return Section(
            id=anchor,
            question=finding.question,
            answer=finding.answer,
            parts=tuple(
                self._part(finding, place, f"{anchor}-{place}") for place in range(len(finding.tables))
            ),
            beware=finding.beware,
        )

    def _part(self, finding: Finding, place: int, name: str) -> Part:
        table = finding.tables[place]
        drawn = figure(finding, table, name)
        aligned = alignment_figures(finding.tables, place) if finding.check == "alignment" else None
        folded = table.folded or len(table.rows) > LONG
        view = self.view(replace(table, folded=folded), finding.check, plots=drawn is None)
        return Part(view, drawn, stack(table), aligned)


def _without_prose(table: Table) -> Table:
    return replace(table, columns=tuple(column for column in table.columns if column.kind != "prose"))


def _subject(audit: Audit) -> str:
    judges = list(dict.fromkeys(entry.judge for entry in audit.stand_in if entry.judge))
    if not judges:
        return audit.study.name
    return f"{judges[0]} as judge" if len(judges) == 1 else f"{len(judges)} judges"


def _eyebrow(audit: Audit) -> str:
    study, when = audit.study, moment()
    metrics, of = len(study.metrics), study.population.get("metrics")
    what = f"{wording.count(metrics)} metric{'s' if metrics != 1 else ''}"
    if of is not None and of > metrics:
        what = f"{wording.count(metrics)} of {wording.count(of)} metrics"
    return f"{study.name} · {what} · report of {when.day} {when:%B %Y}"


def _key(audit: Audit) -> tuple[str, ...]:
    """What thick and thin lines and brackets are in the headline table."""
    bounds = [bounds for entry in audit.stand_in for bounds in (entry.judge_person, entry.person_person)]
    shown = [estimate for bound in bounds for estimate in bound.defined if estimate.has_interval]
    wider = {e.level for entry in audit.stand_in for e in entry.difference.defined if e.has_interval}
    policies = max((len(bound.by_policy) for bound in bounds), default=0)
    words = [f"thick: range over {policies} mappings of indeterminate labels"] if policies > 1 else []
    if shown:
        level = _levels({estimate.level for estimate in shown})
        targets = "; ".join(dict.fromkeys(estimate.target for estimate in shown if estimate.target))
        outermost = "outermost " if policies > 1 else ""
        words.append(f"thin: {outermost}{level} interval{f': {targets}' if targets else ''}")
        if wider - {estimate.level for estimate in shown}:
            words.append(f"in brackets: {level} intervals of agreement, {_levels(wider)} of the difference")
    return tuple(words)


def _levels(levels: set[float]) -> str:
    return wording.listed([f"{100 * level:.4g}{wording.NBSP}%" for level in sorted(levels)])


def _basis(audit: Audit) -> list[Table]:
    study = audit.study
    tables = []
    if study.sources:
        rows = tuple(Row({"name": s.name, "sha256": s.sha256 or "not a file"}) for s in study.sources)
        columns = (Column("name", "Source"), Column("sha256", "SHA-256"))
        tables.append(Table("sources", "Sources", columns, rows))
    if study.counts:
        rows = tuple(Row({"what": name.replace("_", " "), "n": n}) for name, n in study.counts.items())
        tables.append(
            Table(
                "counts",
                "Counted while reading",
                (Column("what", "What"), Column("n", "Rows", "count")),
                rows,
            )
        )
    return tables


def _settings(audit: Audit) -> str:
    options = audit.options
    prefix = "normalised_"
    done = [
        f"{name.removeprefix(prefix)} ({wording.count(n)} labels)"
        for name, n in audit.study.counts.items()
        if name.startswith(prefix)
    ]
    reading = TITLES[options.reading]
    return (
        f"Intervals {100 * options.level:.4g}{wording.NBSP}%, {wording.count(options.resamples)} resamples. "
        f"Margin {wording.number(options.margin)}. Reading scale: {reading} (switchable). "
        f"Normalisations: {wording.listed(done) or 'none'}. Seed {options.seed}."
    )
