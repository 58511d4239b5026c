"""``voirdire init``: a commented study.yaml from what a file shows, asking what a file cannot tell."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voirdire.cli import flags

if TYPE_CHECKING:
    from voirdire.errors import UserError
    from voirdire.opening import Reading
    from voirdire.study.config import TableConfig
    from voirdire.study.raw import RawTable
    from voirdire.writers.questions import Question

__all__ = ["command"]


def command(
    source: flags.Source,
    out: Annotated[
        str,
        typer.Option("--out", metavar="FOLDER", help="Where study.yaml goes; beside the file by default."),
    ] = "",
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing; leave open questions as comments.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a study.yaml that exists.")] = False,
    judge: flags.Judges = None,
    wide: flags.Wide = "",
    column: flags.ColumnNames = None,
    missing: flags.Missing = None,
) -> None:
    """Write a commented study.yaml from what the file shows, and ask what a file cannot tell."""
    from voirdire.errors import UserError
    from voirdire.study.build import build
    from voirdire.study.config import StudyConfig
    from voirdire.writers.declaration import declaration
    from voirdire.writers.questions import open_questions

    home = Path(source) if Path(source).is_dir() else Path(source).parent
    folder = Path(out) if out else home
    target = folder / "study.yaml"
    if target.exists() and not force:
        raise UserError(
            "exists already", where=str(target), fix="use another --out, or replace it with --force"
        )
    options = {"columns": flags.column_names(column), "wide": flags.split(wide)}
    try:
        found = _read(source, options, flags.missing_spellings(missing))
        study = build(
            found.tables, StudyConfig(), name=found.name, judges=judge or (), assumptions=found.notes
        )
    except UserError as problem:
        if not Path(source).is_dir():
            raise
        text = _bare(Path(source), folder, problem)
    else:
        asked = not yes and _on_terminal()
        answers = {question.key: _ask(question) for question in open_questions(study)} if asked else {}
        text = declaration(study, [_settled(*table, home, folder) for table in found.tables], answers)
    folder.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    typer.echo(f"Wrote {target}. Complete what is open in it, then: voirdire audit {folder}")


def _bare(source: Path, folder: Path, problem: UserError) -> str:
    """A draft that lists the tables of a folder which cannot be read together yet."""
    from voirdire.opening import read_folder
    from voirdire.writers.declaration import bare_declaration

    tables = read_folder(source)
    if not tables:
        raise problem
    columns = {_beside(source / table.name, folder): list(table.columns) for table in tables}
    return bare_declaration(source.resolve().name, columns, problem.faults[0].what)


def _beside(file: Path, folder: Path) -> str:
    """How ``file`` is named in a study.yaml in ``folder``: relative where it is near."""
    try:
        near = Path(os.path.relpath(file, folder))
    except ValueError:  # on another drive
        near = file.resolve()
    return (file.resolve() if near.parts[:2] == ("..", "..") else near).as_posix()


def _read(source: str, options: dict[str, Any], missing: Sequence[str] | None) -> Reading:
    """The tables of a file or a folder, whatever study.yaml the folder has already."""
    from voirdire.opening import Reading, find_tables, read
    from voirdire.study.config import StudyConfig

    if Path(source).is_dir():
        tables, notes = find_tables(Path(source), **options)
        found = Reading(tuple(tables), StudyConfig(), Path(source).resolve().name, notes)
    else:
        found = read(source, **options)
    spelled = {"missing": None if missing is None else list(missing)}
    return replace(
        found, tables=tuple((table, config.model_copy(update=spelled)) for table, config in found.tables)
    )


def _settled(table: RawTable, declared: TableConfig, home: Path, folder: Path) -> TableConfig:
    """What was found about a table's columns as a declaration, with its file as seen from ``folder``."""
    from voirdire.study.faults import Faults
    from voirdire.study.tables import to_long

    found: dict[str, Any] = {"file": _beside(home / declared.file, folder)}
    if declared.kind == "ratings":
        long, _ = to_long(table, declared, Faults())
        names = long.tables[0].names
        found["columns"] = {name: own for name, own in names.items() if own != name and own in table.columns}
        if "item_id" in names and names["item_id"] not in table.columns:
            found["item_from"] = names["item_id"].split("+")
        wide = long.tables[0].wide
        if wide:
            key = "raters" if wide == "rater_id" else "metrics"
            found |= {"layout": "wide", key: list(dict.fromkeys(long.columns[wide].values))}
    return declared.model_copy(update=found)


def _on_terminal() -> bool:
    return sys.stdin.isatty()


def _ask(question: Question) -> tuple[str, ...]:
    """The answer given on the terminal; a wrong one is asked again."""
    from voirdire.errors import UserError

    def parse(answer: str) -> str:
        try:
            question.parse(answer)
        except UserError as mistake:
            raise typer.BadParameter(str(mistake)) from None
        return answer

    answer = typer.prompt(
        question.text, default=question.default, show_default=bool(question.default), value_proc=parse
    )
    return question.parse(answer)
