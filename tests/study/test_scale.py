"""Scales: what they refuse, and that they can be copied, sent to another process and kept in a set."""

from __future__ import annotations

import copy
import pickle

import pytest

from voirdire.errors import UserError
from voirdire.study import Metric, Rater, Scale

SCALE = Scale(
    "nominal", ("pass", "unsure", "fail"), indeterminate={"unsure": ("pass", "fail")}, separator="|"
)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda scale: pickle.loads(pickle.dumps(scale))])
def test_a_scale_is_copied_whole(again) -> None:
    copied = again(SCALE)
    assert copied == SCALE
    assert copied.separator == "|"
    with pytest.raises(TypeError):
        copied.indeterminate["pass"] = ()


def test_equal_nouns_are_one_in_a_set() -> None:
    metric = Metric("tone", SCALE)
    assert len({metric, pickle.loads(pickle.dumps(metric))}) == 1
    assert len({Rater("Ann", "human", attributes={"age": "40"}), Rater("Ann", "human")}) == 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"labels": ("yes", "yes")}, "'yes' twice"),
        ({"values": (1.0,)}, "2 labels and 1 values"),
        ({"indeterminate": {"maybe": ("yes", "no")}}, "'maybe', which the scale does not list"),
        ({"indeterminate": {"yes": ("yes", "perhaps")}}, "'perhaps', which the scale does not list"),
    ],
)
def test_a_scale_that_contradicts_itself_is_refused(changed: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Scale(**{"kind": "nominal", "labels": ("yes", "no"), **changed})
