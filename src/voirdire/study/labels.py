"""From label texts to codes in each metric's scale, with the status of every rating."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import Fault
from voirdire.study.column import Column
from voirdire.study.config import MetricConfig, ScaleConfig, StudyConfig
from voirdire.study.faults import Faults
from voirdire.study.long import Long
from voirdire.study.rater import Rater
from voirdire.study.ratings import OK, STATUSES
from voirdire.study.scale import Scale
from voirdire.study.scales import declared_scale, members_of, with_sets
from voirdire.study.spelling import normalised

__all__ = ["CodedLabels", "check_statuses", "code_labels"]

MOST_DENSE = 1 << 24
UNPARSED, SKIP, INVALID = (STATUSES.index(name) for name in ("unparsed", "skip", "invalid"))
Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class CodedLabels:
    """Each rating's ``label`` code and ``status`` (n,), and one scale a metric, in the column's order."""

    label: Codes
    status: NDArray[np.int8]
    scales: tuple[Scale, ...]
    notes: tuple[str, ...]


def code_labels(long: Long, raters: Sequence[Rater], config: StudyConfig) -> CodedLabels:
    """Code every label in its metric's scale; a label that a declared scale does not list is ``invalid``."""
    label = _renamed(long, config)
    status = _statuses(long, label, raters)
    label = Column(np.where(status == OK, label.codes, -1).astype(np.int32), label.values)
    seen, position = _labels_of_metrics(long.columns["metric"], label)
    declared = [config.metric(name) for name in long.columns["metric"].values]
    scales, notes = _scales(long, seen, declared)
    codes = [_codes(scale, labels, config.normalise) for scale, labels in zip(scales, seen, strict=True)]
    flat = np.asarray([code for part in codes for code in part] + [-1], dtype=np.int32)
    coded = flat[position]
    invalid = (status == OK) & (coded < 0)
    status[invalid] = INVALID
    return CodedLabels(coded, status, tuple(scales), (*notes, *_said_invalid(label, invalid)))


def _codes(scale: Scale, labels: Sequence[str], steps: Sequence[str]) -> list[int]:
    code_of = {normalised(label, steps): code for code, label in enumerate(scale.labels)}
    code_of |= {label: code for code, label in enumerate(scale.labels)}
    found = []
    for label in labels:
        members = members_of(label, scale.separator)
        found.append(code_of.get(label if members is None else _set_name(scale, members), -1))
    return found


def _set_name(scale: Scale, members: Sequence[str]) -> str:
    """A response set's one spelling: its verdicts in the scale's order, each once."""
    order = {label: code for code, label in enumerate(scale.verdicts)}
    return (scale.separator or "|").join(
        sorted(set(members), key=lambda member: (order.get(member, -1), member))
    )


def _renamed(long: Long, config: StudyConfig) -> Column:
    """The labels after the raters' and then the metrics' declared maps."""
    label = long.columns["label"]
    for name, rater in config.raters.items():
        if rater.map:
            label = _map_rows(label, long.columns["rater_id"].equals(name), rater.map, config.normalise)
    metric = long.columns["metric"]
    by_map: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for code, name in enumerate(metric.values):
        by_map.setdefault(tuple(config.metric(name).map.items()), []).append(code)
    for renamed, codes in by_map.items():
        if renamed:
            label = _map_rows(label, np.isin(metric.codes, codes), dict(renamed), config.normalise)
    return label


def _map_rows(
    label: Column, rows: NDArray[np.bool_], renamed: Mapping[str, str], steps: Sequence[str]
) -> Column:
    new = {normalised(old, steps): text for old, text in renamed.items()}
    values = list(dict.fromkeys([*label.values, *new.values()]))
    code_of = {value: code for code, value in enumerate(values)}
    target = np.asarray([code_of[new.get(value, value)] for value in label.values] + [-1], dtype=np.int32)
    return Column(np.where(rows, target[label.codes], label.codes).astype(np.int32), tuple(values))


def check_statuses(long: Long) -> None:
    """Raise a fault for every status that the data model does not know."""
    declared = long.columns.get("status")
    if declared is None:
        return
    unknown = [code for code, value in enumerate(declared.values) if _status(value) < 0]
    faults = Faults()
    faults.add_rows(np.flatnonzero(np.isin(declared.codes, unknown)), partial(_unknown_status, long))
    faults.check()


