"""The probability integral transform: flat where calibrated, shifted or bent where not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from voirdire.align.pit import pit, randomised_pit


def made(rng: np.random.Generator, n: int = 600, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    q = 0.95 * rng.dirichlet(np.ones(5), size=n) + 0.01
    return q, rng.multinomial(k, q).astype(float)


def test_one_label_by_hand() -> None:
    found = pit(np.array([[0.25, 0.5, 0.25]]), np.array([[0.0, 1.0, 0.0]]), np.array([0]))
    shares = [one.share.value for one in found.bins]
    assert shares == pytest.approx([0, 0, 0.1, 0.2, 0.2, 0.2, 0.2, 0.1, 0, 0])
    assert found.location.value == 0.0
    assert found.spread.value == pytest.approx(12 * (2 * 0.25**3 / 3) / 0.5 - 1)
    assert math.isnan(found.p)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_figures_are_the_means_of_the_randomised_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, counts = made(rng, n=6, k=2)
    found = pit(q, counts, np.arange(6))
    assert sum(one.share.value for one in found.bins) == pytest.approx(1.0)
    drawn = np.array([randomised_pit(q, counts, rng) for _ in range(2000)])
    assert drawn.mean() - 0.5 == pytest.approx(found.location.value, abs=0.02)
    assert 12 * ((drawn - 0.5) ** 2).mean() - 1 == pytest.approx(found.spread.value, abs=0.06)
    shares = [((drawn >= one.low) & (drawn < one.high)).mean() for one in found.bins]
    assert shares == pytest.approx([one.share.value for one in found.bins], abs=0.02)


def test_a_calibrated_prediction_is_uniform_and_rejected_as_often_as_said() -> None:
    rng = np.random.default_rng(3)
    q, counts = made(rng, n=3000)
    assert kstest(randomised_pit(q, counts, rng), "uniform").pvalue > 0.01
    p = [pit(*made(rng, n=120), np.arange(120) // 2).p for _ in range(300)]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 300))


def test_the_band_holds_the_shares_of_a_calibrated_prediction() -> None:
    rng = np.random.default_rng(4)
    inside = [
        one.expected_low <= one.share.value <= one.expected_high
        for _ in range(60)
        for one in pit(*made(rng, n=150), np.arange(150)).bins
    ]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)


def test_shift_and_spread_are_told_apart() -> None:
    rng = np.random.default_rng(5)
    q, counts = made(rng)
    cluster = np.arange(600)
    higher = pit(q, np.roll(counts, 1, axis=1) * [0, 1, 1, 1, 1], cluster)
    assert higher.location.low > 0
    assert higher.p < 1e-6
    sharp = q**3 / (q**3).sum(axis=1, keepdims=True)
    flat = q**0.3 / (q**0.3).sum(axis=1, keepdims=True)
    assert pit(sharp, counts, cluster).spread.low > 0 > pit(flat, counts, cluster).spread.high


def test_rows_without_labels_and_impossible_labels() -> None:
    q, counts = made(np.random.default_rng(6), n=30)
    more = pit(np.vstack([q, q]), np.vstack([counts, 0 * counts]), np.arange(60))
    alone = pit(q, counts, np.arange(30))
    assert more.location.value == pytest.approx(alone.location.value)
    sure = pit(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.array([0]))
    assert sure.bins[-1].share.value == pytest.approx(1.0)
