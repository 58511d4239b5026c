"""Known-truth studies as files: what is written is what the real reader finds."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import numpy as np
import pytest

import voirdire
from voirdire.errors import UserError
from voirdire.testing import (
    Difficulty,
    KnownTruth,
    PlantedJudge,
    PlantedMetric,
    PlantedSystem,
    known_truth,
    people,
)
from voirdire.testing.files import write


@pytest.fixture(scope="module")
def made() -> KnownTruth:
    levels = (Difficulty(share=0.5), Difficulty(share=0.5, guess=0.5, indeterminate=0.3))
    metrics = [
        PlantedMetric(
            name=name,
            people=people(3, missing=0.2),
            items=40,
            difficulty=levels,
            indeterminate="unsure",
            cluster_size=4,
            runs=2,
            polarity="negative",
        )
        for name in ("one", "two")
    ]
    judge = PlantedJudge(id="judge", unparsed=0.2, model="m-1", family="M")
    return known_truth(metrics, judges=[judge], systems=[PlantedSystem(name="a"), PlantedSystem(name="b")])


def test_csv_holds_every_column_and_an_empty_cell_where_there_is_no_label(
    made: KnownTruth, tmp_path: Path
) -> None:
    with write(made, tmp_path / "labels.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = made.to_columns()
    assert len(rows) == len(made)
    for name, values in columns.items():
        assert [row[name] for row in rows] == [value or "" for value in values]
    assert "" in [row["label"] for row in rows]


def test_parquet_holds_the_same_with_nulls(made: KnownTruth, tmp_path: Path) -> None:
    path = write(made, tmp_path / "it's.parquet")
    rows = duckdb.sql("SELECT * FROM read_parquet(?)", params=[str(path)])
    assert rows.columns == list(made.columns)
    columns = zip(*rows.fetchall(), strict=True)
    assert {
        name: list(values) for name, values in zip(rows.columns, columns, strict=True)
    } == made.to_columns()


@pytest.mark.parametrize("name", ["labels.csv", "labels.parquet", "study"])
def test_the_real_reader_finds_the_same_study(made: KnownTruth, tmp_path: Path, name: str) -> None:
    study = voirdire.open(write(made, tmp_path / name))
    assert len(study.ratings) == len(made)
    assert [metric.name for metric in study.metrics] == ["one", "two"]
    assert {rater.id: rater.kind for rater in study.raters}["judge"] == "judge"
    labels = [None if raw == "" else raw for raw in study.ratings.raw]
    assert labels == list(made.columns["label"])
    assert study.items.cluster is not None
    assert len(np.unique(study.items.cluster)) == 20
    unparsed = (study.ratings.label < 0).sum()
    assert unparsed == (made.columns["label"].codes < 0).sum() > 0


def test_columns_are_opened_without_a_file(made: KnownTruth) -> None:
    study = voirdire.open(made.to_columns())
    assert len(study.ratings) == len(made)


def test_a_folder_declares_what_a_file_cannot_say(made: KnownTruth, tmp_path: Path) -> None:
    study = voirdire.open(write(made, tmp_path / "study", extra={"name": "Made", "demo": "made data"}))
    one = study.metric("one")
    assert (study.name, study.demo) == ("Made", "made data")
    assert dict(one.scale.indeterminate) == {"unsure": ("pass", "fail")}
    assert one.scale.labels == ("pass", "unsure", "fail")
    assert one.polarity == "negative"
    judge = next(rater for rater in study.raters if rater.id == "judge")
    assert (judge.model, judge.family) == ("m-1", "M")


def test_another_suffix_is_refused(made: KnownTruth, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"labels\.xlsx"):
        write(made, tmp_path / "labels.xlsx")
