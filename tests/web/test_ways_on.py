"""What every page has: the strip of made data at its very top, and a way on from each sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from review.studies import UnderWay, begun
from voirdire.review.people import Role, invite
from web.visits import Visitor, browser, pages

DEMO = "These <texts> are made up."
HTML = {"accept": "text/html"}
ADDRESSES = {
    "rater": ["/rate/", "/rate/protocol", "/rate/item/1", "/rate/metrics/1", "/rate/item/999"],
    "panel": ["/panel/", "/panel/item/999"],
    "organiser": [
        "/organiser/rounds",
        "/organiser/begin",
        "/organiser/round/round-9/",
        *(
            f"/organiser/round/round-1/{part}"
            for part in ("", "people", "assign", "gold", "export", "metric/1")
        ),
    ],
}


@dataclass
class House:
    """A round of a study of made data, with somebody in each role."""

    way: UnderWay
    visitors: dict[str, Visitor]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("demo") / "study"
    way = begun(folder, demo=DEMO)
    app = pages(way.desk)
    roles: dict[Role, str] = {"rater": "Ann", "panel": "Pia", "organiser": ""}
    visitors = {
        role: browser(app).enter(invite(way.desk, way.round.id, role, name).token)
        for role, name in roles.items()
    }
    return House(way, visitors)


@pytest.mark.parametrize(("role", "address"), [(role, one) for role in ADDRESSES for one in ADDRESSES[role]])
def test_made_data_says_so_at_the_very_top_of_every_page(house: House, role: str, address: str) -> None:
    page = house.visitors[role].client.get(address, headers=HTML).text
    top = page[page.index("<header") :]
    assert re.match(r'<header><div class="demo"><div class="wrap">These &lt;texts&gt; are made up\.<', top)


def test_the_entrance_says_so_too(house: House) -> None:
    assert "made up" in browser(pages(house.way.desk)).client.get("/enter").text


def test_a_study_of_real_data_has_no_strip(tmp_path: Path) -> None:
    app = pages(begun(tmp_path / "real").desk)
    assert 'class="demo"' not in browser(app).client.get("/enter").text


@pytest.mark.parametrize(
    ("role", "address", "home"),
    [
        ("rater", "/rate/item/999", "/rate/"),
        ("panel", "/panel/item/999", "/panel/"),
        ("organiser", "/organiser/round/round-9/", "/organiser/"),
        ("rater", "/nowhere", "/enter"),
    ],
)
def test_a_page_that_says_what_went_wrong_leads_on(house: House, role: str, address: str, home: str) -> None:
    client = house.visitors[role].client
    reply = client.get(address, headers=HTML)
    assert reply.status_code == 404
    assert f'<a href="{home}">' in reply.text
    assert client.get(home, headers=HTML).status_code == 200


@pytest.mark.parametrize("address", ["/rate/", "/panel/", "/organiser/rounds"])
def test_whoever_is_not_known_is_led_to_the_entrance(house: House, address: str) -> None:
    reply = browser(pages(house.way.desk)).client.get(address, headers=HTML)
    assert reply.status_code == 401
    assert '<a href="/enter">' in reply.text


@pytest.mark.parametrize(("role", "name"), [("rater", "Bo"), ("panel", "Quinn")])
def test_whoever_has_left_can_enter_again(house: House, role: Role, name: str) -> None:
    way = house.way
    visitor = browser(pages(way.desk)).enter(invite(way.desk, way.round.id, role, name).token)
    where = {"rater": "/rate", "panel": "/panel"}[role]
    reply = visitor.client.post(f"{where}/leave", data={"proof": visitor.proof})
    assert "You have left" in reply.text
    assert "made up" in reply.text
    assert '<a href="/enter">' in reply.text
