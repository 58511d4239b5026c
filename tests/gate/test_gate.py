"""A gate passes, fails or cannot tell by intervals, and says what would settle it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import UserError
from voirdire.gate.gate import Gate, gate
from voirdire.gate.policy import EXAMPLE, GatePolicy, load_policy
from voirdire.gate.show import junit, markdown
from voirdire.opening import open as open_study
from voirdire.study.study import Study


def study(
    n: int, *, judge: float, people: float = 0.95, metric: str = "warm", seed: int = 1
) -> dict[str, list[str]]:
    """Two people and a judge on ``n`` items of either label, each right so often."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, str, str, str, str]] = []
    for k in range(n):
        truth = k % 2
        for name, kind, right in (
            ("ann", "human", people),
            ("bo", "human", people),
            ("model", "judge", judge),
        ):
            said = truth if rng.random() < right else 1 - truth
            rows.append((f"i{k}", metric, name, kind, ("no", "yes")[said]))
    columns = ("item_id", "metric", "rater_id", "rater_kind", "label")
    return {name: [row[k] for row in rows] for k, name in enumerate(columns)}


def opened(*args: Any, **options: Any) -> Study:
    return open_study(study(*args, **options))


def held(subject: Study, *rules: dict[str, Any]) -> Gate:
    return gate(subject, GatePolicy.model_validate({"rules": list(rules)}))


ALPHA = {"measure": "judge_kappa", "at_least": 0.6}


def test_a_good_judge_passes_a_bad_one_fails_and_a_small_sample_cannot_tell() -> None:
    assert held(opened(300, judge=0.95), ALPHA).outcome == "pass"
    assert held(opened(300, judge=0.6), ALPHA).outcome == "fail"
    small = held(opened(40, judge=0.86), ALPHA)
    assert small.outcome == "inconclusive"
    (case,) = small.rulings[0].cases
    assert case.needed > 40
    assert f"About {case.needed:,} items with labels in all would settle it" in small.sentence


def test_the_number_of_labels_named_is_about_enough() -> None:
    case = (
        held(opened(60, judge=0.9, seed=4), {"measure": "judge_kappa", "at_least": 0.55}).rulings[0].cases[0]
    )
    assert case.estimate is not None
    reach = case.estimate.value - case.estimate.low
    assert case.estimate.value - reach * (60 / case.needed) ** 0.5 == pytest.approx(0.55, abs=0.01)


def test_raw_agreement_is_refused_alone(tmp_path: Path) -> None:
    file = tmp_path / "gate.yaml"
    file.write_text("rules: [{measure: agreement, at_least: 0.75}]\n")
    with pytest.raises(UserError, match="commonest label"):
        load_policy(file)
    file.write_text("rules: [{measure: agreement, at_least: 0.75}, {measure: judge_kappa, at_least: 0.4}]\n")
    assert load_policy(file).rules[0].at_least == 0.75


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("rules: []", "at least 1"),
        ("rules: [{measure: judge_alfa, at_least: 1}]", "did you mean 'judge_kappa'"),
        ("rules: [{measure: judge_kappa}]", "at_least or at_most"),
        ("rules: [{measure: replaces_a_person_by_labels, at_least: 1}]", "it is a test"),
        ("rules: [{measure: judge_kappa, atleast: 1}]", "did you mean 'at_least'"),
        ("rules: [{measure: judge_kappa, at_least: 2, at_most: 1}]", "no larger"),
        ("level: 2\nrules: [{measure: judge_kappa, at_least: 1}]", "less than 1"),
    ],
)
def test_mistakes_in_a_policy_are_one_line(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "gate.yaml").write_text(text)
    with pytest.raises(UserError, match=what):
        load_policy(tmp_path / "gate.yaml")


def test_what_cannot_be_measured_never_passes() -> None:
    alone = study(60, judge=0.95)
    one = open_study(
        {
            name: [value for value, who in zip(column, alone["rater_id"], strict=True) if who != "bo"]
            for name, column in alone.items()
        }
    )
    found = held(one, ALPHA, {"measure": "people_alpha", "at_least": 0.1})
    assert found.outcome == "inconclusive"
    assert "not measurable" in found.rulings[0].cases[0].reason
    people = {
        name: [value for value, kind in zip(column, alone["rater_kind"], strict=True) if kind == "human"]
        for name, column in alone.items()
    }
    assert held(open_study(people), ALPHA).outcome == "inconclusive"
    assert held(open_study(people), {**ALPHA, "allow_inconclusive": True}).outcome == "pass"


def test_need_says_on_how_many_metrics() -> None:
    parts = [
        study(200, judge=right, metric=name, seed=k)
        for k, (name, right) in enumerate([("a", 0.97), ("b", 0.97), ("c", 0.6)])
    ]
    three = open_study({name: [value for part in parts for value in part[name]] for name in parts[0]})
    for need, outcome in (("all", "fail"), ("most", "pass"), ("any", "pass")):
        assert held(three, {**ALPHA, "need": need}).outcome == outcome
    assert held(three, {**ALPHA, "metrics": "c", "need": "any"}).outcome == "fail"


