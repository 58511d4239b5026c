"""Calls are made on the nodes of a Ray cluster; everything else stays with the process that runs the plan."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any

from voirdire.errors import UserError
from voirdire.judges.call import Client, Failure, Reply, Request
from voirdire.judges.judge import Judge, connect
from voirdire.judges.judge_file import EndpointConfig
from voirdire.judges.routes import Lost, Route, Routes
from voirdire.registry import register

__all__ = ["on_ray"]

OFF = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""Ray's own settings: nothing is reported to anybody, and devices are left as they are."""


@register("executor", "ray")
@asynccontextmanager
async def on_ray(judge: Judge) -> AsyncIterator[Routes]:
    """One route a node, each with a client in a process there and the judge's limits for itself.

    A node's key comes from the environment of that node. Where a node dies its calls are made on the others.
    """
    ours = await asyncio.to_thread(_join)
    nodes: list[Any] = []
    try:
        nodes = _start(judge)
        for node in nodes:
            if said := await node.open.remote():
                raise UserError(said, where="a node of the Ray cluster")
        yield Routes([Route.of(_Remote(node), judge.config.limits) for node in nodes])
    finally:
        await _leave(nodes, ours)


class Node:
    """What runs on a node: one client for one judge."""

    def __init__(self, endpoint: EndpointConfig, judge: str, expected: str) -> None:
        self._endpoint, self._judge, self._expected = endpoint, judge, expected
        self._client: Client | None = None

    async def open(self) -> str:
        """Make the client; what is wrong in words, or nothing."""
        if version("voirdire") != self._expected:
            return f"has voirdire {version('voirdire')}, not {self._expected}"
        try:
            self._client = connect(self._endpoint, self._judge)
        except UserError as problem:
            return str(problem)
        return ""

    async def complete(self, request: Request, timeout: float) -> Reply | dict[str, Any] | str:
        """The reply, what :class:`Failure` is made of, or a user's mistake in words."""
        assert self._client is not None, "opened first"
        try:
            return await self._client.complete(request, timeout=timeout)
        except UserError as problem:
            return str(problem)
        except Failure as problem:
            return dict(vars(problem))

    async def close(self) -> None:
        """Close the client."""
        if self._client is not None:
            await self._client.close()


class _Remote:
    """The client on a node, as one of this process."""

    def __init__(self, node: Any) -> None:
        self._node = node

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        from ray.exceptions import RayActorError

        try:
            found = await self._node.complete.remote(request, timeout)
        except RayActorError as problem:
            raise Lost(str(problem).splitlines()[0]) from None
        if isinstance(found, dict):
            raise Failure(found.pop("reason"), **found)
        if isinstance(found, str):
            raise UserError(found)
        assert isinstance(found, Reply), "what a node sends"
        return found

    async def close(self) -> None:
        """The node's client is closed with the executor."""


def _join() -> bool:
    """Join the cluster, unless this process has; whether it was done here."""
    try:
        import ray
    except ModuleNotFoundError:
        raise UserError("Ray is not installed", fix="pip install 'voirdire[ray]'") from None
    if ray.is_initialized():
        return False
    for name, value in OFF.items():
        os.environ.setdefault(name, value)
    address = os.environ.get("RAY_ADDRESS", "auto")
    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
    except ConnectionError:
        raise UserError(
            "no Ray cluster can be reached", where=address, fix="ray start --head, or set RAY_ADDRESS"
        ) from None
    return True


def _start(judge: Judge) -> list[Any]:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    config = judge.config
    known: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    ids = [one["NodeID"] for one in known if one["Alive"] and one["Resources"].get("CPU", 0) > 0]
    if not ids:
        raise UserError("no node of the Ray cluster offers a CPU", fix="ray start --address=... on some")
    return [
        ray.remote(Node)
        .options(
            num_cpus=0,
            # a call that this process gave up may still be ending there
            max_concurrency=2 * config.limits.concurrency,
            scheduling_strategy=NodeAffinitySchedulingStrategy(name, soft=False),
        )
        .remote(config.endpoint, judge.name, version("voirdire"))
        for name in ids
    ]


async def _leave(nodes: list[Any], ours: bool) -> None:
    import ray
    from ray.exceptions import RayError

    for node in nodes:
        with suppress(RayError):
            await node.close.remote()
        ray.kill(node)
    if ours:
        await asyncio.to_thread(ray.shutdown)
