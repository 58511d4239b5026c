"""Rogan and Gladen's correction: the reference case, exact inversion, Lang and Reiczigel's interval."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UserError
from voirdire.stats.rogan_gladen import rogan_gladen


def test_the_reference_case(shared: Path) -> None:
    cases = json.loads((shared / "reference" / "reference_values.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == "rogan_gladen")
    data = case["data"]
    found = rogan_gladen(data["apparent"], data["se"], data["sp"])
    assert found.prevalence.value == pytest.approx(case["expected"]["prevalence"], abs=case["tol"])
    assert found.prevalence.no_interval == "no_interval_method"
    assert not found.clipped


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1), st.floats(0.55, 1), st.floats(0.55, 1))
def test_it_inverts_what_a_judge_does(truth: float, sensitivity: float, specificity: float) -> None:
    apparent = truth * sensitivity + (1 - truth) * (1 - specificity)
    found = rogan_gladen(min(apparent, 1.0), sensitivity, specificity)
    assert found.prevalence.value == pytest.approx(truth, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1), st.floats(0.6, 1), st.floats(0.6, 1), st.integers(20, 500))
def test_the_other_label_mirrors_it(apparent: float, sensitivity: float, specificity: float, n: int) -> None:
    one = rogan_gladen(apparent, sensitivity, specificity, n=n, n_positive=40, n_negative=60).prevalence
    other = rogan_gladen(1 - apparent, specificity, sensitivity, n=n, n_positive=60, n_negative=40).prevalence
    assert (other.value, other.low, other.high) == pytest.approx((1 - one.value, 1 - one.high, 1 - one.low))


def test_lang_and_reiczigel_by_their_formula() -> None:
    """The published steps, written out once more for one case."""
    n, n_se, n_sp, z = 500, 80, 120, 1.959963984540054
    ap = (0.3 * n + z**2 / 2) / (n + z**2)
    se, sp = (0.9 * n_se + 1) / (n_se + 2), (0.8 * n_sp + 1) / (n_sp + 2)
    p = (ap + sp - 1) / (se + sp - 1)
    a, b, c = ap * (1 - ap) / (n + z**2), se * (1 - se) / (n_se + 2), sp * (1 - sp) / (n_sp + 2)
    shift = 2 * z**2 * (p * b - (1 - p) * c)
    reach = z * math.sqrt(a + p**2 * b + (1 - p) ** 2 * c) / (se + sp - 1)
    found = rogan_gladen(0.3, 0.9, 0.8, n=n, n_positive=n_se, n_negative=n_sp).prevalence
    assert (found.low, found.high) == pytest.approx((p + shift - reach, p + shift + reach))


def test_undefined_clipped_and_refused() -> None:
    assert rogan_gladen(0.3, 0.4, 0.6).prevalence.undefined == "not_identifiable"
    assert rogan_gladen(0.3, math.nan, 0.6).prevalence.undefined == "not_identifiable"
    assert rogan_gladen(math.nan, 0.9, 0.9).prevalence.undefined == "no_labels"
    low = rogan_gladen(0.1, 0.9, 0.8, n=200, n_positive=50, n_negative=50)
    assert low.clipped
    assert low.prevalence.value == 0
    assert low.prevalence.low == 0 < low.prevalence.high
    with pytest.raises(UserError, match="shares"):
        rogan_gladen(1.2, 0.9, 0.8)


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("truth", [0.1, 0.4])
def test_the_interval_covers(truth: float) -> None:
    rng, hits, runs = np.random.default_rng(8), 0, 2000
    for _ in range(runs):
        counts = rng.binomial([300, 60, 90], [truth * 0.85 + (1 - truth) * 0.2, 0.85, 0.8])
        ap, se, sp = counts / [300, 60, 90]
        found = rogan_gladen(ap, se, sp, n=300, n_positive=60, n_negative=90).prevalence
        hits += found.low <= truth <= found.high
    assert 0.94 <= hits / runs <= 0.985, "it is known to be a little conservative"
