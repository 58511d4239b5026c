"""Blindness, tested on the bytes: nothing that a rater is sent says what others think or whose work it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from voirdire.review.answers import Answer, Sent, submit
from voirdire.review.desk import Desk, open_desk
from voirdire.review.metric_reviews import MetricReview, review_metric
from voirdire.web.review import items
from voirdire.web.review.items import Block
from web.rating import JUDGE, RATIONALE, SYSTEM, Rating, client_of, desk_of, round_on

METRICS = ("steps", "tone", "score")
COMMENT = "Somebody else wrote this sentence"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return desk_of(tmp_path_factory.mktemp("blind") / "study")


def under_way(desk: Desk, **settings: Any) -> Rating:
    """A round in which Bo has answered everything, and reviewed every metric."""
    rating = round_on(desk, METRICS, **settings)
    rater = rating.people["Bo"].link.rater_id
    for place in range(1, 13):
        asked = rating.at("Bo", place)
        label = {"steps": "fail", "tone": "cold", "score": "35"}[asked.cell.metric]
        answer = Answer(labels=[label], comment=COMMENT, challenge="unclear", confidence=2)
        submit(desk, rating.round, asked, answer, Sent(f"act-{place:08d}"))
    for metric in METRICS:
        said = MetricReview(adequacy="inadequate", comment=COMMENT)
        review_metric(desk, rating.round, rater, metric, said, f"review-{metric}")
    return rating


def everything_sent_to(client: TestClient) -> Iterator[tuple[str, bytes]]:
    """Every response that a rater's work brings about, headers included."""
    act = {"answer": {"labels": ["not sure"]}, "said_at": "", "seen": 0}
    sent = [
        client.get("/enter"),
        client.get("/rate/"),
        client.get("/rate/protocol"),
        client.get("/rate/next"),
    ]
    for place in range(1, 14):
        sent += [client.get(f"/rate/item/{place}"), client.get(f"/rate/item/{place}/state")]
        for what in ("draft", "answer"):
            key = f"key-{what}-{place:04d}"
            sent.append(client.post(f"/rate/item/{place}/{what}", json={**act, "key": key}))
        wrong = {**act, "answer": {"labels": ["no such label"]}, "key": f"wrong-{place:04d}"}
        sent.append(client.post(f"/rate/item/{place}/answer", json=wrong))
    sent += [client.get(f"/rate/metrics/{number}") for number in range(1, 5)]
    sent += [client.get("/rate/"), client.get("/rate/item/1/"), client.get("/rate/nowhere")]
    for reply in sent:
        for one in (*reply.history, reply):
            head = "\n".join(f"{name}: {value}" for name, value in one.headers.items())
            yield f"{one.request.method} {one.request.url.path}", head.encode() + b"\n" + one.content


def leaks(rating: Rating, client: TestClient) -> set[tuple[str, str]]:
    """What a response holds that it must not, by the secret."""
    secrets = {
        "system": SYSTEM,
        "item": "conv-",
        "judge": JUDGE,
        "rationale": RATIONALE,
        "comment": COMMENT,
        "name": "Bo",
        "code": rating.people["Bo"].link.rater_id,
        "link": rating.people["Bo"].link.id,
    }
    return {
        (secret, where)
        for where, content in everything_sent_to(client)
        for secret, text in secrets.items()
        if _holds(content, text)
    }


def _holds(content: bytes, text: str) -> bool:
    """Whether a response holds a secret, as itself or escaped for HTML or JSON; a short one as a word."""
    spellings = {text, json.dumps(text)[1:-1], text.replace("'", "&#39;")}
    if len(text) > 3:
        return any(one.encode() in content for one in spellings)
    words = content.replace(b'"', b" ").replace(b"'", b" ").replace(b"<", b" ").replace(b">", b" ").split()
    return text.encode() in words


def test_a_blind_round_tells_nothing(desk: Desk) -> None:
    rating = under_way(desk)
    client = client_of(rating, "Ann", accept=False)
    assert leaks(rating, client) == set()


def test_a_round_that_may_reveal_tells_nothing_while_it_is_open(desk: Desk) -> None:
    rating = under_way(desk, reveal=True)
    assert leaks(rating, client_of(rating, "Ann")) == set()


@pytest.mark.parametrize(
    ("secret", "plant"),
    [
        ("item", lambda shown, asked: (Block(99, "Id", "text", asked.cell.item_id),)),
        ("system", lambda shown, asked: (Block(99, "By", "text", SYSTEM),)),
        ("judge", lambda shown, asked: (Block(99, "Said by", "text", JUDGE),)),
        ("rationale", lambda shown, asked: (Block(99, "Why", "text", RATIONALE),)),
        ("comment", lambda shown, asked: (Block(99, "Why", "text", COMMENT),)),
        ("name", lambda shown, asked: (Block(99, "Who", "text", "by Bo"),)),
    ],
)
def test_what_is_planted_is_found(
    secret: str, plant: Callable[..., tuple[Block, ...]], desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = items._blocks
    rating = under_way(desk)
    planted = plant(None, rating.at("Ann"))
    monkeypatch.setattr(items, "_blocks", lambda sides: (*real(sides), *planted))
    found = leaks(rating, client_of(rating, "Ann"))
    assert {one for one, _ in found} == {secret}


def test_the_same_verdicts_or_others_give_a_blind_rater_the_same_pages(tmp_path: Path) -> None:
    """A page that knew the judge's verdict in any form would change with it."""
    first, second = tmp_path / "first", tmp_path / "second"
    pages = []
    for folder in (first, second):
        desk = desk_of(folder)
        if folder is second:
            rows = (folder / "verdicts.csv").read_text(encoding="utf-8")
            turned = rows.replace(",fail,", ",pass,").replace(",cold,", ",warm,")
            (folder / "verdicts.csv").write_text(turned, encoding="utf-8")
            desk = open_desk(folder)
        rating = round_on(desk, METRICS)
        client = client_of(rating, "Ann")
        told = json.dumps([client.get(f"/rate/item/{place}").text for place in range(1, 13)])
        owner = client.get("/rate/item/1/state").json()["owner"]
        pages.append(told.replace(client.headers["x-csrf-token"], "").replace(owner, ""))
    assert pages[0] == pages[1]


def test_after_closing_a_round_may_tell_how_others_labelled(desk: Desk) -> None:
    rating = under_way(desk, reveal=True)
    rating.happen("closed")
    client = client_of(rating, "Ann")
    place = next(place for place in range(1, 13) if rating.at("Ann", place).cell.metric == "steps")
    page = client.get(f"/rate/item/{place}").text
    assert "Fail: 1 person" in page
    assert f"The judge {JUDGE}: Fail" in page
    assert COMMENT not in page
    assert rating.people["Bo"].link.id not in page


def test_a_closed_round_that_may_not_tell_tells_nothing(desk: Desk) -> None:
    rating = under_way(desk)
    rating.happen("closed")
    assert leaks(rating, client_of(rating, "Ann")) == set()


def test_the_system_is_known_by_a_letter_and_pairs_by_their_sides(desk: Desk) -> None:
    alone = client_of(round_on(desk), "Ann").get("/rate/item/1").text
    assert "system A" in alone
    pairs = round_on(desk, ("better",), shown=("prompt", "response"))
    page = client_of(pairs, "Ann").get("/rate/item/1").text
    assert "system A" not in page
    left = "one" if pairs.at("Ann").presented == "ab" else "two"
    assert page.index("Left</h2>") < page.index(f"Answer {left}") < page.index("Right</h2>")
