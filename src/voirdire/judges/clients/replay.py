"""Replies that were recorded before, given again: a run without a model that ends as the recorded one did."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from voirdire.errors import UserError
from voirdire.judges.call import Failure, Reply, Request, canonical, content_hash
from voirdire.judges.records import reply_of
from voirdire.registry import register
from voirdire.store.parts import stored
from voirdire.store.schema import replies
from voirdire.store.sql import Store, open_store

__all__ = ["Replay", "write_replies"]

COLUMNS = tuple(column.name for column in replies.columns)
Key = tuple[str, int, int]


@register("client", "replay")
class Replay:
    """Answers from a store, or from a file that :func:`write_replies` made, without any model.

    The endpoint's ``url`` is a study's folder, a store's address or a ``.jsonl`` file. A call is answered by
    the reply to the same model, messages, parameters and repeat, wherever that one was sent; a call that has
    no recorded reply fails and names its request.
    """

    def __init__(self, url: str, key: str | None) -> None:
        self._where = url
        # a later retry of one call takes the place of an earlier one
        rows = sorted(_rows(url), key=lambda row: int(row["retry"]))
        self._replies: dict[Key, Reply] = {_key(row): reply_of(row) for row in rows}

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        """The recorded reply, with the latency and the tokens of then."""
        reply = self._replies.get((content_hash(request.body), request.run, request.sample))
        if reply is None:
            name = f"request {request.hash[:12]} (run {request.run}, sample {request.sample})"
            shown = " ".join(request.messages[-1].content.split())[-80:] if request.messages else ""
            raise Failure(f"{self._where} holds no reply to {name}: ... {shown}", again=False)
        if reply.status == "error":
            raise Failure(reply.error, again=False)
        return replace(reply, kept=False)

    async def close(self) -> None:
        """Nothing to let go of."""


def write_replies(store: Store, path: str | Path) -> int:
    """Write every reply in ``store`` to ``path``, one JSON object a line, and return how many there are.

    The lines hold requests and answers whole, in an order that does not change, and never a key.
    """
    rows = stored(store, replies, COLUMNS)
    rows.sort(key=lambda row: (row["request_hash"], row["run"], row["sample"], row["retry"]))
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(canonical(row) + "\n" for row in rows)
    return len(rows)


def _key(row: Mapping[str, Any]) -> Key:
    return content_hash(Request.of(row["request"]).body), row["run"], row["sample"]


def _rows(url: str) -> Iterator[Mapping[str, Any]]:
    if not url:
        raise UserError("no recorded replies", where="endpoint, url", expected="a study's folder or a .jsonl")
    if not url.endswith(".jsonl"):
        with open_store(url, create=False) as store:
            yield from stored(store, replies, COLUMNS)
        return
    try:
        lines = Path(url).read_text(encoding="utf-8").strip("\n").split("\n")
    except OSError as problem:
        raise UserError(f"cannot be read: {problem.strerror or problem}", where=url) from None
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            Request.of(row["request"])
            yield {name: row[name] for name in COLUMNS}
        except (ValueError, KeyError, TypeError):
            raise UserError("is no recorded reply", where=f"{url}, line {number}") from None
