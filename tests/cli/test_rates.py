"""``voirdire rates`` from files: a study and a file of verdicts; what is printed, written and refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.testing.rated_systems import rated_systems


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The labels with the verdicts on labelled items, and every verdict in a file of its own."""
    folder = tmp_path_factory.mktemp("rates")
    rated_systems(np.random.default_rng(3), prompts=150).study.export(folder / "all.csv")
    with (folder / "all.csv").open() as file:
        rows = list(csv.DictReader(file))
    seen = {row["item_id"] for row in rows if row["rater_kind"] == "human"}
    for name, kept in (
        ("labels", [row for row in rows if row["item_id"] in seen]),
        ("verdicts", [row for row in rows if row["rater_kind"] == "judge"]),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(kept)
    return str(folder / "labels.csv"), str(folder / "verdicts.csv")


def run(*words: str) -> tuple[int, str]:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app(), ["rates", *words])
    return result.exit_code, result.output


def test_a_study_and_its_verdicts(files: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "rates.csv"
    code, said = run(*files, "--select", "confusion_row", "--out", str(out))
    assert code == 0, said
    assert "label: pass rate" in said
    assert f"Wrote {out}." in said
    with out.open() as file:
        table = {row["system"]: row for row in csv.DictReader(file)}
    assert table["alpha"]["n_items"] == "150"
    assert float(table["alpha"]["corrected_low"]) < float(table["alpha"]["corrected"])


def test_json_is_one_document_and_quiet_is_silent(files: tuple[str, str]) -> None:
    code, said = run(*files, "--select", "confusion_row", "--json")
    document = json.loads(said)
    assert code == 0
    assert {row["system"] for row in document["rates"]} >= {"alpha", "all systems"}
    assert run(*files, "--select", "confusion_row", "--quiet") == (0, "")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [("-", "/", "with verdicts only"), (",judge,judge,", ",other,judge,", "no judge's verdict")],
)
def test_what_does_not_match_is_one_line(
    files: tuple[str, str], tmp_path: Path, old: str, new: str, message: str
) -> None:
    """Other item ids in the file of verdicts; people's labels without verdicts of their own."""
    labels, verdicts = (Path(file).read_text().splitlines() for file in files)
    people = tmp_path / "people.csv"
    people.write_text("\n".join(line for line in labels if ",judge,judge," not in line))
    other = tmp_path / "verdicts.csv"
    head, *rows = verdicts
    other.write_text("\n".join([head, *(row.replace(old, new, 1) for row in rows)]))
    words = [str(people)] if message == "no judge's verdict" else [str(people), str(other)]
    code, said = run(*words)
    assert code == 2
    assert message in said
    assert said.count("\n") == 1


def test_a_judge_named_by_a_flag_may_stand_in_one_file_only(files: tuple[str, str], tmp_path: Path) -> None:
    kind = ",judge,judge,"
    for name, file, keep in (("people", files[0], False), ("verdicts", files[1], True)):
        head, *rows = Path(file).read_text().splitlines()
        kept = [row.replace(kind, ",J,,") for row in rows if (kind in row) == keep]
        head = head.replace("rater_kind", "note")
        (tmp_path / f"{name}.csv").write_text(
            "\n".join([head, *(row.replace(",human,", ",,") for row in kept)])
        )
    words = [str(tmp_path / "people.csv"), str(tmp_path / "verdicts.csv"), "--select", "confusion_row"]
    code, said = run(*words, "--judge", "J")
    assert code == 0
    assert "alpha" in said
    assert "no rater is known to be a judge" in run(*words)[1]
    assert "no rating is by 'K'" in run(*words, "--judge", "K")[1]


def test_no_file_and_a_wrong_choice_are_mistakes(files: tuple[str, str]) -> None:
    assert run("nowhere.csv")[0] == 2
    code, said = run(*files, "--select", "magic")
    assert code == 2
    assert "magic" in said
