"""Cascades: who is trusted with what, and that the promise holds for the whole in at most delta of draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from voirdire.decide.cascade import CascadeStage, Trials, calibrate_cascade, pass_through
from voirdire.stats.selective import SelectiveThreshold, selective_threshold, threshold_grid


def _stage(threshold: float, cut: float) -> CascadeStage:
    return CascadeStage(SelectiveThreshold(threshold, (), None, 0, 0.1, 0.1, "clopper_pearson"), cut)


def _trials(confidence: np.ndarray, error: np.ndarray | None = None) -> list[Trials]:
    """One stage's trials a row; errors that are not known are NaN."""
    known = np.full(confidence.shape, np.nan) if error is None else error
    return [Trials(c, np.asarray(e, dtype=float)) for c, e in zip(confidence, known, strict=True)]


def test_items_pass_on_wait_or_go_to_people() -> None:
    stages = (_stage(0.8, 0.6), _stage(0.9, 0.9))
    cheap = np.array([0.9, 0.7, 0.5, 0.5, 0.5, np.nan, np.nan])
    strong = np.array([np.nan, 0.99, 0.95, 0.2, np.nan, 0.9, np.nan])
    asked = np.array([[1, 1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 0, 1, 1]], dtype=bool)
    found = pass_through(stages, (cheap, strong), asked)
    assert found.trusted.tolist() == [0, -1, 1, -1, -1, 1, -1]
    assert found.waits.tolist() == [-1, -1, -1, -1, 1, -1, 0]
    assert found.reached.tolist() == [[True] * 7, [False, False, True, True, True, True, False]]


def test_one_stage_is_the_plain_threshold(rng: np.random.Generator) -> None:
    sure, reference = rng.random(300), rng.random(500)
    wrong = rng.random(300) < 0.4 * (1 - sure)
    (stage,) = calibrate_cascade(_trials(sure[None], wrong[None]), _trials(reference[None]), alpha=0.15)
    grid = threshold_grid(reference, n=300, alpha=0.15)
    assert stage.found == selective_threshold(sure, wrong, thresholds=grid, alpha=0.15)


def test_a_judge_that_fails_at_once_passes_everything_on(rng: np.random.Generator) -> None:
    sure, reference = rng.random((2, 300)), rng.random((2, 500))
    wrong = rng.random((2, 300)) < [[0.5], [0.02]]
    stages = calibrate_cascade(_trials(sure, wrong), _trials(reference), alpha=0.15)
    assert stages[0].found.abstains
    found = pass_through(stages, sure, np.ones((2, 300), dtype=bool))
    assert not (found.trusted == 0).any()
    assert (found.trusted == 1).mean() > 0.9


def test_a_wide_step_is_passed_on_at_a_price(rng: np.random.Generator) -> None:
    """A judge with two confidences: the second is refuted, and its items still reach the next judge."""
    sure, other = (rng.random((2, n)) for n in (400, 500))
    for table in (sure, other):
        table[0] = np.where(table[0] < 0.5, 0.9, 0.6)
    wrong = rng.random((2, 400)) < np.stack([np.where(sure[0] > 0.8, 0.02, 0.4), np.full(400, 0.02)])
    stages = calibrate_cascade(_trials(sure, wrong), _trials(other), alpha=0.15)
    assert stages[0].found.threshold == stages[0].cut == 0.9
    assert stages[1].found.n == int((sure[0] < 0.8).sum())
    assert stages[1].found.delta == pytest.approx(0.05 / 3)


def test_a_narrow_step_goes_to_people(rng: np.random.Generator) -> None:
    sure, reference = rng.random((2, 2000)), rng.random((2, 5000))
    wrong = rng.random((2, 2000)) < np.stack([1 - sure[0], np.full(2000, 0.02)])
    stages = calibrate_cascade(_trials(sure, wrong), _trials(reference), alpha=0.15)
    first = stages[0]
    assert 0 < first.found.threshold - first.cut < 0.05
    assert stages[1].found.n == int((sure[0] < first.cut).sum())
    assert stages[1].found.delta == pytest.approx(0.05 / 2)


def _broken(types: int, joint: str, seed: int) -> int:
    """How many of 500 cascades of 3 stages, 300 items each, trust more than 15 % errors at some stage.

    Items come in ``types`` that fix every judge's confidence; each judge's error rate given its type is
    known. ``joint`` says how the judges' errors on one item hang together.
    """
    rng = np.random.default_rng(seed)
    sure = np.stack([np.linspace(1, 0, types), *(rng.permutation(np.linspace(1, 0, types)) for _ in "ab")])
    chance = 0.3 * (1.02 - sure)
    broken = 0
    for _ in range(500):
        kind = rng.integers(0, types, 300)
        u = rng.random(300)
        draws = {"alike": (u, u, u), "opposed": (u, 1 - u, u), "free": rng.random((3, 300))}[joint]
        errors = np.stack(draws) < chance[:, kind]
        stages = calibrate_cascade(_trials(sure[:, kind], errors), _trials(sure, chance), alpha=0.15)
        trusted = pass_through(stages, sure, np.ones((3, types), dtype=bool)).trusted
        broken += any((trusted == k).any() and chance[k, trusted == k].mean() > 0.15 for k in range(3))
    return broken


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("types", [3, 200])
@pytest.mark.parametrize("joint", ["alike", "opposed"])
def test_the_promise_of_three_stages_breaks_in_at_most_delta_of_draws(types: int, joint: str) -> None:
    assert _broken(types, joint, 5) <= 50 + 2.33 * math.sqrt(500 * 0.1 * 0.9)
