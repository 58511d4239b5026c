"""`voirdire audit` on files good and bad: what it prints, what it writes, how it refuses."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

import voirdire
from voirdire.cli.main import app

LABELS = """item_id,metric,rater_id,rater_kind,label
{rows}
"""


def audit(*arguments: object) -> Result:
    return CliRunner().invoke(app(), ["audit", *map(str, arguments)])


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """A small long table: twelve items, three people and a judge."""
    rows = [
        f"item-{item},quality,{rater},{kind},{'pass' if (item * 7 + shift) % 5 < 3 else 'fail'}"
        for item in range(12)
        for rater, kind, shift in (
            ("ann", "human", 0),
            ("ben", "human", 1),
            ("cat", "human", 0),
            ("luna", "judge", 0),
        )
    ]
    path = tmp_path / "labels.csv"
    path.write_text(LABELS.format(rows="\n".join(rows)), encoding="utf-8")
    return path


def test_without_out_it_prints_the_summary_and_writes_nothing(labels: Path) -> None:
    before = sorted(labels.parent.iterdir())
    result = audit(labels)
    assert result.exit_code == 0, result.output
    assert "quality" in result.output
    assert "Wrote" not in result.output
    assert sorted(labels.parent.iterdir()) == before


def test_the_summary_fits_one_screen(labels: Path) -> None:
    lines = audit(labels).output.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


def test_out_writes_the_report_and_says_where(labels: Path, tmp_path: Path) -> None:
    result = audit(labels, "--out", tmp_path / "new" / "audit")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "new/audit/report.html").read_text("utf-8").startswith("<!doctype html>")
    assert json.loads((tmp_path / "new/audit/audit.json").read_text("utf-8"))["answer"]
    assert "report.html" in result.output.splitlines()[-1]


def test_json_is_the_document_and_nothing_else(labels: Path) -> None:
    document = json.loads(audit(labels, "--json").stdout)
    assert document["schema"] == "voirdire-audit/1"


def test_quiet_prints_nothing(labels: Path, tmp_path: Path) -> None:
    assert audit(labels, "--quiet", "--out", tmp_path / "out").output == ""


def test_no_text_leaves_texts_out(tmp_path: Path) -> None:
    secret = "a sentence that only the items' text column holds and long enough to be a text"
    rows = [f"item-{item},q,{rater},pass,{secret} {item}" for item in range(6) for rater in ("ann", "ben")]
    path = tmp_path / "labels.csv"
    path.write_text("item_id,metric,rater_id,label,text\n" + "\n".join(rows), encoding="utf-8")
    for flags, shown in (((), True), (("--no-text",), False)):
        assert audit(path, "--out", tmp_path / "out", *flags).exit_code == 0
        assert (secret in (tmp_path / "out/report.html").read_text("utf-8")) is shown


def test_same_seed_same_bytes(labels: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        audit(labels, "--out", tmp_path / name, "--seed", 7)
    audit(labels, "--out", tmp_path / "three", "--seed", 8)

    def document(name: str) -> dict[str, object]:
        read: dict[str, object] = json.loads((tmp_path / name / "audit.json").read_text("utf-8"))
        return {key: value for key, value in read.items() if key != "created_at"}

    assert document("one") == document("two")
    assert document("one")["findings"] != document("three")["findings"]


def test_flags_and_options_are_the_same_set_with_the_same_defaults() -> None:
    parameters = {p.name: p.default for p in get_command(app()).commands["audit"].params}  # type: ignore[attr-defined]
    renamed = {"checks": "check"}
    for field in fields(voirdire.AuditOptions):
        flag = renamed.get(field.name, field.name)
        assert flag in parameters, f"--{field.name} is missing"
        assert (parameters[flag] or ()) == (field.default or ()), field.name


def test_options_reach_the_audit(labels: Path) -> None:
    flags = [
        "--level",
        0.9,
        "--margin",
        0.2,
        "--resamples",
        200,
        "--seed",
        5,
        "--reading",
        "krippendorff",
        "--worst",
        3,
    ]
    document = json.loads(audit(labels, "--json", *flags).stdout)
    expected = {
        "level": 0.9,
        "margin": 0.2,
        "resamples": 200,
        "seed": 5,
        "reading": "krippendorff",
        "worst": 3,
    }
    assert {key: document["options"][key] for key in expected} == expected


def test_one_check_alone(labels: Path) -> None:
    document = json.loads(audit(labels, "--json", "--check", "people").stdout)
    assert [finding["check"] for finding in document["findings"]] == ["people"]


def test_columns_judges_and_missing_are_declared_by_flags(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = [
        f"{item},{who},{'-' if item == 1 else 'yes' if item % 2 else 'no'}"
        for item in range(8)
        for who in ("a", "b", "m")
    ]
    path.write_text("thing,who,said\n" + "\n".join(rows), encoding="utf-8")
    flags = [
        "--column",
        "item_id=thing",
        "--column",
        "rater_id=who",
        "--column",
        "label=said",
        "--judge",
        "m",
    ]
    result = audit(path, *flags, "--missing", "-", "--json")
    assert result.exit_code == 0, result.output
    study = json.loads(result.stdout)
    assert "m" in json.dumps(study["stand_in"])


def test_wide_tables_by_flag(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(
        "item,ann,ben\n" + "\n".join(f"{i},{'yn'[i % 2]},{'yn'[i % 3 % 2]}" for i in range(9)), "utf-8"
    )
    result = audit(path, "--wide", "ann, ben")
    assert result.exit_code == 0, result.output
    assert "2 people" in result.output


def test_conflicting_duplicates_are_an_error_that_names_the_way_out(labels: Path) -> None:
    with labels.open("a", encoding="utf-8") as file:
        file.write("item-0,quality,ann,human,pass\nitem-0,quality,ben,human,fail\n")
        file.write("item-1,quality,ann,human,fail\nitem-1,quality,ann,human,pass\n")
    result = audit(labels)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert "on_duplicate" in result.stderr or "--on-duplicate" in result.stderr
    assert audit(labels, "--on-duplicate", "first").exit_code == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"item_id,metric,rater_id,label\n", "no "),
        (b"\x00\x01\x02\x03", ""),
        (b"a;b\n1;2\n", "column"),
        (b"item_id,rater_id,label,rater_kind\n1,a,pass,robot\n", "robot"),
    ],
)
def test_bad_files_are_refused_in_a_line(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    result = audit(path)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("voirdire: ")
    assert len(result.stderr.splitlines()) == 1
    assert "Traceback" not in result.stderr
    assert says in result.stderr


@pytest.mark.shared
def test_humanebench_with_no_configuration(shared: Path, tmp_path: Path) -> None:
    result = audit(shared / "data/humanebench/long.csv", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "audit.json").exists()
    assert "gpt-5.1" in result.output
