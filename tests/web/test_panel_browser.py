"""A panel at work in headless Chromium: by keyboard alone, nothing typed is lost, and no barrier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from voirdire.review.rulings import rulings_of
from voirdire.web.site import Site
from web.paneling import disputed, member
from web.rating import Rating, served

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def rating(tmp_path_factory: pytest.TempPathFactory) -> Rating:
    return disputed(tmp_path_factory.mktemp("panel"))


@pytest.fixture(scope="module")
def site(rating: Rating) -> Iterator[Site]:
    with served(rating.desk) as site:
        yield site


def entered(browser: Any, site: Site, token: str, *, width: int = 1280, scheme: str = "light") -> Any:
    """A browser of one's own that has opened a link of the panel."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(str(error)))
    tab.goto(site.link(token))
    tab.wait_for_url("**/panel/")
    return tab


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_no_barrier_on_any_page(browser: Any, rating: Rating, site: Site, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    tab = entered(browser, site, member(rating, "Pia").token, width=width, scheme=scheme)
    for path in ("/panel/?unfinished=true", "/panel/item/1"):
        tab.goto(site.address + path)
        found = axe.run(tab).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.context.close()


def test_a_round_of_rulings_by_keyboard_alone(browser: Any, rating: Rating, site: Site) -> None:
    tab = entered(browser, site, member(rating).token)
    tab.locator("a.btn-main").focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/panel/item/1")
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    assert tab.url.endswith("#t2")
    tab.keyboard.press("2")
    assert tab.locator("[name=choice]:checked").get_attribute("value") == "label pass"
    tab.locator("#reason").fill("It leaves a step.")
    tab.reload()  # nothing typed is lost
    assert tab.locator("#reason").input_value() == "It leaves a step."
    assert tab.locator("[name=choice]:checked").get_attribute("value") == "label pass"
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/panel/item/2")
    tab.keyboard.press("x")
    tab.keyboard.press("Enter")
    tab.locator("[role=alert]", has_text="how the rubric must change").wait_for()
    tab.locator("#reason").fill("Say whose step.")
    tab.keyboard.press("Control+Enter")
    tab.wait_for_url("**/panel/")
    assert tab.locator("h1").inner_text() == "All 2 items before the panel are ruled."
    ruled = rulings_of(rating.desk, rating.round.id)
    assert {item: (row["ruling"], row["label"], row["reason"]) for (item, _), row in ruled.items()} == {
        "conv-0": ("label", "pass", "It leaves a step."),
        "conv-1": ("rubric", None, "Say whose step."),
    }
    tab.goto(site.address + "/panel/item/1")
    assert tab.locator("#reason").input_value() == "It leaves a step."
    assert "UTC" not in tab.locator("time.moment").inner_text()
    tab.context.close()
