"""What was planted is found again: temperature, bias, metric effects, confusion, links, pairs, raters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from align.planted import (
    BINARY,
    ORDINAL,
    Planted,
    drawn,
    log_softmax,
    of_logits,
    of_metrics,
    of_pairs,
    stating,
    voting,
)
from voirdire.align.calibrator import Fitted, Problem, Setting
from voirdire.align.calibrators.annotator_offsets import AnnotatorOffsets
from voirdire.align.calibrators.beta import Beta
from voirdire.align.calibrators.confusion_row import ConfusionRow
from voirdire.align.calibrators.cumulative_link import CumulativeLink
from voirdire.align.calibrators.davidson import Davidson
from voirdire.align.calibrators.dirichlet import Dirichlet
from voirdire.align.calibrators.entropy_temperature import EntropyTemperature
from voirdire.align.calibrators.linear_map import LinearMap
from voirdire.align.calibrators.metric_prior import MetricPrior
from voirdire.align.calibrators.platt import Platt
from voirdire.align.calibrators.system_prior import SystemPrior
from voirdire.align.calibrators.temperature import Temperature
from voirdire.align.calibrators.temperature_bias import TemperatureBias
from voirdire.align.calibrators.vector import Vector
from voirdire.align.features import Features, Target
from voirdire.align.gaussian import discretised
from voirdire.align.numerics import softmax


def fit(calibrator: object, planted: Planted, precision: float = 0.1) -> Fitted:
    problem = Problem.of(planted.features, planted.target, np.random.default_rng(0))
    return calibrator.fit_at(problem, (Setting(precision),))[0]  # type: ignore[attr-defined, no-any-return]


def test_temperature(rng: np.random.Generator) -> None:
    found = fit(Temperature(), of_logits(rng, 2000, slope=0.5))
    assert abs(found.parameters["theta"][0] - 0.5) < 0.05


def test_temperature_and_bias(rng: np.random.Generator) -> None:
    bias = np.array([0.8, -0.4, 0.0])
    planted = of_logits(rng, 3000, slope=0.6, bias=bias)
    slope, *found = fit(TemperatureBias(), planted).parameters["theta"]
    assert abs(slope - 0.6) < 0.05
    np.testing.assert_allclose(np.array(found) - np.mean(found), bias - bias.mean(), atol=0.1)


def test_vector_and_dirichlet_reach_the_truth_that_temperature_cannot(rng: np.random.Generator) -> None:
    z = log_softmax(1.5 * rng.normal(size=(4000, 3)))
    mixing = np.array([[1.0, 0.6, 0.0], [0.0, 0.5, 0.0], [-0.6, 0.0, 1.0]])
    truth = softmax(z @ mixing.T)
    base = of_logits(rng, 4000)
    features = replace(base.features, judges=(stating("judge", base.features.scale, z),))
    planted = Planted(features, Target.of(drawn(rng, truth, 3)), truth)
    bias, vector, full = (
        planted.excess(fit(kind(), planted).predict(features))
        for kind in (TemperatureBias, Vector, Dirichlet)
    )
    assert full < 0.004
    assert full < vector < bias


def test_metric_effects(rng: np.random.Generator) -> None:
    effects = np.array([[1.0, 0.0, -1.0], [-1.0, 0.5, 0.5], [0.0, 0.0, 0.0], [0.5, -1.0, 0.5]])
    planted = of_metrics(rng, 3000, effects)
    assert planted.excess(fit(TemperatureBias(), planted).predict(planted.features)) < 0.003
    prior = fit(MetricPrior(), planted).predict(planted.features)
    share = np.stack([planted.truth[planted.features.metric == m].mean(axis=0) for m in range(4)])
    np.testing.assert_allclose(prior, share[planted.features.metric], atol=0.04)


def test_confusion(rng: np.random.Generator) -> None:
    confusion = np.array([[0.8, 0.15, 0.05], [0.2, 0.6, 0.2], [0.05, 0.25, 0.7], [0.3, 0.3, 0.4]])
    base = of_logits(rng, 4000)
    code = rng.integers(0, 4, 4000).astype(np.int32)  # 3 is a reply without a verdict
    features = replace(base.features, judges=(voting("judge", base.features.scale, code),))
    planted = Planted(features, Target.of(drawn(rng, confusion[code], 2)), confusion[code])
    found = fit(ConfusionRow(), planted, 2.0).predict(features)
    np.testing.assert_allclose(found, confusion[code], atol=0.04)


def test_cumulative_link_with_scale(rng: np.random.Generator) -> None:
    n = 4000
    score, noise = rng.uniform(1, 4, n), rng.uniform(0, 2, n)
    edges = (np.array([-1.5, 0.0, 1.5]) - 1.2 * (score - 2.5)[:, None]) * np.exp(-0.5 * (noise - 1))[:, None]
    cumulative = 1 / (1 + np.exp(-edges))
    truth = np.diff(np.hstack([np.zeros((n, 1)), cumulative, np.ones((n, 1))]), axis=1)
    code = np.round(score - 1).astype(np.int32)
    output = replace(voting("judge", ORDINAL, code), score=score, spread=noise)
    features = Features(ORDINAL, (output,), np.zeros(n, dtype=np.int32), ("m",))
    planted = Planted(features, Target.of(drawn(rng, truth, 2)), truth)
    found = fit(CumulativeLink(), planted)
    assert planted.excess(found.predict(features)) < 0.003
    assert planted.excess(fit(LinearMap(), planted).predict(features)) > 0.01


def test_linear_map(rng: np.random.Generator) -> None:
    n = 3000
    score = rng.uniform(0, 100, n)
    truth = discretised(1.5 + 0.02 * score, 0.6, np.arange(1.0, 5.0))
    own = ("low", "high")
    output = replace(
        voting("judge", ORDINAL, (score > 50).astype(np.int32)), labels=own, score=score, unit=100.0
    )
    features = Features(ORDINAL, (output,), np.zeros(n, dtype=np.int32), ("m",))
    found = fit(LinearMap(), Planted(features, Target.of(drawn(rng, truth, 2)), truth))
    slope = found.parameters["theta"][1] / found.parameters["_scaling"][1, 0]
    assert abs(slope - 0.02) < 0.001
    assert abs(np.exp(found.parameters["theta"][-1]) - 0.6) < 0.04


def test_platt_and_beta(rng: np.random.Generator) -> None:
    n = 5000
    z = log_softmax(2 * rng.normal(size=(n, 2)))
    log_odds = 1.4 * z[:, 1] - 0.4 * z[:, 0] + 0.3
    truth = softmax(np.stack([-log_odds / 2, log_odds / 2], axis=1))
    features = Features(BINARY, (stating("judge", BINARY, z),), np.zeros(n, dtype=np.int32), ("m",))
    planted = Planted(features, Target.of(drawn(rng, truth, 2)), truth)
    beta = fit(Beta(), planted)
    np.testing.assert_allclose(beta.parameters["theta"][:2], [1.4, 0.4], atol=0.15)
    assert planted.excess(beta.predict(features)) < planted.excess(fit(Platt(), planted).predict(features))


def test_davidson(rng: np.random.Generator) -> None:
    planted = of_pairs(rng, 4000)
    found = fit(Davidson(), planted)
    slope = found.parameters["theta"][0] / found.parameters["_unit"][0]
    assert abs(slope - 0.8) < 0.06
    assert planted.excess(found.predict(planted.features)) < 0.003


def test_raters_with_offsets(rng: np.random.Generator) -> None:
    n, shifts = 1500, np.array([[1.0, 0.0, -1.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 1.0]])
    base = of_logits(rng, n, slope=0.7)
    z = base.features.log_probs()[:, 0]
    rater, row = np.repeat([0, 1, 2], n), np.tile(np.arange(n), 3)
    each = softmax(0.7 * z[row] + shifts[rater])
    label = np.array([rng.choice(3, p=p) for p in each])
    counts = np.zeros((n, 3))
    np.add.at(counts, (row, label), 1)
    target = replace(Target.of(counts), row=row, rater=rater, label=label)
    calibrator = AnnotatorOffsets()
    found = fit(calibrator, Planted(base.features, target, base.truth), 0.3)
    for k in range(3):
        own = calibrator.of_rater(found.parameters, base.features, found.setting, k)
        assert np.abs(own - softmax(0.7 * z + shifts[k])).mean() < 0.02
    population = np.mean([softmax(0.7 * z + shift) for shift in shifts], axis=0)
    assert np.abs(found.predict(base.features) - population).mean() < 0.02


def test_system_prior(rng: np.random.Generator) -> None:
    n = 3000
    metric, system = (rng.integers(0, k, n).astype(np.int32) for k in (2, 3))
    cells = rng.dirichlet(np.full(3, 2.0), size=(2, 3))
    truth = cells[metric, system]
    base = of_logits(rng, n)
    features = replace(
        base.features, metric=metric, metrics=("x", "y"), system=system, systems=("p", "q", "r")
    )
    planted = Planted(features, Target.of(drawn(rng, truth, 2)), truth)
    np.testing.assert_allclose(fit(SystemPrior(), planted).predict(features), truth, atol=0.05)


def test_excess_loss_is_about_half_the_parameters_over_the_labels(rng: np.random.Generator) -> None:
    # temperature with bias on 3 labels has 3 free numbers: slope and two differences of intercepts
    n, excess = 150, []
    wide = of_logits(rng, 4000, slope=0.7, bias=np.array([0.4, 0.0, -0.4]))
    for _ in range(60):
        planted = of_logits(rng, n, slope=0.7, bias=np.array([0.4, 0.0, -0.4]), k=1)
        excess.append(wide.excess(fit(TemperatureBias(), planted).predict(wide.features)))
    expected = 3 / (2 * n)
    assert 0.6 * expected < np.mean(excess) < 1.5 * expected


def test_temperature_that_depends_on_entropy(rng: np.random.Generator) -> None:
    z = log_softmax(rng.gamma(2.0, 1.0, size=(4000, 1)) * rng.normal(size=(4000, 3)))
    h = 2 * -(np.exp(z) * z).sum(axis=1, keepdims=True) / np.log(3) - 1
    truth = softmax((1.0 + 0.8 * h) * z + h * np.array([0.5, 0.0, -0.5]))
    base = of_logits(rng, 4000)
    features = replace(base.features, judges=(stating("judge", base.features.scale, z),))
    planted = Planted(features, Target.of(drawn(rng, truth, 3)), truth)
    assert planted.excess(fit(EntropyTemperature(), planted).predict(features)) < 0.003
    assert planted.excess(fit(Dirichlet(), planted).predict(features)) > 0.01
