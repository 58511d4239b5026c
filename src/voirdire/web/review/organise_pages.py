"""What an organiser's routes share: who asks, about which round, and the pages made of it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form, Path, Request
from starlette.responses import HTMLResponse, RedirectResponse

from voirdire.review.agreement import Agreements
from voirdire.review.desk import Desk, Round
from voirdire.review.people import Invited, links_of
from voirdire.web.rendering import page
from voirdire.web.sessions import NoSession, Session, Sessions
from voirdire.web.site import Site

__all__ = ["OrganiserPages", "Proof", "RoundId"]

RoundId = Annotated[str, Path(min_length=1, max_length=60)]
Proof = Annotated[str, Form(max_length=200)]


class OrganiserPages:
    """The pages of a desk's organisers, who see every round."""

    def __init__(self, desk: Desk, site: Site) -> None:
        self.desk, self.site = desk, site
        self.sessions = Sessions(desk)
        self.agreements = Agreements(desk)

    def entered(self, request: Request) -> Session:
        """Who asks."""
        return self.sessions.of(request, "organiser")

    def acting(self, request: Request, proof: str) -> Session:
        """Who asks for a change."""
        return self.sessions.acting(request, "organiser", proof)

    def round(self, round_id: str) -> Round:
        """The round of an address; elsewhere there is no page."""
        found = next((one for one in self.desk.rounds() if one.id == round_id), None)
        if found is None:
            raise NoSession("There is no such round.", 404)
        return found

    def people(self, round_: Round, role: str = "rater") -> dict[str, str]:
        """Codes by name of those who hold a valid link of this round; who was forgotten is named by code."""
        links = [one.link for one in self.invited(round_) if not one.link.revoked and one.link.role == role]
        return {link.name or link.rater_id: link.rater_id for link in links}

    def invited(self, round_: Round) -> list[Invited]:
        """Every link of a round but organisers'."""
        return [one for one in links_of(self.desk, round_.id) if one.link.role != "organiser"]

    def titles(self, round_: Round) -> dict[str, str]:
        """What each metric of a round is called."""
        return {name: self.desk.study.metric(name).label for name in round_.settings.metrics}

    def show(
        self,
        template: str,
        session: Session,
        round_: Round | None,
        *,
        status: int = 200,
        problem: str = "",
        **context: Any,
    ) -> HTMLResponse:
        """A page; ``problem`` is a sentence that says what was not done, above what was typed."""
        return page(
            template,
            status=422 if problem else status,
            csrf=session.csrf,
            round=round_,
            rounds=self.desk.rounds(),
            study=self.desk.study,
            demo=self.desk.study.demo,
            problem=problem,
            **context,
        )

    def back(self, round_: Round, where: str = "") -> RedirectResponse:
        """To a page of a round, after something was done."""
        return RedirectResponse(f"/organiser/round/{round_.id}/{where}", 303)
