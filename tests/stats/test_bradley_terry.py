"""Bradley-Terry: published values, logistic regression, existence, invariances and clustered intervals."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from voirdire.errors import UserError
from voirdire.stats import PairedComparisons, bradley_terry, win_graph
from voirdire.stats.position import FIRST, SECOND, TIE

wins = arrays(np.int64, st.integers(2, 6).map(lambda n: (n, n)), elements=st.integers(0, 4)).map(
    lambda table: table * (1 - np.eye(len(table), dtype=np.int64))
)


def case(shared: Path, name: str) -> dict[str, Any]:
    cases = json.loads((shared / "reference" / "reference_values.json").read_text())["cases"]
    return next(one for one in cases if one["id"] == name)


def values(abilities: Any) -> list[float]:
    return [one.value for one in abilities.log_ability]


@pytest.mark.shared
def test_baseball_1987(shared: Path) -> None:
    known = case(shared, "bt_baseball_1987")
    expected = known["expected"]
    found = bradley_terry(known["data"]["wins"], reference=0)
    assert values(found) == pytest.approx(expected["log_ability_vs_baltimore"], abs=known["tol"], rel=0)
    assert found.win_probability(4, 0).value == pytest.approx(
        expected["p_milwaukee_beats_baltimore"], abs=known["tol"], rel=0
    )
    # standard errors of BradleyTerry2, from the case's notes
    published = [0.333877908, 0.331876399, 0.339568187, 0.343255664, 0.335860616, 0.336669093]
    errors = [(one.high - one.low) / (2 * 1.959963985) for one in found.log_ability[1:]]
    assert errors == pytest.approx(published, abs=5e-7)


@pytest.mark.shared
def test_two_players_are_the_log_odds(shared: Path) -> None:
    known = case(shared, "bt_two_player")
    found = bradley_terry(known["data"]["wins"]).difference(0, 1)
    assert found.value == pytest.approx(known["expected"]["log_odds"], abs=known["tol"], rel=0)
    assert found.value == pytest.approx(math.log(7 / 3), abs=1e-12)
    half = 1.959963985 * math.sqrt(1 / 7 + 1 / 3)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))


@pytest.mark.shared
def test_an_undefeated_system_is_named_and_the_rest_compared(shared: Path) -> None:
    known = case(shared, "bt_undefeated")
    found = bradley_terry(known["data"]["wins"])
    assert known["expected"]["exists"] == 0
    assert {one.undefined for one in found.log_ability} == {"undefeated"}
    assert found.graph.undefeated == ((0,),)
    assert found.graph.groups == ((0,), (1, 2))
    assert found.graph.said(known["data"]["items"]) == "a never lost to b or c"
    gap = known["expected"]["log_ability_b_minus_c"]
    assert found.difference(1, 2).value == pytest.approx(gap, abs=known["tol"])
    assert found.difference(0, 1).undefined == "undefeated"


@pytest.mark.shared
def test_systems_that_never_met_are_named_and_compared_apart(shared: Path) -> None:
    known = case(shared, "bt_disconnected")
    found = bradley_terry(known["data"]["wins"])
    assert known["expected"]["exists"] == 0
    assert {one.undefined for one in found.log_ability} == {"disconnected"}
    assert found.graph.said(known["data"]["items"]) == "{a, b}, {c, d} never met"
    assert found.difference(0, 1).value == pytest.approx(known["expected"]["log_odds_ab"], abs=known["tol"])
    assert found.difference(3, 2).value == pytest.approx(known["expected"]["log_odds_dc"], abs=known["tol"])
    assert found.difference(0, 2).undefined == "disconnected"


def with_a_finite_fit(table: np.ndarray) -> bool:
    """Ford's condition, by every split in two: each side beat the other at least once."""
    n = len(table)
    for size in range(1, n):
        for side in itertools.combinations(range(n), size):
            rest = [one for one in range(n) if one not in side]
            if not table[np.ix_(side, rest)].any():
                return False
    return True


@settings(max_examples=60, deadline=None)
@given(wins)
def test_the_graph_decides_as_every_split_in_two(table: np.ndarray) -> None:
    graph = win_graph(table)
    assert (graph.undefined is None) == with_a_finite_fit(table)
    assert sorted(one for group in graph.groups for one in group) == list(range(len(table)))
    of_system = graph.of_system()
    for i, j in zip(*np.nonzero(table), strict=True):
        assert of_system[i] <= of_system[j], "a group stands before those that it beat"
    assert bool(graph.said([str(one) for one in range(len(table))])) == (graph.undefined is not None)


