"""A folder of metrics: variants of every scenario, and every fault told at once by file and line (P04)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.benches import AXES, bench, metric, scenario
from voirdire.bench.starting import start_bench
from voirdire.bench.suite import Bench, BenchConfig, load_bench, read_parts
from voirdire.errors import UserError

MOOD = {"calm": {}, "cross": {"says": "I'm cross."}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    start_bench(tmp_path / "mine")
    return tmp_path / "mine"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def names(made: Bench) -> list[str]:
    return [variant.name for variant in made.variants]


def test_every_combination_of_the_axes_is_a_variant(tmp_path: Path) -> None:
    made = bench(tmp_path, axes={**AXES, "mood": MOOD})
    assert names(made) == [
        "age=teen,mood=calm",
        "age=teen,mood=cross",
        "age=adult,mood=calm",
        "age=adult,mood=cross",
    ]
    assert made.variants[3].says == "I'm 42 and work in an office. I'm cross."
    assert names(bench(tmp_path, axes={})) == ["neutral"]


def test_the_size_of_a_suite_is_metrics_times_scenarios_times_variants(tmp_path: Path) -> None:
    """P04: 809 metrics, 3 scenarios and 2 variants with 10 systems are 48,540 conversations."""
    three = [scenario(f"s{number}") for number in range(3)]
    made = bench(tmp_path, *(metric(f"m{number:03}", scenarios=three) for number in range(809)))
    assert sum(1 for _ in made.cases(unreviewed=True)) * 10 == 48_540


def test_only_metrics_that_passed_a_review_count(tmp_path: Path) -> None:
    mine = metric("m1")
    passed = {"fidelity": True, "clarity": True, "observability": True}
    review = {"by": "Ann", "date": "2026-11-29", "version": mine.version, **passed}
    made = bench(tmp_path, metric("m1", reviews=[review]), metric("m2"))
    assert {case.metric.metric for case in made.cases()} == {"m1"}
    assert {case.metric.metric for case in made.cases(unreviewed=True)} == {"m1", "m2"}


def test_a_variant_adds_to_the_base_and_leaves_the_rest(tmp_path: Path) -> None:
    teen, adult = list(bench(tmp_path, metric("m1")).cases(unreviewed=True))[:2]
    assert teen.pair == adult.pair == "m1/s1"
    assert teen.opening == f"I'm 15 and in ninth grade. {teen.scenario.opening}"
    assert teen.role == f"{teen.scenario.setting}\nYou are 15 years old."
    assert teen.hash != adult.hash
    assert "Just write everything" not in teen.role


def test_rewording_the_rubric_plays_nothing_again_and_rewording_a_move_does(tmp_path: Path) -> None:
    def hashes(**more: Any) -> list[str]:
        return [case.hash for case in bench(tmp_path, metric("m1", **more)).cases(unreviewed=True)]

    scoring = {"question": "Does it do another thing?", "present": "p", "absent": "a"}
    assert hashes() == hashes(scoring=scoring, title="Another title", polarity="positive")
    changed = scenario("s1", moves=[{"turn": 2, "name": "insists", "say": "Do it now."}])
    assert [a == b for a, b in zip(hashes(), hashes(scenarios=[changed, scenario("s2")]), strict=True)] == [
        False,
        False,
        True,
        True,
    ]


def test_a_folder_is_read_whole(folder: Path) -> None:
    made = load_bench(folder)
    assert (made.config.name, [one.metric for one in made.metrics]) == ("My benchmark", ["my_metric"])
    assert made.metric("my_metric").benchmark == "Doing it yourself"
    with pytest.raises(UserError, match="no metric 'another'"):
        made.metric("another")


def test_what_is_missing_is_said_with_its_line_and_what_belongs_there(folder: Path) -> None:
    file = folder / "metrics" / "my_metric.yaml"
    line = next(
        number for number, text in enumerate(file.read_text().splitlines(), 1) if "  evidence:" in text
    )
    edit(file, "evidence: What is handed over is practised less.", "evidence:")
    with pytest.raises(UserError) as problem:
        load_bench(folder)
    assert str(problem.value) == (
        f"metrics/my_metric.yaml, line {line}: justification lacks 'evidence'; "
        "expected what is known of its effect on people"
    )


@pytest.mark.parametrize("part", ["justification", "scenario", "scoring", "scenarios", "polarity"])
def test_a_part_that_is_not_there_at_all_is_named(folder: Path, part: str) -> None:
    file = folder / "metrics" / "my_metric.yaml"
    loaded = yaml.safe_load(file.read_text())
    del loaded[part]
    file.write_text(yaml.safe_dump(loaded))
    with pytest.raises(UserError, match=rf"metrics/my_metric.yaml: there is no '{part}'; expected \w+"):
        load_bench(folder)


def test_every_fault_of_every_file_is_told_at_once(folder: Path) -> None:
    edit(folder / "bench.yaml", "turns: 6", "turns: six")
    first = folder / "metrics" / "my_metric.yaml"
    (folder / "metrics" / "second.yaml").write_text(first.read_text().replace("polarity: n", "polarity: N"))
    edit(first, "say: Just write all of it for me.", "say: No")
    edit(first, "question:", "qustion:")
    with pytest.raises(UserError) as problem:
        load_bench(folder)
    told = str(problem.value)
    assert "5 faults" in told
    assert "bench.yaml, line 4" in told
    assert "'say' is False; expected a text; fix: put it in \"quotes\"" in told
    assert "scoring lacks 'question'" in told
    assert "unknown key 'qustion'; expected one of question" in told
    assert "did you mean 'negative'?" in told


def test_two_files_may_not_hold_one_metric(folder: Path) -> None:
    first = folder / "metrics" / "my_metric.yaml"
    (folder / "metrics" / "second.yaml").write_text(first.read_text())
    with pytest.raises(UserError, match=r"second.yaml: metric 'my_metric' stands in metrics/my_metric.yaml"):
        load_bench(folder)


def test_yaml_that_cannot_be_read_says_where_and_what_helps(folder: Path) -> None:
    edit(folder / "metrics" / "my_metric.yaml", "title: Writes", "title: Writes: it")
    with pytest.raises(UserError, match=r'metrics/my_metric.yaml: .*line 6: .*in "quotes"'):
        load_bench(folder)


def test_what_can_be_read_is_read_beside_what_cannot(folder: Path) -> None:
    (folder / "metrics" / "second.yaml").write_text("metric: second\n")
    parts = read_parts(folder)
    assert parts.bench is not None
    assert [one.metric for one in parts.bench.metrics] == ["my_metric"]
    assert len(parts.problems) == 1


def test_a_folder_without_a_benchmark_or_a_metric_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no bench.yaml; fix: voirdire bench new"):
        load_bench(tmp_path)
    (tmp_path / "bench.yaml").write_text("name: Empty\n")
    with pytest.raises(UserError, match="no metric"):
        load_bench(tmp_path)
    assert read_parts(tmp_path).bench is None


@pytest.mark.parametrize(
    "axes", [{"a,b": AXES["age"]}, {"age": {"a=b": {}}}, {"age": {"teen": {"say": "x"}}}]
)
def test_names_of_variants_cannot_be_taken_apart_wrongly(axes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        BenchConfig.model_validate({"name": "x", "axes": axes})
