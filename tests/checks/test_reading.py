"""Words for coefficients: named scales, applied to the interval and not to the point alone."""

from __future__ import annotations

import pytest

from voirdire.checks.options import AuditOptions
from voirdire.checks.reading import READINGS, band, reading
from voirdire.errors import UserError
from voirdire.stats import Estimate, undefined


@pytest.mark.parametrize(
    ("scale", "value", "word"),
    [
        ("landis-koch", -0.1, "poor"),
        ("landis-koch", 0.2, "slight"),
        ("landis-koch", 0.61, "substantial"),
        ("landis-koch", 0.667, "substantial"),
        ("landis-koch", 0.81, "almost perfect"),
        ("mchugh", 0.599, "inadequate"),
        ("mchugh", 0.60, "moderate"),
        ("mchugh", 0.91, "almost perfect"),
        ("krippendorff", 0.66, "unreliable"),
        ("krippendorff", 0.70, "tentative"),
        ("krippendorff", 0.80, "reliable"),
    ],
)
def test_words_of_the_published_scales(scale: str, value: float, word: str) -> None:
    assert band(value, scale) == word


@pytest.mark.parametrize("scale", READINGS)
def test_every_scale_has_one_word_more_than_cuts(scale: str) -> None:
    cuts, words = READINGS[scale]
    assert len(words) == len(cuts) + 1
    assert list(cuts) == sorted(cuts)


def test_the_published_kappa_is_not_settled_on_either_side_of_sixty() -> None:
    """0.667 [0.55, 0.78] is "substantial" by its point, and its interval straddles 0.60."""
    published = Estimate(0.667, 0.55, 0.78)
    assert reading(published, "mchugh") == "not settled: interval spans 0.60"
    assert reading(published, "landis-koch") == "not settled: interval spans 0.61"


def test_an_interval_that_touches_a_cut_from_below_spans_it() -> None:
    assert reading(Estimate(0.5, 0.4, 0.60)) == "not settled: interval spans 0.60"
    assert reading(Estimate(0.7, 0.60, 0.79)) == "moderate"


def test_no_interval_settles_nothing_and_undefined_has_no_word() -> None:
    assert reading(Estimate(0.9, no_interval="insufficient_items")) == "not settled: no interval"
    assert reading(undefined("no_variation")) == ""


def test_an_unknown_scale_is_refused_with_the_choices() -> None:
    with pytest.raises(UserError, match="landis-koch, mchugh, krippendorff"):
        AuditOptions(reading="altman")
