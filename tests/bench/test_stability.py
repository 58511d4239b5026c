"""Variance is split among levels that were repeated, and the judge's own repeats are told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bench.made import made, rated
from voirdire.bench.outcomes import Outcomes
from voirdire.bench.stability import LEVELS, stability, variance_split
from voirdire.errors import UserError
from voirdire.stats.fleiss import fleiss_kappa
from voirdire.stats.nested_components import nested_components

METRICS = tuple(rated(f"m{code}", "negative" if code % 3 else "positive") for code in range(30))


def coins(seed: int, *, repeats: int = 3, runs: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Chances of each conversation by metric, scenario, variant, system and repeat, and verdicts on them."""
    rng = np.random.default_rng(seed)
    metric = rng.beta(3, 3, (30, 1, 1, 1, 1))
    scenario = rng.beta(8 * metric, 8 * (1 - metric), (30, 3, 1, 1, 1))
    chance = rng.beta(8 * scenario, 8 * (1 - scenario), (30, 3, 2, 2, repeats))
    return chance, rng.random((*chance.shape, runs)) < chance[..., None]


def test_every_level_that_was_repeated_has_its_variance() -> None:
    _, verdicts = coins(1)
    outcomes = made(verdicts, METRICS)
    for split in variance_split([outcomes]):
        found = {one.level: one for one in split.components}
        assert tuple(found) == LEVELS
        known = [one for one in split.components if one.variance.undefined is None]
        assert sum(one.share for one in known) == pytest.approx(1)
        # one judge: what differs between judges is in what differs between conversations
        assert found["conversation"].holds == ("judge",)
        assert found["judge"].variance.undefined == "not_identifiable"
        assert found["judge repeat"].variance.value > 0.1


def test_the_split_is_that_of_each_kind_alone() -> None:
    _, verdicts = coins(2)
    outcomes = made(verdicts, METRICS)
    split = {one.kind: one for one in variance_split([outcomes])}
    rows = np.flatnonzero(outcomes.polarity == 0)
    value = 1.0 - outcomes.runs[rows].ravel()
    each = np.repeat(rows, 2)
    wanted = nested_components(
        value,
        [outcomes.metric[each], outcomes.scenario[each], each],
        stratum=outcomes.system[each] * 2 + outcomes.variant[each],
    )
    found = [one.variance.value for one in split["negative"].components if one.variance.undefined is None]
    np.testing.assert_allclose(found, [one.value for one in wanted.variance])


def test_one_of_everything_leaves_metric_and_the_rest() -> None:
    _, verdicts = coins(3, repeats=1, runs=1)
    (split, _) = variance_split([made(verdicts, METRICS)])
    found = {one.level: one for one in split.components}
    assert found["scenario"].holds == ("conversation", "judge", "judge repeat")
    assert {found[level].variance.undefined for level in LEVELS[2:]} == {"not_identifiable"}


def test_several_judges_are_a_level_of_their_own() -> None:
    chance, _ = coins(4)
    rng = np.random.default_rng(5)
    # each judge hardly ever contradicts itself, and the second sees a third of conversations otherwise
    verdicts = (chance > 0.5)[..., None] ^ (rng.random((*chance.shape, 2)) < 0.03)
    turned = rng.random(chance.shape) < 1 / 3
    outcomes = made(verdicts, METRICS)
    other = made(verdicts ^ turned[..., None], METRICS)
    for alone, both in zip(variance_split([outcomes]), variance_split([outcomes, other]), strict=True):
        before = {one.level: one for one in alone.components}
        found = {one.level: one for one in both.components}
        assert found["judge"].variance.low > 0
        assert found["conversation"].variance.value < before["conversation"].variance.value
        assert not found["conversation"].holds


def test_judges_must_have_judged_the_same() -> None:
    _, verdicts = coins(6)
    outcomes = made(verdicts, METRICS)
    with pytest.raises(UserError, match="different conversations"):
        variance_split([outcomes, replace(outcomes, ids=tuple(reversed(outcomes.ids)))])


def test_a_judge_asked_again_agrees_with_itself_so_far() -> None:
    _, verdicts = coins(7, runs=3)
    outcomes = made(verdicts, METRICS)
    for one in stability(outcomes):
        rows = outcomes.polarity == (one.kind == "positive")
        table = outcomes.runs[rows]
        assert one.runs == 3
        assert one.unanimous.value == pytest.approx((table.min(axis=1) == table.max(axis=1)).mean())
        assert one.kappa.value == pytest.approx(fleiss_kappa(table))
        assert one.kappa.n_clusters == (10 if one.kind == "positive" else 20)


def test_a_judge_asked_once_has_no_stability() -> None:
    _, verdicts = coins(8, runs=1)
    assert stability(made(verdicts, METRICS)) == ()


def test_a_missing_repeat_is_left_out() -> None:
    _, verdicts = coins(9)
    table = verdicts.astype(np.int8)
    table[..., 1][np.random.default_rng(1).random(table.shape[:-1]) < 0.5] = -1
    outcomes: Outcomes = made(table, METRICS)
    for one in stability(outcomes):
        rows = outcomes.polarity == (one.kind == "positive")
        both = outcomes.runs[rows & (outcomes.runs >= 0).all(axis=1)]
        assert one.unanimous.n_pairable_items == len(both)
        assert one.unanimous.value == pytest.approx((both[:, 0] == both[:, 1]).mean())