def test_other_measures_are_held_too() -> None:
    found = held(
        opened(150, judge=0.95),
        {"measure": "judge_minus_people", "at_least": -0.2},
        {"measure": "people_alpha", "at_least": 0.6},
        {"measure": "unparsed", "at_most": 0.05},
        {"measure": "several_people", "at_least": 100},
        {"measure": "retest", "at_least": 0.9},
        {"measure": "aligned_gain", "at_least": 0},
    )
    assert [one.outcome for one in found.rulings] == ["pass"] * 4 + ["inconclusive", "pass"]


def test_tests_without_a_threshold_say_why_they_could_not_be_made() -> None:
    found = held(opened(60, judge=0.95), {"measure": "replaces_a_person_by_labels"})
    assert found.outcome == "inconclusive"
    assert found.rulings[0].cases[0].reason


def test_an_unknown_judge_or_metric_is_named() -> None:
    with pytest.raises(UserError, match="no judge named 'x'"):
        held(opened(30, judge=0.9), {**ALPHA, "judges": ["x"]})
    with pytest.raises(UserError, match="no metric named 'x'"):
        held(opened(30, judge=0.9), {**ALPHA, "metrics": ["x"]})


HOSTILE = "a|b <script>alert(1)</script> \x1b[31m ]]> &amp; \ufffe `x`"


def test_names_cannot_break_out_of_a_report() -> None:
    columns = study(40, judge=0.9, metric=HOSTILE)
    columns["metric"][0:3] = ["plain"] * 3
    found = held(open_study(columns), ALPHA)
    root = ElementTree.fromstring(junit(found))
    assert int(root.get("tests", 0)) == len(root.findall("testcase")) == 2
    text = markdown(found)
    assert "<script>" not in text
    rows = [
        line
        for line in text.splitlines()
        if line.startswith("| ❔") or line.startswith("| ❌") or line.startswith("| ✅")
    ]
    assert len(rows) == 2
    assert all(line.replace("\\\\|", "").replace("\\|", "").count("|") == 6 for line in rows)
    assert "\x1b" not in str(found)


@pytest.mark.parametrize(("judge", "code"), [(0.95, 0), (0.6, 1), (0.83, 3)])
def test_exit_codes(judge: float, code: int, tmp_path: Path) -> None:
    columns = study(80, judge=judge, seed=3)
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    (tmp_path / "gate.yaml").write_text("rules: [{measure: judge_kappa, at_least: 0.6}]\n")
    arguments = ["gate", str(tmp_path / "labels.csv"), "--policy", str(tmp_path / "gate.yaml")]
    files = ["--junit", str(tmp_path / "j.xml"), "--markdown", str(tmp_path / "m.md")]
    found = CliRunner().invoke(app(), [*arguments, *files, "--json"])
    assert found.exit_code == code, found.output
    assert json.loads(found.output)["outcome"] == {0: "pass", 1: "fail", 3: "inconclusive"}[code]
    assert ElementTree.parse(tmp_path / "j.xml").getroot().get("tests") == "1"
    assert (tmp_path / "m.md").read_text().startswith("## ")


def test_a_mistake_is_exit_code_2(tmp_path: Path) -> None:
    assert (
        CliRunner().invoke(app(), ["gate", "x.csv", "--policy", str(tmp_path / "none.yaml")]).exit_code == 2
    )
    assert CliRunner().invoke(app(), ["gate"]).exit_code == 2


def test_the_example_is_a_policy(tmp_path: Path) -> None:
    printed = CliRunner().invoke(app(), ["gate", "--example"]).output
    assert printed == EXAMPLE
    (tmp_path / "gate.yaml").write_text(printed)
    assert len(load_policy(tmp_path / "gate.yaml").rules) == 4


@pytest.mark.coverage_simulation
def test_a_judge_at_the_threshold_seldom_passes() -> None:
    # two people and a judge, each right with probability r on balanced labels: alpha is (2 r - 1)^2
    right = (1 + 0.6**0.5) / 2
    passed = [
        held(opened(100, judge=right, people=right, seed=seed), ALPHA).outcome == "pass"
        for seed in range(200)
    ]
    assert np.mean(passed) <= 0.025 + 2.33 * (0.025 * 0.975 / 200) ** 0.5


def test_a_judge_that_never_contradicted_anyone_can_pass_and_few_items_cannot() -> None:
    perfect = opened(200, judge=1.0, people=1.0)
    (case,) = held(perfect, ALPHA).rulings[0].cases
    assert case.outcome == "pass"
    assert case.estimate is not None
    assert case.estimate.low < case.estimate.high == 1.0
    assert held(opened(6, judge=1.0, people=1.0), ALPHA).outcome == "inconclusive"
