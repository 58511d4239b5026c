"""The layout's order is the import order: a module imports only from lines above its own."""

from __future__ import annotations

import ast
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
LAYOUT = """
errors
registry
stats
study
readers writers
store
opening
align
decide
checks
gate
judges
review
bench
testing
report
web
__init__
cli
__main__
""".strip().splitlines()
"""One line a layer, lowest first; names on one line stand beside each other and do not import each other."""

FRONT_DOOR = "__init__"

LAYER = {name: depth for depth, line in enumerate(LAYOUT) for name in line.split()}
MODULES = sorted((SOURCE / "voirdire").rglob("*.py"))
STATS_MAY_IMPORT = {"numpy", "scipy", "voirdire"}
STATS_MAY_USE = {"errors", "registry", "stats"}


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def layer(path: Path) -> str:
    return path.relative_to(SOURCE / "voirdire").parts[0].removesuffix(".py")


NAMES = {dotted(path) for path in MODULES}


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that ``path`` imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the import in full"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield node.lineno, name if name in NAMES else str(node.module)


def test_the_layout_names_every_package() -> None:
    assert {layer(path) for path in MODULES} <= set(LAYER)


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_a_module_imports_only_from_above(path: Path) -> None:
    own = layer(path)
    for line, name in imported(path):
        parts = name.split(".")
        if parts[0] != "voirdire" or parts[1:2] == [own]:
            continue
        target = parts[1] if len(parts) > 1 else FRONT_DOOR
        assert LAYER[target] < LAYER[own], f"{path}:{line}: {own} may not import {name}"


@pytest.mark.parametrize("path", [path for path in MODULES if path.parent.name == "stats"], ids=dotted)
def test_statistics_need_numpy_and_scipy_alone(path: Path) -> None:
    for line, name in imported(path):
        parts = name.split(".")
        where = f"{path}:{line}: a statistic may not import {name}"
        assert parts[0] in STATS_MAY_IMPORT | set(sys.stdlib_module_names), where
        assert parts[0] != "voirdire" or parts[1] in STATS_MAY_USE, where


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {dotted(path): {name for _, name in imported(path) if name in NAMES} for path in MODULES}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as cycle:
        pytest.fail(f"modules import each other: {' -> '.join(cycle.args[1])}")
