"""A rater at work in headless Chromium: by keyboard alone, and without loss whatever the network does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from voirdire.review.desk import Desk
from voirdire.review.people import invite, revoke
from voirdire.web.site import Site
from web.rating import JUDGE, RATIONALE, SYSTEM, Rating, desk_of, round_on, served

pytestmark = pytest.mark.browser

HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
    "</p></article><h1 id='planted'>planted</h1>[x](javascript:window.hacked=3)\u202e{{ 7*7 }}"
)
LEAST_WAIT = 6000


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return desk_of(tmp_path_factory.mktemp("rating") / "study", text=HOSTILE)


@pytest.fixture(scope="module")
def site(desk: Desk) -> Iterator[Site]:
    with served(desk) as site:
        yield site


@dataclass
class Person:
    """A browser of one person's own: its context, its page, and whatever went wrong in it."""

    context: Any
    tab: Any
    troubles: list[str]

    def enter(self, site: Site, token: str) -> Any:
        """Open a link and accept the protocol where it is asked for; then the first item is there."""
        self.tab.goto(site.link(token))
        self.tab.wait_for_url("**/rate/")
        begin = self.tab.get_by_role("button", name="I have read this; begin")
        (begin if begin.count() else self.tab.locator("a.btn-main")).click()
        self.tab.wait_for_url("**/rate/item/*")
        return self.tab


@pytest.fixture
def person(browser: Any) -> Iterator[Callable[..., Person]]:
    """Another browser: ``person(width=1280, scheme="light", zone="UTC")``."""
    opened = []

    def come(*, width: int = 1280, scheme: str = "light", zone: str = "UTC") -> Person:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, timezone_id=zone
        )
        context.set_default_timeout(LEAST_WAIT)
        one = Person(context, context.new_page(), [])
        one.tab.on("pageerror", lambda error: one.troubles.append(str(error)))
        one.tab.on("dialog", lambda dialog: (one.troubles.append("dialog"), dialog.dismiss()))
        one.tab.on(
            "console",
            lambda message: "Content Security" in message.text and one.troubles.append(message.text),
        )
        opened.append(one)
        return one

    yield come
    for one in opened:
        one.context.close()
    assert [trouble for one in opened for trouble in one.troubles] == []


def said(tab: Any, pattern: str, place: str = "#state") -> None:
    """Wait until the page says so."""
    tab.locator(place, has_text=re.compile(pattern)).wait_for()


def test_a_whole_round_by_keyboard_alone(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, items=3, names=("Ann",))
    tab = person().tab
    tab.goto(site.link(rating.people["Ann"].token))
    tab.wait_for_url("**/rate/")
    tab.keyboard.press("Tab")
    while "begin" not in tab.evaluate("document.activeElement.textContent"):
        tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/1")
    verdicts = tab.locator("[name=label]").evaluate_all("all => all.map(one => one.value)")
    for key in ("Enter", "2", "d", "v", "j", "j", "j", "k", "r"):
        tab.keyboard.press(key)
        if key == "Enter":
            said(tab, "Choose a label first", "#problem")
    tab.locator("#comment").focus()
    tab.keyboard.type("It holds back 1 step.")
    tab.keyboard.press("Control+Enter")
    tab.wait_for_url("**/rate/item/2")
    said(tab, r"^Saved \d\d:\d\d\. Go back to change it$", "#said")
    tab.keyboard.press("u")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/3")
    tab.get_by_role("button", name="Skip").focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/")
    said(tab, "You have done all 3", "h1")
    first, second, third = rating.given
    assert (first["labels"], first["confidence"], first["challenge"]) == ([verdicts[1]], 3, "ambiguous")
    assert (first["cites"], first["comment"]) == ([2], "It holds back 1 step.")
    assert (second["labels"], second["status"]) == (["not sure"], "ok")
    assert (third["labels"], third["status"]) == ([], "skip")
    assert 0 < first["seconds"] < 60
    assert [row["revision"] for row in rating.given] == [1, 1, 1]


