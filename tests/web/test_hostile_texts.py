"""Whatever people and models wrote is shown as text: nothing of it becomes a page's own, and nothing runs."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from review.studies import UnderWay
from voirdire.review.assigning import assign_to, by_overlap
from voirdire.review.desk import open_desk
from voirdire.review.metric_reviews import MetricReview, review_metric
from voirdire.review.people import Invited, Role, invite
from voirdire.review.settings import RoundSettings, offered_scale
from web.doors import doors
from web.rating import served
from web.visits import browser as visiting
from web.visits import pages

MARK = "planted"
HOSTILE = (
    f"{MARK} <script>window.{MARK}=1</script><img src=x onerror=window.{MARK}=2>"
    f'</textarea></script></title><{MARK}-tag onclick="window.{MARK}=3" style="color:red">'
    f"\"'`><svg/onload=window.{MARK}=4><a href=javascript:window.{MARK}=5>x</a>"
    f"[x](javascript:window.{MARK}=6) *<b>y</b>* {{{{7*7}}}} {{% raw %}} &lt;{MARK}-tag&gt; --> ]]>"
    " \u202e\u2028 end"
)
ROLES: tuple[Role, ...] = ("rater", "panel", "organiser")
HARMLESS = {"data:,"}


@dataclass
class Planted:
    """A round full of hostile texts, and a link of each role."""

    way: UnderWay
    links: dict[Role, Invited]


def write(folder: Path) -> Path:
    """A study whose every text is hostile, names and ids as well."""
    folder.mkdir()
    metric = {"title": f"Kind {HOSTILE}", "rubric": HOSTILE, "present": [HOSTILE], "absent": [HOSTILE]}
    labels = [f"fail {HOSTILE}", "pass"]
    study = {
        "name": HOSTILE,
        "unrated": True,
        "tables": [{"file": "texts.csv", "kind": "items"}],
        "metrics": {f"kind <{MARK}-tag>": {**metric, "scale": {"kind": "binary", "labels": labels}}},
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(study, allow_unicode=True), encoding="utf-8")
    with (folder / "texts.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item_id", "system", "text", f"note {MARK}"])
        for number in range(3):
            talk = json.dumps([{"role": HOSTILE, "content": HOSTILE}, {"role": "user", "content": HOSTILE}])
            rows.writerow([f"i{number} {HOSTILE}", f"system {HOSTILE}", talk, HOSTILE])
    return folder


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    desk = open_desk(write(tmp_path_factory.mktemp("planted") / "study"))
    (metric,) = desk.study.metrics
    scales = {metric.name: offered_scale(metric)}
    settings = RoundSettings(
        title=HOSTILE[:200], metrics=[metric.name], scales=scales, protocol=HOSTILE, reveal=True
    )
    round_ = desk.new_round(settings)
    people = {
        name: invite(desk, round_.id, "rater", f"{name} {HOSTILE}"[:200], contact=HOSTILE, expertise=HOSTILE)
        for name in ("Ann", "Bo")
    }
    raters = {one.link.rater_id: 0 for one in people.values()}
    assign_to(desk, round_, by_overlap(desk, [metric.name], raters))
    way = UnderWay(desk, round_, people)
    first = desk.study.items.ids[0]
    way.say("Ann", first, metric.name, "not sure", comment=HOSTILE)
    way.say("Bo", first, metric.name, metric.scale.labels[0], comment=HOSTILE)
    told = MetricReview(adequacy="uncertain", rename=HOSTILE[:100], edits=HOSTILE, comment=HOSTILE)
    review_metric(desk, round_, people["Bo"].link.rater_id, metric.name, told, "planted-review")
    links: dict[Role, Invited] = {
        "rater": people["Ann"],
        "panel": invite(desk, round_.id, "panel", f"Pia {HOSTILE}"[:200]),
        "organiser": invite(desk, round_.id, "organiser"),
    }
    return Planted(way, links)


class Reading(HTMLParser):
    """What of a page is a page's own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        told = dict(attributes)
        if tag in (f"{MARK}-tag", "svg" if MARK in str(told) else "", "iframe", "object", "base"):
            self.faults.append(tag)
        for name, value in attributes:
            outside = name in ("src", "href", "action", "formaction") and not _own(value or "")
            if name.startswith(("on", "hx-on")) or name in ("style", "srcdoc") or outside:
                self.faults.append(f"{tag} {name}={value}")
        if tag == "script" and "src" not in told and told.get("type") != "application/json":
            self.faults.append("inline script")
        if tag == "style":
            self.faults.append("inline style")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def _own(address: str) -> bool:
    return address in HARMLESS or (address.startswith(("/", "#", "?")) and not address.startswith("//"))


