"""The scales of all metrics of a study, and what was assumed of those that nobody declared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from voirdire.study.config import MetricConfig, ScaleConfig
from voirdire.study.long import Long
from voirdire.study.scale import Scale
from voirdire.study.scales import INCONSISTENT, declared_scale, members_of, with_sets
from voirdire.study.spelling import normalised

__all__ = ["scales_of_metrics", "set_name"]

MOST_ALIKE = 10


def scales_of_metrics(
    long: Long, seen: Sequence[Sequence[str]], declared: Sequence[MetricConfig]
) -> tuple[list[Scale], list[str]]:
    """The scale of each metric, from what is ``declared`` and the labels ``seen`` of it, and the notes.

    A metric that shows one label only is read on the one wider scale of the study that has it, if any.
    """
    pairs = {"system_a", "system_b"} <= set(long.columns)
    names = long.columns["metric"].values
    known: dict[tuple[object, ...], Scale] = {}
    borrowed: list[str] = []
    doubts: list[str] = []
    scales = []
    for name, labels, config in zip(names, seen, declared, strict=True):
        shown = frozenset(labels)
        if not config.scale.labels and len(shown) == 1:
            wider = {frozenset(other) for other in seen if len(other) > 1 and shown < set(other)}
            if len(wider) == 1:
                shown = wider.pop()
                borrowed.append(name)
        key = (shown, config.scale.model_dump_json())
        if key not in known:
            known[key] = _scale(shown, config, name, pairs=pairs)
            doubts += _said_doubtful(name, known[key], config.scale)
        scales.append(known[key])
    return scales, [
        *_said(scales, names, declared),
        *_said_alike(names, seen),
        *_said_borrowed(borrowed),
        *doubts,
    ]


def _scale(labels: frozenset[str], config: MetricConfig, name: str, *, pairs: bool) -> Scale:
    separator = config.scale.separator or None
    sets = {label: members for label in labels if (members := members_of(label, separator)) is not None}
    plain = [label for label in labels if label not in sets] + [
        m for members in sets.values() for m in members
    ]
    scale = declared_scale(config.scale, sorted(set(plain)), where=f"metric '{name}'", pairs=pairs)
    if not sets:
        return scale
    several = {
        set_name(scale, members): tuple(sorted(set(members), key=scale.labels.index))
        for members in sets.values()
        if len(set(members)) > 1 and set(members) <= set(scale.labels)
    }
    return with_sets(scale, dict(sorted(several.items())))


def _said(scales: Sequence[Scale], names: Sequence[str], declared: Sequence[MetricConfig]) -> list[str]:
    """What was assumed of scales that nobody declared, one sentence a scale."""
    shared: dict[tuple[str, bool, tuple[str, ...]], list[str]] = {}
    for scale, name, config in zip(scales, names, declared, strict=True):
        if not config.scale.labels:
            shared.setdefault((scale.kind, scale.ordered, scale.labels), []).append(name)
    notes = []
    for (kind, ordered, labels), metrics in shared.items():
        whom = f"'{metrics[0]}'" if len(metrics) == 1 else f"{len(metrics):,} metrics"
        order = "in numeric order" if ordered else "without order" if len(labels) > 2 else ""
        shown = ", ".join(labels[:8]) + (f", ... ({len(labels):,} in all)" if len(labels) > 8 else "")
        notes.append(f"The scale of {whom} is taken as {kind}{f', {order}' if order else ''}: {shown}.")
        flipped = [label for label in labels if kind == "pairwise" and label.endswith(INCONSISTENT)]
        if flipped:
            notes.append(
                f"'{flipped[0]}' on {whom} is a verdict that changed with the order shown, or a tie."
            )
    return notes


def set_name(scale: Scale, members: Sequence[str]) -> str:
    """A response set's one spelling: its verdicts in the scale's order, each once."""
    order = {label: code for code, label in enumerate(scale.verdicts)}
    return (scale.separator or "|").join(
        sorted(set(members), key=lambda member: (order.get(member, -1), member))
    )


def _said_doubtful(name: str, scale: Scale, config: ScaleConfig) -> list[str]:
    """Signs of two scales mixed: one number spelled twice, or only the lowest tenth used."""
    values = scale.values or ()
    notes = []
    again = np.flatnonzero(np.diff(values) == 0) + 1
    named = (scale.labels[at] for at in again.tolist())
    twice = [label for label in named if label not in scale.indeterminate]
    if twice and scale.ordered:
        notes.append(f"'{name}': '{twice[0]}' is one number with another label, and yet a label of its own.")
    if config.low is not None and config.high is not None:
        tenth = config.low + (config.high - config.low) / 10
        if values and max(values) <= tenth:
            notes.append(f"'{name}': no label is above {tenth:g}, on a scale to {config.high:g}.")
    return notes


def _said_alike(names: Sequence[str], seen: Sequence[Sequence[str]]) -> list[str]:
    """Labels that differ in case, spaces or Unicode form only: counted apart, most likely not meant so."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, labels in zip(names, seen, strict=True):
        alike: dict[str, list[str]] = {}
        for label in labels:
            alike.setdefault(normalised(label, ("nfc", "trim", "case")), []).append(label)
        for spellings in alike.values():
            if len(spellings) > 1:
                found.setdefault(tuple(sorted(spellings)), []).append(name)
    notes = []
    for spelled, metrics in found.items():
        where = f"'{metrics[0]}'" if len(metrics) == 1 else f"{len(metrics):,} metrics"
        shown = ", ".join(f"'{label}'" for label in spelled[:5])
        notes.append(
            f"On {where} {shown} are different labels; normalise: [trim, case] in study.yaml makes them one."
        )
    return notes[:MOST_ALIKE]


def _said_borrowed(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    whom = f"'{names[0]}' shows" if len(names) == 1 else f"{len(names):,} metrics show"
    return [f"{whom} one label only and is read on the scale of the metrics that share it."]
