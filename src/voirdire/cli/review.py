"""``voirdire review``: people label in the browser, blind and as planned; labels go to the study's store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli import flags
from voirdire.errors import UserError

if TYPE_CHECKING:
    from voirdire.review.beginning import BeginOptions
    from voirdire.review.desk import Desk, Round
    from voirdire.web.site import Site

__all__ = ["command"]

Names = list[str] | None
ROLES = {"organiser": "Organiser", "panel": "Panel", "rater": "Rater"}


def command(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A folder with items and study.yaml.", show_default=False)
    ],
    store: Annotated[
        str,
        typer.Option(
            "--store",
            metavar="URL",
            help="Where labels are kept; as study.yaml says, or the study's folder, by default.",
            show_default=False,
        ),
    ] = "",
    rater: Annotated[
        Names,
        typer.Option(
            "--rater", metavar="NAME[:LOAD]", help="A person to invite, at most LOAD labels; again."
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option("--plan", metavar="FILE", help="Who labels what, as voirdire plan wrote it."),
    ] = None,
    labels_an_item: Annotated[
        int, typer.Option("--labels-an-item", help="Without a plan: how many people label each item.")
    ] = 2,
    items: Annotated[
        int, typer.Option("--items", help="Without a plan: so many items at random; 0 for all, at most 300.")
    ] = 0,
    metric: Annotated[
        Names, typer.Option("--metric", metavar="NAME", help="Ask for this metric only; may be given again.")
    ] = None,
    title: Annotated[
        str, typer.Option("--title", help="What raters read above their work.", show_default=False)
    ] = "",
    confirm: Annotated[
        str,
        typer.Option(
            "--confirm",
            metavar="JUDGE",
            help="Show this judge's verdict to correct; such labels are anchored.",
            show_default=False,
        ),
    ] = "",
    borderline: Annotated[
        bool, typer.Option("--borderline", help="Offer borderline where a metric does not have it.")
    ] = False,
    sets: Annotated[
        Names, typer.Option("--sets", metavar="METRIC", help="Allow several labels on this metric.")
    ] = None,
    show: Annotated[
        Names, typer.Option("--show", metavar="COLUMN", help="Show this column of the items; again.")
    ] = None,
    protocol: Annotated[
        Path | None,
        typer.Option("--protocol", metavar="FILE", help="A text that raters read and accept first."),
    ] = None,
    closes: Annotated[
        str,
        typer.Option("--closes", metavar="TIME", help="As in 2026-12-24T18:00+01:00.", show_default=False),
    ] = "",
    new_round: Annotated[
        bool, typer.Option("--new-round", help="Begin a round beside those before.")
    ] = False,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port to listen on.")] = 8765,
    public: Annotated[
        str,
        typer.Option(
            "--public", metavar="URL", help="The address people use, behind a proxy.", show_default=False
        ),
    ] = "",
    proxy: Annotated[
        Names,
        typer.Option("--proxy", metavar="ADDRESS", help="A proxy whose forwarded headers are believed."),
    ] = None,
    log: Annotated[
        bool,
        typer.Option("--log", help="Write a line for each request, which names nobody, to stderr."),
    ] = False,
    new_organiser: Annotated[
        bool, typer.Option("--new-organiser", help="End the organiser's link and make a new one.")
    ] = False,
    links: Annotated[bool, typer.Option("--links", help="Print the links and stop.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Makes every random order repeatable.")] = 20261129,
    quiet: flags.Quiet = False,
) -> None:
    """Serve the pages on which people label; Ctrl-C stops the server, and links and labels stay."""
    from voirdire.decide.plan_options import parse_raters
    from voirdire.review.beginning import BeginOptions
    from voirdire.review.desk import open_desk
    from voirdire.review.people import organiser_link
    from voirdire.review.settings import PROTOCOL
    from voirdire.web.site import Site

    site = Site(host=host, port=port, public=public, proxies=tuple(proxy or ()))
    options = BeginOptions(
        title=title,
        metrics=tuple(metric or ()),
        raters=parse_raters(rater or []),
        plan=plan,
        labels_an_item=labels_an_item,
        items=items,
        mode="confirm" if confirm else "blind",
        judge=confirm,
        borderline=borderline,
        sets=tuple(sets or ()),
        shown=tuple(show or ()),
        protocol=PROTOCOL if protocol is None else _text(protocol),
        closes_at=closes,
        seed=seed,
    )
    desk = open_desk(source, store)
    try:
        for line in _round(desk, options, new_round):
            if not quiet:
                typer.echo(line)
        if new_organiser:
            organiser_link(desk, desk.rounds()[-1].id, renew=True)
        for line in _links(desk, site):
            typer.echo(line)
        if not links:
            _serve(desk, site, store if not quiet else "", log)
    finally:
        desk.store.close()


def _round(desk: Desk, options: BeginOptions, new: bool) -> Iterator[str]:
    """The round that is under way, or the one that begins now, in words."""
    from voirdire.review.beginning import begin

    known = desk.rounds()
    if known and not new:
        _refuse(options, known[-1])
        yield f"{known[-1].settings.title} ({known[-1].id}) goes on."
        return
    begun = begin(desk, options)
    yield f"{begun.round.settings.title} ({begun.round.id}): {begun.n_labels:,} labels are asked for."
    yield from begun.notes


def _refuse(options: BeginOptions, round_: Round) -> None:
    """Options that begin a round say nothing to one that is under way."""
    from voirdire.review.beginning import BeginOptions

    given = [
        one.name for one in fields(options) if getattr(options, one.name) != getattr(BeginOptions(), one.name)
    ]
    if given:
        raise UserError(
            f"{round_.id} is under way, and {given[0].replace('_', ' ')} is for a round that begins",
            fix="leave it out, use the organiser's page, or begin another with --new-round",
        )


def _links(desk: Desk, site: Site) -> Iterator[str]:
    """The valid links: every organiser's, who sees all rounds, and those of the last round."""
    from voirdire.review.people import links_of

    last = desk.rounds()[-1].id
    valid = [
        one
        for one in links_of(desk)
        if not one.link.revoked and (one.link.role == "organiser" or one.link.round_id == last)
    ]
    ordered = sorted(valid, key=lambda one: list(ROLES).index(one.link.role))
    names = [" ".join(filter(None, (ROLES[one.link.role], one.link.rater_id))) for one in ordered]
    names = [
        f"{name} ({one.link.name})" if one.link.name not in ("", one.link.rater_id) else name
        for name, one in zip(names, ordered, strict=True)
    ]
    width = max(map(len, names))
    yield from (f"{name:<{width}}  {site.link(one.token)}" for name, one in zip(names, ordered, strict=True))


def _serve(desk: Desk, site: Site, store: str, log: bool) -> None:
    from voirdire.web.serve import serve

    def ready() -> None:
        if store:
            typer.echo(
                f"Labels go to {desk.store.where}: to audit them, name it with --store or in study.yaml."
            )
        typer.echo(f"Serving at {site.address}. Ctrl-C stops; links and labels stay.")

    serve(desk, site, log=partial(typer.echo, err=True) if log else None, ready=ready)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UserError("cannot be read as text", where=str(path), expected="a UTF-8 text file") from None
