"""People and their links: who is invited, as what, and how an invitation ends."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sql

from voirdire.errors import UserError
from voirdire.review.desk import Desk, now
from voirdire.review.log import Cell, Event, record
from voirdire.store.erasing import erase_rows, scrub
from voirdire.store.review_schema import identities, links, people, revocations
from voirdire.store.sql import added

__all__ = [
    "Invited",
    "Link",
    "Role",
    "codes_by_name",
    "erase",
    "find_link",
    "invite",
    "is_no_code",
    "links_of",
    "revoke",
    "valid_link",
]

Role = Literal["rater", "panel", "organiser"]
LONGEST_NAME = 200
CODE = re.compile(r"R[1-9][0-9]{0,5}")


@dataclass(frozen=True)
class Link:
    """An invitation; ``revoked`` is when it was withdrawn, empty while it is valid.

    ``name`` is empty for an organiser, and for a person who was forgotten.
    """

    id: str
    role: Role
    round_id: str
    rater_id: str
    name: str
    created_at: str
    revoked: str = ""


@dataclass(frozen=True)
class Invited:
    """A link and the ``token`` that opens it; the token stands in no table and no log."""

    link: Link
    token: str


def invite(
    desk: Desk, round_id: str, role: Role, name: str = "", *, contact: str = "", expertise: str = ""
) -> Invited:
    """Invite a person to a round and return the link; who is invited already as the same keeps the link.

    ``name`` is the rater's in the study for somebody who has labelled there, or a code (R1, R2, ...); anybody
    else gets a free code that labels carry, while the name is kept apart and can be erased.
    """
    name = " ".join(name.split())
    if role != "organiser" and not name:
        raise UserError("a person without a name", fix="give a name, or a code such as R1")
    if len(name) > LONGEST_NAME:
        raise UserError("a name too long", expected=f"at most {LONGEST_NAME} characters")
    with desk.transaction() as connection:
        rater_id = _coded(desk, connection, name, contact, expertise) if name else ""
        found = _valid(connection, role, round_id, rater_id)
        if found is not None:
            return Invited(found, _token(desk, found.id))
        link_id = secrets.token_hex(8)
        row = {
            "link_id": link_id,
            "token_hash": _hash(_token(desk, link_id)),
            "role": role,
            "round_id": round_id,
            "rater_id": rater_id,
            "created_at": now(),
        }
        connection.execute(links.insert().values(**row))
        cell = Cell(round_id, rater_id)
        record(connection, Event(secrets.token_hex(8), "invited", cell, {"link": link_id, "role": role}))
    link = Link(link_id, role, round_id, rater_id, name, str(row["created_at"]))
    return Invited(link, _token(desk, link_id))


def organiser_link(desk: Desk, round_id: str, *, renew: bool = False) -> Invited:
    """The organiser's link, one for all rounds; with ``renew`` a new one, and those before end."""
    valid = [one for one in links_of(desk) if one.link.role == "organiser" and not one.link.revoked]
    for one in valid if renew else ():
        revoke(desk, one.link.id)
    return valid[0] if valid and not renew else invite(desk, round_id, "organiser")


def links_of(desk: Desk, round_id: str = "") -> list[Invited]:
    """Every link, revoked ones too, in the order of their making; of one round, or of all."""
    query = _query().order_by(links.c.created_at, links.c.link_id)
    if round_id:
        query = query.where(links.c.round_id == round_id)
    return [Invited(link := Link(**row), _token(desk, link.id)) for row in desk.store.rows(query)]


def find_link(desk: Desk, token: str) -> Link | None:
    """The valid link that ``token`` opens, or None."""
    return _one(desk, BY_TOKEN, _hash(token))


def valid_link(desk: Desk, link_id: str) -> Link | None:
    """The link called ``link_id``, None where it was revoked or never was."""
    return _one(desk, BY_ID, link_id)


def revoke(desk: Desk, link_id: str) -> None:
    """End a link: from now on it opens nothing; what was handed in by it stays."""
    with desk.transaction() as connection:
        found = connection.execute(sql.select(links).where(links.c.link_id == link_id)).mappings().first()
        if found is None:
            raise UserError("no such link", where="links")
        if added(connection, revocations, [{"link_id": link_id, "created_at": now()}]):
            cell = Cell(found["round_id"], found["rater_id"])
            record(connection, Event(secrets.token_hex(8), "revoked", cell, {"link": link_id}))


