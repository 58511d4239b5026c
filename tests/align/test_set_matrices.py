"""Forward and reverse matrices: planted ones recovered, intervals that cover, refusals, read-outs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import beta as beta_distribution

from voirdire.align.response_sets import membership, read_out, squared_errors
from voirdire.align.set_matrices import PairedLabels, SetMatrices, paired_labels, set_matrices
from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import Scale, Study

SCALE = Scale("nominal", ("a", "b", "a|b"), indeterminate={"a|b": ("a", "b")}, separator="|")
THETA = np.array([0.5, 0.2, 0.3])
FORWARD = np.array([[0.98, 0.05, 0.75], [0.02, 0.95, 0.25]])
JOINT = FORWARD * THETA
REVERSE = (JOINT / JOINT.sum(axis=1, keepdims=True)).T


def drawn(n: int, rng: np.random.Generator, *, per_cluster: int = 1) -> PairedLabels:
    """n pairs from the planted joint distribution; clusters repeat one pair where they hold several."""
    cell = rng.choice(6, size=-(-n // per_cluster), p=JOINT.ravel()).repeat(per_cluster)[:n]
    cluster = np.arange(n) // per_cluster
    return PairedLabels(SCALE, cell % 3, cell // 3, cluster)


def study(rows: list[tuple[Any, ...]]) -> Study:
    names = ("item_id", "metric", "rater_id", "rater_kind", "label")
    return open_study({name: [row[k] for row in rows] for k, name in enumerate(names)})


def test_planted_matrices_are_recovered(rng: np.random.Generator) -> None:
    found = set_matrices(drawn(20_000, rng), resamples=200, rng=rng)
    np.testing.assert_allclose(found.forward, FORWARD, atol=0.015)
    np.testing.assert_allclose(found.reverse, REVERSE, atol=0.015)
    np.testing.assert_allclose(found.forward.sum(axis=0), 1)
    np.testing.assert_allclose(found.reverse.sum(axis=0), 1)
    for low, value, high in (
        (found.forward_low, found.forward, found.forward_high),
        (found.reverse_low, found.reverse, found.reverse_high),
    ):
        assert ((low <= value) & (value <= high)).all()


def test_sets_and_acceptance_follow_from_forced_choices(rng: np.random.Generator) -> None:
    exact = SetMatrices(SCALE, 0, FORWARD, REVERSE, FORWARD, FORWARD, REVERSE, REVERSE, 0.95)
    choices = (FORWARD @ THETA)[None]
    np.testing.assert_allclose(exact.sets_of(choices)[0], THETA)
    np.testing.assert_allclose(exact.accepted_of(choices)[0], membership(SCALE) @ THETA)
    np.testing.assert_allclose(exact.accepted(SCALE) @ np.r_[choices[0], 0.0], membership(SCALE) @ THETA)
    np.testing.assert_allclose(exact.forced_choice(SCALE), FORWARD)
    turned = Scale("nominal", ("b", "a"))
    np.testing.assert_allclose(exact.forced_choice(turned), [[0.95, 0.02], [0.05, 0.98]])
    np.testing.assert_allclose(exact.accepted(turned), exact.accepted(SCALE)[::-1, [1, 0]])


def test_forced_labels_score_a_response_set_prediction_without_bias(rng: np.random.Generator) -> None:
    """Where F' is one for all items, three forced choices are enough to score predicted acceptance."""
    exact = SetMatrices(SCALE, 0, FORWARD, REVERSE, FORWARD, FORWARD, REVERSE, REVERSE, 0.95)
    choices = rng.dirichlet([1.0, 1.0], size=6000)
    counts = np.column_stack([rng.multinomial(1, choices) + rng.multinomial(2, choices), np.zeros(6000)])
    truth = exact.accepted_of(choices)
    errors = squared_errors(truth, counts.astype(float), exact.accepted(SCALE)).mean(axis=1)
    assert abs(errors.mean()) < 3.5 * errors.std() / np.sqrt(len(errors))
    assert ((truth - read_out(counts, membership(SCALE))) ** 2).mean() > 0.05, (
        "what was named is not accepted"
    )


def test_with_one_pair_a_cluster_the_interval_is_a_beta_posterior(rng: np.random.Generator) -> None:
    pairs = drawn(150, rng)
    found = set_matrices(pairs, resamples=20_000, rng=rng)
    table = pairs.table()
    prior = 0.95 * np.array([[1, 0, 0.5], [0, 1, 0.5]]) + 0.05 / 2
    (x, y), (a, b) = table + prior, table + np.maximum(prior, 0.5)
    np.testing.assert_allclose(found.forward[0], x / (x + y))
    low, high = (beta_distribution.ppf(share, a, b) for share in (0.025, 0.975))
    np.testing.assert_allclose(found.forward_low[0], np.where(table[0] == 0, 0, low), atol=0.01)
    np.testing.assert_allclose(found.forward_high[0], np.where(table[1] == 0, 1, high), atol=0.01)


