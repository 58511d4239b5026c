"""Beginning a round: its metrics, what raters see and read, and when it closes."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from voirdire.errors import UserError
from voirdire.judges.viewing import NEVER
from voirdire.review.beginning import BeginOptions, settings_of
from voirdire.review.desk import Desk, Round
from voirdire.review.settings import PROTOCOL, RoundSettings
from voirdire.review.showing import Showing, Side
from voirdire.web.review.organise_forms import Beginning
from voirdire.web.review.organise_pages import OrganiserPages
from voirdire.web.sessions import Session

__all__ = ["router"]

MOST_SHOWN = 40
"""Columns of the items that are offered to show."""
LONGEST_DAY = 24 * 60


def router(pages: OrganiserPages) -> APIRouter:
    """The page that begins a round."""
    routes = APIRouter(prefix="/begin")
    desk = pages.desk

    @routes.get("")
    def beginning(request: Request) -> Response:
        """The form with its usual answers."""
        session = pages.entered(request)
        metrics = [metric.name for metric in desk.study.metrics if metric.scale.labels]
        return _page(pages, session, Beginning(metric=metrics, protocol=PROTOCOL))

    @routes.post("")
    def begun(request: Request, typed: Annotated[Beginning, Form()]) -> Response:
        """Begin the round, or show one item as its raters would see it."""
        session = pages.acting(request, typed.proof)
        try:
            settings = _settings(desk, typed)
            sides = _first_item(desk, settings)
            if typed.act == "begin":
                round_ = desk.new_round(settings)
                return RedirectResponse(f"/organiser/round/{round_.id}/people", 303)
        except UserError as problem:
            return _page(pages, session, typed, problem=str(problem))
        return _page(pages, session, typed, sides=sides)

    return routes


def _page(pages: OrganiserPages, session: Session, typed: Beginning, **context: Any) -> Response:
    study = pages.desk.study
    columns = [name for name in (*study.items.texts, *study.items.attributes) if name not in NEVER][
        :MOST_SHOWN
    ]
    judges = [study.raters[code].id for code in study.raters_of("judge")]
    told = {"typed": typed, "columns": columns, "judges": judges, "sides": (), **context}
    return pages.show("organise_begin.html", session, None, **told)


def _settings(desk: Desk, typed: Beginning) -> RoundSettings:
    if not typed.metric:
        raise UserError("no metric is chosen", fix="tick at least one")
    if not typed.title.strip():
        raise UserError("the round has no title", fix="say in a few words what raters will do")
    options = BeginOptions(
        title=" ".join(typed.title.split())[:200],
        metrics=tuple(typed.metric),
        mode=cast(Literal["blind", "confirm"], typed.mode if typed.mode in ("blind", "confirm") else "blind"),
        judge=typed.judge,
        borderline=bool(typed.borderline),
        sets=tuple(typed.sets),
        shown=tuple(typed.shown),
        protocol=typed.protocol.strip() or PROTOCOL,
        closes_at=_closing(typed.closes, typed.offset),
    )
    return settings_of(desk, options)


def _closing(text: str, offset: str) -> str:
    """The time as the organiser's clock shows it, with that clock's offset; empty for none."""
    if not text.strip():
        return ""
    digits = offset.removeprefix("-")
    minutes = int(offset) if digits.isascii() and digits.isdigit() and len(digits) < 5 else 0
    zone = timezone(timedelta(minutes=minutes if abs(minutes) < LONGEST_DAY else 0))
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone).isoformat(timespec="minutes")
    except ValueError:
        raise UserError(f"'{text}' is no time", expected="a day and a time") from None


def _first_item(desk: Desk, settings: RoundSettings) -> tuple[Side, ...]:
    """The first item as raters see it; a round without anything to read is a user's error."""
    pairwise = any(desk.study.metric(name).scale.kind == "pairwise" for name in settings.metrics)
    showing = Showing(desk, Round("", settings, "", closed=False))
    return showing.sides(desk.study.items.ids[0], "ab" if pairwise else "")
