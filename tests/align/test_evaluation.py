"""The protocol: floors, no leakage, the four verdicts, and what is said where a thing is not measurable."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from align.planted import NOMINAL, Planted, of_metrics, of_pairs, of_panel, voting
from voirdire.align.evaluation import Evaluation
from voirdire.align.features import Features, Target
from voirdire.align.held_out import Protocol
from voirdire.align.held_out_person import gain_for_new_raters, gains_by_rater, majority_hits
from voirdire.align.protocol import evaluate
from voirdire.align.scores import log_score
from voirdire.align.verdict import worth
from voirdire.errors import UserError
from voirdire.stats.estimate import Estimate, undefined

QUICK = Protocol(calibrators=("temperature", "temperature_bias", "confusion_row"), repeats=1, resamples=200)
METRICS = np.array([[1.2, 0.0, -1.0], [-1.0, 0.0, 1.2]])


def useful(seed: int = 1, n: int = 300, k: int = 3) -> Planted:
    return of_metrics(np.random.default_rng(seed), n, METRICS, slope=1.2, k=k)


@pytest.fixture(scope="module")
def helped() -> Evaluation:
    planted = useful()
    return evaluate(planted.features, planted.target, protocol=QUICK, rng=np.random.default_rng(3))


def test_floors_stand_beside_every_candidate(helped: Evaluation) -> None:
    roles = {one.name: one.role for one in helped.models}
    assert roles["uniform"] == roles["label_prior"] == roles["metric_prior"] == "floor"
    assert roles["raw_judge"] == "judge"
    assert roles["pool"] == "chosen"
    assert roles["temperature"] == "candidate"
    assert helped.model("system_prior") is None
    chosen, floor = helped.model("pool"), helped.model("metric_prior")
    assert chosen is not None
    assert floor is not None
    assert chosen.gain.value == 0.0
    assert floor.gain.value == pytest.approx(helped.gain.value)
    assert sum(helped.weights.values()) == pytest.approx(1.0)


def test_figures_of_a_useful_judge_are_near_the_planted_ones(helped: Evaluation) -> None:
    planted = useful()
    truth = log_score(planted.truth, planted.target.counts).mean()
    chosen = helped.model("pool")
    assert chosen is not None
    assert helped.verdict.word in ("helps", "as a person")
    assert helped.gain.low > 0
    assert 0 < chosen.log.value - truth < 0.06
    assert helped.kappa.value > 15  # people's labels are drawn from what the judge's map can reach
    assert abs(chosen.kernel.value) < 0.03
    assert helped.skill.value == pytest.approx(1.0, abs=0.35)
    assert all(abs(one.value) < 0.05 for one in helped.marginal.values())


def test_an_evaluation_survives_json(helped: Evaluation) -> None:
    text = json.dumps(helped.to_dict(), allow_nan=False)
    again = Evaluation.from_dict(json.loads(text))
    assert again.to_dict() == helped.to_dict()
    assert str(again) == str(helped)
    assert helped.verdict.sentence in str(again)


def test_permuted_labels_have_skill_zero_within_the_interval() -> None:
    planted = useful(seed=2)
    rng = np.random.default_rng(5)
    order = np.arange(300)
    for code in (0, 1):
        rows = np.flatnonzero(planted.features.metric == code)
        order[rows] = rng.permutation(rows)
    shuffled = Target.of(planted.target.counts[order], cluster=np.arange(300) // 2)
    found = evaluate(planted.features, shuffled, protocol=QUICK, rng=rng)
    assert found.gain.low <= 0
    assert found.verdict.word in ("nothing", "cannot tell")
    assert found.skill.undefined or found.skill.low <= 0.0 <= found.skill.high + 0.05


def test_a_random_judge_is_not_called_helpful() -> None:
    rng = np.random.default_rng(11)
    helpful = 0
    for _ in range(8):
        code = rng.integers(0, 3, 80).astype(np.int32)
        features = Features(NOMINAL, (voting("judge", NOMINAL, code),), np.zeros(80, dtype=np.int32), ("m",))
        target = Target.of(rng.multinomial(2, rng.dirichlet(np.ones(3), size=80)).astype(float))
        found = evaluate(features, target, protocol=QUICK, rng=rng)
        helpful += found.verdict.word in ("helps", "as a person")
    assert helpful <= 1


def test_a_constant_judge_adds_nothing() -> None:
    rng = np.random.default_rng(4)
    features = Features(
        NOMINAL,
        (voting("judge", NOMINAL, np.zeros(400, dtype=np.int32)),),
        np.zeros(400, dtype=np.int32),
        ("m",),
    )
    target = Target.of(rng.multinomial(3, [0.6, 0.3, 0.1], size=400).astype(float))
    found = evaluate(features, target, protocol=QUICK, rng=rng)
    assert found.verdict.word == "nothing"
    assert found.disagreement.slope.undefined or not found.disagreement.slope.low > 0


def test_one_label_a_row_is_evaluated_and_the_rest_not_measurable() -> None:
    planted = useful(seed=7, k=1)
    found = evaluate(planted.features, planted.target, protocol=QUICK, rng=np.random.default_rng(1))
    assert found.gain.low > 0
    assert found.kappa.undefined == "no_pairable_items"
    assert found.power[0].equivalence.undefined == "no_pairable_items"
    assert found.skill.undefined == "not_identifiable"
    assert found.accuracy.person.undefined == "no_pairable_items"
    assert "not measurable" in found.verdict.sentence
    assert found.model("pool").kernel.undefined == "no_pairable_items"  # type: ignore[union-attr]


def test_too_few_items_end_in_one_line_with_the_number() -> None:
    planted = useful(n=12)
    with pytest.raises(UserError, match=r"^12 items .* at least 20, better 60 to 100; fix: label 8 more$"):
        evaluate(planted.features, planted.target, protocol=QUICK, rng=np.random.default_rng(1))


def test_no_judge_and_an_unknown_choice_are_named() -> None:
    planted = useful(n=60)
    rng = np.random.default_rng(1)
    with pytest.raises(UserError, match="no judge to align"):
        evaluate(replace(planted.features, judges=()), planted.target, protocol=QUICK, rng=rng)
    with pytest.raises(UserError, match="'davidson' does not apply"):
        evaluate(planted.features, planted.target, protocol=replace(QUICK, select="davidson"), rng=rng)
    with pytest.raises(UserError, match="no calibrator named 'tempurature'"):
        evaluate(planted.features, planted.target, protocol=replace(QUICK, select="tempurature"), rng=rng)


def test_ordered_and_pairwise_scales_and_a_named_choice() -> None:
    rng = np.random.default_rng(2)
    panel = of_panel(rng, 150)
    found = evaluate(panel.features, panel.target, protocol=replace(QUICK, select="temperature"), rng=rng)
    assert found.chosen == "temperature"
    assert found.kernel_name == "excess CRPS"
    assert "Wasserstein" in {one.name for one in found.comparable}
    pairs = of_pairs(rng, 150)
    assert evaluate(pairs.features, pairs.target, protocol=QUICK, rng=rng).gain.value > 0


def test_knowing_the_system_is_a_floor_of_its_own() -> None:
    rng = np.random.default_rng(6)
    system = rng.integers(0, 4, 400).astype(np.int32)
    quality = np.array([[2.0, 0, 0], [0, 2.0, 0], [0, 0, 2.0], [0, 0, 0]])[system]
    truth = np.exp(quality) / np.exp(quality).sum(axis=1, keepdims=True)
    code = np.array([rng.choice(3, p=each) for each in truth]).astype(np.int32)
    features = Features(
        NOMINAL,
        (voting("judge", NOMINAL, code),),
        np.zeros(400, dtype=np.int32),
        ("m",),
        system=system,
        systems=("a", "b", "c", "d"),
    )
    target = Target.of(rng.multinomial(2, truth).astype(float))
    found = evaluate(features, target, protocol=QUICK, rng=rng)
    assert found.gain.low > 0  # the judge knows something
    assert found.gain_over_system.high < 0  # and less than who knows the system
    assert found.judge_beyond_system.low <= 0.01


def test_held_out_person_by_hand() -> None:
    counts = np.array([[2.0, 1.0, 0.0], [3.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 0.0, 0.0]])
    # without b: a a, majority a, b misses; without one a: a b, tied, left out
    assert majority_hits(counts, None)[:2].tolist() == [0.0, 1.0]
    assert np.isnan(majority_hits(counts, None)[2:]).all()
    assert majority_hits(counts, np.array([0, 1, 0, 0]))[:2].tolist() == [1.0, 0.0]


def labelled(n_raters: int) -> tuple[Target, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(9)
    row, rater = np.repeat(np.arange(120), 2), rng.permuted(np.tile(np.arange(n_raters), (120, 1)), axis=1)
    truth = rng.dirichlet(np.ones(3), size=120)
    label = np.array([rng.choice(3, p=truth[i]) for i in row])
    counts = np.zeros((120, 3))
    np.add.at(counts, (row, label), 1.0)
    target = replace(Target.of(counts), row=row, rater=rater[:, :2].ravel(), label=label)
    return target, np.full((120, 3), 1 / 3), 0.95 * truth + 0.05 / 3


def test_new_raters_are_spoken_of_only_where_there_are_ten() -> None:
    rng = np.random.default_rng(1)
    target, floor, predicted = labelled(12)
    many = gain_for_new_raters(floor, predicted, target, resamples=400, rng=rng)
    assert many.target == "new raters, new items"
    assert many.low < many.value < many.high
    few = labelled(4)
    assert gain_for_new_raters(floor, predicted, few[0], rng=rng).undefined == "insufficient_raters"
    by_rater = gains_by_rater(few[1], few[2], few[0])
    assert [one.rater for one in by_rater] == ["0", "1", "2", "3"]
    assert sum(one.n_labels for one in by_rater) == 240


def test_the_verdict_follows_the_bounds(helped: Evaluation) -> None:
    curve = helped.power[0]
    weak = replace(curve, equivalence=Estimate(0.6, 0.3, 0.9))
    strong = replace(curve, equivalence=Estimate(1.5, 1.1, 2.0))
    refused = replace(curve, equivalence=undefined("people_tell_nothing"))
    assert worth(Estimate(0.1, 0.05, 0.15), weak, 100).word == "helps"
    assert worth(Estimate(0.1, 0.05, 0.15), strong, 100).word == "as a person"
    assert "one more person predicts no better" in worth(Estimate(0.1, 0.05, 0.15), refused, 100).sentence
    assert worth(Estimate(0.0, -0.01, 0.01), weak, 100).word == "nothing"
    unsure = worth(Estimate(0.03, -0.01, 0.07), weak, 100)
    assert unsure.word == "cannot tell"
    assert unsure.more_labels == pytest.approx(100 * (2.8 / 1.96 * 4 / 3) ** 2 - 100, rel=0.05)
    assert worth(undefined("no_labels"), weak, 0).word == "cannot tell"


def test_a_judge_that_tells_systems_apart_and_no_more_is_not_called_helpful(helped: Evaluation) -> None:
    curve, gain = helped.power[0], Estimate(0.1, 0.05, 0.15)
    nothing = worth(gain, curve, 100, beyond_system=Estimate(0.0, -0.01, 0.01))
    assert (nothing.word, nothing.sentence) == (
        "nothing",
        "The judge adds nothing beyond knowing which system wrote the item here.",
    )
    assert worth(gain, curve, 100, beyond_system=Estimate(0.02, -0.01, 0.05)).word == "cannot tell"
    beyond = worth(gain, curve, 100, beyond_system=Estimate(0.05, 0.02, 0.08))
    alone = worth(gain, curve, 100, beyond_system=undefined("insufficient_systems"))
    assert beyond == alone == worth(gain, curve, 100)


def test_a_gain_on_few_clusters_carries_a_caution() -> None:
    from voirdire.align.protocol import _cautious
    from voirdire.stats.estimate import Estimate

    assert "60 clusters" in (_cautious(Estimate(0.1, 0.0, 0.2, n_clusters=60)).caution or "")
    assert _cautious(Estimate(0.1, 0.0, 0.2, n_clusters=100)).caution is None
