"""The same pages served live, to this machine alone, byte for byte as the files."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from voirdire.web.results import addresses
from voirdire.web.results.pages import Pages
from voirdire.web.results.serving import results_app
from voirdire.web.results.shown import Shown
from voirdire.web.site import Site

BASE = "http://127.0.0.1:8766"


@pytest.fixture
def client(shown: Shown) -> TestClient:
    return TestClient(results_app(shown, Site(port=8766)), base_url=BASE)


def test_every_page_served_is_the_page_that_is_written(
    shown: Shown, client: TestClient, results_folder: Path
) -> None:
    paths = [path for path in Pages(shown).paths if not path.endswith(".pdf")]
    for path in paths[:: max(len(paths) // 60, 1)]:
        answer = client.get(f"/{path}")
        assert answer.status_code == 200
        assert answer.content == (results_folder / path).read_bytes(), path
    assert client.get("/").content == (results_folder / "index.html").read_bytes()


def test_pages_come_with_the_headers_that_keep_them_harmless(client: TestClient) -> None:
    answer = client.get("/")
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    report = client.get("/audit/report.html")
    assert report.status_code == 200
    assert "frame-ancestors 'none'" in report.headers["content-security-policy"]
    assert "script-src &#39;sha256-" in report.text, "the report names its scripts itself"


def test_a_conversation_is_found_by_its_id_alone(shown: Shown, client: TestClient) -> None:
    name = shown.results.outcomes.ids[3]
    place = shown.place(name)
    assert place is not None
    node, system = place
    answer = client.get(f"/c/{name}", follow_redirects=False)
    assert answer.headers["location"] == f"/{addresses.talks(node.id, system, name)}"
    assert f'id="{addresses.anchor(name)}"' in client.get(f"/c/{name}").text


@pytest.mark.parametrize(
    "path",
    [
        "/nothing.html",
        "/c/nothing",
        "/../etc/passwd",
        "/audit/../../etc/passwd",
        "/audit/%2e%2e/%2e%2e/etc/passwd",
    ],
)
def test_what_is_not_there_is_not_found(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert "There is no such page." in answer.text


def test_nobody_else_is_heard(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert client.post("/").status_code == 405
