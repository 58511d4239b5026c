"""Dawid-Skene: the founding data, brute force, repeated ratings, restarts, invariances, spammers."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from voirdire.errors import UserError
from voirdire.stats import DawidSkene, dawid_skene


@pytest.fixture(scope="module")
def anaesthetists(shared: Path) -> dict[str, Any]:
    cases = json.loads((shared / "reference" / "reference_values.json").read_text())["cases"]
    return next(one for one in cases if one["id"] == "dawid_skene_1979")


@pytest.fixture(scope="module")
def fitted(anaesthetists: dict[str, Any]) -> DawidSkene:
    item, rater, label = np.array(anaesthetists["data"]["rows"]).T - 1
    return dawid_skene(item, rater, label, n_labels=4, restarts=60, rng=np.random.default_rng(0))


@pytest.mark.shared
def test_the_founding_data(anaesthetists: dict[str, Any], fitted: DawidSkene) -> None:
    expected, near = anaesthetists["expected"], {"abs": anaesthetists["tol"], "rel": 0}
    assert fitted.prevalence == pytest.approx(expected["prior"], **near)
    assert fitted.log_likelihood == pytest.approx(expected["loglik"], **near)
    for rater in (1, 2):
        known = np.array(expected[f"rater{rater}_confusion"])
        assert fitted.confusion[rater - 1] == pytest.approx(known, **near)
    assert (fitted.posterior.argmax(axis=1) + 1).tolist() == expected["map_labels"]
    assert (fitted.posterior.max(axis=1) < 0.99).sum() == expected["n_posterior_below_99"]
    assert fitted.converged


@pytest.mark.shared
def test_its_likelihood_has_several_maxima_and_that_is_said(fitted: DawidSkene) -> None:
    assert fitted.multimodal
    assert fitted.modes[0].log_likelihood == pytest.approx(-189.405, abs=5e-4)
    assert sum(mode.starts for mode in fitted.modes) == 61
    assert any(mode.log_likelihood == pytest.approx(-190.731, abs=5e-4) for mode in fitted.modes)
    assert fitted.start == "each item's share of labels; 60 random restarts"


def log_likelihood(rows: np.ndarray, prevalence: np.ndarray, confusion: np.ndarray) -> float:
    """Sum over items of the log of the sum over classes, as the paper's equation 2.7 writes it."""
    joint = np.tile(prevalence, (rows[:, 0].max() + 1, 1))
    for item, rater, label in rows:
        joint[item] *= confusion[rater, :, label]
    return float(np.log(joint.sum(axis=1)).sum())


