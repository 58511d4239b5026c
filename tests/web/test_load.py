"""Fifty raters at once, and a server that is killed three times: every acknowledged label is there, once."""

from __future__ import annotations

import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from review.studies import UnderWay, begun
from voirdire.review.answers import rebuilt
from voirdire.store.review_schema import assignments, events, labels
from web.crowd import Crowd
from web.servers import Server, run_crowd

RATERS, EACH, DRAFTS = 50, 200, 8
"""Ten thousand labels, and a draft before one label of eight."""
KILLS = (2_300, 5_000, 7_900)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> str:
    """Where labels are kept: beside the study, or in a new database of a real server."""
    if request.param == "sqlite":
        return ""
    return str(request.getfixturevalue("postgres_server").new(uuid.uuid4().hex))


def places(way: UnderWay) -> dict[tuple[str, int], str]:
    """The item at each place of each rater's list."""
    rows = way.desk.store.rows(sql.select(assignments))
    return {(row["rater_id"], row["place"]): row["item_id"] for row in rows}


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row["rater_id"], row["item_id"], row["metric"], row["revision"]))


def test_killed_three_times_the_server_has_every_acknowledged_label_exactly_once(
    tmp_path: Path, store: str
) -> None:
    names = tuple(f"Rater {number}" for number in range(RATERS))
    way = begun(tmp_path, names=names, metrics=("kind",), store=store, items=EACH, borderline=False)
    server = Server(tmp_path, store)

    def die_and_come_back() -> None:
        server.kill()
        server.start()

    tokens = [invited.token for invited in way.people.values()]
    with server:
        crowd = Crowd(server.port, tokens, EACH, DRAFTS)
        told = run_crowd(crowd, dict.fromkeys(KILLS, die_and_come_back))
        assert server.interrupt() == 0
    assert sum(one["again"] for one in told) >= RATERS, "the server was not killed with requests under way"
    kept = way.desk.store.rows(sql.select(labels))
    assert len(kept) == RATERS * EACH == sum(len(one["answers"]) for one in told)
    there = {(row["rater_id"], row["event"]): row for row in kept}
    assert len(there) == len(kept)
    asked = places(way)
    for invited, one in zip(way.people.values(), told, strict=True):
        rater = invited.link.rater_id
        for answer in one["answers"]:
            row = there[rater, answer["key"]]
            assert row["item_id"] == asked[rater, answer["place"]]
            said = {name: row[name] for name in ("labels", "confidence", "comment", "revision")}
            assert said == {name: answer[name] for name in said}
    assert in_order(rebuilt(way.desk, way.round)) == in_order(kept)
    acts = Counter(row["kind"] for row in way.desk.store.rows(sql.select(events.c.kind)))
    assert acts["submitted"] == len(kept)
    drafts = {
        row["key"] for row in way.desk.store.rows(sql.select(events.c.key).where(events.c.kind == "draft"))
    }
    acknowledged = {
        f"{way.round.id}/{invited.link.rater_id}/{key}"
        for invited, one in zip(way.people.values(), told, strict=True)
        for key in one["drafts"]
    }
    assert drafts == acknowledged
    way.desk.store.close()
