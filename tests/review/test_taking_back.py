"""What was taken back from a rater can be given back, and every place that counts assignments knows."""

from __future__ import annotations

from pathlib import Path

from review.studies import UnderWay, begun
from voirdire.review.answers import asked_of
from voirdire.review.assigning import Wanted, assign_to, withdraw
from voirdire.review.exporting import tables
from voirdire.review.headway import headway
from voirdire.review.log import Cell
from voirdire.review.panel import wanted_of
from voirdire.review.round_rows import rows_of


def counts(way: UnderWay, rater: str) -> set[int]:
    """How many labels ``rater`` is asked for, as each part of the pages counts them."""
    desk, name = way.desk, way.round.id
    export = tables(desk, name)["assignments"].columns
    columns = [export["rater_id"], export["withdrawn"]]
    return {
        len(asked_of(desk, name, rater)),
        headway(desk, name, rater).total,
        sum(row["rater_id"] == rater for row in rows_of(desk, name).asked),
        sum(cell[0] == rater for cell in wanted_of(desk, name)),
        sum(columns[0][k] == rater and columns[1][k] == "false" for k in range(len(columns[0]))),
    }


def test_what_was_taken_back_can_be_given_back_and_taken_back_again(tmp_path: Path) -> None:
    way = begun(tmp_path, names=("Ann", "Bo"), metrics=("kind",), items=4)
    ann = way.people["Ann"].link.rater_id
    cells = [Cell(way.round.id, ann, f"i{k}", "kind") for k in range(3)]
    places = {one.cell.item_id: one.place for one in asked_of(way.desk, way.round.id, ann)}
    assert counts(way, ann) == {4}
    withdraw(way.desk, *cells)
    assert counts(way, ann) == {1}
    wanted = [Wanted(ann, item, "kind") for item in ("i0", "i1", "i3")]
    assert assign_to(way.desk, way.round, wanted) == 2
    assert counts(way, ann) == {3}
    now = {one.cell.item_id: one.place for one in asked_of(way.desk, way.round.id, ann)}
    assert now == {item: places[item] for item in ("i0", "i1", "i3")}
    assert not way.say("Ann", "i0", "kind", "pass").late
    assert assign_to(way.desk, way.round, wanted) == 0
    withdraw(way.desk, cells[1])
    assert counts(way, ann) == {2}
