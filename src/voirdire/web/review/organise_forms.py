"""What an organiser types, as it was typed, and as numbers once it is one."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

from fastapi import UploadFile
from pydantic import BaseModel, ConfigDict, Field

from voirdire.errors import UserError
from voirdire.opening import read_table
from voirdire.study.raw import RawTable

__all__ = ["Asking", "Beginning", "Person", "Typed", "uploaded", "whole"]

UNSAFE = re.compile(r"[^\w-]+")
SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
Few = Annotated[str, Field(max_length=40)]
Line = Annotated[str, Field(max_length=2_000)]
Several = Annotated[list[Line], Field(max_length=1_000)]


class Typed(BaseModel):
    """A form as it was typed, with the ``proof`` that it is ours."""

    model_config = ConfigDict(frozen=True)

    proof: Line = ""


class Person(Typed):
    """The form that invites somebody."""

    name: Line = ""
    contact: Line = ""
    expertise: Line = ""
    role: Few = "rater"


class Beginning(Typed):
    """The form that begins a round: ``act`` is begin or preview, ``offset`` the clock's, in minutes."""

    act: Few = "preview"
    title: Line = ""
    metric: Several = []
    sets: Several = []
    shown: Several = []
    mode: Few = "blind"
    judge: Line = ""
    borderline: Few = ""
    protocol: Annotated[str, Field(max_length=20_000)] = ""
    closes: Few = ""
    offset: Few = "0"


class Asking(Typed):
    """The form that asks for labels: ``how`` is overlap or plan, each ``load`` is that of a ``person``."""

    how: Few = "overlap"
    labels_an_item: Few = "2"
    items: Few = ""
    budget: Few = "300"
    purpose: Few = "all"
    metric: Several = []
    person: Several = []
    load: Several = []
    who: Several = []

    def loads(self, people: dict[str, str]) -> dict[str, int]:
        """The most labels of each person that is ticked, by name, 0 for no limit."""
        names = {code: name for name, code in people.items()}
        told = dict(zip(self.person, self.load, strict=False))
        return {
            names[code]: whole(f"the most labels of {names[code]}", told.get(code, ""), 0, 10_000_000)
            for code in self.who
            if code in names
        }

    def chosen(self, metrics: Collection[str]) -> list[str]:
        """The metrics that are ticked, all of the round where none is."""
        return [name for name in metrics if name in self.metric] or list(metrics)

    def typed_load(self, code: str) -> str:
        """What stands in a person's field."""
        return dict(zip(self.person, self.load, strict=False)).get(code, "")


def whole(what: str, text: str, low: int, high: int) -> int:
    """A whole number as typed, 0 where nothing was; anything else is a user's error.

    >>> whole("items", " 12 ", 0, 100), whole("items", "", 0, 100)
    (12, 0)
    """
    text = text.strip()
    if not text and low == 0:
        return 0
    if not text.isascii() or not text.isdigit() or not low <= int(text[:12]) <= high:
        raise UserError(f"{what}: '{text}'", expected=f"a whole number from {low:,} to {high:,}")
    return int(text)


def uploaded(file: UploadFile) -> RawTable:
    """The table in a file that was sent, whose name serves for its format and in messages."""
    name = Path((file.filename or "").replace("\\", "/")).name
    suffix = Path(name).suffix.lower()
    if not name:
        raise UserError("no file was chosen", fix="choose the file, then send it")
    if suffix not in SUFFIXES:
        raise UserError(f"'{name}' is no table", expected=f"a file that ends in {', '.join(SUFFIXES)}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{UNSAFE.sub('_', Path(name).stem)[:60]}{suffix}"
        path.write_bytes(file.file.read())
        return read_table(path)
