"""A round whose labels leave items open, and a panel's browser without a screen."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from voirdire.review.answers import Answer, Sent, asked_of, submit
from voirdire.review.people import Invited, invite
from voirdire.web.app import create_app
from voirdire.web.site import Site
from web.rating import Rating, desk_of, round_on

KEYS = itertools.count(1)


def say(rating: Rating, name: str, item_id: str, metric: str, *labels: str, **told: Any) -> None:
    """``name`` hands in ``labels`` (none: a skip), with further fields of an answer."""
    rater = rating.people[name].link.rater_id
    [asked] = [
        one
        for one in asked_of(rating.desk, rating.round.id, rater)
        if (one.cell.item_id, one.cell.metric) == (item_id, metric)
    ]
    answer = Answer(labels=list(labels), skipped=not labels, **told)
    submit(rating.desk, rating.desk.round(rating.round.id), asked, answer, Sent(f"act-{next(KEYS):06d}"))


def round_of(
    folder: Path,
    metrics: tuple[str, ...] = ("steps",),
    *,
    study: dict[str, Any] | None = None,
    **settings: Any,
) -> Rating:
    """A round on a made study of its own."""
    return round_on(desk_of(folder, **(study or {})), metrics, **settings)


def disputed(folder: Path, **settings: Any) -> Rating:
    """conv-0 is tied, conv-1 unsure, conv-2 settled, conv-3 waits for a label."""
    rating = round_of(folder, names=("Ann", "Bo", "Pia"), **settings)
    said = {
        "Ann": ("pass", "pass", "pass", "fail"),
        "Bo": ("fail", "not sure", "pass", "pass"),
        "Pia": ("borderline", "pass", "pass"),
    }
    for name, labels in said.items():
        for k, label in enumerate(labels):
            told = {
                "comment": f"<b>{name[0]}</b> says so",
                "cites": [2],
                "confidence": 3,
                "challenge": "ambiguous",
            }
            say(rating, name, f"conv-{k}", "steps", label, **(told if k == 0 else {}))
    return rating


def member(rating: Rating, name: str = "Quin") -> Invited:
    """The panel link of somebody, who may be a rater too."""
    return invite(rating.desk, rating.round.id, "panel", name)


def panel_client(rating: Rating, name: str = "Quin") -> TestClient:
    """The browser of a member; the proof goes with each request."""
    client = TestClient(create_app(rating.desk, Site()), base_url="http://127.0.0.1:8765")
    assert client.post("/enter", json={"token": member(rating, name).token}).json() == {"next": "/panel/"}
    client.headers["x-csrf-token"] = proof_of(client.get("/panel/").text)
    return client


def proof_of(page: str) -> str:
    found = re.search(r'name="proof" value="(\w+)"', page)
    assert found
    return found[1]


def fields(page: str) -> dict[str, str]:
    """What a page's form holds before anything is typed."""
    return {
        name: found[1]
        for name in ("proof", "key", "seen")
        if (found := re.search(rf'name="{name}" value="(\w+)"', page))
    }
