"""A chat completion server that fails in every way that endpoints do, for tests of clients and runs."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from time import time
from types import TracebackType
from typing import Any

__all__ = ["FAULTS", "FaultServer", "completion"]

Writer = asyncio.StreamWriter
HUGE = 5_000_000
DRIP = 0.05
"""Seconds between two bytes of a slow reply."""
REASONS = {200: "OK", 400: "Bad Request", 429: "Too Many Requests", 500: "Internal Server Error"}


def completion(
    content: str | None, *, finish: str = "stop", shares: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """A chat completion as OpenAI-compatible endpoints send it; ``shares`` become its one token's logprobs.

    >>> completion("pass")["choices"][0]["message"]["content"]
    'pass'
    """
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": content},
    }
    if shares:
        top = [{"token": word, "logprob": math.log(share), "bytes": None} for word, share in shares.items()]
        choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
    return {
        "id": "made",
        "object": "chat.completion",
        "created": 0,
        "model": "made",
        "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11},
    }


@dataclass
class FaultServer:
    """Serves on 127.0.0.1 while in ``async with``; ``url`` is its address.

    ``answer`` gives the content of a good reply to a request's body. ``script`` names what happens to the
    first calls, one name of :data:`FAULTS` or ``ok`` each; later calls are ``ok``. ``delay`` is in seconds.
    ``bodies`` holds every request that came, ``most_at_once`` the most that were open together.

    >>> async def ask():
    ...     async with FaultServer(script=["http_500"]) as server:
    ...         return server.url.startswith("http://127.0.0.1:")
    >>> asyncio.run(ask())
    True
    """

    answer: Callable[[dict[str, Any]], str] = lambda body: "pass"
    script: Sequence[str] = ()
    delay: float = 0.0
    port: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    open_now: int = 0
    most_at_once: int = 0
    _server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Base address for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> FaultServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=2**24)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        try:
            while (body := await self._request(reader)) is not None:
                place = len(self.bodies)
                self.bodies.append(body)
                self.open_now += 1
                self.most_at_once = max(self.most_at_once, self.open_now)
                try:
                    await asyncio.sleep(self.delay)
                    name = self.script[place] if place < len(self.script) else "ok"
                    await (_ok if name == "ok" else FAULTS[name])(self, body, writer)
                    await writer.drain()
                finally:
                    self.open_now -= 1
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the test is over
        finally:
            writer.close()

    async def _request(self, reader: asyncio.StreamReader) -> dict[str, Any] | None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return None
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        self.keys.append(headers.get("authorization", ""))
        body: dict[str, Any] = json.loads(await reader.readexactly(int(headers["content-length"])))
        return body


Fault = Callable[[FaultServer, dict[str, Any], Writer], Awaitable[None]]


def _send(
    writer: Writer, text: str, *, status: int = 200, kind: str = "application/json", **headers: str
) -> None:
    data = text.encode()
    lines = [f"HTTP/1.1 {status} {REASONS[status]}", f"content-type: {kind}", f"content-length: {len(data)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode() + data)


def _refuse(status: int, message: str, code: str = "", **headers: str) -> Fault:
    async def fault(server: FaultServer, body: dict[str, Any], writer: Writer) -> None:
        error = {"error": {"message": message, "type": "error", "code": code or None}}
        _send(writer, json.dumps(error), status=status, **headers)

    return fault


def _said(text: str, *, kind: str = "application/json", status: int = 200) -> Fault:
    async def fault(server: FaultServer, body: dict[str, Any], writer: Writer) -> None:
        _send(writer, text, kind=kind, status=status)

    return fault


async def _ok(server: FaultServer, body: dict[str, Any], writer: Writer) -> None:
    _send(writer, json.dumps(completion(server.answer(body))))


async def _tomorrow(server: FaultServer, body: dict[str, Any], writer: Writer) -> None:
    await _refuse(429, "slow down", retry_after=formatdate(time() + 1, usegmt=True))(server, body, writer)


async def _hang(server: FaultServer, body: dict[str, Any], writer: Writer) -> None:
    await asyncio.sleep(3600)


async def _reset(server: FaultServer, body: dict[str, Any], writer: Writer) -> None:
    writer.transport.abort()
    raise ConnectionResetError


async def _drip(server: FaultServer, body: dict[str, Any], writer: Writer) -> None:
    data = json.dumps(completion("pass")).encode()
    writer.write(
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n".encode()
    )
    for byte in data:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(DRIP)


async def _cut(server: FaultServer, body: dict[str, Any], writer: Writer) -> None:
    data = json.dumps(completion("pass")).encode()
    writer.write(
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n".encode()
    )
    writer.write(data[: len(data) // 2])
    await writer.drain()
    raise ConnectionResetError


FAULTS: Mapping[str, Fault] = {
    "too_many": _refuse(429, "slow down"),
    "too_many_for_a_second": _refuse(429, "slow down", retry_after="1"),
    "too_many_for_milliseconds": _refuse(429, "slow down", retry_after_ms="200"),
    "too_many_until_a_date": _tomorrow,
    "no_money": _refuse(429, "no money left", "insufficient_quota"),
    "wrong_key": _refuse(400, "no such key"),
    "http_500": _refuse(500, "broken"),
    "hang": _hang,
    "reset": _reset,
    "drip": _drip,
    "cut": _cut,
    "html": _said("<html><body>Bad gateway</body></html>", kind="text/html"),
    "html_500": _said("<html><body>Bad gateway</body></html>", kind="text/html", status=500),
    "wrong_type": _said(json.dumps(completion("pass")), kind="text/plain"),
    "no_json": _said("pass"),
    "empty_body": _said(""),
    "filtered_prompt": _refuse(400, "filtered", "content_filter"),
    "filtered_reply": _said(json.dumps(completion("", finish="content_filter"))),
    "no_choices": _said(json.dumps({**completion("pass"), "choices": []})),
    "null_content": _said(json.dumps(completion(None))),
    "null_choice": _said(json.dumps({**completion("pass"), "choices": [None]})),
    "huge": _said(json.dumps(completion("pass " * (HUGE // 5)))),
    "wrong_schema": _said(json.dumps({"result": ["pass"]})),
    "error_in_200": _said(json.dumps({"error": {"message": "overloaded"}})),
    "twice": _said(json.dumps(completion('{"label": "pass"} {"label": "fail"}'))),
    "truncated": _said(json.dumps(completion('{"label": "pa', finish="length"))),
}
"""Every way of failing, by name."""
