"""A judge's error on its own outputs against others': what is found, what cannot be told, what it needs."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import voirdire
from voirdire.decide.kinship import Kin, kin_of
from voirdire.decide.self_preference import preference_of, self_preference
from voirdire.decide.systems_options import SystemsOptions
from voirdire.decide.systems_scores import SystemScores
from voirdire.errors import UserError
from voirdire.stats.power import mean_sample_size
from voirdire.study import Rater, Study

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
OPTIONS = SystemsOptions()


def scored(errors: dict[str, list[float]], *, cluster: bool = False) -> SystemScores:
    """Rows whose judge errs by ``errors`` on each system; the k-th outputs share a prompt where asked."""
    system = np.repeat(np.arange(len(errors)), [len(one) for one in errors.values()])
    place = np.concatenate([np.arange(len(one)) for one in errors.values()])
    error = np.concatenate(list(errors.values()))
    at = np.arange(len(error))
    return SystemScores(
        ("m",),
        "pass rate",
        1.0,
        ("people", "j"),
        (True, True),
        tuple(errors),
        at,
        system,
        np.full(len(at), -1),
        place if cluster else at,
        np.stack([np.full(len(at), 0.5), 0.5 + error]),
    )


@pytest.mark.parametrize(
    ("rater", "own", "family", "alike"),
    [
        (Rater("GPT-4", "judge"), ("gpt-4",), (), ("gpt-4-turbo", "gpt-3.5")),
        (Rater("j", "judge", model="gpt-4", family="GPT"), ("gpt-4",), ("gpt-4-turbo", "gpt-3.5"), ()),
        (Rater("j", "judge", family="Claude"), (), ("claude-2",), ()),
        (Rater("judge", "judge"), (), (), ()),
    ],
)
def test_kin_by_name(
    rater: Rater, own: tuple[str, ...], family: tuple[str, ...], alike: tuple[str, ...]
) -> None:
    assert kin_of(rater, ["gpt-4", "gpt-4-turbo", "gpt-3.5", "claude-2", "judge-lm"]) == Kin(
        own, family, alike
    )


def test_the_difference_weighs_systems_alike_and_leaves_siblings_out() -> None:
    errors = {"own": [0.2, 0.4], "kin": [9.0, 9.0], "a": [0.0, 0.2, 0.1, 0.1], "b": [-0.1, -0.3]}
    found = preference_of(scored(errors), ["own"], OPTIONS, apart=["kin"])
    assert found.difference is not None
    assert found.difference.value == pytest.approx(0.3 - (0.1 - 0.2) / 2)
    assert (found.n_own, found.n_other) == (2, 6)


def test_the_interval_is_paired_over_shared_prompts() -> None:
    rng = np.random.default_rng(1)
    shift = rng.normal(0, 0.3, 40)  # a prompt on which the judge errs on everybody tells nothing
    errors = {name: list(shift + rng.normal(0, 0.02, 40)) for name in ("own", "a")}
    paired, apart = (preference_of(scored(errors, cluster=one), ["own"], OPTIONS) for one in (True, False))
    assert paired.difference is not None
    assert apart.difference is not None
    own, other = (np.array(errors[name]) for name in ("own", "a"))
    se = (own - other).std(ddof=1) / np.sqrt(40)
    assert paired.difference.high - paired.difference.value == pytest.approx(2.0227 * se, rel=1e-3)
    assert apart.difference.high - apart.difference.low > 5 * (paired.difference.high - paired.difference.low)


def test_a_lean_to_the_first_side_is_no_self_preference() -> None:
    n, rng = 400, np.random.default_rng(2)
    first = np.where(np.arange(n) % 2 == 0, 0, 1 + rng.integers(0, 2, n))  # own always stands first
    second = np.where(first == 0, 1 + rng.integers(0, 3, n), 3)
    error = 0.2 + rng.normal(0, 0.05, n)
    scores = SystemScores(
        ("m",), "score", 1.0, ("people", "j"), (True, True), ("own", "a", "b", "c"),
        np.arange(n), first, second, np.arange(n), np.stack([np.full(n, 0.4), 0.4 + error]),
    )  # fmt: skip
    found = preference_of(scores, ["own"], OPTIONS).difference
    assert found is not None
    assert found.low < 0 < found.high
    swapped = replace(scores, first=second, second=first, score=1 - scores.score)
    other = preference_of(swapped, ["own"], OPTIONS).difference
    assert other is not None
    assert other.value == pytest.approx(found.value)


def test_what_it_would_take_is_the_t_tests_size() -> None:
    rng = np.random.default_rng(3)
    errors = {name: list(rng.normal(0, 0.4, 20)) for name in ("own", "a", "b", "c")}
    found = preference_of(scored(errors), ["own"], OPTIONS)
    assert found.difference is not None
    se = (found.difference.high - found.difference.value) / 2.093024  # t of 19 degrees of freedom
    assert found.needed == mean_sample_size(0.1, se * np.sqrt(20), power=0.8, level=0.975)
    assert found.answer(0.1, 0.95) == "cannot tell"
    more = {name: one * round(found.needed / 20) for name, one in errors.items()}
    assert preference_of(scored(more), ["own"], OPTIONS).detectable == pytest.approx(0.1, rel=0.03)


@pytest.mark.parametrize(
    ("errors", "what"),
    [
        ({"own": [0.1], "a": [0.0, 0.1]}, "fewer than two of own"),
        ({"own": [0.1, 0.3], "a": [0.0]}, "fewer than two of others'"),
        ({"a": [0.1, 0.3], "b": [0.0]}, "fewer than two of own"),
        ({"own": [0.1, 0.1], "a": [0.1, 0.1]}, "the same on every output"),
    ],
)
def test_what_is_not_testable(errors: dict[str, list[float]], what: str) -> None:
    found = preference_of(scored(errors), ["own"], OPTIONS)
    assert what in found.reason
    assert found.answer(0.1, 0.95) == "not testable"


def test_another_scale_is_not_testable() -> None:
    scores = replace(scored({"own": [0.1, 0.3], "a": [0.0, 0.2]}), same_scale=(True, False))
    assert "another scale" in preference_of(scores, ["own"], OPTIONS).reason
    assert "not stratified" in preference_of(None, ["own"], OPTIONS).reason


def test_the_sample_without_systems_names_the_labels_needed(impactbench: Study) -> None:
    """A13: the seed's judge is a contestant, its sample of labels does not name systems."""
    found = self_preference(impactbench)
    assert [(one.kind, one.systems) for one in found.tests] == [
        ("itself", ("GPT-5.6 Luna",)),
        ("family", ("GPT-5.6 Terra",)),
    ]
    assert all("not stratified by system or family" in one.reason for one in found.tests)
    assert all(50 < one.needed < 1000 for one in found.tests)


