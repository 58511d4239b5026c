"""The gate's raw agreement is the share of same labels, with bounds that a share can have."""

from __future__ import annotations

from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from voirdire.gate.gate import Case, gate
from voirdire.gate.policy import load_policy
from voirdire.opening import open as open_study


def case_of(tmp_path: Any, rows: list[tuple[str, str, str]], rule: str, **config: Any) -> Case:
    """The one case of a rule on ratings (item, rater, label); raters called ``model`` are the judge."""
    columns = {
        "item_id": [row[0] for row in rows],
        "rater_id": [row[1] for row in rows],
        "rater_kind": ["judge" if row[1] == "model" else "human" for row in rows],
        "label": [row[2] for row in rows],
    }
    (tmp_path / "gate.yaml").write_text(f"rules: [{rule}, {{measure: judge_kappa, at_least: 0.1}}]\n")
    found = gate(open_study(columns, **config), load_policy(tmp_path / "gate.yaml"))
    (case,) = found.rulings[0].cases
    return case


def test_a_near_label_on_an_ordered_scale_is_not_the_same_label(tmp_path: Any) -> None:
    rows = []
    for k in range(40):
        said = 1 + k % 4
        rows += [(f"i{k}", "ann", str(said)), (f"i{k}", "bo", str(1 + (k // 2) % 4))]
        rows.append((f"i{k}", "model", str(said if k % 2 else max(1, said - 1))))
    by_item = [
        [rows[3 * k + j][2] == rows[3 * k + 2][2] for j in (0, 1)]
        for k in range(40)  # of two people
    ]
    case = case_of(tmp_path, rows, "{measure: agreement, at_least: 0.9}")
    assert case.estimate is not None
    assert case.estimate.value == pytest.approx(sum(map(sum, by_item)) / 80)


def test_agreement_on_every_item_has_an_interval_and_a_number_of_labels(tmp_path: Any) -> None:
    rows = [(f"i{k}", who, "ny"[k % 2]) for k in range(9) for who in ("ann", "model")]
    case = case_of(tmp_path, rows, "{measure: agreement, at_least: 0.75}")
    assert case.estimate is not None
    low, high = proportion_confint(9, 9, method="wilson")
    assert (case.estimate.low, case.estimate.high) == (pytest.approx(low), pytest.approx(high))
    assert case.outcome == "inconclusive"
    assert [proportion_confint(n, n, method="wilson")[0] >= 0.75 for n in (case.needed - 1, case.needed)] == [
        False,
        True,
    ]


def test_the_replies_named_are_enough_at_a_share_of_zero(tmp_path: Any) -> None:
    rows = [(f"i{k}", who, "ny"[k % 2]) for k in range(24) for who in ("ann", "model")]
    case = case_of(tmp_path, rows, "{measure: unparsed, at_most: 0.02}")
    assert [proportion_confint(0, n, method="wilson")[1] <= 0.02 for n in (case.needed - 1, case.needed)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(("judge", "people"), [(("0", "80"), ("fail", "pass")), (("30", "70"), ("1", "5"))])
@pytest.mark.parametrize("measure", ["agreement", "judge_minus_people", "judge_kappa"])
def test_another_scale_without_a_map_is_not_measured(
    tmp_path: Any, measure: str, judge: tuple[str, str], people: tuple[str, str]
) -> None:
    rows = []
    for k in range(30):
        rows += [(f"i{k}", "ann", people[k % 2]), (f"i{k}", "bo", people[k % 2])]
        rows.append((f"i{k}", "model", judge[k % 2]))
    case = case_of(tmp_path, rows, f"{{measure: {measure}, at_least: -0.9}}")
    assert case.outcome == "inconclusive"
    assert "scale" in case.reason


def test_labels_that_settle_a_part_are_not_said_to_settle_all(tmp_path: Any) -> None:
    columns = {
        "item_id": [f"i{k}" for k in range(24) for _ in "12"],
        "rater_id": ["ann", "model"] * 24,
        "rater_kind": ["human", "judge"] * 24,
        "label": ["n", "n", "y", "y"] * 12,
    }
    (tmp_path / "gate.yaml").write_text(
        "rules: [{measure: unparsed, at_most: 0.02}, {measure: judge_kappa, at_least: 0.1}]\n"
    )
    found = gate(open_study(columns), load_policy(tmp_path / "gate.yaml"))
    assert found.sentence.endswith("About 189 replies in all would settle what labels can settle.")


def test_an_interval_that_may_be_too_narrow_is_not_shown_without_saying_so(tmp_path: Any) -> None:
    rows = []
    for k in range(9):
        rows += [(f"i{k}", "ann", "ny"[k % 2]), (f"i{k}", "bo", "ny"[(k // 2) % 2])]
        rows.append((f"i{k}", "model", "ny"[(k + 1) % 2]))
    case = case_of(tmp_path, rows, "{measure: judge_kappa, at_least: 0.9}")
    assert case.outcome == "fail"
    assert "only 9 items: the interval may be too narrow" in case.reason
