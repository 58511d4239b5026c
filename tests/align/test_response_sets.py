"""Response sets as targets: exact small cases, unbiased at any number of labels, a kernel score in sum."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.align.response_sets import (
    accepting,
    even_split,
    forcings,
    membership,
    read_out,
    squared_errors,
)
from voirdire.align.scores import kernel_of, kernel_score, ordered_set_kernel, rps_kernel, set_kernel
from voirdire.errors import UserError
from voirdire.study import Scale
from voirdire.study.scales import with_sets

BORDERLINE = Scale("nominal", ("pass", "borderline", "fail"), indeterminate={"borderline": ("pass", "fail")})
SETS = with_sets(
    Scale("nominal", ("a", "b", "c")), {"a|b": ("a", "b"), "a|c": ("a", "c"), "a|b|c": tuple("abc")}
)


def test_the_share_that_accepts_each_verdict() -> None:
    counts = np.array([[2.0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0]])
    omega = read_out(counts, membership(SETS))
    np.testing.assert_allclose(omega[0], [3 / 4, 1 / 4, 1 / 4])
    assert np.isnan(omega[1]).all()
    np.testing.assert_allclose(read_out(counts, even_split(membership(SETS)))[0], [5 / 8, 1 / 8, 2 / 8])


def test_a_set_may_hold_an_indeterminate_label_or_admit_nothing() -> None:
    wider = with_sets(BORDERLINE, {"pass|borderline": ("pass", "borderline")})
    assert membership(wider)[:, wider.code("pass|borderline")].tolist() == [1, 1]
    unsure = Scale("nominal", ("yes", "no", "unsure"), indeterminate={"unsure": ()})
    assert membership(unsure)[:, 2].tolist() == [0, 0]
    counts = np.array([[1.0, 0.0, 3.0]])
    np.testing.assert_allclose(read_out(counts, membership(unsure)), [[1.0, 0.0]])
    np.testing.assert_allclose(read_out(counts, accepting(membership(unsure), 0.3)), [[1.0, 0.3]])
    assert set_kernel(unsure).tolist() == np.eye(3).tolist()


def test_every_way_to_force_labels() -> None:
    ways = forcings(BORDERLINE)
    assert list(ways) == ["split evenly", "left out", "as pass", "as fail"]
    counts = np.array([[3.0, 2.0, 1.0]])
    shares = {name: read_out(counts, way)[0].tolist() for name, way in ways.items()}
    assert shares["split evenly"] == pytest.approx([4 / 6, 2 / 6])
    assert shares["left out"] == pytest.approx([3 / 4, 1 / 4])
    assert shares["as pass"] == pytest.approx([5 / 6, 1 / 6])
    assert shares["as fail"] == pytest.approx([3 / 6, 3 / 6])
    assert list(forcings(Scale("binary", ("pass", "fail")))) == ["split evenly"]


def exact_expectation(theta: list[Fraction], q: list[Fraction], readout: list[list[int]], k: int) -> Fraction:
    """Mean of the estimator over every sequence of k labels, in fractions: no code of the library."""
    total = Fraction(0)
    for drawn in product(range(len(theta)), repeat=k):
        chance = Fraction(1)
        for label in drawn:
            chance *= theta[label]
        for row, predicted in zip(readout, q, strict=True):
            x = [Fraction(row[label]) for label in drawn]
            mean = sum(x) / k
            noise = sum((one - mean) ** 2 for one in x) / (k - 1) / k
            total += chance * ((predicted - mean) ** 2 - noise)
    return total


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_squared_error_is_unbiased_in_exact_fractions(k: int) -> None:
    theta, q = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 5), Fraction(7, 10)]
    readout = [[1, 1, 0], [0, 1, 1]]
    truth = [sum(t for t, r in zip(theta, row, strict=True) if r) for row in readout]
    exact = sum((a - b) ** 2 for a, b in zip(q, truth, strict=True))
    assert exact_expectation(theta, q, readout, k) == exact
    sequences = np.array(list(product(range(3), repeat=k)))
    counts = np.stack([(sequences == label).sum(axis=1) for label in range(3)], axis=1).astype(float)
    chance = np.prod(np.array([float(t) for t in theta])[sequences], axis=1)
    predicted = np.tile([float(one) for one in q], (len(counts), 1))
    errors = squared_errors(predicted, counts, membership(BORDERLINE))
    assert float(chance @ errors.sum(axis=1)) == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_right_prediction_has_no_error_on_average(k: int, rng: np.random.Generator) -> None:
    theta = rng.dirichlet(np.full(6, 0.5), size=4000)
    counts = np.stack([rng.multinomial(k, one) for one in theta]).astype(float)
    for readout in (membership(SETS), even_split(membership(SETS))):
        errors = squared_errors(theta @ readout.T, counts, readout).mean(axis=1)
        assert abs(errors.mean()) < 3.5 * errors.std() / np.sqrt(len(errors))
        observed = ((theta @ readout.T - read_out(counts, readout)) ** 2).mean()
        assert observed > 10 * abs(errors.mean()), "what is not corrected counts the sampling noise"


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=6),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60, deadline=None)
def test_summed_over_verdicts_it_is_a_kernel_score(rows: list[list[int]], seed: int) -> None:
    counts = np.array(rows, dtype=float)
    theta = np.random.default_rng(seed).dirichlet(np.ones(6), size=len(counts))
    for readout in (membership(SETS), even_split(membership(SETS))):
        summed = squared_errors(theta @ readout.T, counts, readout).sum(axis=1)
        np.testing.assert_allclose(summed, kernel_score(theta, counts, readout.T @ readout), atol=1e-9)


@given(st.floats(0, 1), st.sampled_from([None, 0, 1, 2]))
@settings(max_examples=40, deadline=None)
def test_accepting_more_only_adds(beta: float, verdict: int | None) -> None:
    members = membership(SETS)
    wider = accepting(members, beta, verdict)
    assert (wider >= members).all()
    assert (wider <= 1).all()
    if verdict is not None:
        kept = np.arange(3) != verdict
        np.testing.assert_array_equal(wider[kept], members[kept])


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(UserError, match=r"beta is 1\.5; expected a probability"):
        accepting(np.eye(2), 1.5)
    with pytest.raises(UserError, match="predicted shares of shape"):
        squared_errors(np.ones((2, 3)), np.ones((2, 2)), np.eye(2))


def test_an_ordered_set_counts_by_its_ends() -> None:
    scale = with_sets(
        Scale("ordinal", tuple("1234"), True, (1.0, 2.0, 3.0, 4.0)), {"1|2": ("1", "2"), "2|4": ("2", "4")}
    )
    assert scale.labels == ("1", "1|2", "2", "3", "2|4", "4")
    kernel = kernel_of(scale)
    np.testing.assert_array_equal(kernel, ordered_set_kernel(scale))
    apart = np.diag(kernel)[:, None] + np.diag(kernel)[None, :] - 2 * kernel
    single = [scale.code(label) for label in "1234"]
    steps = np.abs(np.arange(4)[:, None] - np.arange(4)[None, :])
    np.testing.assert_allclose(apart[np.ix_(single, single)], steps)
    assert apart[scale.code("1"), scale.code("1|2")] == pytest.approx(0.5)
    assert apart[scale.code("3"), scale.code("2|4")] == pytest.approx(1.0)
    centred = np.eye(6) - 1 / 6
    assert np.linalg.eigvalsh(centred @ kernel @ centred).min() > -1e-12


def test_without_sets_an_ordered_scale_keeps_its_kernel() -> None:
    plain = Scale("ordinal", ("low", "mid", "high"), ordered=True)
    np.testing.assert_array_equal(kernel_of(plain), rps_kernel(3))
    declared = Scale(
        "ordinal", ("fail", "borderline", "pass"), True, indeterminate={"borderline": ("fail", "pass")}
    )
    np.testing.assert_array_equal(kernel_of(declared), rps_kernel(3))
