"""What a rater's routes share: who asks, what they are asked for, and the pages made of it."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from voirdire.review.anchors import note_shown
from voirdire.review.answers import Asked, asked_of
from voirdire.review.desk import Desk, Round
from voirdire.review.log import Cell, happened
from voirdire.review.metric_reviews import last_review
from voirdire.review.own_list import Entry, following, own_list, standing
from voirdire.review.revealing import revealed
from voirdire.review.settings import CHALLENGES
from voirdire.review.showing import Showing
from voirdire.web.rendering import page
from voirdire.web.review.items import Shown, option_titles, shown
from voirdire.web.sessions import NoSession, Session, Sessions

__all__ = ["CONFIDENCE", "RaterPages"]

CONFIDENCE = (("guess", "A"), ("low", "S"), ("fair", "D"), ("sure", "F"))
"""What 1 to 4 mean, and the key of each."""
CHALLENGE_KEYS = dict(zip(CHALLENGES, "ZXCVM", strict=True))
NOT_YOURS = "This item is not, or no longer, yours to label: go on with the list."


class RaterPages:
    """The pages of a desk's raters; nothing made here holds an item's id, a system or another rater."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.sessions = Sessions(desk)
        self._showings: dict[str, Showing] = {}

    def entered(self, request: Request) -> tuple[Session, Round]:
        """Who asks, and in which round."""
        session = self.sessions.of(request, "rater")
        return session, self.desk.round(session.link.round_id)

    def accepted(self, session: Session) -> bool:
        """Whether this rater has accepted the protocol."""
        return happened(self.desk, "accepted", Cell(session.link.round_id, session.link.rater_id))

    def asked(self, session: Session, place: int, *, withdrawn: bool = False) -> Asked:
        """What is asked at ``place`` of this rater's list; elsewhere there is nothing."""
        link = session.link
        found = asked_of(self.desk, link.round_id, link.rater_id, place=place, withdrawn=withdrawn)
        if not found:
            raise NoSession(NOT_YOURS, 404)
        return found[0]

    def entries(self, session: Session) -> tuple[Entry, ...]:
        """This rater's list."""
        return own_list(self.desk, session.link.round_id, session.link.rater_id)

    def owner(self, session: Session) -> str:
        """The name under which a device keeps this rater's work, the same for each link of theirs."""
        return self.desk.derived("device", session.link.round_id, session.link.rater_id)[:16]

    def show(self, template: str, session: Session, round_: Round, **context: Any) -> HTMLResponse:
        """A page of this rater's."""
        told: dict[str, Any] = {
            "demo": self.desk.study.demo,
            "csrf": session.csrf,
            "owner": self.owner(session),
        }
        return page(template, round=round_, **told, **context)

    def list_page(self, session: Session, round_: Round) -> HTMLResponse:
        """Everything that is asked, with what was handed in."""
        entries = self.entries(session)
        titles = {name: self.desk.study.metric(name).label for name in round_.settings.metrics}
        metrics = [
            (number, titles[name], last_review(self.desk, round_.id, session.link.rater_id, name))
            for number, name in enumerate(round_.settings.metrics, start=1)
        ]
        context = {
            "rows": [(entry, titles[entry.asked.cell.metric], _given(round_, entry)) for entry in entries],
            "metrics": metrics,
            "next": following(entries),
            **_counts(entries),
        }
        return self.show("rate_list.html", session, round_, **context)

    def item_page(self, session: Session, round_: Round, asked: Asked) -> HTMLResponse:
        """One item with the form as it stands."""
        entries = self.entries(session)
        places = [entry.asked.place for entry in entries]
        at = places.index(asked.place)
        item = self._shown(round_, asked)
        others = revealed(self.desk, round_, asked.cell)
        if item.anchor is not None or others is not None:
            note_shown(self.desk, asked.cell)
        stands = standing(self.desk, asked.cell)
        stood = stands.answer if round_.is_open else stands.handed_in or stands.answer
        answer = {**_blank(item), **(stood or {})}
        context = {
            "item": item,
            "stands": stands,
            "answer": answer,
            "told": self._told(session, round_, item, {**vars(stands), "answer": answer}),
            "revealed": others,
            "titles": option_titles(round_, asked),
            "challenges": [(name, title, CHALLENGE_KEYS[name]) for name, title in CHALLENGES.items()],
            "confidence": [(number, *level) for number, level in enumerate(CONFIDENCE, start=1)],
            "metric_number": round_.settings.metrics.index(asked.cell.metric) + 1,
            "number": at + 1,
            "before": places[at - 1] if at else 0,
            "after": places[at + 1] if at + 1 < len(places) else 0,
            **_counts(entries),
        }
        return self.show("rate_item.html", session, round_, **context)

    def _shown(self, round_: Round, asked: Asked) -> Shown:
        showing = self._showings.setdefault(round_.id, Showing(self.desk, round_))
        return shown(self.desk, round_, asked, showing)

    def _told(self, session: Session, round_: Round, item: Shown, stands: dict[str, Any]) -> dict[str, Any]:
        """What the page's scripts know."""
        return {
            "place": item.place,
            "csrf": session.csrf,
            "owner": self.owner(session),
            "open": round_.is_open,
            "several": item.several,
            "standing": stands,
        }


def _counts(entries: tuple[Entry, ...]) -> dict[str, int]:
    return {"done": sum(entry.done for entry in entries), "total": len(entries)}


def _given(round_: Round, entry: Entry) -> str:
    """What was handed in, in words."""
    titles = option_titles(round_, entry.asked)
    return ", ".join(titles.get(label, label) for label in entry.labels)


def _blank(item: Shown) -> dict[str, Any]:
    """The form before anything is entered: empty, or on the verdict that is to be confirmed."""
    start = [item.anchor.label] if item.anchor is not None else []
    return {
        "labels": start,
        "skipped": False,
        "confidence": None,
        "challenge": "",
        "cites": [],
        "comment": "",
    }
