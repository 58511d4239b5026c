"""``voirdire init``: what a file shows as a commented study.yaml, and what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voirdire.cli import init
from voirdire.cli.main import app
from voirdire.opening import open as open_study
from voirdire.study import Study
from voirdire.writers.questions import Question

LONG = """task;expert;score;prompt
a;Ann;pass;p1
a;Bo;borderline;p1
a;gpt-4;pass;p1
b;Ann;fail;p1
b;gpt-4;pass;p1
c;Bo;fail;p2
"""


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "tone.csv"
    path.write_text(LONG)
    return path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app(), ["init", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def same(one: Study, other: Study) -> None:
    assert one.items.ids == other.items.ids
    assert [(rater.id, rater.kind) for rater in one.raters] == [
        (rater.id, rater.kind) for rater in other.raters
    ]
    assert list(one.ratings.raw) == list(other.ratings.raw)
    assert one.ratings.label.tolist() == other.ratings.label.tolist()
    assert one.slice_by == other.slice_by


def test_what_is_written_loads_and_gives_the_same_study(labels: Path) -> None:
    code, output = run(str(labels), "--yes")
    assert code == 0
    assert "voirdire audit" in output
    text = (labels.parent / "study.yaml").read_text()
    assert "columns: {item_id: task, rater_id: expert, label: score}" in text
    assert "gpt-4: {kind: judge}" in text
    assert "# indeterminate: {borderline: [fail, pass]}" in text
    assert "column 'task' is taken as item_id" in text
    declared = open_study(labels.parent)
    same(declared, open_study(labels))
    assert not any("taken as" in note for note in declared.assumptions)


def test_it_goes_where_out_says_and_finds_the_file_from_there(labels: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "study"
    assert run(str(labels), "--out", str(out))[0] == 0
    same(open_study(out), open_study(labels))


def test_it_is_replaced_only_with_force(labels: Path) -> None:
    target = labels.parent / "study.yaml"
    target.write_text("name: mine\nnot yaml: [")
    code, output = run(str(labels))
    assert code == 2
    assert "exists already" in output
    assert target.read_text().startswith("name: mine")
    assert run(str(labels), "--force")[0] == 0
    same(open_study(labels.parent), open_study(labels))


def test_wide_tables_and_folders_are_declared(tmp_path: Path) -> None:
    (tmp_path / "tone.csv").write_text("item,Ann,gpt-4\na,yes,no\nb,no,yes\n")
    (tmp_path / "texts.csv").write_text("item,prompt\na,What?\nb,Who?\n")
    assert run(str(tmp_path), "--yes")[0] == 0
    text = (tmp_path / "study.yaml").read_text()
    assert "layout: wide" in text
    assert "raters: [Ann, gpt-4]" in text
    assert "kind: items" in text
    study = open_study(tmp_path)
    assert [rater.kind for rater in study.raters] == ["human", "judge"]
    assert list(study.items.attributes["prompt"]) == ["What?", "Who?"]


def test_hostile_names_are_quoted(tmp_path: Path) -> None:
    path = tmp_path / "odd #name.csv"
    path.write_text('item,metric,rater,label\na,"x: {y}, #z","- \'A\' ""B""",yes\nb,"x: {y}, #z",*b,"no\n"\n')
    assert run(str(path), "--yes")[0] == 0
    same(open_study(tmp_path), open_study(path))


@pytest.mark.parametrize("name", ["pandalm", "dices", "humanebench", "llm_rubric", "mtbench_human"])
def test_shared_sets_are_declared_as_they_are_read(shared: Path, tmp_path: Path, name: str) -> None:
    folder = shared / "data" / name
    assert run(str(folder), "--out", str(tmp_path), "--yes")[0] == 0
    same(open_study(tmp_path), open_study(folder))


def test_answers_given_on_a_terminal_are_declared(labels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answers: Iterator[tuple[str, ...]] = iter(
        [("gpt-4",), ("fail", "borderline", "pass"), ("borderline",), ("prompt",)]
    )

    def answer(question: Question) -> tuple[str, ...]:
        asked.append(question.text)
        return next(answers)

    monkeypatch.setattr(init, "_on_terminal", lambda: True)
    monkeypatch.setattr(init, "_ask", answer)
    assert run(str(labels))[0] == 0
    assert len(asked) == 4
    study = open_study(labels.parent)
    scale = study.metrics[0].scale
    assert (scale.kind, scale.labels) == ("ordinal", ("fail", "borderline", "pass"))
    assert scale.indeterminate == {"borderline": ("fail", "pass")}
    assert study.items.cluster is not None
    assert study.items.cluster.tolist() == [0, 0, 1]


def test_a_wrong_answer_is_asked_again(labels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(init, "_on_terminal", lambda: True)
    typed = "gtp-4\ngpt-4\n\n\n\n"
    result = CliRunner().invoke(app(), ["init", str(labels)], input=typed)
    assert result.exit_code == 0
    assert "'gtp-4' is none of the choices" in result.output
    same(open_study(labels.parent), open_study(labels))


def test_a_folder_that_is_not_clear_gets_a_draft_to_complete(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("item,rater,label\na,Ann,pass\n")
    (tmp_path / "judge.csv").write_text("item,rater,label\na,gpt-4,pass\n")
    code, output = run(str(tmp_path))
    assert code == 0
    assert "Complete what is open" in output
    text = (tmp_path / "study.yaml").read_text()
    assert "2 tables of ratings among judge.csv, people.csv" in text
    assert "# its columns: item, rater, label" in text
    study = open_study(tmp_path)
    assert [(rater.id, rater.kind) for rater in study.raters] == [("gpt-4", "judge"), ("Ann", "human")]


def test_an_empty_folder_has_nothing_to_draft(tmp_path: Path) -> None:
    code, output = run(str(tmp_path))
    assert code == 2
    assert "no table of ratings" in output
    assert not (tmp_path / "study.yaml").exists()


def test_columns_of_one_metric_each_are_declared_as_such(tmp_path: Path) -> None:
    rows = "".join(
        f"i{k},{who},{1 + k % 5},{1 + (2 * k) % 5}\n" for k in range(10) for who in ("Ann", "gpt-4")
    )
    path = tmp_path / "marks.csv"
    path.write_text(f"item_id,annotator,helpful,honest\n{rows}")
    before = open_study(path)
    assert run(str(path), "--yes")[0] == 0
    assert "metrics: [helpful, honest]" in (tmp_path / "study.yaml").read_text()
    same(before, open_study(tmp_path))
