"""The server as a process: where it listens, how it ends, and that its log names nobody."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from review.studies import UnderWay, begun
from voirdire.errors import UserError
from voirdire.review.people import links_of
from voirdire.store.review_schema import labels
from voirdire.web.serve import listening, serve
from voirdire.web.site import Site
from web.servers import Server, free_port
from web.visits import browser, pages

LINE = re.compile(r"(GET|POST|HEAD|BREW) (/[\w/{}.]*|\(no such page\)) \d{3} \d+ ms")


def test_only_this_machine_is_heard_unless_more_is_asked_for() -> None:
    with listening(Site(port=free_port())) as ours:
        assert ours.getsockname()[0] == "127.0.0.1"
        port = ours.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            pass
        for address in other_addresses():
            with (
                pytest.raises((ConnectionRefusedError, TimeoutError)),
                socket.create_connection((address, port), timeout=2),
            ):
                pass
    with listening(Site(host="0.0.0.0", port=port, public="https://label.example.org")) as ours:
        assert ours.getsockname()[0] == "0.0.0.0"


def other_addresses() -> set[str]:
    """This machine's addresses in networks; 127.0.0.2 stands for one where there is none."""
    found = {str(told[4][0]) for told in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    return {address for address in found if not address.startswith("127.")} | {"127.0.0.2"}


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    way = begun(tmp_path)
    site = Site(port=free_port())
    with listening(site), pytest.raises(UserError) as problem:
        serve(way.desk, site)
    assert str(problem.value) == (
        f"127.0.0.1, port {site.port}: is taken by another program; "
        "fix: stop that one, or choose another port: --port"
    )


@pytest.mark.parametrize(
    ("host", "said"),
    [("192.0.2.1", "is no address of this machine"), ("no-such-name.invalid", "cannot be used")],
)
def test_an_address_that_is_not_ours_is_said_in_one_line(host: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        listening(Site(host=host, port=free_port()))


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> UnderWay:
    return begun(tmp_path_factory.mktemp("serving") / "study", names=("Ann Onymous", "Bo"), metrics=("kind",))


def raw(way: UnderWay, place: int, key: str) -> tuple[bytes, bytes]:
    """Head and body of an answer as Ann's browser sends it."""
    ann = browser(pages(way.desk)).enter(way.people["Ann Onymous"].token)
    body = json.dumps({"answer": {"labels": ["pass"]}, "key": key}).encode()
    head = (
        f"POST /rate/item/{place}/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Cookie: voirdire_rater={ann.client.cookies['voirdire_rater']}\r\nX-CSRF-Token: {ann.proof}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode(), body


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_it_finishes_what_is_under_way(way: UnderWay, how: signal.Signals) -> None:
    head, body = raw(way, 1, f"stop-{how:06d}")
    with Server(Path(way.desk.source)) as server:
        idle = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(head + body[:5])
            assert server.answers()
            server.process.send_signal(how)
            with pytest.raises(subprocess.TimeoutExpired):
                server.process.wait(0.5)
            connection.sendall(body[5:])
            assert connection.recv(12) == b"HTTP/1.1 200"
        assert server.process.wait(15) in (0, -how)
        idle.close()
    assert any(row["event"] == f"stop-{how:06d}" for row in _labels(way))


def _labels(way: UnderWay) -> list[dict[str, Any]]:
    return way.desk.store.rows(sql.select(labels))


def test_the_log_holds_routes_and_times_and_names_nobody(
    way: UnderWay, capfd: pytest.CaptureFixture[str]
) -> None:
    token = way.people["Bo"].token
    with Server(Path(way.desk.source)) as server:
        head, body = raw(way, 2, "log-000001")
        requests = [
            head + body,
            b"GET /rate/item/1?who=secret-query HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            f"GET /enter?token={token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode(),
            f"GET /enter/{token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode(),
            f"GET /static/{token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode(),
            f"GET /rate/ HTTP/1.1\r\nHost: {token}\r\n\r\n".encode(),
            f"BREW /{token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode(),
            f"POST /enter HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 64\r\n\r\n{token}".encode(),
            f"GET /{token}\x00 HTTP/1.1\r\n\r\n".encode(),
            token.encode() + b"\r\n\r\n",
        ]
        for request in requests:
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
                connection.sendall(request)
                assert connection.recv(9) == b"HTTP/1.1 "
        server.interrupt()
    lines = server.log.read_text().splitlines()
    assert all(LINE.fullmatch(line) for line in lines), lines
    assert "POST /rate/item/{place}/answer 200" in " ".join(lines)
    out = capfd.readouterr()
    told = "\n".join([*lines, out.out, out.err])
    cookie = head.partition(b"voirdire_rater=")[2].partition(b"\r")[0].decode()
    secret = {token[:16], token[16:], cookie, "secret-query", "Ann", "Bo", "127.0.0.1", way.desk.key.hex()}
    secret |= {one.token[16:] for one in links_of(way.desk)} | {way.people["Bo"].link.rater_id}
    assert not [text for text in secret if text in told]


def test_a_complaint_of_the_database_does_not_repeat_what_people_wrote(tmp_path: Path) -> None:
    """It ends up in logs."""
    way = begun(tmp_path, metrics=("kind",))
    with way.desk.transaction() as connection:
        connection.exec_driver_sql("DROP TABLE labels")
    with pytest.raises(sql.exc.DatabaseError) as problem:
        way.say("Ann", "i0", "kind", "pass", comment="a private remark")
    assert "INSERT INTO labels" in str(problem.value) or "FROM labels" in str(problem.value)
    assert "private" not in str(problem.value)
