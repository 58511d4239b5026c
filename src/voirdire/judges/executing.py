"""Executor: where the calls of a run are made."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from voirdire.judges.judge import Judge
from voirdire.judges.routes import Routes

__all__ = ["Executor"]


class Executor(Protocol):
    """Opens routes for a judge; registered as a function by ``@register("executor", name)``."""

    def __call__(self, judge: Judge) -> AbstractAsyncContextManager[Routes]:
        """The routes, closed when the block ends."""
