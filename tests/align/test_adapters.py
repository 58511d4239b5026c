"""Adapters: probabilities with missing labels, verbalised zeros, runs, item attributes, embeddings."""

from __future__ import annotations

import numpy as np
import pytest

from voirdire.align.adapters.covariates import column_values, contrast_columns, covariate_columns
from voirdire.align.adapters.embedding import COMPONENTS, Projection
from voirdire.align.adapters.label_probabilities import from_label_probabilities
from voirdire.align.adapters.repeated import most_frequent, votes_of
from voirdire.align.adapters.score import score_of_runs
from voirdire.align.adapters.verbalised import lift_zeros
from voirdire.align.observe import features_of
from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import Study


def test_missing_labels_get_half_the_smallest_and_silent_rows_stay_silent() -> None:
    given = np.array([[0.5, 0.1, np.nan], [np.nan, np.nan, np.nan], [0.0, 0.0, 0.0], [0.2, 0.3, 0.5]])
    log, floored = from_label_probabilities(given)
    np.testing.assert_allclose(np.exp(log[0]), np.array([0.5, 0.1, 0.05]) / 0.65)
    assert np.isnan(log[1:3]).all()
    np.testing.assert_allclose(np.exp(log[3]), given[3])
    assert floored.tolist() == [True, False, False, False]
    with pytest.raises(UserError, match="negative"):
        from_label_probabilities(np.array([[0.5, -0.1]]))


def test_stated_zeros_do_not_mean_impossible() -> None:
    log, _ = from_label_probabilities(np.array([[0.7, 0.3, 0.0], [0.6, 0.3, 0.1]]))
    lifted = np.exp(lift_zeros(log))
    np.testing.assert_allclose(lifted[0], np.array([0.7, 0.3, 0.01]) / 1.01)
    np.testing.assert_allclose(lifted[1], [0.6, 0.3, 0.1])


def test_runs_are_votes_and_replies_without_a_verdict_are_not() -> None:
    row, own = np.array([0, 0, 0, 1, 2, 2]), np.array([1, 1, 0, -1, 3, -1])
    assert votes_of(row, np.array([1, 1, 0, -1, -1, -1]), 3, 2).tolist() == [[1, 2], [0, 0], [0, 0]]
    assert most_frequent(row, own, 3, 4).tolist() == [1, 4, 3]


def test_one_reply_a_row_is_read_like_several_alike(rng: np.random.Generator) -> None:
    row, own = np.flatnonzero(rng.random(40) < 0.7), rng.integers(-1, 3, 40)
    own, value = own[row], np.where(own[row] < 0, np.nan, own[row] + 0.5)
    twice = np.tile(row, 2)
    np.testing.assert_array_equal(
        most_frequent(row, own, 40, 3), most_frequent(twice, np.tile(own, 2), 40, 3)
    )
    for one, two in zip(
        score_of_runs(row, value, 40), score_of_runs(twice, np.tile(value, 2), 40), strict=True
    ):
        np.testing.assert_allclose(one, two)


def pairs() -> Study:
    return open_study(
        {
            "item_id": ["p", "q", "p", "q"],
            "metric": ["preference"] * 4,
            "rater_id": ["ann", "ann", "judge", "judge"],
            "rater_kind": ["human", "human", "judge", "judge"],
            "label": ["first", "second", "first", "first"],
            "system_a": ["x", "y", "x", "y"],
            "system_b": ["y", "z", "y", "z"],
            "family": ["acme", "other", "acme", "other"],
            "text_1": ["a" * 70, "a" * 90, "a" * 70, "a" * 90],
            "text_2": ["b" * 99, "b" * 80, "b" * 99, "b" * 80],
        },
        config={"raters": {"judge": {"family": "acme"}}},
    )


def test_item_attributes_as_numbers() -> None:
    study = pairs()
    names = covariate_columns(study, ("judge",))
    assert {"length:text_1", "length:text_2", "self:judge"} <= set(names)
    np.testing.assert_allclose(column_values(study, "length:text_1"), np.log1p([70, 90]))
    assert column_values(study, "self:judge").tolist() == [1.0, 0.0]
    assert column_values(study, "family=other").tolist() == [0.0, 1.0]
    assert column_values(study, "length:nowhere").tolist() == [0.0, 0.0]


def test_what_tells_two_responses_apart_changes_sign() -> None:
    study = pairs()
    assert contrast_columns(study, systems=False) == ("length:text_1|text_2",)
    assert "system=y" in contrast_columns(study, systems=True)
    np.testing.assert_allclose(
        column_values(study, "length:text_1|text_2"), np.log1p([70, 90]) - np.log1p([99, 80])
    )
    assert column_values(study, "system=y").tolist() == [-1.0, 1.0]
    observed = features_of(study, systems=True)
    assert observed.features.contrasts.shape == (2, 4)
    np.testing.assert_array_equal(observed.features.swapped().contrasts, -observed.features.contrasts)


def test_an_embedding_is_at_most_sixteen_components(rng: np.random.Generator) -> None:
    table = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 40)) + 0.01 * rng.normal(size=(80, 40))
    projection = Projection.of(table)
    parts = projection.apply(table)
    assert parts.shape == (80, COMPONENTS)
    variance = parts.var(axis=0)
    assert variance[:3].sum() > 0.99 * variance.sum()
    gap = table.copy()
    gap[0, 0] = np.nan
    assert np.isfinite(projection.apply(gap)).all()
    few = Projection.of(table[:, :4])
    np.testing.assert_allclose(few.apply(table[:, :4]).std(axis=0), 1.0)
