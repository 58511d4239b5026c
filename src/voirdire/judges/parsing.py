"""Reading a reply strictly: nothing is guessed, clamped or defaulted; two answers in one are ambiguous."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from voirdire.judges.call import Reply
from voirdire.judges.recipe import VerdictStatus
from voirdire.study.scale import Scale

__all__ = ["Parsed", "labels_in", "objects_in", "read_answer", "read_number", "refused"]

BARE = re.compile(r"^[\s\"'`*_]*(.*?)[\s\"'`*_.]*$", re.DOTALL)
UNABLE = r"(?:can't|can’t|cannot|can not|won't|will not|unable to|not able to|must decline to|decline to)"
TASK = r"(?:evaluate|judge|assess|rate|answer|assist|help|provide|comply|continue|engage)"
REFUSALS = re.compile(
    rf"(?:^|[.!\s])(?:i|we)(?:'m| am| are|'re)? {UNABLE} (?:\w+ ){{0,2}}?{TASK}\b", re.IGNORECASE
)
REFUSED = ("refused", "refusal", "refuse", "decline", "declined")


@dataclass(frozen=True)
class Parsed:
    """What a reply says: a ``label`` of the scale, or the ``status`` that says why there is none.

    ``fields`` are the other keys of the reply's object.
    """

    label: str | None
    status: VerdictStatus = "ok"
    fields: Mapping[str, Any] = field(default_factory=dict)


def read_answer(reply: Reply, scale: Scale, *, key: str = "label") -> Parsed:
    """The label that ``reply`` gives, as the whole reply or under ``key`` of a JSON object in it.

    Equal objects count once; objects or labels that differ are ``ambiguous``. A label that the scale does not
    list is ``invalid``, a refusal ``refusal``, a reply that was cut before its label ``truncated``, anything
    else ``unparsed``.
    """
    if reply.status == "error":
        return Parsed(None, "error")
    if reply.status == "refusal":
        return Parsed(None, "refusal")
    found = [one for one in objects_in(reply.text) if key in one]
    answers = {_spelled(one[key]) for one in found}
    if len(answers) > 1:
        return Parsed(None, "ambiguous")
    if found:
        fields = {name: value for name, value in found[-1].items() if name != key}
        return _known(found[-1][key], scale, fields)
    label = _label(reply.text, scale)
    if label is not None:
        return Parsed(label)
    return Parsed(None, _why(reply))


def read_number(
    reply: Reply, *, low: float, high: float, key: str = "score"
) -> tuple[float | None, VerdictStatus]:
    """The number that ``reply`` gives, alone or under ``key``; one outside ``low`` to ``high`` is invalid.

    >>> read_number(Reply("ok", "98989"), low=1, high=5)
    (None, 'invalid')
    """
    if reply.status in ("error", "refusal"):
        return None, "error" if reply.status == "error" else "refusal"
    values = {_number(one[key]) for one in objects_in(reply.text) if key in one}
    if not values:
        values = {_number(_bare(reply.text))} - {None}
    if not values:
        return None, _why(reply)
    if len(values) > 1:
        return None, "ambiguous"
    value = values.pop()
    if value is None or not low <= value <= high:
        return None, "invalid"
    return value, "ok"


def labels_in(fields: Mapping[str, Any], scale: Scale) -> dict[str, float] | None:
    """A distribution that ``fields`` state over the scale's labels, or None where they do not.

    Values are taken as they are: the sum is the caller's to judge.
    """
    by_label = {_spelled(name): value for name, value in fields.items()}
    found = {label: _number(by_label.get(_spelled(label), 0)) for label in scale.labels}
    values = [value for value in found.values() if value is not None and value >= 0]
    return {name: float(value or 0) for name, value in found.items()} if len(values) == len(found) else None


def objects_in(text: str) -> list[dict[str, Any]]:
    """Every JSON object that stands in ``text``, outermost ones only, in order; none inside a broken one.

    >>> objects_in('Draft {"a": 1} and final {"a": {"b": 2}}')
    [{'a': 1}, {'a': {'b': 2}}]
    """
    return list(_objects(text))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(strict=False)
    at = text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as problem:
            # what stands inside an object that is broken later is no answer
            end = max(problem.pos, at + 1)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(found, dict):
                yield found
        at = text.find("{", end)


def refused(text: str) -> bool:
    """Whether ``text`` declines to judge.

    >>> refused("I can't evaluate this."), refused("The user can't evaluate this.")
    (True, False)
    """
    return REFUSALS.search(text) is not None


def _known(value: Any, scale: Scale, fields: Mapping[str, Any]) -> Parsed:
    if _spelled(value) in REFUSED and _label(value, scale) is None:
        return Parsed(None, "refusal", fields)
    label = _label(value, scale)
    return Parsed(label, "ok" if label is not None else "invalid", fields)


def _label(value: Any, scale: Scale) -> str | None:
    """The one label that ``value`` spells; capitals and marks of emphasis around it do not count."""
    wanted = _spelled(value)
    exact = [label for label in scale.labels if label == str(value).strip()]
    alike = exact or [label for label in scale.labels if _spelled(label) == wanted]
    return alike[0] if len(alike) == 1 else None


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _bare(str(value)).casefold()


def _bare(text: str) -> str:
    match = BARE.match(text)
    return match[1] if match else text


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if number == number and abs(number) != float("inf") else None


def _why(reply: Reply) -> VerdictStatus:
    if reply.status == "truncated":
        return "truncated"
    return "refusal" if refused(reply.text) else "unparsed"
