"""Requests that nobody's browser makes: too large, malformed, misrouted, guessed or from another name."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sql
from fastapi import FastAPI
from starlette.testclient import TestClient

from review.studies import UnderWay, begun
from voirdire.review.people import invite
from voirdire.store.review_schema import labels
from voirdire.web import sessions
from voirdire.web.shield import LARGEST, LARGEST_UPLOAD
from web.doors import doors
from web.visits import HOME, Visitor, browser, pages


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> UnderWay:
    return begun(tmp_path_factory.mktemp("hostile") / "study", metrics=("kind",), items=4)


@pytest.fixture(scope="module")
def app(way: UnderWay) -> FastAPI:
    return pages(way.desk)


@pytest.fixture(scope="module")
def ann(way: UnderWay, app: FastAPI) -> Visitor:
    return browser(app).enter(way.people["Ann"].token)


@pytest.fixture(scope="module")
def organiser(way: UnderWay, app: FastAPI) -> Visitor:
    return browser(app).enter(invite(way.desk, way.round.id, "organiser").token)


def posted(visitor: Visitor, body: bytes | Iterator[bytes], path: str = "/rate/item/1/answer") -> Any:
    headers = {"x-csrf-token": visitor.proof, "content-type": "application/json"}
    return visitor.client.post(path, content=body, headers=headers)


def large(length: int) -> bytes:
    return b'{"answer": {"comment": "' + b"x" * length + b'"}}'


def test_bodies_that_are_too_large_are_refused_by_their_length_and_by_their_size(ann: Visitor) -> None:
    said = "More than 256 KB were sent, which is too much: nothing of it was kept; send less."
    told = posted(ann, large(LARGEST))
    chunks = posted(ann, (large(LARGEST)[at : at + 10_000] for at in range(0, LARGEST + 100, 10_000)))
    for reply in (told, chunks):
        assert reply.status_code == 413
        assert reply.json() == {"problem": said}


def test_only_an_organiser_sends_files_and_not_endless_ones(
    way: UnderWay, app: FastAPI, ann: Visitor, organiser: Visitor
) -> None:
    path = f"/organiser/round/{way.round.id}/gold/file"
    file = b"item_id,metric,label\n" + b"x" * LARGEST
    for visitor, status in ((browser(app), 413), (ann, 413), (organiser, 422)):
        headers = {"x-csrf-token": visitor.proof}
        reply = visitor.client.post(path, files={"file": ("gold.csv", file)}, headers=headers)
        assert reply.status_code == status, reply.text[:200]
    length = {"content-length": str(LARGEST_UPLOAD + 1), "x-csrf-token": organiser.proof}
    assert organiser.client.post(path, content=b"", headers=length).status_code == 413


@pytest.mark.parametrize("length", ["-1", "1e3", "0x10", "9" * 5_000, "²", "1 2", ""])
def test_a_length_that_is_no_number_is_refused(ann: Visitor, length: str) -> None:
    headers = [("content-length", length.encode("latin-1")), ("x-csrf-token", ann.proof.encode())]
    assert ann.client.post("/rate/item/1/answer", headers=headers).status_code in (400, 411, 413)


PASS = {"labels": ["pass"]}
WHOLE: dict[str, Any] = {"answer": PASS, "key": "hostile-0001"}
MALFORMED = {
    "nothing": b"",
    "no JSON": b"{",
    "no UTF-8": b'{"key": "\xff\xfe"}',
    "a list": b"[]",
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep within": b'{"answer": ' + b'{"a":' * 20_000 + b"1" + b"}" * 20_001,
    "a huge number": b'{"answer": {}, "key": "hostile-0002", "seen": ' + b"9" * 5_000 + b"}",
    "a number beyond the database's": json.dumps({**WHOLE, "seen": 2**63}).encode(),
    "not a number": b'{"answer": {"labels": ["pass"]}, "key": "hostile-0003", "seconds": NaN}',
    "endless": b'{"answer": {"labels": ["pass"]}, "key": "hostile-0004", "seconds": Infinity}',
    "a field of the attacker's": json.dumps({**WHOLE, "rater_id": "R2"}).encode(),
    "an answer's field of the attacker's": json.dumps({**WHOLE, "answer": {"rater_id": "R2"}}).encode(),
    "a name that is no text": b'{"answer": {}, "key": "hostile-0005", "\\ud800": 1}',
    "a label that is no text": b'{"answer": {"labels": ["\\ud800"]}, "key": "hostile-0006"}',
    "an unknown label": json.dumps({**WHOLE, "answer": {"labels": ["<b>pass</b>"]}}).encode(),
    "too many labels": json.dumps({**WHOLE, "answer": {"labels": ["pass"] * 101}}).encode(),
    "a long comment": json.dumps({**WHOLE, "answer": {**PASS, "comment": "x" * 20_001}}).encode(),
    "a long key": json.dumps({**WHOLE, "key": "k" * 65}).encode(),
    "a short key": json.dumps({**WHOLE, "key": "k"}).encode(),
    "cites of no turn": json.dumps({**WHOLE, "answer": {**PASS, "cites": [2**70]}}).encode(),
    "a challenge of no kind": json.dumps({**WHOLE, "answer": {**PASS, "challenge": "x"}}).encode(),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_bodies_are_refused_in_words_and_keep_nothing(
    way: UnderWay, ann: Visitor, what: str
) -> None:
    before = way.desk.store.rows(_labels())
    reply = posted(ann, MALFORMED[what])
    assert reply.status_code in (400, 422), reply.text[:300]
    assert 0 < len(reply.json()["problem"]) < 400
    assert way.desk.store.rows(_labels()) == before


def _labels() -> Any:
    return sql.select(labels)


@pytest.mark.parametrize("comment", ["a\x00b", "\U0001f600 \u202e right to left", "\ufffe", "x" * 20_000])
def test_text_of_any_kind_is_kept_as_far_as_a_database_can(way: UnderWay, app: FastAPI, comment: str) -> None:
    bo = browser(app).enter(way.people["Bo"].token)
    body = {"answer": {"labels": ["pass"], "comment": comment}, "key": f"text-{abs(hash(comment))}"}
    assert posted(bo, json.dumps(body).encode()).status_code == 200
    back = bo.client.get("/rate/item/1/state").json()["answer"]["comment"]
    assert back == comment.replace("\x00", "\ufffd")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e%2f%2e%2e%2freview/people.py",
        "/static/report/../../web/app.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/..%5capp.py",
        "/static/base.css%00.js",
        "/static/",
        "/static/report/",
        "/static/" + "a" * 5_000,
    ],
)
def test_only_the_files_of_the_pages_are_served(app: FastAPI, path: str) -> None:
    assert TestClient(app, base_url=HOME).get("/static/base.css").status_code == 200
    client = TestClient(app, base_url=HOME, raise_server_exceptions=False)
    reply = client.get(path)
    assert reply.status_code in (400, 404), reply.text[:100]
    assert "import" not in reply.text


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "%00", "labels%00", "a" * 61, "\ud800"])
def test_no_name_in_an_address_is_a_path(way: UnderWay, organiser: Visitor, name: str) -> None:
    given = name.encode("utf-8", "surrogatepass")
    quoted = "".join(f"%{byte:02x}" for byte in given)
    for path in (f"round/{quoted}/", f"round/{way.round.id}/export/{quoted}.csv", f"round/{quoted}/export"):
        assert organiser.client.get(f"/organiser/{path}").status_code in (404, 422)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:8765@evil.example", "", "[::2]", "0.0.0.0"]
)
def test_another_name_for_this_machine_is_unknown_here(
    way: UnderWay, app: FastAPI, ann: Visitor, host: str
) -> None:
    """A page of another site whose name is made to point here reads nothing and enters nobody."""
    for door in doors(app, way):
        reply = door.open(ann.client, host=host)
        assert (reply.status_code, reply.text) == (421, "Unknown host.\n")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8765", "LOCALHOST", "[::1]:8765", "[::1]"])
def test_this_machines_own_names_are_known(app: FastAPI, host: str) -> None:
    assert browser(app).client.get("/enter", headers={"host": host}).status_code == 200


def guess(client: TestClient, number: int) -> int:
    status: int = client.post("/enter", json={"token": f"{number:064x}"}).status_code
    return status


def test_guessing_links_is_slowed_by_address_and_others_are_not(
    way: UnderWay, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = pages(way.desk, guesses=5)
    here = browser(app, address="192.0.2.1").client
    assert [guess(here, number) for number in range(7)] == [401] * 5 + [429] * 2
    good = {"token": way.people["Ann"].token}
    blocked = here.post("/enter", json=good)
    assert blocked.status_code == 429
    assert blocked.json()["problem"].startswith("Too many wrong links from your address: wait a minute")
    assert browser(app, address="192.0.2.2").client.post("/enter", json=good).status_code == 200
    # whoever is blocked cannot choose another address by a header, for nothing stands in between
    assert here.post("/enter", json=good, headers={"x-forwarded-for": "192.0.2.3"}).status_code == 429
    later = time.monotonic() + sessions.MINUTE + 1
    monkeypatch.setattr(sessions.time, "monotonic", lambda: later)
    assert here.post("/enter", json=good).status_code == 200


def test_an_ipv6_network_counts_as_one_address(way: UnderWay) -> None:
    app = pages(way.desk, guesses=5)
    replies = [guess(browser(app, address=f"2001:db8::{k:x}:1").client, k) for k in range(7)]
    assert replies == [401] * 5 + [429] * 2
    assert guess(browser(app, address="2001:db8:0:1::1").client, 9) == 401
    mapped = [guess(browser(app, address="::ffff:192.0.2.9").client, k) for k in range(3)]
    mapped += [guess(browser(app, address="192.0.2.9").client, k) for k in range(4)]
    assert mapped == [401] * 5 + [429] * 2


def test_counting_guesses_takes_no_endless_memory() -> None:
    guesses = sessions.Guesses(5)
    for number in range(sessions.MOST_ADDRESSES + 500):
        guesses.wrong(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(guesses._times) == sessions.MOST_ADDRESSES
    for _ in range(100):
        guesses.wrong("192.0.2.1")
    assert len(guesses._times["192.0.2.1"]) == 5


def test_every_reply_carries_the_policy(way: UnderWay, app: FastAPI) -> None:
    visitors = [browser(app).enter(way.people["Ann"].token)]
    for role, name in (("organiser", ""), ("panel", "Pia")):
        visitors.append(browser(app).enter(invite(way.desk, way.round.id, role, name).token))
    seen = 0
    for door in doors(app, way):
        for visitor in visitors:
            reply = door.open(visitor.client, accept="text/html")
            told = reply.headers["content-security-policy"].split("; ")
            policy = dict(part.split(" ", 1) for part in told)
            assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
            assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
            assert set(" ".join(policy.values()).split()) == {"'none'", "'self'", "data:"}
            assert reply.headers["x-content-type-options"] == "nosniff"
            assert reply.headers["referrer-policy"] == "same-origin"
            assert reply.headers["cache-control"] == "no-store"
            seen += reply.headers.get("content-type", "").startswith("text/html")
    assert seen > 20


def test_no_page_is_found_where_none_is(app: FastAPI) -> None:
    for path in ("/docs", "/redoc", "/openapi.json", "/rate", "/admin", "/.env", "/enter/x"):
        reply = browser(app).client.get(path, follow_redirects=False)
        assert reply.status_code in (307, 404)
        assert "location" not in reply.headers or reply.headers["location"].startswith(HOME)
