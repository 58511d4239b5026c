"""``voirdire bench check``: everything at once, by file and line, in an expert's words (P01, P02, P03)."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bench.benches import metric
from voirdire.bench.checking import Checked, check_bench
from voirdire.bench.signing import sign_metric
from voirdire.bench.standing import count_metrics, misplaced
from voirdire.bench.starting import start_bench
from voirdire.bench.suite import load_bench
from voirdire.bench.template import Reviewed
from voirdire.cli.main import app
from voirdire.errors import UserError

METRIC = "metrics/my_metric.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    start_bench(tmp_path / "mine")
    return tmp_path / "mine"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bench") / "example"
    start_bench(made, example=True)
    return made


def edit(file: Path, old: str, new: str) -> int:
    """Replace ``old`` and return the line on which it stood."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def told(checked: Checked, kind: str) -> list[str]:
    return [str(one) for one in checked.found if one.kind == kind]


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app(), ["bench", *words], prog_name="voirdire")
    return result.exit_code, result.output


@pytest.mark.parametrize("name", ["folder", "example"])
def test_what_comes_with_the_package_has_nothing_to_mend(name: str, request: pytest.FixtureRequest) -> None:
    checked = check_bench(request.getfixturevalue(name))
    assert checked.passed
    assert told(checked, "fault") == told(checked, "flag") == []
    assert "nothing is missing" in str(checked)


def test_counts_are_by_polarity_benchmark_subarea_and_area(example: Path) -> None:
    checked = check_bench(example)
    assert checked.counts == {
        "metrics": 8,
        "positive": 4,
        "negative": 4,
        "benchmarks": 4,
        "subareas": 4,
        "areas": 2,
        "scenarios": 24,
    }
    assert checked.states == {"counts": 8}
    assert [(one.benchmark, one.positive, one.negative) for one in checked.places] == [
        ("Doing it yourself", 1, 1),
        ("Honest explanations", 1, 1),
        ("Turning to people", 1, 1),
        ("Letting go", 1, 1),
    ]
    assert "Learning       Independent thinking  Doing it yourself           1         1" in str(checked)
    assert "8 metrics (4 positive, 4 negative) in 4 benchmarks, 4 subareas, 2 areas" in str(checked)


def test_counts_that_are_not_as_expected_are_a_fault(folder: Path) -> None:
    edit(folder / "bench.yaml", "# expects: {metrics: 10, positive: 5,", "expects: {metrics: 1, positive: 5,")
    checked = check_bench(folder)
    assert "bench.yaml: expects 5 positive, and there are 0" in told(checked, "fault")
    assert not any("metrics" in one for one in told(checked, "fault"))


def test_everything_is_told_at_once_with_its_line(folder: Path) -> None:
    file = folder / METRIC
    missing = edit(file, "  evidence: What is handed over is practised less. #", "  # evidence #")
    question = edit(file, "  question: Does the system write", "  question: Should the system try to write")
    checked = check_bench(folder)
    assert [one.where for one in checked.found if one.kind == "fault"] == [f"{METRIC}, line {missing - 4}"]
    assert "lacks 'evidence'; expected what is known of its effect on people" in told(checked, "fault")[0]
    edit(file, "  # evidence #", "  evidence: What is handed over is practised less. #")
    checked = check_bench(folder)
    assert [(one.where, one.rule) for one in checked.of("flag")] == [
        (f"{METRIC}, line {question}", "intention"),
        (f"{METRIC}, line {question}", "what is wanted"),
    ]
    assert not checked.passed


def test_a_flag_can_be_accepted_with_a_reason(folder: Path) -> None:
    file = folder / METRIC
    edit(file, "  question: Does the system write", "  question: Does the system try to write")
    assert not check_bench(folder).passed
    edit(file, "polarity: negative", "accepted: {intention: It says so.}\npolarity: negative")
    checked = check_bench(folder)
    assert checked.passed
    assert any("accepted: It says so. (intention)" in one for one in told(checked, "note"))


