"""Scores of verdicts beside scikit-learn, within their range, and covered by their intervals."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)

from voirdire.stats.confusion import Confusion, confusion
from voirdire.stats.estimate import Estimate

tables = st.integers(2, 4).flatmap(lambda q: arrays(np.int64, (q, q), elements=st.integers(0, 25)))


def as_columns(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.indices(table.shape).reshape(2, -1)
    return np.repeat(first, table.ravel()), np.repeat(second, table.ravel())


def every_estimate(scores: Confusion) -> list[Estimate]:
    of_classes = [
        estimate
        for one in scores.classes
        for estimate in (one.sensitivity, one.specificity, one.ppv, one.npv, one.f1)
    ]
    return [scores.accuracy, scores.balanced_accuracy, scores.macro_f1, scores.mcc, *of_classes]


@settings(max_examples=80, deadline=None)
@given(tables)
def test_scores_equal_scikit_learn(table: np.ndarray) -> None:
    if not table.sum():
        return
    truth, said = as_columns(table)
    labels = list(range(len(table)))
    scores = confusion(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"labels": labels, "average": None, "zero_division": np.nan}
        expected = {
            "sensitivity": recall_score(truth, said, **options),
            "ppv": precision_score(truth, said, **options),
            "f1": f1_score(truth, said, **options),
        }
        mcc, balanced = matthews_corrcoef(truth, said), balanced_accuracy_score(truth, said)
    for name, values in expected.items():
        ours = [getattr(one, name).value for one in scores.classes]
        assert ours == pytest.approx(values, nan_ok=True, abs=1e-9), name
    if scores.mcc.undefined is None:
        assert scores.mcc.value == pytest.approx(mcc, abs=1e-9)
    if scores.balanced_accuracy.undefined is None:
        assert scores.balanced_accuracy.value == pytest.approx(balanced, abs=1e-9)
    if scores.macro_f1.undefined is None:
        assert scores.macro_f1.value == pytest.approx(np.mean(expected["f1"]), abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(tables)
@example(np.diag([1, 2, 0]))
def test_intervals_hold_the_value_and_stay_within_range(table: np.ndarray) -> None:
    scores = confusion(table)
    for estimate in every_estimate(scores):
        if estimate.has_interval:
            lowest = -1 if estimate is scores.mcc else 0
            assert lowest <= estimate.low <= estimate.value + 1e-12
            assert estimate.value - 1e-12 <= estimate.high <= 1
            assert estimate.low < estimate.high


def test_undefined_scores_say_why() -> None:
    constant = confusion([[0, 1], [0, 9]])
    assert constant.mcc.undefined == "no_variation"
    assert constant.classes[0].ppv.undefined == "no_labels"
    absent = confusion([[5, 2], [0, 0]])
    assert absent.balanced_accuracy.undefined == "no_labels"
    assert absent.classes[1].sensitivity.undefined == "no_labels"
    unused = confusion([[5, 2, 0], [1, 4, 0], [0, 0, 0]])
    assert unused.macro_f1.undefined == "no_labels"
    empty = confusion(np.zeros((2, 2), dtype=int))
    assert all(estimate.undefined == "no_labels" for estimate in every_estimate(empty))


def test_perfect_verdicts_keep_an_interval_where_one_is_known() -> None:
    scores = confusion([[10, 0], [0, 10]])
    assert scores.classes[1].f1.value == 1
    assert scores.classes[1].f1.low < 1
    assert scores.balanced_accuracy.low < 1
    assert scores.mcc.value == pytest.approx(1)
    assert 0.3 < scores.mcc.low < 0.9


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("shares", [[[0.55, 0.1], [0.07, 0.28]], [[0.864, 0.036], [0.036, 0.064]]])
def test_intervals_cover_the_truth(n: int, shares: list[list[float]]) -> None:
    truth = confusion(np.round(np.array(shares) * 1e9).astype(np.int64))
    draws = np.random.default_rng(n).multinomial(n, np.ravel(shares), size=600).reshape(-1, 2, 2)
    found = np.array([[(e.low, e.high) for e in every_estimate(confusion(draw))] for draw in draws])
    values = np.array([estimate.value for estimate in every_estimate(truth)])
    exists = ~np.isnan(found[..., 0])
    covered = ((found[..., 0] <= values) & (values <= found[..., 1])).sum(0) / exists.sum(0)
    # three binomial errors of 600 runs are 0.027
    assert covered.min() > 0.923, covered
    assert covered.max() < 0.99, covered
