"""What more labels buy: the planted curve is found, and the labels' worth is said in words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from align.planted import of_logits
from voirdire.align.learning_curve import learning_curve, shape_of_curve
from voirdire.align.options import AlignOptions
from voirdire.errors import UserError


def test_the_planted_curve_is_found() -> None:
    rng = np.random.default_rng(1)
    n = np.array([[40.0, 80.0, 160.0, 320.0]] * 6)
    curve = shape_of_curve(n, 0.7 + 3 / n + 0.002 * rng.normal(size=n.shape), 480, gain_of_one=0.05)
    assert curve.floor == pytest.approx(0.7, abs=0.004)
    assert curve.slope.low < 3 < curve.slope.high
    assert curve.left.value == pytest.approx(curve.slope.value / 480)
    assert curve.next_gain.value == pytest.approx(curve.slope.value * (1 / 480 - 1 / 580))
    assert curve.votes == pytest.approx(curve.next_gain.value / 0.05)
    assert not curve.stop
    assert curve.sentence.startswith("Another 100 labels should buy 0.001 nats a row")


def test_a_flat_or_rising_curve_says_stop() -> None:
    n = np.array([[40.0, 80.0, 160.0]] * 4)
    curve = shape_of_curve(n, 0.7 - 0.1 / n, 240)
    assert curve.slope.value == 0.0
    assert curve.stop
    assert math.isnan(curve.votes)
    assert "stop labelling" in curve.sentence


def test_excess_loss_follows_free_parameters_over_twice_the_labels() -> None:
    """Section 5.1: a map with d free parameters loses about d / (2 n) nats at n single labels a row."""
    rng = np.random.default_rng(5)
    planted = of_logits(rng, 900, slope=0.8, bias=np.array([0.6, 0.0, -0.6]), k=1)
    curve = learning_curve(
        planted.features, planted.target, options=AlignOptions(select="temperature_bias"), draws=8, rng=rng
    )
    assert [point.n_labels for point in curve.points] == sorted(point.n_labels for point in curve.points)
    assert 0 < curve.slope.value < 8  # d is 3, so 1.5; one draw of held-out rows is noisy
    assert curve.points[0].loss.value > curve.points[-1].loss.value


def test_too_few_items_are_named() -> None:
    planted = of_logits(np.random.default_rng(1), 40)
    with pytest.raises(UserError, match=r"20 items .* at least 60; fix: label 40 more"):
        learning_curve(planted.features, planted.target, rng=np.random.default_rng(1))
