"""Whatever goes wrong on the way loses nothing, keeps nothing by half, and is told in one sentence."""

from __future__ import annotations

import json
import socket
import sqlite3
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql
from itsdangerous import TimestampSigner

from postgres import Server as Postgres
from review.studies import UnderWay, begun
from voirdire.review import desk as desk_module
from voirdire.review.answers import rebuilt
from voirdire.review.assigning import withdraw
from voirdire.review.closing import close
from voirdire.review.log import Cell
from voirdire.review.people import revoke
from voirdire.store.review_schema import events, labels
from voirdire.store.sql import FILE
from web.servers import Server
from web.visits import Visitor, browser, pages


def ann(way: UnderWay) -> Visitor:
    return browser(pages(way.desk)).enter(way.people["Ann"].token)


def kept(way: UnderWay) -> list[dict[str, Any]]:
    """The labels, which the log must give again."""
    rows = way.desk.store.rows(sql.select(labels).order_by(labels.c.created_at))
    again = rebuilt(way.desk, way.round)
    assert sorted(map(repr, again)) == sorted(map(repr, rows))
    return rows


def sentence(reply: Any, status: int) -> str:
    """The one sentence of a refusal."""
    assert reply.status_code == status, reply.text
    said: str = reply.json()["problem"]
    assert said.endswith(".")
    assert ". " not in said
    return said


def test_a_double_click_counts_once(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    first, second = (visitor.answer(1, "pass", key="click-0001") for _ in range(2))
    assert first.json() == second.json()
    assert len(kept(way)) == 1


def test_the_same_act_from_many_threads_counts_once(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), items=20)
    visitor = ann(way)
    with ThreadPoolExecutor(8) as threads:
        acts = [(place, key) for place in range(1, 6) for key in range(2) for _ in range(4)]
        replies = list(
            threads.map(lambda act: visitor.answer(act[0], "pass", key=f"thread-{act[0]}-{act[1]}"), acts)
        )
    assert {reply.status_code for reply in replies} == {200}
    assert sorted(row["revision"] for row in kept(way)) == [1] * 5 + [2] * 5


def test_one_key_for_two_acts_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    assert visitor.answer(1, "pass", key="one-key-01").status_code == 200
    assert visitor.answer(2, "pass", key="one-key-01").status_code == 422
    assert len(kept(way)) == 1


def test_a_second_tab_is_told_that_it_replaces_an_answer_and_both_are_kept(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    assert visitor.answer(1, "pass", seen=0).json()["note"] == ""
    later = visitor.answer(1, "fail", seen=0).json()
    assert later["revision"] == 2
    assert later["note"] == "This replaces an answer from another window; both are kept."
    assert [row["labels"] for row in kept(way)] == [["pass"], ["fail"]]


@pytest.mark.parametrize(
    "clock", ["1970-01-01T00:00:00Z", "2100-01-01T00:00:00+14:00", "noon?\x00", "", "9" * 40]
)
def test_the_senders_clock_decides_nothing(tmp_path: Path, clock: str) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    reply = ann(way).answer(1, "pass", said_at=clock)
    assert reply.status_code == 200
    (row,) = kept(way)
    assert row["created_at"] == reply.json()["saved_at"] > way.round.created_at
    assert not row["late"]


def test_a_session_that_is_too_old_says_so_and_a_clock_set_back_does_not_end_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    stamp = TimestampSigner.get_timestamp
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda self: stamp(self) + 3600)
    ahead = ann(way)
    monkeypatch.undo()
    assert ahead.answer(1, "pass").status_code == 200
    monkeypatch.setattr("voirdire.web.sessions.LIFE", -1)
    assert "too long ago" in sentence(visitor.answer(2, "pass"), 401)
    monkeypatch.undo()
    assert visitor.answer(2, "pass").status_code == 200