def test_a_leak_in_a_scenario_is_told_with_its_line(folder: Path) -> None:
    line = edit(folder / METRIC, "It was a story about the sea.", "I'm 15 and it was a story about the sea.")
    checked = check_bench(folder)
    assert told(checked, "flag") == [
        f"{METRIC}, line {line}: 'I'm 15' gives the user's age away: the user's own age (says age)"
    ]


def test_variants_that_differ_in_more_are_told(folder: Path) -> None:
    edit(folder / "bench.yaml", "says: I'm 15.", "says: I'm 15 and I'm a girl.")
    checked = check_bench(folder)
    assert len(told(checked, "flag")) == 1
    assert "age=teen and age=adult also differ in gender: '15 and I'm a girl'" in told(checked, "flag")[0]
    assert "add unequally many words" in " ".join(told(checked, "note"))


def test_variants_that_do_not_differ_at_all_are_a_fault(folder: Path) -> None:
    edit(
        folder / "bench.yaml",
        "{who: You are 42 years old., says: I'm 42.}",
        "{who: You are 15 years old., says: I'm 15.}",
    )
    assert "bench.yaml: age=teen and age=adult do not differ in any word" in told(
        check_bench(folder), "fault"
    )


def test_a_benchmark_lies_in_one_subarea_and_names_are_spelt_alike(folder: Path) -> None:
    text = (folder / METRIC).read_text()
    second = text.replace("metric: my_metric", "metric: second")
    (folder / "metrics/second.yaml").write_text(second.replace("area: Independent thinking", "area: Other"))
    third = text.replace("metric: my_metric", "metric: third")
    (folder / "metrics/third.yaml").write_text(
        third.replace("benchmark: Doing it yourself", "benchmark: Doing it your self")
    )
    checked = check_bench(folder)
    assert told(checked, "fault") == [
        "metrics/second.yaml: benchmark 'Doing it yourself' lies in subarea 'Other' here and in "
        "'Independent thinking' elsewhere"
    ]
    assert told(checked, "flag") == [
        "metrics/third.yaml: benchmark 'Doing it your self' is spelt nearly as "
        "'Doing it yourself' (names alike)"
    ]


def test_a_name_that_is_nearly_another_can_be_accepted(folder: Path) -> None:
    text = (folder / METRIC).read_text()
    second = text.replace("metric: my_metric", "metric: second").replace("it yourself", "it your self")
    (folder / "metrics/second.yaml").write_text(second)
    assert not check_bench(folder).passed
    (folder / "metrics/second.yaml").write_text(f"accepted: {{names alike: Two schools.}}\n{second}")
    assert check_bench(folder).passed


def test_who_plays_and_judges_is_checked_too(folder: Path) -> None:
    edit(folder / "targets.yaml", "rate: 0.5", "rate: 5")
    edit(folder / "judge.yaml", "recipe: binary_rubric\nparameters", "recipe: binary_rubrik\nparameters")
    faults = " ".join(told(check_bench(folder), "fault"))
    assert "targets.yaml" in faults
    assert "'binary_rubrik'" in faults


def test_a_move_after_the_last_turn_is_told(folder: Path) -> None:
    edit(folder / "bench.yaml", "turns: 6", "turns: 3")
    assert "a move at turn 4 of 3" in " ".join(told(check_bench(folder), "fault"))


def test_it_is_said_who_reviewed_which_version_and_what_changed_since(folder: Path) -> None:
    (before,) = check_bench(folder).metrics
    assert (before.state, str(before)) == ("not reviewed", "not reviewed")
    mine = load_bench(folder).metric("my_metric")
    passed: dict[str, Any] = {"fidelity": True, "clarity": True, "observability": True}
    review = Reviewed(by="Ann", date="2026-11-29", version=mine.version, parts=mine.parts, **passed)
    sign_metric(folder, "my_metric", review)
    (signed,) = check_bench(folder).metrics
    assert (signed.state, str(signed)) == ("counts", "reviewed by Ann, 2026-11-29")
    edit(folder / METRIC, "ready to copy", "ready to be copied")
    edit(folder / METRIC, "area: Learning", "area: Studying")
    (changed,) = check_bench(folder).metrics
    assert str(changed) == "changed since it was reviewed by Ann, 2026-11-29: scoring, place"
    assert "0 of 1 count" in str(check_bench(folder))
    edit(folder / METRIC, "polarity: negative", "draft: true\npolarity: negative")
    assert str(check_bench(folder).metrics[0]) == "a model's draft, which nobody has edited"


