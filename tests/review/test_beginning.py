"""The beginning of a round: who is asked for what, in which order, and what is refused."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from review.studies import write_study
from voirdire.errors import UserError
from voirdire.review.answers import asked_of
from voirdire.review.beginning import BeginOptions, begin
from voirdire.review.desk import Desk, open_desk
from voirdire.review.people import links_of

PLAN = ["item_id", "metric", "rater_id", "purpose", "stratum", "order", "sampling_probability"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return open_desk(write_study(tmp_path / "study", items=8))


def planned(path: Path, *rows: tuple[str, ...]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([PLAN, *rows])
    return path


def test_every_item_by_two_of_three_people(desk: Desk) -> None:
    begun = begin(desk, BeginOptions(metrics=("kind", "clear"), raters={"Ann": 0, "Bo": 0, "Cleo": 0}))
    asked = [asked_of(desk, begun.round.id, one.link.rater_id) for one in begun.raters]
    cells = Counter((one.cell.item_id, one.cell.metric) for mine in asked for one in mine)
    assert begun.n_labels == 32
    assert set(cells.values()) == {2}
    assert max(map(len, asked)) - min(map(len, asked)) <= 1
    assert [one.place for one in asked[0]] == list(range(1, len(asked[0]) + 1))


def test_orders_are_each_raters_own_and_stay(desk: Desk) -> None:
    people = dict.fromkeys("ABCDEF", 0)
    begun = begin(desk, BeginOptions(metrics=("clear", "better"), raters=people, labels_an_item=6))
    asked = {one.link.rater_id: asked_of(desk, begun.round.id, one.link.rater_id) for one in begun.raters}
    again = {rater: asked_of(desk, begun.round.id, rater) for rater in asked}
    assert asked == again
    orders = {tuple((one.cell.item_id, one.cell.metric) for one in mine) for mine in asked.values()}
    assert len(orders) == 6
    scales = {one.options for mine in asked.values() for one in mine if one.cell.metric == "clear"}
    assert scales == {("1", "2", "3", "4", "not sure"), ("4", "3", "2", "1", "not sure")}
    shown = Counter(one.presented for mine in asked.values() for one in mine if one.cell.metric == "better")
    assert set(shown) == {"ab", "ba"}
    letters = {
        tuple(
            sorted(
                {
                    (desk.study.items.attributes["system"][desk.position[one.cell.item_id]], one.letter)
                    for one in mine
                }
            )
        )
        for mine in asked.values()
    }
    assert len(letters) == 2
    assert all({letter for _, letter in pairs} == {"A", "B"} for pairs in letters)


def test_a_load_is_kept_and_what_finds_nobody_is_said(desk: Desk) -> None:
    begun = begin(desk, BeginOptions(metrics=("kind",), raters={"Ann": 3, "Bo": 0}))
    assert begun.n_labels == 11
    assert any(note.startswith("5 labels find nobody") for note in begun.notes)


def test_a_plan_says_who_labels_what(desk: Desk, tmp_path: Path) -> None:
    rows = [("i1", "kind", "Ann", "floors", "overlap", "1", "0.25"), ("i2", "kind", "Bo", "", "", "2", "")]
    begun = begin(desk, BeginOptions(plan=planned(tmp_path / "plan.csv", *rows)))
    by_name = {one.link.name: one.link.rater_id for one in begun.raters}
    assert begun.n_labels == 2
    mine = asked_of(desk, begun.round.id, by_name["Ann"])
    assert [(one.cell.item_id, one.cell.metric, one.purpose) for one in mine] == [("i1", "kind", "floors")]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (("i99", "kind", "Ann", "", "", "1", ""), "row 2.*no item 'i99'"),
        (("i1", "kidn", "Ann", "", "", "1", ""), "row 2.*no metric 'kidn'.*kind"),
        (("i1", "kind", "Ann", "", "", "1", "2"), "sampling_probability is 2"),
        (("i1", "kind", "Ann", "", "", "1", "x"), "sampling_probability is 'x'"),
    ],
)
def test_a_wrong_plan_keeps_nothing(desk: Desk, tmp_path: Path, row: tuple[str, ...], what: str) -> None:
    with pytest.raises(UserError, match=what):
        begin(desk, BeginOptions(plan=planned(tmp_path / "plan.csv", row)))
    assert desk.rounds() == []
    assert links_of(desk) == []


def test_nobody_labels_their_own_work(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", items=6)
    texts = (folder / "texts.csv").read_text().splitlines()
    whose = ["author", *["Ann"] * 3, *["Bo"] * 3]
    lines, head = [], True
    for line in texts:
        # a made dialogue spans two lines, of which the second ends the row
        ends = head or line.count(",") >= 3
        lines.append(f"{line},{whose.pop(0)}" if ends else line)
        head = False
    (folder / "texts.csv").write_text("\n".join(lines))
    desk = open_desk(folder)
    begun = begin(desk, BeginOptions(metrics=("kind",), raters={"Ann": 0, "Bo": 0}))
    author = desk.study.items.attributes["author"]
    for one in begun.raters:
        mine = asked_of(desk, begun.round.id, one.link.rater_id)
        assert len(mine) == 3
        assert all(author[desk.position[each.cell.item_id]] != one.link.name for each in mine)
    plan = planned(tmp_path / "plan.csv", ("i0", "kind", "Ann", "", "", "1", ""))
    with pytest.raises(UserError, match="item 'i0' is the work of 'Ann'"):
        begin(desk, BeginOptions(plan=plan))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"metrics": ("kinds",)}, "no metric named 'kinds'"),
        ({"raters": {"Ann": 0}}, "2 labels an item by 1 raters"),
        ({"mode": "confirm", "judge": "gpt"}, "no judge 'gpt'.*tone-judge"),
        ({"sets": ("kinds",)}, "several labels on 'kinds'"),
        ({"shown": ("prompt",)}, "no column 'prompt'"),
        ({"shown": ("system",)}, "no .* may see 'system'"),
    ],
)
def test_wrong_options_keep_nothing(desk: Desk, options: dict[str, object], what: str) -> None:
    with pytest.raises(UserError, match=what):
        begin(desk, BeginOptions(**options))  # type: ignore[arg-type]
    assert desk.rounds() == []


@pytest.mark.parametrize("closes", ["tomorrow", "2026-01-01T00:00", "2020-01-01T00:00+00:00"])
def test_a_closing_time_is_a_time_to_come(closes: str) -> None:
    with pytest.raises(UserError):
        BeginOptions(closes_at=closes)


def test_a_person_of_the_study_is_not_asked_again(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", items=4)
    (folder / "labels.csv").write_text("item_id,metric,rater_id,label\ni0,kind,Ann,pass\ni1,kind,Ann,fail\n")
    yaml = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(yaml.replace("tables:\n", "tables:\n  - {file: labels.csv}\n"))
    desk = open_desk(folder)
    begun = begin(desk, BeginOptions(metrics=("kind",), labels_an_item=1))
    assert [one.link.rater_id for one in begun.raters] == ["Ann"]
    mine = asked_of(desk, begun.round.id, "Ann")
    assert {one.cell.item_id for one in mine} == {"i2", "i3"}
