"""Audit page: may the judge be believed, what was corrected, where verdicts vary, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from voirdire.bench.audited import CorrectedRate
from voirdire.bench.cells import ALL
from voirdire.bench.stability import Stability, VarianceSplit
from voirdire.bench.tree import LEVELS
from voirdire.checks.verdict import StandIn
from voirdire.decide.rates_options import FEWEST
from voirdire.report import wording
from voirdire.web.results.figures import Figure, figure_of, share
from voirdire.web.results.shown import Shown
from voirdire.web.results.words import KIND_WORDS, plural

__all__ = ["AuditPage", "Corrected", "Part", "audit_page"]

DEPTH = LEVELS[:3]
"""Levels of which corrected rates are listed."""


@dataclass(frozen=True)
class Corrected:
    """A corrected rate beside the judge's own."""

    place: str
    kind: str
    judge: Figure
    corrected: Figure
    people: Figure
    labelled: str


@dataclass(frozen=True)
class Part:
    """The share of the variance at one level, and how many there are."""

    level: str
    share: str
    groups: str


@dataclass(frozen=True)
class AuditPage:
    """All of it; ``report`` is the address of the whole audit where there is one."""

    answer: str
    lede: str
    report: str
    needs: tuple[str, ...]
    stand_in: tuple[StandIn, ...]
    corrected: tuple[Corrected, ...]
    variance: tuple[tuple[str, tuple[Part, ...]], ...]
    stability: tuple[tuple[str, int, Figure, str], ...]
    lacking: tuple[tuple[str, int], ...]
    counts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def audit_page(shown: Shown, report: str) -> AuditPage:
    """The page of ``shown``; ``report`` is where the whole audit is, empty where there is none."""
    results, found = shown.results, shown.audit
    told = results.audited
    unaudited = f"Not audited: {told.why}." if told.why else "People’s labels correct the judge’s rates."
    return AuditPage(
        found.answer if found else unaudited,
        found.lede
        if found
        else "Until people have labelled some of these conversations, nobody knows how far "
        "the judge’s errors move the figures or the ranks.",
        report if found else "",
        tuple(_needs(shown)),
        found.stand_in if found else (),
        tuple(_corrected(shown)),
        tuple((KIND_WORDS[one.kind], tuple(_parts(one))) for one in results.variance),
        tuple(_again(one) for one in results.stability),
        tuple(results.lacking.items()),
        tuple(_counts(shown)),
        (*results.notes, *told.notes),
    )


def _needs(shown: Shown) -> Iterator[str]:
    """What an audit would take, where there is none."""
    if shown.results.audited.rates:
        return
    yield f"Labels of people on {FEWEST} conversations or more for each rate that is to be corrected."
    yield "Two people or more on some of the same conversations, else nobody knows how far people agree."
    yield "A sample with known chances over verdicts, systems and variants: voirdire bench review plans it."


def _corrected(shown: Shown) -> Iterator[Corrected]:
    for one in shown.results.audited.rates:
        node = shown.nodes[one.node]
        if one.system == ALL and node.level in DEPTH:
            place = "All areas" if node.level == "overall" else " › ".join(node.path)
            judge = figure_of(shown.rate(one.node, one.kind))
            yield Corrected(
                place, KIND_WORDS[one.kind], judge, figure_of(one), share(one.labels_alone), _labelled(one)
            )


def _labelled(one: CorrectedRate) -> str:
    return f"{one.labelled:,} of {one.items:,}, {plural(one.raters, 'person', 'people')}"


def _parts(split: VarianceSplit) -> Iterator[Part]:
    for one in split.components:
        level = " and ".join((one.level, *one.holds))
        told = "undefined" if one.share != one.share else wording.number(one.share, "share")
        yield Part(level, told, f"{one.groups:,}")


def _again(one: Stability) -> tuple[str, int, Figure, str]:
    kappa = one.kappa
    said = wording.reason_word(kappa.undefined)[0] if kappa.undefined else str(kappa)
    return KIND_WORDS[one.kind], one.runs, share(one.unanimous), said


def _counts(shown: Shown) -> Iterator[tuple[str, str]]:
    counts, judge = shown.results.counts, shown.results.judge
    yield "Judge", " ".join(filter(None, (judge.name, judge.model and f"({judge.model})"))) or "not recorded"
    yield "Version", judge.version or "not recorded"
    run = shown.run
    for name, value in {**run.parts, "run": f"{run.label}, {run.name}, {run.started}"}.items() if run else ():
        yield f"Hash of {name}" if name != "run" else "Run", value
    yield "Judged", f"{counts['judged']:,} of {counts['conversations']:,}"
    yield "Missing verdicts", f"{counts['missing']:,}"
    yield "Without an occasion", f"{counts['no_occasion']:,}"
    yield "Simulated user failed", f"{counts['faulty']:,}"
