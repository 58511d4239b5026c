"""Saving: what a rater's form sends, every change as a draft and the whole when it is handed in."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field

from voirdire.review.answers import Answer, Sent, save_draft, submit
from voirdire.review.headway import headway
from voirdire.review.own_list import changes_of, standing
from voirdire.web.review.rater_pages import RaterPages

__all__ = ["Place", "add_saving"]

LAST_PLACE = 2**31 - 1
Place = Annotated[int, Path(ge=1, le=LAST_PLACE)]
CLOSED = "The round has closed: your answer is kept apart, and the organiser sees that it came."
TAKEN_BACK = "This item was taken back: your answer is kept apart, and the organiser sees that it came."


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


def add_saving(routes: APIRouter, pages: RaterPages) -> None:
    """Add what scripts of an item's page send to."""
    desk = pages.desk

    @routes.get("/item/{place}/state")
    def state(request: Request, place: Place) -> dict[str, Any]:
        """What stands in the item's form, from whatever device, and the proof that this session needs."""
        session, round_ = pages.entered(request)
        stands = standing(desk, pages.asked(session, place, withdrawn=True).cell)
        told = {"csrf": session.csrf, "owner": pages.owner(session), "open": round_.is_open}
        return {**vars(stands), **told}

    @routes.post("/item/{place}/draft")
    def draft(request: Request, place: Place, change: Change) -> dict[str, Any]:
        """Keep what stands in the form."""
        session = pages.sessions.acting(request, "rater", "")
        asked = pages.asked(session, place, withdrawn=True)
        saved_at = save_draft(desk, asked, change.answer, change.sent)
        is_open = desk.round(session.link.round_id).is_open and not asked.withdrawn
        return {"saved_at": saved_at, "changes": changes_of(desk, asked.cell), "open": is_open}

    @routes.post("/item/{place}/answer")
    def answer(request: Request, place: Place, change: Change) -> dict[str, Any]:
        """Hand in an answer; one that comes too late is kept apart, and the reply says so."""
        session = pages.sessions.acting(request, "rater", "")
        asked = pages.asked(session, place, withdrawn=True)
        round_ = desk.round(session.link.round_id)
        receipt = submit(desk, round_, asked, change.answer, change.sent)
        late = TAKEN_BACK if asked.withdrawn else CLOSED
        stands = headway(desk, asked.cell.round_id, asked.cell.rater_id)
        return {
            "revision": receipt.revision,
            "saved_at": receipt.saved_at,
            "late": receipt.late,
            "open": not receipt.late,
            "note": late if receipt.late else receipt.note,
            "changes": changes_of(desk, asked.cell),
            "done": stands.done,
            "total": stands.total,
            "next": stands.next_place(place),
        }
