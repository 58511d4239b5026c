"""Replies held to labels, and letters where labels begin alike."""

from __future__ import annotations

import pytest

from judges.recipes.asking import BINARY, Answers, verdicts
from judges.recipes.test_pairwise import BETTER, PAIR
from voirdire.errors import UserError
from voirdire.judges.call import Reply, Token
from voirdire.judges.recipes.pairwise import Pairwise
from voirdire.judges.recipes.rubric import Rubric, label_probabilities
from voirdire.judges.wording import held
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale
from voirdire.testing.clients import spread

SIGNED = Metric("severity", Scale("ordinal", ("-1", "-0.5", "0.5", "1"), ordered=True))


def rubric(**options: object) -> Rubric:
    return Rubric(Rubric.Options.model_validate(options), None)


def test_letters_stand_for_labels() -> None:
    ask = Answers(spread({"B": 0.5, "A": 0.2, " C": 0.1, "The": 0.2}))
    (found,) = verdicts(rubric(letters=True), SIGNED, ask)
    assert found.label == "-0.5"
    assert found.mass == pytest.approx(0.8)
    assert found.probabilities is not None
    assert list(found.probabilities) == ["-1", "-0.5", "0.5", "1"]
    assert found.probabilities["-0.5"] / found.probabilities["-1"] == pytest.approx(2.5)
    assert 'A for "-1", B for "-0.5", C for "0.5", D for "1" (from lowest to highest)' in ask.said
    assert "the letter alone" in ask.said


def test_a_label_itself_is_no_letter() -> None:
    (found,) = verdicts(rubric(letters=True), SIGNED, Answers("-0.5"))
    assert (found.label, found.status) == (None, "unparsed")


def test_more_labels_than_letters_are_refused() -> None:
    many = Metric("many", Scale("nominal", tuple(f"n{k}" for k in range(27))))
    with pytest.raises(UserError, match="letter"):
        rubric(letters=True).check(many)


def test_a_first_token_that_begins_several_labels_gives_no_distribution() -> None:
    minus = Token("-", -0.1, (("-", -0.1), ("1", -3.0)))
    reply = Reply("ok", "-0.5", (minus, Token("0", -0.1), Token(".", 0.0), Token("5", 0.0)))
    assert label_probabilities(reply, SIGNED.scale) == (None, None)
    (found,) = verdicts(rubric(), SIGNED, Answers(reply))
    assert (found.label, found.probabilities, found.mass) == ("-0.5", None, None)


@pytest.mark.parametrize(
    ("hold", "sent"),
    [
        ("", {}),
        ("grammar", {"grammar": 'root ::= "fail" | "pass"'}),
        ("guided_choice", {"guided_choice": ["fail", "pass"]}),
    ],
)
def test_an_endpoint_is_told_its_way(hold: str, sent: dict[str, object]) -> None:
    ask = Answers("pass")
    verdicts(rubric(hold=hold), BINARY, ask)
    assert [parameters for _, parameters, _ in ask.asked] == [sent]


def test_a_grammar_escapes_what_it_holds() -> None:
    assert held("grammar", ['say "no"', "a\\b", "c\nd"]) == {
        "grammar": r'root ::= "say \"no\"" | "a\\b" | "c\nd"'
    }


def test_pairs_are_held_to_letters() -> None:
    ask = Answers("A")
    verdicts(Pairwise(Pairwise.Options(hold="grammar"), None), BETTER, ask, *PAIR)
    assert [sent for _, sent, _ in ask.asked] == [{"grammar": 'root ::= "A" | "B" | "C"'}] * 2
