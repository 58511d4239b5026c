"""Providers that do not speak OpenAI's chat completions, through ``any-llm-sdk`` (extra ``providers``)."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any

from voirdire.errors import UserError
from voirdire.judges.call import Failure, Reply, Request
from voirdire.judges.clients.openai_compatible import AGAIN, read_completion, seconds_to_wait
from voirdire.registry import register

__all__ = ["Providers"]


@register("client", "providers")
class Providers:
    """One attempt a call through ``any-llm-sdk``; the model is written as ``provider:model``.

    The answer is kept as that package gives it, in the form of OpenAI's chat completions. A key that the
    judge's file does not name is looked for under the provider's own variable, as in ANTHROPIC_API_KEY.
    """

    def __init__(self, url: str, key: str | None) -> None:
        if find_spec("any_llm") is None:
            raise UserError("other providers need any-llm-sdk", fix="pip install 'voirdire[providers]'")
        self._url, self._key = url or None, key
        self._providers: dict[str, Any] = {}

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        """The reply, or :class:`Failure` with what the provider said."""
        from any_llm import AnyLLMError

        name, _, model = request.model.partition(":")
        start = time.perf_counter()
        provider = self._provider(name, model)
        try:
            answer = await provider.acompletion(**{**request.body, "model": model})
        except AnyLLMError as problem:
            return _refused(problem)
        latency = time.perf_counter() - start
        return read_completion(answer.model_dump_json(exclude_none=True), "application/json", latency)

    async def close(self) -> None:
        """Close the providers' connections, where they have a way to."""
        for provider in self._providers.values():
            close = getattr(getattr(provider, "client", None), "close", None)
            if close is not None:
                await close()

    def _provider(self, name: str, model: str) -> Any:
        """The provider called ``name``; one that cannot be had is a user's error."""
        from any_llm import AnyLLM, AnyLLMError, UnsupportedParameterError

        if name in self._providers:
            return self._providers[name]
        where = f"model '{name}:{model}'" if model else f"model '{name}'"
        if not model:
            raise UserError(
                "no provider is named", where=where, expected="provider:model, as any-llm lists them"
            )
        settings: dict[str, Any] = {"api_key": self._key, "api_base": self._url, "unified_exceptions": True}
        try:
            try:  # attempts are counted and spaced by the run, so the provider's own code must make only one
                made = AnyLLM.create(name, **settings, max_retries=0)
            except UnsupportedParameterError:
                made = AnyLLM.create(name, **settings)
        except (AnyLLMError, ImportError) as problem:
            raise UserError(str(problem).splitlines()[0], where=where) from None
        self._providers[name] = made
        return made


def _refused(problem: Any) -> Reply:
    """What any-llm raised: a filtered prompt is a refusal, everything else a :class:`Failure`."""
    from any_llm import exceptions as of

    words = str(problem)
    if isinstance(problem, of.ContentFilterError) or problem.code == "content_filter":
        return Reply("refusal", finish_reason="content_filter", error=words)
    status = problem.status_code
    paid = problem.code != "insufficient_quota" and not isinstance(problem, of.InsufficientFundsError)
    passing = (of.ProviderError, of.UpstreamProviderError, of.GatewayTimeoutError, of.RateLimitError)
    again = status in AGAIN if status is not None else isinstance(problem, passing)
    waiting = getattr(problem, "retry_after", None)
    raise Failure(
        f"HTTP {status}: {words}" if status is not None else words,
        again=again and paid,
        after=seconds_to_wait({"retry-after": waiting}) if waiting is not None else None,
        limited=isinstance(problem, of.RateLimitError) or status == 529,
    ) from None