def test_single_keys_can_be_switched_off_and_stay_off(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, names=("Ann",))
    tab = person().enter(site, rating.people["Ann"].token)
    tab.locator("#keys").click()
    tab.reload()
    said(tab, "Keys: off", "#keys")
    tab.locator("h1").click()
    for key in ("1", "j", "r", "Enter"):
        tab.keyboard.press(key)
    assert tab.locator("input:checked").count() == 0
    assert rating.given == []


def test_lost_connection(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    tab = one.enter(site, rating.people["Ann"].token)
    one.context.set_offline(True)
    tab.keyboard.press("1")
    said(tab, r"Saved on this device, waiting for the network \(1\)")
    tab.keyboard.press("Enter")
    tab.wait_for_timeout(300)
    assert tab.url.endswith("/rate/item/1")
    assert rating.given == []
    one.context.set_offline(False)
    tab.wait_for_url("**/rate/item/2")
    assert [row["revision"] for row in rating.given] == [1]


def test_what_was_not_sent_survives_a_reload_and_comes_before_an_older_draft(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, names=("Ann",))
    token = rating.people["Ann"].token
    here, there = person(), person()
    tab = here.enter(site, token)
    tab.locator("#comment").fill("first words")
    said(tab, "Saved")
    other = there.enter(site, token)
    assert other.locator("#comment").input_value() == "first words"
    here.context.route("**/draft", lambda route: route.abort())
    tab.locator("#comment").fill("words of this device")
    said(tab, "waiting for the network")
    other.locator("#comment").fill("words of the other device")
    said(other, "Saved")
    other.wait_for_timeout(600)
    tab.reload()
    assert tab.locator("#comment").input_value() == "words of this device"
    here.context.unroute("**/draft")
    said(tab, "Saved")
    said(tab, "both versions are kept", "#note")
    assert [draft["comment"] for draft in rating.drafts] == [
        "first words",
        "words of the other device",
        "words of this device",
    ]
    tab.get_by_role("button", name="Show the other version").click()
    assert tab.locator("#comment").input_value() == "words of the other device"


def test_what_was_not_sent_is_sent_from_the_list_too(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    tab = one.enter(site, rating.people["Ann"].token)
    one.context.route("**/draft", lambda route: route.fulfill(status=503, body="{}"))
    for place in (1, 2):
        tab.goto(f"{site.address}/rate/item/{place}")
        tab.locator("#comment").fill(f"words on item {place}")
    said(tab, r"waiting for the server \(2\)")
    tab.get_by_role("link", name="All items").click()
    said(tab, r"waiting for the server \(2\)")
    one.context.unroute("**/draft")
    tab.get_by_role("button", name="Retry").click()
    said(tab, "Saved")
    tab.goto(f"{site.address}/rate/item/2")
    assert tab.locator("#comment").input_value() == "words on item 2"
    assert [draft["comment"] for draft in rating.drafts] == ["words on item 1", "words on item 2"]


def test_a_device_that_keeps_nothing_says_so(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    one.context.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); };")
    tab = one.enter(site, rating.people["Ann"].token)
    one.context.set_offline(True)
    tab.keyboard.press("1")
    said(tab, "Not saved yet, waiting for the network: leave this page open")
    one.context.set_offline(False)
    said(tab, "^Saved")
    assert len(rating.drafts) == 1


def test_two_tabs_know_of_each_other(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    tab = one.enter(site, rating.people["Ann"].token)
    second = one.context.new_page()
    second.goto(tab.url)
    for page in (tab, second):
        said(page, "open in another tab too", "#note")
    tab.bring_to_front()
    tab.keyboard.press("1")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/2")
    second.keyboard.press("2")
    second.keyboard.press("Enter")
    second.wait_for_url("**/rate/item/2")
    said(second, "replaces an answer from another window; both are kept", "#said")
    assert [row["revision"] for row in rating.given] == [1, 2]


def test_two_tabs_without_a_network_keep_what_was_written_in_each(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    tab = one.enter(site, rating.people["Ann"].token)
    second = one.context.new_page()
    second.goto(tab.url)
    one.context.set_offline(True)
    second.locator("#comment").fill("in the second tab")
    tab.locator("#comment").fill("in the first tab")
    said(tab, r"waiting for the network \(2\)")
    second.close()
    one.context.set_offline(False)
    for _ in range(100):  # the line says Saved for each of the two
        if len(rating.drafts) == 2:
            break
        tab.wait_for_timeout(100)
    said(tab, r"^Saved \d")
    assert [draft["comment"] for draft in rating.drafts] == ["in the second tab", "in the first tab"]


def test_a_double_click_counts_once(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann",))
    tab = person().enter(site, rating.people["Ann"].token)
    tab.keyboard.press("1")
    tab.get_by_role("button", name="Save and next").dblclick()
    tab.wait_for_url("**/rate/item/2")
    assert [row["revision"] for row in rating.given] == [1]
    tab.get_by_role("link", name="Go back to change it").click()
    tab.wait_for_url("**/rate/item/1")
    said(tab, "Handed in", "#handed-in")
    tab.keyboard.press("2")
    said(tab, "save again to make the change count", "#handed-in")
    tab.keyboard.press("Control+z")
    said(tab, "This is what you handed in", "#handed-in")
    tab.keyboard.press("2")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/2")
    assert [row["revision"] for row in rating.given] == [1, 2]


def test_a_round_that_closes_under_way(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann", "Bo"), reveal=True)
    tab = person().enter(site, rating.people["Ann"].token)
    rating.happen("closed")
    tab.locator("#comment").fill("written as it closed")
    said(tab, "The round has closed", "#problem")
    assert tab.locator("#comment").input_value() == "written as it closed"
    tab.locator("h1").click()
    tab.keyboard.press("1")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/2")
    said(tab, "your answer is kept apart", "#said")
    assert [row["late"] for row in rating.given] == [True]
    tab.goto(f"{site.address}/rate/item/1")
    assert tab.locator("#comment").input_value() == "written as it closed"
    assert tab.locator("[name=label]:enabled, [name=cite]:enabled, #comment:not([readonly])").count() == 0
    said(tab, JUDGE, "section[aria-label='How others labelled it']")


def test_a_link_that_is_withdrawn_under_way(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    tab = one.enter(site, rating.people["Ann"].token)
    revoke(desk, rating.people["Ann"].link.id)
    tab.locator("#comment").fill("must not get lost")
    said(tab, "Not saved: This link was withdrawn.*stays on this device")
    assert tab.locator("#comment").input_value() == "must not get lost"
    again = invite(desk, rating.round.id, "rater", "Ann")
    assert one.enter(site, again.token).locator("#comment").input_value() == "must not get lost"
    said(tab, "Saved")
    assert [draft["comment"] for draft in rating.drafts] == ["must not get lost"]


def test_an_item_that_is_taken_back_under_way(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann",))
    tab = person().enter(site, rating.people["Ann"].token)
    cell = rating.at("Ann").cell
    rating.happen("withdrawn", cell.rater_id, cell.item_id, cell.metric)
    tab.keyboard.press("1")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/2")
    said(tab, "This item was taken back: your answer is kept apart", "#said")
    assert [row["late"] for row in rating.given] == [True]


def test_two_people_at_one_machine_never_mix(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann", "Bo"))
    one = person()
    tab = one.enter(site, rating.people["Ann"].token)
    other = one.context.new_page()
    Person(one.context, other, []).enter(site, rating.people["Bo"].token)
    tab.locator("#comment").fill("these are Ann's words")
    said(tab, "Not saved")
    assert rating.drafts == []
    other.reload()
    other.wait_for_timeout(300)
    assert other.locator("#comment").input_value() == ""
    assert one.enter(site, rating.people["Ann"].token).locator("#comment").input_value() == (
        "these are Ann's words"
    )
    said(tab, "Saved")


def test_a_link_that_is_opened_again_elsewhere_in_the_browser(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    tab = one.enter(site, rating.people["Ann"].token)
    Person(one.context, one.context.new_page(), []).enter(site, rating.people["Ann"].token)
    tab.locator("#comment").fill("from the older tab")
    said(tab, "Saved")
    assert [draft["comment"] for draft in rating.drafts] == ["from the older tab"]


def test_undo_goes_back_state_by_state(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann",))
    tab = person().enter(site, rating.people["Ann"].token)

    def chosen() -> list[str]:
        return tab.locator("input:checked").evaluate_all("all => all.map(one => one.value)")

    states = [chosen()]
    for key in ("1", "2", "d", "j", "r", "u"):
        tab.keyboard.press(key)
        if chosen() != states[-1]:
            states.append(chosen())
    assert len(states) == 6
    while len(states) > 1:
        states.pop()
        tab.keyboard.press("Control+z")
        assert chosen() == states[-1]
    said(tab, "Saved")
    assert tab.locator("#undo").is_disabled()


def test_sets_of_labels(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, ("tone",), names=("Ann",), sets=["tone"])
    tab = person().enter(site, rating.people["Ann"].token)

    def chosen() -> set[str]:
        return set(tab.locator("[name=label]:checked").evaluate_all("all => all.map(one => one.value)"))

    tab.keyboard.press("u")
    assert chosen() == {"not sure"}
    tab.keyboard.press("1")
    tab.keyboard.press("3")
    both = chosen()
    assert len(both) == 2
    assert both < {"warm", "cold", "dry"}
    tab.keyboard.press("1")
    assert len(chosen()) == 1
    tab.keyboard.press("1")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/2")
    assert set(rating.given[0]["labels"]) == both


def test_a_scale_of_many_numbers(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, ("score",), names=("Ann",))
    tab = person().enter(site, rating.people["Ann"].token)
    tab.locator("#number").fill("61")
    said(tab, "The scale has no such number", "#number-said")
    tab.get_by_role("button", name="Save and next").click()
    said(tab, "Choose a label first", "#problem")
    tab.locator("#number").fill("65.0")
    tab.get_by_role("button", name="Save and next").click()
    tab.wait_for_url("**/rate/item/2")
    assert rating.given[0]["labels"] == ["65"]


def test_pairs_stand_side_by_side_and_on_a_phone_below_each_other(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, ("better",), names=("Ann",), shown=("prompt", "response"))
    tab = person().enter(site, rating.people["Ann"].token)
    left, right = (tab.locator(".pane").nth(k).bounding_box() for k in (0, 1))
    assert left["x"] + left["width"] <= right["x"]
    tab.set_viewport_size({"width": 390, "height": 800})
    left, right = (tab.locator(".pane").nth(k).bounding_box() for k in (0, 1))
    assert left["y"] + left["height"] <= right["y"]
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.get_by_text("Left is better").click()
    tab.get_by_role("button", name="Save and next").click()
    tab.wait_for_url("**/rate/item/2")
    (row,) = rating.given
    assert row["labels"] == [{"ab": "first", "ba": "second"}[row["presented"]]]


def test_confirming_starts_on_the_verdict_that_is_shown(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, names=("Ann",), mode="confirm", judge=JUDGE)
    tab = person().enter(site, rating.people["Ann"].token)
    said(tab, "The judge says: Fail", ".anchor")
    said(tab, re.escape(RATIONALE), ".anchor")
    assert tab.locator("[name=label]:checked").input_value() == "fail"
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/2")
    assert (rating.given[0]["labels"], rating.given[0]["anchored"]) == (["fail"], True)


def test_a_wrong_clock_on_the_device_does_not_matter(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    one.context.add_init_script(
        "Date = class extends Date { constructor(...told) { super(...(told.length ? told : [0])); } }"
    )
    tab = one.enter(site, rating.people["Ann"].token)
    assert tab.evaluate("new Date().getFullYear()") == 1970
    for key in ("1", "2", "Enter"):
        tab.keyboard.press(key)
    tab.wait_for_url("**/rate/item/2")
    (row,) = rating.given
    assert row["created_at"] > "2025"
    assert 0 <= row["seconds"] < 60


def test_times_are_those_of_the_readers_zone(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann",))
    tab = person(zone="Asia/Kathmandu").enter(site, rating.people["Ann"].token)
    tab.keyboard.press("1")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/2")
    there = datetime.fromisoformat(rating.given[0]["created_at"]) + timedelta(hours=5, minutes=45)
    said(tab, f"^Saved (\\S+ \\S+ )?{there:%H:%M}\\.", "#said")
    tab.goto(f"{site.address}/rate/")
    said(tab, f"{there:%H:%M}$", "td:has(time)")


def test_seconds_of_work_end_two_minutes_after_the_last_act(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    one.tab.clock.install()
    tab = one.enter(site, rating.people["Ann"].token)
    tab.keyboard.press("1")
    tab.clock.fast_forward("10:00")
    tab.keyboard.press("2")
    tab.clock.fast_forward("00:30")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/rate/item/2")
    assert 150 <= rating.given[0]["seconds"] < 180


def test_without_its_script_a_page_offers_no_button_that_would_lose_an_answer(
    desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    rating = round_on(desk, names=("Ann",))
    one = person()
    one.context.route("**/rate.js*", lambda route: route.abort())
    tab = one.enter(site, rating.people["Ann"].token)
    assert tab.get_by_role("button", name="Save and next").is_disabled()
    tab.locator("[name=label]").first.click()
    tab.keyboard.press("Enter")
    assert tab.url.endswith("/rate/item/1")


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
)
def test_the_pages_are_accessible(
    width: int, scheme: str, desk: Desk, site: Site, person: Callable[..., Person]
) -> None:
    sync_axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    rating = round_on(desk, names=("Ann",))
    tab = person(width=width, scheme=scheme).tab
    tab.goto(site.link(rating.people["Ann"].token))
    tab.wait_for_url("**/rate/")
    problems = []
    more = ("metrics/1", "protocol") if (width, scheme) in ((1280, "light"), (390, "dark")) else ()
    for page in ("", "item/1", "", *more):
        if page or tab.locator("button", has_text="begin").count() == 0:
            tab.goto(f"{site.address}/rate/{page}")
        if page == "item/1":
            for key in ("1", "j", "r"):
                tab.keyboard.press(key)
            said(tab, "Saved")
        for violation in sync_axe.Axe().run(tab).response["violations"]:
            if violation["impact"] in ("moderate", "serious", "critical"):
                problems += [(page, violation["id"], node["html"][:150]) for node in violation["nodes"]]
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        if tab.locator("button", has_text="begin").count():
            tab.locator("button", has_text="begin").click()
            tab.wait_for_url("**/rate/item/1")
    assert problems == []


def test_hostile_texts_lie_still(desk: Desk, site: Site, person: Callable[..., Person]) -> None:
    rating = round_on(desk, names=("Ann",))
    tab = person().enter(site, rating.people["Ann"].token)
    tab.locator("#comment").fill(HOSTILE)
    said(tab, "Saved")
    tab.reload()
    assert tab.locator("#comment").input_value() == HOSTILE
    assert "<script>window.hacked" in tab.locator(".turn").last.inner_text()
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("#planted, .turn img").count() == 0
    assert SYSTEM not in tab.content()


def test_a_long_transcript_is_quick_and_its_turns_can_be_gone_to(
    tmp_path_factory: pytest.TempPathFactory, person: Callable[..., Person]
) -> None:
    desk = desk_of(tmp_path_factory.mktemp("long") / "study", items=1, turns=200, words=90)
    rating: Rating = round_on(desk, names=("Ann",))
    with served(desk) as site:
        tab = person().enter(site, rating.people["Ann"].token)
        tab.reload()
        timing = tab.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
        assert timing < 3000
        tab.locator("#goto-turn").fill("150")
        tab.keyboard.press("Enter")
        tab.locator("#t150").wait_for()
        box = tab.locator("#t150").bounding_box()
        assert 0 <= box["y"] < 700
        tab.keyboard.press("j")
        tab.keyboard.press("r")
        said(tab, "turn 151", "#relied")
        assert tab.url.endswith("#t151")
