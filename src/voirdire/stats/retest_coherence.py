"""Do a judge's reported retest figures cohere? Unanimity over repeated runs, and the kappa beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from voirdire.errors import UserError
from voirdire.registry import register
from voirdire.stats.estimate import Estimate
from voirdire.stats.proportion import proportion
from voirdire.stats.reported import chance_bounds, counts_sentence, implied_chance, rounded_counts

__all__ = ["RetestCoherence", "retest_coherence"]


@dataclass(frozen=True, slots=True)
class RetestCoherence:
    """What a reported share of unanimous items implies, for two labels.

    ``unanimity`` carries its interval where the number of items is known. ``pairwise_agreement`` is exact for
    two and three runs (low equals high) and a range beyond. ``chance`` is the chance agreement that kappa
    implies and ``majority_share`` the share of the more frequent label behind it, both at the middle of that
    range; NaN without a kappa. ``coherent`` is ``None`` where nothing could be checked.
    """

    unanimity: Estimate | None
    possible_counts: tuple[int, ...]
    pairwise_agreement: tuple[float, float]
    chance: float
    majority_share: float
    coherent: bool | None
    sentences: tuple[str, ...]


@register("statistic", "retest_coherence")
def retest_coherence(
    unanimity: float,
    *,
    runs: int,
    kappa: float | None = None,
    n: int | None = None,
    decimals: int = 3,
) -> RetestCoherence:
    """Check a reported share of items on which all ``runs`` gave one of two labels, and its Fleiss kappa.

    With three runs an item that is not unanimous splits 2 to 1, so pairwise agreement is 1 - (1 - U) 2/3;
    with more runs the split is not known, and a range is given. ``n`` is the number of items, ``decimals``
    the places to which the figures were reported. A kappa is coherent where the chance agreement it implies
    lies from 1/2, the least that Fleiss's form has with two labels, up to 1.

    >>> found = retest_coherence(0.825, runs=3, kappa=0.731, n=240)
    >>> round(found.pairwise_agreement[0], 4), round(found.chance, 3), round(found.majority_share, 2)
    (0.8833, 0.566, 0.68)
    """
    if runs < 2 or not 0 <= unanimity <= 1 or (n is not None and n < 1):
        raise UserError(f"unanimity {unanimity:g} over {runs} runs", expected="a share, runs of 2 or more")
    if kappa is not None and not -1 <= kappa <= 1:
        raise UserError(f"a kappa of {kappa:g}", expected="-1 to 1")
    counts = rounded_counts(unanimity, n, decimals) if n else ()
    sentences = [counts_sentence(counts, n, unanimity, "are unanimous")] if n else []
    coherent = bool(counts) if n else None
    low, high = _pairwise_agreement(unanimity, runs)
    between = f"{low:.3f}" if high - low < 5e-4 else f"between {low:.3f} and {high:.3f}"
    sentences.append(f"Over {runs} runs of two labels, pairwise agreement is {between}.")
    chance = majority = math.nan
    if kappa is not None:
        chance = implied_chance((low + high) / 2, kappa)
        possible = _is_possible((low, high), kappa, decimals)
        coherent = possible and coherent is not False
        majority = (1 + math.sqrt(max(0.0, 2 * chance - 1))) / 2 if possible else math.nan
        sentences.append(_kappa_sentence(kappa, chance, majority, possible))
    share = counts[0] / n if n and len(counts) == 1 else unanimity
    estimate = proportion(share * n, n) if n else None
    return RetestCoherence(estimate, counts, (low, high), chance, majority, coherent, tuple(sentences))


def _pairwise_agreement(unanimity: float, runs: int) -> tuple[float, float]:
    """Every other item splits as evenly as it can, or with one run against the rest."""
    half = runs // 2
    pairs = runs * (runs - 1) / 2
    low, high = (
        unanimity + (1 - unanimity) * (1 - split / pairs) for split in (half * (runs - half), runs - 1)
    )
    return low, high


def _is_possible(agreement: tuple[float, float], kappa: float, decimals: int) -> bool:
    if kappa == 1:
        return agreement[1] == 1
    low, high = chance_bounds(agreement, kappa, decimals)
    return high >= 0.5 - 1e-9 and low < 1


def _kappa_sentence(kappa: float, chance: float, majority: float, possible: bool) -> str:
    if not possible:
        return f"Kappa {kappa:g} would need a chance agreement of {chance:.3f}: the numbers do not cohere."
    if math.isnan(chance):
        return "Kappa 1 needs every item to be unanimous, as it is."
    return (
        f"Kappa {kappa:g} implies a chance agreement of {chance:.3f}, labels split {majority:.2f} to "
        f"{1 - majority:.2f}; the numbers cohere."
    )
