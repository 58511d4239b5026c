"""Stage: the doors to the models that play, and what is kept of conversations already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import sqlalchemy as sql

from voirdire.bench.cast import IMPORTED, ModelConfig
from voirdire.bench.conversation import Spoken, spoken_of
from voirdire.bench.dialogue import Part
from voirdire.judges import asking
from voirdire.judges.asking import Door
from voirdire.judges.call import Client
from voirdire.judges.judge import connect
from voirdire.judges.limits import Budget
from voirdire.judges.routes import Route, Routes
from voirdire.store.bench_schema import conversations
from voirdire.store.group_commit import GroupCommit
from voirdire.store.sql import Store

__all__ = ["Kept", "Stage"]


@dataclass(frozen=True)
class Kept:
    """What a store holds of some conversations: which have ended, how often in an error, and turns so far."""

    ended: frozenset[str]
    retries: Counter[str]
    begun: Mapping[str, tuple[Spoken, ...]]

    def has(self, part: Part) -> bool:
        """Whether ``part`` need not be held; an error is no end, but of a transcript it is all there is."""
        return part.id in self.ended or (part.user_version == IMPORTED and part.id in self.retries)

    @classmethod
    def of(cls, store: Store, ids: Sequence[str]) -> Kept:
        """What ``store`` holds of the conversations ``ids``."""
        query = sql.select(conversations.c.conversation, conversations.c.ended)
        rows = store.rows(query.where(conversations.c.conversation.in_(ids)))
        retries = Counter(row["conversation"] for row in rows if row["ended"] == "error")
        ended = frozenset(row["conversation"] for row in rows if row["ended"] != "error")
        return cls(ended, retries, spoken_of(store, [name for name in ids if name not in ended]))


@dataclass(eq=False)
class Stage:
    """The sides of conversations, each model's behind a door of its own that is opened once."""

    stack: AsyncExitStack
    store: Store
    commit: GroupCommit
    budget: Budget
    clients: Mapping[str, Client]
    doors: dict[str, Door] = field(default_factory=dict)

    async def settled(self) -> None:
        """Wait for the calls under way."""
        for door in self.doors.values():
            await door.settled()

    def door(self, config: ModelConfig, name: str) -> Door:
        """The door to the model of ``config``, under the name ``name`` among the replies."""
        if name not in self.doors:
            routes = Routes([Route.of(self._client(config, name), config.limits)])
            asked = _endpoint(config, name)
            self.doors[name] = Door(asked, routes, budget=self.budget, store=self.store, commit=self.commit)
        return self.doors[name]

    def _client(self, config: ModelConfig, name: str) -> Client:
        if name in self.clients:
            return self.clients[name]
        client = connect(config.endpoint, name)
        self.stack.push_async_callback(client.close)
        return client


def _endpoint(config: ModelConfig, name: str) -> asking.Target:
    price = (
        None if config.price is None else asking.Price(input=config.price.input, output=config.price.output)
    )
    return asking.Target(
        judge=name,
        version=config.version,
        endpoint=config.endpoint.url or config.endpoint.client,
        model=config.model,
        parameters=config.parameters,
        price=price,
        timeout=config.limits.timeout,
        retries=config.limits.retries,
    )
