"""Visits without a network: somebody with a link in a browser of their own."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from voirdire.review.desk import Desk
from voirdire.web.app import create_app
from voirdire.web.sessions import PATHS
from voirdire.web.site import Site

HOME = "http://127.0.0.1:8765"
PROOF = re.compile(r'name="proof" value="(\w+)"')
KEYS = itertools.count(1)


@dataclass
class Visitor:
    """A browser; ``proof`` is what its pages prove themselves with."""

    client: TestClient
    proof: str = ""

    def enter(self, token: str) -> Visitor:
        """Open a link, and accept what stands before a rater's work."""
        reply = self.client.post("/enter", json={"token": token})
        assert reply.status_code == 200, reply.text
        found = PROOF.search(self.client.get(reply.json()["next"]).text)
        self.proof = found[1] if found else ""
        if reply.json()["next"] == f"{PATHS['rater']}/" and found:
            self.client.post("/rate/protocol", data={"proof": self.proof})
        return self

    def answer(self, place: int, *labels: str, key: str = "", what: str = "answer", **told: Any) -> Any:
        """Send an answer, or a draft, to a place of the own list."""
        body = {"answer": {"labels": list(labels)}, "key": key or f"visit-{next(KEYS):06d}", **told}
        headers = {"x-csrf-token": self.proof}
        return self.client.post(f"/rate/item/{place}/{what}", json=body, headers=headers)


def browser(app: FastAPI, *, home: str = HOME, address: str = "127.0.0.1") -> Visitor:
    """A browser at ``address`` that knows nothing yet; a fault of ours is a 500, as in a real server."""
    return Visitor(TestClient(app, base_url=home, client=(address, 50_000), raise_server_exceptions=False))


def pages(desk: Desk, **site: Any) -> FastAPI:
    """The pages of ``desk``."""
    return create_app(desk, Site(**site))


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Method and path of everything that the pages answer, files apart."""
    for path, methods in app.openapi()["paths"].items():
        yield from ((method.upper(), path) for method in methods)
