"""Pages under ``/organiser``: the rounds of a study, and the way to everything about each."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from voirdire.review.desk import Desk
from voirdire.web.review import (
    organise_assign,
    organise_begin,
    organise_exports,
    organise_gold,
    organise_metrics,
    organise_overview,
    organise_people,
)
from voirdire.web.review.organise_pages import OrganiserPages
from voirdire.web.site import Site

__all__ = ["router"]

PARTS = (
    organise_overview,
    organise_begin,
    organise_people,
    organise_assign,
    organise_gold,
    organise_metrics,
    organise_exports,
)


def router(desk: Desk, site: Site) -> APIRouter:
    """Everything under ``/organiser``."""
    routes = APIRouter(prefix="/organiser")
    pages = OrganiserPages(desk, site)

    @routes.get("/")
    def start(request: Request) -> RedirectResponse:
        """To the newest round, or to begin the first one."""
        pages.entered(request)
        rounds = desk.rounds()
        where = f"round/{rounds[-1].id}/" if rounds else "begin"
        return RedirectResponse(f"/organiser/{where}", 303)

    @routes.get("/rounds")
    def rounds(request: Request) -> Response:
        """Every round."""
        return pages.show("organise_rounds.html", pages.entered(request), None)

    for part in PARTS:
        routes.include_router(part.router(pages))
    return routes
