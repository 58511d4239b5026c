"""A study with its store as a folder of files: its audit is the same, and its golden set can gate a judge."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import voirdire
from review.studies import UnderWay, begun
from voirdire.errors import UserError
from voirdire.gate.gate import gate
from voirdire.gate.policy import GatePolicy
from voirdire.review.answers import Sent
from voirdire.review.golden import GoldenOptions
from voirdire.review.log import Cell
from voirdire.review.metric_reviews import MetricReview, review_metric
from voirdire.review.people import invite
from voirdire.review.rulings import Ruling, rule
from voirdire.review.study_folder import GOLDEN, export_golden, export_study

OPTIONS = voirdire.AuditOptions(resamples=100)


def labelled(folder: Path, store: str = "") -> UnderWay:
    """Every kind of answer, comments that look like missing ones, a ruling and a review of a metric."""
    way = begun(folder, items=12, sets=["kind"], store=store)
    for n, name in enumerate(way.people):
        for k in range(12):
            kind = ("pass", "fail") if k == 3 else ("pass",) if (k + n) % 4 else ("borderline",)
            way.say(name, f"i{k}", "kind", *kind, comment="NA" if k == 1 else "", confidence=1 + k % 4)
            clear = () if k == 7 else ("not sure",) if k == 5 else (str(1 + (k + n) % 4),)
            way.say(name, f"i{k}", "clear", *clear, cites=[2, 1], challenge="unclear")
    member = invite(way.desk, way.round.id, "panel", "Pia").link.rater_id
    cell = Cell(way.round.id, member, "i0", "kind")
    rule(
        way.desk,
        way.round,
        cell,
        Ruling(kind="label", label="pass", reason='Both, "now"\nand then.'),
        Sent("ruling-1"),
    )
    review_metric(way.desk, way.round, "R1", "kind", MetricReview(adequacy="uncertain"), "review-001")
    return way


def audited(source: Path, store: str = "") -> str:
    """The audit's document without the names of sources, their hashes and its time."""
    study = voirdire.open(source, config={"store": store} if store else None)
    document: dict[str, Any] = voirdire.audit(study, OPTIONS).to_dict()
    text = json.dumps(document, indent=1, ensure_ascii=False)
    text = re.sub(r'"(created_at|sha256)": "[^"]*"', r'"\1": ""', text)
    sources = {source["name"] for source in document["study"]["sources"]}
    for number, name in enumerate(sorted(sources, key=len, reverse=True)):
        text = text.replace(json.dumps(name, ensure_ascii=False), '"source"')
        assert number < 10
    return text


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_audit_of_the_files_is_the_audit_of_the_store(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_server").new("exported") if kind == "postgresql" else ""
    way = labelled(tmp_path / "study", url)
    export_study(way.desk, tmp_path / "out")
    way.desk.store.close()
    names = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert names == ["labels.csv", "reviews.csv", "study.yaml", "texts.csv", "verdicts.csv"]
    first, second = audited(tmp_path / "study", url), audited(tmp_path / "out")
    assert first == second
    assert "borderline" in first
    assert "password" not in (tmp_path / "out" / "study.yaml").read_text()


def test_a_folder_with_a_study_is_left_alone(tmp_path: Path) -> None:
    way = labelled(tmp_path / "study")
    for write in (lambda to: export_study(way.desk, to), lambda to: export_golden(way.desk, way.round, to)):
        with pytest.raises(UserError, match="exists already"):
            write(tmp_path / "study")


def test_a_golden_set_is_a_study_that_can_be_audited_and_gated(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", metrics=("kind",), names=("Ann", "Bo"), items=30)
    for k in range(30):
        for name in way.people:
            way.say(name, f"i{k}", "kind", "fail" if k % 3 == 0 or k in (2, 4) else "pass")
    way.say("Bo", "i1", "kind", "fail")
    export_golden(way.desk, way.round, tmp_path / "golden")
    study = voirdire.open(tmp_path / "golden")
    assert len(study.items) == 29
    assert [rater.id for rater in study.raters if rater.kind == "human"] == [GOLDEN]
    audit = voirdire.audit(study, OPTIONS)
    assert "29" in str(audit)
    assert "tone-judge" in str(audit)
    rules = [{"measure": "agreement", "at_least": 0.5}, {"measure": "judge_kappa", "at_least": 0.5}]
    agreement, kappa = gate(study, GatePolicy.model_validate({"rules": rules})).rulings
    assert agreement.cases[0].estimate is not None
    assert agreement.cases[0].estimate.value == pytest.approx(27 / 29)
    assert agreement.outcome == "pass"
    assert kappa.outcome == "inconclusive"  # one label an item: whether people agree cannot be seen


def test_an_empty_golden_set_is_refused(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", metrics=("kind",), names=("Ann", "Bo"))
    with pytest.raises(UserError, match="no label is agreed on or ruled yet"):
        export_golden(way.desk, way.round, tmp_path / "golden", GoldenOptions(share=0.6))
    assert not (tmp_path / "golden").exists()
