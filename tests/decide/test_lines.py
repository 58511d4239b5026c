"""Prose for a terminal: it stays within its columns and loses no word."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.decide.lines import WIDTH, assumed, folded

WORD = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=30)


@given(st.lists(WORD, max_size=60), st.sampled_from(["", "- "]))
@settings(max_examples=60, deadline=None)
def test_folding_keeps_every_word_within_the_columns(words: list[str], bullet: str) -> None:
    lines = folded(" ".join(words), bullet=bullet)
    assert all(len(line) <= WIDTH for line in lines)
    assert (bullet + " ".join(words)).split() == " ".join(lines).split() or not words


def test_a_long_word_is_not_broken_and_control_characters_are_blanks() -> None:
    path = "x" * (WIDTH + 20)
    assert folded(f"see {path}") == ["see", path]
    assert folded("a\x1b[31mb") == ["a [31mb"]


def test_the_last_assumptions_come_first_and_the_rest_is_counted() -> None:
    lines = assumed([f"note {k}" for k in range(8)])
    assert lines[:3] == ["", "Assumed, and 3 more in --json", "- note 7"]
    assert len(lines) == 7
    assert assumed([]) == []
