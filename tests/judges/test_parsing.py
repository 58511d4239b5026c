"""Replies are read strictly; the awkward ones are from public bug reports (cases B17 to B23)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.judges.call import Reply
from voirdire.judges.parsing import labels_in, objects_in, read_answer, read_number
from voirdire.study.scale import Scale

GRADES = Scale("nominal", ("C", "P", "I"))
PASS_FAIL = Scale("binary", ("pass", "fail"))


@pytest.mark.parametrize("text", ["GRAND: C", "GRID: C", "**Answer: C**", "", "C or P", "CC"])
def test_what_is_no_answer_is_unparsed(text: str) -> None:
    assert read_answer(Reply("ok", text), GRADES).status == "unparsed"
    assert read_answer(Reply("ok", text), GRADES).label is None


@pytest.mark.parametrize(
    "text", ["C", " c\n", "**C**", '"C".', '{"label": "C"}', '```json\n{"label":"c"}\n```']
)
def test_a_label_alone_or_in_an_object_is_read(text: str) -> None:
    found = read_answer(Reply("ok", text), GRADES)
    assert (found.label, found.status) == ("C", "ok")


def test_two_different_verdicts_are_ambiguous_and_equal_ones_are_not() -> None:
    draft = 'Draft {"verdict":"fail"} … Final {"verdict":"pass"}'
    assert read_answer(Reply("ok", draft), PASS_FAIL, key="verdict").status == "ambiguous"
    twice = '{"verdict":"pass"} again {"verdict":"Pass"}'
    assert read_answer(Reply("ok", twice), PASS_FAIL, key="verdict").label == "pass"


@pytest.mark.parametrize(
    "text", ['{"label": "refused"}', "I can't evaluate this.", "I'm unable to judge that."]
)
def test_a_refusal_is_its_own_category(text: str) -> None:
    assert read_answer(Reply("ok", text), PASS_FAIL).status == "refusal"


def test_a_reply_that_was_cut_is_truncated_unless_its_label_is_whole() -> None:
    cut = '{"label":"pass","reason":"the ans'
    assert read_answer(Reply("truncated", cut), PASS_FAIL).status == "truncated"
    assert read_answer(Reply("truncated", '{"label":"pass"} because'), PASS_FAIL).label == "pass"


def test_a_label_outside_the_scale_is_invalid() -> None:
    found = read_answer(Reply("ok", '{"label": "excellent", "why": "so"}'), PASS_FAIL)
    assert (found.label, found.status, found.fields) == (None, "invalid", {"why": "so"})


@pytest.mark.parametrize(
    ("text", "value", "status"),
    [
        ("98989", None, "invalid"),
        ('{"score": 98989}', None, "invalid"),
        ("4", 4.0, "ok"),
        ('{"score": "4"}', 4.0, "ok"),
        ('{"score": true}', None, "invalid"),
        ('{"score": NaN}', None, "invalid"),
        ('{"score": 2} {"score": 3}', None, "ambiguous"),
        ("four", None, "unparsed"),
        ("[[4]]", None, "unparsed"),
    ],
)
def test_numbers_are_never_clamped(text: str, value: float | None, status: str) -> None:
    assert read_number(Reply("ok", text), low=1, high=5) == (value, status)


def test_what_stands_inside_a_broken_object_is_no_answer() -> None:
    cut = '{"draft": {"label": "pass"}, "label": "fa'
    assert read_answer(Reply("truncated", cut), PASS_FAIL).status == "truncated"
    assert (
        read_answer(Reply("ok", '{"draft": {"label": "pass"}, label: fail}'), PASS_FAIL).status == "unparsed"
    )
    assert read_answer(Reply("ok", 'From the set {a, b}: {"label": "fail"}'), PASS_FAIL).label == "fail"


def test_an_error_stays_an_error() -> None:
    assert read_answer(Reply("error", error="no"), PASS_FAIL).status == "error"
    assert read_number(Reply("error", error="no"), low=0, high=1) == (None, "error")
    assert read_answer(Reply("refusal", "pass"), PASS_FAIL).status == "refusal"


def test_numeric_labels_are_read_however_they_are_typed() -> None:
    scale = Scale("ordinal", ("1", "2"), ordered=True, values=(1.0, 2.0))
    for text in ('{"label": 1}', '{"label": 1.0}', '{"label": "1"}', "1"):
        assert read_answer(Reply("ok", text), scale).label == "1"
    truth = Scale("binary", ("true", "false"))
    assert read_answer(Reply("ok", '{"label": false}'), truth).label == "false"


def test_a_stated_distribution_is_taken_as_it_is() -> None:
    assert labels_in({"Pass": 0.7, "fail": "0.2"}, PASS_FAIL) == {"pass": 0.7, "fail": 0.2}
    assert labels_in({"pass": -1, "fail": 2}, PASS_FAIL) is None
    assert labels_in({"pass": "most"}, PASS_FAIL) is None


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_text_ends_in_one_status(text: str) -> None:
    found = read_answer(Reply("ok", text), PASS_FAIL)
    assert (found.label is None) == (found.status != "ok")
    objects_in(text)


@given(
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3),
    st.text("x ", max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_an_object_is_found_wherever_it_stands(value: dict[str, int | str], around: str) -> None:
    assert objects_in(f"{around}{json.dumps(value)}{around}") == [value]
