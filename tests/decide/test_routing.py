"""Routes: whether one more label may flip a decision, and whether a split will stay, beside brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.decide.routing import (
    ASK_ONE_MORE,
    CONTESTED_ROUTE,
    ESCALATE,
    TRUST,
    alike,
    chance_contested,
    gain_of_one_more,
    may_flip,
    routes_of,
)
from voirdire.study.scale import Scale

YES_NO = Scale("binary", ("no", "yes"))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 3, 5]), st.sampled_from([0.5, 2.0, 7.0, 40.0]))
def test_the_gain_is_that_of_every_label_tried(seed: int, c: int, votes: float) -> None:
    mean = np.random.default_rng(seed).dirichlet(np.ones(c))
    after = [(votes * mean + np.eye(c)[label]) / (votes + 1) for label in range(c)]
    wanted = sum(p * new.max() for p, new in zip(mean, after, strict=True)) - mean.max()
    flips = any(new.argmax() != mean.argmax() for new in after)
    found = gain_of_one_more(mean[None], np.array([votes]))[0]
    assert found == pytest.approx(wanted, abs=1e-12)
    assert bool(may_flip(mean[None], np.array([votes]))[0]) == flips
    assert (found > 1e-12) == flips


@pytest.mark.parametrize("votes", [1.5, 6.0, 60.0])
def test_the_chance_of_a_lasting_split_is_that_of_many_draws(votes: float) -> None:
    rng = np.random.default_rng(4)
    for mean in ([0.5, 0.5], [0.3, 0.3, 0.4], [0.7, 0.2, 0.1], [0.0, 0.45, 0.55]):
        m = np.array(mean)
        shares = rng.dirichlet(np.maximum(votes * m, 1e-12), size=40_000)
        drawn = (shares.max(axis=1) < 0.6).mean()
        found = chance_contested(m[None], np.array([votes]), np.eye(len(m), dtype=bool))[0]
        assert found == pytest.approx(drawn, abs=0.01)


def test_neighbours_on_an_ordered_scale_do_not_dispute() -> None:
    grades = Scale("ordinal", ("1", "2", "3", "4", "5"), ordered=True)
    near, far = np.array([[0, 0.5, 0.5, 0, 0]]), np.array([[0.5, 0, 0, 0, 0.5]])
    votes = np.array([50.0])
    assert chance_contested(near, votes, alike(grades))[0] < 0.01
    assert chance_contested(far, votes, alike(grades))[0] > 0.9
    words = Scale("nominal", ("1", "2", "3", "4", "5"))
    assert chance_contested(near, votes, alike(words))[0] > 0.8


def test_the_ends_of_certainty_are_no_split() -> None:
    sure = chance_contested(np.array([[1.0, 0.0]]), np.array([1e9]), np.eye(2, dtype=bool))
    even = chance_contested(np.array([[0.5, 0.5]]), np.array([1e9]), np.eye(2, dtype=bool))
    assert (sure[0], even[0]) == (0.0, pytest.approx(1.0))


def test_every_row_has_one_route() -> None:
    mean = np.array([[0.9, 0.1], [0.5, 0.5], [0.6, 0.4], [0.8, 0.2]])
    votes = np.array([5.0, 80.0, 2.0, 5.0])
    found = routes_of(mean, votes, YES_NO, trusted=np.array([True, False, False, False]))
    assert found.route.tolist() == [TRUST, CONTESTED_ROUTE, ASK_ONE_MORE, ESCALATE]


def test_without_kappa_what_is_not_trusted_is_escalated() -> None:
    mean, votes = np.array([[0.5, 0.5], [0.5, 0.5]]), np.full(2, np.nan)
    found = routes_of(mean, votes, YES_NO, trusted=np.array([True, False]))
    assert found.route.tolist() == [TRUST, ESCALATE]
    assert np.isnan(found.gain).all()
    assert np.isnan(found.contested).all()
