"""Cascades: who is trusted with what, and that the promise holds for the whole in at most delta of draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from voirdire.decide.cascade import (
    CascadeStage,
    Trials,
    calibrate_each_stage,
    calibrate_together,
    pass_through,
)
from voirdire.stats.selective import SelectiveThreshold, selective_threshold, threshold_grid


def _stage(threshold: float, cut: float) -> CascadeStage:
    return CascadeStage(SelectiveThreshold(threshold, (), None, 0, 0.1, 0.1, "clopper_pearson"), 0, 0.0, cut)


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
    grid = threshold_grid(reference, n=300, alpha=0.15)
    for calibrate in (calibrate_each_stage, calibrate_together):
        (stage,) = calibrate(_trials(sure[None], wrong[None]), _trials(reference[None]), alpha=0.15)
        assert stage.found == selective_threshold(sure, wrong, thresholds=grid, alpha=0.15)
        assert stage.tested == int((sure >= stage.found.threshold).sum())


def test_together_an_item_is_trusted_to_the_first_judge_that_is_as_sure(rng: np.random.Generator) -> None:
    """The walk written out item by item."""
    sure, other = rng.random((3, 300)), rng.random((3, 600))
    sure[0, rng.random(300) < 0.2] = np.nan
    wrong = rng.random((3, 300)) < 0.4 * (1 - np.nan_to_num(sure))
    stages = calibrate_together(_trials(sure, wrong), _trials(other, 0.4 * (1 - other)), alpha=0.15)
    found = stages[0].found
    assert not found.abstains
    for step in [*found.steps, *([found.failed] if found.failed else [])]:
        to = [next((k for k in range(3) if sure[k, i] >= step.threshold), None) for i in range(300)]
        errors = [wrong[k, i] for i, k in enumerate(to) if k is not None]
        assert (step.n, step.errors) == (len(errors), sum(errors))
        assert (step.bound > 0.15) == (step is found.failed)
    trusted = pass_through(stages, sure, np.ones((3, 300), dtype=bool)).trusted
    assert [stage.tested for stage in stages] == [int((trusted == k).sum()) for k in range(3)]
    assert sum(stage.failed for stage in stages) == found.steps[-1].errors


def test_a_judge_that_fails_at_once_passes_everything_on(rng: np.random.Generator) -> None:
    sure, reference = rng.random((2, 300)), rng.random((2, 500))
    wrong = rng.random((2, 300)) < [[0.5], [0.02]]
    stages = calibrate_each_stage(_trials(sure, wrong), _trials(reference), alpha=0.15)
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
    stages = calibrate_each_stage(_trials(sure, wrong), _trials(other), alpha=0.15)
    assert stages[0].found.threshold == stages[0].cut == 0.9
    assert stages[1].found.n == int((sure[0] < 0.8).sum())
    assert stages[1].found.delta == pytest.approx(0.05 / 3)


def test_a_narrow_step_goes_to_people(rng: np.random.Generator) -> None:
    sure, reference = rng.random((2, 2000)), rng.random((2, 5000))
    wrong = rng.random((2, 2000)) < np.stack([1 - sure[0], np.full(2000, 0.02)])
    stages = calibrate_each_stage(_trials(sure, wrong), _trials(reference), alpha=0.15)
    first = stages[0]
    assert 0 < first.found.threshold - first.cut < 0.05
    assert stages[1].found.n == int((sure[0] < first.cut).sum())
    assert stages[1].found.delta == pytest.approx(0.05 / 2)


def _broken(types: int, joint: str, seed: int) -> tuple[int, int]:
    """In how many of 400 cascades of 3 judges, 300 items each, more than 15 % of what is trusted is wrong.

    First of all together, then at any stage where each is promised. Items come in ``types`` that fix every
    judge's confidence; each judge's error rate given its type is known, and a little too high in three
    types. ``joint`` says how the judges' errors on one item hang together.
    """
    rng = np.random.default_rng(seed)
    sure = np.stack([np.linspace(1, 0, types), *(rng.permutation(np.linspace(1, 0, types)) for _ in "ab")])
    chance = np.full_like(sure, 0.153) if types == 3 else 0.4 * (1.02 - sure)
    together = each = 0
    asked = np.ones((3, types), dtype=bool)
    for _ in range(400):
        kind, u = rng.integers(0, types, 300), rng.random(300)
        errors = np.stack([u, u if joint == "alike" else 1 - u, u]) < chance[:, kind]
        tests, known = _trials(sure[:, kind], errors), _trials(sure, chance)
        trusted = pass_through(calibrate_together(tests, known, alpha=0.15), sure, asked).trusted
        kept = np.flatnonzero(trusted >= 0)
        together += bool(len(kept)) and chance[trusted[kept], kept].mean() > 0.15
        trusted = pass_through(calibrate_each_stage(tests, known, alpha=0.15), sure, asked).trusted
        each += any((trusted == k).any() and chance[k, trusted == k].mean() > 0.15 for k in range(3))
    return int(together), int(each)


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("types", [3, 200])
@pytest.mark.parametrize("joint", ["alike", "opposed"])
def test_the_promise_of_three_stages_breaks_in_at_most_delta_of_draws(types: int, joint: str) -> None:
    assert max(_broken(types, joint, 5)) <= 40 + 2.33 * math.sqrt(400 * 0.1 * 0.9)
