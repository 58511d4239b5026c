"""One call to a model: the exact request, and what came back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

__all__ = [
    "Ask",
    "Client",
    "Failure",
    "Message",
    "Reply",
    "ReplyStatus",
    "Request",
    "Token",
    "canonical",
    "content_hash",
]

ReplyStatus = Literal["ok", "truncated", "refusal", "error"]
"""ok: whole; truncated: cut by its length; refusal: declined or filtered; error: no reply could be had."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a request."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Request:
    """What is sent: the endpoint's address (never a key), the model, its messages and its parameters.

    ``parameters`` are plain JSON values as the provider names them (temperature, max_tokens, logprobs,
    top_logprobs, response_format, seed, stop). ``run`` and ``sample`` number repeats and are not sent.

    >>> ask = Request("http://localhost/v1", "small", (Message("user", "Warm?"),), {"temperature": 0})
    >>> ask.hash == Request(ask.endpoint, "small", ask.messages, {"temperature": 0}).hash
    True
    """

    endpoint: str
    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    run: int = field(default=0, compare=False)
    sample: int = field(default=0, compare=False)

    @property
    def body(self) -> dict[str, Any]:
        """The request as OpenAI-compatible endpoints take it."""
        messages = [{"role": message.role, "content": message.content} for message in self.messages]
        return {"model": self.model, "messages": messages, **self.parameters}

    @cached_property
    def text(self) -> str:
        """Endpoint and body as canonical JSON."""
        return canonical({"endpoint": self.endpoint, **self.body})

    @cached_property
    def hash(self) -> str:
        """SHA-256 of :attr:`text`: two requests are the same if this is."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @classmethod
    def of(cls, text: str) -> Request:
        """The request that :attr:`text` describes."""
        body = json.loads(text)
        messages = tuple(Message(one["role"], one["content"]) for one in body.pop("messages"))
        return cls(body.pop("endpoint"), body.pop("model"), messages, body)


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a reply: its log probability, and the likeliest tokens at its place with theirs."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Reply:
    """What came back: ``text``, its ``tokens`` where asked for, and what it took.

    ``raw`` is the provider's answer, as the text that came. ``latency`` is in seconds, of the last attempt,
    None where nobody measured it (a batch). ``request_hash`` and ``sample`` name the row in the store.
    ``kept`` says that it came from there, or of a call that another task was making.
    """

    status: ReplyStatus
    text: str = ""
    tokens: tuple[Token, ...] = ()
    finish_reason: str = ""
    model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    latency: float | None = None
    attempts: int = 1
    error: str = ""
    raw: str | None = None
    request_hash: str = ""
    sample: int = 0
    kept: bool = False


class Failure(Exception):
    """A call that gave no reply: whether another attempt may help, and after how many seconds."""

    def __init__(
        self, reason: str, *, again: bool, after: float | None = None, limited: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason, self.again, self.after, self.limited = reason, again, after, limited


class Client(Protocol):
    """One way to reach a model, one attempt a call: retries, limits and records are :class:`Ask`'s."""

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        """The reply to ``request``; :class:`Failure` where none came."""

    async def close(self) -> None:
        """Let go of connections, models and threads."""


class Ask(Protocol):
    """The only door to a model: cached, limited, recorded. A recipe may call it several times."""

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        parameters: Mapping[str, Any] | None = None,
        sample: int = 0,
        shared: bool = False,
        whole: bool = False,
    ) -> Reply:
        """The reply to ``messages`` under the judge's parameters; ``parameters`` go first, None removes one.

        ``sample`` numbers repeats of one request within a verdict. With ``shared`` every run gets the same
        reply (evaluation steps, a reference). With ``whole`` a reply that was cut is asked for once more with
        room for four times as much. A call that fails for good is a reply with
        status ``error``, never an exception.
        """


def canonical(value: Any) -> str:
    """JSON of which two equal values have the same text.

    >>> canonical({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def content_hash(value: Any) -> str:
    """SHA-256 of :func:`canonical`, in hexadecimal."""
    return hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()
