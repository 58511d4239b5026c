"""A benchmark's folder opens as a study: of its last run, with the verdicts that count."""

from __future__ import annotations

from pathlib import Path

import pytest

import voirdire
from bench.runs import run_folder
from voirdire.bench.starting import start_bench
from voirdire.errors import UserError


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


def test_it_holds_the_last_run_and_the_verdicts_on_what_stands_now(tmp_path: Path) -> None:
    start_bench(tmp_path / "b", example=True)
    run_folder(tmp_path / "b")
    study = voirdire.open(tmp_path / "b")
    assert (len(study.items), len(study.ratings)) == (576, 1152)
    assert study.demo.startswith("An example.")
    assert study.slice_by == ("system", "age")
    assert "those of run-1" in study.assumptions[0]
    first = study.items.ids
    # another judge, and other conversations of one system
    edit(tmp_path / "b" / "judge.yaml", "I am your friend", "nobody says this")
    edit(tmp_path / "b" / "targets.yaml", "says: [I see. Tell me more., That", "says: [Tell me more., That")
    run_folder(tmp_path / "b")
    again = voirdire.open(tmp_path / "b")
    assert (len(again.items), len(again.ratings)) == (576, 1152)
    assert not set(first) & set(again.items.ids)
    versions = again.ratings.attributes.get("judge_version")
    assert versions is None or len(set(versions.values)) == 1
    assert not any("other versions" in note for note in again.assumptions)


def test_within_a_metric_the_clusters_are_scenarios(tmp_path: Path) -> None:
    start_bench(tmp_path / "b", example=True)
    run_folder(tmp_path / "b")
    study = voirdire.open(tmp_path / "b")
    assert study.items.cluster is not None
    assert len(set(study.items.cluster.tolist())) == 8 * 3


def test_one_that_was_never_run_is_a_mistake(tmp_path: Path) -> None:
    start_bench(tmp_path / "b")
    with pytest.raises(UserError, match="no store there"):
        voirdire.open(tmp_path / "b")


def test_a_study_beside_a_benchmark_comes_first(tmp_path: Path) -> None:
    start_bench(tmp_path / "b")
    (tmp_path / "b" / "labels.csv").write_text(
        "item_id,rater_id,label\na,Ann,yes\na,Bo,no\n", encoding="utf-8"
    )
    (tmp_path / "b" / "study.yaml").write_text(
        "name: beside\ntables: [{file: labels.csv}]\n", encoding="utf-8"
    )
    assert voirdire.open(tmp_path / "b").name == "beside"
