"""A judge's ranking of systems against people's: differences, ranks, tau-b, bias, gaps, judges left out."""

from __future__ import annotations

import importlib
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, t, ttest_rel

import voirdire
from voirdire.decide.rates_rows import Rank
from voirdire.decide.systems import judged_scores, judged_systems
from voirdire.decide.systems_means import SystemMeans, ranks, sides_of_pairs
from voirdire.decide.systems_options import SystemsOptions
from voirdire.decide.systems_ranking import confirmed_gap, rank_agreement, separability, soft_accuracy
from voirdire.decide.systems_scores import SystemScores, scores_of
from voirdire.errors import UserError
from voirdire.stats import Estimate, soft_pairwise_accuracy
from voirdire.study import Study

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
OPTIONS = SystemsOptions(draws=500)


def crossed(n: int, rates: list[float], *, seed: int = 1, people: int = 2) -> SystemScores:
    """``n`` prompts answered by every system; the judge passes as often as people, on its own."""
    rng = np.random.default_rng(seed)
    size = len(rates)
    system, cluster = np.tile(np.arange(size), n), np.repeat(np.arange(n), size)
    chance = np.array(rates)[system] + 0.1 * rng.choice([-1, 1], n)[cluster]
    said = (rng.random((len(system), people)) < chance[:, None]).mean(axis=1)
    score = np.stack([said, rng.random(len(system)) < chance]).astype(float)
    at = np.arange(len(system))
    names = tuple("abcdefgh"[:size])
    return SystemScores(
        ("m",), "pass rate", 1.0, ("people", "j"), (True, True), names, at, system, at * 0 - 1, cluster, score
    )


def study(
    n: int, rates: dict[str, float], judges: dict[str, dict[str, float]], *, seed: int = 1, **extra: Any
) -> Study:
    """Two people and judges who each pass a system's outputs at rates of their own."""
    rng = np.random.default_rng(seed)
    rows = []
    for prompt in range(n):
        for system, rate in rates.items():
            who = {"Ann": rate, "Bo": rate} | {name: own.get(system, rate) for name, own in judges.items()}
            for name, chance in who.items():
                rows.append(
                    {
                        "item_id": f"{prompt} {system}",
                        "cluster": f"p{prompt}",
                        "system": system,
                        "rater_id": name,
                        "rater_kind": "judge" if name in judges else "human",
                        "label": "pass" if rng.random() < chance else "fail",
                        **extra,
                    }
                )
    return voirdire.open({name: [row[name] for row in rows] for name in rows[0]})


def test_differences_are_paired_t_intervals_over_clusters() -> None:
    scores = crossed(40, [0.4, 0.6, 0.7])
    means = SystemMeans.of(scores)
    sides = means.contrasts(sides_of_pairs(2, 3, 0)).alone(level=0.95, method="t")
    table = scores.score[0].reshape(40, 3)
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        found = ttest_rel(table[:, i], table[:, j]).confidence_interval(0.95)
        assert (sides[k].low, sides[k].high) == pytest.approx((found.low, found.high))


def test_simultaneous_intervals_are_wider_and_those_of_two_systems_the_same() -> None:
    rng = np.random.default_rng(1)
    two, five = (SystemMeans.of(crossed(60, [0.5] * k)) for k in (2, 5))
    one = two.contrasts(sides_of_pairs(2, 2, 0)).critical(level=0.95, draws=40_000, rng=rng)
    assert one == pytest.approx(t.ppf(0.975, 59), abs=0.03)
    assert five.contrasts(sides_of_pairs(2, 5, 0)).critical(level=0.95, draws=4000, rng=rng) > one + 0.3


def test_ranks_follow_from_signs() -> None:
    assert ranks(np.array([1, 1, 0]), 3) == [Rank(1, 1), Rank(2, 3), Rank(2, 3)]
    assert ranks(np.array([0, 0, 0]), 3) == [Rank(1, 3)] * 3
    assert ranks(np.array([-1, -1, -1]), 3) == [Rank(3, 3), Rank(2, 2), Rank(1, 1)]


@pytest.mark.parametrize("seed", range(4))
def test_tau_is_kendalls_and_its_interval_holds_it(seed: int) -> None:
    means = SystemMeans.of(crossed(12, [0.4, 0.5, 0.55, 0.6, 0.8], seed=seed))  # few prompts: means tie
    one, other = (means.contrasts(sides_of_pairs(2, 5, k)) for k in (0, 1))
    found = rank_agreement(one, other, 3.0, level=0.95)
    assert found.value == pytest.approx(kendalltau(*means.mean).statistic)
    assert -1 <= found.low <= found.value <= found.high <= 1


