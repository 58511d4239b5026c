"""Elo: the published updates, its dependence on order, and what order cannot change."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UserError
from voirdire.stats import PairedComparisons, elo
from voirdire.stats.elo import OTHER_ORDERS
from voirdire.stats.position import FIRST, SECOND, TIE


def by_hand(met: PairedComparisons, order: list[int] | None = None, k: float = 32.0) -> list[float]:
    rating = [1000.0] * met.n_systems
    for game in order if order is not None else range(len(met)):
        a, b, outcome = int(met.first[game]), int(met.second[game]), int(met.outcome[game])
        expected = 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400))
        change = k * ({FIRST: 1.0, SECOND: 0.0, TIE: 0.5}[outcome] - expected)
        rating[a] += change
        rating[b] -= change
    return rating


@pytest.mark.shared
def test_three_games(shared: Path) -> None:
    cases = json.loads((shared / "reference" / "reference_values.json").read_text())["cases"]
    known = next(one for one in cases if one["id"] == "elo_3games")
    names = sorted(known["expected"])
    outcomes = {1: FIRST, 0: SECOND, 0.5: TIE}
    games = [(names.index(a), names.index(b), outcomes[score]) for a, b, score in known["data"]["games"]]
    met = PairedComparisons(*np.array(games).T, len(names))
    found = elo(met, resamples=10, rng=np.random.default_rng(0))
    expected = [known["expected"][name] for name in names]
    assert found.in_order == pytest.approx(expected, abs=known["tol"], rel=0)


def drawn(seed: int, n: int = 4, m: int = 40) -> PairedComparisons:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, m)
    return PairedComparisons(first, (first + rng.integers(1, n, m)) % n, rng.integers(0, 3, m), n)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([4.0, 32.0]))
def test_ratings_equal_one_update_at_a_time_and_keep_their_sum(seed: int, k: float) -> None:
    met = drawn(seed)
    found = elo(met, k=k, resamples=20, rng=np.random.default_rng(seed))
    assert found.in_order == pytest.approx(by_hand(met, k=k))
    assert found.in_order.sum() == pytest.approx(4000)
    assert sum(one.value for one in found.over_orders) == pytest.approx(4000)


def test_the_mean_over_drawn_orders_nears_that_over_all_orders() -> None:
    met = drawn(2, n=3, m=6)
    every = np.array([by_hand(met, list(order)) for order in itertools.permutations(range(6))])
    found = elo(met, resamples=4000, rng=np.random.default_rng(1))
    for system, estimate in enumerate(found.over_orders):
        error = every[:, system].std() / math.sqrt(4000)
        assert abs(estimate.value - every[:, system].mean()) < 4 * error
        assert estimate.low >= every[:, system].min() - 1e-9
        assert estimate.high <= every[:, system].max() + 1e-9
        assert estimate.target == OTHER_ORDERS
        assert estimate.resamples == 4000


def test_the_order_of_the_rows_changes_the_mean_over_orders_by_no_more_than_chance() -> None:
    met = drawn(3, m=200)
    back = met.take(np.arange(200)[::-1])
    one = elo(met, rng=np.random.default_rng(0))
    other = elo(back, rng=np.random.default_rng(0))
    assert not np.allclose(one.in_order, other.in_order, atol=5)
    for a, b in zip(one.over_orders, other.over_orders, strict=True):
        assert a.value == pytest.approx(b.value, abs=(a.high - a.low) / 10)


def test_the_seed_fixes_the_orders() -> None:
    met = drawn(4)
    first, second = (elo(met, rng=np.random.default_rng(7)).over_orders for _ in range(2))
    assert first == second


def test_edges() -> None:
    rng = np.random.default_rng(0)
    one = elo(PairedComparisons([0], [1], [FIRST], 3), rng=rng)
    assert one.over_orders[0].value == 1016
    assert one.over_orders[0].no_interval == "zero_width"
    assert one.over_orders[2].undefined == "no_labels"
    none = elo(PairedComparisons([], [], [], 2), rng=rng)
    assert {estimate.undefined for estimate in none.over_orders} == {"no_labels"}
    assert none.in_order.tolist() == [1000, 1000]
    with pytest.raises(UserError, match="k 0"):
        elo(drawn(0), k=0, rng=rng)
    with pytest.raises(UserError, match="orders"):
        elo(drawn(0), resamples=0, rng=rng)
