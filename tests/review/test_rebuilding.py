"""Whatever raters do, however often and in whatever order, the event log alone holds every label."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sql
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from review.studies import UnderWay, begun
from voirdire.errors import UserError
from voirdire.review.answers import Answer, Sent, asked_of, current, rebuilt, save_draft, submit
from voirdire.review.assigning import Wanted, assign_to
from voirdire.review.log import Cell, Event, record
from voirdire.review.own_list import standing
from voirdire.review.rulings import Ruling, rule
from voirdire.store.review_schema import adjudications, events, labels

RATERS = ("R1", "R2")
CELLS = tuple(itertools.product(RATERS, ("i0", "i1"), ("kind", "clear")))
LABELS = {"kind": ("pass", "fail", "borderline", "not sure"), "clear": ("1", "4", "not sure")}
TEXT = st.text(st.characters(codec="utf-8"), max_size=8)  # NUL too

acts = st.one_of(
    st.tuples(
        st.sampled_from(["draft", "submit"]),
        st.sampled_from(CELLS),
        st.integers(0, 3),
        TEXT,
        st.integers(0, 9),
    ),
    st.tuples(st.just("skip"), st.sampled_from(CELLS), st.just(0), TEXT, st.integers(0, 9)),
    st.tuples(st.just("sets"), st.sampled_from(CELLS), st.just(0), TEXT, st.integers(0, 9)),
    st.tuples(
        st.sampled_from(["close", "reopen"]), st.just(CELLS[0]), st.just(0), st.just(""), st.integers(0, 9)
    ),
    st.tuples(st.just("withdraw"), st.sampled_from(CELLS), st.just(0), st.just(""), st.integers(0, 9)),
)


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> UnderWay:
    return begun(tmp_path_factory.mktemp("acts"), names=("Ann", "Bo"), sets=["kind"])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(acts, max_size=14))
def test_labels_can_be_rebuilt_from_the_log(way: UnderWay, done: Sequence[Any]) -> None:
    desk = way.desk
    round_ = desk.new_round(way.round.settings)
    assign_to(desk, round_, [Wanted(*cell) for cell in CELLS])
    kept: list[tuple[tuple[str, str, str], list[str], bool]] = []
    used: set[tuple[str, int]] = set()
    for kind, cell, number, text, key in done:
        asked = next(
            one
            for one in asked_of(desk, round_.id, cell[0], withdrawn=True)
            if (one.cell.item_id, one.cell.metric) == cell[1:]
        )
        open_ = desk.round(round_.id).is_open
        sent = Sent(f"key-{key:04d}", said_at="2099-01-01", seconds=1.5 * number)
        if kind in ("close", "reopen", "withdraw"):
            name = {"close": "closed", "reopen": "reopened", "withdraw": "withdrawn"}[kind]
            with desk.transaction() as connection:
                where = Cell(round_.id, *cell) if kind == "withdraw" else Cell(round_.id, "")
                record(connection, Event(f"{kind}-{len(kept)}-{key}", name, where))
            continue
        chosen = LABELS[cell[2]]
        answer = Answer(
            labels=list(chosen[:2]) if kind == "sets" else [chosen[number % len(chosen)]] * (kind != "skip"),
            skipped=kind == "skip",
            comment=text,
            cites=[number + 1, 1],
            challenge="hard" if number else "",
        )
        if kind == "draft":
            save_draft(desk, asked, answer, sent)
            used.add((cell[0], key))
            continue
        refused = kind == "sets" and cell[2] == "clear"
        try:
            receipt = submit(desk, desk.round(round_.id), asked, answer, sent)
        except UserError:
            assert refused or (cell[0], key) in used
            continue
        assert not refused
        if (cell[0], key) not in used:
            kept.append((cell, sorted(answer.labels), asked.withdrawn or not open_))
            assert receipt.late == kept[-1][2]
        used.add((cell[0], key))
    rows = desk.store.rows(sql.select(labels).where(labels.c.round_id == round_.id))
    again = rebuilt(desk, round_)
    order = ("rater_id", "item_id", "metric", "revision")
    assert sorted(again, key=lambda row: [row[name] for name in order]) == sorted(
        rows, key=lambda row: [row[name] for name in order]
    )
    found = [
        ((row["rater_id"], row["item_id"], row["metric"]), sorted(row["labels"]), row["late"])
        for row in again
    ]
    assert found == kept
    last = {cell: said for cell, said, late in kept if not late}
    assert {cell: sorted(row["labels"]) for cell, row in current(desk, round_.id, late=False).items()} == last
    for cell in CELLS:
        stands = standing(desk, Cell(round_.id, *cell))
        assert (stands.answer is None) <= (cell not in {one for one, *_ in kept})


def test_rulings_and_their_events_hold_the_same(way: UnderWay) -> None:
    desk = way.desk
    said = [
        Ruling(kind="label", label="pass", reason="Why \x00 not."),
        Ruling(kind="contested"),
        Ruling(kind="rubric", reason="Say whose."),
    ]
    for number, ruling in enumerate([*said, said[0]]):
        key = f"ruling-{number % 3}"
        rule(desk, way.round, Cell(way.round.id, "R9", "i0", "kind"), ruling, Sent(key))
    acts = desk.store.rows(sql.select(events).where(events.c.kind == "ruled").order_by(events.c.number))
    rows = desk.store.rows(sql.select(adjudications).order_by(adjudications.c.revision))
    assert [row["ruling"] for row in rows] == ["label", "contested", "rubric"]
    assert [
        (row["ruling"], row["label"] or "", row["reason"], row["event"], row["revision"]) for row in rows
    ] == [
        (
            act["document"]["kind"],
            act["document"]["label"],
            act["document"]["reason"],
            act["key"].rpartition("/")[2],
            number,
        )
        for number, act in enumerate(acts, start=1)
    ]
