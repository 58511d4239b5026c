"""The alignment section: off by default, first where asked for, and honest where nothing can be said."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from voirdire import Audit, AuditOptions, audit
from voirdire import open as open_study
from voirdire.checks.finding import FloorToCeiling
from voirdire.stats.estimate import Estimate
from voirdire.study import Study

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "audit-1.json"
ASKED = AuditOptions(checks=("alignment",), resamples=200)


def made(folder: Path, *, n: int = 60, informed: bool = True, scored: bool = False) -> Study:
    """Two people and a judge, silent where people split; if asked, a second metric with other labels."""
    rng = np.random.default_rng(3)
    lines = ["item_id,metric,rater_id,rater_kind,label,text"]
    for i in range(n):
        unclear = i % 4 == 0
        share = 0.5 if unclear else rng.beta(0.5, 0.5)
        verdict = share > 0.5 if informed else rng.random() < 0.5
        words = ["pass" if said else "fail" for said in (*(rng.random(2) < share), verdict)]
        words[2] = "" if unclear else words[2]
        for name, kind, label in zip(("ann", "bo", "gpt"), ("human", "human", "judge"), words, strict=True):
            lines.append(f"i{i},help,{name},{kind},{label},answer {i}")
            if scored and i < 15:
                lines.append(f"i{i},score,{name},{kind},{1 + i % 3},answer {i}")
    path = folder / "labels.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return open_study(path)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return audit(made(tmp_path_factory.mktemp("study")), ASKED)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Three metrics, four people and a judge that knows something of each."""
    rng = np.random.default_rng(6)
    lines = ["item_id,metric,rater_id,rater_kind,label"]
    for metric, tilt in (("clear", 1.0), ("kind", 0.0), ("safe", -1.0)):
        for i in range(60):
            share = 1 / (1 + np.exp(-(tilt + 2 * rng.normal())))
            for name in ("ann", "bo", "cy", "di", "gpt"):
                kind = "judge" if name == "gpt" else "human"
                word = "pass" if rng.random() < share else "fail"
                lines.append(f"i{i},{metric},{name},{kind},{word}")
    path = tmp_path_factory.mktemp("several") / "labels.csv"
    path.write_text("\n".join(lines) + "\n")
    return audit(open_study(path), ASKED)


def test_it_runs_only_where_asked_for(tmp_path: Path) -> None:
    study = made(tmp_path)
    quick = {"resamples": 100}
    assert audit(study, AuditOptions(**quick)).finding("alignment") is None  # type: ignore[arg-type]
    asked = audit(study, AuditOptions(align=True, **quick))  # type: ignore[arg-type]
    assert asked.findings[0].check == "alignment"
    assert asked.lede.startswith(asked.findings[0].answer)
    assert asked.findings[0].answer in " ".join(str(asked).split())


def test_a_useful_judge_stands_between_floors_and_ceiling(done: Audit) -> None:
    finding = done.finding("alignment")
    assert finding is not None
    assert "helps" in finding.answer or "as well as another person" in finding.answer
    table = {each.name: each for each in finding.tables}
    names = [row.cells["model"] for row in table["alignment"].rows]
    assert {"base rates by metric", "the judge as it is", "pool of the aligned"} <= set(names)
    assert names[-1] == "best possible"
    assert [row.cells["m"] for row in table["power"].rows] == [0, 1]
    assert len(table["two_views"].rows) == 2
    assert finding.data["help"]["verdict"] in ("helps", "as a person")  # type: ignore[index]


def test_metrics_run_from_floor_to_ceiling_alone_and_partly_pooled(several: Audit) -> None:
    finding = several.finding("alignment")
    assert finding is not None
    table = next(table for table in finding.tables if table.name == "alignment_metrics")
    for row in table.rows:
        cell, gain, shrunken = (row.cells[key] for key in ("strip", "gain", "shrunken"))
        assert isinstance(cell, FloorToCeiling)
        assert isinstance(gain, Estimate)
        assert isinstance(shrunken, Estimate)
        assert gain.value == pytest.approx(cell.floor - cell.aligned.value)
        assert shrunken.has_interval
    assert any("Over metrics such as these the gain is" in words for words in finding.beware)
    said = [words for words in finding.beware if "A row is contested where" in words]
    assert len(said) == 1


