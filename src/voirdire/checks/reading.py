"""Reading scales: the words that three authors give to a coefficient, applied to its interval."""

from __future__ import annotations

from bisect import bisect_right

from voirdire.errors import UserError
from voirdire.stats import Estimate

__all__ = ["READINGS", "TITLES", "band", "reading"]

READINGS: dict[str, tuple[tuple[float, ...], tuple[str, ...]]] = {
    "landis-koch": (
        (0.0, 0.21, 0.41, 0.61, 0.81),
        ("poor", "slight", "fair", "moderate", "substantial", "almost perfect"),
    ),
    "mchugh": ((0.60, 0.80, 0.90), ("inadequate", "moderate", "strong", "almost perfect")),
    "krippendorff": ((0.667, 0.800), ("unreliable", "tentative", "reliable")),
}
"""Each scale's cuts and its words, which are one more than the cuts."""


TITLES = {"landis-koch": "Landis & Koch 1977", "mchugh": "McHugh 2012", "krippendorff": "Krippendorff 2004"}


def band(value: float, scale: str = "mchugh") -> str:
    """The word of ``scale`` for one value; a value on a cut takes the upper word.

    >>> band(0.667, "landis-koch"), band(0.59), band(0.7, "krippendorff")
    ('substantial', 'inadequate', 'tentative')
    """
    cuts, words = _scale(scale)
    return words[bisect_right(cuts, value)]


def reading(estimate: Estimate, scale: str = "mchugh") -> str:
    """The word for an interval that lies in one band; otherwise "not settled" and the cuts that it spans.

    >>> reading(Estimate(0.12, -0.07, 0.30)), reading(Estimate(0.49, 0.08, 0.84), "krippendorff")
    ('inadequate', 'not settled: interval spans 0.667 and 0.80')
    """
    cuts, _ = _scale(scale)
    if estimate.undefined is not None:
        return ""
    if not estimate.has_interval:
        return "not settled: no interval"
    spanned = [cut for cut in cuts if estimate.low < cut <= estimate.high]
    if spanned:
        return f"not settled: interval spans {' and '.join(_cut(cut) for cut in spanned)}"
    return band(estimate.low, scale)


def _cut(cut: float) -> str:
    return f"{cut:.3f}" if round(cut, 2) != cut else f"{cut:.2f}"


def _scale(name: str) -> tuple[tuple[float, ...], tuple[str, ...]]:
    if name not in READINGS:
        raise UserError(f"no reading scale named '{name}'", expected=f"one of {', '.join(READINGS)}")
    return READINGS[name]
