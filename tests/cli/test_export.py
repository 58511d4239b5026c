"""``voirdire export`` from the command line."""

from __future__ import annotations

import csv
from pathlib import Path

from typer.testing import CliRunner

from voirdire.cli.main import app

WIDE = "item,Ann,Bo,gpt-4\na,pass,fail,pass\nb,pass,,fail\n"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app(), ["export", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def test_every_rating_is_written_as_it_came_in(tmp_path: Path) -> None:
    source, target = tmp_path / "labels.csv", tmp_path / "ratings.csv"
    source.write_text(WIDE)
    code, output = run(str(source), str(target), "--wide", "Ann,Bo,gpt-4")
    assert code == 0
    assert f"Wrote 5 ratings to {target}." in output
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["item_id"], row["rater_id"], row["rater_kind"], row["label"]) for row in rows] == [
        ("a", "Ann", "human", "pass"),
        ("a", "Bo", "human", "fail"),
        ("a", "gpt-4", "judge", "pass"),
        ("b", "Ann", "human", "pass"),
        ("b", "gpt-4", "judge", "fail"),
    ]


def test_a_file_is_replaced_only_with_force(tmp_path: Path) -> None:
    source, target = tmp_path / "labels.csv", tmp_path / "ratings.csv"
    source.write_text(WIDE)
    target.write_text("precious")
    code, output = run(str(source), str(target))
    assert code == 2
    assert "exists already" in output
    assert target.read_text() == "precious"
    assert run(str(source), str(target), "--force")[0] == 0
    assert target.read_text() != "precious"


def test_a_mistake_is_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    target = tmp_path / "ratings.csv"
    code, output = run(str(tmp_path / "nowhere.csv"), str(target))
    assert code == 2
    assert output.startswith("voirdire: ")
    assert output.count("\n") == 1
    assert not target.exists()
