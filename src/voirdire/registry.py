"""One public registry for everything that comes one to a file: statistics, checks, readers, writers.

A built-in is a module of its kind's package that calls :func:`register`; a plugin is a module named by an
entry point in the group ``voirdire.<kind>``. Nothing is imported before somebody asks for a kind.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, TypeVar

from voirdire.errors import UserError

__all__ = ["BUILT_IN", "Plugin", "get", "names", "plugins", "register"]

BUILT_IN = {
    "statistic": "voirdire.stats",
    "check": "voirdire.checks",
    "calibrator": "voirdire.align.calibrators",
    "reader": "voirdire.readers",
    "folder": "voirdire.bench.folders",
    "writer": "voirdire.writers",
    "report": "voirdire.report",
    "measure": "voirdire.gate.measures",
    "recipe": "voirdire.judges.recipes",
    "client": "voirdire.judges.clients",
    "executor": "voirdire.judges.executors",
    "probe": "voirdire.judges.probes",
}
"""Each kind's package: every module in it is imported when the kind is first asked for."""

T = TypeVar("T")
_entries: dict[str, dict[str, Any]] = {kind: {} for kind in BUILT_IN}
_plugins: dict[str, list[Plugin]] = {}


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point that was asked to load: ``error`` is empty where it did."""

    kind: str
    name: str
    source: str
    error: str = ""


def register(kind: str, name: str) -> Callable[[T], T]:
    """Enter the decorated object under ``kind`` and ``name``; a name that is taken is an error.

    >>> register("statistc", "share_of_passes")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    voirdire.errors.UserError: no kind named 'statistc'; expected one of ...; fix: did you mean 'statistic'?
    """
    _known_kind(kind)

    def enter(thing: T) -> T:
        taken = _entries[kind].get(name)
        if taken is not None and _origin(taken) != _origin(thing):
            raise UserError(
                f"two {kind}s are named '{name}': {_origin(taken)} and {_origin(thing)}",
                fix="rename one of them",
            )
        _entries[kind][name] = thing
        return thing

    return enter


def names(kind: str) -> list[str]:
    """Names registered under ``kind``, sorted.

    >>> "krippendorff_alpha" in names("statistic")
    True
    """
    _load(kind)
    return sorted(_entries[kind])


def get(kind: str, name: str) -> Any:
    """The object registered under ``kind`` and ``name``; an unknown name says which is nearest."""
    _load(kind)
    try:
        return _entries[kind][name]
    except KeyError:
        raise UserError(
            f"no {kind} named '{name}'",
            expected=f"one of {', '.join(names(kind))}",
            fix=_nearest(name, _entries[kind]),
        ) from None


def plugins(kind: str) -> list[Plugin]:
    """Entry points of this kind that were found, those that failed to load with the reason."""
    _load(kind)
    return list(_plugins[kind])


def _origin(thing: Any) -> str:
    """Where ``thing`` was defined; a module that is loaded again defines it at the same place."""
    return f"{thing.__module__}.{getattr(thing, '__qualname__', type(thing).__qualname__)}"


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean '{near[0]}'?" if near else ""


def _known_kind(kind: str) -> None:
    if kind not in BUILT_IN:
        raise UserError(
            f"no kind named '{kind}'", expected=f"one of {', '.join(BUILT_IN)}", fix=_nearest(kind, BUILT_IN)
        )


def _load(kind: str) -> None:
    _known_kind(kind)
    if kind in _plugins:
        return
    package = importlib.import_module(BUILT_IN[kind])
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    found = []
    for point in entry_points(group=f"voirdire.{kind}"):
        try:
            point.load()
            error = ""
        except Exception as problem:  # a stranger's import may fail in any way; it is shown, not hidden
            error = f"{type(problem).__name__}: {problem}"
        found.append(Plugin(kind, point.name, point.value, error))
    _plugins[kind] = found
