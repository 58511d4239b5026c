"""JSON, JSON Lines, Parquet and frames: typed sources in which only nulls are missing."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from voirdire.errors import UserError, UserErrors
from voirdire.readers.coding import code_values
from voirdire.readers.frames import read_frame
from voirdire.readers.json_document import read_json
from voirdire.readers.json_lines import read_json_lines
from voirdire.readers.parquet import read_parquet
from voirdire.study.raw import RawTable

COLUMNS: dict[str, list[Any]] = {
    "item_id": ["a", "b", "c", "d"],
    "label": [1.0, None, 3.0, 1.0],
    "score": [0.5, 1.0, None, 2.25],
    "flag": [True, False, None, True],
    "note": ["nan", "", "NA", None],
    "count": [1, 2, 3, 1],
}
TEXTS: dict[str, list[str | None]] = {
    "item_id": ["a", "b", "c", "d"],
    "label": ["1", None, "3", "1"],
    "score": ["0.5", "1.0", None, "2.25"],
    "flag": ["true", "false", None, "true"],
    "note": ["nan", "", "NA", None],
    "count": ["1", "2", "3", "1"],
}


def from_pandas(folder: Path) -> RawTable:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(COLUMNS)
    frame["item_id"] = frame["item_id"].astype("category")
    return read_frame(frame)


def from_polars(folder: Path) -> RawTable:
    return read_frame(pytest.importorskip("polars").DataFrame(COLUMNS))


def from_arrow(folder: Path) -> RawTable:
    return read_frame(pytest.importorskip("pyarrow").table(COLUMNS))


def from_dict(folder: Path) -> RawTable:
    return read_frame(COLUMNS)


def from_arrays(folder: Path) -> RawTable:
    number = np.array([1.0, math.nan, 3.0, 1.0])
    return read_frame({**COLUMNS, "label": number, "count": np.array([1, 2, 3, 1])})


def records() -> list[dict[str, Any]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


def from_records(folder: Path) -> RawTable:
    return read_frame(records())


def from_json(folder: Path) -> RawTable:
    path = folder / "labels.json"
    path.write_text(json.dumps({"ratings": records()}))
    return read_json(path)


def from_json_lines(folder: Path) -> RawTable:
    path = folder / "labels.jsonl"
    path.write_text("\n\n".join(json.dumps(record) for record in records()))
    return read_json_lines(path)


def from_parquet(folder: Path) -> RawTable:
    path = folder / "la'bels[1].parquet"
    records_path = folder / "records.json"
    records_path.write_text(json.dumps(records()))
    with duckdb.connect() as database:
        kinds = "label: 'DOUBLE', score: 'DOUBLE', flag: 'BOOLEAN', note: 'VARCHAR', count: 'BIGINT'"
        source = f"read_json('{records_path}', columns = {{item_id: 'VARCHAR', {kinds}}})"
        database.execute(f"COPY (SELECT * FROM {source}) TO '{folder}/plain.parquet' (FORMAT parquet)")
    (folder / "plain.parquet").rename(path)
    return read_parquet(path)


READERS = [
    from_pandas,
    from_polars,
    from_arrow,
    from_dict,
    from_arrays,
    from_records,
    from_json,
    from_json_lines,
    from_parquet,
]


@pytest.mark.parametrize("read", READERS)
def test_every_typed_source_gives_the_same_table(tmp_path: Path, read: Callable[[Path], RawTable]) -> None:
    table = read(tmp_path)
    assert {name: list(column) for name, column in table.columns.items()} == TEXTS
    assert not table.text
    assert "label" in table.whole
    assert "score" not in table.whole
    first = 1
    assert table.row[0] == first


def test_json_lines_rows_are_lines(tmp_path: Path) -> None:
    assert from_json_lines(tmp_path).row.tolist() == [1, 3, 5, 7]


def test_equal_values_of_different_types_stay_apart() -> None:
    column, whole = code_values([1, True, "1", 1.5, None, date(2026, 1, 2), ["a", "b"], {"k": 1}])
    assert list(column) == ["1", "true", "1", "1.5", None, "2026-01-02", '["a", "b"]', '{"k": 1}']
    assert not whole


def test_a_label_spelled_nan_is_a_label_and_a_number_nan_is_missing() -> None:
    assert list(code_values(["nan", "x"])[0]) == ["nan", "x"]
    assert list(code_values([math.nan, 2.0, np.float64("nan")])[0]) == [None, "2", None]


@pytest.mark.parametrize("number", [2**53, -(2**70)])
def test_large_whole_numbers_are_not_rounded(number: int) -> None:
    assert list(code_values([number])[0]) == [str(number)]


def test_hostile_numbers_do_not_look_whole() -> None:
    column, whole = code_values([1.0, math.inf])
    assert not whole
    assert list(column) == ["1.0", "inf"]


def test_all_bad_lines_of_json_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"a": 1}\n{"a": \n[1]\n{"a": 1, "a": 2}\n"text"\n')
    table = read_json_lines(path)
    assert len(table) == 1
    assert isinstance(table.problem, UserErrors)
    assert [fault.where for fault in table.problem.faults] == [
        f"labels.jsonl, row {row}" for row in (2, 3, 4, 5)
    ]
    assert "stands twice" in table.problem.faults[2].what


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is not JSON"),
        ("[]", "has no rows"),
        ("7", "single value"),
        ('{"labels": [1]}', "is one object with the keys labels"),
        ('[{"a": 1}, 7]', "is no object"),
        ("[" * 100_000, "is not JSON"),
        ('[{"a": "\\ud800"}]', "half of a character"),
        ("[" + "9" * 5000 + "]", "is not JSON"),
    ],
)
def test_what_is_no_table_of_json_is_said(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "labels.json"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        read_json(path)
    assert what in str(caught.value)


def test_a_file_that_is_no_parquet_is_said(tmp_path: Path) -> None:
    path = tmp_path / "labels.parquet"
    path.write_bytes(b"PAR1 not really PAR1")
    with pytest.raises(UserError, match="not a Parquet file that can be read"):
        read_parquet(path)


@pytest.mark.parametrize(
    "frame",
    [
        {},
        [],
        {"a": []},
        {"a": [1], "b": [1, 2]},
        {"a": "text"},
        {"a": 7},
        [1, 2],
        {1: ["x"], "1": ["y"]},
    ],
)
def test_what_is_no_frame_is_said(frame: Any) -> None:
    with pytest.raises(UserError):
        read_frame(frame)


def test_pandas_own_types_are_written_as_what_they_stand_for() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "whole": pandas.array([1, None, 3], dtype="Int64"),
            "flag": pandas.array([True, None, False], dtype="boolean"),
            "text": pandas.array(["nan", None, ""], dtype="string"),
            "day": pandas.to_datetime(["2026-01-02", None, "2026-01-03 04:05"], format="ISO8601"),
            "kind": pandas.Categorical(["b", None, "a"], categories=["a", "b", "unused"]),
        },
        index=[7, 7, 7],
    )
    table = read_frame(frame)
    assert {name: list(column) for name, column in table.columns.items()} == {
        "whole": ["1", None, "3"],
        "flag": ["true", None, "false"],
        "text": ["nan", None, ""],
        "day": ["2026-01-02T00:00:00", None, "2026-01-03T04:05:00"],
        "kind": ["b", None, "a"],
    }
    assert table.columns["kind"].values == ("b", "a")


def test_a_frame_with_two_columns_of_one_name_is_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["a", "x", "y"]], columns=["item_id", "label", "label"])
    with pytest.raises(UserError, match="both named 'label'"):
        read_frame(frame)
