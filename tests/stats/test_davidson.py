"""Models with ties, Davidson's and Rao and Kupper's: published data, brute force, existence, invariances."""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from voirdire.stats import Abilities, PairedComparisons, bradley_terry, davidson, rao_kupper
from voirdire.stats.position import FIRST, SECOND, TIE

Model = Callable[..., Abilities]
BOTH = pytest.mark.parametrize("model", [davidson, rao_kupper])


def case(shared: Path, name: str) -> dict[str, Any]:
    cases = json.loads((shared / "reference" / "reference_values.json").read_text())["cases"]
    return next(one for one in cases if one["id"] == name)


def worth(found: Abilities) -> np.ndarray:
    """The systems' pi, which sum to 1."""
    pi = np.exp([one.value for one in found.log_ability])
    return pi / pi.sum()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("model", "name", "tie"),
    [(davidson, "davidson_pudding", "nu"), (rao_kupper, "rao_kupper_pudding", "theta")],
)
def test_pudding(shared: Path, model: Model, name: str, tie: str) -> None:
    known = case(shared, name)
    found = model(PairedComparisons.from_counts(known["data"]["wins"], known["data"]["ties"]))
    expected, near = known["expected"], {"abs": known["tol"], "rel": 0}
    assert worth(found) == pytest.approx(expected["pi"], **near)
    assert found.tie is not None
    assert found.fit is not None
    assert found.tie.value == pytest.approx(expected[tie], **near)
    assert found.fit.log_likelihood == pytest.approx(expected["loglik"], **near)


def likelihood(model: Model, met: PairedComparisons) -> Callable[[np.ndarray], float]:
    """Minus the log likelihood as the papers write it, of all log abilities but one and the log parameter."""

    def value(theta: np.ndarray) -> float:
        pi, tie = np.exp(np.append(theta[:-1], 0.0)), math.exp(theta[-1])
        total = 0.0
        for i, j, outcome in zip(met.first, met.second, met.outcome, strict=True):
            a, b = pi[i], pi[j]
            if model is davidson:
                parts = [a, b, tie * math.sqrt(a * b)]
                p = parts[outcome] / sum(parts)
            else:
                p = [
                    a / (a + tie * b),
                    b / (tie * a + b),
                    a * b * (tie**2 - 1) / ((a + tie * b) * (tie * a + b)),
                ][outcome]
            total -= math.log(p) if p > 0 else -1e9
        return total

    return value


def drawn(seed: int, n: int = 3, m: int = 60) -> PairedComparisons:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, m)
    second = (first + rng.integers(1, n, m)) % n
    p = rng.dirichlet([4, 3, 3])
    return PairedComparisons(first, second, rng.choice([FIRST, SECOND, TIE], m, p=p), n)


@BOTH
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_brute_force_finds_nothing_likelier(model: Model, seed: int) -> None:
    met = drawn(seed)
    found = model(met, reference=met.n_systems - 1)
    assume(found.undefined is None and (met.outcome == TIE).any())
    assert found.fit is not None
    assert found.tie is not None
    search = minimize(
        likelihood(model, met),
        np.append(np.zeros(met.n_systems - 1), 0.3),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-11, "maxiter": 6000, "maxfev": 6000},
    )
    assert found.fit.log_likelihood >= -search.fun - 1e-7
    assert [one.value for one in found.log_ability][:-1] == pytest.approx(search.x[:-1], abs=2e-4)
    assert math.log(found.tie.value) == pytest.approx(search.x[-1], abs=2e-4)


@BOTH
def test_errors_are_the_inverse_of_the_numerical_curvature(model: Model) -> None:
    met = drawn(5, m=200)
    found = model(met, reference=2)
    assert found.tie is not None
    at = np.array([*(one.value for one in found.log_ability[:2]), math.log(found.tie.value)])
    value, h = likelihood(model, met), 1e-4
    unit = h * np.eye(3)
    curvature = [
        [
            (value(at + a + b) - value(at + a - b) - value(at - a + b) + value(at - a - b)) / (4 * h * h)
            for a in unit
        ]
        for b in unit
    ]
    errors = np.sqrt(np.diagonal(np.linalg.inv(curvature)))
    halves = [one.high - one.value for one in found.log_ability[:2]]
    halves.append(math.log(found.tie.high / found.tie.value))
    assert np.array(halves) / 1.959963985 == pytest.approx(errors, rel=1e-3)


