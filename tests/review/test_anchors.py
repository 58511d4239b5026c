"""A verdict is shown where a round asks to confirm it and nowhere else; others' labels after closing."""

from __future__ import annotations

from pathlib import Path

import pytest

from review.studies import UnderWay, begun, write_study
from voirdire.errors import UserError
from voirdire.review.anchors import Anchor, anchor, verdicts_on
from voirdire.review.desk import open_desk
from voirdire.review.log import Cell, Event, record
from voirdire.review.revealing import revealed


def closed(round_: UnderWay) -> UnderWay:
    with round_.desk.transaction() as connection:
        record(connection, Event("closed-0001", "closed", Cell(round_.round.id, "")))
    return UnderWay(round_.desk, round_.desk.round(round_.round.id), round_.people)


def test_the_verdict_to_confirm_is_the_named_judges_with_its_reasons(tmp_path: Path) -> None:
    round_ = begun(tmp_path / "study", names=("Ann",), mode="confirm", judge="tone-judge")
    assert anchor(round_.desk, round_.round, "i0", "kind") == Anchor("tone-judge", "fail")
    assert anchor(round_.desk, round_.round, "i1", "kind") == Anchor("tone-judge", "pass")
    assert anchor(round_.desk, round_.round, "i0", "clear") is None


def test_reasons_are_read_from_the_study(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study")
    rows = (folder / "verdicts.csv").read_text(encoding="utf-8").splitlines()
    told = [f"{row},because of {number}" for number, row in enumerate(rows[1:])]
    (folder / "verdicts.csv").write_text("\n".join([f"{rows[0]},rationale", *told]), encoding="utf-8")
    assert verdicts_on(open_desk(folder), "i2", "kind") == (Anchor("tone-judge", "pass", "because of 2"),)


def test_a_blind_round_has_nothing_to_confirm(tmp_path: Path) -> None:
    round_ = begun(tmp_path / "study", names=("Ann",), judge="tone-judge")
    assert anchor(round_.desk, round_.round, "i0", "kind") is None


def test_a_judge_that_the_study_does_not_have_is_a_users_error(tmp_path: Path) -> None:
    round_ = begun(tmp_path / "study", names=("Ann",), mode="confirm", judge="nobody")
    with pytest.raises(UserError, match=r"no judge 'nobody'.*tone-judge"):
        anchor(round_.desk, round_.round, "i0", "kind")


def test_others_are_shown_after_closing_and_only_where_the_round_says_so(tmp_path: Path) -> None:
    open_ = begun(tmp_path / "one", reveal=True)
    for name, labels in (("Ann", ["pass"]), ("Bo", ["fail"]), ("Cleo", ["fail"])):
        open_.say(name, "i0", "kind", *labels)
    open_.say("Bo", "i1", "kind")
    mine = Cell(open_.round.id, open_.people["Ann"].link.rater_id, "i0", "kind")
    assert revealed(open_.desk, open_.round, mine) is None
    done = closed(open_)
    found = revealed(done.desk, done.round, mine)
    assert found is not None
    assert found.people == (("fail", 2),)
    assert found.judges == (Anchor("tone-judge", "fail"),)
    skipped = revealed(done.desk, done.round, Cell(mine.round_id, mine.rater_id, "i1", "kind"))
    assert skipped is not None
    assert skipped.people == ()
    done.say("Bo", "i2", "kind", "pass")
    late = revealed(done.desk, done.round, Cell(mine.round_id, mine.rater_id, "i2", "kind"))
    assert late is not None
    assert late.people == ()
    silent = closed(begun(tmp_path / "two"))
    assert revealed(silent.desk, silent.round, Cell(silent.round.id, "R1", "i0", "kind")) is None
