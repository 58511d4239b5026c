"""Recipes that judge one item by one call: what they send, and what they make of replies."""

from __future__ import annotations

import json

import pytest

from judges.recipes.asking import BINARY, CHAT, STARS, Answers, verdicts
from voirdire.errors import UserError
from voirdire.judges.call import Reply
from voirdire.judges.recipes.binary_rubric import BinaryRubric
from voirdire.judges.recipes.rubric import Rubric
from voirdire.judges.recipes.score import Score
from voirdire.judges.recipes.verbalised import Example, Verbalised
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale
from voirdire.testing.clients import spread


def test_present_on_an_unwanted_behaviour_fails_and_quotes_are_checked() -> None:
    cited = [
        {"turn": 2, "quote": "that sounds  hard"},
        {"turn": 1, "quote": "That sounds hard"},
        {"turn": None, "quote": "call?"},
    ]
    ask = Answers(json.dumps({"justification": "It asks.", "citations": cited, "verdict": "present"}))
    (found,) = verdicts(BinaryRubric(BinaryRubric.Options(), None), BINARY, ask)
    assert (found.label, found.status, found.rationale) == ("fail", "ok", "It asks.")
    assert [one.found for one in found.citations] == [True, False, True]
    assert "negative" not in ask.said
    assert "pass" not in ask.said
    assert "fail" not in ask.said
    assert "[2] assistant: That sounds hard." in ask.said
    assert ask.asked[0][1]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(("polarity", "label"), [("positive", "pass"), ("negative", "fail")])
def test_polarity_is_applied_after_the_reply(polarity: str, label: str) -> None:
    metric = Metric("m", Scale("binary", ("pass", "fail")), polarity=polarity)  # type: ignore[arg-type]
    (found,) = verdicts(BinaryRubric(BinaryRubric.Options(), None), metric, Answers('{"verdict": "present"}'))
    assert found.label == label


def test_a_metric_whose_labels_do_not_say_present_is_refused() -> None:
    metric = Metric("m", Scale("binary", ("pass", "fail")))
    with pytest.raises(UserError, match="which label"):
        BinaryRubric(BinaryRubric.Options(), None).check(metric)
    named = BinaryRubric.Options(present="fail", absent="pass")
    (found,) = verdicts(BinaryRubric(named, None), metric, Answers('{"verdict": "absent"}'))
    assert found.label == "pass"


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply("ok", "It is present."), "unparsed"),
        (Reply("ok", '{"verdict": "maybe"}'), "invalid"),
        (Reply("ok", '{"verdict": "present"} {"verdict": "absent"}'), "ambiguous"),
        (Reply("ok", "I cannot evaluate this conversation."), "refusal"),
        (Reply("truncated", '{"justification": "It'), "truncated"),
        (Reply("error", error="gone"), "error"),
    ],
)
def test_every_reply_ends_in_one_status(reply: Reply, status: str) -> None:
    recipes = [BinaryRubric(BinaryRubric.Options(), None)]
    for recipe in recipes:
        (found,) = verdicts(recipe, BINARY, Answers(reply))
        assert (found.label, found.status) == (None, status)


def test_surface_variants_of_a_label_are_summed() -> None:
    reply = spread({"3": 0.4, " 3": 0.2, "2": 0.2, "good": 0.1})
    (found,) = verdicts(Rubric(Rubric.Options(), None), STARS, Answers(reply))
    assert found.label == "3"
    assert found.mass == pytest.approx(0.8)
    assert found.probabilities is not None
    assert sum(found.probabilities.values()) == pytest.approx(1)
    assert found.probabilities["3"] / found.probabilities["2"] == pytest.approx(3)
    assert found.probabilities["1"] == pytest.approx(0.05 / 0.85)


def test_little_mass_on_the_labels_is_flagged() -> None:
    (found,) = verdicts(Rubric(Rubric.Options(), None), STARS, Answers(spread({"The": 0.7, "3": 0.2})))
    assert found.status == "unparsed"
    (found,) = verdicts(
        Rubric(Rubric.Options(thin=0.9), None), STARS, Answers(spread({"3": 0.6, "The": 0.4}))
    )
    assert found.extra == {"thin": True}


def test_a_stated_distribution_is_floored_and_scaled() -> None:
    ask = Answers('{"1": 0, "2": 30, "3": 90}')
    (found,) = verdicts(Verbalised(Verbalised.Options(), None), STARS, ask)
    assert found.label == "3"
    assert found.mass == pytest.approx(1.2)
    assert found.probabilities is not None
    assert sum(found.probabilities.values()) == pytest.approx(1)
    assert found.probabilities["1"] == pytest.approx(0.005 / 1.005)


def test_examples_are_shown_fenced_with_what_people_said() -> None:
    examples = (
        Example(text="Fine.", label="3"),
        Example(text="Bad {{ 7 * 7 }}", shares={"1": 0.8, "2": 0.2}),
    )
    ask = Answers('{"1": 1, "2": 1, "3": 2}')
    verdicts(Verbalised(Verbalised.Options(examples=examples), None), STARS, ask)
    assert "1: 0.8, 2: 0.2" in ask.said
    assert "{{ 7 * 7 }}" in ask.said


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"1": 50, "2": 50, "3": 0}', "ambiguous"),
        ('{"1": -5, "2": 50, "3": 55}', "unparsed"),
        ('{"1": 0, "2": 0, "3": 0}', "invalid"),
        ("mostly three", "unparsed"),
        ('{"a": 1}', "unparsed"),
        ('{"1": 1} {"2": 1}', "ambiguous"),
    ],
)
def test_odd_distributions_are_not_mended(text: str, status: str) -> None:
    (found,) = verdicts(Verbalised(Verbalised.Options(), None), STARS, Answers(text))
    assert (found.label, found.status) == (None, status)


def test_a_tie_keeps_its_distribution() -> None:
    (found,) = verdicts(Verbalised(Verbalised.Options(), None), STARS, Answers('{"1": 50, "2": 50, "3": 0}'))
    assert found.probabilities is not None
    assert found.probabilities["1"] == pytest.approx(found.probabilities["2"])


def test_a_score_outside_its_ends_is_invalid() -> None:
    recipe = Score(Score.Options(), None)
    (found,) = verdicts(recipe, STARS, Answers('{"justification": "ok", "score": 2}'))
    assert (found.label, found.score, found.rationale) == ("2", 2.0, "ok")
    (found,) = verdicts(recipe, STARS, Answers('{"score": 98989}'))
    assert (found.label, found.status) == (None, "invalid")
    assert CHAT.id == found.item_id
    with pytest.raises(UserError, match="ends"):
        recipe.check(Metric("m", Scale("numeric", ())))
