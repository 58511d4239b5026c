"""What a caller in Python may hand over, and what is answered to what cannot be meant."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import voirdire
from voirdire import registry
from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.study.ratings import Source
from voirdire.study.raw import RawTable

LABELS: dict[str, list[Any]] = {
    "item_id": ["a", "a", "b", "b"],
    "rater_id": ["Ann", "Bo", "Ann", "Bo"],
    "label": ["yes", "no", "yes", "yes"],
}


@pytest.mark.parametrize(
    "part",
    [
        lambda: pd.DataFrame(LABELS)["label"],
        lambda: pd.DataFrame(LABELS).groupby("label"),
        lambda: pl.DataFrame(LABELS)["label"],
        lambda: pl.DataFrame(LABELS).lazy(),
        lambda: pa.table(LABELS)["label"],
    ],
)
def test_what_is_no_whole_table_is_a_mistake(part: Callable[[], Any]) -> None:
    with pytest.raises(UserError, match=r"cannot open a .* of .*expected a whole table"):
        voirdire.open(part())


@pytest.mark.parametrize(
    ("labels", "raw"),
    [
        ([Decimal("1.0"), Decimal("1.00"), Decimal("1"), Decimal("2")], ["1.0", "1.00", "1", "2"]),
        ([(1,), (True,), (1.0,), ("b", ["c"])], ["[1]", "[true]", "[1.0]", '["b", ["c"]]']),
        ([pd.Timestamp("2026-01-01T12:00+00:00"), pd.Timestamp("2026-01-01T13:00+01:00"), None, None],
         ["2026-01-01T12:00:00+00:00", "2026-01-01T13:00:00+01:00", None, None]),
    ],
)  # fmt: skip
def test_equal_values_that_are_written_differently_stay_apart(labels: list[Any], raw: list[str]) -> None:
    assert list(voirdire.open({**LABELS, "label": labels}).ratings.raw) == raw


def test_a_number_too_long_to_write_is_a_mistake() -> None:
    with pytest.raises(UserError, match="cannot be written as text"):
        voirdire.open({**LABELS, "label": [10**5000, 1, 2, 3]})


def test_one_name_may_stand_alone() -> None:
    judged = voirdire.open(LABELS, judges="Bo", missing="no")
    assert [rater.kind for rater in judged.raters] == ["human", "judge"]
    assert judged.counts["missing_labels"] == 1
    wide = voirdire.open({"item_id": ["a", "b"], "xyz": ["p", "f"]}, wide="xyz")
    assert [rater.id for rater in wide.raters] == ["xyz"]


@pytest.mark.parametrize("given", [{"columns": "label"}, {"config": ["name"]}])
def test_a_mapping_is_asked_for_where_one_is_needed(given: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"is a (str|list); expected a dict"):
        voirdire.open(LABELS, **given)


@pytest.mark.parametrize("study", [None, "labels.csv", ["labels.csv"], LABELS])
def test_only_a_study_is_audited(study: Any) -> None:
    with pytest.raises(UserError, match=r"cannot audit a .*open it first: voirdire.audit\(voirdire.open"):
        voirdire.audit(study)


def test_options_are_the_record_of_options() -> None:
    with pytest.raises(UserError, match="options are a dict"):
        voirdire.audit(voirdire.open(LABELS), {"level": 0.9})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {"level": "0.9"},
        {"level": float("nan")},
        {"margin": None},
        {"resamples": 1000.5},
        {"seed": -1},
        {"seed": "today"},
        {"worst": 1e9},
        {"checks": "people"},
        {"reading": "kind"},
    ],
)
def test_an_option_that_cannot_be_meant_is_a_mistake(options: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=next(iter(options))):
        voirdire.AuditOptions(**options)


def test_numpy_numbers_are_options_too() -> None:
    assert voirdire.AuditOptions(level=np.float64(0.9), seed=np.int64(3)).seed == 3  # type: ignore[arg-type]


def test_a_file_reads_whatever_the_case_of_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "TONE.CSV.GZ"
    path.write_bytes(gzip.compress(b"item_id,rater_id,label\na,Ann,yes\n"))
    assert len(voirdire.open(path).ratings) == 1


def test_the_reader_of_a_plugin_is_found_by_its_suffix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_words(path: Path) -> RawTable:
        words = path.read_text(encoding="utf-8").split()
        columns = {"item_id": Column.of(list("abcd"[: len(words)])), "label": Column.of(words)}
        return RawTable(Source(path.name), columns, np.arange(1, len(words) + 1), text=True)

    registry.names("reader")
    monkeypatch.setitem(registry._entries["reader"], "words", read_words)
    (tmp_path / "tone.words").write_text("yes no yes", encoding="utf-8")
    assert len(voirdire.open(tmp_path / "tone.words").ratings) == 3
    (tmp_path / "notes.frame").write_text("", encoding="utf-8")
    assert len(voirdire.open(tmp_path).ratings) == 3


def test_reprs_are_one_short_line() -> None:
    study = voirdire.open({**LABELS, "topic": ["x", "x", "y", "y"]})
    found = voirdire.audit(study, voirdire.AuditOptions(resamples=100))
    assert repr(found).startswith("<Audit of data frame: Cannot tell.")
    assert repr(study.items) == "<Items: 2, with topic>"
    assert repr(study.ratings) == "<Ratings: 4, with labels only>"


@pytest.mark.parametrize("study", [None, "labels.csv", LABELS])
def test_only_a_study_is_aligned(study: Any) -> None:
    with pytest.raises(UserError, match=r"cannot align a .*open it first"):
        voirdire.align(study)


@pytest.mark.parametrize("options", [{"folds": "3"}, {"folds": 1}, {"credal": 90}, {"judges": "gpt"}])
def test_an_option_of_an_alignment_that_cannot_be_meant_is_a_mistake(options: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=next(iter(options))):
        voirdire.AlignOptions(**options)


def test_a_kind_of_rater_and_a_policy_that_there_are_not_are_mistakes() -> None:
    study = voirdire.open(LABELS)
    with pytest.raises(UserError, match="no kind of rater is called 'people'; expected human, judge"):
        study.panel("label", kind="people")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="no policy 'fail'"):
        voirdire.Policy("fail")
