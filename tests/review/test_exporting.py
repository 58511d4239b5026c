"""Every row of review comes out as a table, under people's names or under codes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from review.studies import UnderWay, begun
from voirdire.opening import read_table
from voirdire.review.answers import Sent
from voirdire.review.exporting import tables
from voirdire.review.log import Cell, Event, record
from voirdire.review.metric_reviews import MetricReview, review_metric
from voirdire.review.people import erase, invite
from voirdire.review.rulings import Ruling, rule
from voirdire.store import review_schema as schema
from voirdire.writers.columns import Table
from voirdire.writers.formats import write_table

NAME = "Annelise Quartermain"
CODE = re.compile("P-[0-9a-f]{12}")


@pytest.fixture
def way(tmp_path: Path) -> UnderWay:
    """A round with revisions, a skip, a set, a late answer, a ruling and a review of a metric."""
    way = begun(tmp_path, names=(NAME, "Bo"), sets=["kind"])
    way.say(NAME, "i0", "kind", "pass", confidence=3, cites=[2], comment="Thanks.", challenge="hard")
    way.say(NAME, "i0", "kind", "fail", "pass")
    way.say("Bo", "i0", "kind", "fail")
    way.say("Bo", "i1", "kind")
    member = invite(way.desk, way.round.id, "panel", "Pia").link.rater_id
    rule(
        way.desk,
        way.round,
        Cell(way.round.id, member, "i0", "kind"),
        Ruling(kind="contested"),
        Sent("ruling-1"),
    )
    review_metric(way.desk, way.round, "R1", "kind", MetricReview(adequacy="adequate"), "review-001")
    with way.desk.transaction() as connection:
        record(
            connection, Event("naming-01", "noted", Cell(way.round.id, "R1"), {"who": ["R2", {"name": NAME}]})
        )
        record(connection, Event("closing-1", "closed", Cell(way.round.id, "")))
    way.say("Bo", "i0", "kind", "pass")
    return way


def rows(table: Table) -> list[dict[str, Any]]:
    numbers = {
        name: [None if value != value else value for value in values.tolist()]
        for name, values in table.numbers.items()
    }
    cells = {**table.columns, **numbers}
    return [{name: cells[name][k] for name in cells} for k in range(len(table))]


def test_the_last_answers_in_time_and_all_that_led_to_them(way: UnderWay) -> None:
    found = tables(way.desk, way.round.id)
    now = {(row["rater_id"], row["item_id"]): row["label"] for row in rows(found["labels"])}
    assert now == {("R1", "i0"): '["fail", "pass"]', ("R2", "i0"): "fail", ("R2", "i1"): None}
    history = [
        (row["rater_id"], row["revision"], row["labels"], row["late"]) for row in rows(found["history"])
    ]
    assert history == [
        ("R1", 1, '["pass"]', "false"),
        ("R1", 2, '["fail", "pass"]', "false"),
        ("R2", 1, '["fail"]', "false"),
        ("R2", 2, '["pass"]', "true"),
        ("R2", 1, "[]", "false"),
    ]


def test_every_row_of_every_table_comes_out(way: UnderWay) -> None:
    found = tables(way.desk)
    for name, table in (
        ("history", schema.labels),
        ("events", schema.events),
        ("rulings", schema.adjudications),
        ("reviews", schema.metric_reviews),
        ("assignments", schema.assignments),
        ("people", schema.people),
    ):
        assert len(found[name]) == len(way.desk.store.rows(sql.select(table))) > 0, name
    assert {row["sampling_probability"] for row in rows(found["assignments"])} == {1.0}
    assert [row["name"] for row in rows(found["people"])] == [NAME, "Bo", "Pia"]
    assert [row["roles"] for row in rows(found["people"])] == ["rater", "rater", "panel"]


def test_another_round_is_left_out(way: UnderWay) -> None:
    other = way.desk.new_round(way.round.settings)
    assert {name: len(table) for name, table in tables(way.desk, other.id).items()} == dict.fromkeys(
        tables(way.desk), 0
    )


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_tables_are_written_in_every_format(way: UnderWay, tmp_path: Path, suffix: str) -> None:
    for name, table in tables(way.desk).items():
        file = write_table(table, tmp_path / f"{name}.{suffix}")
        if len(table):
            assert len(read_table(file)) == len(table)


def test_a_pseudonymous_export_holds_no_code_no_name_and_no_time_of_day(
    way: UnderWay, tmp_path: Path
) -> None:
    found = tables(way.desk, pseudonymous=True)
    again = tables(way.desk, pseudonymous=True)
    whole = ""
    for name, table in found.items():
        whole += write_table(table, tmp_path / f"{name}.csv").read_text(encoding="utf-8")
        assert rows(table) == rows(again[name])
    for secret in (NAME, "Bo,", "Pia"):
        assert secret not in whole
    assert not re.search(r"\bR[123]\b", whole)
    assert not re.search(r"\d\d:\d\d", whole)
    who = {row["rater_id"] for row in rows(found["history"])}
    assert len(who) == 2
    assert all(CODE.fullmatch(one or "") for one in who)
    assert who < {row["rater_id"] for row in rows(found["people"])}
    noted = next(row for row in rows(found["events"]) if row["kind"] == "noted")
    first, second = (row["rater_id"] for row in rows(found["people"]) if row["rater_id"] in who)
    assert {str(first), str(second)} == set(CODE.findall(str(noted["document"])))


def test_codes_differ_between_stores(tmp_path: Path) -> None:
    codes = set()
    for name in ("one", "two"):
        way = begun(tmp_path / name)
        codes |= {row["rater_id"] for row in rows(tables(way.desk, pseudonymous=True)["people"])}
    assert len(codes) == 6


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_person_who_is_forgotten_is_in_no_table_and_in_no_file(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_server").new("forgotten") if kind == "postgresql" else ""
    way = begun(tmp_path / "study", names=(NAME, "Bo"), metrics=("kind",), store=url)
    for k in range(6):
        way.say(NAME, f"i{k}", "kind", "pass")
    before = rows(tables(way.desk)["history"])
    assert NAME in dump(way)
    assert erase(way.desk, way.people[NAME].link.rater_id)
    assert rows(tables(way.desk)["history"]) == before
    assert [row["name"] for row in rows(tables(way.desk)["people"])] == [None, "Bo"]
    assert NAME not in dump(way)
    assert "Bo" in dump(way)
    files = list((tmp_path / "study").glob("voirdire.sqlite*"))
    assert bool(files) == (kind == "sqlite")
    assert not any(NAME.encode() in file.read_bytes() for file in files)
    way.desk.store.close()


def dump(way: UnderWay) -> str:
    """Everything in every table."""
    with way.desk.store.engine.connect() as connection:
        tables_of = sql.inspect(connection).get_table_names()
        return "".join(str(connection.exec_driver_sql(f'SELECT * FROM "{name}"').all()) for name in tables_of)
