"""Do the reported numbers cohere? What an agreement, its kappa and its n imply together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from voirdire.checks.context import Context
from voirdire.checks.finding import Cell, Column, Evidence, Finding, Missing, Row, Table
from voirdire.checks.judges import judged_metrics
from voirdire.checks.majorities import against_majority
from voirdire.checks.words import count, number
from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.coherence import AgreementCoherence, agreement_coherence
from voirdire.stats.retest_coherence import RetestCoherence, retest_coherence

__all__ = ["coherence"]

KNOWN = ("agreement", "x", "n", "kappa", "unanimity", "runs", "fleiss", "decimals", "labels")
MOST_ITEMS = 10_000_000
WHOLE = {
    "x": (0, MOST_ITEMS),
    "n": (1, MOST_ITEMS),
    "runs": (2, 1000),
    "decimals": (0, 12),
    "labels": (2, 1000),
}
"""Reported figures that are whole numbers, with the least and the most that they may be."""


@register("check", "coherence")
def coherence(context: Context) -> Finding | None:
    """Published figures, or this audit's own: can they all be true, and what do they imply?"""
    reported = context.study.reported
    rows = tuple(_declared(reported)) if reported else tuple(_own(context))
    if not rows:
        return None
    columns = (
        Column("what", "Figures"),
        Column("given", "Given"),
        Column("coherent", "Cohere"),
        Column("chance", "Implied chance agreement"),
        Column("interval", "κ's interval, implied", "coefficient"),
        Column("says", "What they imply", "text"),
    )
    table = Table(
        "coherence", "Given figures and what they imply together", columns, rows, folded=not reported
    )
    return Finding(
        check="coherence",
        question="Do the reported numbers cohere?",
        answer=_answer(rows, bool(reported)),
        tables=(table,),
        beware=(
            "Figures that cohere may still be wrong; figures that do not cannot all be right. Items are "
            "taken as independent.",
        ),
        missing=() if reported else ("published figures to check (`reported` in study.yaml)",),
        data={"incoherent": sum(row.cells["coherent"] == "no" for row in rows)},
    )


def _declared(reported: Mapping[str, Mapping[str, float]]) -> Iterator[Row]:
    for name, figures in reported.items():
        _check(name, figures)
        given = ", ".join(f"{key} {value:g}" for key, value in figures.items() if key != "decimals")
        decimals = int(figures.get("decimals", 3))
        n = int(figures["n"]) if "n" in figures else None
        if "unanimity" in figures:
            found = retest_coherence(
                figures["unanimity"],
                runs=int(figures.get("runs", 2)),
                kappa=figures.get("fleiss"),
                n=n,
                decimals=decimals,
            )
            yield _row(f"{name}: retest", given, found)
        if "agreement" in figures or "x" in figures:
            if n is None:
                raise UserError(
                    "reported agreement without n",
                    where=f"reported: {name}",
                    fix="add n, the number of items",
                )
            yield _row(name, given, _agreement(figures, n, decimals))


def _check(name: str, figures: Mapping[str, float]) -> None:
    unknown = [key for key in figures if key not in KNOWN]
    if unknown:
        raise UserError(
            f"no reported figure named '{unknown[0]}'",
            where=f"reported: {name}",
            expected=f"one of {', '.join(KNOWN)}",
        )
    for key, (low, high) in WHOLE.items():
        value = figures.get(key, low)
        if not (low <= value <= high and value == int(value)):
            raise UserError(
                f"reported {key} is {value:g}",
                where=f"reported: {name}",
                expected=f"a whole number from {low:,} to {high:,}",
            )


def _agreement(figures: Mapping[str, float], n: int, decimals: int) -> AgreementCoherence:
    x = int(figures["x"]) if "x" in figures else None
    share = None if x is not None else figures["agreement"]
    labels = int(figures.get("labels", 2))
    return agreement_coherence(
        share, n=n, x=x, kappa=figures.get("kappa"), decimals=decimals, n_labels=labels
    )


def _own(context: Context) -> Iterator[Row]:
    """This audit's own agreement with the majority, as a reader of the raw percentage would want it read."""
    for name, judges in judged_metrics(context).items():
        for judge in judges:
            found = against_majority(context, judge, name)
            scale = context.people(name).scale
            if not found.n or math.isnan(found.kappa.value) or scale.kind in ("ordinal", "numeric"):
                continue
            checked = agreement_coherence(
                n=found.n, x=found.same, kappa=round(found.kappa.value, 3), n_labels=len(scale.labels)
            )
            given = f"{found}, κ {number(found.kappa.value)}"
            title = f"{context.study.metric(name).label}: {context.study.raters[judge].id}"
            yield _row(title, given, checked, Evidence(metric=name))


def _row(
    what: str, given: str, found: AgreementCoherence | RetestCoherence, evidence: Evidence | None = None
) -> Row:
    chance = (
        found.chance
        if isinstance(found, RetestCoherence)
        else (found.kappa.chance if found.kappa else math.nan)
    )
    interval = found.kappa.if_implied if isinstance(found, AgreementCoherence) and found.kappa else None
    cells: dict[str, Cell] = {
        "what": what,
        "given": given,
        "coherent": {True: "yes", False: "no", None: "not checkable"}[found.coherent],
        "chance": Missing("undefined", "no kappa given") if math.isnan(chance) else number(chance, 3),
        "interval": interval or Missing("none", "no kappa given"),
        "says": " ".join(found.sentences),
    }
    return Row(cells, evidence)


def _answer(rows: tuple[Row, ...], declared: bool) -> str:
    wrong = [row for row in rows if row.cells["coherent"] == "no"]
    which = "reported" if declared else "computed"
    if not declared and not wrong:
        return (
            "No published figure was given to check. What this audit's own agreement, κ and n imply "
            "together is in the table."
        )
    if wrong:
        return (
            f"No: of {count(len(rows), f'{which} set')} of figures, {len(wrong):,} cannot all be true, "
            f"first {wrong[0].cells['what']}."
        )
    if len(rows) == 1:
        return f"They cohere. {rows[0].cells['says']}"
    return f"They cohere: none of the {len(rows):,} reported sets of figures contradicts itself."
