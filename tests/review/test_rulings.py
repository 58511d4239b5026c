"""Rulings stand beside the labels, each once, and every revision is kept."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sql

import voirdire
from postgres import Server
from review.studies import UnderWay, begun
from voirdire.errors import UserError
from voirdire.review.answers import Sent
from voirdire.review.log import Cell, Event, record
from voirdire.review.panel import panel_queue
from voirdire.review.people import invite
from voirdire.review.rulings import Ruling, choices, rule, rulings_of
from voirdire.store.labels import PANEL
from voirdire.store.review_schema import adjudications, events, labels


@pytest.fixture
def way(tmp_path: Path) -> UnderWay:
    way = begun(tmp_path, metrics=("kind",))
    for name, label in (("Ann", "pass"), ("Bo", "fail"), ("Cleo", "borderline")):
        way.say(name, "i0", "kind", label)
    return way


def cell(way: UnderWay, item: str = "i0", name: str = "Pia") -> Cell:
    member = invite(way.desk, way.round.id, "panel", name).link.rater_id
    return Cell(way.round.id, member, item, "kind")


def test_a_ruling_is_kept_once_and_the_last_revision_counts(way: UnderWay) -> None:
    before = way.desk.store.rows(sql.select(labels))
    first = rule(way.desk, way.round, cell(way), Ruling(kind="label", label="pass"), Sent("ruling-1"))
    again = rule(way.desk, way.round, cell(way), Ruling(kind="label", label="pass"), Sent("ruling-1"))
    assert (first.revision, first.note) == (1, "")
    assert (again.revision, again.saved_at) == (1, first.saved_at)
    second = rule(
        way.desk,
        way.round,
        cell(way, name="Quin"),
        Ruling(kind="contested", label="pass", reason="  Both hold. "),
        Sent("ruling-1", seen=0),
    )
    assert second.revision == 2
    assert "Somebody ruled in the meantime" in second.note
    last = rulings_of(way.desk, way.round.id)["i0", "kind"]
    assert (last["ruling"], last["label"], last["reason"]) == ("contested", None, "Both hold.")
    assert way.desk.store.rows(sql.select(labels)) == before
    assert len(way.desk.store.rows(sql.select(adjudications))) == 2
    assert len(way.desk.store.rows(sql.select(events).where(events.c.kind == "ruled"))) == 2


def test_what_may_not_be_ruled_is_refused_in_a_sentence(way: UnderWay) -> None:
    scale = way.round.settings.scales["kind"]
    assert choices(scale) == ("fail", "pass", "borderline")
    for ruling, said in (
        (Ruling(kind="label"), "no label is chosen yet"),
        (Ruling(kind="label", label="not sure"), "no label 'not sure'"),
        (Ruling(kind="rubric", reason=" "), "how the rubric must change"),
    ):
        with pytest.raises(UserError, match=said):
            rule(way.desk, way.round, cell(way), ruling, Sent("ruling-1"))
    assert not rulings_of(way.desk, way.round.id)


def test_one_key_is_not_two_acts(way: UnderWay) -> None:
    rule(way.desk, way.round, cell(way), Ruling(kind="label", label="pass"), Sent("ruling-1"))
    with pytest.raises(UserError, match="used for another one"):
        rule(way.desk, way.round, cell(way, "i1"), Ruling(kind="label", label="pass"), Sent("ruling-1"))


def test_the_queue_leaves_late_answers_out(way: UnderWay) -> None:
    assert [(one.item_id, one.reasons) for one in panel_queue(way.desk, way.round)] == [
        ("i0", ("tied", "borderline"))
    ]
    for name in way.people:
        way.say(name, "i1", "kind", "pass")
    with way.desk.transaction() as connection:
        record(connection, Event("closing-1", "closed", Cell(way.round.id, "")))
    assert way.say("Ann", "i1", "kind", "fail").late
    assert [one.item_id for one in panel_queue(way.desk, way.round)] == ["i0"]


def test_a_ruled_label_is_a_reference_in_the_study_and_other_rulings_are_none(way: UnderWay) -> None:
    for name in way.people:
        way.say(name, "i1", "kind", "pass")
    rule(
        way.desk,
        way.round,
        cell(way),
        Ruling(kind="label", label="pass", reason="Reads kind."),
        Sent("ruling-1"),
    )
    rule(way.desk, way.round, cell(way, "i1"), Ruling(kind="contested"), Sent("ruling-2"))
    study = voirdire.open(way.desk.source)
    panel = next(rater for rater in study.raters if rater.id == PANEL)
    assert panel.kind == "reference"
    code = study.raters.index(panel)
    mine = study.ratings.rater == code
    assert [study.items.ids[k] for k in study.ratings.item[mine]] == ["i0"]
    rationale = study.ratings.attributes["rationale"]
    assert [rationale[int(k)] for k in mine.nonzero()[0]] == ["Reads kind."]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_rulings_at_one_moment_are_all_kept(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    url = ""
    if kind == "postgresql":
        server: Server = request.getfixturevalue("postgres_server")
        url = server.new("rulings")
    way = begun(tmp_path, metrics=("kind",), store=url)
    members = [cell(way, name=f"Member {k}") for k in range(6)]
    gate = threading.Barrier(len(members))
    revisions = []

    def act(member: Cell) -> None:
        gate.wait()
        kept = rule(way.desk, way.round, member, Ruling(kind="contested"), Sent("ruling-1"))
        revisions.append(kept.revision)

    threads = [threading.Thread(target=act, args=(member,)) for member in members]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(revisions) == [1, 2, 3, 4, 5, 6]
    way.desk.store.close()