@settings(max_examples=30, deadline=None)
@given(wins)
def test_estimates_are_those_of_logistic_regression(table: np.ndarray) -> None:
    """statsmodels' binomial fit without intercept: a row a pair, design +1 and −1, the last one left out."""
    assume(with_a_finite_fit(table))
    n = len(table)
    rows, design = [], []
    for i, j in itertools.combinations(range(n), 2):
        if table[i, j] + table[j, i]:
            rows.append([table[i, j], table[j, i]])
            design.append(np.eye(n)[i] - np.eye(n)[j])
    assume(len(rows) > n - 1)  # statsmodels divides by the degrees of freedom that are left
    model = sm.GLM(np.array(rows), np.array(design)[:, :-1], family=sm.families.Binomial())
    with warnings.catch_warnings():  # it takes a circle of single wins, fitted exactly, for separation
        warnings.simplefilter("ignore")
        known = model.fit(tol=1e-12, maxiter=200)
    found = bradley_terry(table, reference=n - 1)
    assert found.fit is not None
    assert found.fit.converged
    assert values(found)[:-1] == pytest.approx(known.params, abs=1e-6)
    errors = [(one.high - one.low) / (2 * 1.959963985) for one in found.log_ability[:-1]]
    assert errors == pytest.approx(known.bse, rel=1e-5)


def test_the_clustered_errors_are_those_of_the_textbook_sandwich() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 4, 300)
    second = (first + rng.integers(1, 4, 300)) % 4
    outcome = (rng.random(300) < 0.45).astype(int)
    cluster = np.repeat(np.arange(60), 5)
    design = (np.eye(4)[first] - np.eye(4)[second])[:, 1:]
    known = sm.Logit(1 - outcome, design).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
    )
    found = bradley_terry(PairedComparisons(first, second, outcome, 4, cluster), reference=0)
    reach = 2.0009953780882674  # Student's t of 59 degrees of freedom
    errors = [(one.high - one.low) / (2 * reach) for one in found.log_ability[1:]]
    assert errors == pytest.approx(known.bse * math.sqrt(60 / 59), rel=1e-6)
    assert found.log_ability[1].n_clusters == 60


def drawn(seed: int, n: int = 5, m: int = 200) -> PairedComparisons:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, m)
    second = (first + rng.integers(1, n, m)) % n
    return PairedComparisons(first, second, rng.choice([FIRST, SECOND, TIE], m, p=[0.5, 0.3, 0.2]), n)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_names_sides_and_copies_change_nothing(seed: int) -> None:
    met = drawn(seed)
    base = values(bradley_terry(met))
    order = np.random.default_rng(seed).permutation(5)
    renamed = PairedComparisons(order[met.first], order[met.second], met.outcome, 5)
    assert np.array(values(bradley_terry(renamed)))[order] == pytest.approx(base, abs=1e-8)
    flipped = np.where(met.outcome == TIE, TIE, 1 - met.outcome)
    turned = PairedComparisons(met.second, met.first, flipped, 5)
    assert values(bradley_terry(turned)) == pytest.approx(base, abs=1e-8)
    assert sum(base) == pytest.approx(0, abs=1e-9)


def test_copies_of_the_data_shrink_naive_errors_and_not_clustered_ones() -> None:
    met = drawn(3)
    decided = met.take(met.outcome != TIE)
    once = bradley_terry(decided)
    both = np.concatenate
    four = PairedComparisons(
        both([decided.first] * 4), both([decided.second] * 4), both([decided.outcome] * 4), 5
    )
    assert values(bradley_terry(four)) == pytest.approx(values(once), abs=1e-8)
    assert width(bradley_terry(four)) == pytest.approx(width(once) / 2, rel=1e-6)
    item = np.tile(np.arange(len(decided)), 4)
    held = PairedComparisons(four.first, four.second, four.outcome, 5, item)
    alone = PairedComparisons(decided.first, decided.second, decided.outcome, 5, np.arange(len(decided)))
    assert width(bradley_terry(held)) == pytest.approx(width(bradley_terry(alone)), rel=1e-9)


