"""A table in each format: flags are booleans where there are any, counts are whole, missing cells stay so."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import numpy as np

from voirdire.study.column import Column
from voirdire.writers.columns import Table
from voirdire.writers.formats import write_table

TABLE = Table(
    {"item_id": Column.of(["a", "b", None]), "contested": Column.of(["false", "true", None])},
    {"share": np.array([0.5, np.nan, 1.0]), "n": np.array([1, 2, 3])},
    flags=("contested",),
)


def test_json_lines(tmp_path: Path) -> None:
    lines = write_table(TABLE, tmp_path / "t.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"item_id": "a", "contested": False, "share": 0.5, "n": 1},
        {"item_id": "b", "contested": True, "share": None, "n": 2},
        {"item_id": None, "contested": None, "share": 1.0, "n": 3},
    ]
    assert '"n": 1}' in lines[0]


def test_parquet(tmp_path: Path) -> None:
    path = write_table(TABLE, tmp_path / "t.parquet")
    with duckdb.connect() as database:
        kinds = database.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall()
        rows = database.execute(f"SELECT * FROM '{path}'").fetchall()
    assert [kind for _, kind, *_ in kinds] == ["VARCHAR", "BOOLEAN", "DOUBLE", "BIGINT"]
    assert rows == [("a", False, 0.5, 1), ("b", True, None, 2), (None, None, 1.0, 3)]


def test_delimited_text_says_true_and_false(tmp_path: Path) -> None:
    with write_table(TABLE, tmp_path / "t.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[1:] == [["a", "false", "0.5", "1"], ["b", "true", "", "2"], ["", "", "1.0", "3"]]
