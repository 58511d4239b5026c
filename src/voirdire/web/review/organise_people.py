"""Who is invited to a round: links to copy, withdraw and renew, and people to forget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, cast

import sqlalchemy as sql
from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from voirdire.errors import UserError
from voirdire.review.desk import Round
from voirdire.review.log import Cell, happened
from voirdire.review.people import Invited, Role, erase, invite, revoke
from voirdire.store.review_schema import identities, people
from voirdire.web.review import organise_forms as forms
from voirdire.web.review.organise_pages import OrganiserPages, Proof, RoundId
from voirdire.web.sessions import NoSession

__all__ = ["router"]

ROLES = ("rater", "panel")
NOT_HERE = "There is no such link in this round."


@dataclass(frozen=True)
class Person:
    """A link of a round as the organiser sees it, and who is behind it."""

    id: str
    rater_id: str
    name: str
    contact: str
    expertise: str
    role: str
    link: str
    revoked: str
    accepted: bool


def router(pages: OrganiserPages) -> APIRouter:
    """Everything about the people of a round."""
    routes = APIRouter(prefix="/round/{round_id}")
    desk = pages.desk

    @routes.get("/people")
    def everybody(request: Request, round_id: RoundId) -> Response:
        """Who is invited, each with a link."""
        session = pages.entered(request)
        round_ = pages.round(round_id)
        return pages.show("organise_people.html", session, round_, **_shown(pages, round_))

    @routes.post("/people")
    def inviting(request: Request, round_id: RoundId, typed: Annotated[forms.Person, Form()]) -> Response:
        """Invite somebody."""
        session = pages.acting(request, typed.proof)
        round_ = pages.round(round_id)
        try:
            _invite(pages, round_, typed)
        except UserError as problem:
            shown = _shown(pages, round_, typed)
            return pages.show("organise_people.html", session, round_, problem=str(problem), **shown)
        return pages.back(round_, "people")

    @routes.post("/people/{link_id}/{act}")
    def changing(
        request: Request, round_id: RoundId, link_id: RoundId, act: RoundId, proof: Proof = ""
    ) -> Response:
        """Withdraw a link, make a new one in its place, or forget who holds it."""
        pages.acting(request, proof)
        round_ = pages.round(round_id)
        found = next((one for one in pages.invited(round_) if one.link.id == link_id), None)
        if found is None or act not in ("revoke", "renew", "forget"):
            raise NoSession(NOT_HERE, 404)
        if act == "forget":
            erase(desk, found.link.rater_id)
        else:
            revoke(desk, link_id)
        if act == "renew":
            invite(desk, round_.id, found.link.role, found.link.name or found.link.rater_id)
        return pages.back(round_, "people")

    return routes


def _invite(pages: OrganiserPages, round_: Round, typed: forms.Person) -> Invited:
    if typed.role not in ROLES:
        raise UserError(f"no role '{typed.role}'", expected="rater or panel")
    told = {"contact": typed.contact.strip()[:200], "expertise": typed.expertise.strip()[:200]}
    return invite(pages.desk, round_.id, cast(Role, typed.role), typed.name, **told)


def _shown(pages: OrganiserPages, round_: Round, typed: forms.Person | None = None) -> dict[str, Any]:
    desk = pages.desk
    contacts = {row["rater_id"]: row["contact"] for row in desk.store.rows(sql.select(identities))}
    fields = {row["rater_id"]: row["expertise"] for row in desk.store.rows(sql.select(people))}
    rows = [
        Person(
            one.link.id,
            one.link.rater_id,
            one.link.name,
            contacts.get(one.link.rater_id, ""),
            fields.get(one.link.rater_id, ""),
            one.link.role,
            pages.site.link(one.token),
            one.link.revoked,
            happened(desk, "accepted", Cell(round_.id, one.link.rater_id)),
        )
        for one in pages.invited(round_)
    ]
    valid = [row for row in rows if not row.revoked]
    return {
        "rows": [*valid, *(row for row in rows if row.revoked)],
        "valid": len(valid),
        "typed": typed or forms.Person(),
    }
