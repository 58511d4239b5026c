"""YAML files that declare something, checked against a model, all their faults at once."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from voirdire.errors import Fault, UserError
from voirdire.study.faults import Faults

__all__ = ["load_mapping", "part_of", "validated", "worded"]

MOST_BYTES = 10_000_000
Model = TypeVar("Model", bound=BaseModel)


class _Checked:
    """Refuses aliases, which can blow up, and keys that stand twice, of which YAML keeps the last."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):  # type: ignore[attr-defined]
            event = self.peek_event()  # type: ignore[attr-defined]
            raise yaml.YAMLError(f"line {event.start_mark.line + 1} uses an alias (*), which is not read")
        node: yaml.Node | None = super().compose_node(parent, index)  # type: ignore[misc]
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    line = key.start_mark.line + 1
                    raise yaml.YAMLError(f"line {line} gives '{key.value}' a second time")
                seen.add(key.value)
        found: dict[Any, Any] = super().construct_mapping(node, deep)  # type: ignore[misc]
        return found


class _Text(_Checked, yaml.BaseLoader):
    """Reads every scalar as text, so that ``01``, ``yes`` and ``null`` stay the labels they are."""


class _Typed(_Checked, yaml.SafeLoader):
    """Reads numbers and truth values as such."""


def load_mapping(path: Path, *, text: bool = False) -> dict[str, Any]:
    """The mapping in the YAML file at ``path``, unchecked; any other file is a user's error.

    With ``text`` every scalar stays the text it is in the file.
    """
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise UserError(f"cannot be read: {problem.strerror or problem}", where=str(path)) from None
    if len(data) > MOST_BYTES:
        raise UserError(
            f"is larger than {MOST_BYTES // 1_000_000} MB", where=path.name, fix="keep labels in tables"
        )
    try:
        loaded = yaml.load(data.decode("utf-8-sig"), _Text if text else _Typed)
    except UnicodeDecodeError as problem:
        raise UserError(
            f"byte {problem.start + 1:,} is not UTF-8", where=path.name, fix="save it as UTF-8"
        ) from None
    except yaml.YAMLError as problem:
        raise UserError(f"is not YAML that can be read: {_yaml_problem(problem)}", where=path.name) from None
    except (RecursionError, ValueError, TypeError) as problem:
        raise UserError(f"is not YAML that can be read ({problem})", where=path.name) from None
    if not isinstance(loaded, dict):
        raise UserError("holds no keys", where=path.name, expected="keys and values")
    return loaded


def validated(model: type[Model], loaded: Mapping[str, Any], *, where: str) -> Model:
    """What ``loaded`` declares, as ``model``; all its faults are raised at once."""
    try:
        return model.model_validate(dict(loaded))
    except ValidationError as problem:
        faults = Faults()
        for error in problem.errors(include_url=False):
            fault = worded(error, where, model)
            faults.add(fault.what, where=fault.where, expected=fault.expected, fix=fault.fix)
        faults.check()
        raise AssertionError("a failed check has at least one fault") from problem
    except RecursionError:
        raise UserError("is nested too deeply", where=where) from None


def worded(error: Any, where: str, model: type[BaseModel]) -> Fault:
    """One of pydantic's errors as a fault: ``where`` names the file, to which the path in it is added."""
    path = [str(part) for part in error["loc"] if part != "[key]"]
    place = f"{where}, {'.'.join(path[:-1])}" if path[:-1] else where
    key = path[-1] if path else ""
    kind, given = error["type"], reprlib.repr(error["input"])
    if kind == "extra_forbidden":
        known = list(part_of(model, path[:-1]).model_fields)
        near = difflib.get_close_matches(key, known, n=1)
        fix = f"did you mean '{near[0]}'?" if near else ""
        return Fault(f"unknown key '{key}'", place, f"one of {', '.join(known)}", fix)
    if kind == "missing":
        return Fault(f"'{key}' is not given", place)
    if kind == "literal_error":
        expected = error["ctx"]["expected"].replace("'", "")
        near = difflib.get_close_matches(str(error["input"]), expected.replace(" or ", ", ").split(", "), n=1)
        fix = f"did you mean '{near[0]}'?" if near else ""
        return Fault(f"'{key}' is {given}", place, expected, fix)
    wanted = error["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    what = f"'{key}' is {given}" if key else "is wrong"
    return Fault(what, place, wanted[:1].lower() + wanted[1:])


def part_of(model: type[BaseModel], path: Sequence[str]) -> type[BaseModel]:
    """The model whose keys stand at ``path``, through fields, the keys of mappings and places in lists."""
    for name in path:
        field = model.model_fields.get(name)
        inner = next(_models(field.annotation), None) if field is not None else None
        model = inner or model
    return model


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def _yaml_problem(problem: yaml.YAMLError) -> str:
    mark = getattr(problem, "problem_mark", None)
    said = getattr(problem, "problem", None) or str(problem).splitlines()[0]
    return f"line {mark.line + 1}: {said}" if mark is not None else said
