"""A panel's pages: the queue of what the labels leave open, and one item with the labels and the ruling."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from voirdire.errors import UserError
from voirdire.review.answers import Sent
from voirdire.review.desk import Desk
from voirdire.review.log import Cell
from voirdire.review.rulings import rule
from voirdire.web.problems import ENTER
from voirdire.web.rendering import page
from voirdire.web.review.panel_pages import PanelPages, RulingForm, following
from voirdire.web.site import Site

__all__ = ["router"]

Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Proof = Annotated[str, Form(max_length=200)]
LEFT = "You have left. Your link opens the queue again at any time."


def router(desk: Desk, site: Site) -> APIRouter:
    """Everything under ``/panel``."""
    routes = APIRouter(prefix="/panel")
    pages = PanelPages(desk)

    @routes.get("/")
    def queue(request: Request, unfinished: Annotated[bool, Query()] = False) -> Response:
        """What goes to the panel, and what was ruled; with ``unfinished`` what still waits for labels too."""
        session, round_ = pages.entered(request)
        return pages.queue_page(session, round_, unfinished=unfinished)

    @routes.get("/next")
    def next_one(request: Request) -> RedirectResponse:
        """To the most urgent item without a ruling, or to the queue where there is none."""
        session, round_ = pages.entered(request)
        number = following(pages.entries(session, round_))
        return RedirectResponse(f"/panel/item/{number}" if number else "/panel/", 303)

    @routes.get("/item/{number}")
    def item(request: Request, number: Number) -> Response:
        """One item with what people said and the ruling as it stands."""
        session, round_ = pages.entered(request)
        return pages.item_page(session, round_, number)

    @routes.post("/item/{number}")
    def ruled(request: Request, number: Number, form: Annotated[RulingForm, Form()]) -> Response:
        """Keep a ruling as the next revision and go on; a form sent twice counts once."""
        session = pages.sessions.acting(request, "panel", form.proof)
        round_ = desk.round(session.link.round_id)
        one = pages.open(session, round_, number)
        cell = Cell(round_.id, session.link.rater_id, one.item_id, one.metric)
        try:
            receipt = rule(
                desk, round_, cell, form.ruling, Sent(form.key or secrets.token_hex(16), seen=form.seen)
            )
        except UserError as problem:
            said = f"Not saved: {problem}. What you wrote stands below."
            return pages.item_page(session, round_, number, form=form, problem=said)
        if receipt.note:
            return pages.item_page(session, round_, number, note=receipt.note)
        return RedirectResponse("/panel/next", 303)

    @routes.post("/leave")
    def leave(request: Request, proof: Proof = "") -> Response:
        """Forget this browser."""
        pages.sessions.acting(request, "panel", proof)
        response = page("said.html", sentence=LEFT, demo=pages.desk.study.demo, way_on=ENTER)
        pages.sessions.end(response, "panel")
        return response

    return routes
