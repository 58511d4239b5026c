"""The page: whole without scripts, inert to hostile text, and open to the ratings behind each number."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from report import examples
from voirdire import registry
from voirdire.checks.finding import Evidence
from voirdire.report.links import fragment

Open = Callable[..., Any]
MADE = [examples.full, examples.hostile, examples.sixty, examples.no_judge, examples.no_people]


class Outline(HTMLParser):
    """Headings, landmarks, ids, links and script blocks of a page, as a parser sees them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))

    def values(self, name: str) -> list[str]:
        return [found for _, attributes in self.attributes if (found := attributes.get(name)) is not None]


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[str], Path]:
    def save(page: str) -> Path:
        path = tmp_path / "report.html"
        path.write_bytes(page.encode())
        return path

    return save


@pytest.mark.parametrize("make", MADE)
def test_a_page_has_one_heading_its_landmarks_and_no_inline_style_or_handler(make: Any) -> None:
    outline = Outline(make().to_html())
    assert outline.tags.count("h1") == 1
    assert {"header", "nav", "main", "footer", "title"} <= set(outline.tags)
    ids = outline.values("id")
    assert len(ids) == len(set(ids))
    assert outline.values("style") == []
    assert outline.values("src") == []
    assert not [name for _, attributes in outline.attributes for name in attributes if name.startswith("on")]
    inside = {href[1:] for href in outline.values("href") if href.startswith("#") and "?" not in href}
    assert inside <= set(ids)
    assert [a["scope"] for tag, a in outline.attributes if tag == "th" and "scope" not in a] == []


def test_the_same_audit_gives_the_same_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert examples.full().to_html() == examples.full().to_html()


def test_every_text_of_a_users_is_escaped() -> None:
    page = examples.hostile().to_html()
    without_ours = re.sub(r"<script>.*?</script>\n|<style>.*?</style>", "", page, flags=re.S)
    assert "<img" not in without_ours
    assert "alert(&#34;broken&#34;)" in without_ours
    assert len(re.findall("<script", without_ours)) == len(
        re.findall('<script type="[a-z/]+" id=', without_ours)
    )


def test_texts_can_be_left_out() -> None:
    audit = examples.audit(examples.study(texts=("a secret text",)), (), [examples.every_cell()])
    assert "a secret text" in audit.to_html()
    assert "window.broken" in audit.to_html()
    assert "a secret text" not in audit.to_html(text=False)
    assert "window.broken" not in audit.to_html(text=False)


def test_more_metrics_than_a_page_should_open_with_are_folded() -> None:
    page = examples.sixty().to_html()
    assert "The other 30 rows" in page
    assert all(f"metric {place:02d}" in page for place in range(60))


def test_without_a_judge_the_table_says_what_will_stand_there() -> None:
    page = examples.no_judge().to_html()
    assert "No judge has a verdict here yet." in page
    assert "May it stand in?" in page


@pytest.mark.browser
@pytest.mark.parametrize(
    ("make", "width"),
    [
        (examples.full, 1280),
        (examples.hostile, 1280),
        (examples.hostile, 400),
        (examples.sixty, 400),
        (examples.no_judge, 400),
        (examples.no_people, 1280),
    ],
)
def test_a_page_opens_quietly_and_never_scrolls_sideways(
    make: Any, width: int, browser_page: Open, saved: Any
) -> None:
    path = saved(make().to_html())
    opened = browser_page(path, width=width)
    opened.wait_for_plots()
    drawn = opened.tab.eval_on_selector_all("[data-spec]", "all => all.map(place => place.dataset.drawn)")
    assert set(drawn) <= {"yes"}
    assert opened.tab.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.tab.evaluate("window.broken") is None
    assert opened.requests == [path.as_uri()]
    assert opened.troubles == []


@pytest.mark.browser
def test_hostile_text_stays_text_wherever_it_is_opened(browser_page: Open, saved: Any) -> None:
    path = saved(examples.hostile().to_html())
    opened = browser_page(path, fragment(Evidence(metric=examples.HOSTILE[0])))
    opened.wait_for_plots()
    for summary in opened.tab.query_selector_all("details:not([open]) > summary")[:30]:
        summary.click()
    opened.tab.locator("[data-spec] .mark-symbol path").first.hover()
    assert examples.HOSTILE[0] in opened.tab.locator("#rows").inner_text()
    assert opened.tab.locator("img").count() == 0
    assert opened.tab.locator("#rows a").count() == 0
    assert opened.tab.evaluate("window.broken") is None
    assert opened.requests == [path.as_uri()]
    assert opened.troubles == []