def erase(desk: Desk, rater_id: str) -> bool:
    """Forget who is behind ``rater_id`` and end their links; True where something was known.

    Labels stay under the code. A rater who is named in the study's own files stays named there.
    """
    for one in links_of(desk):
        if one.link.rater_id == rater_id and not one.link.revoked:
            revoke(desk, one.link.id)
    with desk.transaction() as connection:
        gone = erase_rows(connection, identities, identities.c.rater_id == rater_id)
        if gone:
            record(connection, Event(secrets.token_hex(8), "erased", Cell("", rater_id)))
    scrub(desk.store, identities)
    return bool(gone)


def codes_by_name(desk: Desk) -> dict[str, str]:
    """The code of each person by name; who was forgotten has none."""
    known = desk.store.rows(sql.select(identities.c.name, identities.c.rater_id))
    return {row["name"]: row["rater_id"] for row in known}


def is_no_code(name: str) -> bool:
    """Whether ``name`` is no code such as R1; those that are go first, so that no one else is given them."""
    return CODE.fullmatch(name) is None


def _coded(desk: Desk, connection: sql.Connection, name: str, contact: str, expertise: str) -> str:
    """The code of the person called ``name``, or known by it as a code; else of somebody new."""
    for told in (identities.c.name, identities.c.rater_id):
        known = connection.scalars(sql.select(identities.c.rater_id).where(told == name)).first()
        if known is not None:
            return str(known)
    raters = {rater.id: rater.kind for rater in desk.study.raters}
    if raters.get(name, "human") != "human":
        raise UserError(f"'{name}' is a {raters[name]} in this study, no person", fix="use another name")
    used = set(connection.scalars(sql.select(people.c.rater_id)))  # by those who were forgotten too
    own = name in raters or not is_no_code(name)  # who is called R2 is R2, and not the next free code
    code = name if own and name not in used else _free_code(set(raters) | used)
    added(connection, people, [{"rater_id": code, "expertise": expertise, "created_at": now()}])
    connection.execute(identities.insert().values(rater_id=code, name=name, contact=contact))
    return code


def _free_code(taken: set[str]) -> str:
    return next(code for number in range(1, len(taken) + 2) if (code := f"R{number}") not in taken)


def _query() -> sql.Select[tuple[str, ...]]:
    revoked = sql.func.coalesce(revocations.c.created_at, "").label("revoked")
    name = sql.func.coalesce(identities.c.name, "").label("name")
    columns = (links.c.link_id.label("id"), links.c.role, links.c.round_id, links.c.rater_id)
    return sql.select(*columns, name, links.c.created_at, revoked).select_from(
        links.outerjoin(revocations, revocations.c.link_id == links.c.link_id).outerjoin(
            identities, identities.c.rater_id == links.c.rater_id
        )
    )


def _valid(connection: sql.Connection, role: Role, round_id: str, rater_id: str) -> Link | None:
    query = _query().where(
        links.c.role == role,
        links.c.round_id == round_id,
        links.c.rater_id == rater_id,
        revocations.c.link_id.is_(None),
    )
    row = connection.execute(query).mappings().first()
    return None if row is None else Link(**row)


def _valid_by(column: sql.Column[str]) -> sql.Select[tuple[str, ...]]:
    return _query().where(column == sql.bindparam("sought"), revocations.c.link_id.is_(None))


# every request asks one of these, and making a query takes longer than asking it
BY_TOKEN, BY_ID = _valid_by(links.c.token_hash), _valid_by(links.c.link_id)


def _one(desk: Desk, query: sql.Select[tuple[str, ...]], sought: str) -> Link | None:
    rows = desk.store.rows(query, sought=sought)
    return Link(**rows[0]) if rows else None


def _token(desk: Desk, link_id: str) -> str:
    """The token of a link: only this store's secret can make it, so that it need not be kept."""
    return f"{link_id}{desk.derived('link', link_id)[:48]}"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
