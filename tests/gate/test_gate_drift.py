"""A gate on drift: a saved aligner held against new human labels."""

from __future__ import annotations

from typing import Any

import pytest

from decide.changed import rows_of, study_of
from voirdire import AlignOptions, UserError, align
from voirdire.gate.gate import Gate, gate
from voirdire.gate.policy import GatePolicy
from voirdire.study import Study


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("gate") / "judge.json"
    fitted = align(study_of(rows_of(range(160), right=0.92)), AlignOptions(select="confusion_row", repeats=1))
    return str(fitted.save(path))


def held(study: Study, path: str, **more: Any) -> Gate:
    rule = {"measure": "drift", "at_most": 0.1, "options": {"aligner": path}, **more}
    return gate(study, GatePolicy.model_validate({"rules": [rule]}))


def test_drift_fails_and_few_labels_cannot_tell(saved: str) -> None:
    turned = held(study_of(rows_of(range(160, 760), right=0.92, turn=1.0)), saved)
    assert turned.outcome == "fail"
    few = held(study_of(rows_of(range(160, 200), right=0.92)), saved)
    assert few.outcome == "inconclusive"
    assert held(study_of(rows_of(range(160, 200), people=())), saved).outcome == "inconclusive"


def test_labels_as_before_pass_within_a_wide_tolerance(saved: str) -> None:
    alike = study_of(rows_of(range(160, 760), right=0.92))
    assert held(alike, saved, at_most=1.0).outcome == "pass"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"options": {}}, "no aligner"),
        ({"options": {"aligner": "nowhere.json"}}, "cannot be read"),
        ({"options": {"alinger": "x"}}, "no option 'alinger'"),
        ({"metrics": ["warm"]}, "the aligner's own"),
    ],
)
def test_mistakes_in_a_rule_are_one_line(saved: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        held(study_of(rows_of(range(160, 200))), saved, **more)
