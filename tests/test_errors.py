"""Users' mistakes: one line each, all of a source at once, the same in another process."""

from __future__ import annotations

import pickle

import pytest

from voirdire.errors import SHOWN, Fault, UserError, UserErrors

FAULTS = [Fault("is empty", f"labels.csv, row {row}", "a name", "fill it in") for row in range(2, 40)]
MISTAKES = [
    UserError("no column 'labl'", where="labels.csv", expected="label", fix="did you mean 'label'?"),
    UserErrors(FAULTS[:1]),
    UserErrors(FAULTS),
    UserErrors(FAULTS[:2], total=1_000),
]


def test_a_fault_says_what_where_expected_and_fix() -> None:
    text = "labels.csv: no column 'labl'; expected label; fix: did you mean 'label'?"
    assert str(MISTAKES[0]) == text


def test_the_first_faults_are_listed_and_all_counted() -> None:
    lines = str(MISTAKES[3]).splitlines()
    assert (lines[0], len(lines), lines[-1]) == ("1,000 faults:", 4, "  ... and 998 more")
    assert len(str(MISTAKES[2]).splitlines()) == SHOWN + 2


@pytest.mark.parametrize("mistake", MISTAKES)
def test_another_process_hands_back_the_same_mistake(mistake: UserError) -> None:
    again = pickle.loads(pickle.dumps(mistake))
    assert (type(again), str(again), again.faults) == (type(mistake), str(mistake), mistake.faults)
    assert getattr(again, "total", None) == getattr(mistake, "total", None)
