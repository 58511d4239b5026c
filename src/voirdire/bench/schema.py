"""The JSON schema of results, read off their records: what is written and what is published are one."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from voirdire.bench.results import LEAN, SCHEMA, Results
from voirdire.stats.estimate import REASONS, Estimate

__all__ = ["results_schema"]

PLAIN: dict[Any, str] = {str: "string", int: "integer", bool: "boolean"}
NUMBER: dict[str, Any] = {"type": ["number", "null"]}


def results_schema() -> dict[str, Any]:
    """The schema of :meth:`~voirdire.bench.results.Results.to_dict`, each record with its own sentence.

    >>> results_schema()["properties"]["schema"]
    {'const': 'voirdire-bench/1'}
    """
    known: dict[str, Any] = {}
    whole = _record(Results, known, leaving=("outcomes",))
    further = {"schema": {"const": SCHEMA}, "limitations": {"type": "array", "items": {"type": "string"}}}
    properties = {**further, **whole["properties"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:voirdire:bench:1",
        "title": "Results of a judged benchmark, version 1",
        **whole,
        "properties": properties,
        "required": list(properties),
        "$defs": known,
    }


def _record(kind: Any, known: dict[str, Any], *, leaving: tuple[str, ...] = ()) -> dict[str, Any]:
    hints = get_type_hints(kind)
    properties = {
        field.name: _value(hints[field.name], known) for field in fields(kind) if field.name not in leaving
    }
    return {
        "type": "object",
        "description": " ".join((inspect.getdoc(kind) or "").split()),
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _value(kind: Any, known: dict[str, Any]) -> dict[str, Any]:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is float:
        return NUMBER
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return {"type": "array", "items": _value(inner[0], known)}
    if origin is types.UnionType:
        return {"anyOf": [{"type": "null"} if one is type(None) else _value(one, known) for one in inner]}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _value(inner[1], known)}
    assert is_dataclass(kind), f"results hold a {kind}"
    name = kind.__name__  # type: ignore[union-attr]
    if name not in known:
        known[name] = {}
        known[name] = _estimate() if kind is Estimate else _record(kind, known)
    return {"$ref": f"#/$defs/{name}"}


def _estimate() -> dict[str, Any]:
    """An estimate as results hold it: ``value`` is null exactly where ``undefined`` says why."""
    reason = {"enum": [None, *REASONS]}
    count = {"type": ["integer", "null"]}
    told = dict.fromkeys(("value", "low", "high"), NUMBER)
    told |= {"n_items": count, "n_clusters": count, "undefined": reason, "no_interval": reason}
    said = "A number with its interval, the counts that it rests on, or why there is none."
    return {
        "type": "object",
        "description": said,
        "properties": {name: told[name] for name in LEAN},
        "required": list(LEAN),
        "additionalProperties": False,
    }
