"""People are known by a code that is nobody else's, and a link is theirs until it is withdrawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from review.studies import begun, write_study
from voirdire.errors import UserError
from voirdire.review.beginning import BeginOptions, begin
from voirdire.review.desk import open_desk
from voirdire.review.people import erase, find_link, invite, links_of, revoke


def test_a_person_keeps_code_and_link_however_they_are_named(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",))
    way.say("Ann", "i0", "kind", "pass")
    way.desk.store.close()
    desk = open_desk(tmp_path)  # its study has R1 among its people now
    first = way.people["Ann"]
    assert invite(desk, way.round.id, "rater", "Ann") == first
    assert invite(desk, way.round.id, "rater", " Ann ") == first
    assert invite(desk, way.round.id, "rater", "R1").token == first.token
    assert invite(desk, way.round.id, "panel", "Ann").link.rater_id == "R1"
    assert len({one.link.rater_id for one in links_of(desk, way.round.id)}) == 3


def test_nobody_gets_the_code_of_somebody_who_was_forgotten(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), names=("Ann", "Bo"))
    way.say("Bo", "i0", "kind", "pass")
    assert erase(way.desk, "R2")
    assert not erase(way.desk, "R2")
    way.desk.store.close()
    desk = open_desk(tmp_path)  # R2's label is there, and who that was is not
    codes = {invite(desk, way.round.id, "rater", name).link.rater_id for name in ("R2", "Bo", "Cleo")}
    assert codes.isdisjoint({"R1", "R2"})
    assert len(codes) == 3


def test_a_link_that_was_withdrawn_opens_nothing(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), names=("Ann",))
    one = way.people["Ann"]
    assert find_link(way.desk, one.token) == one.link
    revoke(way.desk, one.link.id)
    assert find_link(way.desk, one.token) is None
    again = invite(way.desk, way.round.id, "rater", "Ann")
    assert again.link.rater_id == one.link.rater_id
    assert again.token != one.token


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "tone-judge"])
def test_names_that_nobody_can_have_are_refused(tmp_path: Path, name: str) -> None:
    way = begun(tmp_path, metrics=("kind",))
    with pytest.raises(UserError):
        invite(way.desk, way.round.id, "rater", name)


@pytest.mark.parametrize("names", [("R2", "R1"), ("Ann", "R1"), ("R3", "Ann", "R1", "Bo")])
def test_people_who_are_called_by_codes_stay_apart_in_any_order(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    desk = open_desk(write_study(tmp_path))
    begun_ = begin(desk, BeginOptions(raters=dict.fromkeys(names, 0), metrics=("kind",)))
    codes = {name: one.link.rater_id for name, one in zip(names, begun_.raters, strict=True)}
    assert len(set(codes.values())) == len(names)
    assert all(code == name for name, code in codes.items() if name.startswith("R"))
    assert begun_.n_labels == 2 * len(desk.study.items)


def test_one_person_by_name_and_by_code_is_refused(tmp_path: Path) -> None:
    way = begun(tmp_path, metrics=("kind",), names=("Ann",))
    with pytest.raises(UserError, match="Ann and R1 are one person"):
        begin(way.desk, BeginOptions(raters={"Ann": 0, "R1": 0}, metrics=("kind",)))
    assert len(way.desk.rounds()) == 1
