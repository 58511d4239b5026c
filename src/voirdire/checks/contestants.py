"""Is the judge also a contestant? Systems that carry the judge's own name, and its family's."""

from __future__ import annotations

import numpy as np

from voirdire.checks.context import Context
from voirdire.checks.verdict_rows import verdict_rows
from voirdire.checks.words import listing
from voirdire.decide.kinship import kin_of

__all__ = ["contestants", "ranked", "systems_named"]


def contestants(context: Context) -> str:
    """Which systems are a judge itself, with their rank by pass rate, and which are its siblings.

    Empty where no system is recorded.
    """
    known = systems_named(context)
    if not known:
        return ""
    found = [kin_of(context.study.raters[code], known) for code in context.study.raters_of("judge")]
    own = list(dict.fromkeys(name for one in found for name in one.own))
    kin = [name for name in known if name not in own and any(name in one.family for one in found)]
    like = [name for name in known if name not in (*own, *kin) and any(name in one.alike for one in found)]
    alike = f"; akin by name: {listing(like)}" if like else ""
    if not own and not kin:
        return f"none of its name{alike}"
    said = f"yes: {listing([ranked(context, name) for name in own])}" if own else "no"
    return f"{said}; sibling {listing(kin)}{alike}" if kin else f"{said}{alike}"


def systems_named(context: Context) -> tuple[str, ...]:
    """The names of all systems; those of pairs stand in two columns."""
    attributes = context.study.items.attributes
    pair = [attributes[name].values for name in ("system_a", "system_b") if name in attributes]
    if pair:
        return tuple(dict.fromkeys(name for values in pair for name in values))
    return attributes["system"].values if "system" in attributes else ()


def ranked(context: Context, system: str) -> str:
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
