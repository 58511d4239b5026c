"""Leniency within items: hand values, properties and coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from voirdire.errors import UserError
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.leniency import label_leniency, leniency

tables = arrays(np.int64, st.tuples(st.integers(1, 15), st.integers(2, 5)), elements=st.integers(-1, 2))


def long(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    item, rater = np.nonzero(table >= 0)
    return item, rater, table[item, rater]


def by_hand(table: np.ndarray, rater: int) -> list[float]:
    rows = [
        (row[rater], [v for r, v in enumerate(row) if r != rater and v >= 0])
        for row in table
        if row[rater] >= 0
    ]
    return [mine - np.mean(others) for mine, others in rows if others]


@settings(max_examples=60, deadline=None)
@given(tables)
def test_leniency_equals_the_comparison_item_by_item(table: np.ndarray) -> None:
    found = leniency(*long(table), n_raters=table.shape[1])
    for rater, estimate in enumerate(found):
        expected = by_hand(table, rater)
        if not expected:
            assert estimate.undefined == "no_pairable_items"
        else:
            assert estimate.value == pytest.approx(np.mean(expected), abs=1e-12)
            assert estimate.n_items == len(expected)


def test_a_rater_who_got_the_hard_items_is_not_blamed() -> None:
    """Items 0 and 1 are hard for all; rater 2 saw only those and labels as the others do."""
    item, rater, value = np.array(
        [[0, 0, 0], [0, 2, 0], [1, 1, 0], [1, 2, 0], [2, 0, 1], [2, 1, 1], [3, 0, 1], [3, 1, 1]]
    ).T
    assert [estimate.value for estimate in leniency(item, rater, value, n_raters=3)] == [0, 0, 0]


@settings(max_examples=40, deadline=None)
@given(tables, st.integers(-5, 5))
def test_shifts_change_nothing_and_label_shares_add_to_zero(table: np.ndarray, shift: int) -> None:
    item, rater, value = long(table)
    base = leniency(item, rater, value, n_raters=table.shape[1])
    moved = leniency(item, rater, value + shift, n_raters=table.shape[1])
    for one, other in zip(base, moved, strict=True):
        assert one.value == pytest.approx(other.value, nan_ok=True, abs=1e-12)
    for row in label_leniency(item, rater, value, n_raters=table.shape[1], n_categories=3):
        if row[0].undefined is None:
            assert sum(cell.value for cell in row) == pytest.approx(0, abs=1e-12)


def test_repeated_ratings_are_averaged_and_edges_say_why() -> None:
    once = leniency([0, 0, 1, 1], [0, 1, 0, 1], [1, 0.5, 1, 1], n_raters=2)
    repeated = leniency([0, 0, 0, 1, 1], [0, 1, 1, 0, 1], [1, 0, 1, 1, 1], n_raters=2)
    assert [r.value for r in once] == [r.value for r in repeated]
    assert leniency([], [], [], n_raters=1)[0].undefined == "no_pairable_items"
    assert leniency([0, 0], [0, 1], [1, 0], n_raters=2)[0].no_interval == "insufficient_items"
    same = leniency([0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 0], n_raters=2)[0]
    assert same.value == 1
    assert same.no_interval == "zero_width"
    with pytest.raises(UserError, match="rater code"):
        leniency([0], [3], [1], n_raters=2)
    with pytest.raises(UserError, match="length"):
        leniency([0], [0, 1], [1], n_raters=2)


def test_clusters_are_the_unit() -> None:
    rng = np.random.default_rng(1)
    item, rater = np.indices((40, 2)).reshape(2, -1)
    value = np.where(rater == 0, np.repeat(rng.normal(size=8), 10), 0.0)
    alone = leniency(item, rater, value, n_raters=2)[0]
    together = leniency(item, rater, value, n_raters=2, cluster=np.repeat(range(8), 5))[0]
    assert together.value == alone.value
    assert together.n_clusters == 8
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_clustered_mean_without_clusters_is_students_t() -> None:
    from scipy.stats import t

    x = np.random.default_rng(2).normal(size=12)
    low, high = t.interval(0.95, 11, loc=x.mean(), scale=x.std(ddof=1) / np.sqrt(12))
    found = clustered_mean(x)
    assert (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.coverage_simulation
def test_interval_covers_the_true_leniency() -> None:
    rng = np.random.default_rng(3)
    n, k, covered = 60, 3, []
    item, rater = np.indices((n, k)).reshape(2, -1)
    cluster = np.arange(n) // 3
    for _ in range(800):
        # rater 0 says yes to 70 of 100 items and the others to 55, all a little alike within clusters
        lean = rng.normal(0, 0.1, n // 3)[cluster][item]
        yes = rng.random(n * k) < np.where(rater == 0, 0.7, 0.55) + lean
        found = leniency(item, rater, yes, n_raters=k, cluster=cluster)[0]
        covered.append(found.low <= 0.15 <= found.high)
    assert 0.925 < np.mean(covered) < 0.975
