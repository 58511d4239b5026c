"""The key of each label: in the order in which labels are seen, and never another number than the label's."""

from __future__ import annotations

import pytest

from voirdire.errors import UserError
from voirdire.review.answers import Asked
from voirdire.review.log import Cell
from voirdire.review.settings import OfferedScale, offered_scale
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale
from voirdire.web.review.items import _options


def keys(scale: OfferedScale, *options: str, presented: str = "") -> dict[str, str]:
    """The keys of labels that are offered in the order of ``options``."""
    asked = Asked(Cell("round-1", "R1", "i0", "m"), 1, options, presented, "")
    return {option.value: option.key for option in _options(scale, asked)}


def ordinal(*labels: str) -> OfferedScale:
    values = tuple(float(k) for k in range(len(labels)))
    return offered_scale(Metric("m", Scale("ordinal", labels, True, values)), borderline=True)


def test_verdicts_are_numbered_before_what_lies_between_them() -> None:
    scale = offered_scale(
        Metric(
            "m",
            Scale(
                "ordinal",
                ("fail", "borderline", "pass"),
                True,
                (0.0, 1.0, 2.0),
                {"borderline": ("fail", "pass")},
            ),
        )
    )
    found = keys(scale, "fail", "borderline", "pass", "not sure")
    assert list(found.items()) == [("fail", "1"), ("pass", "2"), ("borderline", "3"), ("not sure", "U")]


@pytest.mark.parametrize("order", [("1", "2", "3", "4"), ("4", "3", "2", "1")])
def test_a_number_has_its_own_digit_from_whichever_end_the_scale_is_shown(order: tuple[str, ...]) -> None:
    found = keys(ordinal("1", "2", "3", "4"), *order, "borderline", "not sure")
    assert found == {"1": "1", "2": "2", "3": "3", "4": "4", "borderline": "5", "not sure": "U"}
    assert tuple(found)[:4] == order


def test_a_number_without_a_digit_of_its_own_has_no_key() -> None:
    ten = [str(k) for k in range(11)]
    assert keys(ordinal(*ten), *ten, "not sure") == {
        **{one: one for one in ten[:10]},
        "10": "",
        "not sure": "U",
    }
    two = ("-2", "-1", "0", "1", "2")
    assert keys(ordinal(*two), *two) == {"-2": "", "-1": "", "0": "0", "1": "1", "2": "2"}


def test_sides_are_numbered_from_left_to_right_and_a_tie_is_offered_where_the_scale_has_it() -> None:
    three, two = (
        offered_scale(Metric("m", Scale("pairwise", labels)))
        for labels in (("first", "second", "tie"), ("first", "second"))
    )
    offered = ("tie", "first", "second", "not sure")
    assert list(keys(three, *offered, presented="ba")) == ["second", "tie", "first", "not sure"]
    assert keys(two, *offered[1:], presented="ab") == {"first": "1", "second": "2", "not sure": "U"}


def test_a_pairwise_scale_of_other_names_is_refused_before_anybody_is_asked() -> None:
    with pytest.raises(UserError, match="first and second"):
        offered_scale(Metric("m", Scale("pairwise", ("left", "right", "tie"))))
