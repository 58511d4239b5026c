"""Fake judges do what their names say."""

from __future__ import annotations

import pytest

from voirdire.errors import UserError
from voirdire.testing import judges

LABELS = ("pass", "fail", "unsure")
TRUTH = ["pass", "fail", "unsure", "pass"] * 2500


def share(verdicts: list[str | None], label: str | None) -> float:
    return verdicts.count(label) / len(verdicts)


def test_always() -> None:
    assert set(judges.always("pass", 5)) == {"pass"}


def test_noisy_errs_as_often_as_asked_and_evenly() -> None:
    verdicts = judges.noisy(TRUTH, LABELS, accuracy=0.8, seed=1)
    right = sum(given == true for given, true in zip(verdicts, TRUTH, strict=True)) / len(TRUTH)
    assert right == pytest.approx(0.8, abs=0.02)
    wrong = [given for given, true in zip(verdicts, TRUTH, strict=True) if true == "pass" != given]
    assert share(wrong, "fail") == pytest.approx(0.5, abs=0.06)


def test_lenient_turns_a_share_towards_one_label() -> None:
    verdicts = judges.lean(["fail"] * 10_000, "pass", share=0.3, seed=2)
    assert share(verdicts, "pass") == pytest.approx(0.3, abs=0.02)


def test_position_bias_follows_the_order_shown() -> None:
    presented = ["ab", "ba"] * 5000
    verdicts = judges.prefer_first(["tie"] * 10_000, presented, share=0.4, seed=3)
    assert share(verdicts[0::2], "first") == pytest.approx(0.4, abs=0.03)
    assert share(verdicts[1::2], "second") == pytest.approx(0.4, abs=0.03)
    assert share(verdicts[0::2], "second") == share(verdicts[1::2], "first") == 0


def test_family_preference_touches_its_own_family_only() -> None:
    verdicts = judges.prefer_family(
        ["fail"] * 10_000, ["A", "B"] * 5000, "A", towards="pass", share=0.5, seed=4
    )
    assert share(verdicts[0::2], "pass") == pytest.approx(0.5, abs=0.03)
    assert share(verdicts[1::2], "pass") == 0


def test_copycat_repeats_the_majority_and_says_the_tie_label() -> None:
    labels = {"a": ["pass", "fail", "pass"], "b": ["fail", "pass"], "c": ["fail"], "d": []}
    assert judges.copy_majority(labels, tie="fail") == {"a": "pass", "b": "fail", "c": "fail", "d": "fail"}


def test_unparsed_replies_are_none() -> None:
    verdicts = judges.sometimes_unparsed(["pass"] * 10_000, share=0.1, seed=5)
    assert share(verdicts, None) == pytest.approx(0.1, abs=0.02)


def test_same_seed_same_verdicts() -> None:
    one, same, other = (judges.noisy(TRUTH, LABELS, accuracy=0.5, seed=seed) for seed in (1, 1, 2))
    assert one == same != other


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="accuracy is 2"):
        judges.noisy(["pass"], LABELS, accuracy=2, seed=1)
    with pytest.raises(UserError, match="true label 'Pass' is no label"):
        judges.noisy(["Pass"], LABELS, accuracy=0.5, seed=1)
    with pytest.raises(UserError, match="presented is 'aa'"):
        judges.prefer_first(["tie"], ["aa"], share=0.5, seed=1)
    with pytest.raises(UserError, match="share is -1"):
        judges.lean(["pass"], "fail", share=-1, seed=1)
