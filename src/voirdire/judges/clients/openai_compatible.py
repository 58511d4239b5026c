"""Any endpoint that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, Ollama, OpenRouter, Gemini."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from voirdire.judges.call import Failure, Reply, ReplyStatus, Request, Token
from voirdire.registry import register

__all__ = ["AGAIN", "OpenAICompatible", "read_completion", "seconds_to_wait"]

CUT = ("length", "max_tokens")
FILTERED = ("content_filter", "safety", "refusal")
MOST_ERROR = 500
"""Characters of an error page that are kept."""
AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529)
"""HTTP status codes after which another attempt may help."""


@register("client", "openai")
class OpenAICompatible:
    """One attempt a call through the ``openai`` package; the answer is kept byte for byte as it was sent."""

    def __init__(self, base_url: str, key: str | None) -> None:
        from openai import AsyncOpenAI

        self._key = key
        # a local server needs no key, and the package needs some
        self._client = AsyncOpenAI(base_url=base_url or None, api_key=key or "none", max_retries=0)

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        """The reply, or :class:`Failure` with what the endpoint said of when to come back.

        An endpoint that repeats the key in what it says is kept without it.
        """
        try:
            reply = await self._attempt(request, timeout)
        except Failure as problem:
            problem.reason = self._masked(problem.reason)
            raise
        raw = None if reply.raw is None else self._masked(reply.raw)
        return replace(reply, text=self._masked(reply.text), raw=raw, error=self._masked(reply.error))

    def _masked(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text

    async def _attempt(self, request: Request, timeout: float) -> Reply:
        import openai

        start = time.perf_counter()
        try:
            # as an extra body it is sent as it is: to check typed messages takes a third of a call's time
            answer = await self._client.chat.completions.with_raw_response.create(
                model=request.model, messages=[], extra_body=request.body, timeout=timeout
            )
            content_type, text = answer.headers.get("content-type", ""), answer.text
        except openai.APITimeoutError:
            raise Failure(f"no reply within {timeout:g} s", again=True) from None
        except openai.APIConnectionError as problem:
            raise Failure(f"connection failed: {problem.__cause__ or problem}", again=True) from None
        except openai.APIStatusError as problem:
            return _refused(problem.status_code, problem.response, problem.body)
        latency = time.perf_counter() - start
        return read_completion(text, content_type, latency)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def read_completion(text: str, content_type: str, latency: float) -> Reply:
    """The reply in an answer's body; a body that is no chat completion is a :class:`Failure`."""
    try:
        raw = json.loads(text)
    except ValueError:
        kind = "an HTML page" if "<html" in text[:1000].lower() else f"no JSON ({content_type or 'untyped'})"
        raise Failure(f"the endpoint sent {kind}: {_shortened(text)}", again=True) from None
    if not isinstance(raw, dict) or not isinstance(raw.get("choices"), list):
        raise Failure(f"the endpoint sent no chat completion: {_shortened(text)}", again=True)
    if not raw["choices"] or not isinstance(raw["choices"][0], dict):
        raise Failure("the endpoint sent no choice", again=True)
    return _reply(text, raw, raw["choices"][0], latency)


def _reply(text: str, raw: dict[str, Any], choice: Any, latency: float) -> Reply:
    message = choice.get("message") or {}
    usage = raw.get("usage") or {}
    finish = str(choice.get("finish_reason") or "")
    refusal = message.get("refusal")
    status: ReplyStatus = "ok"
    if refusal or finish in FILTERED:
        status = "refusal"
    elif finish in CUT:
        status = "truncated"
    return Reply(
        status,
        str(message.get("content") or refusal or ""),
        _tokens((choice.get("logprobs") or {}).get("content")),
        finish,
        str(raw.get("model") or ""),
        _count(usage, "prompt_tokens"),
        _count(usage, "completion_tokens"),
        latency=latency,
        raw=text,
    )


def _count(usage: Any, name: str) -> int | None:
    """A number of tokens, None where the endpoint states none: a paid reply is not lost for it."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) else None


def _tokens(content: Any) -> tuple[Token, ...]:
    """The reply's tokens, none where one lacks its probability."""
    try:
        return tuple(
            Token(
                str(token["token"]),
                float(token["logprob"]),
                tuple((str(one["token"]), float(one["logprob"])) for one in token.get("top_logprobs") or ()),
            )
            for token in content or ()
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return ()


def _refused(status: int, response: Any, body: object) -> Reply:
    """An error status: a filtered prompt is a refusal, everything else a :class:`Failure`."""
    said = body if isinstance(body, Mapping) else {}
    code = str(said.get("code") or "")
    words = str(said.get("message") or "") or _shortened(response.text)
    if code == "content_filter" or "content management policy" in words:
        return Reply("refusal", finish_reason="content_filter", error=words)
    after = seconds_to_wait(response.headers)
    reason = f"HTTP {status}: {words}"
    out_of_money = code == "insufficient_quota"
    raise Failure(
        reason, again=status in AGAIN and not out_of_money, after=after, limited=status in (429, 529)
    ) from None


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a Retry-After header asks for: a number, a date, or milliseconds under another name."""
    from email.utils import parsedate_to_datetime

    milliseconds, after = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(float(milliseconds) / 1000, 0.0)
        if after is None:
            return None
        return max(float(after), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(str(after)).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError):
        return None


def _shortened(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= MOST_ERROR else plain[:MOST_ERROR] + " ..."