def test_tau_of_systems_far_apart_is_certain_and_of_equal_ones_open() -> None:
    options = SystemsOptions(draws=500)
    far = judged_scores(crossed(400, [0.2, 0.5, 0.8]), options, np.random.default_rng(1))
    near = judged_scores(crossed(40, [0.5, 0.5, 0.5]), options, np.random.default_rng(1))
    assert far is not None
    assert near is not None
    assert (far.tau.low, far.tau.high) == (1, 1)
    assert far.people_ranks == (Rank(3, 3), Rank(2, 2), Rank(1, 1))
    assert (near.tau.low, near.tau.high) == (-1, 1)
    assert near.apart("people") == 0


def test_soft_accuracy_is_near_that_of_the_sign_flip_test() -> None:
    scores = crossed(80, [0.45, 0.5, 0.52, 0.6], seed=3)
    means = SystemMeans.of(scores)
    tables = [one.reshape(80, 4).T for one in scores.score]
    flips = soft_pairwise_accuracy(*tables, rng=np.random.default_rng(1), resamples=4000)
    found = soft_accuracy(*(means.contrasts(sides_of_pairs(2, 4, k)) for k in (0, 1)))
    assert found.value == pytest.approx(flips.value, abs=0.02)


def test_separability_counts_intervals_that_leave_out_nought() -> None:
    bare = Estimate(0.3, no_interval="zero_width")
    assert separability([Estimate(0.2, 0.1, 0.3), Estimate(-0.2, -0.3, -0.1), Estimate(0, -1, 1), bare]) == (
        2,
        4,
    )


def test_a_gap_is_confirmed_beyond_the_last_pair_in_doubt() -> None:
    far = SystemMeans.of(crossed(300, [0.2, 0.45, 0.8]))
    sides = [far.contrasts(sides_of_pairs(2, 3, k)) for k in (0, 1)]
    found = confirmed_gap(*sides, level=0.95, draws=500, rng=np.random.default_rng(1))
    assert found.value == pytest.approx(np.abs(sides[1].value).min())  # every pair is ordered alike for sure
    turned = SystemMeans.of(crossed(300, [0.2, 0.45, 0.8]))
    against = sides[1]
    reverse = type(against)(-against.value, against.error, -against.weights, turned)
    assert confirmed_gap(
        sides[0], reverse, level=0.95, draws=200, rng=np.random.default_rng(1)
    ).undefined == ("unconfirmed")


def test_bias_is_found_on_the_system_that_has_it() -> None:
    one = judged_systems(
        study(150, {"old": 0.4, "mid": 0.5, "new": 0.6}, {"j": {"old": 0.75}}), OPTIONS
    ).judged[0]
    biased = dict(zip(one.systems, one.bias, strict=True))
    assert biased["old"].low > 0.2
    assert biased["mid"].low < 0 < biased["mid"].high
    assert one.bias_sd.low > 0
    assert one.best == ("new", "old")
    assert {(pair.first, pair.second) for pair in one.contrary} <= {("new", "old"), ("mid", "old")}
    assert one.contrary


def test_a_pair_counts_for_both_systems_and_decisiveness_comes_back(mtbench: Study) -> None:
    one = judged_systems(mtbench, OPTIONS).judged[0]
    scores = scores_of(mtbench, ["preference"], mtbench.judges_of("preference"))
    assert scores is not None
    n = scores.rows_by_system()
    means = np.array([estimate.value for estimate in one.people])
    assert (means * n).sum() == pytest.approx(n.sum() / 2)  # what one wins another loses
    assert one.decisiveness.low > 1
    assert one.tau.value == 1


def test_leaving_out_a_judge_shows_what_hangs_on_it() -> None:
    rates = {"a": 0.4, "b": 0.5, "c": 0.6}
    judges = {"a": {"a": 0.95}, "x": {}, "y": {}}  # the judge `a` loves system `a`
    found = judged_systems(study(120, rates, judges), OPTIONS)
    rows = {one.judge: one for one in found.panels}
    assert set(rows) == set(judges)
    assert rows["a"].kin == ("a",)
    with_it, without = rows["a"].kin_ranks[0]
    assert with_it < without == 3
    assert rows["a"].tau.value < 1
    assert rows["a"].moved == 2
    assert rows["x"].kin == ()


def test_the_result_is_data_and_text_and_repeats() -> None:
    made = study(30, {"a": 0.3, "b": 0.6}, {"j": {}, "k": {}})
    one, other = judged_systems(made, OPTIONS), judged_systems(made, OPTIONS)
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    assert "tau-b of the two rankings" in str(one)
    assert "All judges together, and without each" in str(one)


