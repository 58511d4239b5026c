"""What a panel's routes share: who asks, which items are before the panel, and the pages made of them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse

from voirdire.review.anchors import note_shown
from voirdire.review.answers import Asked
from voirdire.review.desk import Desk, Round
from voirdire.review.log import Cell
from voirdire.review.panel import as_panel, owed_by, panel_queue, said_of
from voirdire.review.queue import REASONS, Open
from voirdire.review.rulings import KINDS, Ruling
from voirdire.review.settings import CHALLENGES
from voirdire.review.showing import Showing
from voirdire.web.rendering import page
from voirdire.web.review.items import Shown, option_titles, shown
from voirdire.web.review.rater_pages import CONFIDENCE
from voirdire.web.sessions import NoSession, Session, Sessions

__all__ = ["Entry", "PanelPages", "RulingForm"]

LISTED = "number"
"""The choice whose label is taken from a list, where verdicts are many numbers."""
GONE = "This item is not before the panel, or no longer: go on with the queue."
OWED = (
    "You are asked to label this item yourself: hand in your own answer first, or let the organiser take it "
    "back. Nothing was ruled."
)


class RulingForm(BaseModel):
    """The page's form as it is sent; ``choice`` is a kind of ruling, or ``label`` and the label."""

    proof: str = Field(default="", max_length=200)
    key: str = Field(default="", max_length=64)
    seen: int = Field(default=0, ge=0, le=2**31 - 1)
    choice: str = Field(default="", max_length=520)
    number: str = Field(default="", max_length=520)
    reason: str = Field(default="", max_length=20_000)

    @property
    def ruling(self) -> Ruling:
        """What it says; what may not be ruled is found when it is kept."""
        kind, _, label = self.choice.partition(" ")
        if kind in ("contested", "rubric"):
            return Ruling.model_validate({"kind": kind, "reason": self.reason})
        return Ruling(kind="label", label=self.number if kind == LISTED else label, reason=self.reason)

    @classmethod
    def standing(cls, one: Open, item: Shown) -> RulingForm:
        """The form as the last ruling fills it."""
        if one.ruling is None:
            return cls()
        kind, label = one.ruling["ruling"], one.ruling["label"] or ""
        listed = item.number is not None and label in item.number.labels
        choice = LISTED if listed else f"label {label}" if kind == "label" else kind
        return cls(choice=choice, number=label if listed else "", reason=one.ruling["reason"])


@dataclass(frozen=True)
class Entry:
    """One line of the queue: its ``number`` in addresses, and whether it is ``shut`` to this member.

    ``coming`` says that labels are still to come, ``ruled`` is the last ruling in words.
    """

    number: int
    open: Open
    metric: str
    shut: bool
    coming: bool
    ruled: str

    @property
    def next(self) -> bool:
        """Whether this member can rule now and nobody has."""
        return self.open.waits and not self.shut and not self.coming