def test_an_unseen_set_has_the_prior_and_a_wide_interval(rng: np.random.Generator) -> None:
    wider = Scale("nominal", ("a", "b", "c", "b|c"), indeterminate={"b|c": ("b", "c")})
    pairs = PairedLabels(wider, np.zeros(120, dtype=np.intp), np.zeros(120, dtype=np.intp), np.arange(120))
    found = set_matrices(pairs, rng=rng)
    np.testing.assert_allclose(found.forward[:, 3], [0.05 / 3, 0.475 + 0.05 / 3, 0.475 + 0.05 / 3])
    assert found.forward_high[1, 3] - found.forward_low[1, 3] > 0.9
    assert found.forward[0, 0] > 0.99
    assert found.reverse[:, 1].argmax() in (1, 3)


def test_pairs_in_one_cluster_count_as_fewer(rng: np.random.Generator) -> None:
    alone = set_matrices(drawn(200, np.random.default_rng(5)), rng=rng)
    five = set_matrices(drawn(200, np.random.default_rng(5), per_cluster=5), rng=rng)
    assert (five.forward_high - five.forward_low)[0, 2] > 1.5 * (alone.forward_high - alone.forward_low)[0, 2]


def test_too_few_pairs_are_refused_with_the_number_needed(rng: np.random.Generator) -> None:
    with pytest.raises(UserError, match=r"40 pairs .* expected 100 or more; fix: .* 60 more"):
        set_matrices(drawn(40, rng), rng=rng)
    assert set_matrices(drawn(40, rng), fewest=40, resamples=100, rng=rng).n_pairs == 40
    with pytest.raises(UserError, match="strength is 0"):
        set_matrices(drawn(200, rng), strength=0, rng=rng)


def test_pairs_are_one_persons_labels_on_two_metrics() -> None:
    made = study(
        [
            ("i1", "all", "ann", "human", ["a", "b"]),
            ("i1", "one", "ann", "human", "a"),
            ("i1", "all", "bo", "human", ["b"]),
            ("i1", "one", "cy", "human", "b"),
            ("i2", "all", "ann", "human", ["a"]),
            ("i2", "one", "ann", "human", ["b", "a"]),
            ("i2", "all", "bo", "human", ["b"]),
            ("i2", "one", "bo", "human", "b"),
            ("i2", "one", "gpt", "judge", "b"),
            ("i2", "all", "gpt", "judge", "b"),
        ]
    )
    pairs = paired_labels(made, {"all": "one"})
    assert [pairs.scale.labels[code] for code in pairs.label] == ["a|b", "b"]
    assert [pairs.scale.verdicts[code] for code in pairs.choice] == ["a", "b"]
    assert pairs.cluster.tolist() == [0, 1]
    with pytest.raises(UserError, match="no pair of metrics"):
        paired_labels(made, {})
    with pytest.raises(UserError, match="no metric named 'two'"):
        paired_labels(made, {"all": "two"})


def test_metrics_of_other_verdicts_make_no_pairs() -> None:
    made = study(
        [
            ("i1", "all", "ann", "human", "a"),
            ("i1", "all", "bo", "human", "b"),
            ("i1", "one", "ann", "human", "x"),
            ("i1", "one", "bo", "human", "y"),
        ]
    )
    with pytest.raises(UserError, match="different verdicts"):
        paired_labels(made, {"all": "one"})


@pytest.mark.coverage_simulation
def test_intervals_cover_the_planted_matrices() -> None:
    """Every entry in 200 studies of 150 pairs; entries of 2 to 5 % rest on one or two pairs."""
    rng = np.random.default_rng(11)
    held, studies = np.zeros(12), 200
    for _ in range(studies):
        found = set_matrices(drawn(150, rng), resamples=200, rng=rng)
        bounds = (
            (found.forward_low, FORWARD, found.forward_high),
            (found.reverse_low, REVERSE, found.reverse_high),
        )
        held += np.concatenate([((low <= true) & (true <= high)).ravel() for low, true, high in bounds])
    shares = held / studies
    assert (np.abs(shares - 0.95) < 3.5 * np.sqrt(0.95 * 0.05 / studies)).all(), shares
