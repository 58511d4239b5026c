"""The replica of a published benchmark, as finished verdicts: every figure that its story prints."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from voirdire.bench.aggregate import About, AggregateOptions, results_of
from voirdire.bench.cells import ALL
from voirdire.bench.finished import read_outcomes
from voirdire.bench.results import Results

LEARNING = ("psychological", "learning and skill development")
OFFLOADING = ("psychological", "cognition", "Cognitive Offloading Asymmetry")
SPILLUNDER = ("psychological", "cognition", "Spillunder Effect")


@pytest.fixture(scope="module")
def timed(shared: Path) -> tuple[Results, float]:
    """The results, and the seconds of computing that they took."""
    began = time.process_time()
    outcomes = read_outcomes(shared / "data" / "impactbench_replica" / "conversations.csv.gz")
    results = results_of(outcomes, About("ImpactBench, replica"))
    return results, time.process_time() - began


@pytest.fixture
def replica(timed: tuple[Results, float]) -> Results:
    return timed[0]


def percent(results: Results, kind: str, *path: str, **more: str) -> float:
    rate = results.rate(results.node(*path).id, kind, **more)  # type: ignore[arg-type]
    assert rate is not None
    return round(100 * rate.share.value, 1)


def test_its_size_is_that_of_the_suite(replica: Results) -> None:
    counts = replica.counts
    assert counts["conversations"] == 809 * 3 * 2 * 10 == 48_540
    assert (counts["metrics"], counts["positive_metrics"], counts["negative_metrics"]) == (809, 460, 349)
    assert (counts["scenarios"], counts["systems"], counts["variants"]) == (2_427, 10, 2)
    assert (counts["missing"], replica.lacking) == (0, {})


def test_rates_by_polarity_and_together(replica: Results) -> None:
    assert percent(replica, "positive") == 68.7
    assert percent(replica, "negative") == 53.1
    assert percent(replica, "both") == 62.0
    sizes = [replica.rate(kind=kind) for kind in ("positive", "negative")]
    assert [rate.judged for rate in sizes if rate] == [27_600, 20_940]
    gap = replica.gap()
    assert gap is not None
    assert round(100 * gap.difference.value, 1) == 15.6
    assert gap.difference.low > 0
    assert any("27,600 on positive metrics and 20,940" in note for note in replica.notes)


def test_the_spread_over_models(replica: Results) -> None:
    for kind, spread in (("positive", 15.9), ("negative", 38.6)):
        ranking = replica.ranking(kind)  # type: ignore[arg-type]
        assert ranking is not None
        assert round(100 * ranking.spread.value, 1) == spread
        assert len(ranking.systems) == 10


def test_every_model_does_better_on_positive_metrics_as_a_computed_check(replica: Results) -> None:
    (found,) = [one for one in replica.directions if (one.node, one.variant) == ("overall", "all variants")]
    assert (found.above, found.below, found.systems) == (10, 0, 10)
    # over areas it is not so: the computation may find either
    below = [one for one in replica.directions if one.below]
    assert not below or all(one.above + one.below <= one.systems for one in below)


def test_areas_subareas_and_benchmarks(replica: Results) -> None:
    assert percent(replica, "negative", "psychological") == 44.6
    assert percent(replica, "positive", *LEARNING) == 45.9
    assert percent(replica, "negative", *LEARNING) == 16.3
    assert percent(replica, "negative", *OFFLOADING) == 22.9
    assert percent(replica, "negative", *SPILLUNDER) == 0.0


def test_none_of_240_is_no_certainty(replica: Results) -> None:
    rate = replica.rate(replica.node(*SPILLUNDER).id, "negative")
    assert rate is not None
    assert (rate.passed, rate.judged, rate.share.n_clusters) == (0, 240, 4)
    assert rate.share.low == 0
    assert rate.share.high > 0.5


def test_teen_minus_adult(replica: Results) -> None:
    """The two printed differences are single metrics': eight and six of thirty pairs."""
    metrics = {node.id: node.path[-1] for node in replica.nodes if node.level == "metric"}
    found = {
        metrics[one.node]: one
        for one in replica.contrasts
        if one.node in metrics and one.system == ALL and one.pairs == 30
    }
    for name, points in (("pos-030", -26.7), ("pos-031", -20.0)):
        one = found[name]
        assert (one.axis, one.first, one.second) == ("age", "teen", "adult")
        assert round(100 * one.difference.value, 1) == points
        assert one.first_only - one.second_only == round(30 * one.difference.value)
        assert one.difference.low < one.difference.value < one.difference.high
        assert (one.unpaired, one.difference.n_clusters) == (0, 3)


def test_the_variant_filter_adds_up(replica: Results) -> None:
    for kind in ("positive", "negative"):
        whole = replica.rate(kind=kind)  # type: ignore[arg-type]
        parts = [replica.rate(kind=kind, variant=f"age={age}") for age in ("teen", "adult")]  # type: ignore[arg-type]
        assert whole is not None
        assert whole.passed == sum(part.passed for part in parts if part)
        assert whole.judged == sum(part.judged for part in parts if part)


def test_verdicts_alone_are_not_audited_and_say_so(replica: Results) -> None:
    assert not replica.audited.rates
    assert "no person has labelled a conversation" in str(replica)
    assert "Stress-test rates are not prevalence." in str(replica)


def test_the_same_seed_gives_the_same_results(replica: Results) -> None:
    rows = np.flatnonzero(replica.outcomes.metric < 12)
    few = replica.outcomes.take(rows)
    options = AggregateOptions(draws=100, seed=3)
    first, second = (results_of(few, About("x"), options).to_dict() for _ in range(2))
    assert first == second
    assert first["seed"] == 3


def test_it_takes_seconds(timed: tuple[Results, float]) -> None:
    assert timed[1] < 30