def test_an_answer_after_the_round_closed_is_kept_apart(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    close(way.desk, way.round)
    told = visitor.answer(1, "pass").json()
    assert told["late"]
    assert told["note"].startswith("The round has closed: your answer is kept apart")
    assert [row["late"] for row in kept(way)] == [True]


def test_an_answer_to_an_item_that_was_taken_back_is_kept_apart(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    assert visitor.answer(1, "pass", what="draft").status_code == 200
    cell = way.desk.store.rows(sql.select(events).where(events.c.kind == "draft"))[0]
    withdraw(way.desk, Cell(way.round.id, cell["rater_id"], cell["item_id"], cell["metric"]))
    told = visitor.answer(1, "pass").json()
    assert told["late"]
    assert told["note"].startswith("This item was taken back: your answer is kept apart")
    assert [row["late"] for row in kept(way)] == [True]


def test_a_withdrawn_link_ends_at_once_and_what_was_handed_in_stays(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    assert visitor.answer(1, "pass").status_code == 200
    revoke(way.desk, way.people["Ann"].link.id)
    assert "withdrawn" in sentence(visitor.answer(2, "pass"), 401)
    assert "not valid" in sentence(
        browser(pages(way.desk)).client.post("/enter", json={"token": way.people["Ann"].token}), 401
    )
    assert len(kept(way)) == 1


def test_a_full_disk_is_said_and_keeps_nothing_by_half(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    assert visitor.answer(1, "pass").status_code == 200
    with full_disk(way):
        refused = [visitor.answer(place, "pass", comment="x") for place in (2, 3)]
        refused = [visitor.answer(2, "pass", key=f"full-{k:05d}", what="draft") for k in range(200)]
    said = sentence(refused[-1], 503)
    assert said.startswith("The server's disk is full: this was not kept")
    assert refused[-1].headers["retry-after"] == "15"
    assert visitor.answer(2, "fail").status_code == 200
    assert [row["labels"] for row in kept(way)] == [["pass"], ["fail"]]


@contextmanager
def full_disk(way: UnderWay) -> Iterator[None]:
    """No page more for the store's file."""

    def fill(connection: Any, record: Any, proxy: Any) -> None:
        connection.execute("PRAGMA max_page_count = 1")

    def empty(connection: Any, record: Any, proxy: Any) -> None:
        connection.execute("PRAGMA max_page_count = 1000000")

    engine = way.desk.store.engine
    sql.event.listen(engine, "checkout", fill)
    yield
    sql.event.remove(engine, "checkout", fill)
    sql.event.listen(engine, "checkout", empty)


def test_a_store_that_another_program_holds_is_said_to_everybody_who_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "PATIENCE", 0.3)
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    holder = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(6) as threads:
        replies = list(threads.map(lambda place: visitor.answer(place, "pass"), range(1, 7)))
    for reply in replies:
        assert sentence(reply, 503).startswith("Another program holds the server's store: this was not kept")
    assert visitor.client.get("/rate/item/1").status_code == 200
    holder.execute("ROLLBACK")
    holder.close()
    assert visitor.answer(1, "pass").status_code == 200
    assert len(kept(way)) == 1


def test_postgresql_started_again_under_way_costs_one_request_at_most(
    tmp_path: Path, postgres_server: Postgres
) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8, store=postgres_server.new(uuid.uuid4().hex))
    visitor = ann(way)
    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(lambda place: visitor.answer(place, "pass"), range(1, 7)))
    assert {reply.status_code for reply in replies} == {200}
    postgres_server.stop()
    assert sentence(visitor.answer(7, "pass"), 503).startswith(
        "The server cannot reach its store: this was not"
    )
    assert visitor.client.get("/rate/").status_code == 503
    postgres_server.start()
    assert visitor.answer(7, "pass").status_code == 200
    assert len(kept(way)) == 7
    way.desk.store.close()


def test_a_connection_that_is_cut_in_the_middle_keeps_nothing_and_harms_nobody(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)
    cookie = visitor.client.cookies["voirdire_rater"]
    body = json.dumps({"answer": {"labels": ["pass"]}, "key": "cut-000001"}).encode()
    head = (
        "POST /rate/item/1/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Cookie: voirdire_rater={cookie}\r\nX-CSRF-Token: {visitor.proof}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    whole = head + body
    with Server(tmp_path) as server:
        for length in (10, len(head) - 2, len(head), len(head) + 5, len(whole) - 1):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(whole[:length])
        assert server.answers()
        assert kept(way) == []
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(whole)  # and gone before the reply: what came whole is kept
        last = time.monotonic() + 10
        while not way.desk.store.rows(sql.select(labels)) and time.monotonic() < last:
            time.sleep(0.05)
        assert len(kept(way)) == 1
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(whole)
            assert connection.recv(12) == b"HTTP/1.1 200"
    assert len(kept(way)) == 1


def test_a_fault_of_ours_is_one_sentence_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    way = begun(tmp_path, metrics=("kind",), items=8)
    visitor = ann(way)

    def broken(*arguments: Any) -> None:
        raise ZeroDivisionError("a secret of the house")

    monkeypatch.setattr("voirdire.review.answers.record", broken)
    reply = visitor.answer(1, "pass")
    assert sentence(reply, 500).startswith("Something failed here and nothing of this request was kept")
    assert "secret" not in reply.text
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert kept(way) == []
