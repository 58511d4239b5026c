"""``voirdire plan`` from the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from decide.made import rows_of
from voirdire.cli.main import app


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app(), ["plan", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def written(path: Path, rows: list[dict[str, object]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("labels") / "labels.csv", rows_of(400, 120, 1, blur=0.4))


FAST = ("--select", "temperature_bias", "--budget", "60")


def test_the_answer_and_the_files(labels: str, tmp_path: Path) -> None:
    out, chances = tmp_path / "ask.csv", tmp_path / "chances.csv"
    code, output = run(labels, *FAST, "--for", "means", "--out", str(out), "--chances", str(chances))
    assert code == 0, output
    assert output.startswith("60 labels on 60 rows (item and metric) by 2 raters.")
    assert "What it should buy:" in output
    assert "Wrote 60 labels" in output
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = ["item_id", "metric", "rater_id", "purpose", "stratum", "order", "sampling_probability"]
    assert list(rows[0]) == names
    with chances.open(newline="") as file:
        chance = {row["item_id"]: row["sampling_probability"] for row in csv.DictReader(file)}
    assert len(chance) == 120 + 60
    assert all(row["sampling_probability"] == chance[row["item_id"]] for row in rows)
    assert run(labels, *FAST, "--out", str(out))[0] == 2  # it exists
    assert run(labels, *FAST, "--out", str(out), "--force")[0] == 0


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_other_formats(labels: str, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"ask.{suffix}"
    assert run(labels, *FAST, "--out", str(out), "--quiet") == (0, "")
    assert out.stat().st_size > 0


def test_json_is_json(labels: str) -> None:
    code, output = run(labels, *FAST, "--rater", "p0:20", "--new-rater", "zed", "--json")
    assert code == 0
    found = json.loads(output)
    assert found["n_labels"] == 60
    assert {each["rater"]: each["labels"] for each in found["raters"]} == {"p0": 20, "zed": 40}
    assert found["bought"][0]["gain"]["low"] < found["bought"][0]["gain"]["high"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--budget", "0"), "budget is 0"),
        (("--for", "fun"), "fitting, floors, means, decisions, all"),
        (("--design", "entropy"), "random, balanced"),
        (("--rater", "p9"), "no person named 'p9'"),
        (("--rater", "p0:many"), "NAME or NAME:LOAD"),
        (("--metric", "tone"), "no metric named 'tone'"),
        (("--out", "ask.xlsx"), "no writer for"),
    ],
)
def test_a_mistake_is_one_line(labels: str, arguments: tuple[str, ...], words: str) -> None:
    code, output = run(labels, *FAST, *arguments, "--quiet")
    assert code == 2
    assert output.startswith("voirdire: ")
    assert output.count("\n") == 1
    assert words in output


def test_only_people_one_rater_and_disjoint_items(tmp_path: Path) -> None:
    every = rows_of(60, 30, 1, people=1)
    people = written(tmp_path / "people.csv", [row for row in every if row["rater_kind"] == "human"])
    code, output = run(people, "--new-rater", "zed", "--budget", "20")
    assert (code, "No judge was asked" in output) == (0, True)
    assert run(people, "--budget", "20")[1].startswith("voirdire: ")  # one rater has labelled everything
    apart = [{**row, "item_id": f"{row['rater_kind']}-{row['item_id']}"} for row in every]
    code, output = run(written(tmp_path / "apart.csv", apart), "--budget", "20")
    assert (code, "matched 0, only labelled 30, only judged 60" in output) == (0, True)
