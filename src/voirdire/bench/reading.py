"""Reading what experts write: a YAML file as a model, its faults by line, what is missing in their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from voirdire.bench.template import NAME
from voirdire.errors import Fault, UserError, UserErrors
from voirdire.study.documents import load_mapping, part_of, worded

__all__ = ["Lines", "read_document"]

EMPTY = ("missing", "string_too_short", "too_short")
"""Kinds of errors that say that something is not there."""
UNQUOTED = (bool, int, float)
"""What YAML makes of texts that it takes for something else: no, 12."""
Model = TypeVar("Model", bound=BaseModel)
Keys = Sequence[str | int]


@dataclass(frozen=True)
class Lines:
    """On which line each part of a YAML text stands, from 1."""

    text: str

    def of(self, path: Keys) -> int:
        """The line of what stands at ``path``, or of the last part on the way that is there; 0 if none is."""
        node, line = self._root, 0
        for key in path:
            found = next((entry for entry in _entries(node) if entry[0] == key), None)
            if found is None:
                break
            _, node, line = found
        return line

    @cached_property
    def _root(self) -> yaml.Node | None:
        root: yaml.Node | None = yaml.compose(self.text, yaml.SafeLoader)
        return root


def _entries(node: yaml.Node | None) -> Iterator[tuple[str | int, yaml.Node, int]]:
    if isinstance(node, yaml.MappingNode):
        yield from ((key.value, value, key.start_mark.line + 1) for key, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        yield from ((place, value, value.start_mark.line + 1) for place, value in enumerate(node.value))


def read_document(model: type[Model], file: Path, where: str) -> Model:
    """The YAML file as ``model``; all its faults are raised at once, each with its line.

    ``where`` names the file in messages. What is not given, or left empty, is said with what belongs there.
    """
    try:
        loaded = load_mapping(file)
    except UserError as problem:
        raise UserErrors([_unread(fault, file, where) for fault in problem.faults]) from None
    try:
        return model.model_validate(loaded)
    except ValidationError as problem:
        lines = Lines(file.read_text(encoding="utf-8-sig"))
        errors = problem.errors(include_url=False)
        raise UserErrors([_fault(error, lines, where, model) for error in errors]) from None


def _unread(fault: Fault, file: Path, where: str) -> Fault:
    """What YAML could not read; a colon or a mark at the start of a text is the usual reason."""
    yaml_like = "not YAML" in fault.what
    fix = 'put texts with : # ? , or marks at their start in "quotes"' if yaml_like else fault.fix
    return replace(fault, where=where, fix=fix)


def _fault(error: Any, lines: Lines, where: str, model: type[BaseModel]) -> Fault:
    path = [part for part in error["loc"] if part != "[key]"]
    line = lines.of(path)
    placed = f"{where}, line {line}" if line else where
    if error["type"] in EMPTY or error["input"] is None:
        return _missing([str(part) for part in path], placed, model)
    fault = worded(error, placed, model)
    if error["type"] == "string_type" and isinstance(error["input"], UNQUOTED):
        return replace(fault, expected="a text", fix='put it in "quotes"')
    if error["type"] == "string_pattern_mismatch" and error["ctx"]["pattern"] == NAME:
        return replace(fault, expected="letters, digits, _, . and -, without spaces, a letter or digit first")
    return fault


def _missing(path: Sequence[str], where: str, model: type[BaseModel]) -> Fault:
    """A part that is not there, with what belongs there as the model describes it."""
    names = [name for name in path if not name.isdigit()]
    fields = part_of(model, path[:-1]).model_fields
    field = next((one for name, one in fields.items() if names[-1] in (name, one.alias)), None)
    within = f"{' of '.join(reversed(names[:-1]))} lacks" if names[:-1] else "there is no"
    expected = (field.description or "") if field is not None else ""
    return Fault(f"{within} '{names[-1]}'", where, expected[:1].lower() + expected[1:].removesuffix("."))
