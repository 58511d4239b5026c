"""Parts of a metric: metrics named ``metric/part``, each one question of which the whole is made."""

from __future__ import annotations

from collections.abc import Collection, Iterable

__all__ = ["is_part", "part_name", "parts_of", "without_parts"]

SEPARATOR = "/"


def part_name(metric: str, part: str) -> str:
    """The name of ``part`` as a metric of its own.

    >>> part_name("tone", "greets")
    'tone/greets'
    """
    return f"{metric}{SEPARATOR}{part}"


def parts_of(metric: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of ``names`` that are parts of ``metric``.

    >>> parts_of("tone", ["tone", "tone/greets", "tones", "facts/dates"])
    ('tone/greets',)
    """
    return tuple(name for name in names if name.startswith(metric + SEPARATOR))


def is_part(name: str, names: Collection[str]) -> bool:
    """Whether ``name`` is a part of another one of ``names``; a slash alone makes no part.

    >>> is_part("tone/greets", ["tone"]), is_part("and/or", ["tone"])
    (True, False)
    """
    return any(name.startswith(whole + SEPARATOR) for whole in names)


def without_parts(names: Collection[str]) -> tuple[str, ...]:
    """``names`` but for those that are parts of others.

    >>> without_parts(["tone", "tone/greets", "and/or"])
    ('tone', 'and/or')
    """
    return tuple(name for name in names if not is_part(name, names))
