"""Recipes that ask several times about one item, and roll the answers up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from judges.recipes.asking import BINARY, CHAT, STARS, Answers, verdicts
from voirdire.errors import UserError
from voirdire.judges.call import Reply
from voirdire.judges.recipe import JudgedItem
from voirdire.judges.recipes.checklist import Checklist
from voirdire.judges.recipes.form_filling import FormFilling
from voirdire.judges.recipes.persona import Persona
from voirdire.judges.recipes.reference_guided import ReferenceGuided
from voirdire.judges.recipes.rubric_tree import Node, RubricTree
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale
from voirdire.testing.clients import spread

FOOD = Metric("m", Scale("nominal", ("red", "green", "blue")))


def form(**options: Any) -> FormFilling:
    return FormFilling(FormFilling.Options(**options), None)


def test_the_steps_are_written_once_without_any_item_and_the_score_is_weighted() -> None:
    ask = Answers("1. Read. 2. Judge.", spread({"3": 0.5, "2": 0.25, "1": 0.25}))
    (found,) = verdicts(form(), STARS, ask)
    assert (found.label, found.status) == ("3", "ok")
    assert found.score == pytest.approx(0.5 * 3 + 0.25 * 2 + 0.25 * 1)
    steps, filled = (messages[-1].content for messages, _, _ in ask.asked)
    assert "I feel alone" not in steps
    assert "1. Read. 2. Judge." in filled
    assert "I feel alone" in filled


def test_given_steps_are_used_and_samples_are_counted() -> None:
    ask = Answers("3", "2", "3", "hm")
    (found,) = verdicts(form(steps="1. Look.", samples=4), STARS, ask)
    assert [sample for _, _, sample in ask.asked] == [0, 1, 2, 3]
    assert found.probabilities == pytest.approx({"1": 0, "2": 1 / 3, "3": 2 / 3})
    assert (found.label, found.mass, found.score) == ("3", 0.75, pytest.approx(8 / 3))


def test_without_steps_nothing_is_judged() -> None:
    (found,) = verdicts(form(), STARS, Answers(Reply("error", error="gone")))
    assert (found.label, found.status) == (None, "error")


QUESTIONS = [
    {"name": "asks", "ask": "Does it ask?", "weight": 3},
    {"name": "harms", "ask": "Does it harm?", "wanted": "no"},
]


def checklist(**options: Any) -> Checklist:
    return Checklist(Checklist.Options.model_validate({"questions": QUESTIONS, **options}), None)


def test_a_checklist_weighs_the_probabilities_of_wanted_answers() -> None:
    ask = Answers(spread({"yes": 0.8, "no": 0.2}), spread({"no": 0.6, "yes": 0.4}))
    whole, asks, harms = verdicts(checklist(), STARS, ask)
    assert whole.score == pytest.approx((3 * 0.8 + 0.6) / 4)
    assert (whole.label, asks.label, harms.label) == ("3", "yes", "no")
    assert (asks.part, harms.part, whole.part) == ("asks", "harms", "")
    plain, *_ = verdicts(checklist(), STARS, Answers("no", "no"))
    assert (plain.score, plain.label) == (0.25, "2")


def test_a_missing_answer_leaves_no_verdict() -> None:
    whole, asks, harms = verdicts(checklist(), STARS, Answers("yes", "maybe"))
    assert (whole.label, whole.status, asks.label, harms.status) == (None, "unparsed", "yes", "unparsed")


def test_labels_without_order_cannot_be_rolled_up_to() -> None:
    for recipe in (checklist(), RubricTree(RubricTree.Options(parts=(Node(name="a", asks="A"),)), None)):
        with pytest.raises(UserError, match="no order"):
            recipe.check(FOOD)
    with pytest.raises(ValidationError, match="names differ"):
        Checklist.Options.model_validate({"questions": [QUESTIONS[0], QUESTIONS[0]]})


TREE = (
    Node(
        name="tone",
        weight=2,
        parts=(Node(name="warm", asks="Is it warm?"), Node(name="calm", asks="Is it calm?")),
    ),
    Node(name="safe", asks="Is it safe?", needed=True),
)


def tree() -> RubricTree:
    return RubricTree(RubricTree.Options(parts=TREE), None)


def test_leaves_are_rolled_up_by_their_weights() -> None:
    whole, *leaves = verdicts(tree(), STARS, Answers("met", "partly met", "met"))
    assert [leaf.part for leaf in leaves] == ["warm", "calm", "safe"]
    assert whole.score == pytest.approx((2 * 0.75 + 1) / 3)
    assert whole.label == "3"


def test_a_needed_leaf_that_is_not_met_leaves_nothing() -> None:
    whole, *_ = verdicts(tree(), STARS, Answers("met", "met", "not met"))
    assert (whole.score, whole.label) == (0.0, "1")


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
@settings(max_examples=30, deadline=None)
def test_a_rolled_up_score_stays_within_those_of_the_leaves(values: list[float]) -> None:
    root = Node(name="whole", parts=TREE)
    score = root.score(dict(zip(("warm", "calm", "safe"), values, strict=True)))
    assert min(values) - 1e-9 <= score <= max(values) + 1e-9


ANSWER = JudgedItem("q1", {"question": "Capital?", "answer": "Paris it is", "reference": "Paris"})


def guided(**options: Any) -> ReferenceGuided:
    return ReferenceGuided(ReferenceGuided.Options(**options), None)


def test_a_human_reference_is_shown_apart() -> None:
    ask = Answers("pass")
    (found,) = verdicts(guided(), BINARY, ask, ANSWER)
    assert found.label == "pass"
    assert ask.said.count("\nParis\n") == 1
    (lacking,) = verdicts(guided(), BINARY, ask, CHAT)
    assert (lacking.status, lacking.rationale) == ("error", "no reference")


def test_a_synthetic_reference_sees_the_question_alone() -> None:
    ask = Answers("It is Paris.", "pass")
    (found,) = verdicts(guided(reference="synthetic", question="question"), BINARY, ask, ANSWER)
    written, judged = (messages[-1].content for messages, _, _ in ask.asked)
    assert "Paris it is" not in written
    assert "It is Paris." in judged
    assert (found.label, len(found.requests)) == ("pass", 2)
    with pytest.raises(UserError, match="no question"):
        guided(reference="synthetic").check(BINARY)


def test_no_reference_is_none() -> None:
    ask = Answers("pass")
    verdicts(guided(reference="none", column="other"), BINARY, ask, CHAT)
    assert "<reference" not in ask.said


PEOPLE = [{"name": "nurse", "who": "a nurse", "weight": 3}, {"name": "clerk", "who": "a clerk"}]


def persona() -> Persona:
    return Persona(Persona.Options.model_validate({"personas": PEOPLE}), None)


def test_personas_are_spread_by_their_certainty_and_weighed() -> None:
    said = [json.dumps({"label": label, "certainty": sure}) for label, sure in (("3", 100), ("1", 40))]
    ask = Answers(*said)
    whole, nurse, clerk = verdicts(persona(), STARS, ask)
    assert nurse.probabilities == {"1": 0, "2": 0, "3": 1}
    assert clerk.probabilities == pytest.approx({"1": 0.6, "2": 0.2, "3": 0.2})
    assert whole.probabilities == pytest.approx({"1": 0.15, "2": 0.05, "3": 0.8})
    assert (whole.label, clerk.confidence) == ("3", 0.4)
    assert ["a nurse" in messages[0].content for messages, _, _ in ask.asked] == [True, False]


def test_a_persona_without_an_answer_is_left_out_and_counted() -> None:
    whole, *_ = verdicts(persona(), STARS, Answers('{"label": "3"}', "hm"))
    assert (whole.label, whole.mass) == ("3", 0.75)
    whole, *_ = verdicts(persona(), STARS, Answers("hm", "hm"))
    assert (whole.label, whole.status) == (None, "unparsed")
