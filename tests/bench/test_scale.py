"""The benchmark of the scale measurement, a hundredth of it: planted rates come out, and it goes on."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from bench.runs import run, scripted_judge

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "bench_scale.py"


@pytest.fixture(scope="module")
def scale() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_the_whole_would_have_its_48_540_conversations(scale: dict[str, Any], tmp_path: Path) -> None:
    suite, players = scale["made"](tmp_path, 1.0)
    assert len(suite.metrics) == 809
    assert sum(metric.polarity == "positive" for metric in suite.metrics) == 460
    assert sum(1 for _ in suite.cases()) * len(players.targets) == 48_540


def test_a_part_runs_through_and_is_not_run_again(scale: dict[str, Any], tmp_path: Path) -> None:
    suite, players = scale["made"](tmp_path, 0.02)
    judge = scripted_judge([{"when": "PRESENT.", "verdict": "present"}])
    first = run(tmp_path, suite, players, judge)
    n = len(suite.metrics) * 3 * 2 * 10
    assert first.simulated.made == first.judged[0][1].made == n
    assert first.simulated.turns == 6 * n
    results = first.results
    assert results is not None
    assert results.counts["missing"] == 0
    for number in range(10):
        rate = results.rate(kind="positive", system=f"system-{number}")
        assert rate is not None
        # of three conversations of a metric, system and variant, the rate in whole conversations
        assert rate.share.value == pytest.approx(int(3 * number / 10 + 0.5) / 3)
    again = run(tmp_path, suite, players, judge)
    assert (again.simulated.made, again.judged[0][1].made) == (0, 0)
