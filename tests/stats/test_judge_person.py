"""The judge against people: what it equals in known cases, and what it says where it says nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from voirdire.errors import UserError
from voirdire.stats import (
    NEW_RATERS,
    Coded,
    JudgePerson,
    agreement_weights,
    conger_kappa,
    fleiss_kappa,
    judge_against_people,
    judge_agreement,
    leave_one_rater_out,
    pairwise_agreement,
)

NAN = float("nan")


def study(
    rng: np.random.Generator, items: int = 60, raters: int = 3, q: int = 3
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    truth = rng.integers(0, q, (items, 1))
    table = np.where(rng.random((items, raters)) < 0.7, truth, rng.integers(0, q, (items, raters))).astype(
        float
    )
    table[rng.random(table.shape) < 0.2] = NAN
    judge = np.where(rng.random(items) < 0.6, truth[:, 0], rng.integers(0, q, items))
    judge[rng.random(items) < 0.1] = -1
    return table, judge


def compare(table: NDArray[np.float64], judge: object, q: int = 3, **options: object) -> JudgePerson:
    people = Coded.from_matrix(table, categories=range(q), cluster=options.pop("cluster", None))
    return judge_against_people(people, judge, rng=np.random.default_rng(1), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic", "ordinal"])
def test_people_are_fleiss_kappa_on_the_same_items(rng: np.random.Generator, weights: str) -> None:
    table, judge = study(rng)
    counted = table[((~np.isnan(table)).sum(axis=1) >= 2) & (judge >= 0)]
    found = compare(table, judge, weights=weights)
    same = Coded.from_matrix(counted, categories=range(3))
    assert found.people.value == pytest.approx(fleiss_kappa(same, weights=weights), abs=1e-12)
    assert found.people_agreement.value == pytest.approx(pairwise_agreement(same, weights=weights), abs=1e-12)
    assert (found.n_items, found.n_ratings) == (len(counted), (~np.isnan(counted)).sum())
    assert found.difference.value == pytest.approx(found.judge.value - found.people.value)


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_against_one_person_an_item_the_judge_has_cohens_kappa(
    rng: np.random.Generator, weights: str
) -> None:
    table, judge = study(rng)
    person = np.nan_to_num(table[:, :1])
    pair = np.column_stack([person, np.where(judge >= 0, judge, NAN)])
    both = Coded.from_matrix(pair[judge >= 0], categories=range(3))
    found = judge_agreement(Coded.from_matrix(person, categories=range(3)), judge, weights=weights)
    assert found.coefficient.value == pytest.approx(conger_kappa(both, weights=weights), abs=1e-12)
    assert found.agreement.value == pytest.approx(pairwise_agreement(both, weights=weights), abs=1e-12)
    assert found.agreement.n_items == (judge >= 0).sum()


def test_the_judges_disagreement_is_the_mean_over_items_of_its_mean_over_people(
    rng: np.random.Generator,
) -> None:
    table, judge = study(rng)
    found = compare(table, judge)
    rows = [(row[~np.isnan(row)], j) for row, j in zip(table, judge, strict=True) if j >= 0]
    rows = [(people, j) for people, j in rows if len(people) >= 2]
    observed = np.mean([(people != j).mean() for people, j in rows])
    pi = np.mean([[(people == k).mean() for k in range(3)] for people, _ in rows], axis=0)
    pi_judge = np.mean([[j == k for k in range(3)] for _, j in rows], axis=0)
    assert found.judge.value == pytest.approx(1 - observed / (1 - pi @ pi_judge), abs=1e-12)
    assert found.judge_agreement.value == pytest.approx(1 - observed, abs=1e-12)


def test_a_judge_drawn_from_the_people_agrees_as_they_do() -> None:
    rng = np.random.default_rng(11)
    table, _ = study(rng, items=20_000, raters=4)
    table = np.nan_to_num(table)
    found = compare(table[:, :3], table[:, 3].astype(int))
    assert found.difference.low < 0 < found.difference.high
    assert abs(found.difference.value) < 0.02


def test_shares_of_one_run_are_its_labels_and_several_runs_are_their_mean(rng: np.random.Generator) -> None:
    table, judge = study(rng)
    one_hot = np.where(judge[:, None] >= 0, np.eye(3)[judge], 0.0)
    by_code, by_share = compare(table, judge), compare(table, one_hot)
    assert by_share.judge.value == pytest.approx(by_code.judge.value)
    assert by_share.standard_error == pytest.approx(by_code.standard_error, rel=0.1)
    halves = (one_hot + np.roll(one_hot, 1, axis=1)) / 2
    mixed = compare(table, halves).judge_agreement.value
    rolled = compare(table, np.roll(one_hot, 1, axis=1)).judge_agreement.value
    assert mixed == pytest.approx((by_code.judge_agreement.value + rolled) / 2)


def test_scores_of_any_number_of_values_go_by_moments(rng: np.random.Generator) -> None:
    table, judge = study(rng, q=5)
    people = Coded.from_matrix(table, categories=range(5))
    matrix = agreement_weights(people, "quadratic")
    by_moments = compare(table, judge, q=5, weights="quadratic")
    by_counts = compare(table, judge, q=5, weights=matrix)
    for part in ("judge", "people", "difference", "judge_agreement", "people_agreement"):
        assert getattr(by_moments, part).value == pytest.approx(getattr(by_counts, part).value, abs=1e-12)
    truth = rng.normal(size=(3000, 1))
    continuous = Coded.from_matrix(truth + rng.normal(size=(3000, 3)))
    verdict = rng.permutation(continuous.q)[:3000]
    found = judge_against_people(continuous, verdict, weights="quadratic", rng=rng)
    assert found.people.value == pytest.approx(0.5, abs=0.05)
    assert found.judge.value == pytest.approx(0, abs=0.05)
    with_identity = judge_against_people(continuous, verdict, rng=rng)
    assert with_identity.judge.undefined == "too_many_labels"


def test_the_difference_can_be_stated_at_any_level(rng: np.random.Generator) -> None:
    table, judge = study(rng)
    found = compare(table, judge)
    assert found.difference_at(0.95) == found.difference
    wide = found.difference_at(0.999)
    reach = stats.t.ppf(0.9995, found.n_clusters - 1) * found.standard_error
    assert (wide.level, wide.high - wide.value) == (0.999, pytest.approx(reach))


def test_copies_in_a_cluster_change_no_interval(rng: np.random.Generator) -> None:
    table, judge = study(rng)
    once = compare(table, judge)
    thrice = compare(np.repeat(table, 3, axis=0), np.repeat(judge, 3), cluster=np.repeat(np.arange(60), 3))
    assert thrice.standard_error == pytest.approx(once.standard_error, rel=0.1)
    assert thrice.n_clusters == once.n_clusters == once.n_items
    assert thrice.n_items == 3 * once.n_items


def test_new_raters_widen_the_difference(rng: np.random.Generator) -> None:
    table, judge = study(rng)
    these, new = compare(table, judge), compare(table, judge, target=NEW_RATERS)
    assert new.df == 2
    assert new.standard_error > these.standard_error
    two = compare(table[:, :2], judge, target=NEW_RATERS)
    assert not math.isnan(two.difference.value)
    assert two.difference.no_interval == "insufficient_raters"  # without one of two nobody is left to agree


@pytest.mark.parametrize(
    ("table", "judge", "reasons"),
    [
        ([[0, NAN], [1, NAN]], [0, 1], ("no_pairable_items",) * 2),
        ([[0, 1], [1, 1]], [-1, -1], ("no_labels",) * 2),
        ([[0, 0], [0, 0]], [0, 0], ("no_variation",) * 2),
        ([[0, 0], [0, 0]], [0, 1], (None, "no_variation")),
    ],
)
def test_undefined_says_why(
    table: list[list[float]], judge: list[int], reasons: tuple[str | None, ...]
) -> None:
    found = compare(np.array(table), judge)
    assert (found.judge.undefined, found.people.undefined) == reasons
    assert found.difference.undefined == (reasons[1] or reasons[0])
    assert not found.difference_at(0.9).has_interval


def test_full_agreement_has_no_zero_width_interval() -> None:
    found = compare(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), [0, 1, 2])
    assert (found.judge.value, found.difference.value) == (1, 0)
    assert (found.judge.no_interval, found.difference.no_interval) == ("no_variation", "no_variation")


def test_verdicts_that_are_none_are_refused() -> None:
    people = np.array([[0.0, 1.0], [1.0, 1.0]])
    with pytest.raises(UserError, match="not a category's code"):
        compare(people, [0, 3])
    with pytest.raises(UserError, match="shape"):
        compare(people, [0, 1, 1])
    with pytest.raises(UserError, match="negative share"):
        compare(people, np.array([[1.0, -1, 0], [1, 0, 0]]))


def test_each_rater_against_the_others(rng: np.random.Generator) -> None:
    table, _ = study(rng)
    people = Coded.from_matrix(table, categories=range(3))
    found = leave_one_rater_out(people)
    assert [r.rater for r in found] == [0, 1, 2]
    for r in range(3):
        labels = np.where(np.isnan(table[:, r]), -1, table[:, r]).astype(int)
        others = Coded.from_matrix(np.delete(table, r, axis=1), categories=range(3))
        assert found[r].coefficient.value == pytest.approx(judge_agreement(others, labels).coefficient.value)
    alone = leave_one_rater_out(Coded.from_matrix([[0, NAN], [NAN, 1]]))
    assert {r.coefficient.undefined for r in alone} == {"no_pairable_items"}
    assert leave_one_rater_out(Coded.from_matrix([[None, None]])) == []
    words = leave_one_rater_out(Coded.from_matrix([["a", "b"]]), weights="linear")
    assert {r.agreement.undefined for r in words} == {"no_order"}


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
@pytest.mark.parametrize("clusters", [None, 12])
def test_all_raters_at_once_are_each_rater_alone(
    rng: np.random.Generator, weights: str, clusters: int | None
) -> None:
    table, _ = study(rng, raters=5)
    cluster = None if clusters is None else rng.integers(0, clusters, len(table))
    table[table[:, 4] == 0] = NAN
    found = leave_one_rater_out(
        Coded.from_matrix(table, categories=range(3), cluster=cluster), weights=weights
    )
    for r, rater in enumerate(found):
        labels = np.where(np.isnan(table[:, r]), -1, table[:, r]).astype(int)
        others = Coded.from_matrix(np.delete(table, r, axis=1), categories=range(3), cluster=cluster)
        alone = judge_agreement(others, labels, weights=weights)
        for one, other in [(rater.agreement, alone.agreement), (rater.coefficient, alone.coefficient)]:
            assert (one.low, one.value, one.high) == pytest.approx(
                (other.low, other.value, other.high), abs=1e-9
            )
            counts = (one.n_items, one.n_ratings, one.n_pairable_items, one.n_clusters)
            assert counts == (other.n_items, other.n_ratings, other.n_pairable_items, other.n_clusters)
