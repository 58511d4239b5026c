"""What needs the organiser: each concern from the numbers that call for it, and silence without them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from voirdire.review.agreement import Agreement
from voirdire.review.attention import Concern, Facts, concerns
from voirdire.review.gold import Score
from voirdire.review.progress import MetricProgress, Progress, RaterProgress, Shared
from voirdire.stats import Estimate, undefined

NAN = math.nan


def metric(labels: int = 100, **challenges: int) -> MetricProgress:
    return MetricProgress("m", labels, labels, 0, 0, 0, (0, 0, 0, 40), challenges)


def rater(name: str, **told: Any) -> RaterProgress:
    usual: dict[str, Any] = {"assigned": 40, "done": 40, "labels": 40, "seconds": 180.0, "gold": Score(9, 10)}
    return RaterProgress(rater_id=name, skips=0, unsure=0, borderline=0, **{**usual, **told})


def shared(*names: str, planned: int = 20) -> Shared:
    cells = tuple(tuple(planned for _ in names) for _ in names)
    return Shared(names, cells, cells)


def standing(*raters: RaterProgress, **told: Any) -> Progress:
    usual: dict[str, Any] = {"metrics": (), "planned": 100, "labels": 100, "skips": 0, "late": 0}
    usual["shared"] = shared(*(one.rater_id for one in raters))
    return Progress(raters=raters, **{**usual, **told})


def alpha(value: float, *, items: int = 40, course: tuple[float, ...] = ()) -> dict[str, Agreement]:
    found = undefined("no_variation") if math.isnan(value) else Estimate(value, value - 0.1, value + 0.1)
    return {"m": Agreement("m", found, items, course)}


def found(progress: Progress, told: dict[str, Agreement] | None = None, **more: Any) -> list[Concern]:
    return concerns(Facts(progress, told or {}, {"m": "Scaffolded learning"}, **more))


def test_a_round_that_goes_well_needs_nobody() -> None:
    progress = standing(rater("R1"), rater("R2"), metrics=(metric(none=90, unclear=10),))
    assert found(progress, alpha(0.8)) == []


def test_an_unclear_criterion_with_low_agreement_is_a_rubric_problem() -> None:
    progress = standing(metrics=(metric(unclear=40, ambiguous=5),))
    course = (NAN, 0.4, 0.3, 0.3, 0.2, 0.14)
    (one,) = found(progress, alpha(0.14, course=course))
    assert (one.kind, one.metric) == ("rubric", "m")
    assert one.what == "Scaffolded learning: raters call the criterion unclear"
    assert one.do.startswith("40 of 100 labels. α is 0.14 and falling.")


def test_ambiguous_items_under_a_clear_criterion_are_real_disagreement() -> None:
    (one,) = found(standing(metrics=(metric(unclear=4, ambiguous=36),)), alpha(0.38))
    assert one.kind == "disagreement"
    assert "36 of 100 labels, and 4 call the criterion unclear. α is 0.38." in one.do


@pytest.mark.parametrize(
    ("said", "value", "items"),
    [
        ({"unclear": 40}, 0.7, 40),
        ({"unclear": 24}, 0.1, 40),
        ({"hard": 90}, 0.1, 40),
    ],
)
def test_a_challenge_is_no_concern_where_people_agree_or_few_say_so(
    said: dict[str, int], value: float, items: int
) -> None:
    assert found(standing(metrics=(metric(**said),)), alpha(value, items=items)) == []


def test_a_challenge_on_a_handful_of_labels_waits() -> None:
    assert found(standing(metrics=(metric(19, unclear=19),)), alpha(0.1)) == []
    assert len(found(standing(metrics=(metric(20, unclear=19),)), alpha(0.1))) == 1


def test_no_figure_is_quoted_that_rests_on_too_few_items() -> None:
    (one,) = found(standing(metrics=(metric(unclear=40),)), alpha(0.1, items=4))
    assert "α" not in one.do
    (other,) = found(standing(metrics=(metric(unclear=40),)), alpha(NAN))
    assert "α" not in other.do


def test_a_hasty_rater_who_misses_gold_is_named_with_both_numbers() -> None:
    progress = standing(rater("R1"), rater("R2"), rater("R3", seconds=41.0, gold=Score(6, 10)))
    (one,) = found(progress)
    assert one.raters == ("R3",)
    assert one.what == "Rater R3 is fast and misses gold items"
    assert one.do.startswith("Median 41 s an item, the others 3:00 min; 6 of 10 gold items right. Ask before")


@pytest.mark.parametrize(
    "told",
    [
        {"seconds": 61.0},
        {"seconds": 20.0, "labels": 9},
        {"seconds": None},
        {"gold": Score(7, 10)},
        {"gold": Score(0, 4)},
    ],
)
def test_a_rater_within_bounds_or_with_few_answers_is_left_alone(told: dict[str, Any]) -> None:
    assert found(standing(rater("R1"), rater("R2"), rater("R3", **told))) == []


def test_pairs_that_share_nothing_are_named_and_many_are_counted() -> None:
    names = [f"R{k}" for k in range(1, 5)]
    progress = standing(*map(rater, names), shared=shared(*names, planned=0))
    told = found(progress)
    assert [one.kind for one in told] == ["apart"] * 4
    assert told[0].raters == ("R1", "R2")
    assert told[-1].what == "3 more pairs of raters share no item"
    left = [one for one in found(progress, withdrawn=["R1", "R2"]) if one.kind == "apart"]
    assert [one.raters for one in left] == [("R3", "R4")]


def test_labels_that_nobody_can_give_and_raters_who_have_not_begun() -> None:
    progress = standing(
        rater("R1"),
        rater("R2", done=10, labels=10),
        rater("R3", done=0, labels=0, seconds=None, gold=Score()),
        planned=120,
    )
    told = {one.kind: one for one in found(progress, withdrawn=["R2"])}
    assert told["unassigned"].what == "30 labels are asked of R2, whose link was withdrawn"
    assert told["waiting"].what == "R3 has not begun"
    assert "waiting" not in {one.kind for one in found(replace(progress, labels=50), withdrawn=["R2"])}


def test_late_answers_and_names_in_texts_are_told() -> None:
    told = {one.kind: one for one in found(standing(late=3), named={"omega-9b": 2, "alpha": 1})}
    assert told["late"].what == "3 answers came after the round had closed"
    assert told["unblinded"].what == "Texts of items name a system: “omega-9b” (2) and “alpha” (1)"
    assert next(iter(told)) == "unblinded"
