"""People are known by a code that is nobody else's, and a link is theirs until it is withdrawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from review.studies import begun
from voirdire.errors import UserError
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
