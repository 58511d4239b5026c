"""Who may do what: every route is tried by nobody, the wrong people, other sites and forged cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql
from fastapi import FastAPI
from itsdangerous import URLSafeTimedSerializer
from starlette.testclient import TestClient

from review.studies import UnderWay, begun
from voirdire.review.answers import asked_of
from voirdire.review.assigning import withdraw
from voirdire.review.desk import open_desk
from voirdire.review.people import Role, find_link, invite, links_of, revoke
from voirdire.store.review_schema import REVIEW_TABLES, events, labels
from voirdire.web.sessions import PATHS
from web.doors import Door, doors
from web.visits import HOME, Visitor, browser, pages

ROLES: tuple[Role, ...] = ("rater", "organiser", "panel")
REFUSED = (401, 403)


@dataclass
class House:
    """A round under way, its pages, and a visitor with a session of each role."""

    way: UnderWay
    app: FastAPI
    visitors: dict[Role, Visitor]

    def doors(self, *, changing: bool = False) -> Iterator[Door]:
        """The doors of every role; those that change something, or all."""
        for door in doors(self.app, self.way):
            if door.role is not None and (door.method == "POST" or not changing):
                yield door

    def rows(self) -> dict[str, list[Any]]:
        """Everything that the store holds."""
        return {table.name: self.way.desk.store.rows(sql.select(table)) for table in REVIEW_TABLES}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    way = begun(tmp_path_factory.mktemp("house") / "study", names=("Ann", "Bo"), metrics=("kind",), items=8)
    for asked in asked_of(way.desk, way.round.id, way.people["Ann"].link.rater_id)[2:]:
        withdraw(way.desk, asked.cell)
    for item in way.desk.study.items.ids[:2]:
        way.say("Bo", item, "kind", "not sure")
    app = pages(way.desk)
    tokens = {
        "rater": way.people["Ann"].token,
        "organiser": invite(way.desk, way.round.id, "organiser").token,
        "panel": invite(way.desk, way.round.id, "panel", "Pia").token,
    }
    visitors = {role: browser(app).enter(tokens[role]) for role in ROLES}
    return House(way, app, visitors)


def with_cookies(house: House, cookies: str) -> TestClient:
    """A browser that sends ``cookies`` everywhere, whatever their paths are."""
    return TestClient(house.app, base_url=HOME, headers={"cookie": cookies}, raise_server_exceptions=False)


def cookie(house: House, role: Role) -> str:
    return next(one.value or "" for one in house.visitors[role].client.cookies.jar)


def test_every_route_belongs_to_a_role_but_the_way_in(house: House) -> None:
    assert {door.route for door in doors(house.app, house.way) if door.role is None} == {"/enter", "/health"}
    assert {door.role for door in house.doors()} == set(ROLES)


def test_nobody_gets_nothing_and_changes_nothing(house: House) -> None:
    before = house.rows()
    for door in house.doors():
        reply = door.open(browser(house.app).client)
        assert reply.status_code == 401, f"{door.method} {door.path}: {reply.status_code} {reply.text[:200]}"
        assert not reply.cookies
        assert reply.json().keys() == {"problem"}
    assert house.rows() == before


def test_a_session_of_another_role_opens_nothing_under_either_name(house: House) -> None:
    before = house.rows()
    for door in house.doors():
        for role in ROLES:
            if role == door.role:
                continue
            value = cookie(house, role)
            client = with_cookies(house, f"voirdire_{role}={value}; voirdire_{door.role}={value}")
            reply = door.open(client, **{"x-csrf-token": house.visitors[role].proof})
            assert reply.status_code == 401, f"{role} at {door.method} {door.path}: {reply.text[:200]}"
    assert house.rows() == before


def test_the_right_session_opens_every_page(house: House) -> None:
    """Without this the tests above could pass at doors that open to nobody."""
    for door in house.doors():
        if door.method == "GET":
            reply = door.open(house.visitors[door.role].client)
            assert reply.status_code in (200, 303), f"{door.path}: {reply.status_code} {reply.text[:200]}"


FOREIGN: dict[str, dict[str, str]] = {
    "no proof": {},
    "another session's proof": {"x-csrf-token": "other"},
    "a proof of nonsense": {"x-csrf-token": "nonsense"},
    "another site's page": {"x-csrf-token": "own", "origin": "https://evil.example"},
    "another port": {"x-csrf-token": "own", "origin": "http://127.0.0.1:9999"},
    "a page without an origin": {"x-csrf-token": "own", "origin": "null"},
    "a cross-site fetch": {"x-csrf-token": "own", "sec-fetch-site": "cross-site"},
    "a subdomain's fetch": {"x-csrf-token": "own", "sec-fetch-site": "same-site"},
}


@pytest.mark.parametrize("what", FOREIGN)
def test_a_request_that_no_page_of_the_session_made_changes_nothing(house: House, what: str) -> None:
    other = browser(house.app).enter(house.way.people["Bo"].token)
    before = house.rows()
    for door in house.doors(changing=True):
        visitor = house.visitors[door.role]
        proofs = {"own": visitor.proof, "other": other.proof, "nonsense": b"\xff" * 64}
        headers = {name: proofs.get(value, value) for name, value in FOREIGN[what].items()}
        reply = door.open(visitor.client, **headers)
        assert reply.status_code == 403, f"{door.path}: {reply.status_code} {reply.text[:200]}"
    assert house.rows() == before


def test_a_rater_reads_and_writes_only_what_is_asked_of_them(house: House) -> None:
    ann = house.visitors["rater"]
    before = house.rows()
    for place in (3, 8, 9, 2**31 - 1):
        assert ann.client.get(f"/rate/item/{place}").status_code == 404
    for place in (0, -1, 2**31, 10**30, "1.5", "x", "%00", "..%2f1"):
        assert ann.client.get(f"/rate/item/{place}").status_code in (404, 422)
    for place in (9, 2**31 - 1):
        assert ann.answer(place, "pass").status_code == 404
        assert ann.answer(place, "pass", what="draft").status_code == 404
    assert house.rows() == before
    bo = house.way.people["Bo"].link.rater_id
    said = house.way.desk.store.rows(sql.select(labels).where(labels.c.rater_id == bo))
    assert ann.answer(1, "pass").status_code == 200
    assert house.way.desk.store.rows(sql.select(labels).where(labels.c.rater_id == bo)) == said


def test_a_panel_of_one_round_sees_nothing_of_another(tmp_path: Path) -> None:
    way = begun(tmp_path, names=("Ann", "Bo"), metrics=("kind",))
    other = way.desk.new_round(way.round.settings.model_copy(update={"title": "Second round"}))
    way.say("Ann", "i0", "kind", "not sure", comment="only in the first round")
    way.say("Bo", "i0", "kind", "pass")
    there = browser(pages(way.desk)).enter(invite(way.desk, other.id, "panel", "Pia").token)
    assert "only in the first round" not in there.client.get("/panel/?unfinished=true").text
    assert there.client.get("/panel/item/1").status_code == 404


def test_tokens_are_long_and_of_this_store_alone(tmp_path: Path) -> None:
    one, two = (begun(tmp_path / name, names=tuple(f"Person {k}" for k in range(50))) for name in ("a", "b"))
    tokens = [invited.token for way in (one, two) for invited in way.people.values()]
    assert len(set(tokens)) == 100
    assert all(re.fullmatch(r"[0-9a-f]{64}", token) for token in tokens)
    secret_parts = [token[16:] for token in tokens]
    assert len(set(secret_parts)) == 100
    assert len(one.desk.key) == len(two.desk.key) == 32
    assert one.desk.key != two.desk.key
    assert find_link(two.desk, tokens[0]) is None
    bits = "".join(f"{int(part, 16):0192b}" for part in secret_parts)
    share = bits.count("1") / len(bits)  # of 19,200 fair bits; four standard errors
    assert abs(share - 0.5) < 4 * 0.5 / len(bits) ** 0.5
    # whoever knows a link's name, which pages of the organiser show, still lacks the rest
    assert find_link(one.desk, tokens[0][:16]) is None
    assert find_link(one.desk, tokens[0][:-1]) is None
    assert find_link(one.desk, tokens[0].upper()) is None or tokens[0].isdigit()


def test_no_table_holds_a_token_and_the_key_stands_apart_from_labels(tmp_path: Path) -> None:
    way = begun(tmp_path)
    visitor = browser(pages(way.desk)).enter(way.people["Ann"].token)
    visitor.answer(1, "pass")
    told = repr({table.name: way.desk.store.rows(sql.select(table)) for table in REVIEW_TABLES})
    for invited in links_of(way.desk):
        assert invited.token not in told
        assert invited.token[16:] not in told
    assert visitor.client.cookies["voirdire_rater"] not in told
    assert visitor.proof not in told


def test_a_link_ends_at_once_in_every_process(tmp_path: Path) -> None:
    way = begun(tmp_path)
    visitor = browser(pages(way.desk)).enter(way.people["Ann"].token)
    assert visitor.client.get("/rate/").status_code == 200
    with open_desk(tmp_path).store as elsewhere:
        revoke(open_desk(tmp_path), way.people["Ann"].link.id)
        assert elsewhere
    assert visitor.client.get("/rate/").status_code == 401
    assert (
        browser(pages(way.desk)).client.post("/enter", json={"token": way.people["Ann"].token}).status_code
        == 401
    )


def test_a_planted_session_is_not_kept_on_entering(house: House) -> None:
    bo = browser(house.app).enter(house.way.people["Bo"].token)
    planted = bo.client.cookies["voirdire_rater"]
    victim = browser(house.app)
    victim.client.cookies.set("voirdire_rater", planted, domain="127.0.0.1", path="/rate")
    victim.enter(house.way.people["Ann"].token)
    values = [one.value for one in victim.client.cookies.jar]
    assert len(values) == 1
    assert planted not in values
    assert victim.proof != bo.proof
    again = browser(house.app).enter(house.way.people["Ann"].token)
    assert again.client.cookies["voirdire_rater"] not in values
    assert again.proof != victim.proof


def forged(house: House) -> Iterator[tuple[str, str]]:
    good = cookie(house, "rater")
    head, _, tail = good.partition(".")
    link = house.way.people["Ann"].link.id
    yield "empty", ""
    yield "nonsense", "\x7f%00;x"
    yield "cut", good[:-1]
    yield "longer", good + "A"
    yield "another content", f"{head[:-2]}AA.{tail}"
    yield "no signature", head
    whole = {"link": link, "name": "x"}
    yield "another key", str(URLSafeTimedSerializer("guess", salt="voirdire.session").dumps(whole))
    key = house.way.desk.derived("sessions")
    yield "another purpose", str(URLSafeTimedSerializer(key, salt="other").dumps(whole))
    signer = URLSafeTimedSerializer(key, salt="voirdire.session")
    for content in ([], "x", None, {}, {"link": link}, {**whole, "link": "none"}, {**whole, "link": [link]}):
        yield f"ours, holding {content}", str(signer.dumps(content))


def test_forged_and_broken_cookies_are_nobody(house: House) -> None:
    for what, value in forged(house):
        client = with_cookies(house, f"voirdire_rater={value}")
        assert client.get("/rate/").status_code == 401, what


def test_the_cookie_stays_with_its_pages(house: House) -> None:
    for role in ROLES:
        token = {"rater": house.way.people["Ann"].token}.get(role) or next(
            one.token for one in links_of(house.way.desk) if one.link.role == role
        )
        reply = browser(house.app).client.post("/enter", json={"token": token})
        told = {part.strip().lower() for part in reply.headers["set-cookie"].split(";")[1:]}
        assert {f"path={PATHS[role]}", "httponly", "samesite=strict"} <= told
        assert not any(part.startswith("domain") for part in told)
        assert token not in reply.headers["set-cookie"]
        assert "set-cookie" not in house.visitors[role].client.get(f"{PATHS[role]}/").headers


def test_leaving_forgets_the_browser(house: House) -> None:
    visitor = browser(house.app).enter(house.way.people["Ann"].token)
    assert visitor.client.post("/rate/leave", data={"proof": visitor.proof}).status_code == 200
    assert visitor.client.get("/rate/").status_code == 401


def test_what_happened_is_in_the_log_under_the_raters_own_code_only(house: House) -> None:
    ann = house.way.people["Ann"].link.rater_id
    house.visitors["rater"].answer(2, "pass", key="under-own-code")
    query = sql.select(events.c.rater_id).where(events.c.key.endswith("/under-own-code"))
    assert [row["rater_id"] for row in house.way.desk.store.rows(query)] == [ann]