@pytest.mark.shared
def test_davidson_is_a_log_linear_model(shared: Path) -> None:
    """statsmodels' Poisson regression of the counts, with one intercept a pair of systems."""
    data = case(shared, "davidson_pudding")["data"]
    counts, design = [], []
    pairs = list(itertools.combinations(range(6), 2))
    for number, (i, j) in enumerate(pairs):
        for count, a, tie in (
            (data["wins"][i][j], 0.5, 0),
            (data["wins"][j][i], -0.5, 0),
            (data["ties"][i][j], 0, 1),
        ):
            row = np.zeros(len(pairs) + 7)
            row[number], row[len(pairs) + i], row[len(pairs) + j], row[-1] = 1, a, -a, tie
            counts.append(count)
            design.append(np.delete(row, len(pairs)))  # the first system is the reference
    known = sm.GLM(counts, np.array(design), family=sm.families.Poisson()).fit(tol=1e-12)
    found = davidson(PairedComparisons.from_counts(data["wins"], data["ties"]), reference=0)
    assert found.tie is not None
    ours = [*(one.value for one in found.log_ability[1:]), math.log(found.tie.value)]
    assert ours == pytest.approx(known.params[len(pairs) :], abs=1e-8)
    errors = [(one.high - one.low) / (2 * 1.959963985) for one in found.log_ability[1:]]
    assert errors == pytest.approx(known.bse[len(pairs) : -1], rel=1e-6)


def recedes(met: PairedComparisons) -> bool:
    """Whether the likelihood grows forever in some direction of log abilities and log nu; a linear program.

    A result's chance never falls along a direction in which its own log weight rises at least as fast as that
    of the other two outcomes; the fit exists where only directions that leave every chance as it is do so.
    """
    rows = []
    for i, j, outcome in zip(met.first, met.second, met.outcome, strict=True):
        half = (np.eye(met.n_systems)[i] - np.eye(met.n_systems)[j]) / 2
        weights = [np.append(half, 0), np.append(-half, 0), np.append(0 * half, 1)]
        rows += [weights[outcome] - other for k, other in enumerate(weights) if k != outcome]
    table = np.unique(np.array(rows), axis=0)
    found = linprog(-table.sum(axis=0), A_ub=-table, b_ub=np.zeros(len(table)), bounds=(-1, 1))
    return bool(found.fun < -1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 4),
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(0, 2)), max_size=9),
)
def test_a_fit_exists_exactly_where_the_likelihood_has_one_maximum(
    n: int, results: list[tuple[int, int, int]]
) -> None:
    rows = [(a % n, (a + b) % n, o) for a, b, o in results if (a + b) % n != a % n]
    rows.append((0, 1, TIE))
    met = PairedComparisons(*np.array(rows).T, n)
    for model in (davidson, rao_kupper):
        found = model(met)
        unique = len(found.graph.islands) == 1
        assert (found.undefined is None) == (unique and not recedes(met)), found.undefined
        if found.undefined is None:
            assert found.fit is not None
            assert found.fit.converged


@BOTH
def test_a_win_and_a_tie_alone_have_no_best_fit(model: Model) -> None:
    found = model(PairedComparisons([0, 0], [1, 1], [FIRST, TIE], 2))
    assert found.graph.undefined is None
    assert found.undefined == found.difference(0, 1).undefined == "no_upsets"
    assert found.tie is not None
    assert found.tie.undefined == "no_upsets"


@BOTH
def test_without_ties_it_is_bradley_and_terry(model: Model) -> None:
    table = [[0, 7, 2], [3, 0, 4], [5, 1, 0]]
    found, plain = model(table), bradley_terry(table)
    assert found.log_ability == plain.log_ability
    assert found.win_probability(0, 1) == plain.win_probability(0, 1)
    assert found.tie is not None
    assert found.tie.value == {davidson: 0.0, rao_kupper: 1.0}[model]
    assert found.tie.no_interval == "zero_width"


