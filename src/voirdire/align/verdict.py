"""The sentence that an evaluation comes to: adds nothing, helps, as good as a person, or cannot tell yet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from voirdire.align.equivalence import PowerCurve
from voirdire.stats.estimate import REASONS, Estimate

__all__ = ["NEGLIGIBLE", "Verdict", "labels_to_tell", "votes_in_words", "worth", "worth_in_words"]

Word = Literal["nothing", "helps", "as a person", "cannot tell"]
NEGLIGIBLE = 0.02
"""Nats a row: a gain that is surely below this is called nothing."""
POWER = 1.96 + 0.84
"""Standard errors between no gain and one that is found with 80 % power at 5 %."""


@dataclass(frozen=True)
class Verdict:
    """``word`` for machines, ``sentence`` for people, and how many more labels would settle it."""

    word: Word
    sentence: str
    more_labels: int = 0


def worth(
    gain: Estimate, curve: PowerCurve, n_labels: int, *, beyond_system: Estimate | None = None
) -> Verdict:
    """The verdict from the gain over base rates and the power curve.

    ``beyond_system`` is what judge and system together gain over knowing the system, where items carry
    systems: a judge that tells good systems from bad ones and no more has told what the system's name tells.

    The judge *helps* where the gain's lower bound is above 0, and is *as good as another person* where the
    lower bound of its rater equivalence is 1 or more. It adds *nothing* where the upper bound is below 0.02
    nats. Otherwise *cannot tell*, with the labels that would find the gain seen, at least 0.02 nats, with
    80 % power.
    """
    if gain.undefined is not None or not gain.has_interval:
        why = REASONS[gain.undefined or gain.no_interval or "insufficient_items"]
        return Verdict("cannot tell", f"Cannot tell yet: {why}.")
    system = beyond_system if beyond_system is not None and beyond_system.has_interval else None
    for found, floor in ((gain, "base rates"), (system, "knowing which system wrote the item")):
        if found is not None and not found.low > 0:
            return _not_shown(found, floor, n_labels)
    return _helps(curve)


def labels_to_tell(gain: Estimate, n_labels: int) -> int:
    """How many labels beyond ``n_labels`` find the difference seen, at least 0.02 nats, with 80 % power."""
    error = (gain.high - gain.low) / (2 * 1.96)
    needed = n_labels * (POWER * error / max(abs(gain.value), NEGLIGIBLE)) ** 2
    more = max(needed - n_labels, n_labels * 0.1)
    scale = 10 ** max(int(math.log10(more)) - 1, 0)
    return int(math.ceil(more / scale) * scale)


def worth_in_words(curve: PowerCurve) -> str:
    """The rater equivalence and its interval: ``about 1.4 [0.9, >2]``, or why there is none."""
    found = curve.equivalence
    if found.undefined is not None:
        return f"not measurable ({REASONS[found.undefined]})"
    value = f"more than {curve.most}" if math.isinf(found.value) else f"about {found.value:.1f}"
    if not found.has_interval:
        return value
    low, high = (f">{curve.most}" if math.isinf(end) else f"{end:.1f}" for end in (found.low, found.high))
    return f"{value} [{low}, {high}]"


def votes_in_words(kappa: Estimate) -> str:
    """How many human votes the judge counts as: ``2.49 [1.76, 3.73]``, ``more than 9.37``, or why none.

    >>> votes_in_words(Estimate(0.02, 0.0, math.inf))
    'not to be told from these labels'
    """
    if kappa.undefined is not None:
        return f"not measurable ({REASONS[kappa.undefined]})"
    if not math.isinf(kappa.high):
        return str(kappa)
    return "not to be told from these labels" if kappa.low < 0.005 else f"more than {kappa.low:.2f}"


def _not_shown(gain: Estimate, floor: str, n_labels: int) -> Verdict:
    """Nothing, or not yet known, beyond a floor that knows no verdict."""
    if gain.high < NEGLIGIBLE:
        return Verdict("nothing", f"The judge adds nothing beyond {floor} here.")
    more = labels_to_tell(gain, n_labels)
    return Verdict(
        "cannot tell",
        f"Cannot tell yet: the judge is not shown to add anything beyond {floor} here; about "
        f"{more:,} more labels would tell.",
        more,
    )


def _helps(curve: PowerCurve) -> Verdict:
    found = curve.equivalence
    if found.undefined is not None:
        return Verdict(
            "helps",
            "The judge helps: it predicts people better than base rates do. How many people it is worth "
            f"is not measurable: {REASONS[found.undefined]}.",
        )
    words = f"worth {worth_in_words(curve)} human labels"
    if found.low >= 1:
        return Verdict("as a person", f"The judge predicts people as well as another person does: {words}.")
    return Verdict("helps", f"The judge helps: it is {words}.")
