"""Exporting a study: as a table of all its ratings, or to a labelling tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from voirdire import registry
from voirdire.errors import UserError
from voirdire.study.renaming import pseudonymous
from voirdire.study.study import Study
from voirdire.writers.coded import ToolOptions
from voirdire.writers.key import read_key
from voirdire.writers.written import Written

__all__ = ["ExportOptions", "export", "targets", "tools"]

TABLES = {
    "csv": (".csv", ".csv.gz"),
    "tsv": (".tsv", ".tsv.gz"),
    "jsonl": (".jsonl", ".jsonl.gz"),
    "parquet": (".parquet",),
}


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """How a study is exported.

    ``to`` is csv, tsv, jsonl or parquet for a table of all ratings (by the file's suffix where empty), or a
    labelling tool: label-studio or argilla. ``tool`` says what goes to a tool beside the items. ``key`` is
    the .key file of an earlier export to a tool, from which the study came back: its codes become names
    again. ``pseudonyms`` puts codes in place of raters' e-mail addresses.
    """

    to: str = ""
    tool: ToolOptions = field(default_factory=ToolOptions)
    key: str = ""
    pseudonyms: bool = False

    def __post_init__(self) -> None:
        if self.to and self.to not in targets():
            raise UserError(f"no export to '{self.to}'", expected=f"one of {', '.join(targets())}")
        if replace(self.tool, seed=0) != ToolOptions() and (not self.to or self.to in TABLES):
            raise UserError(
                "judges to show, systems to show and labels to leave out are for labelling tools",
                expected="an export to label-studio or argilla",
            )


def export(study: Study, path: str | PathLike[str], options: ExportOptions | None = None) -> Written | None:
    """Write ``study`` to ``path``; what was written to a labelling tool is returned, of a table None.

    A table holds every rating of every rater as it came in. Users' errors are those of the writers.

    >>> import tempfile, voirdire
    >>> study = voirdire.open({"item_id": ["a"], "text": ["Hi"], "rater_id": ["7"], "label": ["warm"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(study, f"{folder}/tasks.json", ExportOptions(to="label-studio")).tasks
    1
    """
    ask = options or ExportOptions()
    if ask.key:
        study = read_key(ask.key).restore(study)
    if ask.pseudonyms:
        study = pseudonymous(study)
    if ask.to and ask.to not in TABLES:
        written: Written = registry.get("writer", ask.to)(study, path, ask.tool)
        return written
    suffixes = TABLES.get(ask.to, ())
    if suffixes and not Path(path).name.lower().endswith(suffixes):
        raise UserError(
            f"is no name of a {ask.to} file", where=str(path), expected=f"a name in {suffixes[0]}"
        )
    study.export(path)
    return None


def targets() -> list[str]:
    """What a study can be exported to: tables, and labelling tools."""
    return [*TABLES, *tools()]


def tools() -> list[str]:
    """The labelling tools: the writers that take :class:`ToolOptions`."""
    return [name for name in registry.names("writer") if _is_tool(registry.get("writer", name))]


def _is_tool(writer: Callable[..., object]) -> bool:
    return "options" in inspect.signature(writer).parameters
