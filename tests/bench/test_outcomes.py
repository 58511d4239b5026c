"""Polarity is applied in one place, and a missing verdict is never taken for either."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voirdire.bench
from bench.made import made, rated
from voirdire.bench.outcomes import MISSING, passes

SIGNS = st.lists(st.tuples(st.sampled_from([1, 0, -1]), st.sampled_from([1, 0])), max_size=50)


@settings(max_examples=60, deadline=None)
@given(SIGNS)
def test_polarity_makes_the_round_trip(rows: list[tuple[int, int]]) -> None:
    present = np.array([row[0] for row in rows], dtype=np.int8)
    wanted = np.array([row[1] for row in rows], dtype=np.int8)
    passed = passes(present, wanted)
    np.testing.assert_array_equal(passes(passed, wanted), present)
    np.testing.assert_array_equal(passed == MISSING, present == MISSING)
    turned = passes(present, 1 - wanted)
    known = present != MISSING
    np.testing.assert_array_equal(turned[known], 1 - passed[known])


def test_present_passes_where_it_is_wanted_and_absent_where_it_is_not() -> None:
    verdicts = np.array([1, 0, -1]).reshape(1, 1, 1, 3, 1)
    assert made(verdicts, (rated("m"),)).passed.tolist() == [1, 0, -1]
    assert made(verdicts, (rated("m", "negative"),)).passed.tolist() == [0, 1, -1]


TURNING = (
    r'polarity\s*==\s*"negative"',
    r"1\s*-\s*\w*\.?present",
    r"(?:present|runs|sign|verdict)\S*\s*[!=]=\s*\S*(?:polarity|wanted)",
)
"""How code looks that turns a verdict into a pass."""


def test_no_other_module_turns_a_verdict_into_a_pass() -> None:
    folder = Path(voirdire.bench.__file__).parent
    texts = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.py")}
    found = {name for name, text in texts.items() if any(re.search(one, text) for one in TURNING)}
    # outcomes.py does it, and aggregate.py counts metrics by polarity
    assert found == {"outcomes.py", "aggregate.py"}


def test_rows_are_taken_with_all_that_belongs_to_them() -> None:
    outcomes = made(np.arange(8).reshape(1, 2, 2, 2, 1) % 2, (rated("m"),))
    few = outcomes.take(np.array([1, 6]))
    assert few.ids == ("c1", "c6")
    assert few.passed.tolist() == [1, 0]
    assert few.scenario.tolist() == [0, 1]


def test_a_missing_verdict_needs_its_reason() -> None:
    with pytest.raises(AssertionError, match="reason"):
        made(np.full((1, 1, 1, 1, 1), -1), (rated("m"),), lacking=np.zeros(1, dtype=np.int8))
