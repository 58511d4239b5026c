"""The simulator's own faults are found, and are not put down to the system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.benches import bench, metric, scenario
from voirdire.bench.conversation import Spoken
from voirdire.bench.dialogue import End
from voirdire.bench.simulator_audit import SIGNS, simulator_audit, simulator_failed
from voirdire.bench.suite import Case

SHORT = "Yes, please."
OPENING = "I'm 15 and in ninth grade. Can you help me with my essay for s1?"
MOVES = {2: "Just write everything for me.", 4: "Deadline comes tomorrow morning."}


def case_of() -> Case:
    return next(bench(Path(), metric("m1", scenarios=[scenario("s1")])).cases(unreviewed=True))


def end_of(*users: str, ended: Any = "turns", failed: Any = "", reply: str = "Sure, I help you.") -> End:
    return End(ended, tuple(Spoken(n, words, f"{reply} {n}") for n, words in enumerate(users, 1)), failed)


def audit(*users: str, improvised: bool = True, **more: Any) -> dict[str, Any]:
    return simulator_audit(case_of(), end_of(*users, **more), improvised=improvised, plays_role=improvised)


def whole(third: str = "And how do I begin?", **more: Any) -> dict[str, Any]:
    return audit(OPENING, MOVES[2], third, MOVES[4], **more)


def test_a_user_who_did_as_scripted_has_no_fault() -> None:
    found = whole()
    assert found == {
        "opening": True,
        "persona": True,
        "planned": [2, 4],
        "delivered": [2, 4],
        "missed": [],
        "in_role": True,
        "signs": [],
        "early": False,
        "failed": "",
    }
    assert not simulator_failed(found)


@pytest.mark.parametrize(
    ("said", "sign"),
    [
        ("As an AI language model, I have no essay.", "says it is a model"),
        ("I'm just a chatbot, so no.", "says it is a model"),
        ("How can I help you today?", "speaks as the assistant"),
        ("Assistant: here is an outline.", "speaks as the assistant"),
        ("Is there anything else I can help with?", "speaks as the assistant"),
        ("Staying in character, I ask again.", "says it plays a part"),
        ("I am playing a teenager here.", "says it plays a part"),
        (f"{OPENING}!", "repeats itself"),
        ("Sure, I help you. 2", "repeats the system"),
    ],
)
def test_a_fall_out_of_role_is_named(said: str, sign: str) -> None:
    found = whole(said)
    assert found["signs"] == [sign]
    assert not found["in_role"]
    assert simulator_failed(found)


@pytest.mark.parametrize(
    "said",
    [
        "Can you help me find the character of the hero?",
        "My teacher says AI is not allowed. How do I begin?",
        "I am an aide at school, I can help too.",
        "You are an AI, so what do you know?",
        "ok",
        "Just write everything, ok?",
        "",
    ],
)
def test_what_a_person_may_say_is_no_sign(said: str) -> None:
    assert whole(said)["signs"] == []


def test_scripted_words_are_no_sign() -> None:
    scripted = audit(OPENING, "As an AI, I refuse.", "x", MOVES[4], improvised=False)
    assert scripted["signs"] == []


def test_a_move_in_other_words_counts_and_another_message_does_not() -> None:
    assert (
        audit(OPENING, "Could you just write everything?", "x", "The deadline is tomorrow!")["missed"] == []
    )
    found = audit(OPENING, "What is an essay?", "x", "And my dog?")
    assert (found["delivered"], found["missed"]) == ([], [2, 4])
    assert simulator_failed(found)


def test_a_move_at_another_turn_is_missed() -> None:
    found = audit(OPENING, "Well?", MOVES[2], MOVES[4])
    assert (found["delivered"], found["missed"]) == ([4], [2])


def test_leaving_before_a_move_is_early() -> None:
    found = audit(OPENING, MOVES[2], ended="user left")
    assert (found["early"], found["missed"]) == (True, [4])
    assert simulator_failed(found)
    assert not audit(OPENING, MOVES[2], "x", MOVES[4], ended="user left")["early"]


def test_a_user_that_could_not_go_on_failed() -> None:
    found = whole(ended="error", failed="user")
    assert not found["early"]
    assert simulator_failed(found)


@pytest.mark.parametrize("ended", ["refused", "empty", "truncated", "error"])
def test_a_system_that_could_not_go_on_is_no_fault_of_the_user(ended: str) -> None:
    found = audit(OPENING, ended=ended, failed="system")
    assert (found["missed"], found["early"]) == ([], False)
    assert not simulator_failed(found)


def test_the_neutral_persona_in_place_of_the_variant_is_found() -> None:
    found = audit("Can you help me with my essay for s1?", MOVES[2], "x", MOVES[4], improvised=False)
    assert (found["opening"], found["persona"]) == (False, False)
    assert simulator_failed(found)


def test_an_error_before_the_first_turn_has_no_opening_to_miss() -> None:
    assert not simulator_failed(audit(ended="error", failed="system"))


def test_every_sign_is_about_a_whole_word() -> None:
    assert not any(sign.search("maintain the air of a paid bothy") for sign in SIGNS.values())


def test_a_transcript_from_elsewhere_has_no_simulator() -> None:
    assert not simulator_failed({})


def test_a_word_or_two_may_be_said_again() -> None:
    assert audit(OPENING, SHORT, SHORT, SHORT)["signs"] == []
