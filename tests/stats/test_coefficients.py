"""The coefficients against other packages, against exact arithmetic, and against what must hold of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from statsmodels.stats import inter_rater

from voirdire.errors import UserError
from voirdire.stats import (
    Coded,
    KrippendorffAlpha,
    agreement,
    agreement_weights,
    brennan_prediger,
    conger_kappa,
    fleiss_category_kappas,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    krippendorff_alpha_sets,
    light_kappa,
    pairwise_agreement,
    pooled_agreement,
    set_distance,
    unanimity,
)

NAN = float("nan")
ALL: dict[str, Callable[[Coded], float]] = {
    "pairwise_agreement": pairwise_agreement,
    "pooled_agreement": pooled_agreement,
    "unanimity": unanimity,
    "fleiss_kappa": fleiss_kappa,
    "fleiss_pooled": lambda x: fleiss_kappa(x, marginals="pooled"),
    "gwet_ac": gwet_ac,
    "brennan_prediger": brennan_prediger,
    "conger_kappa": conger_kappa,
    "light_kappa": light_kappa,
    "nominal": krippendorff_alpha,
}
ORDERED: dict[str, Callable[[Coded], float]] = {
    "gwet_quadratic": lambda x: gwet_ac(x, weights="quadratic"),
    "conger_linear": lambda x: conger_kappa(x, weights="linear"),
    **{
        level: lambda x, level=level: krippendorff_alpha(x, level=level)
        for level in ("ordinal", "interval", "ratio")
    },
}
Table = NDArray[np.float64]


@st.composite
def tables(draw: st.DrawFn, missing: bool = True, values: tuple[float, ...] = (1, 2, 4, 9)) -> Table:
    n, r = draw(st.integers(1, 8)), draw(st.integers(2, 4))
    cell = st.sampled_from([*values, NAN] if missing else list(values))
    return np.array(draw(st.lists(st.lists(cell, min_size=r, max_size=r), min_size=n, max_size=n)))


def coded(table: Table) -> Coded:
    return Coded.from_matrix(table, categories=[1, 2, 4, 9])


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) < 1e-9


@settings(max_examples=100, deadline=None)
@given(tables(), st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_alpha_is_that_of_the_krippendorff_package(table: Table, level: str) -> None:
    pairable = table[(~np.isnan(table)).sum(axis=1) >= 2]
    assume(len(np.unique(pairable[~np.isnan(pairable)])) > 1)
    theirs = krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)
    assert krippendorff_alpha(coded(table), level=level) == pytest.approx(theirs, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(tables(missing=False))
def test_fleiss_on_complete_tables_is_that_of_statsmodels(table: Table) -> None:
    x = coded(table)
    assume((x.label != x.label[0]).any())
    assert fleiss_kappa(x) == pytest.approx(inter_rater.fleiss_kappa(x.counts()), abs=1e-9)


def exact(table: Table) -> dict[str, Fraction | None]:
    """Fleiss, AC1 and Conger from their definitions, in rational arithmetic, pair by pair."""
    labels = [1.0, 2.0, 4.0, 9.0]
    items = [[x for x in row if x == x] for row in table.tolist()]
    pairable = [row for row in items if len(row) >= 2]
    raters = [[x for x in column if x == x] for column in table.T.tolist()]
    raters = [column for column in raters if column]
    if not pairable:
        return dict.fromkeys(("fleiss", "gwet", "conger"))
    agreeing = [[a == b for a, b in itertools.permutations(row, 2)] for row in pairable]
    p_a = sum(Fraction(sum(pairs), len(pairs)) for pairs in agreeing) / len(pairable)
    rated = [row for row in items if row]
    pi = [sum(Fraction(row.count(k), len(row)) for row in rated) / len(rated) for k in labels]
    shares = [[Fraction(column.count(k), len(column)) for k in labels] for column in raters]
    pairs = list(itertools.permutations(shares, 2))
    by_pairs = sum(sum(p * q for p, q in zip(a, b, strict=True)) for a, b in pairs) / len(pairs)
    by_chance = {
        "fleiss": sum(p * p for p in pi),
        "gwet": sum(p * (1 - p) for p in pi) / 3,
        "conger": by_pairs,
    }
    return {key: None if p_e == 1 else (p_a - p_e) / (1 - p_e) for key, p_e in by_chance.items()}


@settings(max_examples=100, deadline=None)
@given(tables())
def test_missing_ratings_against_exact_arithmetic(table: Table) -> None:
    functions = {"fleiss": fleiss_kappa, "gwet": gwet_ac, "conger": conger_kappa}
    for key, value in exact(table).items():
        found = functions[key](coded(table))
        assert math.isnan(found) if value is None else found == pytest.approx(float(value), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_items_and_raters_and_missing_rows_change_nothing(table: Table, random: object) -> None:
    rng = np.random.default_rng(len(table))
    changed = table[rng.permutation(len(table))][:, rng.permutation(table.shape[1])]
    changed = np.vstack([changed, np.full((2, table.shape[1]), NAN)])
    changed = np.column_stack([changed, np.full(len(changed), NAN)])
    for name, statistic in (ALL | ORDERED).items():
        assert same(statistic(coded(table)), statistic(coded(changed))), name


@settings(max_examples=40, deadline=None)
@given(tables())
def test_names_of_labels_change_nothing_where_no_order_is_used(table: Table) -> None:
    names = {1: "d", 2: "a", 4: "c", 9: "b"}
    words = [[None if x != x else names[x] for x in row] for row in table.tolist()]
    renamed = Coded.from_matrix(words, categories=list("abcd"))
    for name, statistic in ALL.items():
        assert same(statistic(coded(table)), statistic(renamed)), name


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([1.0, 2.0, 4.0, 9.0]), min_size=2, max_size=8), st.integers(2, 4))
def test_perfect_agreement_is_one(labels: list[float], raters: int) -> None:
    assume(len(set(labels)) > 1)
    table = np.repeat(np.array(labels)[:, None], raters, axis=1)
    for name, statistic in (ALL | ORDERED).items():
        assert statistic(coded(table)) == pytest.approx(1, abs=1e-12), name


@settings(max_examples=30, deadline=None)
@given(tables())
def test_no_coefficient_is_above_one_or_warns(table: Table) -> None:
    for name, statistic in (ALL | ORDERED).items():
        value = statistic(coded(table))
        assert math.isnan(value) or value <= 1 + 1e-12, name


@pytest.mark.parametrize(
    ("name", "labels", "expected"),
    [
        ("B3 negative alpha is legal", [["A", "B"], ["B", "A"]], -0.5),
        (
            "a label seen only on an unpaired item",
            [["1", "1", None], ["1", "1", None], [None, None, "2"]],
            None,
        ),
        ("missing is not a label", [["1", "1", None], ["1", "1", "1"], ["2", None, "2"]], 1.0),
        ("one pairable item of three", [["y", None, None], ["n", "n", None], [None, "y", None]], None),
    ],
)
def test_alpha_of_small_tables(name: str, labels: list[list[str | None]], expected: float | None) -> None:
    value = krippendorff_alpha(labels)
    assert math.isnan(value) if expected is None else value == pytest.approx(expected)


def test_b1_all_the_same_label_is_undefined_and_says_why() -> None:
    ratings = Coded.from_matrix([["pass"] * 3] * 4, categories=["pass", "fail"])
    found = agreement(
        ratings, ["pairwise_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac"], interval="none"
    )
    assert [e.value for e in found.values()] == pytest.approx([1, NAN, NAN, 1], nan_ok=True)
    assert [e.undefined for e in found.values()] == [None, "no_variation", "no_variation", None]


def battery(borderline: str | None) -> Coded:
    rows = ["pp.", "pfp", "fff", "p..", "fpf", "bpb"]
    table = [[None if x == "." else borderline if x == "b" else x for x in row] for row in rows]
    return Coded.from_matrix(table, categories=["f", "b", "p"] if borderline == "b" else ["f", "p"])


@pytest.mark.parametrize(
    ("borderline", "alpha"), [("b", 0.35), (None, 1 / 3), ("f", 0.1875), ("p", 0.458333)]
)
def test_b30_alpha_under_every_policy(borderline: str | None, alpha: float) -> None:
    assert krippendorff_alpha(battery(borderline)) == pytest.approx(alpha, abs=1e-6)


def test_b5_other_coefficients_of_battery_m() -> None:
    ratings = battery("b")
    assert krippendorff_alpha(ratings, level="ordinal") == pytest.approx(0.303571, abs=1e-6)
    assert pooled_agreement(ratings) == pytest.approx(7 / 13)
    assert gwet_ac(ratings) == pytest.approx(0.44138, abs=1e-5)
    assert (
        agreement(ratings, ["krippendorff_alpha"], interval="none")["krippendorff_alpha"].n_pairable_items
        == 5
    )


def test_b7_an_order_is_declared_or_refused_never_guessed() -> None:
    rows = list(zip(["low", "low", "medium", "medium", "high", "high"],
                    ["low", "medium", "medium", "high", "high", "high"], strict=True))  # fmt: skip
    ordered = Coded.from_matrix(rows, categories=["low", "medium", "high"])
    assert krippendorff_alpha(ordered, level="ordinal") == pytest.approx(0.763558, abs=1e-6)
    assert conger_kappa(ordered, weights="quadratic", by="rank") == pytest.approx(0.75)
    unordered = Coded.from_matrix(rows)
    with pytest.raises(UserError, match="declared order"):
        krippendorff_alpha(unordered, level="ordinal")
    with pytest.raises(UserError, match="declare the categories"):
        conger_kappa(unordered, weights="quadratic", by="rank")
    found = agreement(unordered, {"ordinal": KrippendorffAlpha(level="ordinal")}, interval="none")
    assert found["ordinal"].undefined == "no_order"
    interval = agreement(ordered, {"interval": KrippendorffAlpha(level="interval")}, interval="none")
    assert interval["interval"].undefined == "not_numeric"


def test_a_ratio_scale_has_no_negative_values() -> None:
    ratings = Coded.from_matrix([[-1.0, 1.0], [2.0, 2.0]])
    found = agreement(ratings, {"ratio": KrippendorffAlpha(level="ratio")}, interval="none")
    assert found["ratio"].undefined == "negative_values"


def test_unequal_numbers_of_raters_under_both_marginals() -> None:
    ratings = Coded.from_matrix(
        [["a", "a", "a", None], ["a", "a", "b", None], ["a", "b", None, None], ["b"] * 4]
    )
    assert fleiss_kappa(ratings) == pytest.approx(23 / 143)
    assert fleiss_kappa(ratings, marginals="pooled") == pytest.approx(1 / 6)


def test_continuous_scores_need_no_table_of_items_by_values(rng: np.random.Generator) -> None:
    scores = rng.normal(size=(20_000, 1)) + rng.normal(size=(20_000, 3))
    ratings = Coded.from_matrix(scores)
    assert ratings.q == 60_000
    between, within = scores.mean(axis=1).var() * 3, scores.var(axis=1, ddof=1).mean()
    assert krippendorff_alpha(ratings, level="interval") == pytest.approx(
        1 - within / scores.var(ddof=1), abs=1e-9
    )
    assert between > within
    with pytest.raises(UserError, match="can be counted"):
        krippendorff_alpha(ratings)


def test_interval_alpha_survives_values_far_from_zero() -> None:
    small = np.array([[1.0, 2.0], [3.0, 3.0], [2.0, NAN], [4.0, 3.0]])
    expected = krippendorff_alpha(small, level="interval")
    assert krippendorff_alpha(small * 1e-7 + 2026, level="interval") == pytest.approx(expected, abs=1e-4)
    assert krippendorff_alpha(small * 1e9, level="interval") == pytest.approx(expected, abs=1e-12)


def test_category_kappas_average_to_fleiss_kappa_weighted_by_their_chance() -> None:
    ratings = Coded.from_matrix([[1, 1, 2], [2, 2, 2], [3, 1, 3], [3, 3, 3], [1, 2, 3]])
    p = np.bincount(ratings.label) / ratings.n_ratings
    kappas = fleiss_category_kappas(ratings)
    assert (kappas * p * (1 - p)).sum() / (p * (1 - p)).sum() == pytest.approx(fleiss_kappa(ratings))


def test_sets_are_alpha_with_the_distance_of_sets() -> None:
    sets = [frozenset("a"), frozenset("ab"), frozenset()]
    distance = [[set_distance(a, b) for b in sets] for a in sets]
    rows = [[0, 0, 1], [1, 1, None], [2, 0, 2], [2, 2, 2]]
    expected = krippendorff_alpha(rows, categories=[0, 1, 2], level=distance)
    named = [[None if k is None else set(sets[k]) for k in row] for row in rows]
    assert krippendorff_alpha_sets(named) == pytest.approx(expected)
    assert set_distance("ab", "bc", "jaccard") == pytest.approx(2 / 3)
    with pytest.raises(UserError, match="is not a set"):
        krippendorff_alpha_sets([["ab", {"a"}]])


def test_quadratic_weights_make_alpha_and_interval_alpha_one(rng: np.random.Generator) -> None:
    ratings = Coded.from_matrix(rng.integers(0, 5, (30, 3)))
    d2 = 1 - agreement_weights(ratings, "quadratic")
    assert krippendorff_alpha(ratings, level=d2) == pytest.approx(
        krippendorff_alpha(ratings, level="interval")
    )


def test_light_leaves_out_pairs_that_share_nothing() -> None:
    assert light_kappa([[1, 1, None], [2, 2, None], [1, None, 1]]) == pytest.approx(1.0)


def test_too_many_raters_to_pair_are_refused_and_named_in_an_estimate(rng: np.random.Generator) -> None:
    item, rater = np.arange(60_000), np.arange(60_000) // 2
    many = Coded(*(a.astype(np.int32) for a in (item // 2, rater, item % 2)), 30_000, 60_000, 2)
    with pytest.raises(UserError, match="conger_kappa cannot be computed: too many raters"):
        conger_kappa(many)
    found = agreement(many, ["conger_kappa", "light_kappa"], interval="none")
    assert {estimate.undefined for estimate in found.values()} == {"too_many_raters"}
    few = Coded.from_matrix(rng.integers(0, 2, (300_000, 5)))
    assert light_kappa(few) == pytest.approx(conger_kappa(few), abs=1e-3)


@pytest.mark.parametrize("table", [np.full((2, 3), NAN), np.empty((0, 3)), np.empty((3, 0)), [[None, None]]])
def test_nothing_to_count_is_undefined_and_says_so(table: object) -> None:
    empty = Coded.from_matrix(table)
    for name, statistic in (ALL | ORDERED).items():
        assert math.isnan(statistic(empty)), name
    found = agreement(empty, ["fleiss_kappa", "light_kappa"], interval="jackknife")
    assert {estimate.undefined for estimate in found.values()} == {"no_labels"}
