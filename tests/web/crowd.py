"""Simulated raters in a process of their own, who send an act again until the server has answered it.

``python crowd.py`` reads a :class:`Crowd` as JSON from its input, prints how many labels are acknowledged
after each hundred, and at last everything that was acknowledged with how long each request took.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

RETRY = 0.1
PATIENCE = 60.0
AGAIN_EVERY = 20
"""Of so many answers one is changed afterwards."""
PROOF = re.compile(r'name="proof" value="(\w+)"')


@dataclass
class Crowd:
    """Who sends what: ``labels`` answers of each token's rater, one of ``drafts`` with a draft before it.

    ``pause`` is the mean number of seconds between two acts of one rater.
    """

    port: int
    tokens: list[str]
    labels: int
    drafts: int = 2
    pause: float = 0.0
    choices: tuple[str, ...] = ("pass", "fail", "not sure")


@dataclass
class Told:
    """What the server acknowledged of one rater's acts: answers, drafts by key, and seconds of each request.

    ``again`` counts requests that were cut off after they were sent, and were sent once more.
    """

    answers: list[dict[str, Any]] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    again: int = 0


class Rater:
    """One browser: a connection that is kept, a cookie, and the proof of its pages."""

    def __init__(self, port: int, number: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._cookie = ""
        self._proof = ""
        self.random = random.Random(number)
        self.told = Told()

    async def enter(self, token: str) -> None:
        """Open the link and accept the protocol."""
        _, headers, _ = await self.send("POST", "/enter", {"token": token})
        self._cookie = headers["set-cookie"].partition(";")[0]
        _, _, page = await self.send("GET", "/rate/")
        found = PROOF.search(page)
        assert found, page
        self._proof = found[1]
        await self.send("POST", "/rate/protocol", f"proof={self._proof}")

    async def act(self, place: int, what: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send an act until it is acknowledged, and note how long the request took that was."""
        _, _, text = await self.send("POST", f"/rate/item/{place}/{what}", body)
        told: dict[str, Any] = json.loads(text)
        return told

    async def send(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, str], str]:
        """A request, made again while nobody answers or the server asks for patience."""
        last = time.monotonic() + PATIENCE
        while True:
            began = time.perf_counter()
            try:
                status, headers, text = await self._once(method, path, body)
            except (OSError, EOFError, asyncio.IncompleteReadError):
                self.told.again += self._streams is not None
                self._streams, status, headers, text = None, 0, {}, "no answer"
            if 200 <= status < 400:
                self.told.seconds.append(time.perf_counter() - began)
                return status, headers, text
            if status not in (0, 503) or time.monotonic() > last:
                raise RuntimeError(f"{method} {path}: {status} {text}")
            await asyncio.sleep(RETRY)

    async def _once(self, method: str, path: str, body: Any) -> tuple[int, dict[str, str], str]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        form = isinstance(body, str)
        content = b"" if body is None else (body if form else json.dumps(body)).encode()
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self._port}",
            f"Content-Length: {len(content)}",
        ]
        lines += [f"Content-Type: {kind}", f"Cookie: {self._cookie}", f"X-CSRF-Token: {self._proof}"]
        writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        text = (await reader.readexactly(int(headers.get("content-length", 0)))).decode()
        return int(head[0].split()[1]), headers, text


async def labelling(crowd: Crowd, number: int, count: Any) -> Told:
    """One rater's whole work."""
    rater = Rater(crowd.port, number)
    await asyncio.sleep(crowd.pause * 2 * rater.random.random())
    await rater.enter(crowd.tokens[number])
    sent, place = 0, 0
    while sent < crowd.labels:
        place += 1
        for seen in range(2 if place % AGAIN_EVERY == 0 and sent + 1 < crowd.labels else 1):
            answer = {
                "labels": [rater.random.choice(crowd.choices)],
                "confidence": rater.random.randint(1, 4),
            }
            answer["comment"] = f"Turn {place} says so: “{'why not ' * 5}”."
            if place % crowd.drafts == 0:
                key = f"draft-{number}-{place}-{seen}"
                await rater.act(place, "draft", {"answer": answer, "key": key})
                rater.told.drafts.append(key)
                await asyncio.sleep(crowd.pause * rater.random.uniform(0.5, 1.5))
            key = f"answer-{number}-{place}-{seen}"
            receipt = await rater.act(place, "answer", {"answer": answer, "key": key, "seen": seen})
            rater.told.answers.append({"place": place, "key": key, **answer, "revision": receipt["revision"]})
            sent += 1
            count()
            await asyncio.sleep(crowd.pause * rater.random.uniform(0.5, 1.5))
    return rater.told


async def work(crowd: Crowd) -> list[Told]:
    """Everybody at once."""
    total = 0

    def count() -> None:
        nonlocal total
        total += 1
        if total % 100 == 0:
            print(total, flush=True)

    return await asyncio.gather(*(labelling(crowd, number, count) for number in range(len(crowd.tokens))))


if __name__ == "__main__":
    crowd = Crowd(**json.loads(sys.stdin.readline()))
    print(json.dumps([asdict(told) for told in asyncio.run(work(crowd))]), flush=True)
