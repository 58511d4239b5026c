"""Pairs: swapping the responses swaps the prediction, whatever was learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align.planted import PAIRWISE, of_pairs, voting
from voirdire import registry
from voirdire.align.calibrator import Fitted, Problem, Setting
from voirdire.align.features import Features, Target
from voirdire.align.judge_output import swap
from voirdire.study.scale import Scale


def fit(name: str, features: Features, target: Target) -> Fitted:
    problem = Problem.of(features, target, np.random.default_rng(0))
    fitted: Fitted = registry.get("calibrator", name)().fit_at(problem, (Setting(0.5),))[0]
    return fitted


@pytest.mark.parametrize("name", ["davidson", "quantitative_btl2"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_swapping_responses_swaps_the_prediction(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    planted = of_pairs(rng, 60)
    output = replace(
        planted.features.judges[0], offset=rng.normal(size=60), order=rng.integers(-1, 2, 60).astype(float)
    )
    features = replace(planted.features, judges=(output,))
    fitted = fit(name, features, planted.target)
    if name == "quantitative_btl2":  # it knows ties' share and both winners' together, whichever came first
        fitted = replace(fitted, floor=replace(fitted.floor, table=_even(fitted.floor.table)))
    columns = swap(PAIRWISE.labels)
    swapped = fitted.predict(features.swapped())
    np.testing.assert_allclose(swapped, fitted.predict(features)[:, columns], atol=1e-12)


def _even(table: np.ndarray) -> np.ndarray:
    return (table + table[:, swap(PAIRWISE.labels)]) / 2


def test_learning_from_swapped_pairs_is_the_same(rng: np.random.Generator) -> None:
    planted = of_pairs(rng, 300)
    one = fit("davidson", planted.features, planted.target)
    two = fit("davidson", planted.features.swapped(), planted.target.swapped(PAIRWISE))
    np.testing.assert_allclose(one.predict(planted.features), two.predict(planted.features), atol=1e-3)


def test_swapping_twice_changes_nothing(rng: np.random.Generator) -> None:
    features = of_pairs(rng, 10).features
    twice = features.swapped().swapped()
    np.testing.assert_array_equal(twice.log_probs(), features.log_probs())
    np.testing.assert_array_equal(twice.codes, features.codes)
    np.testing.assert_array_equal(twice.contrasts, features.contrasts)


def test_further_labels_without_a_winner_are_kept_apart(rng: np.random.Generator) -> None:
    scale = Scale("pairwise", ("first", "tie", "second", "both bad"))
    code = rng.integers(0, 5, 400).astype(np.int32)
    features = Features(scale, (voting("judge", scale, code),), np.zeros(400, dtype=np.int32), ("m",))
    truth = np.full((5, 4), 0.1) + 0.6 * np.eye(5, 4)
    truth[1], truth[4] = [0.2, 0.5, 0.2, 0.1], 0.25
    target = Target.of(rng.multinomial(4, truth[code]))
    predicted = fit("davidson", features, target).predict(features)
    for k in range(5):
        np.testing.assert_allclose(predicted[code == k][0], truth[k], atol=0.08)


def test_a_reply_without_a_verdict_has_a_tie_rate_of_its_own(rng: np.random.Generator) -> None:
    code = rng.integers(0, 4, 600).astype(np.int32)
    features = Features(PAIRWISE, (voting("judge", PAIRWISE, code),), np.zeros(600, dtype=np.int32), ("m",))
    truth = np.array([[0.8, 0.1, 0.1], [0.35, 0.3, 0.35], [0.1, 0.1, 0.8], [0.1, 0.8, 0.1]])
    predicted = fit("davidson", features, Target.of(rng.multinomial(3, truth[code]))).predict(features)
    assert predicted[code == 3][0, 1] > 0.7
    assert predicted[code == 1][0, 1] < 0.4