def test_a_review_that_found_something_wanting_is_said(folder: Path) -> None:
    version = load_bench(folder).metric("my_metric").version
    review = Reviewed(
        by="Bo", date="2026-11-29", version=version, fidelity=True, clarity=False, observability=True
    )
    sign_metric(folder, "my_metric", review)
    assert str(check_bench(folder).metrics[0]) == "found wanting by Bo, 2026-11-29"


def test_the_command_answers_0_or_1_and_2_without_a_benchmark(folder: Path, tmp_path: Path) -> None:
    code, output = run("check", str(folder))
    assert (code, "nothing is missing" in output) == (0, True)
    edit(folder / METRIC, "title: Writes the whole text for the user #", "title: #")
    code, output = run("check", str(folder), "--out", str(tmp_path / "found.json"))
    assert (code, "there is no 'title'; expected what readers see" in output) == (1, True)
    found = json.loads((tmp_path / "found.json").read_text())
    assert (found["passed"], found["found"][0]["kind"]) == (False, "fault")
    code, output = run("check", str(folder), "--json")
    assert json.loads(output) == found
    assert run("check", str(folder), "--quiet") == (1, "")
    code, output = run("check", str(tmp_path / "nowhere"))
    assert (code, "no bench.yaml" in output) == (2, True)


