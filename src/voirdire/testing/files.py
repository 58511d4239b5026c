"""Write a known-truth study as files, so that it is read the way a user's study is."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.errors import UserError
from voirdire.study.column import Column
from voirdire.testing.classes import scale_of
from voirdire.testing.known_truth import KnownTruth
from voirdire.testing.planted import PlantedJudge, PlantedMetric

__all__ = ["config", "write"]

CHUNK = 100_000


def write(made: KnownTruth, path: str | Path, *, extra: Mapping[str, Any] | None = None) -> Path:
    """Write ``made`` as one file (.csv or .parquet), or as a folder with study.yaml and ratings.csv.

    ``extra`` is added to study.yaml (a name, a design, further tables); a folder that is missing is made. A
    file cannot say which label is indeterminate; a folder does.
    """
    path = Path(path)
    if path.suffix == ".csv":
        write_csv(made.columns, path)
    elif path.suffix == ".parquet":
        write_parquet(made.columns, path)
    elif path.suffix:
        raise UserError(
            f"cannot write '{path.name}'", expected="a name that ends in .csv or .parquet, or a folder"
        )
    else:
        import yaml

        path.mkdir(parents=True, exist_ok=True)
        write_csv(made.columns, path / "ratings.csv")
        declared = yaml.safe_dump(
            {**config(made), **(extra or {})}, sort_keys=False, allow_unicode=True, width=100
        )
        (path / "study.yaml").write_text(declared, encoding="utf-8")
    return path


def config(made: KnownTruth) -> dict[str, Any]:
    """What study.yaml declares of ``made``: its tables, scales, raters and clusters."""
    people = {person.id: person for metric in made.metrics for person in metric.people}
    raters: dict[str, dict[str, str]] = {
        name: {"kind": "human", "expertise": person.expertise} for name, person in people.items()
    }
    raters |= {judge.id: _judge(judge) for judge in made.judges}
    return {
        "tables": [{"file": "ratings.csv"}],
        "metrics": {metric.name: _metric(metric) for metric in made.metrics},
        "raters": {
            name: {key: value for key, value in told.items() if value} for name, told in raters.items()
        },
    }


def write_csv(columns: Mapping[str, Column], path: Path) -> None:
    """Write ``columns`` (each of n values) as a CSV file with a header; a missing value is an empty cell."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for rows in _chunks(columns):
            writer.writerows(rows)


def write_parquet(columns: Mapping[str, Column], path: Path) -> None:
    """Write ``columns`` as a Parquet file; a missing value is a null."""
    import duckdb

    texts = {
        name: np.array([*column.values, None], dtype=object)[column.codes] for name, column in columns.items()
    }
    with duckdb.connect() as connection:
        connection.register("texts", texts)
        target = str(path).replace("'", "''")
        connection.execute(f"COPY (SELECT * FROM texts) TO '{target}' (FORMAT parquet)")


def _chunks(columns: Mapping[str, Column]) -> Iterator[Iterator[tuple[str | None, ...]]]:
    n = len(next(iter(columns.values())))
    vocabularies = [np.array([*column.values, None], dtype=object) for column in columns.values()]
    codes = [column.codes for column in columns.values()]
    for start in range(0, n, CHUNK):
        part = [
            values[own[start : start + CHUNK]].tolist()
            for values, own in zip(vocabularies, codes, strict=True)
        ]
        yield zip(*part, strict=True)


def _metric(metric: PlantedMetric) -> dict[str, Any]:
    scale = scale_of(metric)
    labels = list(metric.labels)
    if metric.indeterminate:  # reports show it between the verdicts
        labels.insert(len(labels) // 2, metric.indeterminate)
    told: dict[str, Any] = {"scale": {"kind": scale.kind, "labels": labels}}
    if scale.indeterminate:
        told["scale"]["indeterminate"] = {
            label: list(admits) for label, admits in scale.indeterminate.items()
        }
    if metric.polarity:
        told["polarity"] = metric.polarity
    return told


def _judge(judge: PlantedJudge) -> dict[str, str]:
    return {"kind": "judge", "model": judge.model, "family": judge.family}
