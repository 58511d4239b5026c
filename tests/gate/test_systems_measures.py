"""A gate on the ranking of systems and on self-preference."""

from __future__ import annotations

from typing import Any

import numpy as np

from voirdire.gate.gate import Gate, gate
from voirdire.gate.policy import GatePolicy
from voirdire.opening import open as open_study
from voirdire.study.study import Study

RANKS = {"measure": "rank_agreement", "at_least": 0.6}
SELF = {"measure": "self_preference", "at_most": 0.1}


def held(subject: Study, *rules: dict[str, Any]) -> Gate:
    return gate(subject, GatePolicy.model_validate({"rules": list(rules)}))


def study(n: int, lift: float, *, judge: str = "new") -> Study:
    """Two people and a judge on three systems; the judge lifts `new` by ``lift``."""
    rng = np.random.default_rng(2)
    rows = []
    for system, rate in (("old", 0.2), ("mid", 0.5), ("new", 0.8)):
        for k in range(n):
            for name in ("Ann", "Bo", judge):
                chance = rate + (lift if name == judge and system == "new" else 0)
                label = "pass" if rng.random() < chance else "fail"
                rows.append((f"{system}{k}", system, name, "judge" if name == judge else "human", label))
    names = ("item_id", "system", "rater_id", "rater_kind", "label")
    return open_study({name: [row[k] for row in rows] for k, name in enumerate(names)})


def test_a_ranking_passes_fails_or_cannot_tell() -> None:
    assert held(study(150, 0.0), RANKS).outcome == "pass"
    assert held(study(150, -0.7), RANKS).outcome == "fail"
    few = held(study(12, 0.0), RANKS)
    assert few.outcome == "inconclusive"
    assert few.rulings[0].cases[0].about == "new on label"


def test_self_preference_passes_fails_or_cannot_tell() -> None:
    assert held(study(400, 0.0), SELF).outcome == "pass"
    lifted = held(study(400, -0.5), {"measure": "self_preference", "at_least": -0.1})
    assert lifted.outcome == "fail"
    assert "itself (new)" in lifted.rulings[0].cases[0].about
    few = held(study(20, 0.0), SELF)
    assert few.outcome == "inconclusive"
    assert few.rulings[0].cases[0].unit == "own outputs with labels"


def test_a_judge_that_does_not_compete_passes_and_without_systems_it_cannot_be_told() -> None:
    assert held(study(30, 0.0, judge="other"), SELF).outcome == "pass"
    rows = {
        "item_id": ["a", "a"],
        "rater_id": ["Ann", "j"],
        "rater_kind": ["human", "judge"],
        "label": ["1", "0"],
    }
    assert held(open_study(rows), SELF).outcome == "inconclusive"
    assert held(open_study(rows), RANKS).outcome == "inconclusive"


def test_a_rule_may_name_systems_and_metrics() -> None:
    subject = study(60, 0.0)
    assert held(subject, {**SELF, "systems": ["old"]}).rulings[0].cases == ()
    assert len(held(subject, {**RANKS, "metrics": ["label"]}).rulings[0].cases) == 1


def test_the_figure_is_a_share_of_the_scale(mtbench: Study, llm_rubric: Study) -> None:
    cases = held(mtbench, SELF).rulings[0].cases
    assert len(cases) == 3
    assert all(case.estimate is not None and abs(case.estimate.value) < 0.2 for case in cases)
    assert held(llm_rubric, {**RANKS, "need": "any"}).rulings[0].cases[0].about.endswith("on Q0")
