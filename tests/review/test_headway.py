"""A rater's headway is what the rater's own list says, counted in the database."""

from __future__ import annotations

import random
from pathlib import Path

from review.studies import begun
from voirdire.review.answers import asked_of
from voirdire.review.assigning import withdraw
from voirdire.review.headway import Headway, headway
from voirdire.review.own_list import following, own_list


def test_headway_agrees_with_the_list_whatever_was_answered_changed_skipped_or_taken_back(
    tmp_path: Path,
) -> None:
    way = begun(tmp_path, items=7)
    chance = random.Random(5)
    rater = way.people["Ann"].link.rater_id
    asked = asked_of(way.desk, way.round.id, rater)
    assert headway(way.desk, way.round.id, rater) == Headway(0, 14, tuple(range(1, 15)))
    for one in chance.sample(asked, 9):
        labels = [] if chance.random() < 0.3 else ["not sure"]
        for _ in range(chance.randint(1, 3)):
            way.say("Ann", one.cell.item_id, one.cell.metric, *labels)
    for one in chance.sample(asked, 4):
        withdraw(way.desk, one.cell)
    way.say("Bo", "i0", "kind", "pass")
    entries = own_list(way.desk, way.round.id, rater)
    found = headway(way.desk, way.round.id, rater)
    assert (found.done, found.total) == (sum(entry.done for entry in entries), len(entries))
    assert 0 < found.done < found.total < 14
    for after in range(16):
        assert found.next_place(after) == following(entries, after)


def test_nothing_is_left_where_all_is_done_or_nothing_is_asked(tmp_path: Path) -> None:
    way = begun(tmp_path, names=("Ann",), metrics=("kind",), items=2)
    for item in way.desk.study.items.ids:
        way.say("Ann", item, "kind", "pass")
    assert headway(way.desk, way.round.id, way.people["Ann"].link.rater_id).next_place() == 0
    assert headway(way.desk, way.round.id, "nobody") == Headway(0, 0, ())
