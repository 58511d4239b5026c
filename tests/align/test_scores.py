"""Scores: 0 for the truth at any number of labels, and never better for a sharpened prediction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voirdire.align.comparability import comparable, dist_ce, jensen_shannon, manhattan, rank_cs, wasserstein
from voirdire.align.scores import (
    brier_kernel,
    energy_kernel,
    kernel_of,
    kernel_score,
    log_score,
    observed_disagreement,
    rps_kernel,
    set_kernel,
)
from voirdire.errors import UserError
from voirdire.study.scale import Scale

Floats = NDArray[np.float64]
UNSURE = Scale("nominal", ("fail", "unsure", "pass"), indeterminate={"unsure": ("pass", "fail")})
KERNELS = {
    "brier": brier_kernel(3),
    "rps": rps_kernel(3),
    "energy": energy_kernel(np.array([0.0, 0.5, 3.0])),
    "sets": set_kernel(UNSURE),
}


def truths(n: int = 4000) -> Floats:
    return np.random.default_rng(4).dirichlet([0.4, 0.4, 0.4], size=n)


def sharpened(truth: Floats, t: float) -> Floats:
    power = truth**t
    return 0.999 * power / power.sum(axis=1, keepdims=True) + 0.001 / 3


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_truth_scores_zero_at_any_number_of_labels(name: str, k: int) -> None:
    truth = truths()
    counts = np.random.default_rng(k).multinomial(k, truth).astype(float)
    score = kernel_score(truth, counts, KERNELS[name])
    assert abs(score.mean()) < 3 * score.std() / np.sqrt(len(score))


@pytest.mark.parametrize("name", KERNELS)
def test_the_score_is_the_distance_on_average(name: str) -> None:
    truth = truths()
    guess = np.random.default_rng(9).dirichlet(np.ones(3), size=len(truth))
    counts = np.random.default_rng(2).multinomial(2, truth).astype(float)
    kernel = KERNELS[name]
    score = kernel_score(guess, counts, kernel)
    exact = np.einsum("nc,cd,nd->n", guess - truth, kernel, guess - truth)
    assert exact.min() > -1e-12
    assert score.mean() == pytest.approx(exact.mean(), abs=4 * score.std() / np.sqrt(len(score)))


def test_distances_favour_sharpened_predictions_at_three_labels_and_proper_scores_do_not() -> None:
    """Section 3.1's table on made distributions: the best power t of the truth, labels drawn from it."""
    truth = truths()
    counts = np.random.default_rng(1).multinomial(3, truth).astype(float)
    powers = (0.7, 1.0, 1.6, 2.0, 3.0)

    def best(score: object) -> float:
        assert callable(score)
        return powers[int(np.argmin([score(sharpened(truth, t), counts).mean() for t in powers]))]

    assert best(log_score) == 1.0
    assert best(lambda q, n: kernel_score(q, n, brier_kernel(3))) == 1.0
    assert best(dist_ce) == 1.6
    assert best(jensen_shannon) == 2.0


def test_unit_steps_make_crps_the_ranked_probability_score() -> None:
    rng = np.random.default_rng(3)
    q, n = rng.dirichlet(np.ones(5), size=50), rng.multinomial(3, np.ones(5) / 5, size=50).astype(float)
    one = kernel_score(q, n, energy_kernel(np.arange(5.0)))
    assert one == pytest.approx(kernel_score(q, n, rps_kernel(5)))


@settings(max_examples=50, deadline=None)
@given(counts=st.lists(st.integers(0, 4), min_size=3, max_size=3), seed=st.integers(0, 50))
def test_scores_do_not_depend_on_how_labels_are_ordered(counts: list[int], seed: int) -> None:
    q = np.random.default_rng(seed).dirichlet(np.ones(3), size=1)
    n, order = np.array([counts], dtype=float), [2, 0, 1]
    np.testing.assert_allclose(log_score(q, n), log_score(q[:, order], n[:, order]))
    np.testing.assert_allclose(
        kernel_score(q, n, brier_kernel(3)), kernel_score(q[:, order], n[:, order], brier_kernel(3))
    )


def test_brier_against_its_definition_by_pairs() -> None:
    """Mean over ordered pairs of labels y, z of <q - e_y, q - e_z>, which is the same U-statistic."""
    q, labels = np.array([0.5, 0.3, 0.2]), [0, 0, 2]
    each = np.eye(3)[labels]
    pairs = [(q - each[a]) @ (q - each[b]) for a in range(3) for b in range(3) if a != b]
    score = kernel_score(q[None], each.sum(axis=0)[None], brier_kernel(3))
    assert float(score[0]) == pytest.approx(np.mean(pairs))


def test_too_few_labels_are_undefined_not_zero() -> None:
    q, counts = np.full((2, 2), 0.5), np.array([[0.0, 0.0], [1.0, 0.0]])
    assert np.isnan(kernel_score(q, counts, brier_kernel(2))).all()
    assert np.isnan(observed_disagreement(counts)).all()
    assert np.isnan(log_score(q, counts)).tolist() == [True, False]
    assert log_score(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]]))[0] == np.inf


def test_kernels_follow_the_scale() -> None:
    assert (kernel_of(Scale("nominal", ("a", "b"))) == np.eye(2)).all()
    assert (kernel_of(Scale("ordinal", ("a", "b", "c"), ordered=True)) == rps_kernel(3)).all()
    assert kernel_of(UNSURE)[0, 1] == 0.5
    numeric = Scale("ordinal", ("1", "5"), ordered=True, values=(1.0, 5.0))
    assert kernel_of(numeric)[0, 1] == -2.0


def test_distances_by_hand() -> None:
    q, n = np.array([[0.2, 0.3, 0.5]]), np.array([[1.0, 0.0, 1.0]])
    assert dist_ce(q, n)[0] == pytest.approx(0.3)
    assert manhattan(q, n)[0] == pytest.approx(0.6)
    assert wasserstein(q, n)[0] == pytest.approx(0.3)
    assert wasserstein(q, n, np.array([0.0, 2.0, 3.0]))[0] == pytest.approx(0.6)
    assert rank_cs(np.array([[0.5, 0.1, 0.4]]), np.array([[2.0, 0.0, 1.0]]))[0] == 1.0
    assert jensen_shannon(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]]))[0] == pytest.approx(
        np.sqrt(np.log(2))
    )


def test_the_perfect_value_is_what_the_truth_scores() -> None:
    rng = np.random.default_rng(6)
    q = rng.dirichlet(np.ones(3), size=1500)
    truth = np.stack([rng.dirichlet(5 * each + 1e-3) for each in q])
    counts = rng.multinomial(3, truth).astype(float)
    found = {one.name: one for one in comparable(q, counts, 5.0, ordered=True, rng=rng)}
    assert set(found) >= {"DistCE", "Wasserstein", "RankCS"}
    for name, of in {"DistCE": dist_ce, "JSD (root, nats)": jensen_shannon}.items():
        assert found[name].perfect == pytest.approx(of(truth, counts).mean(), abs=0.015)
        assert found[name].value > found[name].perfect
    unknown = comparable(q, counts, np.nan, rng=rng)
    assert all(np.isnan(one.perfect) and np.isfinite(one.value) for one in unknown)
    with pytest.raises(UserError, match="no row has a human label"):
        comparable(q, 0 * counts, 1.0, rng=rng)
