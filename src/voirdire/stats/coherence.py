"""Do the reported numbers cohere? What an agreement, its kappa and its n imply together."""

from __future__ import annotations

import math
from dataclasses import dataclass

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import Estimate
from voirdire.stats.proportion import proportion
from voirdire.stats.reported import chance_bounds, counts_sentence, implied_chance, rounded_counts
from voirdire.stats.transforms import bounded_estimate, wald_interval

__all__ = ["AgreementCoherence", "ImpliedByKappa", "agreement_coherence"]

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ImpliedByKappa:
    """What Cohen's kappa implies beside an agreement.

    ``chance`` is the chance agreement and ``chance_range`` what rounding leaves open. ``prevalence`` is, for
    two labels, the range in which both raters' shares of either label lie; ``balance`` the distance from one
    half within which at least one rater's share lies. ``if_half`` and ``if_implied`` are kappa's interval
    with chance agreement taken as 1/2 and as implied, for independent items. NaN and ``None`` where the
    numbers contradict each other.
    """

    chance: float
    chance_range: Interval
    prevalence: Interval
    balance: float
    if_half: Estimate | None
    if_implied: Estimate | None


@dataclass(frozen=True, slots=True)
class AgreementCoherence:
    """A reported agreement of two raters, the counts it can stand for, and whether all numbers can be true.

    ``coherent`` is ``None`` where nothing could be checked.
    """

    agreement: Estimate
    possible_counts: tuple[int, ...]
    kappa: ImpliedByKappa | None
    coherent: bool | None
    sentences: tuple[str, ...]


@register("statistic", "agreement_coherence")
def agreement_coherence(
    agreement: float | None = None,
    *,
    n: int,
    x: int | None = None,
    kappa: float | None = None,
    decimals: int = 3,
    n_labels: int = 2,
) -> AgreementCoherence:
    """Check a reported agreement of two raters on ``n`` items, and what its kappa implies; 95 % intervals.

    Give ``x``, the number of agreeing items, or ``agreement``, their share as reported to ``decimals`` places
    (83.3 % has 3). ``kappa`` is Cohen's, reported to as many. Incoherent are an agreement that no whole
    number of items gives (the GRIM test, Brown & Heathers 2017), and a kappa whose chance agreement
    (agreement - kappa) / (1 - kappa) no table of ``n_labels`` labels has.

    >>> found = agreement_coherence(0.833, n=162, kappa=0.667)
    >>> found.possible_counts, round(found.kappa.chance, 3), found.coherent
    ((135,), 0.499, True)
    >>> print(found.kappa.if_half)
    0.67 [0.55, 0.78]
    """
    if n < 1 or (x is None) == (agreement is None):
        raise UserError("an agreement check needs n and one of x and agreement", expected="n of 1 or more")
    if not 0 <= (x / n if agreement is None and x is not None else agreement or 0) <= 1:
        raise UserError(
            f"an agreement of {x if agreement is None else agreement}", expected="0 to 1, or to n"
        )
    if kappa is not None and not -1 <= kappa <= 1:
        raise UserError(f"a kappa of {kappa:g}", expected="-1 to 1")
    counts = (x,) if x is not None else rounded_counts(agreement or 0.0, n, decimals)
    share = counts[0] / n if len(counts) == 1 or agreement is None else agreement
    sentences = [counts_sentence(counts, n, round(share, decimals), "agree")]
    coherent = None if x is not None else bool(counts)
    implied = None
    if kappa is not None:
        shares = (counts[0] / n, counts[-1] / n) if counts else (share, share)
        implied, possible = _implied(kappa, share, shares, n, decimals, n_labels)
        coherent = possible and coherent is not False
        sentences += _kappa_sentences(kappa, implied, possible)
    return AgreementCoherence(proportion(share * n, n), counts, implied, coherent, tuple(sentences))


