"""One rater beside the others: figures with and without, against the same computed by hand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from review.studies import UnderWay, begun
from voirdire.review.agreement import agreement_so_far
from voirdire.review.one_rater import one_rater
from voirdire.stats import krippendorff_alpha

ITEMS = 8
LABELS = ("pass", "fail", "borderline")


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> UnderWay:
    made = begun(tmp_path_factory.mktemp("one") / "study", items=ITEMS)
    draw = random.Random(5)
    for k in range(ITEMS):
        for name in made.people:
            made.say(name, f"i{k}", "kind", draw.choice(LABELS))
    for k in range(3):
        made.say("Ann", f"i{k}", "clear", str(k + 1))
    return made


def table(way: UnderWay, names: tuple[str, ...]) -> list[list[int]]:
    draw = random.Random(5)
    rows = [[LABELS.index(draw.choice(LABELS)) for _ in way.people] for _ in range(ITEMS)]
    return [[row[list(way.people).index(name)] for name in names] for row in rows]


def test_alpha_without_a_rater_is_that_of_the_others_alone(way: UnderWay) -> None:
    kind = next(one for one in one_rater(way.desk, way.round, "R3") if one.metric == "kind")
    assert kind.alpha == agreement_so_far(way.desk, way.round)["kind"].alpha
    assert kind.alpha.value == pytest.approx(krippendorff_alpha(table(way, ("Ann", "Bo", "Cleo"))))
    assert kind.without.value == pytest.approx(krippendorff_alpha(table(way, ("Ann", "Bo"))))
    assert kind.n_labels == ITEMS


def test_the_share_of_same_labels_is_that_of_the_pairs_with_the_others(way: UnderWay) -> None:
    kind = next(one for one in one_rater(way.desk, way.round, "R1") if one.metric == "kind")
    rows = table(way, ("Ann", "Bo", "Cleo"))
    same = [[mine == other for other in others] for mine, *others in rows]
    assert kind.same.value == pytest.approx(sum(sum(row) / 2 for row in same) / ITEMS)
    assert 0 <= kind.same.low <= kind.same.high <= 1


def test_what_nobody_shares_has_no_figure(way: UnderWay) -> None:
    clear = next(one for one in one_rater(way.desk, way.round, "R1") if one.metric == "clear")
    assert {one.undefined for one in (clear.alpha, clear.without, clear.same, clear.kappa)} == {
        "no_pairable_items"
    }


def test_a_rater_without_labels_and_a_round_without_any_give_nothing(tmp_path: Path, way: UnderWay) -> None:
    assert one_rater(way.desk, way.round, "R9") == ()
    empty = begun(tmp_path / "study")
    assert one_rater(empty.desk, empty.round, "R1") == ()