def test_gpt_4_as_a_judge_favours_gpt_4_beyond_its_decisiveness(mtbench: Study) -> None:
    found = {one.systems: one for one in self_preference(mtbench).tests}
    one = found[("gpt-4",)]
    assert one.difference is not None
    assert one.beyond is not None
    assert 0 < one.beyond.low < one.beyond.value < one.difference.value
    assert one.answer(0.1, 0.95) == "leans for"  # biases of other systems differ as much
    assert one.by_name


def test_the_result_is_data_and_text(pandalm: Study, mtbench: Study) -> None:
    assert str(self_preference(pandalm)) == "No judge is also a system, or of a system's family."
    found = self_preference(mtbench)
    assert json.loads(json.dumps(found.to_dict()))["answers"][0] == "not shown"
    assert "family: gpt-4" in str(found)


def test_no_system_is_a_users_mistake() -> None:
    table = {
        "item_id": ["a", "a"],
        "rater_id": ["Ann", "j"],
        "rater_kind": ["human", "judge"],
        "label": ["1", "0"],
    }
    with pytest.raises(UserError, match="no item names the system"):
        self_preference(voirdire.open(table))


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("number", range(7))
def test_intervals_cover_a_planted_bias_and_stay_silent_without(number: int) -> None:
    made = importlib.import_module("_guarantees.contest")
    design, runs = made.DESIGNS[number], 150
    found = made.found(design, runs, seed=11)
    slack = 2.33 * (0.95 * 0.05 / runs) ** 0.5
    assert found["covers"] >= 0.95 - slack
    if not design.planted and not design.others:
        assert found["silent"] >= 0.95 - slack
    if not design.planted:
        assert found["silent allowing for other biases"] >= 0.95 - slack