def _implied(
    kappa: float, share: float, shares: Interval, n: int, decimals: int, n_labels: int
) -> tuple[ImpliedByKappa, bool]:
    """What kappa implies, and whether any table of two raters has such numbers."""
    chance = implied_chance(share, kappa)
    if math.isnan(chance):
        # kappa 1 says that every item agrees, and nothing about chance
        nothing = (math.nan, math.nan)
        return ImpliedByKappa(chance, nothing, nothing, math.nan, None, None), shares[1] == 1
    low, high = chance_bounds(shares, kappa, decimals)
    least, most = _possible_chance(shares, n_labels)
    slack = 1e-9
    possible = high >= least - slack and low <= most + slack and low < 1
    if possible:
        low, high = max(low, least), min(high, most)
    binary = possible and n_labels == 2
    reach = _prevalence_reach(share, high) if binary else math.nan
    balance = math.sqrt(max(abs(low - 0.5), abs(high - 0.5)) / 2) if binary else math.nan
    intervals = [_interval(kappa, share, at, n) if possible else None for at in (0.5, chance)]
    return (
        ImpliedByKappa(chance, (low, high), (0.5 - reach, 0.5 + reach), balance, intervals[0], intervals[1]),
        possible,
    )


def _possible_chance(shares: Interval, n_labels: int) -> Interval:
    """Chance agreements that some table with these agreements has.

    With two labels, and u and w the two raters' distances from one half, chance is 1/2 + 2uw where
    |u + w| <= p_o and |u - w| <= 1 - p_o.
    """
    if n_labels != 2:
        return 0.0, 1.0
    return 0.5 - (1 - shares[0]) ** 2 / 2, 0.5 + shares[1] ** 2 / 2


def _prevalence_reach(share: float, chance: float) -> float:
    """The largest distance from one half that either rater's label share can have, for two labels."""
    four_uw = 2 * (chance - 0.5)
    together = min(share, math.sqrt(max(0.0, four_uw + (1 - share) ** 2)))
    apart = min(1 - share, math.sqrt(max(0.0, together**2 - four_uw)))
    return (together + apart) / 2


def _interval(kappa: float, share: float, chance: float, n: int) -> Estimate | None:
    """Wald's interval at a fixed chance agreement: SE = sqrt(p_o (1 - p_o) / n) / (1 - p_e), Cohen 1960."""
    if not 0 <= chance < 1:
        return None
    se = math.sqrt(share * (1 - share) / n) / (1 - chance)
    method = "Wald, chance agreement fixed"
    return bounded_estimate(kappa, wald_interval(kappa, se, 0.95), level=0.95, n_items=n, method=method)


def _kappa_sentences(kappa: float, implied: ImpliedByKappa, possible: bool) -> list[str]:
    if math.isnan(implied.chance):
        verdict = "as it does." if possible else "which it does not: they do not cohere."
        return [f"Kappa 1 needs every item to agree, {verdict}"]
    if not possible:
        return [
            f"Kappa {kappa:g} would need a chance agreement of {implied.chance:.3f}, which no table with "
            "this agreement has: they do not cohere."
        ]
    told = [f"Kappa {kappa:g} implies a chance agreement of {implied.chance:.3f}; the numbers cohere."]
    low, high = implied.prevalence
    if high < 0.95:
        told.append(
            f"For two labels, each rater then gave either label to {100 * low:.0f} to "
            f"{100 * high:.0f}\N{NO-BREAK SPACE}% of items."
        )
    if implied.balance < 0.1:
        points = math.ceil(100 * implied.balance)
        told.append(f"At least one of the two raters gave it to within {points} points of half the items.")
    if implied.if_implied is not None and implied.if_implied.has_interval:
        low, high = implied.if_implied.low, implied.if_implied.high
        span = f"{low:.2f} to {high:.2f}".replace("-", "−")
        told.append(f"For independent items kappa's 95 % interval is about {span}.")
    return told