def test_the_judge_as_it_is_stands_beside_the_aligned(several: Audit) -> None:
    finding = several.finding("alignment")
    assert finding is not None
    tables = {table.name: table for table in finding.tables}
    for name in ("reliability", "disagreement"):
        assert {row.cells["who"] for row in tables[name].rows} == {"aligned", "as it is"}
    told = {str(row.cells["measure"]): row.cells["value"] for row in tables["disagreement_told"].rows}
    assert isinstance(told["slope of observed on predicted"], Estimate)
    halves = told["the same by split halves, rows with 4 labels or more"]
    assert isinstance(halves, Estimate)
    assert halves.n_items == 180
    assert "pit" not in tables  # pass and fail have no order


def test_ordered_labels_have_the_probability_integral_transform(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    lines = ["item_id,metric,rater_id,rater_kind,label"]
    for i in range(60):
        quality = rng.normal()
        for name, kind in (("ann", "human"), ("bo", "human"), ("gpt", "judge")):
            lines.append(
                f"i{i},score,{name},{kind},{int(np.clip(np.round(3 + quality + rng.normal() / 2), 1, 5))}"
            )
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n")
    finding = audit(open_study(path), ASKED).finding("alignment")
    assert finding is not None
    table = next(table for table in finding.tables if table.name == "pit")
    shares = [row.cells["observed"] for row in table.rows]
    assert len(shares) == 10
    assert sum(one.value for one in shares if isinstance(one, Estimate)) == pytest.approx(1.0)
    assert any("predicted" in words and "labels" in words for words in finding.beware)
    assert any("more than a third of the scale apart" in words for words in finding.beware)


def test_contested_items_carry_text_people_and_reason(done: Audit) -> None:
    finding = done.finding("alignment")
    assert finding is not None
    rows = next(table.rows for table in finding.tables if table.name == "likely_contested")
    assert rows
    for row in rows:
        assert str(row.cells["text"]).startswith("answer ")
        assert "split between fail and pass" in str(row.cells["reason"])


def test_reports_show_it_and_the_document_keeps_its_schema(done: Audit) -> None:
    document = done.to_dict()
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert json.dumps(document, allow_nan=False)
    assert "How well does the judge know how people would judge?" in done.to_html()


def test_a_judge_that_knows_nothing_is_not_called_helpful(tmp_path: Path) -> None:
    finding = audit(made(tmp_path, informed=False), ASKED).finding("alignment")
    assert finding is not None
    assert "helps" not in finding.answer
    assert "base rates" in finding.answer


def test_a_judge_that_adds_nothing_is_said_to_first(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    lines = ["item_id,metric,rater_id,rater_kind,label"]
    for i in range(600):
        share = rng.beta(1, 1)
        for name, kind in (("ann", "human"), ("bo", "human"), ("cy", "human"), ("gpt", "judge")):
            chance = share if kind == "human" else 0.5
            lines.append(f"i{i},tone,{name},{kind},{'pass' if rng.random() < chance else 'fail'}")
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n")
    found = audit(open_study(path), AuditOptions(checks=("stand_in", "alignment"), resamples=200))
    nothing = "The judge adds nothing beyond base rates here."
    assert found.answer.startswith(f"No. {nothing} On tone the judge is worse")
    assert nothing not in found.lede


def test_scales_apart_and_too_few_items_say_how_many_are_needed(tmp_path: Path) -> None:
    finding = audit(made(tmp_path, scored=True), ASKED).finding("alignment")
    assert finding is not None
    assert "On help: " in finding.answer
    assert "On score: Cannot tell yet: 15 items" in finding.answer
    assert any("label 5 more" in gap for gap in finding.missing)


def test_without_a_judge_or_people_there_is_nothing_to_say(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item,ann,bo\na,x,y\nb,x,x\n")
    assert audit(open_study(path, wide=("ann", "bo")), ASKED).finding("alignment") is None
