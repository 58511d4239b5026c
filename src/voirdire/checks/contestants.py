"""Is the judge also a contestant? Systems that carry the judge's own name, and its family's."""

from __future__ import annotations

import re

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.verdict_rows import verdict_rows
from voirdire.checks.words import listing

__all__ = ["contestants"]


def contestants(context: Context) -> str:
    """Which systems are a judge itself, with their rank by pass rate, and which are its siblings.

    Empty where no system is recorded.
    """
    column = context.study.items.attributes.get("system")
    if column is None:
        return ""
    known = {_plain(value): value for value in column.values}
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
    if not own and not kin:
        return "none by name"
    said = f"yes: {listing([_ranked(context, name) for name in own])}" if own else "no"
    return f"{said}; sibling {listing(kin)}" if kin else said


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _ranked(context: Context, system: str) -> str:
    """The system with its rank by the judge's pass rate, where there is one."""
    rows = verdict_rows(context)
    column = context.study.items.attributes["system"]
    code = column.codes[rows.item] if len(rows) else np.empty(0, dtype=np.int32)
    n = np.bincount(code[code >= 0], minlength=len(column.values))
    if not n.any():
        return system
    rate = np.bincount(code[code >= 0], rows.passed[code >= 0], minlength=len(n)) / np.maximum(n, 1)
    mine = rate[column.values.index(system)]
    return f"{system}, ranked {int((rate[n > 0] > mine).sum()) + 1} of {int((n > 0).sum())}"
