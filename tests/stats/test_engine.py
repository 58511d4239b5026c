"""Resampling, leaving out and clusters against the same thing done the long way."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from voirdire.errors import UserError
from voirdire.stats import (
    NEW_RATERS,
    BrennanPrediger,
    Coded,
    CongerKappa,
    FleissKappa,
    GwetAC,
    KrippendorffAlpha,
    LightKappa,
    PairwiseAgreement,
    PooledAgreement,
    Unanimity,
    agreement,
)
from voirdire.stats.coefficient import Coefficient, evaluate
from voirdire.stats.intervals import jackknife_error, percentile
from voirdire.stats.sums import draws, resample, tally
from voirdire.stats.units import collapse

NAN = float("nan")
COEFFICIENTS: dict[str, Coefficient] = {
    "pairwise": PairwiseAgreement(),
    "pooled": PooledAgreement(),
    "unanimity": Unanimity(),
    "fleiss": FleissKappa(),
    "fleiss_pooled": FleissKappa(marginals="pooled", weights="linear"),
    "ac2": GwetAC(weights="quadratic"),
    "bp": BrennanPrediger(),
    "conger": CongerKappa(),
    "light": LightKappa(),
    **{level: KrippendorffAlpha(level=level) for level in ("nominal", "ordinal", "interval", "ratio")},
}
CATEGORIES = [1, 2, 3]


def ratings(
    rng: np.random.Generator, items: int = 25, raters: int = 4, missing: float = 0.2
) -> NDArray[np.float64]:
    truth = rng.integers(1, 4, (items, 1))
    table = np.where(rng.random((items, raters)) < 0.6, truth, rng.integers(1, 4, (items, raters))).astype(
        float
    )
    table[rng.random(table.shape) < missing] = NAN
    return table


def coded(table: NDArray[np.float64], cluster: NDArray[np.int64] | None = None) -> Coded:
    return Coded.from_matrix(table, categories=CATEGORIES, cluster=cluster)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([1, 2, 3, None]), min_size=3, max_size=3), min_size=1), st.booleans()
)
def test_units_are_the_distinct_items(table: list[list[int | None]], by_rater: bool) -> None:
    rows = [row for row in table if any(x is not None for x in row)]
    kinds = Counter(
        tuple(row) if by_rater else tuple(sorted(x for x in row if x is not None)) for row in rows
    )
    units = collapse(Coded.from_matrix(table, categories=CATEGORIES), by_rater=by_rater)
    assert sorted(units.frequency) == sorted(kinds.values())
    assert (units.of_item >= 0).sum() == len(rows)


def test_a_tag_keeps_items_apart_and_is_no_label() -> None:
    pairs = list(itertools.product(range(3), range(3)))
    one_label = Coded.from_matrix([[label] for label, _ in pairs])
    assert len(collapse(one_label, tag=np.array([tag for _, tag in pairs])).frequency) == 9


def test_draws_are_multinomial(rng: np.random.Generator) -> None:
    frequency = np.array([1, 2, 5, 31, 32, 40, 200, 3])  # on both sides of the size at which units are pooled
    drawn = np.concatenate(list(draws(frequency, 20_000, rng)))
    assert (drawn.sum(axis=1) == frequency.sum()).all()
    expected = frequency.astype(float)
    spread = np.cov(drawn, rowvar=False)
    assert drawn.mean(axis=0) == pytest.approx(expected, rel=0.05)
    theory = np.diag(expected) - np.outer(expected, expected) / frequency.sum()
    assert spread == pytest.approx(theory, abs=4 * 200 * math.sqrt(2 / 20_000))


def test_resampled_alpha_is_distributed_as_alpha_of_resampled_items(rng: np.random.Generator) -> None:
    table = ratings(rng, items=60)
    fast = resample(tally(coded(table), [KrippendorffAlpha().form(coded(table))]), 2000, rng)[0]
    slow = [evaluate(KrippendorffAlpha(), coded(table[rng.integers(0, 60, 60)])) for _ in range(1000)]
    assert stats.ks_2samp(fast, slow).pvalue > 0.001


def test_leaving_out_an_item_is_leaving_out_its_row(rng: np.random.Generator) -> None:
    table = ratings(rng)
    found = agreement(coded(table), COEFFICIENTS, interval="jackknife")
    for key, coefficient in COEFFICIENTS.items():
        rated = np.flatnonzero((~np.isnan(table)).any(axis=1))
        without = np.array([evaluate(coefficient, coded(np.delete(table, i, axis=0))) for i in rated])
        error = math.sqrt((len(rated) - 1) ** 2 / len(rated) * without.var(ddof=1))
        reach = stats.t.ppf(0.975, len(rated) - 1) * error
        assert found[key].value == pytest.approx(evaluate(coefficient, coded(table)), abs=1e-12)
        assert found[key].high - found[key].value == pytest.approx(reach, rel=1e-9), key


def test_leaving_out_a_rater_is_leaving_out_a_column(rng: np.random.Generator) -> None:
    table = ratings(rng, missing=0.3)
    x = coded(table)
    for key, coefficient in COEFFICIENTS.items():
        [sums] = tally(x, [coefficient.form(x)], raters=True)
        columns = [table[:, [s for s in range(4) if s != r]] for r in range(4)]
        expected = [evaluate(coefficient, coded(column)) for column in columns]
        assert sums.without_each_rater() == pytest.approx(expected, abs=1e-9), key


def test_leaving_out_a_cluster_is_leaving_out_its_rows(rng: np.random.Generator) -> None:
    table, cluster = ratings(rng, items=40), rng.integers(0, 9, 40)
    x = coded(table, cluster)
    for coefficient in COEFFICIENTS.values():
        [sums] = tally(x, [coefficient.form(x)], raters=True)
        without = [evaluate(coefficient, coded(table[cluster != c])) for c in range(9)]
        assert sums.n == 9
        assert jackknife_error(sums.without_each_unit(), sums.frequency) == pytest.approx(
            jackknife_error(np.array(without)), rel=1e-9
        )
        assert len(sums.raters) == 4


@pytest.mark.parametrize("interval", ["percentile", "bca", "jackknife"])
def test_copies_of_an_item_in_its_cluster_make_no_interval_narrower(
    rng: np.random.Generator, interval: str
) -> None:
    table = ratings(rng, items=40, missing=0.0)
    copies = coded(np.repeat(table, 3, axis=0), np.repeat(np.arange(40), 3))
    options = {"fleiss": FleissKappa()}
    once = agreement(coded(table), options, interval=interval, rng=np.random.default_rng(5))["fleiss"]
    thrice = agreement(copies, options, interval=interval, rng=np.random.default_rng(5))["fleiss"]
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high), abs=1e-9)
    assert (thrice.n_clusters, thrice.n_items, once.n_clusters) == (40, 120, None)


def test_bca_is_that_of_scipy_for_a_mean(rng: np.random.Generator) -> None:
    table = np.where(rng.random((80, 1)) < 0.15, [[1.0, 2.0]], [[1.0, 1.0]])
    found = agreement(coded(table), ["unanimity"], interval="bca", resamples=20_000, rng=rng)["unanimity"]
    equal = (table[:, 0] == table[:, 1]).astype(float)
    theirs = stats.bootstrap((equal,), np.mean, n_resamples=20_000, method="BCa", rng=rng).confidence_interval
    assert (found.low, found.high) == pytest.approx(tuple(theirs), abs=1 / 80 + 1e-9)  # one step of the grid


def test_one_seed_is_one_result_whatever_is_estimated_beside_it(rng: np.random.Generator) -> None:
    x = coded(ratings(rng))
    alone = agreement(x, {"fleiss": FleissKappa()}, rng=np.random.default_rng(3))
    beside = agreement(x, {"ac": GwetAC(), "fleiss": FleissKappa()}, rng=np.random.default_rng(3))
    assert alone["fleiss"] == beside["fleiss"]


def test_many_raters_who_overlap_little(rng: np.random.Generator) -> None:
    items, raters = 3000, 500
    item = np.repeat(np.arange(items), 3)
    rater = np.concatenate([rng.choice(raters, 3, replace=False) for _ in range(items)])
    label = rng.integers(0, 2, len(item))
    sparse = Coded(*(a.astype(np.int32) for a in (item, rater, label)), items, raters, 2)
    found = agreement(sparse, ["krippendorff_alpha", "gwet_ac"], target=NEW_RATERS)
    assert all(e.has_interval and e.target == NEW_RATERS for e in found.values())
    assert found["gwet_ac"].low < 0 < found["gwet_ac"].high


def test_new_raters_need_three_raters_and_name_the_target(rng: np.random.Generator) -> None:
    table = ratings(rng, missing=0.0)
    assert (
        agreement(coded(table[:, :2]), ["gwet_ac"], target=NEW_RATERS)["gwet_ac"].no_interval
        == "insufficient_raters"
    )
    three = agreement(coded(table[:, :3]), ["gwet_ac"], target=NEW_RATERS)["gwet_ac"]
    same = agreement(coded(table[:, :3]), ["gwet_ac"], interval="jackknife")["gwet_ac"]
    assert three.high - three.low > same.high - same.low


def test_where_nothing_varies_there_is_no_zero_width_interval() -> None:
    agreed = coded(np.repeat([[1.0], [2.0], [3.0], [1.0]], 3, axis=1))
    for interval, target in itertools.product(
        ["percentile", "bca", "jackknife"], ["these raters, new items", NEW_RATERS]
    ):
        found = agreement(
            agreed, COEFFICIENTS, interval=interval, target=target, rng=np.random.default_rng(1)
        )
        for key, estimate in found.items():
            assert estimate.value == pytest.approx(1), key
            assert (estimate.has_interval, estimate.no_interval) == (False, "no_variation"), (key, interval)


def test_one_item_has_a_value_and_no_interval() -> None:
    found = agreement(
        coded(np.array([[1.0, 2.0]])), ["krippendorff_alpha", "fleiss_kappa"], interval="jackknife"
    )
    assert [e.value for e in found.values()] == [0, -1]
    assert {e.no_interval for e in found.values()} == {"insufficient_items"}


def test_undefined_resamples_are_counted() -> None:
    table = np.array([[1.0, 1.0]] * 5 + [[1.0, 2.0]])
    found = agreement(coded(table), ["krippendorff_alpha"], resamples=2000, rng=np.random.default_rng(1))
    lost = found["krippendorff_alpha"].undefined_resamples / 2000
    assert lost == pytest.approx((5 / 6) ** 6, abs=0.05)  # the chance that the one disagreement is not drawn
    assert percentile(np.array([NAN, NAN, 0.5]), 0.95).none == "too_few_resamples"


def test_counts_stand_beside_every_value() -> None:
    table = np.array([[1.0, 1.0, NAN], [2.0, NAN, NAN], [1.0, 2.0, 1.0], [NAN] * 3])
    found = agreement(coded(table), ["krippendorff_alpha"], interval="jackknife")["krippendorff_alpha"]
    assert (found.n_items, found.n_pairable_items, found.n_ratings) == (3, 2, 6)


def test_mistakes_are_named(rng: np.random.Generator) -> None:
    x = coded(ratings(rng))
    for options, text in [
        ({"interval": "exact"}, "no interval named 'exact'"),
        ({"target": "everyone"}, "no target named 'everyone'"),
        ({"level": 95}, "level 95 is not between 0 and 1"),
        ({}, "needs a generator"),
    ]:
        with pytest.raises(UserError, match=text):
            agreement(x, ["gwet_ac"], **options)
    with pytest.raises(UserError, match="no statistic named 'gwet'"):
        agreement(x, ["gwet"], interval="none")
    with pytest.raises(UserError, match="same name"):
        agreement(x, [GwetAC(), GwetAC(weights="linear")], interval="none")
    with pytest.raises(UserError, match="not a coefficient"):
        agreement(x, ["judge_against_people"], interval="none")
