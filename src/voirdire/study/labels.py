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
from voirdire.study.config import StudyConfig
from voirdire.study.faults import Faults
from voirdire.study.long import Long
from voirdire.study.rater import Rater
from voirdire.study.ratings import OK, STATUSES
from voirdire.study.scale import Scale
from voirdire.study.scales import members_of
from voirdire.study.scaling import scales_of_metrics, set_name
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
    scales, notes = scales_of_metrics(long, seen, declared)
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
        found.append(code_of.get(label if members is None else set_name(scale, members), -1))
    return found


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


def _said_invalid(label: Column, invalid: NDArray[np.bool_]) -> list[str]:
    if not invalid.any():
        return []
    counts = np.bincount(label.codes[invalid], minlength=len(label.values))
    order = np.argsort(-counts, kind="stable")[:5]
    shown = ", ".join(f"{int(counts[code]):,} '{label.values[code]}'" for code in order if counts[code])
    more = " and others" if np.count_nonzero(counts) > len(order) else ""
    return [f"{int(invalid.sum()):,} labels are not on their metric's scale and are invalid: {shown}{more}."]
