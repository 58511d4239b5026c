"""``voirdire export`` from the command line."""

from __future__ import annotations

import csv
import json
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


TABLE = "item_id,rater_id,rater_kind,system,text,label\n" + "".join(
    f"q{n}-{system},{rater},{kind},{system},Hello {n},{'warm' if n else 'cold'}\n"
    for n in (0, 1)
    for system in ("Acme", "Best")
    for rater, kind in (("ann@example.org", "human"), ("J", "judge"))
)


def test_items_go_to_label_studio_and_come_back(tmp_path: Path) -> None:
    source, tasks, back = tmp_path / "labels.csv", tmp_path / "tasks.json", tmp_path / "back.csv"
    source.write_text(TABLE)
    code, output = run(str(source), "--to", "label-studio", "-o", str(tasks))
    assert code == 0
    assert output.startswith(f"Wrote 4 tasks to {tasks}, {tmp_path / 'tasks.xml'}, {tmp_path / 'tasks.key'}.")
    assert "Acme" not in tasks.read_text()
    code, output = run(str(tasks), str(back), "--key", str(tmp_path / "tasks.key"), "--pseudonyms")
    assert code == 0
    assert output.startswith(f"Wrote 4 ratings to {back}.\n")
    assert "tasks.json was read as Label Studio tasks: 4 ratings, 0 of them skips, by 1 person." in output
    with back.open(newline="") as file:
        rows = {(row["item_id"], row["system"], row["label"]) for row in csv.DictReader(file)}
    assert rows == {(f"q{n}-{s}", s, "warm" if n else "cold") for n in (0, 1) for s in ("Acme", "Best")}
    assert "ann@example.org" not in back.read_text()


def test_items_go_to_argilla_and_what_was_written_is_told_as_json(tmp_path: Path) -> None:
    source, folder = tmp_path / "labels.csv", tmp_path / "set"
    source.write_text(TABLE)
    code, output = run(
        str(source), str(folder), "--to", "argilla", "--pre-annotate", "J", "--show-systems", "--json"
    )
    assert code == 0
    told = json.loads(output)
    assert told["tasks"] == 4
    assert str(folder / "records.json") in told["files"]
    assert any("the scale of" in note.lower() for note in told["assumptions"])
    assert "Acme" in (folder / "records.json").read_text()
    assert run(str(source), str(folder), "--to", "argilla")[0] == 2
    assert run(str(source), str(folder), "--to", "argilla", "--force", "--quiet") == (0, "")


def test_nothing_beside_the_tasks_is_replaced(tmp_path: Path) -> None:
    """A key that is lost takes the names of all items with it."""
    source, key = tmp_path / "labels.csv", tmp_path / "tasks.key"
    source.write_text(TABLE)
    key.write_text("precious")
    code, output = run(str(source), "--to", "label-studio", "-o", str(tmp_path / "tasks.json"))
    assert code == 2
    assert f"{key}: exists already" in output
    assert key.read_text() == "precious"


def test_one_file_is_needed(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(TABLE)
    for more in ([], [str(tmp_path / "a.csv"), "-o", str(tmp_path / "b.csv")]):
        code, output = run(str(tmp_path / "labels.csv"), *more)
        assert code == 2
        assert "one file to write is needed" in output
