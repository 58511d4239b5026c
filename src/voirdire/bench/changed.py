"""What is different between two runs, cause by cause, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from voirdire.bench.manifest import Run
from voirdire.bench.template import MetricTemplate

__all__ = ["changes"]

MOST = 20
"""Differences that are named one by one."""


def changes(cause: str, first: Run, second: Run) -> tuple[str, ...]:
    """What ``cause`` is in one run and not in the other, a line each; the first twenty."""
    lines = list(FINDERS[cause](first, second))
    return tuple(lines[:MOST] + ([f"and {len(lines) - MOST} more"] if len(lines) > MOST else []))


def _metrics(first: Run, second: Run) -> Iterator[str]:
    one = {metric.metric: metric for metric in first.metrics}
    other = {metric.metric: metric for metric in second.metrics}
    yield from (f"{name}: taken out" for name in sorted(one.keys() - other.keys()))
    yield from (f"{name}: new" for name in sorted(other.keys() - one.keys()))
    for name in sorted(one.keys() & other.keys()):
        parts = [part for part, text in other[name].parts.items() if one[name].parts[part] != text]
        if parts:
            yield f"{name}: {', '.join(parts)} edited"
        if _counts(one[name]) != _counts(other[name]):
            yield f"{name}: {'counts now' if _counts(other[name]) else 'counts no more: not reviewed'}"


def _counts(metric: MetricTemplate) -> bool:
    return metric.reviewed is not None


def _judge(first: Run, second: Run) -> Iterator[str]:
    one, other = first.judges[0], second.judges[0]
    if one.name != other.name:
        yield f"{one.name} is now {other.name}"
    yield from _keys(_judge_said(first), _judge_said(second))


def _judge_said(run: Run) -> dict[str, Any]:
    document = run.document["judges"][0]
    return {**document["config"], "prompt": document["prompt"], "version": document["version"]}


def _simulator(first: Run, second: Run) -> Iterator[str]:
    yield from _keys(first.document["user"], second.document["user"])


def _targets(first: Run, second: Run) -> Iterator[str]:
    one = {target["system"]: target for target in first.document["targets"]}
    other = {target["system"]: target for target in second.document["targets"]}
    yield from (f"{name}: taken out" for name in sorted(one.keys() - other.keys()))
    yield from (f"{name}: new" for name in sorted(other.keys() - one.keys()))
    for name in sorted(one.keys() & other.keys()):
        if one[name]["version"] != other[name]["version"]:
            said = [key for key in _differing(one[name], other[name]) if key != "version"]
            yield f"{name}: {', '.join(said) or 'transcripts'} changed"


def _parameters(first: Run, second: Run) -> Iterator[str]:
    yield from _keys(first.document["bench"], second.document["bench"])
    yield from _keys(first.document["options"], second.document["options"])


def _scoring(first: Run, second: Run) -> Iterator[str]:
    yield f"the code is {second.document['scoring']}, was {first.document['scoring']}"


def _keys(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    for name in _differing(one, other):
        short = all(len(str(side.get(name))) <= 40 for side in (one, other))
        yield f"{name}: {one.get(name)} is now {other.get(name)}" if short else f"{name} changed"


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    return [name for name in dict.fromkeys((*one, *other)) if one.get(name) != other.get(name)]


FINDERS = {
    "metrics": _metrics,
    "judge": _judge,
    "simulator": _simulator,
    "targets": _targets,
    "parameters": _parameters,
    "scoring": _scoring,
}
