"""A rater's pages: the protocol, the list of what is asked, one item at a time, and each metric itself.

Nothing that is sent from here holds a judge's verdict (but in a round that shows it), a system's name, an
item's id or another rater's answer.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from voirdire.review.answers import Answer, Asked, Sent, asked_of, current, draft_of, save_draft, submit
from voirdire.review.desk import Desk, Round
from voirdire.review.log import Cell, Event, happened, record
from voirdire.review.settings import CHALLENGES
from voirdire.review.showing import Showing
from voirdire.web.rendering import page
from voirdire.web.review.items import Shown, shown
from voirdire.web.sessions import NoSession, Session, Sessions
from voirdire.web.site import Site

__all__ = ["router"]

LAST_PLACE = 2**31 - 1
Place = Annotated[int, Path(ge=1, le=LAST_PLACE)]
Proof = Annotated[str, Form(max_length=200)]


class Change(BaseModel):
    """What a form sends: the answer as it stands, under a key of its own, with the sender's clock."""

    model_config = ConfigDict(extra="forbid")

    answer: Answer
    key: str = Field(min_length=8, max_length=64)
    said_at: str = Field(default="", max_length=40)
    seen: int = Field(default=0, ge=0, le=LAST_PLACE)
    seconds: float | None = Field(default=None, ge=0, le=1e7)

    @property
    def sent(self) -> Sent:
        """How the act arrived."""
        return Sent(self.key, self.said_at, self.seen, self.seconds)


def router(desk: Desk, site: Site) -> APIRouter:
    """Everything under ``/rate``."""
    routes = APIRouter(prefix="/rate")
    pages = _Pages(desk)

    @routes.get("/")
    def home(request: Request) -> Response:
        """What is asked of this rater, or the protocol where it is not accepted yet."""
        session, round_ = pages.entered(request)
        if not pages.accepted(session):
            return pages.show("protocol.html", session, round_)
        return pages.show("rate_list.html", session, round_, **pages.overview(session, round_))

    @routes.post("/protocol")
    def accept(request: Request, proof: Proof = "") -> RedirectResponse:
        """Accept the protocol."""
        session = pages.sessions.acting(request, "rater", proof)
        cell = Cell(session.link.round_id, session.link.rater_id)
        with desk.transaction() as connection:
            record(connection, Event(secrets.token_hex(8), "accepted", cell))
        return RedirectResponse("/rate/next", 303)

    @routes.get("/next")
    def following(request: Request) -> RedirectResponse:
        """To the first item without an answer, or to the list where all are answered."""
        session, _ = pages.entered(request)
        place = pages.next_place(session)
        return RedirectResponse(f"/rate/item/{place}" if place else "/rate/", 303)

    @routes.get("/item/{place}")
    def item(request: Request, place: Place) -> Response:
        """One item with the rater's own answer so far."""
        session, round_ = pages.entered(request)
        if not pages.accepted(session):
            return RedirectResponse("/rate/", 303)
        asked = pages.asked(session, place)
        return pages.show("rate_item.html", session, round_, **pages.one(session, round_, asked))

    @routes.get("/item/{place}/state")
    def state(request: Request, place: Place) -> dict[str, Any]:
        """What stands in the item's form, and how many times it was handed in, from whatever device."""
        session, round_ = pages.entered(request)
        asked = pages.asked(session, place)
        return {
            "answer": draft_of(desk, asked.cell),
            "revision": pages.revision(asked),
            "open": round_.is_open,
        }

    @routes.post("/item/{place}/draft")
    def draft(request: Request, place: Place, change: Change) -> dict[str, Any]:
        """Keep what stands in the form."""
        session = pages.sessions.acting(request, "rater", "")
        asked = pages.asked(session, place)
        return {"saved_at": save_draft(desk, asked, change.answer, change.sent)}

    @routes.post("/item/{place}/answer")
    def answer(request: Request, place: Place, change: Change) -> JSONResponse:
        """Hand in an answer; one that comes too late is kept apart, and the reply says so."""
        session = pages.sessions.acting(request, "rater", "")
        asked = pages.asked(session, place)
        round_ = desk.round(session.link.round_id)
        receipt = submit(desk, round_, asked, change.answer, change.sent)
        done, total = pages.progress(session)
        note = LATE if receipt.late else receipt.note
        said = {
            "revision": receipt.revision,
            "saved_at": receipt.saved_at,
            "late": receipt.late,
            "note": note,
        }
        return JSONResponse({**said, "done": done, "total": total, "next": pages.next_place(session, place)})

    @routes.post("/leave")
    def leave(request: Request, proof: Proof = "") -> Response:
        """Forget this browser."""
        pages.sessions.acting(request, "rater", proof)
        response = page("said.html", sentence="You have left. Your link opens your work again at any time.")
        pages.sessions.end(response, "rater")
        return response

    return routes


