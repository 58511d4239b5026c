"""``voirdire compare`` from files: what is printed, written and refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from decide.changed import Row, rows_of
from voirdire.cli.main import app


def write(path: Path, rows: list[Row]) -> str:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    old = write(tmp_path / "old.csv", rows_of(range(80), right=0.92))
    return old, write(tmp_path / "new.csv", rows_of(range(90), right=0.6))


def run(*words: str) -> tuple[int, str]:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app(), ["compare", *words, "--resamples", "100"])
    return result.exit_code, result.output


def test_sentences_come_first_and_the_exit_code_is_0_though_it_blocks(
    files: tuple[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "change.md"
    code, said = run(*files, "--out", str(out))
    assert code == 0, said
    assert "BLOCK: model on warm" in said
    assert said.index("BLOCK") < said.index("The judge on shared items")
    assert f"Wrote {out}." in said
    assert out.read_text().startswith("# old against new\n\n- BLOCK")


def test_json_is_one_document_the_same_each_time_and_quiet_is_silent(files: tuple[str, str]) -> None:
    code, said = run(*files, "--json", "--select", "")
    assert code == 0
    assert json.loads(said)["judges"][0]["metric"] == "warm"
    assert run(*files, "--json", "--select", "")[1] == said
    assert run(*files, "--quiet", "--select", "") == (0, "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": "cold"}, "no metric is in both studies"),
        ({"rater_id": "someone", "rater_kind": "human"}, "only items and people are compared"),
    ],
)
def test_other_metrics_and_no_judge(
    files: tuple[str, str], tmp_path: Path, change: Row, message: str
) -> None:
    rows = [row | change for row in rows_of(range(80), people=())]
    code, said = run(files[0], write(tmp_path / "other.csv", rows), "--select", "")
    assert message in said
    assert code == (2 if "metric" in change else 0)


def test_the_same_file_a_missing_one_and_wrong_choices_are_one_line(files: tuple[str, str]) -> None:
    for words, message in (
        ((files[0], files[0]), "OLD and NEW are the same"),
        ((files[0], "nowhere.csv"), "nowhere.csv"),
        ((*files, "--use", "gpt"), "no judge named 'gpt'"),
        ((*files, "--level", "3"), "level"),
        ((*files, "--select", "", "--out", "no/where.md"), "cannot be written"),
    ):
        code, said = run(*words)
        assert (code, said.count("\n")) == (2, 1), said
        assert message in said


def test_a_saved_aligner_is_followed(files: tuple[str, str], tmp_path: Path) -> None:
    saved = str(tmp_path / "judge.json")
    words = ["align", files[0], "--out", saved, "--quiet", "--select", "confusion_row", "--repeats", "1"]
    assert CliRunner().invoke(app(), words).exit_code == 0
    later = write(tmp_path / "later.csv", rows_of(range(80, 200), right=0.92))
    code, said = run(saved, later)
    assert code == 0, said
    assert "No alarm over 60 clusters with new labels" in said
    code, said = run(saved, files[0])
    assert code == 2
    assert "the labels that the aligner was fitted on" in said
