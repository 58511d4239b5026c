"""A rater's pages and what their scripts send, without a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from voirdire.review.desk import Desk
from voirdire.review.metric_reviews import last_review
from web.rating import JUDGE, RATIONALE, Rating, client_of, desk_of, round_on


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return desk_of(tmp_path_factory.mktemp("pages") / "study")


@pytest.fixture
def rating(desk: Desk) -> Rating:
    return round_on(desk)


@pytest.fixture
def ann(rating: Rating) -> TestClient:
    return client_of(rating, "Ann")


def act(*labels: str, key: str = "key-00000001", seen: int = 0, **told: Any) -> dict[str, Any]:
    return {"answer": {"labels": list(labels), **told}, "key": key, "seen": seen, "seconds": 4.5}


def test_the_protocol_comes_first_and_can_be_read_again(rating: Rating) -> None:
    client = client_of(rating, "Ann", accept=False)
    assert "Before you begin" in client.get("/rate/").text
    assert client.get("/rate/item/1", follow_redirects=False).headers["location"] == "/rate/"
    proof = client.headers["x-csrf-token"]
    accepted = client.post("/rate/protocol", data={"proof": proof}, follow_redirects=False)
    assert accepted.headers["location"] == "/rate/next"
    assert "I have read this" not in client.get("/rate/protocol").text


def test_an_answer_moves_the_bar_and_leads_to_the_next_item(rating: Rating, ann: TestClient) -> None:
    reply = ann.post("/rate/item/2/answer", json=act("pass")).json()
    assert (reply["done"], reply["total"], reply["next"], reply["revision"]) == (1, 4, 3, 1)
    assert reply["note"] == ""
    assert "1 of 4 done" in ann.get("/rate/item/1").text
    assert ann.get("/rate/next", follow_redirects=False).headers["location"] == "/rate/item/1"
    assert "1 of your 4 items are done" in ann.get("/rate/").text


def test_the_last_answer_leads_back_to_the_list(rating: Rating, ann: TestClient) -> None:
    for place in (4, 3, 1, 2):
        reply = ann.post(f"/rate/item/{place}/answer", json=act("fail", key=f"key-{place:08d}")).json()
    assert reply["next"] == 0
    assert "You have done all 4" in ann.get("/rate/").text
    assert ann.get("/rate/next", follow_redirects=False).headers["location"] == "/rate/"


def test_what_is_sent_twice_counts_once(rating: Rating, ann: TestClient) -> None:
    first = ann.post("/rate/item/1/answer", json=act("pass")).json()
    again = ann.post("/rate/item/1/answer", json=act("pass")).json()
    assert again == first
    for _ in range(2):
        draft = ann.post("/rate/item/1/draft", json=act("fail", key="key-00000002")).json()
    assert draft["changes"] == 2
    assert [row["revision"] for row in rating.given] == [1]


def test_the_newest_of_drafts_and_answers_stands_in_the_form(ann: TestClient) -> None:
    ann.post("/rate/item/1/answer", json=act("pass", comment="handed in"))
    handed_in = ann.get("/rate/item/1/state").json()
    assert (handed_in["changes"], handed_in["revision"], handed_in["pending"]) == (1, 1, False)
    assert "✓ Handed in" in ann.get("/rate/item/1").text
    ann.post("/rate/item/1/draft", json=act("fail", key="key-00000002", comment="thought again"))
    changed = ann.get("/rate/item/1/state").json()
    assert (changed["changes"], changed["revision"], changed["pending"]) == (2, 1, True)
    assert changed["answer"]["comment"] == "thought again"
    page = ann.get("/rate/item/1").text
    assert "save again to make the change count" in page
    assert "thought again</textarea>" in page


def test_an_answer_over_another_windows_says_so_and_keeps_both(rating: Rating, ann: TestClient) -> None:
    ann.post("/rate/item/1/answer", json=act("pass"))
    reply = ann.post("/rate/item/1/answer", json=act("fail", key="key-00000002")).json()
    assert "both are kept" in reply["note"]
    third = ann.post("/rate/item/1/answer", json=act("pass", key="key-00000003", seen=2)).json()
    assert third["note"] == ""
    assert [row["labels"] for row in rating.given] == [["pass"], ["fail"], ["pass"]]


def test_an_answer_after_closing_is_kept_apart_and_the_form_is_read_only(
    rating: Rating, ann: TestClient
) -> None:
    ann.post("/rate/item/1/draft", json=act("pass"))
    rating.happen("closed")
    assert ann.post("/rate/item/1/draft", json=act("pass", key="key-00000002")).json()["open"] is False
    reply = ann.post("/rate/item/1/answer", json=act("pass", key="key-00000003")).json()
    assert (reply["late"], reply["open"]) == (True, False)
    assert reply["note"].startswith("The round has closed")
    page = ann.get("/rate/item/1").text
    boxes = re.findall(r'<input [^>]*name="(?:label|confidence|challenge)"[^>]*>', page)
    assert len(boxes) == 13
    assert all(" disabled" in box for box in boxes)
    assert "Save and next" not in page
    assert "late: kept apart" in ann.get("/rate/").text


def test_a_closed_round_shows_what_was_handed_in_and_not_what_was_entered_after(
    rating: Rating, ann: TestClient
) -> None:
    ann.post("/rate/item/1/answer", json=act("pass", comment="in time"))
    rating.happen("closed")
    ann.post("/rate/item/1/draft", json=act("fail", key="key-00000002", comment="too late"))
    ann.post("/rate/item/2/draft", json=act("fail", key="key-00000003", comment="never handed in"))
    page = ann.get("/rate/item/1").text
    assert "in time</textarea>" in page
    assert 'value="pass" data-kind="verdict" checked' in page
    unfinished = ann.get("/rate/item/2").text
    assert "never handed in</textarea>" in unfinished
    assert "you handed in nothing here, and what you had entered is kept" in unfinished


def test_an_item_that_was_taken_back_keeps_what_was_being_written(rating: Rating, ann: TestClient) -> None:
    cell = rating.at("Ann", 1).cell
    rating.happen("withdrawn", cell.rater_id, cell.item_id, cell.metric)
    assert ann.get("/rate/item/1").status_code == 404
    assert ann.post("/rate/item/1/draft", json=act("pass")).status_code == 200
    reply = ann.post("/rate/item/1/answer", json=act("pass", key="key-00000002")).json()
    assert (reply["late"], reply["total"]) == (True, 3)
    assert reply["note"].startswith("This item was taken back")


def test_a_place_that_is_not_on_the_list_says_so(ann: TestClient) -> None:
    for method, path in (("GET", ""), ("GET", "/state"), ("POST", "/draft"), ("POST", "/answer")):
        reply = ann.request(method, f"/rate/item/5{path}", json=act("pass") if method == "POST" else None)
        assert reply.status_code == 404
        assert "not, or no longer, yours" in reply.json()["problem"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"labels": []}, "no label is chosen yet"),
        ({"labels": ["pass", "fail"]}, "several labels are chosen"),
        ({"labels": ["maybe"]}, "no label 'maybe'"),
        ({"labels": ["pass"], "challenge": "odd"}, "no challenge 'odd'"),
        ({"labels": ["pass"], "confidence": 5}, "confidence"),
    ],
)
def test_an_answer_that_the_metric_does_not_offer_is_refused(
    answer: dict[str, Any], problem: str, rating: Rating, ann: TestClient
) -> None:
    reply = ann.post("/rate/item/1/answer", json={"answer": answer, "key": "key-00000001"})
    assert reply.status_code == 422
    assert problem in reply.json()["problem"]
    assert rating.given == []


def test_every_label_has_a_key_of_its_own_and_not_sure_stands_apart(ann: TestClient) -> None:
    page = ann.get("/rate/item/1").text
    for key in "123UASDFZXCVM":
        assert page.count(f'aria-keyshortcuts="{key}"') == 1
    assert page.index('value="borderline"') < page.index('class="apart"') < page.index('value="not sure"')


def test_a_scale_of_many_numbers_has_a_field(desk: Desk) -> None:
    page = client_of(round_on(desk, ("score",)), "Ann").get("/rate/item/1").text
    assert "A number from 0 to 100" in page
    assert page.count("<option value=") == 21
    assert page.count('name="label"') == 1


def test_confirming_shows_the_verdict_as_such_and_starts_on_it(desk: Desk) -> None:
    rating = round_on(desk, mode="confirm", judge=JUDGE)
    client = client_of(rating, "Ann")
    protocol = client.get("/rate/protocol").text
    assert "shown a judge&#39;s verdict, on purpose" in protocol
    assert "no machine&#39;s verdict" not in protocol
    page = client.get("/rate/item/1").text
    assert "The judge says: Fail" in page
    assert RATIONALE in page
    assert "Shown on purpose" in page
    assert 'value="fail" data-kind="verdict" checked' in page
    assert "You work blind" not in page
    client.post("/rate/item/1/answer", json=act("pass"))
    assert [row["anchored"] for row in rating.given] == [True]
    assert 'value="pass" data-kind="verdict" checked' in client.get("/rate/item/1").text


def test_a_metric_is_reviewed_and_each_version_is_kept(rating: Rating, ann: TestClient) -> None:
    assert "Scaffolded learning" in ann.get("/rate/metrics/1").text
    form = {"proof": ann.headers["x-csrf-token"], "key": "form-00000001", "comment": "<b>Too</b> narrow"}
    refused = ann.post("/rate/metrics/1", data=form)
    assert refused.status_code == 422
    assert "Not saved: choose one of the three answers first" in refused.text
    assert "&lt;b&gt;Too&lt;/b&gt; narrow" in refused.text
    for _ in range(2):
        told = {**form, "adequacy": "uncertain", "rename": "Scaffolding"}
        assert ann.post("/rate/metrics/1", data=told, follow_redirects=False).status_code == 303
    said = last_review(rating.desk, rating.round.id, rating.people["Ann"].link.rater_id, "steps")
    assert said is not None
    assert (said.adequacy, said.rename, said.comment) == ("uncertain", "Scaffolding", "<b>Too</b> narrow")
    assert "✓ Saved." in ann.get("/rate/metrics/1").text
    assert "you said: uncertain" in ann.get("/rate/").text
    assert ann.get("/rate/metrics/2").status_code == 404


def test_pausing_forgets_the_browser_and_the_link_opens_the_work_again(
    rating: Rating, ann: TestClient
) -> None:
    ann.post("/rate/item/1/draft", json=act("pass", comment="half done"))
    assert "You have left" in ann.post("/rate/leave", data={"proof": ann.headers["x-csrf-token"]}).text
    assert ann.get("/rate/").status_code == 401
    assert "half done</textarea>" in client_of(rating, "Ann").get("/rate/item/1").text


def test_nothing_assigned_yet_says_what_will_stand_there(desk: Desk) -> None:
    rating = round_on(desk, names=("Ann",))
    empty = round_on(desk, names=("Ann", "Bo"), labels_an_item=1, items=1)
    assert rating.round.id != empty.round.id
    totals = {name: client_of(empty, name).get("/rate/").text for name in ("Ann", "Bo")}
    assert sum("Nothing is assigned to you yet" in page for page in totals.values()) == 1
    assert sum("1 item waits for your label" in page for page in totals.values()) == 1
