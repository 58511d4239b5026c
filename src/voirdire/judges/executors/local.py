"""Calls are made by the process that runs the plan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from voirdire.judges.judge import Judge
from voirdire.judges.routes import Route, Routes
from voirdire.registry import register

__all__ = ["local"]


@register("executor", "local")
@asynccontextmanager
async def local(judge: Judge) -> AsyncIterator[Routes]:
    """One route, through the judge's own client."""
    client = judge.client()
    try:
        yield Routes([Route.of(client, judge.config.limits)])
    finally:
        await client.close()