def test_a_new_benchmark_replaces_nothing(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    code, output = run("new", str(folder))
    assert (code, "exists already" in output) == (2, True)
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before
    code, output = run("new", str(folder / "inner"), "--example")
    assert code == 0
    assert (folder / "inner" / "metrics" / "suggests_a_break.yaml").is_file()


def test_it_can_watch_while_somebody_edits(folder: Path) -> None:
    words = [sys.executable, "-m", "voirdire", "bench", "check", str(folder), "--watch"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        assert process.stdout is not None
        assert "nothing is missing" in process.stdout.readline()
        time.sleep(1)
        edit(folder / METRIC, "polarity: negative", "polarity: bad")
        seen = ""
        while "did you mean" not in seen and "expected positive" not in seen:
            line = process.stdout.readline()
            assert line, seen
            seen += line
        (folder / "bench.yaml").rename(folder / "aside.txt")
        while "no bench.yaml" not in seen:
            seen += process.stdout.readline()
        (folder / "aside.txt").rename(folder / "bench.yaml")
        while "to mend" not in seen.partition("no bench.yaml")[2]:
            seen += process.stdout.readline()
        process.kill()


def test_a_signature_keeps_comments_and_stands_after_the_others(folder: Path) -> None:
    mine = load_bench(folder).metric("my_metric")
    file = folder / METRIC
    before = file.read_text()
    passed: dict[str, Any] = {"fidelity": True, "clarity": True, "observability": True}
    first = Reviewed(by="Ann: psychology", date="2026-11-29", version=mine.version, note="no", **passed)
    assert sign_metric(folder, "my_metric", first) == file
    assert file.read_text().startswith(before.rstrip())
    second = first.model_copy(update={"by": "Bo", "parts": mine.parts, "note": ""})
    sign_metric(folder, "my_metric", second)
    assert load_bench(folder).metric("my_metric").reviews == [first, second]


def test_a_signature_between_other_keys_stays_in_its_list(folder: Path) -> None:
    file = folder / METRIC
    version = load_bench(folder).metric("my_metric").version
    passed: dict[str, Any] = {"fidelity": True, "clarity": True, "observability": True}
    entry = f"by: A\n  date: 2026-11-29\n  version: {version}\n" + "".join(
        f"  {name}: true\n" for name in passed
    )
    edit(file, "polarity: negative", f"reviews:\n- {entry}\npolarity: negative")
    review = Reviewed(by="Bo", date="2026-11-30", version=version, **passed)
    sign_metric(folder, "my_metric", review)
    assert [one.by for one in load_bench(folder).metric("my_metric").reviews] == ["A", "Bo"]


@pytest.mark.parametrize(
    ("name", "version", "draft", "words"),
    [
        ("other", "", False, "no metric 'other' that can be read"),
        ("my_metric", "0123456789ab", False, "the review is of version 0123456789ab"),
        ("my_metric", "", True, "is a model's draft"),
    ],
)
def test_what_cannot_be_signed_says_why(
    folder: Path, name: str, version: str, draft: bool, words: str
) -> None:
    if draft:
        edit(folder / METRIC, "polarity: negative", "draft: true\npolarity: negative")
    own = load_bench(folder).metric("my_metric").version
    passed: dict[str, Any] = {"fidelity": True, "clarity": True, "observability": True}
    review = Reviewed(by="Bo", date="2026-11-30", version=version or own, **passed)
    with pytest.raises(UserError, match=words):
        sign_metric(folder, name, review)


def test_a_reviewer_signs_at_the_terminal(folder: Path) -> None:
    words = ["bench", "check", str(folder), "--sign", "my_metric", "--by", "Ann, psychology"]
    result = CliRunner().invoke(app(), words, input="y\ny\nn\nNot in one reply.\n", prog_name="voirdire")
    assert result.exit_code == 0
    (review,) = load_bench(folder).metric("my_metric").reviews
    assert (review.by, review.note) == ("Ann, psychology", "Not in one reply.")
    assert (review.fidelity, review.clarity, review.observability) == (True, True, False)
    assert "found wanting by Ann, psychology" in result.output
    code, output = run("check", str(folder), "--sign", "my_metric")
    assert (code, "no --by" in output) == (2, True)


def test_transcripts_that_leave_matched_sets_incomplete_are_told(folder: Path) -> None:
    targets = "targets:\n  - system: Quay\n    transcripts: quay.jsonl\n"
    (folder / "targets.yaml").write_text(targets)
    said = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    row = {"metric": "my_metric", "scenario": "review", "variant": "age=teen", "transcript": json.dumps(said)}
    (folder / "quay.jsonl").write_text(json.dumps(row) + "\n")
    assert (
        "targets.yaml: system 'Quay' has no transcript of 1 of 2 cases; 1 of 1 matched sets are incomplete"
        in told(check_bench(folder), "note")
    )
    both = [row, {**row, "variant": "age=adult"}]
    (folder / "quay.jsonl").write_text("".join(json.dumps(one) + "\n" for one in both))
    assert not any("Quay" in one for one in told(check_bench(folder), "note"))


@pytest.mark.shared
def test_the_counts_of_a_published_suite_are_recomputed(shared: Path) -> None:
    """P02: 809 metrics are 460 positive and 349 negative; the replica names 6 of the 26 benchmarks."""
    file = shared / "data" / "impactbench_replica" / "conversations.csv.gz"
    with gzip.open(file, "rt", encoding="utf-8") as opened:
        rows = {row["metric"]: row for row in csv.DictReader(opened)}
    place = ("polarity", "benchmark", "subarea", "area")
    metrics = {f"{name}.yaml": metric(name, **{key: row[key] for key in place}) for name, row in rows.items()}
    counts = count_metrics(list(metrics.values()))
    assert (counts["metrics"], counts["positive"], counts["negative"]) == (809, 460, 349)
    assert counts["benchmarks"] == 6
    assert {severity for _, _, severity in misplaced(metrics)} == {"note"}


def test_a_name_with_a_space_is_told_in_words(folder: Path) -> None:
    edit(folder / METRIC, "metric: my_metric", "metric: my metric")
    (said,) = told(check_bench(folder), "fault")
    assert "'my metric'; expected letters, digits" in said
