"""A study and its store, open for review."""

from __future__ import annotations

import hashlib
import hmac
import secrets as random
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from voirdire.errors import UserError
from voirdire.opening import is_store
from voirdire.opening import open as open_study
from voirdire.review.settings import RoundSettings
from voirdire.store.beside import open_beside
from voirdire.store.review_schema import events, rounds, secrets
from voirdire.store.shared_commit import SharedCommit
from voirdire.store.sql import Store, added
from voirdire.study.study import Study

__all__ = ["Desk", "Round", "now", "open_desk"]

PATIENCE = 10
"""Seconds for which a request waits for another program that writes to the same file."""
TURNED = (
    sql.select(events.c.kind, events.c.created_at)
    .where(events.c.round_id == sql.bindparam("round_id"), events.c.kind.in_(["closed", "reopened"]))
    .order_by(events.c.number.desc())
    .limit(1)
)
"""What last opened or closed a round; made once, since every request asks it."""


@dataclass(frozen=True)
class Round:
    """A round of labelling: its id, settings and beginning, and whether it takes answers now.

    ``reopened`` is when it was opened again, which makes a closing time before that void.
    """

    id: str
    settings: RoundSettings
    created_at: str
    closed: bool
    reopened: str = ""

    @property
    def is_open(self) -> bool:
        """Whether an answer that comes now counts."""
        if self.closed or not self.settings.closes_at:
            return not self.closed
        closes = datetime.fromisoformat(self.settings.closes_at)
        again = bool(self.reopened) and datetime.fromisoformat(self.reopened) > closes
        return again or closes > datetime.now(UTC)


@dataclass(frozen=True, eq=False)
class Desk:
    """A ``study`` with all its items and the ``store`` that labels go to.

    ``key`` is the store's own random key, ``source`` where the study is.
    """

    study: Study
    store: Store
    key: bytes = field(repr=False)
    source: str = ""
    _writing: SharedCommit = field(init=False)
    _begun: dict[str, tuple[RoundSettings, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_writing", SharedCommit(self.store))

    def transaction(self) -> AbstractContextManager[sql.Connection]:
        """A connection whose changes are kept together, or not at all; not to be used within itself."""
        return (self._writing if self.store.engine.name == "sqlite" else self.store).transaction()

    def derived(self, *parts: str) -> str:
        """A text that only this store can make of ``parts``."""
        message = "\x1f".join(parts).encode()
        return hmac.new(self.key, message, hashlib.sha256).hexdigest()

    @cached_property
    def position(self) -> dict[str, int]:
        """Position of each item by its id."""
        return {name: code for code, name in enumerate(self.study.items.ids)}

    def rounds(self) -> list[Round]:
        """Every round, the oldest first."""
        query = sql.select(rounds.c.round_id).order_by(rounds.c.created_at, rounds.c.round_id)
        return [self.round(row["round_id"]) for row in self.store.rows(query)]

    def round(self, round_id: str) -> Round:
        """The round called ``round_id``; an unknown one is a user's error."""
        settings, created_at = self._settings(round_id)
        last = self.store.rows(TURNED, round_id=round_id)
        turn, at = (last[0]["kind"], last[0]["created_at"]) if last else ("", "")
        return Round(round_id, settings, created_at, turn == "closed", at if turn == "reopened" else "")

    def _settings(self, round_id: str) -> tuple[RoundSettings, str]:
        """Settings and beginning of a round; its row is never changed and so is read once."""
        if round_id not in self._begun:
            found = self.store.rows(sql.select(rounds).where(rounds.c.round_id == round_id))
            if not found:
                raise UserError(f"no round '{round_id}'", where=self.store.where)
            settings = RoundSettings.model_validate(found[0]["document"])
            self._begun[round_id] = (settings, found[0]["created_at"])
        return self._begun[round_id]

    def new_round(self, settings: RoundSettings) -> Round:
        """Begin a round; its id is the next number."""
        for name in settings.metrics:
            self.study.metric(name)
        with self.transaction() as connection:
            known = connection.scalars(sql.select(sql.func.count()).select_from(rounds)).one()
            row = {"document": settings.model_dump(mode="json"), "created_at": now()}
            while not added(connection, rounds, [{**row, "round_id": f"round-{known + 1}"}]):
                known += 1
        return self.round(f"round-{known + 1}")


def open_desk(source: str | Path, store: str = "") -> Desk:
    """The study at ``source`` with every item, and its store at ``store`` or beside it.

    A study that holds no items, and one that is only a database, are users' errors.
    """
    if is_store(str(source)):
        raise UserError(
            "a store holds no texts to show",
            expected="the study's folder",
            fix="voirdire review FOLDER --store URL",
        )
    study = open_study(source, config={"unrated": True})
    if not len(study.items):
        raise UserError("holds no items to label", where=str(source))
    kept = open_beside(source, store)
    if kept.engine.name == "sqlite":
        sql.event.listen(kept.engine, "connect", _impatient)
        kept.engine.dispose()
    return Desk(study, kept, _key(kept), str(source))


def _impatient(connection: Any, record: Any) -> None:
    # somebody waits in front of a page, and may try again
    connection.execute(f"PRAGMA busy_timeout={1000 * PATIENCE}")


def _key(store: Store) -> bytes:
    """The random key of ``store``, made when it is first opened for review."""
    store.add(secrets, [{"name": "review", "value": random.token_hex(32)}])
    found = store.rows(sql.select(secrets.c.value).where(secrets.c.name == "review"))
    return bytes.fromhex(found[0]["value"])


def now() -> str:
    """The time, as it stands in every row."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
