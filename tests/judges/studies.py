"""A small study of ten texts with a judge's file, for tests of clients and batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sql

from voirdire.store.parts import stored
from voirdire.store.sql import open_store

STUDY = """
tables:
  - file: labels.csv
  - {file: texts.csv, kind: items}
metrics:
  warm:
    rubric: Is the reply warm?
    scale: {kind: binary, labels: [cold, warm]}
    polarity: positive
"""
JUDGE = """
judge: tone
model: small
recipe: rubric
endpoint: {url: "http://127.0.0.1:9/v1"}
parameters: {temperature: 0, logprobs: true, top_logprobs: 5}
"""


def write_study(folder: Path, *, items: int = 10, text: str = "is here to be read") -> Path:
    """The folder with a study of ``items`` texts and the judge ``tone.yaml``."""
    folder.mkdir(exist_ok=True)
    labels = ["item_id,metric,rater_id,rater_kind,label"]
    labels += [f"i{k},warm,ann,human,{'warm' if k % 2 else 'cold'}" for k in range(items)]
    (folder / "labels.csv").write_text("\n".join(labels))
    texts = [f'i{k},"Reply number {k} {text}{" and more" * k}"' for k in range(items)]
    (folder / "texts.csv").write_text("\n".join(["item_id,text", *texts]), encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY)
    (folder / "tone.yaml").write_text(JUDGE)
    return folder


def kept(folder: Path, table: sql.Table) -> list[dict[str, Any]]:
    """Every row of ``table`` in the folder's store."""
    with open_store(folder) as store:
        return stored(store, table, [column.name for column in table.columns])
