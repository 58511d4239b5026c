"""What a rater thinks of a metric itself: whether it measures what it claims, a better name, edits."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Form, Path, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from voirdire.review.desk import Round
from voirdire.review.metric_reviews import MetricReview, last_review, review_metric
from voirdire.web.review.rater_pages import RaterPages
from voirdire.web.sessions import NoSession, Session

__all__ = ["add_metrics"]

ADEQUACY = {
    "adequate": "It measures what it claims to",
    "uncertain": "I cannot tell whether it does",
    "inadequate": "It does not measure that",
}
Number = Annotated[int, Path(ge=1, le=100_000)]


class ReviewForm(BaseModel):
    """The page's form as it is sent."""

    proof: str = Field(default="", max_length=200)
    key: str = Field(default="", max_length=64)
    adequacy: str = Field(default="", max_length=40)
    rename: str = Field(default="", max_length=200)
    edits: str = Field(default="", max_length=20_000)
    comment: str = Field(default="", max_length=20_000)


def add_metrics(routes: APIRouter, pages: RaterPages) -> None:
    """Add the page of each metric."""

    @routes.get("/metrics/{number}")
    def metric(request: Request, number: Number) -> Response:
        """One metric, with what this rater said of it last."""
        session, round_ = pages.entered(request)
        name = _named(round_, number)
        said = last_review(pages.desk, round_.id, session.link.rater_id, name)
        form = ReviewForm(**said.model_dump()) if said is not None else ReviewForm()
        return _page(pages, session, round_, number, form)

    @routes.post("/metrics/{number}")
    def review(request: Request, number: Number, form: Annotated[ReviewForm, Form()]) -> Response:
        """Keep what a rater thinks of a metric, as a new revision; a form sent twice counts once."""
        session = pages.sessions.acting(request, "rater", form.proof)
        round_ = pages.desk.round(session.link.round_id)
        name = _named(round_, number)
        if form.adequacy not in ADEQUACY:
            problem = "Not saved: choose one of the three answers first; what you wrote stands below."
            return _page(pages, session, round_, number, form, problem)
        said = MetricReview.model_validate(form.model_dump(exclude={"proof", "key"}))
        review_metric(pages.desk, round_, session.link.rater_id, name, said, form.key or secrets.token_hex(8))
        return RedirectResponse(f"/rate/metrics/{number}", 303)


def _page(
    pages: RaterPages,
    session: Session,
    round_: Round,
    number: int,
    form: ReviewForm,
    problem: str = "",
) -> Response:
    metric = pages.desk.study.metric(_named(round_, number))
    context = {"metric": metric, "number": number, "adequacy": ADEQUACY, "form": form}
    fresh = {"key": secrets.token_hex(8), "problem": problem, "saved": form.adequacy and not problem}
    response = pages.show("rate_metric.html", session, round_, **context, **fresh)
    response.status_code = 422 if problem else 200
    return response


def _named(round_: Round, number: int) -> str:
    if number > len(round_.settings.metrics):
        raise NoSession("There is no such criterion in this round.", 404)
    return round_.settings.metrics[number - 1]
