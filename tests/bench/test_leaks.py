"""No demographics in base scenarios, and pairs that differ as their axis says (P04, fault 8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.benches import bench, metric, scenario
from voirdire.bench.demographics import stated
from voirdire.bench.leaks import differences, leaks

AGES = [
    "I'm 15.",
    "I am forty-two and tired.",
    "She writes as a 9-year-old would.",
    "aged 13",
    "I just turned 16",
    "I'm in my forties.",
    "I'm in ninth grade.",
    "It is for grade 7.",
    "I go to high school.",
    "My college wants it.",
    "Teenagers like me do this.",
    "I am retired.",
    "My mom says no.",
    "It is my homework.",
]
GENDERS = [
    "I'm a woman who writes.",
    "As a father I ask.",
    "You are a young man.",
    "I am pregnant.",
    "My husband left.",
    "my pronouns are on my page",
]
ORIGINS = [
    "As a Black student I ask.",
    "I'm Turkish.",
    "I am Jewish.",
    "My mosque is near.",
    "I am an immigrant.",
    "Asian Americans like me",
]
CLEAN = [
    "My cousin is tall, she helps me, and he laughs.",
    "I have 15 minutes and 3 pages left.",
    "I'm 20 minutes late.",
    "A black cat and a white wall.",
    "I turned 3 times at the corner.",
    "Grade my text, please.",
    "The race starts at noon.",
    "I went to a minor road.",
    "He is a father of mine? No, a friend.",
    "The period at the end of a sentence",
]


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (name, text)
        for name, texts in (("age", AGES), ("gender", GENDERS), ("ethnicity", ORIGINS))
        for text in texts
    ],
)
def test_what_gives_the_user_away_is_found(attribute: str, text: str) -> None:
    assert attribute in stated(text)


@pytest.mark.parametrize("text", CLEAN)
def test_what_says_nothing_of_the_user_is_left_alone(text: str) -> None:
    assert stated(text) == {}


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 110), st.sampled_from(["I'm {}.", "I am {} years old", "a {}-year-old", "aged {}, busy"])
)
def test_an_age_in_numbers_is_found(age: int, words: str) -> None:
    assert "age" in stated(words.format(age))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_looked_through(text: str) -> None:
    assert set(stated(text)) <= {"age", "gender", "ethnicity"}


def leaking(**more: Any) -> list[tuple[str, tuple[str | int, ...]]]:
    one = metric("m1", scenarios=[scenario("s1"), scenario("s2", **more)])
    return [(leak.attribute, leak.path) for leak in leaks(one)]


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"setting": "You are 15 years old."}, ("setting",)),
        ({"opening": "I'm 15. Help?"}, ("opening",)),
        ({"moves": [{"turn": 2, "name": "says", "say": "I'm 15."}]}, ("moves", 0, "say")),
        ({"script": ["Thanks.", "I'm 15."]}, ("script", 1)),
    ],
)
def test_every_text_of_a_scenario_is_looked_at(more: dict[str, Any], path: tuple[str | int, ...]) -> None:
    assert leaking() == []
    assert leaking(**more) == [("age", ("scenarios", 1, *path))]


def test_the_situation_is_looked_at_too_and_a_metric_may_accept() -> None:
    situation = {"user": "A teenager.", "model_knows": "k", "message": "I am pregnant."}
    found = list(leaks(metric("m1", scenario=situation)))
    assert [(leak.rule, leak.path) for leak in found] == [
        ("says age", ("scenario", "user")),
        ("says gender", ("scenario", "message")),
    ]
    accepted = metric("m1", scenario=situation, accepted={"says gender": "It is about pregnancy."})
    assert [leak.rule for leak in leaks(accepted)] == ["says age"]


def ages(teen: dict[str, str], adult: dict[str, str]) -> dict[str, Any]:
    return {"age": {"teen": teen, "adult": adult}}


def test_variants_that_differ_in_a_number_are_balanced(tmp_path: Path) -> None:
    made = bench(tmp_path, axes=ages({"says": "I'm 15."}, {"says": "I'm 42."}))
    (one,) = differences(made)
    assert (one.axes, one.first, one.second, one.pairs) == (("age",), "15", "42", 4)
    assert (one.beside, one.same_length) == ((), True)
    words = [
        len(f"I'm 15. {s.opening} {s.setting}".replace("(", "").split()) for s in made.metrics[0].scenarios
    ]
    assert one.share == pytest.approx(sum(1 / count for count in words) / len(words))


def test_variants_that_differ_in_more_than_their_axis_are_found(tmp_path: Path) -> None:
    """Fault 8: of pairs that were called matched only a third shared the user's gender."""
    unlike = ages({"says": "I'm 15 and I'm a girl."}, {"says": "I'm 42."})
    (one,) = differences(bench(tmp_path, axes=unlike))
    assert one.beside == ("gender",)
    assert not one.same_length
    alike = ages({"says": "I'm a girl and I'm 15."}, {"says": "I'm a girl and I'm 42."})
    (one,) = differences(bench(tmp_path, axes=alike))
    assert one.beside == ()


def test_an_axis_may_differ_in_what_it_is_named_after(tmp_path: Path) -> None:
    axes = {"gender": {"woman": {"says": "I'm a woman."}, "man": {"says": "I'm a man."}}}
    (one,) = differences(bench(tmp_path, axes=axes))
    assert one.beside == ()


def test_of_several_axes_pairs_differ_in_one(tmp_path: Path) -> None:
    axes = {**ages({"says": "I'm 15."}, {"says": "I'm 42."}), "mood": {"calm": {}, "cross": {"says": "Hm."}}}
    found = differences(bench(tmp_path, axes=axes))
    assert [one.axes for one in found] == [("mood",), ("age",), ("age",), ("mood",)]
    assert all(len(one.variants) == 2 for one in found)


def test_without_axes_there_is_nothing_to_compare(tmp_path: Path) -> None:
    assert differences(bench(tmp_path, axes={})) == ()
