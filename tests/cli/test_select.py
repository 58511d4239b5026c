"""``voirdire select`` from the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from decide.made import rows_of
from voirdire.cli.main import app


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app(), ["select", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> str:
    rows = rows_of(500, 300, 1)
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


FAST = ("--select", "temperature_bias", "--agreement", "0.75")


def test_the_answer_and_the_queue(labels: str, tmp_path: Path) -> None:
    out = tmp_path / "queue.csv"
    code, output = run(labels, *FAST, "--cascade", "small:1,large:10", "--out", str(out))
    assert code == 0, output
    assert "unlabelled items are trusted" in output
    assert "Wrote 500 rows" in output
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 500
    assert {"item_id", "metric", "route", "reason", "label", "confidence", "prob_yes"} <= set(rows[0])
    assert {row["route"] for row in rows} <= {"trust", "ask_one_more", "escalate", "contested"}
    assert all(row["reason"] for row in rows)
    assert all(float(row["prob_yes"]) + float(row["prob_no"]) == pytest.approx(1, abs=1e-5) for row in rows)


def test_the_map_has_two_names(labels: str) -> None:
    code, output = run(labels, "--calibrator", "temperature_bias", *FAST[2:], "--json")
    assert (code, output) == run(labels, *FAST, "--json")
    assert json.loads(output)["options"]["select"] == "temperature_bias"


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_other_formats(labels: str, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"queue.{suffix}"
    assert run(labels, *FAST, "--out", str(out), "--quiet") == (0, "")
    assert out.stat().st_size > 0


def test_json_is_json(labels: str) -> None:
    code, output = run(labels, *FAST, "--use", "large", "--confidence", "probability", "--json")
    assert code == 0
    found = json.loads(output)
    assert found["metrics"][0]["stages"][0]["judges"] == ["large"]
    assert found["options"]["agreement"] == 0.75


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--use", "lrge"), "no judge named 'lrge'"),
        (("--cascade", "small"), "NAME:COST"),
        (("--metric", "tone"), "no metric named 'tone'"),
        (("--agreement", "85"), "agreement is 85"),
        (("--target", "mode"), "label, set, loss"),
        (("--out", "queue.xlsx"), "no writer for"),
    ],
)
def test_a_mistake_is_one_line(labels: str, arguments: tuple[str, ...], words: str) -> None:
    code, output = run(labels, *FAST, *arguments, "--quiet")
    assert code == 2
    assert words in output
    assert len(output.strip().splitlines()) == 1


def test_a_file_is_not_overwritten_unasked(labels: str, tmp_path: Path) -> None:
    out = tmp_path / "queue.csv"
    out.write_text("mine")
    code, output = run(labels, *FAST, "--out", str(out))
    assert (code, out.read_text()) == (2, "mine")
    assert "--force" in output
    assert run(labels, *FAST, "--out", str(out), "--force", "--quiet")[0] == 0
