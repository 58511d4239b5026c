"""What a plan would take, as a judge's file limits its replies."""

from __future__ import annotations

from pathlib import Path

import pytest

from judges.studies import JUDGE, write_study
from voirdire.judges.asking import REPLY_TOKENS
from voirdire.judges.estimate import Estimated, estimate
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import whole_plan
from voirdire.opening import open as open_study


def estimated(folder: Path, parameters: str, metrics: tuple[str, ...] = ()) -> Estimated:
    judge = folder / "tone.yaml"
    judge.write_text(JUDGE.replace("parameters: {", f"parameters: {{{parameters}, "))
    return estimate(whole_plan(open_study(folder), load_judge(judge), metrics=metrics))


@pytest.mark.parametrize(
    ("parameters", "each"),
    [
        ("max_tokens: 5", 5),
        ("max_completion_tokens: 7", 7),
        ("max_tokens: null, max_completion_tokens: 7", 7),
        ("max_tokens: null", REPLY_TOKENS),
    ],
)
def test_a_limit_counts_under_either_name(tmp_path: Path, parameters: str, each: int) -> None:
    found = estimated(write_study(tmp_path / "study"), parameters)
    assert (found.calls, found.completion_tokens) == (10, 10 * each)


def test_a_metric_named_twice_is_judged_once(tmp_path: Path) -> None:
    found = estimated(write_study(tmp_path / "study"), "max_tokens: 5", metrics=("warm", "warm"))
    assert (found.verdicts, found.calls) == (10, 10)
