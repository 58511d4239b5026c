"""``voirdire plugins``: what is registered, and what failed to load."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

__all__ = ["command"]


def command(
    kind: Annotated[str, typer.Argument(help="List one kind only.", show_default=False)] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List statistics, checks, readers, writers and reports, and every plugin that failed with its reason."""
    from voirdire import registry

    kinds = [kind] if kind else list(registry.BUILT_IN)
    names = {name: registry.names(name) for name in kinds}
    plugins = {name: registry.plugins(name) for name in kinds}
    if as_json:
        listing = {
            name: {"names": names[name], "plugins": list(map(asdict, plugins[name]))} for name in kinds
        }
        typer.echo(json.dumps(listing, indent=2))
        return
    for name in kinds:
        typer.echo(f"{name} ({len(names[name])}): {', '.join(names[name]) or 'none'}")
        for plugin in plugins[name]:
            state = f"failed: {plugin.error}" if plugin.error else "loaded"
            typer.echo(f"  plugin {plugin.name} from {plugin.source} {state}")
