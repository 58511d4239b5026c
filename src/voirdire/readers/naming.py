"""Column names as they stand in a header: each once, none empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from voirdire.errors import UserError
from voirdire.study.column import Column

__all__ = ["check_characters", "named"]


def named(
    header: Sequence[str], columns: Sequence[Column], source: str
) -> tuple[dict[str, Column], list[str]]:
    """``columns`` under their names in ``header``, and what was assumed about columns without a name.

    A name that stands twice is a user's error. A column without a name is called after its position, and left
    out where it is empty.
    """
    found: dict[str, Column] = {}
    notes = []
    for position, (name, column) in enumerate(zip(header, columns, strict=True), start=1):
        if not name.strip():
            if all(not value for value in column.values):
                continue
            name = f"column {position}"
            notes.append(f"{source}: column {position} has no name and is called '{name}'.")
        if name in found:
            first = list(header).index(name) + 1
            raise UserError(
                f"columns {first} and {position} are both named '{name}'",
                where=source,
                fix="rename one of them",
            )
        found[name] = column
    if not found:
        raise UserError("has no columns", where=source, expected="columns with names")
    return found, notes


def check_characters(columns: Mapping[str, Column], source: str) -> None:
    """Refuse half of a character (a lone surrogate), which JSON and frames can hold and no file can."""
    for name, column in columns.items():
        try:
            "".join((name, *column.values)).encode()
        except UnicodeEncodeError:
            raise UserError(
                "a value holds half of a character (a lone surrogate)",
                where=f"{source}, column {name.encode('ascii', 'backslashreplace').decode()!r}",
                fix="write the text again from its origin",
            ) from None
