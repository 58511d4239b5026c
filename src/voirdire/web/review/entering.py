"""Entering: a link's token becomes a session; it travels in a request's body, never in an address."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from voirdire.review.desk import Desk
from voirdire.review.people import find_link
from voirdire.web.rendering import page
from voirdire.web.sessions import PATHS, Guesses, NoSession, Sessions, check_origin
from voirdire.web.site import Site

__all__ = ["router"]


class Entrance(BaseModel):
    """What the page of a link sends: the token that stood behind the link's ``#``."""

    model_config = ConfigDict(extra="forbid")

    token: str = Field(min_length=1, max_length=200)


def router(desk: Desk, site: Site) -> APIRouter:
    """``/enter`` and what leads there."""
    routes = APIRouter()
    sessions, guesses = Sessions(desk), Guesses(site.guesses)

    @routes.get("/", include_in_schema=False)
    def start() -> RedirectResponse:
        return RedirectResponse("/enter", 303)

    @routes.get("/enter")
    def enter() -> HTMLResponse:
        """The page that turns a link into a session."""
        return page("enter.html", demo=desk.study.demo)

    @routes.post("/enter")
    def entered(request: Request, entrance: Entrance) -> Response:
        """Begin a session with a link's token."""
        check_origin(request)
        address = request.client.host if request.client else ""
        if guesses.blocked(address):
            raise NoSession("Too many wrong links from your address: wait a minute and try again.", 429)
        link = find_link(desk, entrance.token)
        if link is None:
            guesses.wrong(address)
            raise NoSession("This link is not valid: copy it whole, or ask the organiser for a new one.")
        response = JSONResponse({"next": f"{PATHS[link.role]}/"})
        sessions.begin(response, link, secure=site.secure or request.url.scheme == "https")
        return response

    @routes.get("/health")
    def health() -> dict[str, str]:
        """Whether the server runs and reaches its store."""
        desk.rounds()
        return {"status": "ok"}

    return routes
