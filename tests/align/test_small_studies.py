"""Fits on 15 to 30 items: labels that are never used, one-sided verdicts, verdicts that decide the label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align.planted import of_panel
from align.test_every_calibrator import NAMES, quick, suitable
from voirdire.align.calibrator import Problem
from voirdire.align.calibrators.cumulative_link import CumulativeLink
from voirdire.align.features import Features, Target
from voirdire.align.folds import grouped_folds
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.lbfgs import minimise
from voirdire.align.loglinear import scaled, scaling_of
from voirdire.align.numerics import log_loss
from voirdire.align.priors import label_prior
from voirdire.study.scale import Scale

FIVE = Scale("ordinal", ("1", "2", "3", "4", "5"), ordered=True, values=(1.0, 2.0, 3.0, 4.0, 5.0))
KINDS = (
    "any labels",
    "two labels of five",
    "a verdict decides the label",
    "a constant judge",
    "one verdict differs",
    "one row is unsure",
    "the unsure row has its own label",
    "scores of any size",
    "one label only",
)


def judge(name: str, code: np.ndarray, rng: np.random.Generator, kind: str) -> JudgeOutput:
    n, given = len(code), code < 5
    score, spread = code + 1.0, np.zeros(n)
    if kind == "scores of any size":
        score = score * 10.0 ** rng.integers(0, 7, n)
    if "unsure" in kind:
        spread[0] = 2.0
    votes = np.where(given[:, None], np.eye(5)[np.minimum(code, 4)], 0.0)
    return JudgeOutput(
        name,
        FIVE.labels,
        code.astype(np.int32),
        np.full((n, 5), np.nan),
        votes,
        np.where(given, score, np.nan),
        spread,
        4.0,
    )


def small(kind: str, seed: int) -> tuple[Features, Target]:
    """15 to 30 rows of one or two metrics, one to three judges of which some replies have no verdict."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    n, n_metrics = int(rng.integers(15, 31)), 1 + seed % 2
    codes = rng.integers(0, 6, (1 + seed % 3, n))
    if kind in ("a constant judge", "one verdict differs"):
        codes[:] = 4
    if kind == "one verdict differs":
        codes[:, 0] = 0
    label = rng.integers(0, 5, n)
    if kind == "two labels of five":
        label = np.where(rng.random(n) < 0.9, 4, 3)
    if kind == "a verdict decides the label":
        label = np.where(codes[0] > 2, 4, 0)
    if kind == "the unsure row has its own label":
        label = np.where(np.arange(n) == 0, 0, 4)
    if kind == "one label only":
        label[:] = 2
    outputs = tuple(judge(f"judge {j}", code, rng, kind) for j, code in enumerate(codes))
    metric = rng.integers(0, n_metrics, n).astype(np.int32)
    counts = (1, 3, 100)[seed % 3] * np.eye(5)[label]
    return Features(FIVE, outputs, metric, ("x", "y")[:n_metrics]), Target.of(counts)


def far(features: Features) -> Features:
    """The rows with verdicts and spreads far beyond those of the training rows."""
    return replace(
        features,
        judges=tuple(
            replace(output, score=1e3 * output.score, spread=output.spread + 50.0)
            for output in features.judges
        ),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_cumulative_link_fits_in_every_fold(kind: str) -> None:
    for seed in range(4):
        features, target = small(kind, seed)
        problem = Problem.of(features, target, np.random.default_rng(seed))
        folds = grouped_folds(target.cluster, rng=np.random.default_rng(seed))
        setting, held_out = CumulativeLink().out_of_fold(problem, folds)
        fitted = CumulativeLink().fit_at(problem, (setting,))[0]
        for predicted in (held_out, fitted.predict(features), fitted.predict(far(features))):
            np.testing.assert_allclose(predicted.sum(axis=1), 1.0, atol=1e-12)
            assert predicted.min() > 0
        own = log_loss(fitted.predict(features), target.counts).mean()
        prior = log_loss(np.tile(label_prior(target.counts), (len(features), 1)), target.counts).mean()
        assert own <= prior + 0.05 * target.labels_per_row[0]


def test_the_fit_does_not_depend_on_where_the_search_begins() -> None:
    features, target = small("two labels of five", 1)
    problem = Problem.of(features, target, np.random.default_rng(0))
    calibrator = CumulativeLink()
    setting = calibrator.settings(features)[-1]
    fresh = calibrator.learn(problem, setting, None)
    moved = dict(fresh) | {
        "theta": fresh["theta"] + np.random.default_rng(1).normal(size=len(fresh["theta"]))
    }
    again = calibrator.learn(problem, setting, moved)
    one, two = (calibrator.shape(found, features, setting) for found in (fresh, again))
    np.testing.assert_allclose(one, two, atol=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_rows_far_from_the_training_rows_are_predicted(name: str) -> None:
    planted = suitable(name)
    predicted = quick(name, planted.features, planted.target).predict(far(planted.features))
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0, atol=1e-12)
    assert predicted.min() > 0


def test_a_label_in_the_middle_that_nobody_uses_gets_almost_nothing() -> None:
    planted = of_panel(np.random.default_rng(3), 300)
    counts = planted.target.counts.copy()
    counts[:, 1] += counts[:, 2]
    counts[:, 2] = 0
    fitted = quick("cumulative_link", planted.features, Target.of(counts))
    assert 0 < fitted.predict(planted.features)[:, 2].max() < 0.05


def test_the_minimiser_takes_no_step_to_where_the_slope_is_not_a_number() -> None:
    def cliff(x: np.ndarray) -> tuple[float, np.ndarray]:
        value = float(((x - 3) ** 2).sum())
        return value, np.where(x > 2, np.nan, 2 * (x - 3))

    found = minimise(cliff, np.array([-1.0]))
    assert found[0] <= 2
    assert cliff(found)[0] < cliff(np.array([-1.0]))[0]


@given(value=st.floats(-1e6, 1e6), n=st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_rounding_is_not_spread(value: float, n: int) -> None:
    table = np.full((n, 1), value)
    assert scaling_of(table)[1, 0] == 1.0
    assert abs(scaled(table, scaling_of(table))).max() < 1e-6
