"""Where a round stands: coverage, agreement, raters and what needs the organiser; and its closing."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
from fastapi import APIRouter, Request
from starlette.responses import Response

from voirdire.review.attention import Concern, Facts, concerns
from voirdire.review.closing import close, reopen
from voirdire.review.desk import Round
from voirdire.review.progress import progress
from voirdire.review.queue import left_open
from voirdire.review.round_rows import rows_of
from voirdire.review.rulings import rulings_of
from voirdire.review.showing import Showing, names_in_texts
from voirdire.web.rendering import page
from voirdire.web.review.organise_pages import OrganiserPages, Proof, RoundId
from voirdire.web.review.organise_view import overview

__all__ = ["router"]


def router(pages: OrganiserPages) -> APIRouter:
    """The overview of a round, and its closing."""
    routes = APIRouter(prefix="/round/{round_id}")
    standing = _Standing(pages)

    @routes.get("/")
    def whole(request: Request, round_id: RoundId) -> Response:
        """Coverage, agreement, raters and what needs the organiser."""
        session = pages.entered(request)
        round_ = pages.round(round_id)
        return pages.show("organise_overview.html", session, round_, **standing.of(round_))

    @routes.get("/parts")
    def parts(request: Request, round_id: RoundId) -> Response:
        """The parts of the overview that change, for a page that is open."""
        pages.entered(request)
        round_ = pages.round(round_id)
        return page("organise_refresh.html", round=round_, **standing.of(round_))

    @routes.post("/close")
    def closing(request: Request, round_id: RoundId, proof: Proof = "") -> Response:
        """Close the round."""
        pages.acting(request, proof)
        close(pages.desk, pages.round(round_id))
        return pages.back(pages.round(round_id))

    @routes.post("/reopen")
    def reopening(request: Request, round_id: RoundId, proof: Proof = "") -> Response:
        """Open the round again."""
        pages.acting(request, proof)
        reopen(pages.desk, pages.round(round_id))
        return pages.back(pages.round(round_id))

    return routes


class _Standing:
    """Where a round stands, as its overview shows it."""

    def __init__(self, pages: OrganiserPages) -> None:
        self.pages, self.desk = pages, pages.desk
        self._named: dict[str, dict[str, int]] = {}

    def of(self, round_: Round) -> dict[str, Any]:
        rows = rows_of(self.desk, round_.id)
        found = progress(round_, rows)
        measured = self.pages.agreements.latest(round_)
        titles = self.pages.titles(round_)
        facts = Facts(found, measured.by_metric, titles, self._without_link(round_), self._names(round_))
        every = concerns(facts)
        return {
            "view": overview(round_, found, measured, every, titles),
            "progress": found,
            "links": [_link(round_, one) for one in every],
            "unsure": sum(one.unsure for one in found.metrics),
            "queue": left_open(
                rows.answers,
                {(row["rater_id"], row["item_id"], row["metric"]) for row in rows.asked},
                round_.settings.scales,
                rulings=rulings_of(self.desk, round_.id),
            ),
            "open": round_.is_open,
            "invited": bool(self.pages.people(round_)),
            "sealed": any(one.is_open for one in self.desk.rounds()),
            "verdicts": self._verdicts(round_),
        }

    def _without_link(self, round_: Round) -> list[str]:
        links = [one.link for one in self.pages.invited(round_) if one.link.role == "rater"]
        valid = {link.rater_id for link in links if not link.revoked}
        return sorted({link.rater_id for link in links} - valid)

    def _names(self, round_: Round) -> dict[str, int]:
        """Texts that name a system; neither changes while the server runs, and every text is read for it."""
        if round_.id not in self._named:
            self._named[round_.id] = names_in_texts(self.desk, Showing(self.desk, round_))
        return self._named[round_.id]

    def _verdicts(self, round_: Round) -> tuple[int, int] | None:
        """How many items and metrics of the round's a judge has judged, of how many; None without any."""
        study = self.desk.study
        judged = sum(
            len(np.unique(study.ratings.item[study.rows(name, kind="judge")]))
            for name in round_.settings.metrics
        )
        return (judged, len(study.items) * len(round_.settings.metrics)) if judged else None


def _link(round_: Round, one: Concern) -> tuple[str, str] | None:
    """What a concern's button says, and where it leads."""
    base = f"/organiser/round/{round_.id}"
    if one.metric:
        number = round_.settings.metrics.index(one.metric) + 1
        name = "Open rubric" if one.kind == "rubric" else "Open its items"
        return name, f"{base}/metric/{number}"
    if one.kind == "apart" and one.raters:
        return "Assign 15", f"{base}/assign?{urlencode([('pair', name) for name in one.raters])}"
    if one.kind in ("apart", "unassigned", "waiting"):
        return "Open assignments", f"{base}/assign"
    return ("Compare", f"{base}/rater/{quote(one.raters[0], safe='')}") if one.kind == "rater" else None
