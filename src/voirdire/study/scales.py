"""The scale of each metric: as declared, or what its labels show."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from voirdire.errors import UserError
from voirdire.study.config import ScaleConfig
from voirdire.study.scale import PAIRWISE_LABELS, Kind, Scale

__all__ = ["INCONSISTENT", "as_number", "declared_scale", "found_scale", "members_of", "with_sets"]

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
MOST_ORDINAL = 11
INCONSISTENT = "_inconsistent"
"""How the label of a pairwise verdict ends that changed when the answers were shown in the other order."""


def as_number(label: str) -> float | None:
    """The number that ``label`` spells in plain decimals, else None.

    >>> as_number("-0.5"), as_number("01"), as_number("nan"), as_number("1e999")
    (-0.5, 1.0, None, None)
    """
    if not NUMBER.fullmatch(label):
        return None
    value = float(label)
    return value if math.isfinite(value) else None


def found_scale(labels: Collection[str], *, pairs: bool) -> Scale:
    """The scale that a metric's ``labels`` show, ``pairs`` being whether items are pairs of systems.

    Numbers carry their order and values; words have none, so they stand in alphabetical order.
    """
    numbers = {label: as_number(label) for label in labels}
    if labels and all(value is not None for value in numbers.values()):
        return _numbers({label: value for label, value in numbers.items() if value is not None})
    if pairs and {"first", "second"} <= set(labels):
        others = sorted(set(labels) - set(PAIRWISE_LABELS))
        # a verdict that changed with the order shown is often counted as a tie, and is none
        flipped = {label: ("tie",) for label in others if label.endswith(INCONSISTENT)}
        return Scale("pairwise", (*PAIRWISE_LABELS, *others), indeterminate=flipped)
    kind: Kind = "binary" if len(labels) == 2 else "nominal"
    return Scale(kind, tuple(sorted(labels, key=lambda label: (label.lower(), label))))


def _numbers(values: Mapping[str, float]) -> Scale:
    ordered = sorted(values, key=lambda label: (values[label], len(label), label))
    kind: Kind = "numeric" if len(ordered) > MOST_ORDINAL else "ordinal"
    kind = "binary" if len(ordered) == 2 else kind
    return Scale(kind, tuple(ordered), ordered=True, values=tuple(values[label] for label in ordered))


def declared_scale(declared: ScaleConfig, found: Collection[str], *, where: str, pairs: bool) -> Scale:
    """The scale as declared; what is not declared is found from the metric's ``found`` labels."""
    numeric = declared.kind == "numeric" and not declared.labels
    allowed = [label for label in found if not numeric or _in_range(label, declared)]
    try:
        scale = found_scale(allowed, pairs=pairs) if not declared.labels else _listed(declared)
        kind = declared.kind or scale.kind
        ordered = (
            declared.ordered
            if declared.ordered is not None
            else kind in ("ordinal", "numeric") or scale.ordered
        )
        if kind == "binary" and len(scale.verdicts) != 2 and declared.labels:
            raise UserError(
                f"a binary scale has two verdicts, this one {len(scale.verdicts)}", fix="use nominal"
            )
        if numeric and scale.values is None and scale.labels:
            raise UserError("a numeric scale needs labels that are numbers")
        if kind == "ordinal" and not scale.ordered and not declared.labels:
            raise UserError("an ordinal scale of words needs its order", fix="list the labels in order")
        return replace(scale, kind=kind, ordered=ordered)
    except UserError as problem:
        fault = problem.faults[0]
        raise UserError(fault.what, where=where, expected=fault.expected, fix=fault.fix) from None


def _listed(declared: ScaleConfig) -> Scale:
    labels = tuple(declared.labels)
    values = None if declared.values is None else tuple(declared.values)
    numbers = [as_number(label) for label in labels]
    if values is None and all(number is not None for number in numbers):
        values = tuple(number for number in numbers if number is not None)
    verdicts = [label for label in labels if label not in declared.indeterminate]
    kind: Kind = "binary" if len(verdicts) == 2 else "ordinal" if values is not None else "nominal"
    kind = "pairwise" if declared.kind is None and set(verdicts) <= set(PAIRWISE_LABELS) else kind
    indeterminate = {label: tuple(admitted) for label, admitted in declared.indeterminate.items()}
    return Scale(kind, labels, values is not None, values, indeterminate, declared.separator or None)


def _in_range(label: str, declared: ScaleConfig) -> bool:
    value = as_number(label)
    low = -math.inf if declared.low is None else declared.low
    high = math.inf if declared.high is None else declared.high
    return value is not None and low <= value <= high


def members_of(label: str, separator: str | None) -> tuple[str, ...] | None:
    """The verdicts of a response set, spelled as a JSON list or with the separator; None for a plain label.

    >>> members_of('["pass", "fail"]', None), members_of("pass;fail", ";"), members_of("pass", None)
    (('pass', 'fail'), ('pass', 'fail'), None)
    """
    if label.startswith("[") and label.endswith("]"):
        try:
            members = json.loads(label)
        except (ValueError, RecursionError):
            return None
        return tuple(str(member) for member in members) if _plain(members) else None
    if separator and separator in label:
        return tuple(part.strip() for part in label.split(separator) if part.strip())
    return None


def _plain(members: object) -> bool:
    return (
        isinstance(members, list)
        and bool(members)
        and all(isinstance(member, (str, int, float)) for member in members)
    )


def with_sets(scale: Scale, sets: Mapping[str, Sequence[str]]) -> Scale:
    """``scale`` with the response sets that raters gave as further labels, each admitting its members.

    On an ordered scale a set stands at the mean place of its members, after a verdict at the same place, and
    its value is the mean of theirs; otherwise sets come last.

    >>> with_sets(Scale("ordinal", ("1", "2", "3"), True, (1.0, 2.0, 3.0)), {"1|2": ("1", "2")}).labels
    ('1', '1|2', '2', '3')
    """
    new = {label: tuple(members) for label, members in sets.items() if label not in scale.labels}
    labels = [*scale.labels, *new]
    admits = {label: new.get(label, (label,)) for label in labels}
    place = {label: _mean([scale.code(member) for member in admits[label]]) for label in labels}
    if scale.ordered:
        labels.sort(key=lambda label: place[label])
    value = dict(zip(scale.labels, scale.values or (), strict=scale.values is not None))
    values = tuple(_mean([value[member] for member in admits[label]]) for label in labels) if value else None
    return replace(
        scale,
        labels=tuple(labels),
        values=values,
        indeterminate={**scale.indeterminate, **new},
        separator=scale.separator or "|",
    )


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)
