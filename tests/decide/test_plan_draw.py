"""Draws with known chances: the chances are those that rows are really drawn with."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from voirdire.decide.plan_draw import Draw, fill_evenly, inclusion_probabilities, systematic

SIZES = arrays(np.float64, st.integers(1, 30), elements=st.floats(0.01, 100))


@given(SIZES, st.data())
@settings(max_examples=60, deadline=None)
def test_chances_sum_to_n_and_follow_size_below_1(size: np.ndarray, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(size)))
    chance, scale = inclusion_probabilities(size, n)
    assert chance.sum() == pytest.approx(n)
    assert ((chance > 0) & (chance <= 1)).all()
    below = chance < 1
    np.testing.assert_allclose(chance[below], scale * size[below])
    assert (size[~below] >= size[below].max(initial=0) * (1 - 1e-9)).all()


@given(SIZES, st.data(), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_systematic_draw_has_n_different_rows(size: np.ndarray, data: st.DataObject, seed: int) -> None:
    n = data.draw(st.integers(1, len(size)))
    chance, _ = inclusion_probabilities(size, n)
    rows = systematic(chance, rng=np.random.default_rng(seed))
    assert len(rows) == len(set(rows.tolist())) == n
    assert set(np.flatnonzero(chance == 1).tolist()) <= set(rows.tolist())


def test_rows_are_drawn_with_their_chances() -> None:
    rng = np.random.default_rng(1)
    chance, _ = inclusion_probabilities(np.array([1.0, 2.0, 3.0, 4.0, 30.0]), 3)
    times = np.zeros(5)
    for _ in range(4000):
        times[systematic(chance, rng=rng)] += 1
    np.testing.assert_allclose(times / 4000, chance, atol=4 * 0.5 / np.sqrt(4000))


def test_stages_give_every_row_the_chance_they_say() -> None:
    """40 labelled of 200 at random, then 30 uniform, 20 in a group, 25 by size: counted over many draws."""
    rng = np.random.default_rng(2)
    n, runs = 200, 1500
    size = np.linspace(0.2, 2, n)
    group = np.arange(n) % 4 == 0
    times, said = np.zeros(n), np.zeros(n)
    for _ in range(runs):
        labelled = np.zeros(n, dtype=bool)
        labelled[rng.choice(n, 40, replace=False)] = True
        draw = Draw.of(~labelled, np.full(n, 40 / n))
        draw.uniform(np.ones(n, dtype=bool), 30, "random", rng=rng)
        draw.uniform(group, 20, "group", rng=rng)
        draw.proportional(size, 25, "size", rng=rng)
        times += labelled
        times[[row for row, _ in draw.order]] += 1
        said += draw.chance
    error = np.sqrt(said / runs * (1 - said / runs) / runs)
    assert (np.abs(times - said) / runs < 4.5 * error).all()
    for part in (group, ~group):
        assert times[part].sum() / said[part].sum() == pytest.approx(1, abs=0.01)


def test_a_stage_takes_no_more_than_is_free() -> None:
    draw = Draw.of(np.array([True, True, False]), np.zeros(3))
    rng = np.random.default_rng(1)
    assert len(draw.uniform(np.ones(3, dtype=bool), 5, "random", rng=rng)) == 2
    assert len(draw.uniform(np.ones(3, dtype=bool), 5, "random", rng=rng)) == 0
    assert len(draw.proportional(np.ones(3), 5, "size", rng=rng)) == 0


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=8), st.integers(0, 100)
)
@settings(max_examples=60, deadline=None)
def test_filling_evenly_raises_the_smallest(groups: list[tuple[int, int]], n: int) -> None:
    have, most = [g[0] for g in groups], [g[1] for g in groups]
    added = fill_evenly(have, most, n)
    assert sum(added) == min(n, sum(most))
    assert all(0 <= a <= m for a, m in zip(added, most, strict=True))
    level = [h + a for h, a in zip(have, added, strict=True)]
    raised = [total for total, a in zip(level, added, strict=True) if a > 0]
    short = [total for total, a, m in zip(level, added, most, strict=True) if a < m]
    assert not raised or not short or max(raised) <= min(short) + 1