@pytest.mark.browser
def test_a_row_opens_the_ratings_behind_it(browser_page: Open, saved: Any) -> None:
    opened = browser_page(saved(examples.full().to_html()))
    opened.tab.click(".head tbody tr:nth-child(2) th a")
    rows = opened.tab.locator("#rows tbody tr")
    assert rows.count() == 12
    assert opened.tab.locator("#rows select").first.input_value() == "safety"
    assert "48 of 96 ratings" in opened.tab.locator("#rows .note[aria-live]").inner_text()
    assert "ann: " in rows.first.inner_text()
    assert opened.tab.evaluate("document.activeElement.id") == "h-rows"


@pytest.mark.browser
def test_ratings_are_chosen_by_rater_slice_and_item_name(browser_page: Open, saved: Any) -> None:
    path = saved(examples.full().to_html())
    asked = fragment(Evidence(metric="tone", raters=("bob",), where=(("system", "system 1"),)))
    opened = browser_page(path, asked)
    said = opened.tab.locator("#rows .note[aria-live]")
    assert "16 of 96 ratings" in said.inner_text()
    assert opened.tab.locator("#rows .hit").count() == 4
    opened.tab.get_by_label("Item name contains").fill("item 1")
    assert opened.tab.locator("#rows tbody th bdi").all_inner_texts() == ["item 1", "item 10"]
    opened.tab.get_by_role("button", name="Show all").click()
    assert "96 of 96 ratings" in said.inner_text()


@pytest.mark.browser
def test_ratings_come_two_hundred_at_a_time(browser_page: Open, saved: Any) -> None:
    audit = examples.audit(examples.study(("tone",), n_items=450))
    opened = browser_page(saved(audit.to_html()), "#rows")
    rows = opened.tab.locator("#rows tbody tr")
    assert rows.count() == 200
    opened.tab.get_by_role("button", name="Show 200 more").click()
    assert rows.count() == 400
    opened.tab.get_by_role("button", name="Show 50 more").press("Enter")
    assert rows.count() == 450
    assert not opened.tab.locator(".viewer > button").is_visible()


@pytest.mark.browser
def test_the_page_reads_in_full_without_scripts(browser_page: Open, saved: Any) -> None:
    opened = browser_page(saved(examples.full().to_html()), scripts=False)
    text = opened.tab.locator("body").inner_text()
    assert "Not yet." in text
    assert "rater 11" in text
    assert "needs a browser that runs the page’s scripts" in text
    assert not opened.tab.locator("[data-spec]").first.is_visible()


@pytest.mark.browser
def test_a_figure_of_both_draws_each_in_its_own_colour_and_shape(browser_page: Open, saved: Any) -> None:
    opened = browser_page(saved(examples.full().to_html()))
    opened.wait_for_plots()
    marks = opened.tab.locator("#rates [data-spec] .role-mark.mark-symbol path")
    drawn = marks.evaluate_all(
        "all => all.map((path) => [path.getAttribute('fill'), path.getAttribute('d')])"
    )
    assert {fill for fill, _ in drawn} == {"var(--judge)", "var(--people)"}
    assert len({(fill, shape) for fill, shape in drawn}) == 2
    assert len(drawn) == 12


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_plots_take_the_colours_of_the_page(scheme: str, browser_page: Open, saved: Any) -> None:
    opened = browser_page(saved(examples.full().to_html()), scheme=scheme)
    opened.wait_for_plots()
    mark = opened.tab.locator("[data-spec] .mark-symbol path").first
    people = opened.tab.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--people')")
    red, green, blue = (int(people.strip()[place : place + 2], 16) for place in (1, 3, 5))
    assert mark.evaluate("path => getComputedStyle(path).fill") == f"rgb({red}, {green}, {blue})"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("make", "width", "scheme"),
    [
        (examples.full, 1280, "light"),
        (examples.full, 1280, "dark"),
        (examples.full, 400, "light"),
        (examples.full, 400, "dark"),
        (examples.no_judge, 400, "light"),
    ],
)
def test_the_page_is_accessible(make: Any, width: int, scheme: str, browser_page: Open, saved: Any) -> None:
    sync_axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    opened = browser_page(saved(make().to_html()), "#rows", width=width, scheme=scheme)
    opened.wait_for_plots()
    opened.tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = sync_axe.Axe().run(opened.tab).response["violations"]
    serious = [
        (violation["id"], node["html"][:120], node["failureSummary"][:300])
        for violation in found
        if violation["impact"] in ("serious", "critical", "moderate")
        for node in violation["nodes"]
    ]
    assert serious == []


def test_a_notebook_gets_a_fragment_without_scripts() -> None:
    shown = registry.get("report", "notebook")(examples.hostile())
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<html" not in shown
    assert 'class="answer"' in shown
    assert ":root" not in shown
