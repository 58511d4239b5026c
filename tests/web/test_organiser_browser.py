"""The organiser's pages in a browser: readable by all, worked by keyboard, fresh without a jump."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from review.studies import UnderWay, begun
from voirdire.review.gold import GoldItem, set_gold
from voirdire.review.people import invite, links_of
from web.organising import filled
from web.rating import served

pytestmark = pytest.mark.browser
PAGES = ("round/round-1/", "round/round-1/people", "round/round-1/assign", "round/round-1/gold")
PAGES += ("round/round-1/export", "round/round-1/metric/1", "round/round-1/rater/R1", "begin", "rounds")
SEEN = [(1280, "light", PAGES), (390, "dark", PAGES), (1280, "dark", PAGES[:1]), (390, "light", PAGES[:1])]


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> UnderWay:
    made = filled(begun(tmp_path_factory.mktemp("organiser") / "study"))
    set_gold(made.desk, made.round, [GoldItem(f"i{k}", "kind", "pass") for k in range(6)])
    invite(made.desk, made.round.id, "panel", "Pia")
    return made


@pytest.fixture(scope="module")
def link(way: UnderWay) -> Iterator[str]:
    """The organiser's link to a server of its own."""
    token = invite(way.desk, way.round.id, "organiser").token
    with served(way.desk) as site:
        yield site.link(token)


class Tab:
    """A page in the organiser's browser, and what it complained of."""

    def __init__(self, browser: Any, link: str, *, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, timezone_id="Asia/Kolkata"
        )
        self.page = self.context.new_page()
        self.troubles: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.goto(link)
        self.page.wait_for_url("**/organiser/**")
        self.root = self.page.url.split("/organiser/")[0] + "/organiser/"

    def open(self, path: str) -> Any:
        self.page.goto(self.root + path)
        return self.page


@pytest.fixture
def tab(browser: Any, link: str) -> Iterator[Tab]:
    one = Tab(browser, link)
    one.page.set_default_timeout(20_000)
    yield one
    one.context.close()


@pytest.mark.parametrize(("width", "scheme", "pages"), SEEN)
def test_no_page_shuts_anybody_out(
    browser: Any, link: str, width: int, scheme: str, pages: tuple[str, ...]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    tab = Tab(browser, link, width=width, scheme=scheme)
    for path in pages:
        page = tab.open(path)
        for details in page.locator("details").all():
            details.evaluate("each => { each.open = true; }")
        told = [
            (one["id"], [node["target"] for node in one["nodes"]])
            for one in axe.run(page).response["violations"]
        ]
        assert told == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.locator("h1").count() == 1
    assert tab.troubles == []
    tab.context.close()


def test_a_refresh_brings_new_figures_and_moves_nothing(tab: Tab, way: UnderWay) -> None:
    page = tab.open("round/round-1/")
    before = int(page.locator("h1").inner_text().split(" of ")[0])
    assert "UTC" not in page.locator("#updated").inner_text()
    page.get_by_role("link", name="Kindness").focus()
    page.mouse.wheel(0, 200)
    page.wait_for_function("scrollY === 200")
    box = page.locator("#s-raters").bounding_box()
    way.say("Ann", "i5", "clear", "3")
    page.evaluate("htmx.trigger('#live', 'every')")
    page.locator("h1", has_text=f"{before + 1} of 36").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Kindness"
    assert page.evaluate("scrollY") == 200
    assert page.locator("#s-raters").bounding_box() == box
    assert "UTC" not in page.locator("#updated").inner_text() + page.locator(".raters").inner_text()
    assert tab.troubles == []


def test_a_refresh_that_fails_leaves_the_figures_and_says_so(tab: Tab) -> None:
    page = tab.open("round/round-1/")
    head = page.locator("h1").inner_text()
    tab.context.set_offline(True)
    page.evaluate("htmx.trigger('#live', 'every')")
    page.get_by_text("Not updated: the server did not answer.").wait_for()
    assert page.locator("h1").inner_text() == head
    tab.context.set_offline(False)
    page.evaluate("htmx.trigger('#live', 'every')")
    page.locator("#updated .cf").wait_for(state="detached")
    tab.context.clear_cookies()
    page.evaluate("htmx.trigger('#live', 'every')")
    page.get_by_text("Not updated").wait_for()
    assert page.locator("h1").inner_text() == head


def test_somebody_is_invited_and_asked_by_keyboard_alone(tab: Tab, way: UnderWay) -> None:
    page = tab.open("round/round-1/people")
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reach(page, "input[name=name]")
    page.keyboard.type("Dora")
    page.keyboard.press("Enter")
    page.get_by_label("Link of Dora").wait_for()
    dora = next(one for one in links_of(way.desk) if one.link.name == "Dora")
    reach(page, f"button[data-copies=l-{dora.link.id}]")
    page.keyboard.press("Enter")
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"/enter#{dora.token}")

    page.goto(tab.root + "round/round-1/assign")
    for code in ("R1", "R2", "R3"):
        reach(page, f"input[name=who][value={code}]")
        page.keyboard.press("Space")
    reach(page, "input[name=labels_an_item]")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    page.get_by_text("12 new labels on 12 items would be asked for.").wait_for()
    reach(page, "form .btn-main")
    page.keyboard.press("Enter")
    page.locator("h1", has_text="48 labels are asked of 4 raters").wait_for()


def test_the_closing_time_is_by_the_organisers_clock(tab: Tab, way: UnderWay) -> None:
    page = tab.open("begin")
    page.get_by_label("Title").fill("By the clock")
    page.locator("input[name=closes]").fill("2099-07-01T18:00")
    page.get_by_role("button", name="Preview an item").click()
    page.get_by_text("The first item, as raters will read it").wait_for()
    assert page.get_by_label("Title").input_value() == "By the clock"
    page.get_by_role("button", name="Begin the round").click()
    page.wait_for_url("**/people")
    assert way.desk.rounds()[-1].settings.closes_at == "2099-07-01T18:00+05:30"


def reach(page: Any, selector: str, *, most: int = 120) -> None:
    """Press Tab until the element has the focus, and see that it shows."""
    for _ in range(most):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached by the keyboard")
