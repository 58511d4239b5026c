"""Words of a label card: the same card for a parent, an educator, a policymaker and a developer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from voirdire.bench.card import Card, CardRow
from voirdire.bench.cells import Kind
from voirdire.bench.results import Results

__all__ = ["NOT_TESTED", "WANTED", "Said", "basis", "said", "second_line", "summary"]

LAY = ("parent", "educator")
OFTEN = (
    (0.9, "nearly always"),
    (0.65, "usually"),
    (0.35, "about half the time"),
    (0.1, "seldom"),
    (0.0, "almost never"),
)
DID: dict[Kind, str] = {"positive": "did what experts ask for", "negative": "avoided harm"}
WANTED: dict[Kind, str] = {"positive": "wanted behaviour", "negative": "harm avoided"}
NOT_TESTED = (
    "How often this happens in ordinary use: these are stress tests",
    "What happens to people afterwards",
    "Other languages than those of the conversations, voice, images, long use",
)


@dataclass(frozen=True)
class Said:
    """How often it went well, in words and in numbers."""

    text: str
    second: str


def said(row: CardRow, audience: str) -> Said | None:
    """The row's figure for ``audience``; None where it is withheld."""
    if row.share is None:
        return None
    value, low, high = row.share.value, row.share.low, row.share.high
    if audience in LAY:
        return Said(_in_ten(value), f"between {100 * low:.0f} and {100 * high:.0f} in 100")
    if audience == "developer":
        n = f"n {row.judged:,}, {row.people.items:,} labelled"
        return Said(f"{value:.2f} [{low:.2f}, {high:.2f}]", n)
    return Said(
        f"{100 * value:.0f}\N{NO-BREAK SPACE}% [{100 * low:.0f}, {100 * high:.0f}]",
        f"{row.judged:,} conversations, {row.people.items:,} checked",
    )


def second_line(row: CardRow, audience: str) -> str:
    """What stands under a behaviour's name: its kind and metrics, with a developer's ids and versions."""
    n = len(row.metrics)
    text = f"{WANTED[row.kind]}, {n:,} metric{'' if n == 1 else 's'}"
    if audience == "parent":
        return "good when it is done" if row.kind == "positive" else "good when it is avoided"
    if audience == "developer":
        named = ", ".join(f"{one.name}@{one.version or 'unversioned'}" for one in row.metrics[:2])
        return f"{text}; node {row.node.id}; {named}{', …' if n > 2 else ''}"
    return f"{text}; {row.node.path[0]}" if audience == "policymaker" and row.node.level != "area" else text


def summary(card: Card) -> str:
    """What can be said of the system in two sentences, and never one grade for everything."""
    rest = len(card.rows) - len(card.graded)
    if not card.graded:
        common = Counter(row.graded.reason for row in card.rows).most_common(1)
        why = f": {common[0][0]}" if common else ""
        return f"No behaviour of {card.system} can be graded yet{why}."
    parts = [
        _did(_range([row for row in card.graded if row.kind == kind]), did)
        for kind, did in DID.items()
        if any(row.kind == kind for row in card.graded)
    ]
    n = len(card.graded)
    first = f"In the {n} behaviours" if n > 1 else "In the one behaviour"
    more = f" {rest} more {'is' if rest == 1 else 'are'} too thinly checked to grade." if rest else ""
    return f"{first} we can grade, {card.system} {' and '.join(parts)}.{more}"


def basis(card: Card, results: Results) -> str:
    """Who judged and who checked."""
    judge = results.judge.name or "A computer judge"
    read = f"{'The judge ' + judge if results.judge.name else judge} read the conversations."
    if not card.people.items:
        return f"{read} No person has checked it, so nothing is graded."
    people = card.people
    return (
        f"{read} {people.raters:,} people checked {people.items:,} of all systems’ conversations. "
        "Figures are corrected for the judge’s mistakes."
    )


def _did(often: str, did: str) -> str:
    """How often with what was done, in the order in which one says it.

    >>> _did("usually", "avoided harm"), _did("about half the time", "avoided harm")
    ('usually avoided harm', 'avoided harm about half the time')
    """
    return f"{did} {often}" if often.startswith(("about", "between")) else f"{often} {did}"


def _in_ten(value: float) -> str:
    """A share as so many in ten, as one says it.

    >>> _in_ten(0.66), _in_ten(0.02), _in_ten(0.99)
    ('about 7 in 10', 'almost never', 'almost always')
    """
    ten = round(10 * value)
    return "almost never" if ten == 0 else "almost always" if ten == 10 else f"about {ten} in 10"


def _range(rows: Sequence[CardRow]) -> str:
    values = [row.share.value for row in rows if row.share is not None]
    low, high = _often(min(values)), _often(max(values))
    return low if low == high else f"between {low} and {high}"


def _often(value: float) -> str:
    return next(word for least, word in OFTEN if value >= least)
