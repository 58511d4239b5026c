"""How often the verdict rule errs where the truth lies exactly on its edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom

from voirdire.checks.one_more import cautious, one_more
from voirdire.checks.stand_in_rule import decide
from voirdire.stats import Coded, Estimate, JudgePerson, judge_against_people
from voirdire.stats.multiplicity import false_coverage_level

pytestmark = pytest.mark.coverage_simulation

MARGIN, LEVEL = 0.10, 0.95
PERSON = 0.90
"""How often each person is right about a binary item; two people then agree beyond chance by (2 x 0.9 - 1)²
= 0.64.
"""


def judge_accuracy(difference: float) -> float:
    """The accuracy at which judge-person minus person-person agreement is ``difference``, both labels being
    as frequent.

    Judge-person κ is (2j - 1)(2a - 1), person-person κ is (2a - 1)².
    """
    a = 2 * PERSON - 1
    return (difference / a + a + 1) / 2


@dataclass(frozen=True)
class Drawn:
    """One drawn study, compared as it is and after one more contradiction."""

    pair: JudgePerson
    harder: JudgePerson

    def at(self, level: float) -> list[Estimate]:
        return [cautious(self.pair, self.harder, level)]


def drawn(rng: np.random.Generator, n: int, people: int, difference: float, resamples: int = 0) -> Drawn:
    truth = rng.integers(0, 2, n)
    labels = np.where(rng.random((n, people)) < PERSON, truth[:, None], 1 - truth[:, None])
    judge = np.where(rng.random(n) < judge_accuracy(difference), truth, 1 - truth)
    coded = Coded.from_matrix(labels.astype(float), categories=[0, 1])
    pair = judge_against_people(coded, judge, level=LEVEL, resamples=resamples, rng=rng)
    return Drawn(pair, one_more(coded, judge, {"weights": "identity", "by": "value"}, level=LEVEL))


def most(runs: int, rate: float) -> int:
    """The number of errors that a rule with this error rate exceeds once in a thousand such simulations."""
    return int(binom.ppf(0.999, runs, rate))


def test_the_planted_difference_is_the_difference() -> None:
    rng = np.random.default_rng(8)
    for difference in (-MARGIN, 0.0, -0.3):
        found = drawn(rng, 200_000, 3, difference).pair
        assert found.difference.value == pytest.approx(difference, abs=0.01)


@pytest.mark.parametrize(("n", "people", "resamples"), [(50, 3, 200), (200, 3, 0), (200, 5, 0)])
@pytest.mark.parametrize(("difference", "wrong"), [(-MARGIN, "yes"), (0.0, "no")])
def test_an_error_at_the_edge_is_as_rare_as_the_level_says(
    n: int, people: int, resamples: int, difference: float, wrong: str
) -> None:
    runs = 500
    rng = np.random.default_rng(20261129)
    errors = sum(
        decide(drawn(rng, n, people, difference, resamples).at(LEVEL), MARGIN) == wrong for _ in range(runs)
    )
    assert errors <= most(runs, (1 - LEVEL) / 2)


def test_over_eight_metrics_at_the_edge_an_answer_is_as_rare_as_the_level_says() -> None:
    runs, metrics = 100, 8
    rng = np.random.default_rng(7)
    errors = 0
    for _ in range(runs):
        found = [drawn(rng, 100, 3, -MARGIN) for _ in range(metrics)]

        def decisive(level: float, found: list[Drawn] = found) -> int:
            return sum(decide(one.at(level), MARGIN) != "cannot tell" for one in found)

        level = false_coverage_level(metrics, decisive, q=1 - LEVEL)
        errors += any(decide(one.at(level), MARGIN) == "yes" for one in found)
    assert errors <= most(runs, 1 - LEVEL)


@pytest.mark.parametrize(("difference", "right"), [(0.15, "yes"), (-0.35, "no")])
def test_far_from_the_edge_the_rule_answers(difference: float, right: str) -> None:
    rng = np.random.default_rng(9)
    found = [decide(drawn(rng, 200, 3, difference).at(LEVEL), MARGIN) for _ in range(100)]
    assert found.count(right) >= 95
