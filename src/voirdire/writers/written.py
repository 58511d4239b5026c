"""What an export to a labelling tool wrote, and which columns its raters are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.study.items import Items
from voirdire.study.turns import messages_of
from voirdire.writers.key import Key

__all__ = ["Written", "shown_columns", "turns_of", "write_files"]


@dataclass(frozen=True)
class Written:
    """The ``files`` written, the number of ``tasks`` in them, and the notes on what they hold."""

    files: tuple[str, ...]
    tasks: int
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"files": list(self.files), "tasks": self.tasks, "notes": list(self.notes)}

    def __str__(self) -> str:
        return "\n".join([f"Wrote {self.tasks:,} tasks to {', '.join(self.files)}.", *self.notes])


def shown_columns(items: Items) -> dict[str, bool]:
    """The columns of texts, and whether each holds transcripts: every one of its texts is a list of turns."""
    return {
        name: bool(column.values) and all(map(messages_of, column.values))
        for name, column in items.texts.items()
    }


def turns_of(text: str) -> list[dict[str, str]]:
    """The turns of a transcript as tools show them.

    >>> turns_of("User: Hi")
    [{'role': 'user', 'content': 'Hi'}]
    """
    return [{"role": role, "content": words} for role, words in messages_of(text)]


def write_files(
    files: Mapping[Path, str], key: Key, beside: Path, said: tuple[int, Sequence[str]]
) -> Written:
    """Write ``files``, and the ``key`` to ``beside``; ``said`` is the summary."""
    tasks, notes = said
    written = [str(path) for path in files]
    try:
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
        key.save(beside)
        written.append(str(beside))
        if not key.is_empty:
            notes = [
                *notes,
                f"{beside.name} says what codes stand for and was left out: keep it from raters.",
            ]
    except OSError as problem:
        where = str(problem.filename or beside)
        raise UserError(f"cannot be written: {problem.strerror or problem}", where=where) from None
    return Written(tuple(written), tasks, tuple(notes))