def drawn(seed: int, n: int = 40, raters: int = 5, accuracy: float = 0.8) -> np.ndarray:
    """Rows (item, rater, label) of binary labels, a fifth of them missing."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.6
    item, rater = np.indices((n, raters)).reshape(2, -1)
    label = np.where(rng.random(len(item)) < accuracy, truth[item], ~truth[item]).astype(int)
    return np.column_stack([item, rater, label])[rng.random(len(item)) > 0.2]


def fit(rows: np.ndarray, q: int = 2, **options: Any) -> DawidSkene:
    return dawid_skene(*rows.T, n_labels=q, restarts=0, **options)


def softmax(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("seed", range(2))
def test_a_general_optimiser_finds_nothing_likelier_nearby(seed: int) -> None:
    rows = drawn(seed)
    found = fit(rows)
    assert log_likelihood(rows, found.prevalence, found.confusion) == pytest.approx(found.log_likelihood)

    def loss(x: np.ndarray) -> float:
        return -log_likelihood(rows, softmax(x[:2]), softmax(x[2:].reshape(5, 2, 2)))

    start = np.log(np.clip(np.append(found.prevalence, found.confusion.ravel()), 1e-6, None))
    search = minimize(loss, start, method="BFGS", options={"gtol": 1e-4})
    assert -search.fun <= found.log_likelihood + 1e-4


def test_one_coin_is_the_best_over_its_parameters() -> None:
    rows = drawn(0)
    found = fit(rows, one_coin=True)
    right = found.confusion[:, 0, 0]
    assert found.confusion[:, 1, 1] == pytest.approx(right)

    def loss(x: np.ndarray) -> float:
        p, a = 1 / (1 + np.exp(-x[0])), 1 / (1 + np.exp(-x[1:]))
        table = np.stack([np.stack([a, 1 - a], axis=1), np.stack([1 - a, a], axis=1)], axis=1)
        return -log_likelihood(rows, np.array([1 - p, p]), table)

    search = minimize(loss, np.array([0.4, *[1.4] * 5]), method="BFGS", options={"gtol": 1e-7})
    assert -search.fun == pytest.approx(found.log_likelihood, abs=1e-5)
    assert 1 / (1 + np.exp(-search.x[1:])) == pytest.approx(right, abs=1e-3)


def test_one_coin_spreads_errors_evenly_over_three_labels() -> None:
    rng = np.random.default_rng(1)
    rows = np.array(
        [(i, r, (i + (rng.random() < 0.15) * rng.integers(1, 3)) % 3) for i in range(60) for r in range(4)]
    )
    confusion = fit(rows, q=3, one_coin=True).confusion
    for table in confusion:
        off = table[~np.eye(3, dtype=bool)]
        assert off == pytest.approx(np.full(6, off[0]))
        assert np.diagonal(table) == pytest.approx(np.full(3, 1 - 2 * off[0]))
        assert 0.75 < table[0, 0] < 0.95


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_names_of_labels_raters_and_items_change_nothing(seed: int) -> None:
    rows = drawn(seed)
    rng = np.random.default_rng(seed)
    base = fit(rows)
    items, raters = rng.permutation(40), rng.permutation(5)
    renamed = np.column_stack([items[rows[:, 0]], raters[rows[:, 1]], 1 - rows[:, 2]])
    other = fit(renamed[rng.permutation(len(rows))])
    assert other.log_likelihood == pytest.approx(base.log_likelihood, abs=1e-6)
    assert other.prevalence[::-1] == pytest.approx(base.prevalence, abs=1e-4)
    assert other.confusion[raters][:, ::-1, ::-1] == pytest.approx(base.confusion, abs=1e-4, nan_ok=True)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_the_items_doubled_give_the_same_fit_at_twice_the_log_likelihood(seed: int) -> None:
    rows = drawn(seed)
    again = np.vstack([rows, rows + np.array([40, 0, 0])])
    base, other = fit(rows), fit(again)
    assert other.log_likelihood == pytest.approx(2 * base.log_likelihood, abs=1e-6)
    assert other.prevalence == pytest.approx(base.prevalence, abs=1e-5)


def test_every_one_of_a_raters_repeated_ratings_counts() -> None:
    rows = drawn(7)
    once, twice = fit(rows), fit(np.vstack([rows, rows[rows[:, 1] == 0]]))
    by_hand = np.vstack([rows, rows[rows[:, 1] == 0]])
    assert twice.log_likelihood == pytest.approx(log_likelihood(by_hand, twice.prevalence, twice.confusion))
    assert twice.log_likelihood < once.log_likelihood


def test_a_spammer_is_told_from_a_rater_who_errs_in_one_direction() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    spam = np.ones(400, dtype=int)
    harsh = np.where(rng.random(400) < 0.4, 0, truth)
    good = [np.where(rng.random(400) < 0.9, truth, 1 - truth) for _ in range(3)]
    labels = np.array([*good, spam, harsh])
    item, rater = np.tile(np.arange(400), 5), np.repeat(np.arange(5), 400)
    found = fit(np.column_stack([item, rater, labels.ravel()]))
    assert found.separation[3] == pytest.approx(0, abs=1e-12)
    assert (found.separation[:3] > 0.5).all()
    assert 0.2 < found.separation[4] < 0.6
    # for two classes it is the squared difference of sensitivity and false alarms
    gap = found.confusion[:, 0, 0] - found.confusion[:, 1, 0]
    assert found.separation == pytest.approx(gap**2)


def test_a_class_that_a_rater_never_met_is_not_known() -> None:
    rows = [(i, r, i % 2) for i, r in itertools.product(range(20), range(2))]
    rows += [(i, 2, 0) for i in range(0, 20, 2)]
    found = fit(np.array(rows))
    assert found.confusion[2, 0].tolist() == [1, 0]
    assert np.isnan(found.confusion[2, 1]).all()
    assert math.isnan(found.separation[2])
    assert found.separation[:2] == pytest.approx([1, 1])


def test_edges() -> None:
    empty = dawid_skene([], [], [], n_labels=2, restarts=0)
    assert (empty.undefined, empty.modes, len(empty.posterior)) == ("no_labels", (), 0)
    gap = fit(np.array([(0, 0, 1), (2, 0, 0), (2, 1, 0)]))
    assert np.isnan(gap.posterior[1]).all()
    assert gap.posterior[0].sum() == pytest.approx(1)
    with pytest.raises(UserError, match="generator"):
        dawid_skene([0], [0], [0], n_labels=2)
    with pytest.raises(UserError, match="shapes"):
        dawid_skene([0, 1], [0], [0], n_labels=2, restarts=0)
    with pytest.raises(UserError, match="out of range"):
        dawid_skene([0], [0], [2], n_labels=2, restarts=0)
    with pytest.raises(UserError, match="two or more"):
        dawid_skene([0], [0], [0], n_labels=1, restarts=0)
