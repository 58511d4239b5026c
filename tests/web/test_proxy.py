"""Behind a proxy that ends TLS: whose forwarded headers count, and what they change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from review.studies import UnderWay, begun
from voirdire.errors import UserError
from voirdire.web.site import Site
from web.visits import browser, pages

PUBLIC = "https://label.example.org"
PROXY, OTHER, RATER = "10.0.0.7", "192.0.2.66", "203.0.113.5"
BEHIND = {"public": PUBLIC, "proxies": (PROXY,)}
FORWARDED = {"x-forwarded-proto": "https", "x-forwarded-for": RATER}


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> UnderWay:
    return begun(tmp_path_factory.mktemp("proxy") / "study", metrics=("kind",))


def entered(way: UnderWay, *, address: str = PROXY, host: str = "label.example.org", **site: Any) -> Any:
    """The reply to a link that is opened through ``address``."""
    visitor = browser(pages(way.desk, **site), home=f"http://{host}", address=address)
    headers = {**FORWARDED, "origin": f"https://{host}", "sec-fetch-site": "same-origin"}
    return visitor.client.post("/enter", json={"token": way.people["Ann"].token}, headers=headers)


def test_a_whole_visit_through_a_proxy_stays_with_tls(way: UnderWay) -> None:
    visitor = browser(pages(way.desk, **BEHIND), home="http://label.example.org", address=PROXY)
    visitor.client.headers.update(FORWARDED)
    reply = visitor.client.post("/enter", json={"token": way.people["Ann"].token})
    assert reply.status_code == 200
    assert "; secure" in reply.headers["set-cookie"].lower()
    assert reply.headers["strict-transport-security"].startswith("max-age=")
    visitor.client.headers["cookie"] = reply.headers["set-cookie"].partition(";")[0]
    moved = visitor.client.get("/rate", follow_redirects=False)
    assert moved.headers["location"] == "https://label.example.org/rate/"
    assert visitor.client.get("/rate/").status_code == 200


def test_links_and_the_only_name_are_the_public_ones(way: UnderWay) -> None:
    site = Site(**BEHIND)
    assert site.link("t") == "https://label.example.org/enter#t"
    assert Site(public=f"{PUBLIC}:8443/").link("t") == "https://label.example.org:8443/enter#t"
    assert entered(way, **BEHIND).status_code == 200
    assert entered(way, host="evil.example", **BEHIND).status_code == 421
    assert entered(way, host="10.0.0.1", **BEHIND).status_code == 421


def test_cookies_are_secure_even_where_the_proxy_says_nothing(way: UnderWay) -> None:
    visitor = browser(pages(way.desk, public=PUBLIC), home="http://label.example.org", address=PROXY)
    reply = visitor.client.post("/enter", json={"token": way.people["Ann"].token})
    assert "; secure" in reply.headers["set-cookie"].lower()
    assert "strict-transport-security" in reply.headers


def test_without_tls_cookies_are_not_secure_and_nothing_is_promised(way: UnderWay) -> None:
    visitor = browser(pages(way.desk))
    reply = visitor.client.post("/enter", json={"token": way.people["Ann"].token})
    assert "secure" not in reply.headers["set-cookie"].lower()
    assert "strict-transport-security" not in reply.headers


def test_forwarded_headers_of_anybody_else_count_for_nothing(way: UnderWay) -> None:
    site = {"proxies": (PROXY,), "guesses": 3}
    app = pages(way.desk, **site)
    guess = {"token": "0" * 64}
    for number in range(5):
        client = browser(app, address=OTHER).client
        told = {"x-forwarded-for": f"198.51.100.{number}", "x-forwarded-proto": "https"}
        reply = client.post("/enter", json=guess, headers=told)
        assert reply.status_code == (401 if number < 3 else 429)
        assert "strict-transport-security" not in reply.headers


def test_guesses_count_for_the_address_that_the_proxy_saw_and_not_for_one_sent(
    way: UnderWay,
) -> None:
    app = pages(way.desk, **BEHIND, guesses=3)
    guess = {"token": "0" * 64}
    client = browser(app, home="http://label.example.org", address=PROXY).client
    for number in range(5):
        # the guesser's own header comes first, what the proxy adds comes last
        told = {"x-forwarded-for": f"198.51.100.{number}, {RATER}"}
        assert client.post("/enter", json=guess, headers=told).status_code == (401 if number < 3 else 429)
    other = {"x-forwarded-for": "203.0.113.99"}
    assert client.post("/enter", json=guess, headers=other).status_code == 401


def test_a_network_of_proxies_is_believed(way: UnderWay) -> None:
    reply = entered(way, address="10.0.0.99", public=PUBLIC, proxies=("10.0.0.0/24",))
    assert reply.status_code == 200


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"public": "label.example.org"}, "--public is"),
        ({"public": "https://"}, "--public is"),
        ({"public": "https://label.example.org/sub"}, "--public is"),
        ({"public": "https://a:b@label.example.org"}, "--public is"),
        ({"public": "https://label.example.org:port"}, "--public is"),
        ({"public": "javascript:alert(1)//x"}, "--public is"),
        ({"proxies": ("*",)}, "--proxy is"),
        ({"proxies": ("proxy.example.org",)}, "--proxy is"),
        ({"proxies": ("10.0.0.7/8",)}, "--proxy is"),
        ({"host": "0.0.0.0"}, "no address that people could open"),
        ({"host": "::"}, "no address that people could open"),
        ({"host": ""}, "no address that people could open"),
        ({"port": 0}, "--port is"),
        ({"port": 65_536}, "--port is"),
    ],
)
def test_a_site_that_cannot_be_meant_is_refused(told: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Site(**told)


def test_a_site_for_the_network_says_its_own_name() -> None:
    assert Site(host="0.0.0.0", public=PUBLIC).hosts == {"127.0.0.1", "localhost", "::1", "label.example.org"}
    assert Site(host="192.0.2.1").address == "http://192.0.2.1:8765"
    assert Site(host="2001:db8::1").address == "http://[2001:db8::1]:8765"
    assert not Site(host="192.0.2.1").secure


def test_the_guide_shows_settings_that_this_version_takes() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "review-serving.md").read_text(encoding="utf-8")
    for word in ("--public", "--proxy", "proxy_set_header Host", "reverse_proxy", "X-Forwarded-For"):
        assert word in guide
