"""Verdicts from distributions, and one trial an item from the labels that there are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from voirdire.decide.trials import draw_trials, verdict_of
from voirdire.errors import UserError
from voirdire.study.scale import Scale

WORDS = Scale("nominal", ("a", "b", "c", "d"))
GRADES = Scale("ordinal", ("1", "2", "3", "4"), ordered=True)


def test_a_set_holds_the_most_mass_that_so_many_labels_can(rng: np.random.Generator) -> None:
    shares = rng.dirichlet(np.ones(4), size=50)
    for scale, sets in (
        (WORDS, list(itertools.combinations(range(4), 2))),
        (GRADES, [(0, 1), (1, 2), (2, 3)]),
    ):
        found = verdict_of(shares, scale, target="set", set_size=2)
        best = np.max([shares[:, list(each)].sum(axis=1) for each in sets], axis=0)
        assert found.confidence == pytest.approx(best)
        assert (shares * found.answer).sum(axis=1) == pytest.approx(best)
        assert (found.answer.sum(axis=1) == 2).all()
        assert (found.loss == 1 - found.answer).all()


def test_a_label_is_the_likeliest(rng: np.random.Generator) -> None:
    shares = rng.dirichlet(np.ones(4), size=20)
    found = verdict_of(shares, GRADES, target="label")
    assert found.answer.argmax(axis=1).tolist() == shares.argmax(axis=1).tolist()
    assert found.confidence.tolist() == shares.max(axis=1).tolist()


def test_the_loss_is_half_the_brier_loss_as_expected(
    rng: np.random.Generator,
) -> None:
    shares = rng.dirichlet(np.ones(4), size=20)
    found = verdict_of(shares, WORDS, target="loss")
    brier = ((shares[:, None, :] - np.eye(4)) ** 2).sum(axis=2) / 2
    assert found.loss == pytest.approx(brier)
    assert found.confidence == pytest.approx(1 - (shares * brier).sum(axis=1))


def test_a_set_of_all_labels_promises_nothing_and_is_refused() -> None:
    with pytest.raises(UserError, match="set_size from 1 to 3"):
        verdict_of(np.full((1, 4), 0.25), WORDS, target="set", set_size=4)


@pytest.mark.parametrize("target", ["label", "set", "loss"])
def test_a_row_without_distribution_has_no_confidence_and_fails(target: str) -> None:
    found = verdict_of(np.array([[np.nan] * 4]), WORDS, target=target)
    assert np.isnan(found.confidence[0])
    assert ((found.loss >= 0) & (found.loss <= 1)).all()


def test_one_label_is_drawn_an_item_each_as_likely(rng: np.random.Generator) -> None:
    counts = np.tile([[3.0, 0.0, 1.0]], (8000, 1))
    loss = np.tile([[0.0, 1.0, 1.0]], (8000, 1))
    errors = draw_trials(loss, counts, binary=True, rng=rng)
    assert set(errors.tolist()) == {0.0, 1.0}
    assert errors.mean() == pytest.approx(0.25, abs=0.02)
    never = draw_trials(np.tile([[0.0, 1.0, 0.0]], (8000, 1)), counts, binary=True, rng=rng)
    assert not never.any()


def test_a_bounded_loss_is_averaged_within_the_item(rng: np.random.Generator) -> None:
    errors = draw_trials(np.array([[0.2, 0.6]]), np.array([[1.0, 3.0]]), binary=False, rng=rng)
    assert errors[0] == pytest.approx(0.5)