class PanelPages:
    """The pages of a desk's panel; nothing made here holds an item's id, a system, a judge or a rater."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.sessions = Sessions(desk)

    def entered(self, request: Request) -> tuple[Session, Round]:
        """Who asks, and in which round."""
        session = self.sessions.of(request, "panel")
        return session, self.desk.round(session.link.round_id)

    def entries(self, session: Session, round_: Round) -> tuple[Entry, ...]:
        """All that is before the panel or on its way there, as this member sees it."""
        owed = owed_by(self.desk, round_.id, session.link.rater_id)
        metrics = round_.settings.metrics
        found = [
            Entry(
                # the same whatever else is in the queue
                metrics.index(one.metric) * len(self.desk.study.items) + self.desk.position[one.item_id] + 1,
                one,
                self.desk.study.metric(one.metric).label,
                shut=(one.item_id, one.metric) in owed,
                coming=one.waits and round_.is_open and not one.complete,
                ruled=self._ruled(round_, one),
            )
            for one in panel_queue(self.desk, round_, unfinished=True)
        ]
        # what is shut comes last, for its place would say how people differ
        return tuple(sorted(found, key=lambda entry: (not entry.open.waits, entry.shut)))

    def queue_page(self, session: Session, round_: Round, *, unfinished: bool) -> HTMLResponse:
        """Everything before the panel, with why and with what was ruled."""
        every = self.entries(session, round_)
        entries = [entry for entry in every if unfinished or not entry.coming]
        context: dict[str, Any] = {
            "entries": entries,
            "next": following(entries),
            "unfinished": unfinished,
            "coming": sum(entry.coming for entry in every),
            "shut": sum(entry.shut and entry.open.waits and not entry.coming for entry in every),
            "reasons": REASONS,
            **_counts(every),
        }
        return self.show("panel_queue.html", session, round_, **context)

    def item_page(
        self,
        session: Session,
        round_: Round,
        number: int,
        *,
        form: RulingForm | None = None,
        problem: str = "",
        note: str = "",
    ) -> HTMLResponse:
        """One item with the labels of people and the ruling as it stands, or ``form`` as it was typed."""
        every = self.entries(session, round_)
        entry = _found(every, number)
        one = entry.open
        note_shown(self.desk, Cell(round_.id, session.link.rater_id, one.item_id, one.metric))
        asked = as_panel(self.desk, round_, one.item_id, one.metric)
        showing = Showing(self.desk, round_)
        item = shown(self.desk, round_, asked, showing)
        said = said_of(self.desk, round_, asked, showing.sides(one.item_id, asked.presented))
        context = {
            "item": item,
            "entry": entry,
            "said": said,
            "titles": self._titles(round_, asked),
            "reasons": [REASONS[reason] for reason in one.reasons],
            "challenges": {**CHALLENGES, "none": "", "": ""},
            "confidence": [title for title, _ in CONFIDENCE],
            "kinds": KINDS,
            "form": form or RulingForm.standing(one, item),
            "revision": one.ruling["revision"] if one.ruling else 0,
            "key": (form.key if form else "") or secrets.token_hex(16),
            "problem": problem,
            "note": note,
            "owner": self.desk.derived("device", round_.id, "panel", session.link.rater_id)[:16],
            "next": following([other for other in every if other is not entry]),
            **_counts(every),
        }
        return self.show("panel_item.html", session, round_, status=422 if problem else 200, **context)

    def open(self, session: Session, round_: Round, number: int) -> Open:
        """The item called ``number`` to rule on; one that is not before the panel, or shut, is refused."""
        return _found(self.entries(session, round_), number).open

    def show(
        self, template: str, session: Session, round_: Round, *, status: int = 200, **context: Any
    ) -> HTMLResponse:
        """A page of the panel's."""
        told: dict[str, Any] = {"demo": self.desk.study.demo, "csrf": session.csrf}
        return page(template, status=status, round=round_, **told, **context)

    def _ruled(self, round_: Round, one: Open) -> str:
        if one.ruling is None:
            return ""
        if one.ruling["ruling"] != "label":
            return KINDS[one.ruling["ruling"]]
        asked = as_panel(self.desk, round_, one.item_id, one.metric)
        label = str(one.ruling["label"])
        return self._titles(round_, asked).get(label, label)

    def _titles(self, round_: Round, asked: Asked) -> dict[str, str]:
        """What each label is called here, "not sure" too, which is no label to rule."""
        scale = round_.settings.scales[asked.cell.metric]
        unsure = {scale.unsure: scale.unsure.capitalize()} if scale.unsure else {}
        return {**unsure, **option_titles(round_, asked)}


def following(entries: Sequence[Entry]) -> int:
    """The number of the first item that this member can rule on and nobody has; 0 for none."""
    return next((entry.number for entry in entries if entry.next), 0)


def _found(entries: Sequence[Entry], number: int) -> Entry:
    found = next((entry for entry in entries if entry.number == number), None)
    if found is None:
        raise NoSession(GONE, 404)
    if found.shut:
        raise NoSession(OWED, 403)
    return found


def _counts(entries: Sequence[Entry]) -> dict[str, int]:
    """How many items were ruled, of all that have come before the panel."""
    there = [entry for entry in entries if not entry.coming]
    return {"done": sum(not entry.open.waits for entry in there), "total": len(there)}
