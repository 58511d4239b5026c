"""Whoever was shown how a judge or others labelled an item is not asked for it blind, nor counted so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from review.studies import UnderWay, begun
from voirdire.review.answers import Sent, current, rebuilt
from voirdire.review.assigning import Wanted, assign_to, by_overlap
from voirdire.review.closing import close, reopen
from voirdire.review.desk import open_desk
from voirdire.review.log import Cell
from voirdire.review.people import invite
from voirdire.review.rulings import Ruling, rule
from voirdire.review.settings import RoundSettings
from voirdire.store.review_schema import events, labels
from web.visits import Visitor, browser, pages

HTML = {"accept": "text/html"}


def asked(way: UnderWay) -> set[tuple[str, str]]:
    """Who of Ann and Bo would be asked for which item next."""
    wanted = by_overlap(way.desk, ["kind"], {"Ann": 0, "Bo": 0})
    return {(one.rater_id, one.item_id) for one in wanted}


def visiting(way: UnderWay, name: str) -> Visitor:
    return browser(pages(way.desk)).enter(way.people[name].token)


def later(way: UnderWay, **settings: Any) -> UnderWay:
    """A blind round after ``way``'s, in which everybody is asked for everything whatever they saw."""
    told = way.round.settings.model_dump() | {"mode": "blind", "judge": "", "reveal": False, **settings}
    round_ = way.desk.new_round(RoundSettings.model_validate(told))
    people = {name: invite(way.desk, round_.id, "rater", name) for name in way.people}
    every = [
        Wanted(one.link.rater_id, item, "kind")
        for one in people.values()
        for item in way.desk.study.items.ids
    ]
    assign_to(way.desk, round_, every)
    return UnderWay(way.desk, round_, people)


def anchored(way: UnderWay) -> dict[tuple[str, str], bool]:
    rows = current(way.desk, way.round.id)
    return {(rater, item): row["anchored"] for (rater, item, _), row in rows.items()}


@pytest.fixture
def confirming(tmp_path: Path) -> UnderWay:
    return begun(
        tmp_path, names=("Ann", "Bo"), metrics=("kind",), items=4, mode="confirm", judge="tone-judge"
    )


def test_a_verdict_that_was_shown_anchors_what_the_same_person_says_in_a_blind_round(
    confirming: UnderWay,
) -> None:
    ann = visiting(confirming, "Ann")
    page = ann.client.get("/rate/item/1", headers=HTML).text
    assert "The judge says" in page
    ann.client.get("/rate/item/1", headers=HTML)
    rows = confirming.desk.store.rows(sql.select(events).where(events.c.kind == "shown"))
    [row] = rows  # looked at twice, kept once
    seen = (row["rater_id"], row["item_id"])
    blind = later(confirming)
    for name in ("Ann", "Bo"):
        for item in blind.desk.study.items.ids:
            blind.say(name, item, "kind", "pass")
    marks = anchored(blind)
    assert [cell for cell, mark in marks.items() if mark] == [seen]
    kept = blind.desk.store.rows(sql.select(labels).where(labels.c.round_id == blind.round.id))
    again = rebuilt(blind.desk, blind.round)
    assert sorted(map(str, again)) == sorted(map(str, kept))


def test_nobody_is_asked_blind_for_what_they_were_shown(confirming: UnderWay) -> None:
    everything = {(name, f"i{k}") for name in ("Ann", "Bo") for k in range(4)}
    assert asked(confirming) == everything
    ann = visiting(confirming, "Ann")
    ann.client.get("/rate/item/1", headers=HTML)
    [row] = confirming.desk.store.rows(sql.select(events).where(events.c.kind == "shown"))
    assert asked(confirming) == everything - {("Ann", row["item_id"])}


def test_a_blind_round_shows_nothing_and_marks_nothing(tmp_path: Path) -> None:
    way = begun(tmp_path, names=("Ann", "Bo"), metrics=("kind",), items=4)
    ann = visiting(way, "Ann")
    for place in range(1, 5):
        ann.client.get(f"/rate/item/{place}", headers=HTML)
        ann.answer(place, "pass")
    assert not way.desk.store.rows(sql.select(events).where(events.c.kind == "shown"))
    assert not any(anchored(way).values())


def test_a_label_changed_after_others_were_revealed_is_marked(tmp_path: Path) -> None:
    way = begun(tmp_path, names=("Ann", "Bo"), metrics=("kind",), items=2, reveal=True)
    for name in ("Ann", "Bo"):
        for item in ("i0", "i1"):
            way.say(name, item, "kind", "pass" if name == "Ann" else "fail")
    close(way.desk, way.round)
    ann = visiting(way, "Ann")
    assert "How others labelled it" in ann.client.get("/rate/item/1", headers=HTML).text
    reopen(way.desk, way.round)
    assert not any(anchored(way).values())
    for place in (1, 2):
        ann.answer(place, "fail")
    assert sum(anchored(way).values()) == 1


@pytest.mark.parametrize("reopened", [False, True])
def test_nobody_is_asked_again_for_what_they_labelled_in_a_round_before(
    tmp_path: Path, reopened: bool
) -> None:
    way = begun(tmp_path, names=("Ann", "Bo"), metrics=("kind",), items=3)
    way.say("Ann", "i1", "kind", "pass")
    if reopened:  # the study that is read anew knows people by their codes
        way.desk.store.close()
        way.desk = open_desk(tmp_path)
    assert asked(way) == {(name, f"i{k}") for name in ("Ann", "Bo") for k in range(3)} - {("Ann", "i1")}


def test_whoever_ruled_on_an_item_is_not_asked_for_a_label_of_it(tmp_path: Path) -> None:
    way = begun(tmp_path, names=("Ann", "Bo"), metrics=("kind",), items=2)
    for name, label in (("Ann", "pass"), ("Bo", "fail")):
        way.say(name, "i0", "kind", label)
    pia = invite(way.desk, way.round.id, "panel", "Pia").link.rater_id
    cell = Cell(way.round.id, pia, "i0", "kind")
    rule(way.desk, way.round, cell, Ruling(kind="label", label="pass"), Sent("ruling-0001"))
    wanted = by_overlap(way.desk, ["kind"], {"Pia": 0}, labels_an_item=1)
    assert [one.item_id for one in wanted] == ["i1"]


def test_whoever_looked_at_an_item_on_the_panel_is_not_asked_for_a_label_of_it(tmp_path: Path) -> None:
    way = begun(tmp_path, names=("Ann", "Bo"), metrics=("kind",), items=2)
    for name, label in (("Ann", "pass"), ("Bo", "fail")):
        way.say(name, "i0", "kind", label)
    pia = browser(pages(way.desk)).enter(invite(way.desk, way.round.id, "panel", "Pia").token)
    assert "Person A" in pia.client.get("/panel/next", headers=HTML).text
    wanted = by_overlap(way.desk, ["kind"], {"Pia": 0}, labels_an_item=1)
    assert [one.item_id for one in wanted] == ["i1"]