def test_metrics_with_a_pass_rate_are_also_taken_together() -> None:
    parts = [study(15, {"a": 0.3, "b": 0.6}, {"j": {}}, metric=name, seed=k) for k, name in enumerate("mn")]
    rows: dict[str, list[str]] = {}
    for part in parts:
        for k, name in enumerate(("item_id", "rater_id")):
            values = part.items.ids if k == 0 else [one.id for one in part.raters]
            codes = part.ratings.item if k == 0 else part.ratings.rater
            rows.setdefault(name, []).extend(values[code] for code in codes)
        rows.setdefault("system", []).extend(
            part.items.attributes["system"][i] or "" for i in part.ratings.item
        )
        rows.setdefault("rater_kind", []).extend(part.raters[r].kind for r in part.ratings.rater)
        rows.setdefault("metric", []).extend([part.metrics[0].name] * len(part.ratings.item))
        rows.setdefault("label", []).extend(part.ratings.raw[k] or "" for k in range(len(part.ratings.item)))
    found = judged_systems(voirdire.open(rows), OPTIONS).judged
    assert [one.metrics for one in found] == [("m", "n"), ("m",), ("n",)]
    assert found[0].n_rows == found[1].n_rows + found[2].n_rows
    assert found[0].metric == "2 metrics together"


def test_another_scale_ranks_but_has_no_bias() -> None:
    rng = np.random.default_rng(3)
    rows = []
    for k in range(60):
        good = 1 + k % 2
        for who, kind, label in (
            ("Ann", "human", good + rng.integers(0, 2)),
            ("j", "judge", 30 * good + rng.integers(0, 20)),
        ):
            rows.append((f"i{k}", ("old", "new")[k % 2], who, kind, str(label)))
    names = ("item_id", "system", "rater_id", "rater_kind", "label")
    found = judged_systems(voirdire.open({name: [row[k] for row in rows] for k, name in enumerate(names)}))
    one = found.judged[0]
    assert one.bias[0].undefined == "scale_mismatch"
    assert one.tau.value == 1


def test_few_items_leave_a_system_out_and_say_so() -> None:
    made = study(5, {"a": 0.3, "b": 0.6}, {"j": {}})
    found = judged_systems(made)
    assert found.judged == ()
    assert "0 of 2 systems have the 10 items" in found.notes[0]


@pytest.mark.parametrize(
    ("columns", "options", "what"),
    [
        ({"rater_kind": ["human"] * 4}, {}, "no metric was rated by people and by a judge"),
        ({"system": None}, {}, "no item names the system"),
        ({}, {"judges": ("k",)}, "no judge named 'k'"),
        ({}, {"metrics": ("warmth",)}, "no metric named 'warmth'"),
    ],
)
def test_mistakes_of_users(columns: dict[str, Any], options: dict[str, Any], what: str) -> None:
    table = {
        "item_id": list("aabb"),
        "system": list("xxyy"),
        "rater_id": ["Ann", "j"] * 2,
        "rater_kind": ["human", "judge"] * 2,
        "label": ["yes", "no", "no", "no"],
    } | columns
    made = voirdire.open({name: values for name, values in table.items() if values is not None})
    with pytest.raises(UserError, match=what):
        judged_systems(made, SystemsOptions(**options))


@pytest.mark.parametrize(
    "options", [{"level": 1.2}, {"fewest": 1}, {"smallest": 0}, {"power": 2}, {"judges": "j"}, {"draws": 3}]
)
def test_mistakes_in_options(options: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        SystemsOptions(**options)


def test_llm_rubric_ranks_on_every_metric(llm_rubric: Study) -> None:
    found = judged_systems(llm_rubric, SystemsOptions(draws=300))
    assert len(found.judged) == 9
    assert all(one.tau.low <= one.tau.value <= one.tau.high for one in found.judged)
    assert all(math.isfinite(one.soft.value) for one in found.judged)


@pytest.mark.coverage_simulation
def test_simultaneous_intervals_hold_together() -> None:
    made = importlib.import_module("_guarantees.systems")
    runs = 60
    found = made.held(made.Design(6, 60, 2, 0.04, 0.08), runs, seed=7)
    least = 0.95 - 2.33 * (0.95 * 0.05 / runs) ** 0.5
    for name in ("people's ranks", "judge's ranks", "tau-b", "biases"):
        assert found[name] >= least, name
    assert found["pairs beyond the gap alike"] >= 0.95


def test_of_very_many_systems_the_fullest_are_compared() -> None:
    rng = np.random.default_rng(1)
    n = np.where(np.arange(70) < 60, 12, 11)
    system = np.repeat(np.arange(70), n)
    at = np.arange(len(system))
    names = tuple(f"s{k:02}" for k in range(70))
    score = (rng.random((2, len(at))) < 0.5).astype(float)
    many = SystemScores(
        ("m",), "rate", 1.0, ("people", "j"), (True, True), names, at, system, at * 0 - 1, at, score
    )
    used = many.enough(10)
    assert used is not None
    assert used.systems == names[:60]
    assert many.enough(13) is None
