"""Routes to a model, in this process or through others, each with limits of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from voirdire.errors import UserError
from voirdire.judges.call import Client, Failure
from voirdire.judges.judge_file import LimitsConfig
from voirdire.judges.limits import Limiter, Limits

__all__ = ["Lost", "Route", "Routes"]


class Lost(Failure):
    """The way to the model broke down under a call, which is made again on another way."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, again=True)


@dataclass(eq=False)
class Route:
    """One way to a model: a client, its limits, the calls that chose it, and why it is lost, if it is."""

    client: Client
    limiter: Limiter
    chosen: int = 0
    lost: str = ""

    @classmethod
    def of(cls, client: Client, said: LimitsConfig) -> Route:
        """A route through ``client`` under a judge's limits, counted anew."""
        limits = Limits(
            concurrency=said.concurrency,
            requests_per_minute=said.requests_per_minute,
            tokens_per_minute=said.tokens_per_minute,
        )
        return cls(client, Limiter(limits))


class Routes:
    """The ways to a model, of which each call takes the one with the fewest calls."""

    def __init__(self, every: Sequence[Route]) -> None:
        self._every = tuple(every)

    def __len__(self) -> int:
        return len(self._every)

    @contextmanager
    def one(self) -> Iterator[Route]:
        """A route that is not lost; where all are, a user's error that ends the run."""
        left = [route for route in self._every if not route.lost]
        if not left:
            said = self._every[-1].lost
            raise UserError(f"no node is left: {said}", fix="run the same command again when there are nodes")
        route = min(left, key=lambda one: one.chosen)
        route.chosen += 1
        try:
            yield route
        finally:
            route.chosen -= 1
