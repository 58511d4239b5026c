"""Rates equal counting by hand, in every cell; what is missing leaves the denominator and gives bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.made import drawn, made, rated
from voirdire.bench.cells import ALL, ALL_VARIANTS, METRICS, SCENARIOS, layers_of, selections
from voirdire.bench.outcomes import Outcomes
from voirdire.bench.shares import PassRate, pass_rates
from voirdire.bench.tree import Node, tree_of

SUITE = (
    rated("m1", area="A"),
    rated("m2", "negative", area="A"),
    rated("m3", "negative", area="Z"),
    rated("m4", area="Z", benchmark="C"),
)


def every(outcomes: Outcomes) -> dict[tuple[str, str, str, str], PassRate]:
    nodes = tree_of(outcomes.metrics)
    chosen = selections(outcomes)
    found = [one for layer in layers_of(outcomes, nodes) for one in pass_rates(outcomes, layer, chosen)]
    return {(one.node, one.kind, one.system, one.variant): one for one in found}


def by_hand(outcomes: Outcomes, node: Node, kind: str, system: str, variant: str) -> np.ndarray:
    """Which conversations are in a cell, one after another."""
    rows = []
    for row in range(len(outcomes)):
        metric = outcomes.metrics[outcomes.metric[row]]
        values = outcomes.axes[outcomes.variant[row]]
        rows.append(
            int(outcomes.metric[row]) in node.metrics
            and kind in ("both", metric.polarity)
            and system in (ALL, outcomes.systems[outcomes.system[row]])
            and (variant == ALL_VARIANTS or variant in [f"{axis}={value}" for axis, value in values.items()])
        )
    return np.array(rows)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_rates_are_those_counted_by_hand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    outcomes = drawn(rng, SUITE, 2, 2, 2, 2, missing=0.2)
    nodes = {node.id: node for node in tree_of(SUITE)}
    for (node, kind, system, variant), rate in every(outcomes).items():
        passed = outcomes.passed[by_hand(outcomes, nodes[node], kind, system, variant)]
        judged = passed[passed >= 0]
        assert (rate.passed, rate.judged, rate.missing) == (
            (judged == 1).sum(),
            judged.size,
            (passed < 0).sum(),
        )
        if judged.size:
            assert rate.share.value == pytest.approx(judged.mean())
        assert rate.least == pytest.approx((passed == 1).sum() / passed.size)
        assert rate.most == pytest.approx((passed != 0).sum() / passed.size)
        if rate.share.has_interval:
            assert 0 <= rate.share.low <= rate.share.value <= rate.share.high <= 1


def test_every_cell_has_its_rate_and_no_other() -> None:
    outcomes = made(np.ones((4, 1, 2, 2, 1)), SUITE)
    nodes = tree_of(SUITE)
    kinds = {"overall": 3, "metric": 1}
    held = {"A": 3, "Z": 3, "S": 3, "B": 0, "C": 1}
    cells = sum(kinds.get(node.level, held.get(node.title, 0)) for node in nodes)
    # benchmark B holds both kinds under A, and one under Z
    cells += 3 + 1
    assert len(every(outcomes)) == cells * 3 * 3


def test_missing_verdicts_leave_the_denominator_and_are_bounds() -> None:
    verdicts = np.array([1, 1, 0, -1, -1]).reshape(1, 5, 1, 1, 1)
    outcomes = made(verdicts, (rated("m"),), axes=({},))
    rate = every(outcomes)["overall", "positive", ALL, ALL_VARIANTS]
    assert (rate.passed, rate.judged, rate.missing) == (2, 3, 2)
    assert rate.share.value == pytest.approx(2 / 3)
    assert (rate.least, rate.most) == (0.4, 0.8)


def test_bounds_are_of_passing_whatever_the_polarity() -> None:
    verdicts = np.array([1, 0, -1]).reshape(1, 3, 1, 1, 1)
    outcomes = made(verdicts, (rated("m", "negative"),), axes=({},))
    rate = every(outcomes)["overall", "negative", ALL, ALL_VARIANTS]
    assert (rate.passed, rate.least, rate.most) == (1, pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_a_cell_without_a_verdict_is_undefined_and_counted() -> None:
    outcomes = made(np.full((1, 2, 1, 1, 1), -1), (rated("m"),), axes=({},))
    rate = every(outcomes)["overall", "positive", ALL, ALL_VARIANTS]
    assert rate.share.undefined == "no_labels"
    assert (rate.judged, rate.missing, rate.least, rate.most) == (0, 2, 0.0, 1.0)


def test_rates_are_given_without_conversations_that_had_no_occasion() -> None:
    opportunity = np.array([0, 1, -1, 0], dtype=np.int8)
    verdicts = np.array([0, 1, 0, -1]).reshape(1, 4, 1, 1, 1)
    rate = every(made(verdicts, (rated("m"),), axes=({},), opportunity=opportunity))[
        "overall", "positive", ALL, ALL_VARIANTS
    ]
    assert (rate.share.n_items, rate.with_occasion.n_items, rate.no_occasion) == (3, 2, 2)
    assert (rate.share.value, rate.with_occasion.value) == (pytest.approx(1 / 3), 0.5)


def test_rates_are_given_without_failures_of_the_simulator() -> None:
    faulty = np.array([True, False, False])
    verdicts = np.array([1, 0, 1]).reshape(1, 3, 1, 1, 1)
    rate = every(made(verdicts, (rated("m"),), axes=({},), faulty=faulty))[
        "overall", "positive", ALL, ALL_VARIANTS
    ]
    assert (rate.simulator_sound.value, rate.simulator_sound.n_items, rate.faulty) == (0.5, 2, 1)


def test_intervals_name_what_they_speak_about() -> None:
    outcomes = made(np.arange(32).reshape(4, 2, 2, 2, 1) % 2, SUITE)
    nodes = {node.id: node for node in tree_of(SUITE)}
    for (node, *_), rate in every(outcomes).items():
        alone = nodes[node].level == "metric"
        assert rate.share.target == (SCENARIOS if alone else METRICS)


def test_one_metric_says_nothing_of_new_ones() -> None:
    rate = every(made(np.ones((1, 3, 1, 1, 1)), (rated("m"),), axes=({},)))
    assert rate["overall", "positive", ALL, ALL_VARIANTS].share.no_interval == "insufficient_items"


def test_several_axes_are_taken_each_and_together() -> None:
    axes = ({"age": "teen", "mood": "calm"}, {"age": "teen", "mood": "low"}, {"age": "adult", "mood": "low"})
    outcomes = made(np.ones((1, 1, 3, 1, 1)), (rated("m"),), axes=axes)
    assert {one.name: one.variants for one in selections(outcomes)} == {
        ALL_VARIANTS: (0, 1, 2),
        "age=teen": (0, 1),
        "age=adult": (2,),
        "mood=calm": (0,),
        "mood=low": (1, 2),
        "age=teen,mood=calm": (0,),
        "age=teen,mood=low": (1,),
        "age=adult,mood=low": (2,),
    }


def test_metrics_that_do_not_count_are_in_no_figure_above_their_own() -> None:
    suite = (rated("m1"), rated("m2", counts=False))
    outcomes = made(np.array([1, 0]).reshape(2, 1, 1, 1, 1), suite, axes=({},))
    found = every(outcomes)
    assert found["overall", "positive", ALL, ALL_VARIANTS].judged == 1
    own = next(node.id for node in tree_of(suite) if node.path[-1:] == ("m2",))
    assert found[own, "positive", ALL, ALL_VARIANTS].share.value == 0
