"""A judge that is m pooled people is worth m people; where people tell nothing the question is refused."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from voirdire.align.combiner import anonymous_bayesian_losses
from voirdire.align.equivalence import PowerCurve, Rows, cross_fitted_alpha, next_label_losses, power_curve
from voirdire.align.scores import log_score

Floats = NDArray[np.float64]
PRIOR = np.array([0.5, 0.3, 0.2])
KAPPA = 2.0


def pooled(m: int, n: int, rng: np.random.Generator, k: int = 5) -> tuple[Floats, Floats]:
    """What ``m`` people's labels and the base rates predict, and ``k`` other people's labels."""
    truth = rng.dirichlet(KAPPA * PRIOR, size=n)
    hidden = rng.multinomial(m, truth)
    return (KAPPA * PRIOR + hidden) / (KAPPA + m), rng.multinomial(k, truth).astype(float)


def curve(judge: Floats, counts: Floats, rng: np.random.Generator, *, abc: bool = False) -> PowerCurve:
    n, fold = len(counts), np.arange(len(counts)) % 5
    prior = np.tile(counts.sum(axis=0) / counts.sum(), (n, 1))
    alpha = cross_fitted_alpha(prior, counts, fold)
    people = [next_label_losses(alpha, counts, m) for m in range(5)]
    if abc:
        found = [anonymous_bayesian_losses(counts, np.zeros(n, dtype=np.int32), alpha, m) for m in range(5)]
        people = [each for each in found if each is not None]
    rows = Rows(counts, log_score(judge, counts), cross_fitted_alpha(judge, counts, fold), np.arange(n))
    return power_curve(people, rows, combiner="", resamples=300, rng=rng)


@pytest.mark.parametrize("abc", [False, True])
@pytest.mark.parametrize("m", [1, 2])
def test_a_judge_that_is_m_people_is_worth_m(m: int, abc: bool) -> None:
    rng = np.random.default_rng(10 * m)
    found = [curve(*pooled(m, 500, rng), rng, abc=abc).equivalence for _ in range(12)]
    values = np.array([one.value for one in found])
    assert np.median(values) == pytest.approx(m, abs=0.35)
    assert sum(one.low <= m <= one.high for one in found) >= 9


def test_the_curve_is_that_of_the_exact_posterior() -> None:
    rng = np.random.default_rng(4)
    judge, counts = pooled(3, 1500, rng)
    points = curve(judge, counts, rng).points
    assert [one.m for one in points] == [0, 1, 2, 3, 4]
    losses = [one.people.value for one in points]
    assert losses == sorted(losses, reverse=True)
    assert all(one.both.value < min(one.judge.value, one.people.value) for one in points[1:])


def test_next_label_losses_by_enumeration() -> None:
    alpha, counts = np.array([[0.7, 0.4, 0.9]]), np.array([[2.0, 1.0, 1.0]])
    labels = [0, 0, 1, 2]
    for m in range(4):
        losses = []
        for order in itertools.permutations(labels):
            seen = np.bincount(order[:m], minlength=3)
            losses.append(-math.log((alpha[0] + seen)[order[m]] / (alpha.sum() + m)))
        assert next_label_losses(alpha, counts, m)[0] == pytest.approx(np.mean(losses))
    assert np.isnan(next_label_losses(alpha, counts, 4)).all()


def test_the_anonymous_combiner_by_enumeration() -> None:
    counts = np.array([[2.0, 1.0], [0.0, 3.0], [3.0, 0.0], [1.0, 1.0]])
    alpha, m = np.tile([0.5, 1.5], (4, 1)), 1
    found = anonymous_bayesian_losses(counts, np.zeros(4, dtype=np.int32), alpha, m)
    assert found is not None

    def chance(row: Floats, sequence: tuple[int, ...]) -> float:
        left, value = row.copy(), 1.0
        for label in sequence:
            value *= left[label] / left.sum()
            left[label] -= 1
        return float(value)

    def urn(sequence: tuple[int, ...]) -> float:
        seen, value = np.array([0.5, 1.5]), 1.0
        for label in sequence:
            value *= seen[label] / seen.sum()
            seen[label] += 1
        return float(value)

    expected = 0.0
    for sequence in itertools.product((0, 1), repeat=2):
        own = chance(counts[0], sequence)
        joint = [
            sum(chance(counts[j], part) for j in (1, 2, 3)) + urn(part) for part in (sequence, sequence[:1])
        ]
        expected -= own * math.log(joint[0] / joint[1])
    assert found[0] == pytest.approx(expected)
    assert np.isnan(anonymous_bayesian_losses(counts, np.zeros(4, dtype=np.int32), alpha, 2)[3])  # type: ignore[index]


def test_refused_where_people_do_not_predict_each_other() -> None:
    rng = np.random.default_rng(5)
    counts = rng.multinomial(3, PRIOR, size=300).astype(float)
    judge = np.tile(PRIOR, (300, 1))
    found = curve(judge, counts, rng)
    assert found.equivalence.undefined == "people_tell_nothing"
    assert found.gain_of_one.low <= 0


def test_not_measurable_with_one_label_a_row() -> None:
    rng = np.random.default_rng(6)
    judge, counts = pooled(2, 200, rng, k=1)
    found = curve(judge, counts, rng)
    assert found.equivalence.undefined == "insufficient_items"
    assert found.gain_of_one.undefined == "insufficient_items"
    rows = Rows(counts, log_score(judge, counts), judge, np.arange(200))
    alone = power_curve([next_label_losses(judge, counts, 0)], rows, combiner="", resamples=100, rng=rng)
    assert alone.equivalence.undefined == "no_pairable_items"


def test_a_judge_beyond_the_curve_is_infinite_and_a_useless_one_is_zero() -> None:
    rng = np.random.default_rng(8)
    truth = rng.dirichlet(0.6 * PRIOR, size=400)
    counts = rng.multinomial(2, truth).astype(float)
    best = curve(0.98 * truth + 0.02 / 3, counts, rng)
    assert best.most == 1
    assert best.equivalence.value == math.inf
    assert best.equivalence.low == 1.0
    useless = curve(rng.dirichlet(np.ones(3), size=400), counts, rng)
    assert useless.equivalence.value == 0.0