LATE = "The round has closed: your answer is kept apart, and the organiser sees that it came."


class _Pages:
    """What the routes share."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.sessions = Sessions(desk)

    def entered(self, request: Request) -> tuple[Session, Round]:
        session = self.sessions.of(request, "rater")
        return session, self.desk.round(session.link.round_id)

    def accepted(self, session: Session) -> bool:
        return happened(self.desk, "accepted", Cell(session.link.round_id, session.link.rater_id))

    def asked(self, session: Session, place: int) -> Asked:
        found = asked_of(self.desk, session.link.round_id, session.link.rater_id, place=place)
        if not found:
            raise NoSession("This item is not, or no longer, yours to label: go on with the list.", 404)
        return found[0]

    def revision(self, asked: Asked) -> int:
        mine = current(self.desk, asked.cell.round_id, asked.cell.rater_id)
        row = mine.get((asked.cell.rater_id, asked.cell.item_id, asked.cell.metric))
        return int(row["revision"]) if row else 0

    def states(self, session: Session) -> list[tuple[Asked, dict[str, Any] | None]]:
        link = session.link
        mine = current(self.desk, link.round_id, link.rater_id)
        every = asked_of(self.desk, link.round_id, link.rater_id)
        return [(one, mine.get((link.rater_id, one.cell.item_id, one.cell.metric))) for one in every]

    def progress(self, session: Session) -> tuple[int, int]:
        states = self.states(session)
        return sum(row is not None for _, row in states), len(states)

    def next_place(self, session: Session, after: int = 0) -> int:
        """The first place without an answer, from ``after`` on and then from the beginning; 0 for none."""
        left = [one.place for one, row in self.states(session) if row is None]
        return next((place for place in left if place > after), left[0] if left else 0)

    def overview(self, session: Session, round_: Round) -> dict[str, Any]:
        states = self.states(session)
        titles = {name: self.desk.study.metric(name).label for name in round_.settings.metrics}
        rows = [
            {"place": one.place, "metric": titles[one.cell.metric], "letter": one.letter, "answer": row}
            for one, row in states
        ]
        done = sum(row is not None for _, row in states)
        metrics = [(number, titles[name]) for number, name in enumerate(round_.settings.metrics, start=1)]
        return {"rows": rows, "done": done, "total": len(rows), "metrics": metrics}

    def one(self, session: Session, round_: Round, asked: Asked) -> dict[str, Any]:
        states = self.states(session)
        done = sum(row is not None for _, row in states)
        places = [one.place for one, _ in states]
        at = places.index(asked.place)
        item: Shown = shown(self.desk, round_, asked, Showing(self.desk, round_))
        return {
            "item": item,
            "answer": draft_of(self.desk, asked.cell),
            "revision": self.revision(asked),
            "challenges": CHALLENGES,
            "done": done,
            "total": len(states),
            "number": at + 1,
            "before": places[at - 1] if at else 0,
            "after": places[at + 1] if at + 1 < len(places) else 0,
        }

    def show(self, template: str, session: Session, round_: Round, **context: Any) -> HTMLResponse:
        return page(template, csrf=session.csrf, round=round_, rater=session.link.rater_id, **context)
