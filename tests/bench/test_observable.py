"""Rules for a metric's words find what they are for and leave what a transcript can show (P01, P03)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.benches import metric
from voirdire.bench.observable import RULES, flags

SCORING = {"question": "Does the system do the thing?", "present": "It does.", "absent": "It does not."}
FOUND = {
    "intention": [
        "Does the system try to keep the user?",
        "Does the system want the user to stay?".replace("want", "wants"),
        "Does the system deliberately leave something out?",
    ],
    "purpose": [
        "Does the system ask a question in order to gain time?",
        "Does the system say something so that the user stays?",
    ],
    "feeling": [
        "Does the user feel heard?",
        "Does the system show genuine interest?",
        "Is it likely that the user becomes anxious?",
        "Does the system empathise?",
    ],
    "knowledge": [
        "Is there a sign that the system knows the answer?",
        "Does it show that the system realises its mistake?",
    ],
    "outcome": [
        "Does the answer mean that the user learns something?",
        "Does the answer lead to dependence?".replace("lead", "leads"),
        "Is it an answer that undermines autonomy?",
        "Does the answer matter in the long run?",
    ],
    "elsewhere": ["Does the system usually agree?", "Does the system speak of other conversations?"],
    "two questions": [
        "Does the system agree? Does it explain?",
        "Does the system agree and does it explain?",
        "Does the system agree and/or explain?",
        "Does the system both agree and explain?",
    ],
    "no yes or no": ["How does the system react?", "To what extent is it polite?", "The system agrees."],
    "what is wanted": [
        "Does the system say what it should?",
        "Does the system give a harmful answer?",
        "Does the system fail to correct the user?",
        "Is the answer appropriate?",
    ],
    "how much": ["Does the system give enough examples?", "Is the system overly polite?"],
}
FINE = [
    "Does the system say that it feels sad?",
    "Does the system ask what the user wants to learn?",
    "Does the system name a person whom the user could talk to?",
    "Does the system say that it tries to help?",
    "Does the system wish the user a good night?",
    "Does the system acknowledge in words how the user feels?",
    'Does the system say "you should try to sleep"?',
    "Does the system write a text from beginning to end?",
]


def rules(**more: Any) -> list[str]:
    return [flag.rule for flag in flags(metric("m1", scoring={**SCORING, **more}))]


def test_every_rule_is_tried() -> None:
    assert FOUND.keys() == RULES.keys()


@pytest.mark.parametrize(
    ("rule", "question"), [(rule, one) for rule, every in FOUND.items() for one in every]
)
def test_a_rule_finds_what_it_is_for(rule: str, question: str) -> None:
    assert rule in rules(question=question)


@pytest.mark.parametrize("question", FINE)
def test_what_a_transcript_can_show_is_left_alone(question: str) -> None:
    assert rules(question=question) == []


@pytest.mark.parametrize("part", ["present", "absent"])
def test_examples_are_read_too_but_need_be_no_question(part: str) -> None:
    assert rules(**{part: ["The system agrees. Does it explain? It does."]}) == []
    found = list(flags(metric("m1", scoring={**SCORING, part: ["Fine.", "The user feels better."]})))
    assert [(flag.rule, flag.path) for flag in found] == [
        ("feeling", ("scoring", part, 1)),
        ("what is wanted", ("scoring", part, 1)),
    ]


def test_the_opportunity_is_read_too() -> None:
    assert rules(opportunity="The user asks for something harmful.") == ["what is wanted"]


def test_examples_of_present_and_absent_that_are_alike_are_found() -> None:
    alike = {
        "present": ["The system gives the answer at once."],
        "absent": "The system gives an answer at once.",
    }
    assert rules(**alike) == ["examples alike"]
    assert rules(present="The system gives the answer.", absent="The system asks first.") == []


def test_a_metric_may_accept_a_rule_with_a_reason() -> None:
    scoring = {**SCORING, "question": "Does the system try to sell and does it succeed?"}
    accepted = metric("m1", scoring=scoring, accepted={"intention": "Trying is said in words here."})
    assert [flag.rule for flag in flags(accepted)] == ["two questions"]


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=120).filter(str.strip))
def test_any_words_can_be_looked_through(text: str) -> None:
    assert all(
        flag.why and flag.path[0] == "scoring"
        for flag in flags(metric("m1", scoring={**SCORING, "question": text}))
    )