def width(abilities: Any) -> float:
    return float(abilities.log_ability[0].high - abilities.log_ability[0].low)


def test_a_tie_is_half_a_win_and_that_is_said() -> None:
    tied = PairedComparisons.from_counts([[0, 3], [1, 0]], [[0, 2], [2, 0]])
    found = bradley_terry(tied)
    assert found.difference(0, 1).value == pytest.approx(math.log(4 / 2))
    assert found.note == "each tie counts as half a win of both"
    assert bradley_terry([[0, 3], [1, 0]]).note == ""
    # ties make results vary less than wins and losses would: the information would say 0.866
    error = (found.difference(0, 1).high - found.difference(0, 1).value) / 2.570581835636314
    assert error == pytest.approx(math.sqrt(6 / 5 * (3 * (1 / 3) ** 2 + (2 / 3) ** 2 + 2 / 36)) / (6 * 2 / 9))


def test_the_order_follows_the_wins_of_a_double_round_robin() -> None:
    """Everybody beat those below twice but for one upset each: who won more stands higher."""
    table = np.triu(np.full((6, 6), 2), 1)
    for one in range(5):
        table[one, one + 1], table[one + 1, one] = 1, 1
    table[0, 5], table[5, 0] = 1, 1
    order = np.argsort(-np.array(values(bradley_terry(table))), kind="stable")
    assert (np.diff(table.sum(axis=1)[order]) <= 0).all()


def test_a_nearly_decisive_round_robin_is_fitted_to_the_end() -> None:
    table = np.triu(np.full((5, 5), 400), 1) + np.tril(np.ones((5, 5), dtype=int), -1)
    found = bradley_terry(table)
    assert found.fit is not None
    assert found.fit.gradient < 1e-8
    p = found.fit.theta[:, None] - found.fit.theta[None]
    expected = (table + table.T) / (1 + np.exp(-p))
    assert expected.sum(axis=1) - np.diagonal(expected) == pytest.approx(table.sum(axis=1), abs=1e-7)


def test_a_chance_is_that_of_the_difference() -> None:
    found = bradley_terry([[0, 7, 2], [3, 0, 4], [5, 1, 0]])
    for i, j in itertools.permutations(range(3), 2):
        gap, chance = found.difference(i, j), found.win_probability(i, j)
        for ends in ("value", "low", "high"):
            assert getattr(chance, ends) == pytest.approx(1 / (1 + math.exp(-getattr(gap, ends))))


def test_edges() -> None:
    assert bradley_terry([[0]]).log_ability[0].undefined == "insufficient_systems"
    assert bradley_terry(np.zeros((0, 0))).log_ability == ()
    assert bradley_terry([[0, 0], [0, 0]]).log_ability[0].undefined == "disconnected"
    assert bradley_terry([[0, 0], [0, 0]]).graph.said("ab") == "{a}, {b} never met"
    one = PairedComparisons([0, 0], [1, 1], [FIRST, SECOND], 2, [7, 7])
    assert bradley_terry(one).difference(0, 1).no_interval == "insufficient_items"
    assert bradley_terry([[0, 1], [1, 0]], reference=0).log_ability[0].no_interval == "zero_width"
    assert bradley_terry(one).tie is None
    ladder = win_graph([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    assert ladder.said("abc") == "a never lost to b or c; c never won against a or b"


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: PairedComparisons([0], [0], [0], 2), "itself"),
        (lambda: PairedComparisons([0], [3], [0], 2), "beyond"),
        (lambda: PairedComparisons([0], [1], [3], 2), "outcome"),
        (lambda: PairedComparisons([0], [1, 0], [0], 2), "lengths"),
        (lambda: PairedComparisons([-1], [1], [0], 2), "codes"),
        (lambda: PairedComparisons.from_counts([[0, 1]]), "shape"),
        (lambda: PairedComparisons.from_counts([[0, 0.5], [0, 0]]), "whole"),
        (lambda: PairedComparisons.from_counts([[1, 1], [0, 0]]), "diagonal"),
        (lambda: PairedComparisons.from_counts([[0, 1], [1, 0]], [[0, 1], [2, 0]]), "symmetric"),
        (lambda: bradley_terry([[0, 1], [1, 0]], reference=2), "reference"),
        (lambda: bradley_terry([[0, 1], [1, 0]], level=2), "level"),
    ],
)
def test_mistakes_are_named(made: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        made()
