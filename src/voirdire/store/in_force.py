"""Which version of each judge counts: the one that was asked for last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from voirdire.store.parts import stored
from voirdire.store.schema import manifests, verdicts
from voirdire.store.sql import Store

__all__ = ["put_in_force", "versions_in_force"]

KIND = "asked"


def versions_in_force(store: Store, rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The version of each judge that gave the last of ``rows``, or was asked for again since.

    ``rows`` are verdicts with their ``rater_id``, ``judge_version`` and ``created_at``.
    """
    given = [(row["created_at"], row["rater_id"], row["judge_version"]) for row in rows]
    query = sql.select(manifests.c.document, manifests.c.created_at).where(manifests.c.kind == KIND)
    asked = [
        (row["created_at"], row["document"]["judge"], row["document"]["version"]) for row in store.rows(query)
    ]
    return {judge: version for _, judge, version in sorted([*given, *asked])}


def put_in_force(store: Store, judge: str, version: str) -> None:
    """Note that ``version``, of which verdicts are there, was asked for after those of another version.

    A judge's file that is changed and changed back needs no new verdict, and must count all the same.
    """
    columns = ["rater_id", "judge_version", "created_at"]
    rows = stored(store, verdicts, columns, rater_id=judge)
    if versions_in_force(store, rows).get(judge, version) == version:
        return
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    document = {"judge": judge, "version": version}
    row = {"manifest": f"{version}-{now}", "kind": KIND, "document": document, "created_at": now}
    store.add(manifests, [row])
