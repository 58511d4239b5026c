"""Several processes for work that comes in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from voirdire.errors import UserError

__all__ = ["mapping"]


@contextmanager
def mapping(jobs: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """A ``map`` over ``jobs`` processes, the built-in one where there is one."""
    if jobs < 1:
        raise UserError(f"--jobs {jobs}", expected="1 or more")
    if jobs == 1:
        yield map
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs) as pool:
        yield pool.map
