"""Confidence sequences: the formula step by step, exact enumeration, whole paths by simulation, edges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UserError
from voirdire.stats import confidence_sequence

UNITS = st.lists(st.floats(0, 1), min_size=1, max_size=40)
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def step_by_step(x: list[float], error: float) -> list[float]:
    """The lower ends as theorem 4 writes them, one value and one line at a time in plain arithmetic."""
    ends = []
    for t in range(1, len(x) + 1):
        before = [min((0.5 + sum(x[:i])) / (i + 1), 1.0) for i in range(t)]
        v = sum((value - mean) ** 2 for value, mean in zip(x[:t], before, strict=True))
        lines = []
        for j in range(1, 11):
            slope = 2.0**-j
            psi = -math.log(1 - slope) - slope
            lines.append((sum(x[:t]) - (psi * v + math.log(10 / error)) / slope) / t)
        ends.append(max(lines))
    return ends


@given(UNITS)
@settings(max_examples=60, deadline=None)
def test_both_ends_are_the_papers_formula(x: list[float]) -> None:
    found = confidence_sequence(x, level=0.9)
    np.testing.assert_allclose(found.low, step_by_step(x, 0.05), rtol=1e-9)
    mirrored = step_by_step([1 - value for value in x], 0.05)
    np.testing.assert_allclose(found.high, 1 - np.array(mirrored), rtol=1e-9)


@given(UNITS, st.floats(-3, 3), st.floats(0.1, 5))
@settings(max_examples=40, deadline=None)
def test_units_do_not_matter_and_the_future_does_not_either(
    x: list[float], start: float, unit: float
) -> None:
    plain = confidence_sequence(x)
    moved = confidence_sequence(
        np.clip(start + unit * np.array(x), start, start + unit), bounds=(start, start + unit)
    )
    np.testing.assert_allclose(moved.low, start + unit * plain.low, atol=1e-7)
    np.testing.assert_allclose(moved.high, start + unit * plain.high, atol=1e-7)
    part = confidence_sequence(x[: len(x) // 2 + 1])
    np.testing.assert_allclose(part.low, plain.low[: len(part)])


@pytest.mark.parametrize("slope", [0.5, 0.125])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_each_line_is_a_supermartingale_by_exact_enumeration(slope: float, p: float) -> None:
    """Over all 2^8 paths of coin tosses exp(lambda (S - t p) - psi V) has mean 1 at most, whatever lambda."""
    psi, expected = -math.log(1 - slope) - slope, 0.0
    for path in itertools.product((0.0, 1.0), repeat=8):
        before = [(0.5 + sum(path[:i])) / (i + 1) for i in range(8)]
        v = sum((x - mean) ** 2 for x, mean in zip(path, before, strict=True))
        chance = math.prod(p if x else 1 - p for x in path)
        expected += chance * math.exp(slope * (sum(path) - 8 * p) - psi * v)
    assert 0 < expected <= 1 + 1e-12


def test_runs_are_independent_rows_and_widths_shrink() -> None:
    x = np.random.default_rng(1).random((3, 500))
    found = confidence_sequence(x)
    np.testing.assert_allclose(found.low[1], confidence_sequence(x[1]).low)
    width = found.high - found.low
    assert (width[:, 499] < 0.5 * width[:, 99]).all()
    assert (found.low <= found.mean).all()


@pytest.mark.coverage_simulation
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, shape: (rng.random(shape) < 0.1).astype(float),
        lambda rng, shape: (rng.random(shape) < 0.5).astype(float),
        lambda rng, shape: rng.beta(0.3, 1.2, shape),
    ],
    ids=["rare", "even", "skewed"],
)
def test_a_whole_path_stays_within_each_end(draw: Draw) -> None:
    """800 paths of 500 values at level 0.9: each end is crossed by at most 5 %, allowing 2.33 errors."""
    x = draw(np.random.default_rng(7), (800, 500))
    truth = float(draw(np.random.default_rng(8), (1, 2_000_000)).mean())
    found = confidence_sequence(x, level=0.9)
    most = 0.05 + 2.33 * math.sqrt(0.05 * 0.95 / 800)
    assert (found.low > truth).any(axis=1).mean() <= most
    assert (found.high < truth).any(axis=1).mean() <= most


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("scale", [0.2, 1.0, 4.0])
def test_the_lower_end_needs_no_upper_bound(scale: float) -> None:
    """Exponential values far beyond ``scale``: the lower end still holds over the whole path."""
    x = np.random.default_rng(3).exponential(1.0, (800, 500))
    found = confidence_sequence(x, bounds=(0.0, 1e3), scale=scale, level=0.9)
    most = 0.05 + 2.33 * math.sqrt(0.05 * 0.95 / 800)
    assert (found.low > 1.0).any(axis=1).mean() <= most


def test_a_mean_that_moves_below_the_bound_raises_no_end_above_it() -> None:
    rng = np.random.default_rng(5)
    mean = np.where(np.arange(600) < 300, 0.2, 0.5)
    found = confidence_sequence((rng.random((400, 600)) < mean).astype(float), level=0.9)
    assert (found.low > 0.5).any(axis=1).mean() <= 0.05


def test_edges_and_mistakes() -> None:
    assert len(confidence_sequence([])) == 0
    one = confidence_sequence([0.4])
    assert one.low[0] < 0 < 1 < one.high[0]
    constant = confidence_sequence(np.full(2000, 0.3))
    assert 0.29 < constant.low[-1] < 0.3 < constant.high[-1] < 0.31
    for mistake in ([1.5], [math.nan]):
        with pytest.raises(UserError, match="outside the bounds"):
            confidence_sequence(mistake)
    with pytest.raises(UserError, match="lower end below"):
        confidence_sequence([0.5], bounds=(1, 0))
    with pytest.raises(UserError):
        confidence_sequence([0.5], level=1.5)
