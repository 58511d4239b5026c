"""Prediction-powered means: the published case, exact algebra, properties, coverage by simulation."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UserError
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.prediction_powered import prediction_powered_mean


@pytest.fixture(scope="module")
def toy(shared: Path) -> dict[str, Any]:
    cases = json.loads((shared / "reference" / "reference_values.json").read_text())["cases"]
    found: dict[str, Any] = next(case for case in cases if case["id"] == "ppi_mean_toy")
    return found


def rows(case: dict[str, Any]) -> tuple[list[float], list[float]]:
    data = case["data"]
    return data["Y"] + [math.nan] * len(data["Yhat_unlabeled"]), data["Yhat"] + data["Yhat_unlabeled"]


def test_the_published_toy_case(toy: dict[str, Any]) -> None:
    found = prediction_powered_mean(*rows(toy), tuning=1, small_sample=False)
    expected, tolerance = toy["expected"], toy["tol"]
    assert found.estimate.value == pytest.approx(expected["estimate"], abs=tolerance)
    assert found.standard_error == pytest.approx(expected["se"], abs=tolerance)
    assert [found.estimate.low, found.estimate.high] == pytest.approx(expected["ci95"], abs=tolerance)
    assert found.alone.value == pytest.approx(expected["classical"], abs=tolerance)


def test_lambda_is_that_of_the_paper(toy: dict[str, Any]) -> None:
    """PPI++, proposition 2 for a mean: Cov(Y, f) / ((1 + n / N) Var f), the variances of f by sample."""
    labels, predictions = rows(toy)
    y, f = np.array(labels[:8]), np.array(predictions)
    lam = np.cov(y, f[:8], ddof=0)[0, 1] / (f[:8].var() + 8 / 12 * f[8:].var())
    found = prediction_powered_mean(labels, predictions)
    assert found.tuning == pytest.approx(lam)
    assert found.estimate.value == pytest.approx(lam * f[8:].mean() + (y - lam * f[:8]).mean())


def test_constant_predictions_give_the_classical_interval() -> None:
    y = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    found = prediction_powered_mean(y + [math.nan] * 5, [0.4] * 13)
    classical = clustered_mean(y)
    assert found.tuning == 0
    assert (found.estimate.low, found.estimate.high) == pytest.approx((classical.low, classical.high))


def test_without_unlabelled_rows_nothing_is_added() -> None:
    y = [1.0, 0.0, 1.0, 1.0]
    found = prediction_powered_mean(y, [0.9, 0.2, 0.8, 0.1])
    assert found.estimate.value == np.mean(y)
    assert found.tuning == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-3, 3), st.floats(0.2, 5))
def test_affine_predictions_and_order_do_not_matter(seed: int, shift: float, scale: float) -> None:
    rng = np.random.default_rng(seed)
    f = rng.normal(size=40)
    y = np.where(np.arange(40) < 15, f + rng.normal(size=40), np.nan)
    found = prediction_powered_mean(y, f)
    order = rng.permutation(40)
    again = prediction_powered_mean(y[order], f[order])
    assert again.estimate.value == pytest.approx(found.estimate.value)
    if 0 < found.tuning < 0.2:  # lambda is cut at 1, which a small scale would reach
        scaled = prediction_powered_mean(y, shift + scale * f)
        assert scaled.estimate.value == pytest.approx(found.estimate.value, abs=1e-9)
    assert found.gain >= (15 - 2) / (15 - 1) - 1e-9, "tuned, only the degree of freedom can be lost"


def test_clusters_of_copies_count_once() -> None:
    rng = np.random.default_rng(1)
    f = rng.normal(size=60)
    y = np.where(np.arange(60) < 20, f + rng.normal(size=60), np.nan)
    one = prediction_powered_mean(y, f, tuning=1)
    twice = prediction_powered_mean(
        np.repeat(y, 2), np.repeat(f, 2), tuning=1, cluster=np.repeat(np.arange(60), 2)
    )
    assert (twice.estimate.low, twice.estimate.high) == pytest.approx((one.estimate.low, one.estimate.high))


def test_probabilities_weigh_by_their_inverse() -> None:
    y = [1.0, 0.0, 1.0, math.nan]
    found = prediction_powered_mean(y, [0.0] * 4, probability=[0.5, 0.25, 1.0, 0.5])
    assert found.estimate.value == pytest.approx((2 * 1 + 4 * 0 + 1 * 1) / 7)


def test_undefined_and_refused() -> None:
    nothing = prediction_powered_mean([math.nan] * 3, [0.1, 0.2, 0.3])
    assert nothing.estimate.undefined == "no_labels"
    one = prediction_powered_mean([1.0, math.nan], [0.5, 0.5])
    assert one.estimate.value == 1
    assert one.estimate.no_interval == "insufficient_items"
    alike = prediction_powered_mean([1.0] * 4 + [math.nan], [0.5] * 5)
    assert alike.estimate.no_interval == "zero_width"
    with pytest.raises(UserError, match="a prediction is missing"):
        prediction_powered_mean([1.0, 0.0], [0.5, math.nan])
    with pytest.raises(UserError, match="probability"):
        prediction_powered_mean([1.0, 0.0], [0.5, 0.2], probability=[0.0, 1.0])
    with pytest.raises(UserError, match="one of each"):
        prediction_powered_mean([1.0, 0.0], [0.5])


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("unequal", [False, True])
def test_the_interval_covers_with_clusters(unequal: bool) -> None:
    """600 samples of 25 labelled of 100 clusters; unequal chances that go with the label."""
    rng, hits, naive, runs = np.random.default_rng(5), 0, 0, 600
    for _ in range(runs):
        shared, size = rng.normal(size=100), 3
        truth = np.repeat(shared, size) + rng.normal(size=100 * size)
        f = 0.6 * truth + 0.5 * rng.normal(size=100 * size) + 1
        chance = np.clip(0.25 * np.exp(0.7 * shared), 0.02, 1) if unequal else np.full(100, 0.25)
        labelled = np.repeat(rng.random(100) < chance, size)
        y = np.where(labelled, truth, np.nan)
        cluster = np.repeat(np.arange(100), size)
        weights = np.repeat(chance, size) if unequal else None
        found = prediction_powered_mean(y, f, probability=weights, cluster=cluster).estimate
        hits += found.low <= 0 <= found.high
        naive += abs(f.mean()) < 1.96 * f.std() / math.sqrt(len(f))
    assert 0.925 <= hits / runs <= 0.975
    assert naive / runs < 0.1, "the judge alone is off by 1"
