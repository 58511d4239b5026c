"""What a person is told when something goes wrong: what happened, what became of their work, what to do."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from voirdire.errors import UserError
from voirdire.store.schema import storable
from voirdire.web.rendering import page
from voirdire.web.sessions import NoSession

__all__ = ["ENTER", "FAILED", "RESPONSES", "Problem", "add_problems", "said"]


class Problem(BaseModel):
    """What a script is told when something goes wrong: one sentence for the person before it."""

    problem: str


RESPONSES: dict[int | str, dict[str, Any]] = {
    303: {"description": "Done; go on elsewhere."},
    **{
        status: {"model": Problem, "description": what}
        for status, what in {
            400: "Malformed.",
            401: "Nobody who is known here.",
            403: "Not from a page of this session.",
            404: "Nothing there.",
            413: "Too much was sent.",
            422: "It does not fit.",
            429: "Too many wrong links.",
            503: "The store cannot be reached.",
        }.items()
    },
}
"""What any route may answer beside its own reply."""

FAILED = "Something failed here and nothing of this request was kept: try again, or tell the organiser."
STORE = (sql.exc.OperationalError, sql.exc.InterfaceError, sql.exc.TimeoutError)
REASONS = {
    "full": "The server's disk is full",
    "locked": "Another program holds the server's store",
    "readonly": "The server's store cannot be written",
}
"""Words in what the database says, and what they mean to a person."""
UNREACHED = "The server cannot reach its store"
SOON = "15"
"""Seconds after which a script may try again."""
LONGEST_NAME = 40
"""Characters of a field's name that are repeated to whoever sent it."""
ENTER = ("/enter", "Enter with a link")
HOMES = {
    "/rate/": ("/rate/", "Go to your items"),
    "/panel/": ("/panel/", "Go to the queue"),
    "/organiser/": ("/organiser/", "Go to the rounds"),
}
"""Where somebody goes on from a sentence, and what the link says, by the beginning of the address."""
KNOWN = {404: "There is no such page.", 405: "That cannot be done here."}


def add_problems(app: FastAPI) -> None:
    """Let ``app`` answer every error that a request can meet in one sentence."""
    app.add_exception_handler(NoSession, _no_session)
    app.add_exception_handler(UserError, _mistake)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    for kind in STORE:
        app.add_exception_handler(kind, _store)


def said(request: Request, sentence: str, status: int, **headers: str) -> Response:
    """One sentence: as JSON to a script, as a page to a person."""
    sentence = storable(sentence)  # it may repeat what was sent, which need be no text at all
    if "text/html" in request.headers.get("accept", ""):
        demo = getattr(request.app.state, "demo", "")
        response: Response = page(
            "said.html", status=status, sentence=sentence, demo=demo, way_on=_way_on(request, status)
        )
    else:
        response = JSONResponse({"problem": sentence}, status)
    response.headers.update(headers)
    return response


def _way_on(request: Request, status: int) -> tuple[str, str]:
    """A link out of the page: home, or to the entrance for whoever is not known here."""
    if status == 401:
        return ENTER
    path = request.scope["path"]
    return next((home for beginning, home in HOMES.items() if path.startswith(beginning)), ENTER)


def _no_session(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, NoSession)
    return said(request, problem.reason, problem.status)


def _mistake(request: Request, problem: Exception) -> Response:
    return said(request, str(problem), 422)


def _malformed(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    where = ".".join(str(part)[:LONGEST_NAME] for part in first["loc"] if part != "body")
    return said(request, f"{where or 'the request'}: {first['msg']}", 422)


def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    sentence = KNOWN.get(problem.status_code, str(problem.detail))
    return said(request, sentence, problem.status_code, **(problem.headers or {}))


def _store(request: Request, problem: Exception) -> Response:
    """The store cannot be read or written just now; a transaction that failed has left nothing."""
    told = str(getattr(problem, "orig", problem))
    reason = next((words for word, words in REASONS.items() if word in told), UNREACHED)
    kept = (
        "what was handed in is safe"
        if request.method in ("GET", "HEAD")
        else "this was not kept and still stands on your page"
    )
    return said(request, f"{reason}: {kept}; try again in a minute.", 503, **{"retry-after": SOON})
