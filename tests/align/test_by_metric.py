"""Gains metric by metric: raw beside shrunken, pooled over metrics that share clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from align.planted import of_metrics
from voirdire.align.by_metric import error_covariance
from voirdire.align.held_out import Protocol
from voirdire.align.protocol import evaluate
from voirdire.stats.clustered import clustered_mean

QUICK = Protocol(calibrators=("temperature_bias",), repeats=1, resamples=100)


def test_the_covariance_holds_each_means_own_error_and_what_they_share() -> None:
    rng = np.random.default_rng(1)
    cluster, part = np.repeat(np.arange(400), 2), np.tile([0, 1], 400)
    shared = rng.normal(size=400)[cluster]
    x = shared + rng.normal(size=800)
    parts = [part == 0, part == 1]
    found = error_covariance(x, parts, cluster)
    for place, rows in enumerate(parts):
        alone = clustered_mean(x[rows], cluster=np.arange(400))
        error = (alone.high - alone.low) / 2 / 1.966
        assert math.sqrt(found[place, place]) == pytest.approx(error, rel=1e-3)
    correlation = found[0, 1] / math.sqrt(found[0, 0] * found[1, 1])
    assert correlation == pytest.approx(0.5, abs=0.1)
    apart = error_covariance(x, parts, np.arange(800))
    assert apart[0, 1] == 0.0
    assert np.isnan(error_covariance(x, [part == 0, np.arange(800) == 1], cluster)[1, 1])


def test_metrics_are_drawn_to_their_mean_and_the_little_known_ones_most() -> None:
    rng = np.random.default_rng(2)
    bias = rng.normal(size=(4, 3))
    planted = of_metrics(rng, 400, bias, slope=1.0, k=3)
    found = evaluate(planted.features, planted.target, protocol=QUICK, rng=rng)
    mean = found.pooled.mean
    assert len(found.metrics) == 4
    assert mean.low < mean.value < mean.high
    assert found.pooled.between.value >= 0
    for one in found.metrics:
        assert one.shrunken.n_items == one.n_rows
        inside = sorted([one.gain.value, mean.value])
        assert inside[0] - 0.02 <= one.shrunken.value <= inside[1] + 0.02
        assert one.shrunken.high - one.shrunken.low <= one.gain.high - one.gain.low + 0.01
        assert one.optimum <= one.log.value + 0.1
        assert one.gain.value == pytest.approx(one.floor - one.log.value)
        assert one.raw > one.log.value


def test_below_three_metrics_nothing_is_pooled() -> None:
    rng = np.random.default_rng(3)
    planted = of_metrics(rng, 200, np.array([[1.0, 0.0, -1.0], [-1.0, 0.0, 1.0]]), slope=1.0, k=2)
    found = evaluate(planted.features, planted.target, protocol=QUICK, rng=rng)
    assert found.pooled.mean.undefined == "insufficient_items"
    assert [one.shrunken.undefined for one in found.metrics] == ["insufficient_items"] * 2
    assert all(one.gain.has_interval for one in found.metrics)
