"""Is the judge also a contestant? Systems that carry the judge's own name, and its family's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.verdict_rows import verdict_rows
from voirdire.checks.words import listing
from voirdire.study import Rater

__all__ = ["contestants"]

GENERIC = ("model", "system", "judge", "llm", "ai", "assistant", "bot", "version", "v", "a", "b")
"""First words that say nothing about who made a model."""


def contestants(context: Context) -> str:
    """Which systems are a judge itself, with their rank by pass rate, and which are its siblings.

    Empty where no system is recorded.
    """
    known = {_plain(value): value for value in _systems(context)}
    if not known:
        return ""
    judges = [context.study.raters[code] for code in context.study.raters_of("judge")]
    own = list(
        dict.fromkeys(
            known[name] for rater in judges for name in map(_plain, (rater.id, rater.model)) if name in known
        )
    )
    families = [_plain(rater.family) for rater in judges if rater.family]
    kin = [
        value
        for name, value in known.items()
        if value not in own and any(name.startswith(one) for one in families)
    ]
    like = [value for value in _like(judges, known) if value not in (*own, *kin)]
    alike = f"; akin by name: {listing(like)}" if like else ""
    if not own and not kin:
        return f"none of its name{alike}"
    said = f"yes: {listing([_ranked(context, name) for name in own])}" if own else "no"
    return f"{said}; sibling {listing(kin)}{alike}" if kin else f"{said}{alike}"


def _systems(context: Context) -> tuple[str, ...]:
    """The names of all systems; those of pairs stand in two columns."""
    attributes = context.study.items.attributes
    pair = [attributes[name].values for name in ("system_a", "system_b") if name in attributes]
    if pair:
        return tuple(dict.fromkeys(name for values in pair for name in values))
    return attributes["system"].values if "system" in attributes else ()


def _like(judges: Sequence[Rater], known: Mapping[str, str]) -> Iterator[str]:
    """Systems whose name starts as that of a judge of no declared family, such as gpt-4 and gpt-4-pair."""
    words = {_first_word(rater.model or rater.id) for rater in judges if not rater.family} - {"", *GENERIC}
    yield from (value for value in known.values() if _first_word(value) in words)


def _first_word(name: str) -> str:
    return re.split(r"[^a-z]", name.casefold(), maxsplit=1)[0]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _ranked(context: Context, system: str) -> str:
    """The system with its rank by the judge's pass rate, where there is one."""
    rows = verdict_rows(context)
    column = context.study.items.attributes.get("system")
    if column is None or system not in column.values:
        return system
    code = column.codes[rows.item] if len(rows) else np.empty(0, dtype=np.int32)
    n = np.bincount(code[code >= 0], minlength=len(column.values))
    if not n.any():
        return system
    rate = np.bincount(code[code >= 0], rows.passed[code >= 0], minlength=len(n)) / np.maximum(n, 1)
    mine = rate[column.values.index(system)]
    return f"{system}, ranked {int((rate[n > 0] > mine).sum()) + 1} of {int((n > 0).sum())}"
