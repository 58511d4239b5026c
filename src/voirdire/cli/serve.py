"""``voirdire serve``: a benchmark's results as pages, on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from voirdire.cli import flags

__all__ = ["command"]


def command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The benchmark's folder.")] = ".",
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port to listen on.")] = 8766,
    public: Annotated[
        str,
        typer.Option(
            "--public", metavar="URL", help="The address people use, behind a proxy.", show_default=False
        ),
    ] = "",
    quiet: flags.Quiet = False,
    store: flags.Store = "",
    run: Annotated[str, typer.Option("--run", metavar="RUN", help="A run, as in run-1.")] = "last",
) -> None:
    """Serve the pages that bench results writes, each made when it is asked for; Ctrl-C stops the server."""
    from voirdire.web.results.opening import open_results
    from voirdire.web.results.serving import results_app
    from voirdire.web.serve import serve_app
    from voirdire.web.site import Site

    site = Site(host=host, port=port, public=public)
    shown = open_results(folder, run=run, store=store)

    def ready() -> None:
        if not quiet:
            typer.echo(f"Serving {shown.results.name} at {site.address}. Ctrl-C stops.")

    serve_app(results_app(shown, site), site, ready=ready)
