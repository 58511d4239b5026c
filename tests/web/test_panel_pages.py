"""A panel sees the labels without whose they are, rules beside them, and never sees a judge."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlalchemy as sql

from voirdire.review.panel import as_panel, said_of, turned
from voirdire.review.people import invite
from voirdire.review.rulings import rulings_of
from voirdire.review.showing import Showing
from voirdire.store.review_schema import adjudications, labels
from web.paneling import disputed, fields, panel_client, round_of, say
from web.rating import JUDGE, RATIONALE, SYSTEM, Rating, client_of

PAIR = ["prompt", "response_a", "response_b"]


@pytest.fixture
def rating(tmp_path: Path) -> Rating:
    return disputed(tmp_path)


def test_the_queue_says_what_is_open_and_why(rating: Rating) -> None:
    page = panel_client(rating).get("/panel/").text
    assert "2 items wait for a ruling." in page
    assert page.index("no verdict ahead, borderline, called ambiguous") < page.index("<td>not sure</td>")
    assert "1 more item is open so far and waits for labels" in page
    assert "2 of 3" in panel_client(rating).get("/panel/?unfinished=true").text


def test_an_empty_queue_says_what_will_stand_there(tmp_path: Path) -> None:
    page = panel_client(round_of(tmp_path)).get("/panel/").text
    assert "No item is before the panel yet." in page
    assert "btn-main" not in page


def test_labels_are_shown_without_whose_they_are(rating: Rating) -> None:
    client = panel_client(rating)
    page = client.get("/panel/next").text
    assert all(f"Person {letter}:" in page for letter in "ABC")
    assert "&lt;b&gt;A&lt;/b&gt; says so" in page
    assert '<a href="#t2">turn 2</a>' in page
    assert "Genuinely ambiguous" in page
    assert "confidence: fair" in page
    hidden = ["Ann", "Pia", "conv-0", SYSTEM, JUDGE, RATIONALE]
    for text in hidden:
        assert text not in page, text
        assert text not in client.get("/panel/").text, text
    assert not re.search(r"\bR[1-4]\b", page)
    for row in rating.desk.store.rows(sql.select(labels)):
        assert row["created_at"] not in page  # when somebody answered tells who it was
        assert row["created_at"][11:16] + " UTC" not in page


def test_letters_are_random_by_item_and_stay(tmp_path: Path) -> None:
    names = tuple(f"Rater number {k}" for k in range(6))
    rating = round_of(tmp_path, names=names, study={"items": 8})
    orders = set()
    for k in range(8):
        asked = as_panel(rating.desk, rating.round, f"conv-{k}", "steps")
        sides = Showing(rating.desk, rating.round).sides(f"conv-{k}")
        for name in names[:-1]:
            say(rating, name, f"conv-{k}", "steps", "pass", comment=name)
        before = {one.comment: one.person for one in said_of(rating.desk, rating.round, asked, sides)}
        say(rating, names[-1], f"conv-{k}", "steps", "fail", comment=names[-1])
        say(rating, names[0], f"conv-{k}", "steps", "fail", comment=names[0])
        after = {one.comment: one.person for one in said_of(rating.desk, rating.round, asked, sides)}
        assert before.items() <= after.items()
        assert sorted(after.values()) == list("ABCDEF")
        orders.add(tuple(after[name] for name in names))
    assert len(orders) > 4


def test_a_ruling_is_kept_and_the_next_item_comes(rating: Rating) -> None:
    client = panel_client(rating)
    before = rating.desk.store.rows(sql.select(labels))
    first = client.get("/panel/next")
    sent = {**fields(first.text), "choice": "label pass", "reason": "It leaves a step."}
    for _ in range(2):  # a double click
        reply = client.post(first.url.path, data=sent, follow_redirects=False)
        assert (reply.status_code, reply.headers["location"]) == (303, "/panel/next")
    assert len(rating.desk.store.rows(sql.select(adjudications))) == 1
    row = rulings_of(rating.desk, rating.round.id)["conv-0", "steps"]
    assert (row["ruling"], row["label"], row["reason"]) == ("label", "pass", "It leaves a step.")
    second = client.get("/panel/next")
    assert second.url.path != first.url.path
    sent = {**fields(second.text), "choice": "rubric", "reason": "Say whose step."}
    assert client.post(second.url.path, data=sent).url.path == "/panel/"
    assert "All 2 items before the panel are ruled." in client.get("/panel/").text
    assert rating.desk.store.rows(sql.select(labels)) == before


def test_a_ruling_can_be_changed_and_one_made_in_the_meantime_is_said(rating: Rating) -> None:
    client = panel_client(rating)
    page = client.get("/panel/next")
    stale = fields(page.text)
    client.post(page.url.path, data={**stale, "choice": "label fail"})
    again = client.get(page.url.path).text
    assert "✓ Ruled:</b> Fail" in again
    assert re.search(r'value="label fail" checked', again)
    other = panel_client(rating, "Rex")
    told = other.post(
        page.url.path, data={**fields(page.text), **fields(again), "seen": "0", "choice": "contested"}
    )
    assert "Somebody ruled in the meantime" in told.text
    assert rulings_of(rating.desk, rating.round.id)["conv-0", "steps"]["revision"] == 2


def test_what_was_typed_stands_when_something_is_wrong(rating: Rating) -> None:
    client = panel_client(rating)
    page = client.get("/panel/next")
    for choice, said in (("", "no label is chosen yet"), ("label purple", "no label &#39;purple&#39;")):
        reply = client.post(
            page.url.path, data={**fields(page.text), "choice": choice, "reason": "My <i>why</i>"}
        )
        assert reply.status_code == 422
        assert said in reply.text
        assert "My &lt;i&gt;why&lt;/i&gt;" in reply.text
    reply = client.post(page.url.path, data={**fields(page.text), "choice": "rubric", "reason": " "})
    assert "how the rubric must change" in reply.text
    assert re.search(r'value="rubric" checked', reply.text)
    assert not rulings_of(rating.desk, rating.round.id)


def test_a_member_who_labels_too_sees_an_item_only_after_their_own_answer(rating: Rating) -> None:
    client = panel_client(rating, "Pia")
    queue = client.get("/panel/?unfinished=true").text
    assert "withheld until your own label is in" in queue
    assert queue.index("not sure") < queue.index("withheld")  # though a tie would come first
    number = 4  # conv-3, which Pia has not labelled
    refused = client.get(f"/panel/item/{number}", headers={"accept": "text/html"})
    assert refused.status_code == 403
    assert "hand in your own answer first" in refused.text
    assert "Person" not in refused.text
    first = client.get("/panel/next")
    sent = {**fields(first.text), "choice": "label pass"}
    assert client.post(f"/panel/item/{number}", data=sent).status_code == 403
    say(rating, "Pia", "conv-3", "steps", "fail")
    assert "Person C" in client.get(f"/panel/item/{number}").text


def test_an_item_that_was_taken_back_from_a_member_is_open(rating: Rating) -> None:
    rating.happen("withdrawn", rating.people["Pia"].link.rater_id, "conv-3", "steps")
    assert "Person B" in panel_client(rating, "Pia").get("/panel/item/4").text


def test_settled_items_and_numbers_of_none_are_not_shown(rating: Rating) -> None:
    client = panel_client(rating)
    for number in (3, 5, 2**31 - 1):
        assert client.get(f"/panel/item/{number}").status_code == 404
    for number in (0, -1, 2**31, "x"):
        assert client.get(f"/panel/item/{number}").status_code == 422


@pytest.mark.parametrize("mode", ["confirm", "blind"])
def test_no_judge_is_on_a_panels_page(tmp_path: Path, mode: str) -> None:
    rating = disputed(tmp_path, mode=mode, judge=JUDGE if mode == "confirm" else "")
    page = panel_client(rating).get("/panel/next").text
    assert JUDGE not in page
    assert RATIONALE not in page


def test_raters_and_organisers_are_no_panel(rating: Rating) -> None:
    rater = client_of(rating, "Ann")
    nobody = panel_client(rating)
    nobody.cookies.clear()
    for client in (rater, nobody):
        for path in ("/panel/", "/panel/next", "/panel/item/1"):
            assert client.get(path, follow_redirects=False).status_code == 401
        assert client.post("/panel/item/1", data={"choice": "contested"}).status_code == 401
    member = panel_client(rating)
    del member.headers["x-csrf-token"]
    assert member.post("/panel/item/1", data={"choice": "contested"}).status_code == 403
    assert invite(rating.desk, rating.round.id, "organiser").link.role == "organiser"


def test_a_pair_is_shown_in_one_order_to_all_and_cites_are_turned(tmp_path: Path) -> None:
    rating = round_of(tmp_path, ("better",), names=("Ann", "Bo"), study={"items": 12}, shown=PAIR)
    seen = set()
    for k in range(12):
        say(rating, "Ann", f"conv-{k}", "better", "first")
        say(rating, "Bo", f"conv-{k}", "better", "second")
    for k in range(12):
        asked = as_panel(rating.desk, rating.round, f"conv-{k}", "better")
        assert asked == as_panel(rating.desk, rating.round, f"conv-{k}", "better")
        seen.add(asked.presented)
    assert seen == {"ab", "ba"}
    page = panel_client(rating).get("/panel/next").text
    assert page.count("is better</b>") == 4  # two labels, two choices


def test_a_number_is_chosen_from_a_list(tmp_path: Path) -> None:
    rating = round_of(tmp_path, ("score",), names=("Ann", "Bo"))
    for name, label in (("Ann", "5"), ("Bo", "95")):
        say(rating, name, "conv-0", "score", label)
    client = panel_client(rating)
    page = client.get("/panel/next")
    client.post(page.url.path, data={**fields(page.text), "choice": "number", "number": "50"})
    assert rulings_of(rating.desk, rating.round.id)["conv-0", "score"]["label"] == "50"
    again = client.get(page.url.path).text
    assert "<option selected>50</option>" in again
    assert re.search(r'value="number" checked', again)


def test_turning_cites_is_its_own_inverse(tmp_path: Path) -> None:
    rating = round_of(tmp_path, ("better",), names=("Ann", "Bo"), shown=PAIR)
    showing = Showing(rating.desk, rating.round)
    straight, crossed = showing.sides("conv-0", "ab"), showing.sides("conv-0", "ba")
    every = list(range(1, 4))  # the shared prompt, then left, then right
    assert turned([1], "ab", "ba", crossed) == (1,)
    assert turned([2], "ab", "ba", crossed) == (3,)
    assert turned(turned(every, "ab", "ba", crossed), "ba", "ab", straight) == tuple(every)
    assert turned([2], "ab", "ab", straight) == (2,)