def test_hostile_texts_are_text_on_every_page(planted: Planted) -> None:
    app = pages(planted.way.desk)
    shown: set[Role] = set()
    for role, invited in planted.links.items():
        visitor = visiting(app)
        visitor.client.post("/enter", json={"token": invited.token})
        before = visitor.client.get("/rate/") if role == "rater" else None
        visitor.enter(invited.token)
        replies = [door.open(visitor.client, accept="text/html") for door in doors(app, planted.way)]
        for reply in [*replies, *([before] if before else [])]:
            if not reply.headers.get("content-type", "").startswith("text/html"):
                continue
            page = Reading()
            page.feed(reply.text)
            assert page.faults == [], f"{role} {reply.request.url}"
            assert "49" not in "".join(page.texts).split(), "a template was filled from a text"
            shown |= {role} if f"<script>window.{MARK}=1" in "".join(page.texts) else set()
    assert shown == set(ROLES)


def test_data_for_scripts_ends_where_it_should(planted: Planted) -> None:
    """A text within a page's JSON block cannot end that block."""
    visitor = visiting(pages(planted.way.desk)).enter(planted.links["rater"].token)
    visitor.answer(1, "pass", what="draft")
    for place in (1, 2, 3):
        page = visitor.client.get(f"/rate/item/{place}").text
        for block in page.split('type="application/json"')[1:]:
            content = block.partition(">")[2].partition("</script>")[0]
            assert json.loads(content)
            assert "<" not in content


def test_a_sentence_about_a_mistake_repeats_it_as_text(planted: Planted) -> None:
    visitor = visiting(pages(planted.way.desk)).enter(planted.links["rater"].token)
    body = {"answer": {"labels": [HOSTILE]}, "key": "planted-0001"}
    headers = {"x-csrf-token": visitor.proof, "accept": "text/html"}
    reply = visitor.client.post("/rate/item/1/answer", json=body, headers=headers)
    assert reply.status_code == 422
    page = Reading()
    page.feed(reply.text)
    assert page.faults == []


@pytest.mark.browser
@pytest.mark.parametrize("role", ROLES)
def test_nothing_runs_and_no_request_leaves_or_carries_a_token(
    planted: Planted, browser: Any, role: Role
) -> None:
    token = planted.links[role].token
    with served(planted.way.desk) as site:
        context = browser.new_context()
        tab = context.new_page()
        troubles: list[str] = []
        requests: list[Any] = []
        tab.on("console", lambda message: troubles.append(f"{message.text} {message.location['url']}"))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("dialog", lambda dialog: (troubles.append("dialog"), dialog.dismiss()))
        tab.on("request", lambda request: requests.append(request))
        tab.goto(site.link(token))
        tab.wait_for_url(lambda url: "/enter" not in url)
        for door in doors(pages(planted.way.desk), planted.way):
            whole = door.method == "GET" and not door.path.endswith(("/state", "/parts", ".csv"))
            if whole and door.role == role:
                tab.goto(f"{site.address}{door.path}", wait_until="load")
                assert tab.evaluate(f"window.{MARK}") is None
                assert tab.locator(f"{MARK}-tag").count() == 0
        assert troubles == []
        assert len(requests) > 5
        for request in requests:
            assert request.url.startswith(site.address)
            told = json.dumps({**request.all_headers(), "url": request.url.partition("#")[0]})
            assert token not in told
            assert token[16:] not in told
        assert token not in tab.evaluate(
            "JSON.stringify([location.href, document.referrer, {...localStorage}])"
        )
        context.close()
