"""Import, export, import again: nothing that a rater said or a file holds is changed or lost."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import Column, Study

HOSTILE = [
    "",
    " ",
    "NA",
    "nan",
    "=1+1",
    '"quoted"',
    "a,b",
    "a;b\tc",
    "two\nlines",
    "two\r\nlines",
    "\r",
    "'",
    "01",
    "1.0",
]
HOSTILE += [
    "</script><script>alert(1)</script>",
    "\u202eabc",
    "🙂",
    "e\u0301",
    "\ufeff",
    "null",
    "-0",
    "1e999",
    "[]",
    "{}",
]
SUFFIXES = [".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.gz"]
TYPED = {".jsonl", ".parquet", ".jsonl.gz"}

text = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
name = text.filter(bool)
row = st.tuples(
    name, name, name, st.one_of(st.none(), text), st.one_of(st.none(), text), st.one_of(st.none(), text)
)
tables = st.lists(row, min_size=1, max_size=12, unique_by=lambda cells: cells[:3])


def as_frame(rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    names = ("item_id", "metric", "rater_id", "label", "rationale", "topic")
    return {name: [cells[at] for cells in rows] for at, name in enumerate(names)}


def held(column: Column) -> list[str | None]:
    return list(column)


def same(one: Study, other: Study) -> None:
    """Assert that two studies hold the same in every part."""
    assert one.items.ids == other.items.ids
    assert one.metrics == other.metrics
    assert one.raters == other.raters
    assert one.slice_by == other.slice_by
    for part in ("item", "metric", "rater", "label", "status"):
        np.testing.assert_array_equal(getattr(one.ratings, part), getattr(other.ratings, part))
    assert held(one.ratings.raw) == held(other.ratings.raw)
    assert held(one.ratings.run) == held(other.ratings.run)
    for mine, theirs in (
        (one.items.attributes, other.items.attributes),
        (one.items.texts, other.items.texts),
        (one.ratings.attributes, other.ratings.attributes),
    ):
        assert {key: held(column) for key, column in mine.items()} == {
            key: held(column) for key, column in theirs.items()
        }
    assert set(one.ratings.probabilities) == set(other.ratings.probabilities)
    for label, values in one.ratings.probabilities.items():
        np.testing.assert_array_equal(values, other.ratings.probabilities[label])


@settings(max_examples=50, deadline=None)
@given(rows=tables, suffix=st.sampled_from(SUFFIXES))
def test_a_round_trip_gives_the_same_study(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]], suffix: str
) -> None:
    study = open_study(as_frame(rows))
    path = tmp_path_factory.mktemp("export") / f"ratings{suffix}"
    given_labels = {cells[3] for cells in rows}
    if suffix not in TYPED and {"", None} <= given_labels:
        with pytest.raises(UserError, match="cannot tell apart"):
            study.export(str(path))
        return
    study.export(str(path))
    # a text file has no null: where it stands for one, only the empty cell may be read as missing
    missing = None if suffix in TYPED else [""] if None in given_labels else []
    same(study, open_study(path, missing=missing))


@settings(max_examples=30, deadline=None)
@given(rows=tables, suffix=st.sampled_from([".csv", ".tsv", ".jsonl"]))
def test_the_export_equals_the_source(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]], suffix: str
) -> None:
    rows = [tuple(cell or "x" for cell in cells) for cells in rows]
    rows = list({cells[:3]: cells for cells in rows}.values())
    folder = tmp_path_factory.mktemp("export")
    source = as_frame(rows)
    with (folder / "source.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(source)
        writer.writerows(rows)
    path = folder / f"ratings{suffix}"
    open_study(folder / "source.csv", missing=[]).export(str(path))
    if suffix == ".jsonl":
        found = (
            [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if False else None
        )
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    else:
        with path.open(newline="", encoding="utf-8") as file:
            found = list(csv.DictReader(file, delimiter="\t" if suffix == ".tsv" else ","))
    assert [{name: record[name] for name in source} for record in found] == [
        dict(zip(source, cells, strict=True)) for cells in rows
    ]


FILES = [
    "humanebench/long.csv",
    "pandalm/long.csv",
    "mtbench_human/long.csv",
    "llm_rubric/long.csv",
    "reference_tables/krippendorff_2011.long.csv",
]


@pytest.mark.parametrize("file", FILES)
def test_a_shared_file_is_exported_as_it_is(shared: Path, tmp_path: Path, file: str) -> None:
    source = shared / "data" / file
    path = tmp_path / "ratings.csv"
    study = open_study(source)
    study.export(str(path))
    same(study, open_study(path))
    with source.open(newline="", encoding="utf-8") as ours, path.open(newline="", encoding="utf-8") as theirs:
        rows = list(zip(csv.DictReader(ours), csv.DictReader(theirs), strict=True))
    assert len(rows) == len(study.ratings)
    for before, after in rows:
        texts = {name: value for name, value in before.items() if not name.startswith("prob_")}
        assert {name: after[name] for name in texts} == texts
        numbers = {name: float(value) for name, value in before.items() if name.startswith("prob_") and value}
        assert {name: float(after[name]) for name in numbers} == numbers


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_several_tables_come_back_as_one(impactbench: Study, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"ratings{suffix}"
    impactbench.export(str(path))
    back = open_study(path)
    assert held(back.ratings.raw) == held(impactbench.ratings.raw)
    assert back.items.ids == impactbench.items.ids
    assert [rater.id for rater in back.raters] == [rater.id for rater in impactbench.raters]
    assert held(back.items.attributes["polarity"]) == held(impactbench.items.attributes["polarity"])


def test_statuses_survive(tmp_path: Path) -> None:
    source = {
        "item_id": list("abcd"),
        "rater_id": ["gpt-4"] * 4,
        "label": ["pass", "GRAND: C", None, "I cannot"],
        "status": ["ok", "unparsed", "error", "refusal"],
        "prob_pass": [0.1, None, 1e-9, 1],
    }
    study = open_study(source)
    for suffix in SUFFIXES:
        path = tmp_path / f"ratings{suffix}"
        study.export(str(path))
        same(study, open_study(path))


def test_the_same_study_is_written_with_the_same_bytes(tmp_path: Path) -> None:
    study = open_study({"item_id": ["a"], "rater_id": ["A"], "label": ["pass"]})
    for suffix in SUFFIXES:
        paths = [tmp_path / f"{turn}{suffix}" for turn in ("one", "two")]
        for path in paths:
            study.export(str(path))
        assert paths[0].read_bytes() == paths[1].read_bytes()
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()) == (tmp_path / "one.csv").read_bytes()


@pytest.mark.parametrize(
    "target", ["ratings.xlsx", "ratings", "ratings.parquet.gz", "nowhere/ratings.csv", "nowhere/r.parquet"]
)
def test_what_cannot_be_written_is_said(tmp_path: Path, target: str) -> None:
    study = open_study({"item_id": ["a"], "rater_id": ["A"], "label": ["pass"]})
    with pytest.raises(UserError):
        study.export(str(tmp_path / target))
