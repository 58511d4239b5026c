"""The parts of every fit: the minimiser, base rates, ordered labels, plain-number saving."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from voirdire.align.lbfgs import minimise
from voirdire.align.ordinal import thresholds, thresholds_back
from voirdire.align.priors import base_rates, concentration, label_prior
from voirdire.align.serial import pack, unpack


def logistic_loss(rng: np.random.Generator):  # type: ignore[no-untyped-def]
    x, y = rng.normal(size=(200, 12)) * np.geomspace(0.1, 10, 12), rng.integers(0, 2, 200)

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        eta = x @ theta
        p = 1 / (1 + np.exp(-eta))
        return float((np.logaddexp(0, eta) - y * eta).sum() + 0.5 * theta @ theta), x.T @ (p - y) + theta

    return loss


def test_minimiser_finds_what_scipy_finds(rng: np.random.Generator) -> None:
    loss = logistic_loss(rng)
    other = minimize(loss, np.zeros(12), jac=True, method="BFGS", options={"gtol": 1e-8})
    assert loss(minimise(loss, np.zeros(12)))[0] == pytest.approx(other.fun, abs=1e-4)


def test_minimiser_steps_back_from_where_the_loss_is_not_a_number() -> None:
    def barrier(x: np.ndarray) -> tuple[float, np.ndarray]:
        inside = x[0] < 1
        return (float(-np.log(1 - x[0]) - 3 * x[0]) if inside else math.nan), 1 / (1 - x) - 3

    assert minimise(barrier, np.array([-50.0]))[0] == pytest.approx(2 / 3, abs=1e-3)
    assert minimise(barrier, np.zeros(0)).shape == (0,)


def test_kappa_of_planted_groups_is_found() -> None:
    rng = np.random.default_rng(2)
    centre = np.array([0.5, 0.3, 0.2])
    table = np.array([rng.multinomial(40, rng.dirichlet(8 * centre)) for _ in range(400)], dtype=float)
    assert concentration(table, centre) == pytest.approx(8, rel=0.2)
    same = np.array([rng.multinomial(40, centre) for _ in range(400)], dtype=float)
    assert concentration(same, centre) > 200
    assert math.isinf(concentration(table[:1], centre))


def test_base_rates_shrink_small_groups_more() -> None:
    counts = np.array([[90.0, 10.0], [1.0, 9.0], [9.0, 1.0], [30.0, 70.0]])
    rates = base_rates(counts, np.arange(4, dtype=np.int32), 5)
    prior = label_prior(counts)
    moved = np.abs(rates.table[:4, 0] - (counts / counts.sum(axis=1, keepdims=True))[:, 0])
    assert moved[1] > moved[3]
    np.testing.assert_allclose(rates.table[4:], [prior, prior])
    np.testing.assert_allclose(rates.rows(np.array([-1, 9], dtype=np.int32)), [prior, prior])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6))
def test_thresholds_increase_and_their_slopes_are_right(free: list[float]) -> None:
    at = np.array(free)
    cuts = thresholds(at)
    assert (np.diff(cuts) > 0).all()
    weight = np.arange(1.0, len(at) + 1)
    numeric = [
        (weight @ thresholds(at + 1e-6 * unit) - weight @ thresholds(at - 1e-6 * unit)) / 2e-6
        for unit in np.eye(len(at))
    ]
    np.testing.assert_allclose(thresholds_back(at, weight), numeric, rtol=1e-5, atol=1e-6)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=8))
def test_saved_numbers_come_back_to_the_last_bit(values: list[float]) -> None:
    table = np.array(values, dtype=np.float64).reshape(-1, 1)
    again = unpack(json.loads(json.dumps(pack(table), allow_nan=False)))
    np.testing.assert_array_equal(again, table)
    assert again.dtype == table.dtype
