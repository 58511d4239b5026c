"""Writing what a command of the benchmark found to a file."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write_text"]


def write_text(path: str, text: str) -> None:
    """Write ``text`` to ``path``; what cannot be written is a user's error."""
    from voirdire.errors import UserError

    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise UserError(f"cannot be written: {problem.strerror or problem}", where=path) from None
