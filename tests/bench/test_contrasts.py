"""Matched variants are compared pair by pair, clustered by metric, and what has no partner is told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from bench.made import drawn, made, rated
from voirdire.bench.cells import ALL, layers_of
from voirdire.bench.contrasts import VariantContrast, variant_contrasts
from voirdire.bench.outcomes import Outcomes
from voirdire.bench.tree import tree_of

SUITE = tuple(rated(f"m{code}", "negative" if code % 2 else "positive") for code in range(6))


def every(outcomes: Outcomes) -> dict[tuple[str, str, str], VariantContrast]:
    layers = layers_of(outcomes, tree_of(outcomes.metrics))
    return {(one.node, one.kind, one.system): one for one in variant_contrasts(outcomes, layers)}


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_difference_is_the_mean_over_pairs(seed: int) -> None:
    outcomes = drawn(np.random.default_rng(seed), SUITE, 3, 2, 2, 2, missing=0.2)
    passed = outcomes.passed.reshape(6, 3, 2, 2, 2)
    teen, adult = passed[:, :, 0], passed[:, :, 1]
    both = (teen >= 0) & (adult >= 0)
    found = every(outcomes)["overall", "both", ALL]
    assert found.pairs == both.sum()
    assert found.difference.value == pytest.approx((teen[both].astype(int) - adult[both]).mean())
    assert found.first_only == ((teen == 1) & (adult == 0)).sum()
    assert found.second_only == ((teen == 0) & (adult == 1)).sum()
    assert found.unpaired == passed.size - 2 * both.sum()


def test_with_even_clusters_it_is_the_t_test_of_the_metrics_differences() -> None:
    outcomes = drawn(np.random.default_rng(3), SUITE, 4, 2, 3, 1)
    passed = outcomes.passed.reshape(6, 4, 2, 3, 1).astype(float)
    by_metric = (passed[:, :, 0] - passed[:, :, 1]).mean(axis=(1, 2, 3))
    wanted = ttest_1samp(by_metric, 0).confidence_interval(0.95)
    found = every(outcomes)["overall", "both", ALL].difference
    assert (found.low, found.high) == (pytest.approx(wanted.low), pytest.approx(wanted.high))
    assert (found.n_clusters, found.n_items) == (6, 72)


def test_variants_of_several_axes_differ_in_one_alone() -> None:
    axes = tuple({"age": age, "mood": mood} for age in ("teen", "adult") for mood in ("calm", "low"))
    # calm passes always and low never, whatever the age
    verdicts = np.tile(np.array([1, 0, 1, 0]).reshape(1, 1, 4, 1, 1), (2, 3, 1, 1, 1))
    outcomes = made(verdicts, (rated("m1"), rated("m2")), axes=axes)
    layers = layers_of(outcomes, tree_of(outcomes.metrics))
    found = {
        one.axis: one
        for one in variant_contrasts(outcomes, layers)
        if (one.node, one.system) == ("overall", ALL)
    }
    assert found["age"].difference.value == 0
    assert (found["mood"].first, found["mood"].second) == ("calm", "low")
    assert (found["mood"].difference.value, found["mood"].pairs) == (1, 12)
    assert found["mood"].difference.no_interval == "zero_width"


def test_a_variant_without_its_partner_says_so() -> None:
    verdicts = np.array([1, -1, 0, 1]).reshape(1, 2, 2, 1, 1)
    found = every(made(verdicts, (rated("m"),)))["overall", "positive", ALL]
    assert (found.pairs, found.unpaired) == (1, 2)
    none = every(made(np.array([1, -1]).reshape(1, 1, 2, 1, 1), (rated("m"),)))["overall", "positive", ALL]
    assert (none.difference.undefined, none.unpaired) == ("no_pairable_items", 2)


def test_a_benchmark_without_axes_has_no_contrast() -> None:
    assert not every(made(np.ones((1, 2, 1, 1, 1)), (rated("m"),), axes=({},)))
