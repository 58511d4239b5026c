"""An organiser's browser without a screen, on a round of made texts."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from html import unescape
from typing import Any

from starlette.testclient import TestClient

from review.studies import UnderWay
from voirdire.review.people import invite
from voirdire.web.app import create_app
from voirdire.web.site import Site

HTML = {"accept": "text/html"}


@dataclass
class Organiser:
    """A browser of whoever runs the rounds of ``way``; the proof goes with each form."""

    way: UnderWay
    client: TestClient
    proof: str

    @property
    def base(self) -> str:
        return f"/organiser/round/{self.way.round.id}"

    def get(self, path: str = "/", *, base: str | None = None) -> str:
        """The page at ``path`` of the round, which is there."""
        reply = self.client.get((self.base if base is None else base) + path, headers=HTML)
        assert reply.status_code == 200, reply.text
        return reply.text

    def post(self, path: str, *, base: str | None = None, files: Any = None, **fields: Any) -> Any:
        """Send a form, without going where its answer leads."""
        where = (self.base if base is None else base) + path
        data = {"proof": self.proof, **fields}
        return self.client.post(where, data=data, files=files, headers=HTML, follow_redirects=False)

    def refused(self, path: str, **fields: Any) -> str:
        """Send a form that is refused, and return the sentence."""
        reply = self.post(path, **fields)
        assert reply.status_code == 422
        return problem(reply.text)


def organiser(way: UnderWay) -> Organiser:
    """Open the organiser's link of a round."""
    client = TestClient(create_app(way.desk, Site()), base_url="http://127.0.0.1:8765")
    token = invite(way.desk, way.round.id, "organiser").token
    assert client.post("/enter", json={"token": token}).status_code == 200
    proof = re.search(r'name="proof" value="(\w+)"', client.get("/organiser/begin").text)
    assert proof is not None
    return Organiser(way, client, proof[1])


def problem(page: str) -> str:
    """The sentence that says what was not done."""
    found = re.search(r'role="alert">(.*?)</p>', page, re.DOTALL)
    assert found is not None, "the page tells no problem"
    return unescape(re.sub(r"<[^>]+>", "", found[1])).replace("▲", "").strip()


def words(page: str) -> str:
    """A page's text."""
    bare = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(bare))


def filled(way: UnderWay, *, seed: int = 1, items: int = 6) -> UnderWay:
    """Labels of all people but the last on every item of ``kind``, at random."""
    draw = random.Random(seed)
    for name in list(way.people)[:-1]:
        for k in range(items):
            label = draw.choice(["pass", "pass", "fail", "borderline", "not sure"])
            way.say(name, f"i{k}", "kind", label, challenge=draw.choice(["none", "unclear"]))
    return way
