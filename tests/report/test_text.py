"""The terminal summary leads with the answer and fits one screen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from report import examples
from voirdire.checks.finding import Action
from voirdire.report.text import text

MADE = [examples.full, examples.hostile, examples.sixty, examples.no_judge, examples.no_people]


@pytest.mark.parametrize("make", MADE)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 40)])
def test_the_summary_fits_one_screen(make: Any, width: int, height: int) -> None:
    lines = text(make(), width=width, height=height).splitlines()
    assert len(lines) < height
    assert max(map(len, lines)) <= width


def test_the_answer_comes_first_and_the_no_before_the_open() -> None:
    shown = text(examples.full(), width=100, height=40)
    assert shown.index("Not yet.") < shown.index("■ No") < shown.index("● Yes") < shown.index("◌ Cannot tell")
    assert "Second expert on the single-rated items (126 labels)" in shown


def test_rows_that_do_not_fit_are_counted() -> None:
    shown = text(examples.sixty(), width=80, height=24)
    open_rows = shown.count("◌ Cannot tell")
    assert f"and {60 - open_rows} more rows" in shown
    assert open_rows >= 3


def test_without_a_judge_the_other_answers_are_shown() -> None:
    of = examples.study(judges=())
    shown = text(examples.audit(of, (), [examples.raters_finding(["ann"])]), width=80, height=24)
    assert "Who differs? Ann is stricter than the others." in shown


def test_nothing_in_a_text_can_move_the_cursor() -> None:
    of = examples.study(name="x", demo="")
    shown = text(examples.audit(of, answer="Yes.\x1b[2J\r\x07 done [red]"), width=80, height=24)
    assert "\x1b" not in shown
    assert "\r" not in shown
    assert "[red]" in shown


def test_a_long_action_keeps_to_one_line() -> None:
    of = examples.audit(examples.study())
    long = replace(of, actions=tuple(Action("word " * 60, "why", "9 labels") for _ in range(3)))
    lines = text(long, width=80, height=24).splitlines()
    assert [line[:6] for line in lines[-3:]] == ["1 word", "2 word", "3 word"]