def _statuses(long: Long, label: Column, raters: Sequence[Rater]) -> NDArray[np.int8]:
    """The status of each rating: as the file says, else ok with a label, unparsed or skip without."""
    without = np.asarray(
        [UNPARSED if rater.kind in ("judge", "program") else SKIP for rater in raters] + [SKIP], dtype=np.int8
    )[long.columns["rater_id"].codes]
    status = np.where(label.is_missing, without, OK).astype(np.int8)
    declared = long.columns.get("status")
    if declared is None:
        return status
    check_statuses(long)
    given = np.asarray([_status(value) for value in declared.values] + [OK], dtype=np.int8)[declared.codes]
    return np.where(given == OK, status, given).astype(np.int8)


def _status(text: str) -> int:
    plain = text.strip().lower()
    return STATUSES.index(plain) if plain in STATUSES else -1


def _unknown_status(long: Long, row: int) -> Fault:
    text = long.columns["status"][row] or ""
    near = difflib.get_close_matches(text.lower(), STATUSES, n=1)
    return Fault(
        f"no status is called '{text}'",
        where=long.where(row, "status"),
        expected=", ".join(STATUSES),
        fix=f"did you mean '{near[0]}'?" if near else "",
    )


def _labels_of_metrics(metric: Column, label: Column) -> tuple[list[list[str]], NDArray[np.intp]]:
    """The labels seen on each metric, and each rating's position in those lists end to end (−1 without)."""
    q = max(len(label.values), 1)
    key = metric.codes.astype(np.int64) * q + label.codes
    given = label.codes >= 0
    if len(metric.values) * q <= MOST_DENSE:
        pairs = np.flatnonzero(np.bincount(key[given], minlength=1))
        position = np.full(len(metric.values) * q, -1, dtype=np.intp)
        position[pairs] = np.arange(len(pairs))
        at = np.where(given, position[np.where(given, key, 0)], -1)
    else:
        pairs = np.unique(key[given])
        at = np.where(given, np.searchsorted(pairs, key), -1)
    seen: list[list[str]] = [[] for _ in metric.values]
    for pair in pairs.tolist():
        seen[pair // q].append(label.values[pair % q])
    return seen, at


def _scales(
    long: Long, seen: Sequence[Sequence[str]], declared: Sequence[MetricConfig]
) -> tuple[list[Scale], list[str]]:
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
    return scales, [*_said(scales, names, declared), *_said_borrowed(borrowed), *doubts]


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
        _set_name(scale, members): tuple(sorted(set(members), key=scale.labels.index))
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
    return notes


def _said_invalid(label: Column, invalid: NDArray[np.bool_]) -> list[str]:
    if not invalid.any():
        return []
    counts = np.bincount(label.codes[invalid], minlength=len(label.values))
    order = np.argsort(-counts, kind="stable")[:5]
    shown = ", ".join(f"{int(counts[code]):,} '{label.values[code]}'" for code in order if counts[code])
    more = " and others" if np.count_nonzero(counts) > len(order) else ""
    return [f"{int(invalid.sum()):,} labels are not on their metric's scale and are invalid: {shown}{more}."]


def _said_doubtful(name: str, scale: Scale, config: ScaleConfig) -> list[str]:
    """Signs of two scales mixed: one number spelled twice, or only the lowest tenth used."""
    values = scale.values or ()
    notes = []
    again = np.flatnonzero(np.diff(values) == 0) + 1
    twice = [scale.labels[at] for at in again.tolist()]
    if twice and scale.ordered:
        notes.append(f"'{name}': '{twice[0]}' is one number with another label, and yet a label of its own.")
    if config.low is not None and config.high is not None:
        tenth = config.low + (config.high - config.low) / 10
        if values and max(values) <= tenth:
            notes.append(f"'{name}': no label is above {tenth:g}, on a scale to {config.high:g}.")
    return notes


def _said_borrowed(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    whom = f"'{names[0]}' shows" if len(names) == 1 else f"{len(names):,} metrics show"
    return [f"{whom} one label only and is read on the scale of the metrics that share it."]
