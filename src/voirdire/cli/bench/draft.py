"""``voirdire bench draft``: have a model draft a metric, for a person to edit and check."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["command"]


def command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The benchmark's folder.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="The metric's name.")],
    construct: Annotated[
        str, typer.Option("--construct", metavar="TEXT", help="What is measured, in your words.")
    ],
    polarity: Annotated[
        str, typer.Option("--polarity", help="positive: the behaviour is wanted; negative: it is not.")
    ],
    model: Annotated[
        str, typer.Option("--model", metavar="FILE", help="The model, in a file with the keys of user.yaml.")
    ],
    benchmark: Annotated[str, typer.Option("--benchmark", help="Where the metric belongs.")] = "",
    subarea: Annotated[str, typer.Option("--subarea", help="The benchmark's subarea.")] = "",
    area: Annotated[str, typer.Option("--area", help="The subarea's area.")] = "",
    scenarios: Annotated[int, typer.Option("--scenarios", help="How many conversations.")] = 3,
) -> None:
    """Have a model draft a metric; it does not count before a person has made it theirs and checked it."""
    import asyncio

    from voirdire.bench.drafting import Wanted, draft_metric, load_drafter
    from voirdire.bench.suite import read_parts
    from voirdire.store.sql import open_store

    wanted = Wanted(
        name=name,
        construct=construct,
        polarity=polarity,
        benchmark=benchmark,
        subarea=subarea,
        area=area,
        scenarios=scenarios,
    )
    drafter = load_drafter(model)
    read_parts(folder)
    with open_store(folder) as store:
        file = asyncio.run(draft_metric(folder, wanted, drafter, store))
    typer.echo(f"Wrote {file}. It is a draft: edit it, take out draft: true, and move it to metrics/.")
