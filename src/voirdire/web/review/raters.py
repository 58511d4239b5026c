"""A rater's pages: the protocol, the list of what is asked, one item at a time, and each metric itself.

Nothing that is sent from here holds a judge's verdict (but in a round that shows it), a system's name, an
item's id or another rater's answer.
"""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from voirdire.review.desk import Desk
from voirdire.review.log import Cell, Event, record
from voirdire.review.own_list import following
from voirdire.web.problems import ENTER
from voirdire.web.rendering import page
from voirdire.web.review.rater_metrics import add_metrics
from voirdire.web.review.rater_pages import RaterPages
from voirdire.web.review.rater_saving import Place, add_saving
from voirdire.web.site import Site

__all__ = ["router"]

Proof = Annotated[str, Form(max_length=200)]
LEFT = "You have left. Your link opens your work again at any time, on this device or another."


def router(desk: Desk, site: Site) -> APIRouter:
    """Everything under ``/rate``."""
    routes = APIRouter(prefix="/rate")
    pages = RaterPages(desk)
    _add_reading(routes, pages)
    _add_coming_and_going(routes, pages)
    add_saving(routes, pages)
    add_metrics(routes, pages)
    return routes


def _add_reading(routes: APIRouter, pages: RaterPages) -> None:
    @routes.get("/")
    def home(request: Request) -> Response:
        """What is asked of this rater, or the protocol where it is not accepted yet."""
        session, round_ = pages.entered(request)
        if not pages.accepted(session):
            return pages.show("protocol.html", session, round_, accepted=False)
        return pages.list_page(session, round_)

    @routes.get("/protocol")
    def protocol(request: Request) -> Response:
        """The protocol, to read again."""
        session, round_ = pages.entered(request)
        return pages.show("protocol.html", session, round_, accepted=pages.accepted(session))

    @routes.get("/next")
    def next_one(request: Request) -> RedirectResponse:
        """To the first item without an answer, or to the list where all are answered."""
        session, round_ = pages.entered(request)
        place = following(pages.entries(session)) if round_.is_open else 0
        return RedirectResponse(f"/rate/item/{place}" if place else "/rate/", 303)

    @routes.get("/item/{place}")
    def item(request: Request, place: Place) -> Response:
        """One item with the rater's own answer so far."""
        session, round_ = pages.entered(request)
        if not pages.accepted(session):
            return RedirectResponse("/rate/", 303)
        return pages.item_page(session, round_, pages.asked(session, place))


def _add_coming_and_going(routes: APIRouter, pages: RaterPages) -> None:
    @routes.post("/protocol")
    def accept(request: Request, proof: Proof = "") -> RedirectResponse:
        """Accept the protocol."""
        session = pages.sessions.acting(request, "rater", proof)
        cell = Cell(session.link.round_id, session.link.rater_id)
        with pages.desk.transaction() as connection:
            record(connection, Event(secrets.token_hex(8), "accepted", cell))
        return RedirectResponse("/rate/next", 303)

    @routes.post("/leave")
    def leave(request: Request, proof: Proof = "") -> Response:
        """Forget this browser."""
        pages.sessions.acting(request, "rater", proof)
        response = page("said.html", sentence=LEFT, demo=pages.desk.study.demo, way_on=ENTER)
        pages.sessions.end(response, "rater")
        return response
