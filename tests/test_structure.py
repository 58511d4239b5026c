"""The code stays readable by a stranger: short files and functions, few parameters, documented, finished."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
FILES = sorted((SOURCE / "voirdire").rglob("*.py"))
LINES_A_FILE = 400
LINES_A_FUNCTION = 50
PARAMETERS = 6
EVERYWHERE = {"self", "cls", "level", "resamples", "rng"}
"""Parameters that mean the same in every interval, and so cost a reader nothing, are not counted."""

DOCUMENTED = {"stats", "study", "readers", "writers", "checks", "testing"}
TESTS_ONLY = {
    "hypothesis",
    "jsonschema",
    "krippendorff",
    "pingouin",
    "playwright",
    "pytest",
    "sklearn",
    "statsmodels",
}
USER_FRAMES = {"pandas", "polars", "pyarrow"}
"""Accepted as input where the user has them, never needed: imported inside a function or not at all."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def named(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(tree(path)):
        if isinstance(node, Function):
            yield node


def body_lines(function: Function) -> int:
    """Lines of the statements, the signature and the docstring apart."""
    statements = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not statements:
        return 0
    assert statements[-1].end_lineno is not None
    return statements[-1].end_lineno - statements[0].lineno + 1


def parameters(function: Function) -> int:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return sum(argument.arg not in EVERYWHERE for argument in arguments)


def promised() -> set[str]:
    """Names of methods that a protocol documents: a class that fulfils it need not say the same again."""
    classes = (node for path in FILES for node in ast.walk(tree(path)))
    protocols = [
        node
        for node in classes
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).startswith("Protocol") for base in node.bases)
    ]
    methods = [part for protocol in protocols for part in protocol.body if isinstance(part, Function)]
    return {method.name for method in methods if ast.get_docstring(method)}


PROMISED = promised()


def public(path: Path) -> Iterator[ast.ClassDef | Function]:
    """Public classes and functions of a module, and the public methods and properties of its classes."""
    for node in tree(path).body:
        if not isinstance(node, ast.ClassDef | Function) or node.name.startswith("_"):
            continue
        yield node
        if isinstance(node, ast.ClassDef):
            yield from (
                part for part in node.body if isinstance(part, Function) and not part.name.startswith("_")
            )


@pytest.mark.parametrize("path", FILES, ids=named)
def test_files_and_functions_are_short(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LINES_A_FILE, f"{lines} lines"
    long = {function.name: body_lines(function) for function in functions(path)}
    assert not {name: count for name, count in long.items() if count > LINES_A_FUNCTION}


@pytest.mark.parametrize("path", [path for path in FILES if "cli" not in path.parts], ids=named)
def test_functions_take_few_parameters(path: Path) -> None:
    many = {function.name: parameters(function) for function in functions(path)}
    assert not {name: count for name, count in many.items() if count > PARAMETERS}


@pytest.mark.parametrize("path", [path for path in FILES if DOCUMENTED & set(path.parts)], ids=named)
def test_public_names_are_documented(path: Path) -> None:
    assert not [
        node.name for node in public(path) if not ast.get_docstring(node) and node.name not in PROMISED
    ]


@pytest.mark.parametrize("path", FILES, ids=named)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(tree(path))


@pytest.mark.parametrize("path", FILES, ids=named)
def test_nothing_is_left_unfinished(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError)\b", text)
    assert not re.search(r"^\s*from \S+ import \*", text, re.MULTILINE)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_the_code_needs_no_development_package(path: Path) -> None:
    every = {name.split(".")[0] for node in ast.walk(tree(path)) for name in imports(node)}
    at_import = {name.split(".")[0] for node in tree(path).body for name in imports(node)}
    assert not every & TESTS_ONLY
    assert not at_import & USER_FRAMES


def imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [str(node.module)] if isinstance(node, ast.ImportFrom) else []
