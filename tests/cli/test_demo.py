"""`voirdire demo` writes a study, audits it, and sets the truth beside each estimate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import voirdire
from voirdire.cli.main import app
from voirdire.testing.beside import beside
from voirdire.testing.demo import NOTE, demo, write_demo


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def result(folder: Path) -> Result:
    return CliRunner().invoke(app(), ["demo", "--out", str(folder / "out")])


def test_it_writes_the_study_and_the_report(result: Result, folder: Path) -> None:
    assert result.exit_code == 0, result.output
    written = {
        path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*") if path.is_file()
    }
    assert {
        "report.html",
        "audit.json",
        "study/study.yaml",
        "study/ratings.csv",
        "study/items.csv",
    } <= written
    assert NOTE in (folder / "out/report.html").read_text("utf-8")


def test_it_prints_the_summary_and_the_truth(result: Result) -> None:
    assert "Cannot tell" in result.output
    assert "Truth beside estimate" in result.output
    assert "intervals hold the truth" in result.output
    assert "retest-negative" in result.output


def test_the_document_holds_every_truth_that_has_an_estimate(result: Result, folder: Path) -> None:
    document = json.loads((folder / "out/audit.json").read_text("utf-8"))
    assert len(document["truth"]) >= 60
    assert "names-limits | judge–person κ | as fail" in document["truth"]


def test_it_has_the_shape_it_claims(folder: Path, result: Result) -> None:
    study = voirdire.open(folder / "out/study")
    human = [rater for rater in study.raters if rater.kind == "human"]
    rated = [metric.name for metric in study.metrics if len(study.rows(metric.name, kind="human"))]
    panels = [study.panel(name).coded.n_raters for name in rated]
    assert (len(human), len(rated), len(study.metrics)) == (19, 18, 20)
    assert sorted(panels, reverse=True) == [5, 5, 5, 4] + [1] * 14
    assert sum(len(study.rows(name, kind="human")) for name in rated) == 297
    assert study.metric("retest-positive").policy.name == "as fail"
    assert study.demo == NOTE


def test_same_seed_same_files(folder: Path, result: Result) -> None:
    write_demo(folder / "again")
    for name in ("study.yaml", "ratings.csv", "items.csv"):
        assert (folder / "again" / name).read_bytes() == (folder / "out/study" / name).read_bytes()


def test_most_intervals_hold_the_truth(folder: Path, result: Result) -> None:
    """Of the demonstration's own intervals; coverage proper is simulated in tests/testing."""
    audit = voirdire.audit(voirdire.open(folder / "out/study"))
    held = [one.inside for one in beside(audit, demo()) if one.inside is not None]
    assert len(held) >= 60
    assert sum(held) / len(held) > 0.85
