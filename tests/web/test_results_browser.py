"""The site of results in headless Chromium: from a disk, without a network, by links alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from voirdire.web.results import addresses
from voirdire.web.results.shown import Shown

pytestmark = pytest.mark.browser
WIDTHS = [(1280, "light"), (390, "dark")]
QUICK = 0.3


@pytest.fixture
def site(results_folder: Path) -> Path:
    return results_folder


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """A tab of its own that may load files alone: ``visit(width=1280, scheme="light")``."""
    contexts, troubles = [], []

    def come(*, width: int = 1280, scheme: str = "light") -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        tab = context.new_page()
        tab.on(
            "request",
            lambda request: request.url.startswith(("file:", "data:")) or troubles.append(request.url),
        )
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("dialog", lambda dialog: (troubles.append("dialog"), dialog.dismiss()))
        return tab

    yield come
    for context in contexts:
        context.close()
    assert troubles == []


def a_page(shown: Shown, site: Path) -> str:
    node = next(node for node in shown.results.nodes if node.level == "metric")
    return (site / addresses.talks(node.id, "Ash")).as_uri()


def one_of_each(shown: Shown, site: Path) -> list[str]:
    first = ["index.html", "explore/overall.html", "audit.html", "cards.html", "downloads.html"]
    bench = next(node for node in shown.results.nodes if node.level == "benchmark")
    metric = next(node for node in shown.results.nodes if node.level == "metric")
    more = [
        addresses.explore(bench, "Ash"),
        addresses.explore(metric),
        addresses.board("positive", rate="corrected"),
    ]
    pair = addresses.compare(*shown.systems)
    cards = [addresses.card("Ash", audience) for audience in ("parent", "developer")]
    return [*((site / path).as_uri() for path in (*first, *more, pair, *cards)), a_page(shown, site)]


@pytest.mark.parametrize(("width", "scheme"), WIDTHS)
def test_no_barrier_and_no_sideways_scroll_on_any_kind_of_page(
    shown: Shown, site: Path, visit: Callable[..., Any], width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    tab = visit(width=width, scheme=scheme)
    for page in one_of_each(shown, site):
        tab.goto(page)
        found = axe.run(tab, options={"preload": False}).response["violations"]
        assert [(page, one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), page
        assert tab.evaluate("getComputedStyle(document.body).margin") == "0px", "its style sheet is there"


def test_from_the_leaderboard_down_to_a_quote_and_back(
    shown: Shown, site: Path, visit: Callable[..., Any]
) -> None:
    tab = visit()
    tab.goto((site / "index.html").as_uri())
    tab.get_by_role("link", name="Avoids harm").click()
    assert tab.url.endswith("board/negative-all-judge.html")
    tab.get_by_role("link", name="teen", exact=True).click()
    assert tab.url.endswith("board/negative-age=teen-judge.html")
    tab.get_by_role("link", name="Ash", exact=True).click()
    tab.get_by_role("link", name="Mind", exact=True).click()
    tab.get_by_role("link", name="Learning bench").click()
    tab.get_by_role("link", name="Mind positive 3").click()
    tab.locator(".short a").first.click()
    assert tab.locator(".conv:visible").count() == 1
    tab.get_by_role("link", name="turn 2").first.click()
    assert tab.locator(".turn:target mark").inner_text().startswith("I do it")
    tab.locator(".tabs:visible").get_by_role("link", name="What differs between them").click()
    assert tab.locator(".conv:visible table.differ").count() == 1
    tab.go_back()
    assert tab.locator(".turn:target mark").count() == 1


def test_a_link_to_one_conversation_shows_it_alone_and_at_once(
    shown: Shown, site: Path, visit: Callable[..., Any]
) -> None:
    tab = visit()
    place = shown.place(shown.results.outcomes.ids[-1])
    assert place is not None
    node, system = place
    name = shown.results.outcomes.ids[-1]
    began = time.perf_counter()
    tab.goto(f"{site.as_uri()}/{addresses.talks(node.id, system, name)}")
    assert tab.locator(".conv:visible").get_attribute("id") == addresses.anchor(name)
    assert time.perf_counter() - began < 10 * QUICK, "a busy machine is ten times slower at most"
    took = tab.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    assert took < 1000 * QUICK


def test_what_people_and_models_wrote_does_nothing(
    shown: Shown, site: Path, visit: Callable[..., Any]
) -> None:
    tab = visit()
    for page in one_of_each(shown, site):
        tab.goto(page)
        assert tab.evaluate("window.hacked") is None
        assert tab.locator("#planted").count() == 0
        assert tab.locator("script").count() == 0


def test_a_card_prints_on_one_page_and_in_light(shown: Shown, site: Path, visit: Callable[..., Any]) -> None:
    tab = visit(scheme="dark")
    for audience in ("parent", "educator", "policymaker", "developer"):
        tab.goto((site / addresses.card("Ash", audience)).as_uri())
        printed = tab.pdf(format="A4", prefer_css_page_size=True)
        assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") == 1
        tab.emulate_media(media="print")
        assert tab.evaluate("getComputedStyle(document.querySelector('.card')).color") == "rgb(0, 0, 0)"
        assert not tab.locator(".card-nav").is_visible()
        tab.emulate_media(media="null")


def test_a_transcript_prints_what_is_shown(shown: Shown, site: Path, visit: Callable[..., Any]) -> None:
    tab = visit()
    tab.goto(a_page(shown, site))
    tab.emulate_media(media="print")
    assert tab.locator(".conv:visible").count() == 1
    assert tab.get_by_text("Stress-test rates are not prevalence").is_visible()


def test_the_drawing_of_a_card_stays_on_its_page(shown: Shown, site: Path, visit: Callable[..., Any]) -> None:
    tab = visit()
    for audience in ("parent", "educator", "policymaker", "developer"):
        tab.goto((site / addresses.card("Ash", audience, "svg")).as_uri())
        outside = tab.evaluate(
            "[...document.querySelectorAll('text')].filter((text) => { const box = text.getBBox(); "
            "return box.x < 30 || box.x + box.width > 764 || box.y + box.height > 1103; })"
            ".map((text) => text.textContent)"
        )
        assert outside == []
