"""``voirdire gate``: hold a study against a policy; exit code 0 pass, 1 fail, 3 inconclusive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from voirdire.cli import flags
from voirdire.cli.progress import steps

__all__ = ["command"]

CODES = {"pass": 0, "fail": 1, "inconclusive": 3}


def command(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file of labels, or a folder with study.yaml.")
    ] = "",
    policy: Annotated[
        str, typer.Option("--policy", metavar="FILE", help="The policy, gate.yaml.", show_default=False)
    ] = "",
    junit: Annotated[
        str, typer.Option("--junit", metavar="FILE", help="Write a JUnit XML report.", show_default=False)
    ] = "",
    markdown: Annotated[
        str, typer.Option("--markdown", metavar="FILE", help="Write a Markdown table.", show_default=False)
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print a policy to start from and leave.")
    ] = False,
    quiet: flags.Quiet = False,
    judge: flags.Judges = None,
    wide: flags.Wide = "",
    column: flags.ColumnNames = None,
    missing: flags.Missing = None,
    on_duplicate: flags.OnDuplicate = "",
    store: flags.Store = "",
) -> None:
    """Hold a study against a policy of thresholds: 0 it passes, 1 it fails, 3 it cannot be told yet."""
    from voirdire.errors import UserError
    from voirdire.gate.gate import gate
    from voirdire.gate.policy import EXAMPLE, load_policy
    from voirdire.gate.show import junit as as_junit
    from voirdire.gate.show import markdown as as_markdown

    if example:
        typer.echo(EXAMPLE, nl=False)
        return
    if not source or not policy:
        lacking = "SOURCE" if not source else "--policy"
        raise UserError(f"no {lacking}", fix="voirdire gate study/ --policy gate.yaml")
    loaded = load_policy(policy)
    with steps(quiet=quiet or as_json) as step:
        step(f"Reading {source}")
        study = flags.opened(
            source,
            judge=judge,
            wide=wide,
            column=column,
            missing=missing,
            on_duplicate=on_duplicate,
            store=store,
        )
        found = gate(study, loaded, progress=step)
    for path, text in ((junit, as_junit), (markdown, as_markdown)):
        if path:
            _write(path, text(found))
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif not quiet:
        typer.echo(str(found))
    raise typer.Exit(CODES[found.outcome])


def _write(path: str, text: str) -> None:
    from voirdire.errors import UserError

    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise UserError(f"cannot be written: {problem.strerror or problem}", where=path) from None
