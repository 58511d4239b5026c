"""What holds for every calibrator: proper distributions, base rates inside, exact round trips, refusals."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from align.planted import BINARY, Planted, drawn, log_softmax, of_logits, of_pairs, of_panel, stating, voting
from voirdire import registry
from voirdire.align.calibrator import Calibrator, Fitted, Problem, restore
from voirdire.align.features import Features, Target
from voirdire.align.numerics import PRIOR_MASS, softmax
from voirdire.errors import UserError

NAMES = registry.names("calibrator")
CONVEX = [name for name in NAMES if name not in ("mlp", "napha")]
MADE: dict[str, Planted] = {}


def binary(rng: np.random.Generator, n: int) -> Planted:
    z = log_softmax(rng.normal(size=(n, 2)))
    truth = softmax(1.3 * z)
    features = Features(BINARY, (stating("judge", BINARY, z),), np.zeros(n, dtype=np.int32), ("m",))
    return Planted(features, Target.of(drawn(rng, truth, 2)), truth)


def suitable(name: str) -> Planted:
    """Rows that ``name`` applies to, made once."""
    kind = (
        "binary"
        if name in ("platt", "beta")
        else "pairs"
        if name in ("davidson",) or "btl" in name
        else "panel"
    )
    if kind not in MADE:
        rng = np.random.default_rng(11)
        MADE[kind] = {"binary": binary, "pairs": of_pairs, "panel": of_panel}[kind](rng, 150)
    planted = MADE[kind]
    n = len(planted.features)
    systems = replace(planted.features, system=np.arange(n, dtype=np.int32) % 3, systems=("p", "q", "r"))
    return replace(planted, features=systems)


def calibrator_of(name: str) -> Calibrator:
    made: Calibrator = registry.get("calibrator", name)()
    return made


def quick(name: str, features: Features, target: Target) -> Fitted:
    """A fit under the first setting."""
    calibrator = calibrator_of(name)
    problem = Problem.of(features, target, np.random.default_rng(0))
    return calibrator.fit_at(problem, calibrator.settings(features)[:1])[0]


@pytest.mark.parametrize("name", NAMES)
def test_predictions_are_distributions_with_base_rates_inside(name: str) -> None:
    planted = suitable(name)
    assert calibrator_of(name).applies(planted.features) == ""
    fitted = quick(name, planted.features, planted.target)
    predicted = fitted.predict(planted.features)
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0, atol=1e-12)
    floor = fitted.floor.rows(planted.features.metric)
    assert (floor > 0).all()
    assert (predicted >= PRIOR_MASS * floor * (1 - 1e-9)).all()
    assert fitted.name == name
    assert fitted.complexity >= 0


@pytest.mark.parametrize("name", NAMES)
def test_round_trip_through_json_is_exact(name: str) -> None:
    planted = suitable(name)
    fitted = quick(name, planted.features, planted.target)
    again = restore(json.loads(json.dumps(fitted.to_dict())))
    np.testing.assert_array_equal(again.predict(planted.features), fitted.predict(planted.features))
    assert again.to_dict() == fitted.to_dict()


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_fit_and_order_of_rows_does_not_matter(name: str) -> None:
    planted = suitable(name)
    fitted = quick(name, planted.features, planted.target)
    predicted = fitted.predict(planted.features)
    order = np.random.default_rng(3).permutation(len(planted.features))
    np.testing.assert_allclose(fitted.predict(planted.features.take(order)), predicted[order], atol=1e-12)
    again = quick(name, planted.features, planted.target)
    np.testing.assert_array_equal(again.predict(planted.features), predicted)
    if name in CONVEX:
        shuffled = quick(name, planted.features.take(order), planted.target.take(order))
        np.testing.assert_allclose(shuffled.predict(planted.features), predicted, atol=2e-3)


@pytest.mark.parametrize("name", NAMES)
def test_other_labels_judges_or_shapes_are_refused(name: str) -> None:
    planted = suitable(name)
    features, target = planted.features, planted.target
    fitted = quick(name, features, target)
    renamed = replace(
        features, judges=tuple(replace(each, judge=f"{each.judge}!") for each in features.judges)
    )
    calibrator, rng = calibrator_of(name), np.random.default_rng(0)
    nine, none = Target.of(np.ones((len(features), 9))), Target.of(np.zeros_like(target.counts))
    with pytest.raises(UserError, match="other judges"):
        fitted.predict(renamed)
    with pytest.raises(UserError, match="label counts of shape"):
        calibrator.fit(features, nine, rng=rng)
    with pytest.raises(UserError, match="no row has a human label"):
        calibrator.fit(features, none, rng=rng)


@pytest.mark.parametrize("name", NAMES)
def test_one_label_a_row_a_label_never_used_and_few_rows(name: str) -> None:
    planted = suitable(name)
    rows = np.arange(20)
    counts = np.eye(planted.features.n_labels)[np.where(rows % 2, 0, planted.features.n_labels - 1)]
    fitted = quick(name, planted.features.take(rows), Target.of(counts))
    predicted = fitted.predict(planted.features)
    assert np.isfinite(np.log(predicted)).all()
    assert (predicted > 0).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("verdicts", ["constant", "none"])
def test_a_constant_judge_and_a_judge_without_verdicts(name: str, verdicts: str) -> None:
    planted = suitable(name)
    features, c = planted.features, planted.features.n_labels
    n = len(features)
    code = np.full(n, 0 if verdicts == "constant" else c, dtype=np.int32)
    dull = replace(features, judges=(voting("dull", features.scale, code),))
    calibrator = calibrator_of(name)
    if calibrator.applies(dull):
        assert verdicts == "none" or features.scale.kind == "nominal"
        with pytest.raises(UserError, match="does not apply"):
            calibrator.fit(dull, planted.target, rng=np.random.default_rng(0))
        return
    predicted = quick(name, dull, planted.target).predict(dull)
    spread = max(np.ptp(predicted[dull.metric == m], axis=0).max() for m in np.unique(dull.metric))
    if name != "system_prior" and "contrast" not in name and features.contrasts.shape[1] == 0:
        assert spread < 1e-9


@pytest.mark.parametrize(
    "name",
    [
        "temperature_bias",
        "vector",
        "entropy_temperature",
        "dirichlet",
        "stack",
        "cumulative_link",
        "linear_map",
    ],
)
def test_a_metric_never_seen_is_flagged_and_wider(name: str) -> None:
    planted = of_panel(np.random.default_rng(4), 600)
    calibrator = calibrator_of(name)
    problem = Problem.of(planted.features, planted.target, np.random.default_rng(0))
    fitted = calibrator.fit_at(problem, calibrator.settings(planted.features)[3:4])[0]
    unknown = replace(planted.features, metric=np.full(600, -1, dtype=np.int32))
    assert fitted.unseen(unknown).all()
    assert not fitted.unseen(planted.features).any()
    told, untold = (
        -(q * np.log(q)).sum(axis=1).mean()
        for q in (fitted.predict(planted.features), fitted.predict(unknown))
    )
    assert untold > told + 0.01


def test_a_metric_without_labels_in_training_counts_as_never_seen() -> None:
    planted = of_panel(np.random.default_rng(4), 200)
    counts = np.where((planted.features.metric == 1)[:, None], 0.0, planted.target.counts)
    fitted = quick("temperature_bias", planted.features, Target.of(counts))
    np.testing.assert_array_equal(fitted.unseen(planted.features), planted.features.metric == 1)


@pytest.mark.parametrize(
    "name",
    [
        "label_prior",
        "metric_prior",
        "confusion_row",
        "temperature",
        "temperature_bias",
        "vector",
        "dirichlet",
        "stack",
    ],
)
def test_names_of_labels_do_not_matter(name: str) -> None:
    planted = of_logits(np.random.default_rng(9), 200, slope=0.6)
    order = [2, 0, 1]
    scale = replace(planted.features.scale, labels=tuple(planted.features.scale.labels[k] for k in order))
    z = planted.features.log_probs()[:, 0][:, order]
    renamed = replace(planted.features, scale=scale, judges=(stating("judge", scale, z),))
    one = quick(name, planted.features, planted.target).predict(planted.features)
    two = quick(name, renamed, planted.target.permuted(order)).predict(renamed)
    np.testing.assert_allclose(two, one[:, order], atol=2e-3)


def test_fit_chooses_a_setting_by_held_out_clusters() -> None:
    planted = of_panel(np.random.default_rng(2), 150)
    fitted = calibrator_of("stack").fit(planted.features, planted.target, rng=np.random.default_rng(1))
    assert fitted.setting in calibrator_of("stack").settings(planted.features)
    again = calibrator_of("stack").fit(planted.features, planted.target, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(fitted.predict(planted.features), again.predict(planted.features))


@pytest.mark.parametrize("name", NAMES)
def test_rows_where_every_judge_is_silent_are_still_predicted(name: str) -> None:
    planted = suitable(name)
    features = planted.features
    fitted = quick(name, features, planted.target)
    silent = tuple(
        replace(
            output,
            code=np.full(len(features), len(output.labels), dtype=np.int32),
            log_probs=np.full_like(output.log_probs, np.nan),
            votes=np.zeros_like(output.votes),
            score=np.full(len(features), np.nan),
        )
        for output in features.judges
    )
    predicted = fitted.predict(replace(features, judges=silent))
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(
        fitted.predict(features.take(slice(0, 1))), fitted.predict(features)[:1], atol=1e-12
    )


@pytest.mark.parametrize("name", ["stack", "dirichlet", "napha", "quantitative_mn", "annotator_offsets"])
def test_a_stating_judge_that_falls_silent(name: str) -> None:
    planted = of_logits(np.random.default_rng(9), 100)
    fitted = quick(name, planted.features, planted.target)
    mute = voting("judge", planted.features.scale, np.full(100, 3, dtype=np.int32))
    predicted = fitted.predict(replace(planted.features, judges=(mute,)))
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(predicted, predicted[:1].repeat(100, axis=0), atol=1e-12)
