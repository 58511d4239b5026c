"""``voirdire export``: every rating of every rater as a table, or the items to a labelling tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from voirdire.cli import flags

__all__ = ["command"]

Judges = Annotated[
    list[str] | None,
    typer.Option(
        "--pre-annotate",
        metavar="JUDGE",
        help="Show raters this judge's verdicts, which anchors them; may be given again for Label Studio.",
    ),
]


def command(
    source: flags.Source,
    target: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A .csv, .tsv, .jsonl or .parquet file; or see --to.", show_default=False
        ),
    ] = "",
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="The same as FILE.", show_default=False)
    ] = "",
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="TOOL",
            help="label-studio (FILE is tasks.json) or argilla (FILE is a folder), to label the items there; "
            "or csv, tsv, jsonl, parquet.",
            show_default=False,
        ),
    ] = "",
    pre_annotate: Judges = None,
    without_labels: Annotated[
        bool, typer.Option("--without-labels", help="Send the items to a tool without anybody's labels.")
    ] = False,
    show_systems: Annotated[
        bool, typer.Option("--show-systems", help="Let raters in a tool see what names the systems.")
    ] = False,
    key: Annotated[
        str,
        typer.Option(
            "--key",
            metavar="KEY",
            help="The .key file of the export that SOURCE came back from: its codes become names again.",
            show_default=False,
        ),
    ] = "",
    pseudonyms: Annotated[
        bool, typer.Option("--pseudonyms", help="Put a stable code in place of each rater's e-mail address.")
    ] = False,
    judge: flags.Judges = None,
    wide: flags.Wide = "",
    column: flags.ColumnNames = None,
    missing: flags.Missing = None,
    on_duplicate: flags.OnDuplicate = "",
    store: flags.Store = "",
    seed: Annotated[int, typer.Option("--seed", help="Makes the order of coded items repeatable.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Say what was written as JSON.")] = False,
    quiet: flags.Quiet = False,
    force: flags.Force = False,
) -> None:
    """Write every rating as one long table, or send the items to a labelling tool.

    A table holds every rating of every rater as it came in.
    """
    from voirdire.decide.lines import assumed
    from voirdire.errors import UserError
    from voirdire.writers.coded import ToolOptions
    from voirdire.writers.exporting import ExportOptions, export, tools

    path = out or target
    if not path or (out and target):
        raise UserError("one file to write is needed", fix="voirdire export SOURCE FILE, or -o FILE")
    tool = ToolOptions(
        pre_annotate=tuple(pre_annotate or ()),
        labels=not without_labels,
        show_systems=show_systems,
        seed=seed,
    )
    options = ExportOptions(to=to, tool=tool, key=key, pseudonyms=pseudonyms)
    flags.keep_existing(path, *_beside(path, to), force=force)
    study = flags.opened(
        source,
        judge=judge,
        wide=wide,
        column=column,
        missing=missing,
        on_duplicate=on_duplicate,
        unrated=to in tools(),
        store=store,
    )
    written = export(study, path, options)
    told = written.to_dict() if written else {"files": [path], "ratings": len(study.ratings)}
    if as_json:
        typer.echo(json.dumps({**told, "assumptions": list(study.assumptions)}, ensure_ascii=False))
    elif not quiet:
        said = str(written) if written else f"Wrote {len(study.ratings):,} ratings to {path}."
        typer.echo("\n".join([said, *assumed(study.assumptions)]))


def _beside(path: str, to: str) -> list[str]:
    """What an export to a tool writes beside ``path``, and would replace."""
    if to == "label-studio":
        return [str(Path(path).with_suffix(end)) for end in (".xml", ".key")]
    return [f"{path.rstrip('/')}.key"] if to == "argilla" else []
