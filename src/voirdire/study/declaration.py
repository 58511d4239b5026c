"""study.yaml as a checked declaration: every scalar is text, an unknown key is refused with the nearest."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from voirdire.errors import UserError
from voirdire.study.config import MetricConfig, RaterConfig, ScaleConfig, StudyConfig, TableConfig
from voirdire.study.faults import Faults

__all__ = ["load_declaration", "read_declaration"]

MOST_BYTES = 10_000_000
PARTS: Mapping[str, type[BaseModel]] = {
    "tables": TableConfig,
    "metrics": MetricConfig,
    "raters": RaterConfig,
    "scale": ScaleConfig,
}


class _Loader(yaml.BaseLoader):
    """Reads every scalar as text, so that ``01``, ``yes`` and ``null`` stay the labels they are."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.YAMLError(f"line {event.start_mark.line + 1} uses an alias (*), which is not read")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    line = key.start_mark.line + 1
                    raise yaml.YAMLError(f"line {line} gives '{key.value}' a second time")
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def load_declaration(path: Path) -> dict[str, Any]:
    """The mapping in the YAML file at ``path``, unchecked; any other file is a user's error."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise UserError(f"cannot be read: {problem.strerror or problem}", where=str(path)) from None
    if len(data) > MOST_BYTES:
        raise UserError(
            f"is larger than {MOST_BYTES // 1_000_000} MB", where=path.name, fix="keep labels in tables"
        )
    try:
        loaded = yaml.load(data.decode("utf-8-sig"), _Loader)
    except UnicodeDecodeError as problem:
        raise UserError(
            f"byte {problem.start + 1:,} is not UTF-8", where=path.name, fix="save it as UTF-8"
        ) from None
    except yaml.YAMLError as problem:
        raise UserError(f"is not YAML that can be read: {_yaml_problem(problem)}", where=path.name) from None
    except (RecursionError, ValueError, TypeError) as problem:
        raise UserError(f"is not YAML that can be read ({problem})", where=path.name) from None
    if not isinstance(loaded, dict):
        raise UserError("holds no keys", where=path.name, expected="keys such as tables and metrics")
    return loaded


def read_declaration(loaded: Mapping[str, Any], *, where: str) -> StudyConfig:
    """The declaration that ``loaded`` holds; all its faults are raised at once."""
    try:
        return StudyConfig.model_validate(dict(loaded))
    except ValidationError as problem:
        faults = Faults()
        for error in problem.errors(include_url=False):
            _word(error, faults, where)
        faults.check()
        raise AssertionError("a failed check has at least one fault") from problem
    except RecursionError:
        raise UserError("is nested too deeply", where=where) from None


def _word(error: Any, faults: Faults, where: str) -> None:
    path = [str(part) for part in error["loc"] if part != "[key]"]
    place = f"{where}, {'.'.join(path[:-1])}" if path[:-1] else where
    key = path[-1] if path else ""
    kind, given = error["type"], reprlib.repr(error["input"])
    if kind == "extra_forbidden":
        known = list(_model(path).model_fields)
        near = difflib.get_close_matches(key, known, n=1)
        fix = f"did you mean '{near[0]}'?" if near else ""
        faults.add(f"unknown key '{key}'", where=place, expected=f"one of {', '.join(known)}", fix=fix)
    elif kind == "missing":
        faults.add(f"'{key}' is not given", where=place)
    elif kind == "literal_error":
        expected = error["ctx"]["expected"].replace("'", "")
        near = difflib.get_close_matches(str(error["input"]), expected.replace(" or ", ", ").split(", "), n=1)
        fix = f"did you mean '{near[0]}'?" if near else ""
        faults.add(f"'{key}' is {given}", where=place, expected=expected, fix=fix)
    else:
        wanted = error["msg"].removeprefix("Input should be ")
        faults.add(f"'{key}' is {given}", where=place, expected=wanted[:1].lower() + wanted[1:])


def _model(path: Sequence[str]) -> type[BaseModel]:
    """The part of the declaration whose keys stand at ``path``."""
    model: type[BaseModel] = StudyConfig
    if len(path) > 2 and path[0] in PARTS:
        model = PARTS[path[0]]
    return ScaleConfig if path[0] == "metrics" and len(path) > 3 and path[2] == "scale" else model


def _yaml_problem(problem: yaml.YAMLError) -> str:
    mark = getattr(problem, "problem_mark", None)
    said = getattr(problem, "problem", None) or str(problem).splitlines()[0]
    return f"line {mark.line + 1}: {said}" if mark is not None else said
