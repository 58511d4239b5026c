"""Ranks leave open what the data leave open, and decide what they decide."""

from __future__ import annotations

import numpy as np
import pytest

from bench.made import made, rated
from voirdire.bench.cells import ALL_VARIANTS, layers_of, selections
from voirdire.bench.outcomes import Outcomes
from voirdire.bench.ranks import Ranking, rankings
from voirdire.bench.tree import tree_of

SUITE = tuple(rated(f"m{code}") for code in range(40))


def ranking(outcomes: Outcomes, *, seed: int = 1) -> dict[tuple[str, str, str], Ranking]:
    layers = layers_of(outcomes, tree_of(outcomes.metrics))
    found = rankings(outcomes, layers[0], selections(outcomes), rng=np.random.default_rng(seed))
    return {(one.node, one.kind, one.variant): one for one in found}


def systems(*rates: float, seed: int = 5, shape: tuple[int, int] = (3, 2)) -> Outcomes:
    rng = np.random.default_rng(seed)
    chance = np.array(rates).reshape(1, 1, 1, -1, 1)
    return made(rng.random((40, *shape, len(rates), 1)) < chance, SUITE)


def test_systems_far_apart_have_one_rank_each() -> None:
    found = ranking(systems(0.1, 0.9, 0.5))["overall", "positive", ALL_VARIANTS]
    assert [one.system for one in found.systems] == ["sys1", "sys2", "sys0"]
    assert [(one.rank.low, one.rank.high) for one in found.systems] == [(1, 1), (2, 2), (3, 3)]
    assert (found.told_apart, found.pairs) == (3, 3)


def test_alike_systems_may_hold_any_rank() -> None:
    verdicts = np.tile(np.random.default_rng(2).random((40, 3, 2, 1, 1)) < 0.5, (1, 1, 1, 3, 1))
    found = ranking(made(verdicts, SUITE))["overall", "positive", ALL_VARIANTS]
    assert {(one.rank.low, one.rank.high) for one in found.systems} == {(1, 3)}
    assert {one.place for one in found.systems} == {1}
    assert found.told_apart == 0
    assert found.spread.value == 0


def test_the_spread_is_the_best_minus_the_last() -> None:
    outcomes = systems(0.2, 0.6, 0.4)
    found = ranking(outcomes)["overall", "positive", ALL_VARIANTS]
    means = outcomes.passed.reshape(40, 3, 2, 3).mean(axis=(0, 1, 2))
    assert found.spread.value == pytest.approx(means.max() - means.min())
    assert found.spread.low < found.spread.value < found.spread.high
    assert {(one.first, one.second) for one in found.differences} == {
        ("sys0", "sys1"),
        ("sys0", "sys2"),
        ("sys1", "sys2"),
    }


def test_one_metric_ranks_nobody() -> None:
    outcomes = made(np.array([1, 0] * 3).reshape(1, 3, 1, 2, 1), (rated("m"),), axes=({},))
    found = ranking(outcomes)["overall", "positive", ALL_VARIANTS]
    assert {(one.rank.low, one.rank.high) for one in found.systems} == {(1, 2)}
    assert found.spread.no_interval


def test_a_system_without_a_verdict_is_not_ranked() -> None:
    verdicts = np.ones((40, 1, 1, 3, 1), dtype=int)
    verdicts[:, :, :, 1] = -1
    found = ranking(made(verdicts, SUITE, axes=({},)))["overall", "positive", ALL_VARIANTS]
    assert [one.system for one in found.systems] == ["sys0", "sys2"]


def test_one_system_has_no_ranking() -> None:
    assert not ranking(made(np.ones((40, 1, 1, 1, 1)), SUITE, axes=({},)))


@pytest.mark.coverage_simulation
def test_true_ranks_lie_within_those_left_open() -> None:
    """All ranks at once, for new metrics: at least 95 of 100, less the error of 200 draws."""
    truth = np.array([0.45, 0.5, 0.6])
    inside = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        level = rng.normal(0, 0.15, (40, 1, 1, 1, 1))
        chance = np.clip(truth.reshape(1, 1, 1, 3, 1) + level, 0, 1)
        outcomes = made(rng.random((40, 3, 1, 3, 1)) < chance, SUITE, axes=({},))
        layers = layers_of(outcomes, tree_of(outcomes.metrics))
        (found, *_) = rankings(outcomes, layers[0], selections(outcomes), draws=500, rng=rng)
        held = {one.system: one.rank for one in found.systems}
        true = {"sys0": 3, "sys1": 2, "sys2": 1}
        inside += all(held[name].low <= place <= held[name].high for name, place in true.items())
    assert inside >= 200 * 0.95 - 2 * np.sqrt(200 * 0.95 * 0.05)
