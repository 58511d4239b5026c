"""A rater's own list and what stands in each form are those of the last acts."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review.studies import UnderWay, begun
from voirdire.review.answers import Answer, Sent, asked_of, current, save_draft, submit
from voirdire.review.log import Cell, Event, record
from voirdire.review.own_list import Standing, following, own_list, standing

LABELS = st.sampled_from(["pass", "fail", "not sure"])
ACTS = st.lists(
    st.tuples(st.sampled_from(["draft", "submit", "again"]), st.integers(1, 4), LABELS), max_size=15
)


@pytest.fixture
def round_(tmp_path: Path) -> UnderWay:
    return begun(tmp_path / "study", names=("Ann", "Bo"), metrics=("kind",), items=4)


@pytest.fixture(scope="module")
def shared_round() -> Iterator[UnderWay]:
    with tempfile.TemporaryDirectory() as folder:
        yield begun(Path(folder) / "study", names=("Ann",), metrics=("kind",), items=4)


def test_the_list_holds_what_was_asked_and_what_was_handed_in(round_: UnderWay) -> None:
    ann = round_.people["Ann"].link.rater_id
    places = {one.cell.item_id: one.place for one in asked_of(round_.desk, round_.round.id, ann)}
    round_.say("Ann", "i2", "kind", "pass")
    round_.say("Ann", "i2", "kind", "fail")
    round_.say("Ann", "i0", "kind")
    round_.say("Bo", "i1", "kind", "pass")
    entries = {entry.asked.cell.item_id: entry for entry in own_list(round_.desk, round_.round.id, ann)}
    assert [entry.asked.place for entry in own_list(round_.desk, round_.round.id, ann)] == [1, 2, 3, 4]
    assert (entries["i2"].revision, entries["i2"].labels) == (2, ("fail",))
    assert (entries["i0"].done, entries["i0"].labels) == (True, ())
    assert not entries["i1"].done
    left = sorted(places[item] for item in ("i1", "i3"))
    assert following(own_list(round_.desk, round_.round.id, ann)) == left[0]
    assert following(own_list(round_.desk, round_.round.id, ann), left[0]) == left[1]
    assert following(own_list(round_.desk, round_.round.id, ann), left[1]) == left[0]
    assert following([]) == 0


def test_what_was_taken_back_is_not_on_the_list_and_late_where_it_is_answered(round_: UnderWay) -> None:
    ann = round_.people["Ann"].link.rater_id
    cell = asked_of(round_.desk, round_.round.id, ann)[0].cell
    with round_.desk.transaction() as connection:
        record(connection, Event("withdrawn-1", "withdrawn", cell))
    assert cell not in [entry.asked.cell for entry in own_list(round_.desk, round_.round.id, ann)]
    (asked,) = asked_of(round_.desk, round_.round.id, ann, place=1, withdrawn=True)
    assert asked.withdrawn
    assert asked_of(round_.desk, round_.round.id, ann, place=1) == []
    assert submit(round_.desk, round_.round, asked, Answer(labels=["pass"]), Sent("act-late-1")).late


def test_an_answer_in_time_goes_before_a_late_one(round_: UnderWay) -> None:
    desk, ann = round_.desk, round_.people["Ann"].link.rater_id
    round_.say("Ann", "i0", "kind", "pass")
    for kind in ("closed", "reopened"):
        with desk.transaction() as connection:
            record(connection, Event(f"{kind}-0001", kind, Cell(round_.round.id, "")))
        if kind == "closed":
            round_.say("Ann", "i0", "kind", "fail")
            round_.say("Ann", "i1", "kind", "fail")
    entries = {entry.asked.cell.item_id: entry for entry in own_list(desk, round_.round.id, ann)}
    assert (entries["i0"].labels, entries["i0"].late) == (("pass",), False)
    assert (entries["i1"].labels, entries["i1"].late) == (("fail",), True)
    assert following(list(entries.values())) != 0
    first, second = (standing(desk, Cell(round_.round.id, ann, item, "kind")) for item in ("i0", "i1"))
    assert first.handed_in is not None
    assert (first.handed_in["labels"], first.late, first.pending) == (["pass"], False, True)
    assert (second.late, second.pending) == (True, False)
    only_late = [entry for entry in entries.values() if entry.done]
    assert following(only_late) == entries["i1"].asked.place
    round_.say("Ann", "i1", "kind", "fail")
    assert not standing(desk, Cell(round_.round.id, ann, "i1", "kind")).late


@given(acts=ACTS)
@settings(max_examples=25, deadline=None)
def test_what_stands_is_the_last_act_and_counts_are_those_of_new_acts(
    acts: list[tuple[str, int, str]], shared_round: UnderWay
) -> None:
    desk, ann = shared_round.desk, shared_round.people["Ann"].link.rater_id
    asked = {one.place: one for one in asked_of(desk, shared_round.round.id, ann)}
    was = {place: standing(desk, one.cell) for place, one in asked.items()}
    told: dict[int, list[tuple[str, str]]] = {place: [] for place in asked}
    for kind, place, label in acts:
        answer = Answer(labels=[label])
        key = f"{kind}-{sum(one.changes for one in was.values())}-{sum(map(len, told.values())):06d}"
        if kind == "draft":
            save_draft(desk, asked[place], answer, Sent(key))
        else:
            for _ in range(2 if kind == "again" else 1):
                submit(desk, shared_round.round, asked[place], answer, Sent(key))
        told[place].append((kind, label))
    last = current(desk, shared_round.round.id, ann)
    for place, one in asked.items():
        now = standing(desk, one.cell)
        submitted = [label for kind, label in told[place] if kind != "draft"]
        assert now.changes == was[place].changes + len(told[place])
        assert now.revision == was[place].revision + len(submitted)
        if told[place]:
            assert now.answer is not None
            assert now.answer["labels"] == [told[place][-1][1]]
        if now.revision:
            row = last[ann, one.cell.item_id, "kind"]
            assert row["revision"] == now.revision
            assert now.answer is not None
            assert now.pending == (row["labels"] != now.answer["labels"])


def test_nothing_stands_in_a_form_that_nobody_touched(round_: UnderWay) -> None:
    assert standing(round_.desk, Cell(round_.round.id, "R1", "i0", "kind")) == Standing()
