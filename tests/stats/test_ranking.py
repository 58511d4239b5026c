"""Pairwise accuracy with ties, sign-flip tests, soft pairwise accuracy and circular triads."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from voirdire.errors import UserError
from voirdire.stats.pairwise_accuracy import calibrate_ties, pairwise_accuracy
from voirdire.stats.permutation import sign_flip_p_values, sign_flip_test
from voirdire.stats.soft_pairwise_accuracy import soft_pairwise_accuracy
from voirdire.stats.triads import circular_triads

tied_pairs = arrays(
    np.float64, st.tuples(st.integers(2, 12), st.just(2)), elements=st.integers(0, 5).map(float)
)


def by_hand(gold: np.ndarray, scores: np.ndarray, epsilon: float) -> float:
    pairs = list(itertools.combinations(range(len(gold)), 2))

    def order(a: float, b: float, gap: float) -> int:
        return 0 if abs(a - b) <= gap else (1 if a > b else -1)

    right = [order(gold[i], gold[j], 0) == order(scores[i], scores[j], epsilon) for i, j in pairs]
    return sum(right) / len(right)


@settings(max_examples=60, deadline=None)
@given(tied_pairs, st.sampled_from([0.0, 1.0, 2.5]))
def test_accuracy_equals_counting_pairs(pairs: np.ndarray, epsilon: float) -> None:
    found = pairwise_accuracy(*pairs.T, epsilon=epsilon)
    assert found.value == pytest.approx(by_hand(*pairs.T, epsilon))
    if found.has_interval:
        assert 0 <= found.low <= found.value <= found.high <= 1


@settings(max_examples=60, deadline=None)
@given(tied_pairs)
def test_calibration_finds_the_best_gap(pairs: np.ndarray) -> None:
    gaps = {abs(a - b) for a, b in itertools.combinations(pairs[:, 1], 2)} | {0.0}
    accuracies = {gap: by_hand(*pairs.T, gap) for gap in sorted(gaps)}
    found = calibrate_ties(*pairs.T)
    assert found.accuracy == pytest.approx(max(accuracies.values()))
    assert found.epsilon == next(gap for gap, a in accuracies.items() if a == pytest.approx(found.accuracy))


def test_accuracy_edges() -> None:
    assert pairwise_accuracy([1], [1]).undefined == "insufficient_items"
    assert pairwise_accuracy([1, 2, 3], [1, 2, 3]).no_interval == "insufficient_items"
    assert pairwise_accuracy(range(9), range(9)).no_interval == "zero_width"
    assert math.isnan(calibrate_ties([1], [1]).epsilon)
    nan = math.nan
    assert pairwise_accuracy([1, 2, nan, 3], [1, nan, 2, 2]).n_items == 2


def test_a_large_sample_is_counted_in_blocks() -> None:
    rng = np.random.default_rng(1)
    gold, scores = rng.integers(0, 4, (2, 700)).astype(float)
    assert pairwise_accuracy(gold, scores).value == pytest.approx(by_hand(gold, scores, 0))


def every_flip(differences: np.ndarray, alternative: str) -> float:
    oriented = {"greater": lambda s: s, "less": lambda s: -s, "two-sided": abs}[alternative]
    sums = [
        oriented(float(np.dot(signs, differences)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return float(np.mean(np.array(sums) >= oriented(float(differences.sum())) - 1e-9))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(-4, 4), min_size=1, max_size=8), st.sampled_from(["greater", "less", "two-sided"])
)
def test_small_samples_are_enumerated(values: list[int], alternative: str) -> None:
    differences = np.array(values) / 10
    test = sign_flip_test(differences, rng=np.random.default_rng(0), alternative=alternative)
    assert test.exact
    assert test.p == pytest.approx(every_flip(differences, alternative))


def test_drawn_patterns_approach_the_enumerated_p_and_never_reach_zero() -> None:
    differences = np.random.default_rng(2).normal(0.4, 1, 12)
    drawn = sign_flip_test(differences, rng=np.random.default_rng(0), resamples=4000)
    every = sign_flip_test(differences, rng=np.random.default_rng(0), resamples=4096)
    assert (drawn.exact, every.exact) == (False, True)
    assert drawn.p == pytest.approx(every.p, abs=0.03)
    assert sign_flip_test(np.ones(60), rng=np.random.default_rng(0), resamples=99).p == 0.01
    again = sign_flip_test(differences, rng=np.random.default_rng(0), resamples=4000)
    assert again == drawn


def test_clusters_flip_together() -> None:
    differences = [1.0, 1.0, 1.0, 1.0]
    alone = sign_flip_test(differences, rng=np.random.default_rng(0), alternative="greater")
    joined = sign_flip_test(
        differences, rng=np.random.default_rng(0), alternative="greater", cluster=[7, 7, 9, 9]
    )
    assert (alone.p, joined.p) == (1 / 16, 1 / 4)


def test_permutation_edges() -> None:
    nothing = sign_flip_test([math.nan], rng=np.random.default_rng(0))
    assert (nothing.n, math.isnan(nothing.p)) == (0, True)
    assert sign_flip_test([0.0, 0.0], rng=np.random.default_rng(0)).p == 1
    with pytest.raises(UserError, match="sideways"):
        sign_flip_test([1.0], rng=np.random.default_rng(0), alternative="sideways")


@pytest.mark.coverage_simulation
def test_p_values_are_not_too_small_under_no_difference() -> None:
    rng = np.random.default_rng(4)
    p = sign_flip_p_values(rng.normal(size=(4000, 25)), rng=rng, alternative="two-sided", resamples=199)
    for at in (0.01, 0.05, 0.2):
        assert np.mean(p <= at) < at + 3 * math.sqrt(at * (1 - at) / 4000) + 0.004


def test_soft_accuracy_forgives_pairs_that_people_cannot_tell_apart() -> None:
    rng = np.random.default_rng(1)
    human = np.vstack([rng.normal(2, 1, 40), rng.normal(0, 1, 40), rng.normal(0, 1, 40)])
    assert soft_pairwise_accuracy(human, human, rng=rng).value == 1
    swapped_close = soft_pairwise_accuracy(human, human[[0, 2, 1]], rng=rng).value
    swapped_far = soft_pairwise_accuracy(human, human[[1, 0, 2]], rng=rng).value
    assert swapped_far < swapped_close < 1
    opposite = soft_pairwise_accuracy(human[:2], human[[1, 0]], rng=np.random.default_rng(0), resamples=999)
    assert opposite.value < 0.05


def test_soft_accuracy_edges() -> None:
    rng = np.random.default_rng(0)
    assert soft_pairwise_accuracy([[1.0, 2.0]], [[1.0, 2.0]], rng=rng).undefined == "insufficient_systems"
    nan = math.nan
    empty = soft_pairwise_accuracy([[nan, 2.0], [1.0, nan]], [[1.0, 1.0], [2.0, 2.0]], rng=rng)
    assert empty.undefined == "no_pairable_items"
    with pytest.raises(UserError, match="shapes"):
        soft_pairwise_accuracy([[1.0, 2.0]], [[1.0]], rng=rng)


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 8), st.integers(0, 1000))
def test_triads_equal_counting_and_the_published_formula(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    beats = np.triu(rng.integers(0, 2, (n, n)), 1)
    beats += np.tril(1 - beats.T, -1)
    circular = sum(
        (beats[a, b] and beats[b, c] and beats[c, a]) or (beats[b, a] and beats[c, b] and beats[a, c])
        for a, b, c in itertools.combinations(range(n), 3)
    )
    scores = beats.sum(1)
    found = circular_triads(beats)
    assert found.circular == circular == math.comb(n, 3) - sum(math.comb(s, 2) for s in scores)
    assert found.decided == math.comb(n, 3)
    assert 0 <= found.zeta <= 1


def test_triads_with_undecided_pairs() -> None:
    tied = circular_triads([[0, 2, 1], [2, 0, 1], [0, 0, 0]])
    assert (tied.circular, tied.decided, tied.undefined) == (0, 0, "undecided_pairs")
    assert circular_triads([[0, 1], [0, 0]]).undefined == "insufficient_systems"
    with pytest.raises(UserError, match="shape"):
        circular_triads([[0, 1, 2]])