@BOTH
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_names_and_sides_change_nothing_and_copies_only_the_errors(model: Model, seed: int) -> None:
    met = drawn(seed, n=4, m=160)
    base = model(met)
    assume(base.undefined is None and (met.outcome == TIE).any())
    assert base.tie is not None
    values = np.array([one.value for one in base.log_ability])
    order = np.random.default_rng(seed).permutation(4)
    flipped = np.where(met.outcome == TIE, TIE, 1 - met.outcome)
    renamed = model(PairedComparisons(order[met.second], order[met.first], flipped, 4))
    assert np.array([one.value for one in renamed.log_ability])[order] == pytest.approx(values, abs=1e-7)
    assert renamed.tie is not None
    assert renamed.tie.value == pytest.approx(base.tie.value, abs=1e-7)
    rows = np.tile(np.arange(len(met)), 4)
    copied = model(met.take(rows))
    assert [one.value for one in copied.log_ability] == pytest.approx(values, abs=1e-7)
    half = [one.high - one.low for one in copied.log_ability]
    assert half == pytest.approx([(one.high - one.low) / 2 for one in base.log_ability], rel=1e-5)


@BOTH
def test_chances_of_an_equal_pair_follow_the_tie_parameter(model: Model) -> None:
    met = PairedComparisons.from_counts([[0, 10], [10, 0]], [[0, 20], [20, 0]])
    found = model(met)
    assert found.win_probability(0, 1).value == pytest.approx(0.25)
    assert found.tie is not None
    # nu / (2 + nu) = 1/2, and (theta - 1) / (theta + 1) = 1/2
    assert found.tie.value == pytest.approx({davidson: 2.0, rao_kupper: 3.0}[model])
    chance = found.win_probability(0, 1)
    assert 0 < chance.low < 0.25 < chance.high < 1


@BOTH
def test_few_clusters_give_wide_bounds_or_none(model: Model) -> None:
    met = drawn(5, m=40)
    one = PairedComparisons(met.first, met.second, met.outcome, 3, np.zeros(40, dtype=int))
    alone = model(one).tie
    assert alone is not None
    assert alone.no_interval == "insufficient_items"
    assert math.isnan(alone.low)
    assert math.isnan(alone.high)
    assert math.isnan(model(one).win_probability(0, 1).low)
    two = model(PairedComparisons(met.first, met.second, met.outcome, 3, np.arange(40) % 2)).tie
    assert two is not None
    assert 0 <= two.low <= two.value <= two.high


def test_two_groups_share_one_tie_parameter() -> None:
    """Systems 0 and 1 always beat 2 and 3; within each pair there are wins both ways and ties."""
    wins = [[0, 4, 3, 3], [2, 0, 3, 3], [0, 0, 0, 5], [0, 0, 1, 0]]
    ties = [[0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 3], [0, 0, 3, 0]]
    found = davidson(PairedComparisons.from_counts(wins, ties))
    assert found.undefined == "undefeated"
    assert found.graph.groups == ((0, 1), (2, 3))
    assert found.graph.said("abcd") == "a and b never lost to c or d"
    assert found.difference(0, 1).value == pytest.approx(math.log(4 / 2), abs=0.2)
    assert found.difference(0, 2).undefined == "undefeated"
    assert found.tie is not None
    assert 0.5 < found.tie.value < 2


def simulation() -> Any:
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "_guarantees" / "preference.py"
    spec = importlib.util.spec_from_file_location("benchmarks_preference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("model", [bradley_terry, davidson])
def test_intervals_cover_where_verdicts_on_one_item_go_together(model: Model) -> None:
    made = simulation()
    found = made.covered(made.Design(systems=4, items=120, people=4, shift=1.5), model, 200, seed=1)
    # 800 intervals; those of one study hang together, so this is wider than their binomial error
    assert 0.92 <= found["clustered"] <= 0.98
    assert found["naive"] < 0.90
