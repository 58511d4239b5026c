"""Directions are computed: whichever way it lies, and as certain as the intervals are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from bench.made import made, rated
from voirdire.bench.cells import ALL, ALL_VARIANTS, layers_of, selections
from voirdire.bench.gaps import directions, gaps
from voirdire.bench.outcomes import Outcomes
from voirdire.bench.shares import PassRate, pass_rates
from voirdire.bench.tree import tree_of
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.proportion import proportion


def rates(outcomes: Outcomes) -> list[PassRate]:
    layers = layers_of(outcomes, tree_of(outcomes.metrics))
    return [one for layer in layers for one in pass_rates(outcomes, layer, selections(outcomes))]


def suite(positive: float, negative: float) -> Outcomes:
    """60 metrics, half of each kind, whose verdicts pass at these rates, by three systems."""
    metrics = tuple(rated(f"m{code}", "negative" if code % 2 else "positive") for code in range(60))
    passing = np.where(np.arange(60) % 2, negative, positive).reshape(-1, 1, 1, 1, 1)
    passed = np.random.default_rng(4).random((60, 5, 1, 3, 1)) < passing
    wanted = (np.arange(60) % 2 == 0).reshape(-1, 1, 1, 1, 1)
    return made(np.where(wanted, passed, ~passed), metrics, axes=({},))


@pytest.mark.parametrize(("positive", "negative", "above"), [(0.9, 0.2, 3), (0.2, 0.9, 0)])
def test_either_direction_may_be_found(positive: float, negative: float, above: int) -> None:
    found = list(gaps(rates(suite(positive, negative))))
    (told,) = [one for one in directions(found) if (one.node, one.variant) == ("overall", ALL_VARIANTS)]
    assert (told.systems, told.above, told.below) == (3, above, 3 - above)
    assert (told.surely_above, told.surely_below) == (above, 3 - above)
    whole = next(one for one in found if (one.node, one.system) == ("overall", ALL))
    assert whole.difference.value == pytest.approx(positive - negative, abs=0.06)


def test_where_the_two_are_alike_no_direction_is_sure() -> None:
    (told, *_) = directions(list(gaps(rates(suite(0.5, 0.5)))))
    assert told.above + told.below <= 3
    assert (told.surely_above, told.surely_below) == (0, 0)


def rate(kind: str, share: Estimate) -> PassRate:
    return PassRate("n", kind, "s", "v", share, share, share, 0, 0, 0, 0.0, 1.0, 0, 0)  # type: ignore[arg-type]


def test_of_independent_shares_it_is_newcombes_interval() -> None:
    one, other = proportion(56, 70), proportion(48, 80)
    (found,) = gaps([rate("positive", one), rate("negative", other)])
    low, high = confint_proportions_2indep(56, 70, 48, 80, method="newcomb")
    # the example of Newcombe 1998, table II(a): 0.0524 to 0.3339
    assert (found.difference.low, found.difference.high) == (pytest.approx(low), pytest.approx(high))
    assert (round(found.difference.low, 4), round(found.difference.high, 4)) == (0.0524, 0.3339)


def test_a_share_that_is_undefined_or_has_no_interval_passes_that_on() -> None:
    bare = Estimate(0.5, no_interval="insufficient_items")
    (found,) = gaps([rate("positive", proportion(5, 10)), rate("negative", bare)])
    assert found.difference.value == 0
    assert found.difference.no_interval == "insufficient_items"
    (nothing,) = gaps([rate("positive", undefined("no_labels")), rate("negative", bare)])
    assert nothing.difference.undefined == "no_labels"
    assert math.isnan(nothing.difference.value)


def test_a_node_of_one_kind_has_no_gap() -> None:
    assert not list(gaps([rate("positive", proportion(5, 10))]))
