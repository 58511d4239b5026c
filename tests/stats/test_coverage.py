"""95 % intervals hold the true value about 95 % of the time, or carry a caution.

The full table (2,000 runs a design) is printed by ``benchmarks/coverage.py``; here fewer runs, within the
binomial error of so many.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from voirdire.stats import NEW_RATERS, THESE_RATERS, Coded, agreement, interval_caution, judge_against_people

RUNS = 200


@pytest.fixture(scope="module")
def coverage() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "coverage.py"
    spec = importlib.util.spec_from_file_location("benchmarks_coverage", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("target", [THESE_RATERS, NEW_RATERS])
@pytest.mark.parametrize(("labels", "items", "raters"), [
    ("BALANCED", 50, 3), ("BALANCED", 200, 5), ("SKEWED", 50, 5), ("SKEWED", 200, 3),
])  # fmt: skip
def test_intervals_without_a_caution_cover(
    coverage: ModuleType, target: str, labels: str, items: int, raters: int
) -> None:
    design = coverage.Design(getattr(coverage, labels), items, raters, target)
    for name, score in coverage.simulate(design, RUNS, resamples=400, seed=7).items():
        trusted = score.trusted
        error = 3 * math.sqrt(0.95 * 0.05 / max(len(trusted), 1))
        if trusted:
            highest = 1.0 if target == NEW_RATERS else 0.97 + error  # for new raters 95 % is a floor
            assert 0.93 - error <= np.mean(trusted) <= highest, (name, np.mean(trusted))
        if labels == "SKEWED" and items == 50 and name != "gwet_ac":
            assert np.mean(score.warned) > 0.3, name  # about five items carry the rarer label
        elif name != "judge - people":
            assert np.mean(score.warned) < 0.05, name


def test_true_values_are_those_of_a_large_sample(coverage: ModuleType) -> None:
    for target in (THESE_RATERS, NEW_RATERS):
        raters = 3 if target == THESE_RATERS else 400
        for labels in (coverage.BALANCED, coverage.SKEWED):
            design = coverage.Design(labels, 1_200_000 // raters, raters, target)
            rng = np.random.default_rng(3)
            people, judge = design.draw(rng)
            found = agreement(people, coverage.COEFFICIENTS, interval="none")
            compared = judge_against_people(people, judge, resamples=2, rng=rng)
            values = {name: estimate.value for name, estimate in found.items()}
            values["judge - people"] = compared.difference.value
            assert values == pytest.approx(design.truth(), abs=0.02 if target == NEW_RATERS else 0.005)


def test_cautions_name_what_is_scarce() -> None:
    few = Coded.from_matrix(np.arange(20).reshape(10, 2) % 2)
    assert interval_caution(few, 10) == "only 10 items: the interval may be too narrow"
    found = agreement(few, ["gwet_ac"], interval="jackknife")["gwet_ac"]
    assert found.caution is None  # nothing varies, so there is no interval to warn about
    skewed = Coded.from_matrix([[0, 0]] * 96 + [[1, 1], [1, 0], [0, 1], [0, 0]], cluster=range(100))
    found = agreement(skewed, ["krippendorff_alpha", "gwet_ac"], interval="jackknife")
    assert "worth 2.0 clusters" in (found["krippendorff_alpha"].caution or "")
    assert found["gwet_ac"].caution is None
