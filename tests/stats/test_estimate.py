"""Estimate: equality with undefined parts, spelling, and the plain form."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from voirdire.stats.estimate import Estimate, undefined


def test_an_estimate_equals_its_repetition_where_parts_are_undefined() -> None:
    first, again = (Estimate(0.5, no_interval="no_variation") for _ in range(2))
    assert first == again
    assert len({first, again, undefined("no_labels"), undefined("no_labels")}) == 2
    assert undefined("no_labels") != undefined("no_variation")
    assert first != replace(first, low=0.4, high=0.6, no_interval=None)
    assert first != 0.5


def test_a_value_that_rounds_to_nought_has_no_sign() -> None:
    assert str(Estimate(-0.001, -0.5, 0.004)) == "0.00 [−0.50, 0.00]"


def test_the_plain_form_has_no_nan() -> None:
    plain = undefined("no_variation", n_items=3).to_dict()
    assert (plain["value"], plain["low"], plain["undefined"], plain["n_items"]) == (
        None,
        None,
        "no_variation",
        3,
    )


@pytest.mark.parametrize(("value", "reason"), [(math.nan, None), (0.5, "no_variation")])
def test_nan_needs_a_reason_and_a_reason_nan(value: float, reason: str | None) -> None:
    with pytest.raises(AssertionError):
        Estimate(value, undefined=reason)
