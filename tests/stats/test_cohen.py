"""Cohen's kappa and Scott's pi beside statsmodels and scikit-learn, their properties and their edges."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from voirdire.errors import UserError
from voirdire.stats.cohen import cohen_kappa
from voirdire.stats.fleiss import fleiss_kappa
from voirdire.stats.paradox import kappa_paradox
from voirdire.stats.rater_pairs import rater_pairs
from voirdire.stats.scott import scott_pi
from voirdire.stats.two_rater import contingency_table, disagreement_weights

tables = st.integers(2, 5).flatmap(lambda q: arrays(np.int64, (q, q), elements=st.integers(0, 30)))
quick = settings(max_examples=60, deadline=None)


def has_variation(table: np.ndarray) -> bool:
    return bool(
        (table.sum(0) < table.sum()).any()
        and np.trace(np.outer(table.sum(1), table.sum(0))) < table.sum() ** 2
    )


def as_columns(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.indices(table.shape).reshape(2, -1)
    return np.repeat(first, table.ravel()), np.repeat(second, table.ravel())


@quick
@given(tables, st.sampled_from([("identity", None), ("linear", "linear"), ("quadratic", "quadratic")]))
def test_value_and_errors_equal_statsmodels(table: np.ndarray, weights: tuple[str, str | None]) -> None:
    if table.sum() == 0 or not has_variation(table):
        return
    ours = cohen_kappa(table, weights=weights[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cohens_kappa(table, wt=weights[1])
    assert ours.estimate.value == pytest.approx(theirs.kappa, abs=1e-9)
    assert ours.null_standard_error**2 == pytest.approx(theirs.var_kappa0, abs=1e-9)
    # variances, because statsmodels can round a zero below zero
    assert ours.standard_error**2 == pytest.approx(theirs.var_kappa, abs=1e-9)


@quick
@given(tables)
def test_value_equals_scikit_learn(table: np.ndarray) -> None:
    if table.sum() == 0 or not has_variation(table):
        return
    first, second = as_columns(table)
    labels = list(range(len(table)))
    for ours, theirs in (("identity", None), ("linear", "linear"), ("quadratic", "quadratic")):
        score = cohen_kappa_score(first, second, labels=labels, weights=theirs)
        assert cohen_kappa(table, weights=ours).estimate.value == pytest.approx(score, abs=1e-9)


@quick
@given(tables)
def test_scott_equals_fleiss_for_two_raters(table: np.ndarray) -> None:
    if table.sum() == 0 or ((table.sum(0) + table.sum(1)) > 0).sum() < 2:
        return
    ratings = np.column_stack(as_columns(table)).astype(float)
    fleiss = fleiss_kappa(ratings, categories=list(range(len(table))))
    assert scott_pi(table).estimate.value == pytest.approx(fleiss, abs=1e-9)


@quick
@given(tables, st.randoms(use_true_random=False))
def test_relabelling_and_exchange_of_raters_change_nothing(table: np.ndarray, random) -> None:
    order = list(range(len(table)))
    random.shuffle(order)
    for statistic in (cohen_kappa, scott_pi):
        base = statistic(table)
        for other in (statistic(table.T), statistic(table[np.ix_(order, order)])):
            assert other.estimate.value == pytest.approx(base.estimate.value, nan_ok=True)
            assert other.standard_error == pytest.approx(base.standard_error, nan_ok=True, abs=1e-12)


@quick
@given(tables)
def test_kappa_never_exceeds_its_maximum_and_the_interval_stays_below_one(table: np.ndarray) -> None:
    kappa = cohen_kappa(table).estimate
    if kappa.undefined is None:
        assert kappa.value <= kappa_paradox(table).kappa_max + 1e-12
        if kappa.has_interval:
            assert kappa.low <= kappa.value <= kappa.high <= 1


def test_undefined_and_degenerate_tables_say_why() -> None:
    assert cohen_kappa(np.zeros((2, 2))).estimate.undefined == "no_pairable_items"
    assert cohen_kappa([[5, 0], [0, 0]]).estimate.undefined == "no_variation"
    perfect = cohen_kappa([[15, 0], [0, 15]]).estimate
    assert perfect.value == perfect.high == 1
    assert 0.5 < perfect.low < 0.9
    assert cohen_kappa([[5, 0], [0, 3]], interval="wald").estimate.no_interval == "zero_width"


def test_an_empty_category_changes_nothing() -> None:
    small, large = np.array([[5, 2], [1, 7]]), np.zeros((3, 3))
    large[:2, :2] = small
    assert cohen_kappa(large).estimate.value == pytest.approx(cohen_kappa(small).estimate.value)


def test_distance_by_value_is_not_distance_by_rank() -> None:
    table = [[10, 2, 1], [3, 8, 2], [0, 4, 9]]
    by_value = disagreement_weights("linear", 3, values=[1, 2, 10])
    assert by_value.tolist() == [[0, 1, 9], [1, 0, 8], [9, 8, 0]]
    stretched = cohen_kappa(table, weights="linear", values=[1, 2, 10]).estimate.value
    assert stretched == pytest.approx(cohen_kappa(table, weights=by_value).estimate.value)
    assert stretched != pytest.approx(cohen_kappa(table, weights="linear").estimate.value, abs=1e-3)
    even = cohen_kappa(table, weights="linear", values=[2, 4, 6]).estimate.value
    assert even == pytest.approx(cohen_kappa(table, weights="linear").estimate.value)


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        ([[1, 2, 3], [4, 5, 6]], {}, "shape"),
        ([[1, -2], [3, 4]], {}, "negative"),
        ([[1, 2], [3, 4]], {"weights": "cubic"}, "cubic"),
        ([[1, 2], [3, 4]], {"weights": [[1, 0], [0, 1]]}, "diagonal"),
        ([[1, 2], [3, 4]], {"weights": [[0, 1, 2]]}, "shape"),
        ([[1, 2], [3, 4]], {"weights": "linear", "values": [1, 2, 3]}, "values"),
        ([[1, 2], [3, 4]], {"level": 95}, "level"),
        ([[1, 2], [3, 4]], {"interval": "exact"}, "exact"),
    ],
)
def test_a_mistake_is_named(table: list[list[int]], options: dict, said: str) -> None:
    with pytest.raises(UserError, match=said):
        cohen_kappa(table, **options)


def test_contingency_is_pairwise_complete_and_refuses_undeclared_codes() -> None:
    assert contingency_table([0, 1, -1, 1], [0, -1, 1, 0], 2).tolist() == [[1, 0], [1, 0]]
    with pytest.raises(UserError, match="code 3"):
        contingency_table([0, 3], [0, 1], 3)
    with pytest.raises(UserError, match="shapes"):
        contingency_table([0, 1], [0], 2)


@quick
@given(arrays(np.int64, st.tuples(st.integers(1, 25), st.integers(2, 5)), elements=st.integers(-1, 2)))
def test_pair_tables_equal_kappa_pair_by_pair(codes: np.ndarray) -> None:
    item, rater = np.nonzero(codes >= 0)
    n_raters = codes.shape[1]
    for weights in ("identity", "quadratic"):
        pairs = rater_pairs(
            item, rater, codes[item, rater], n_raters=n_raters, n_categories=3, weights=weights
        )
        for a in range(n_raters):
            for b in range(a + 1, n_raters):
                table = contingency_table(codes[:, a], codes[:, b], 3)
                one = cohen_kappa(table, weights=weights)
                assert pairs.n_items[a, b] == table.sum()
                assert pairs.kappa[a, b] == pytest.approx(one.estimate.value, nan_ok=True, abs=1e-12)
                assert pairs.agreement[b, a] == pytest.approx(one.observed, nan_ok=True, abs=1e-12)
        assert np.isnan(np.diag(pairs.kappa)).all()


SHARES = {
    "balanced": np.array([[0.42, 0.08], [0.08, 0.42]]),
    "90/10": np.array([[0.864, 0.036], [0.036, 0.064]]),
    "three labels": np.array([[0.4, 0.1, 0.02], [0.06, 0.2, 0.04], [0.02, 0.03, 0.13]]),
}


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("design", SHARES)
def test_interval_covers_the_true_kappa(n: int, design: str) -> None:
    shares = SHARES[design]
    rng = np.random.default_rng(n)
    draws = rng.multinomial(n, shares.ravel(), size=1000).reshape(-1, *shares.shape)
    for statistic, weights in ((cohen_kappa, "identity"), (cohen_kappa, "quadratic"), (scott_pi, "identity")):
        truth = statistic(shares * 1e9, weights=weights).estimate.value
        found = [statistic(draw, weights=weights).estimate for draw in draws]
        covered = np.mean([one.low <= truth <= one.high for one in found if one.undefined is None])
        # three binomial errors of 1,000 runs are 0.02
        assert 0.93 < covered < 0.99, (statistic.__name__, weights, covered)
