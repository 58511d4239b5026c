"""A table of finished verdicts is read strictly: no spelling is guessed, no polarity turned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from voirdire.bench.finished import read_outcomes
from voirdire.bench.outcomes import MISSING
from voirdire.errors import UserError

HEAD = "metric,polarity,area,subarea,benchmark,model,scenario,age,present,passed"
ROWS = (
    "m1,positive,A,S,B,x,1,teen,1,1",
    "m1,positive,A,S,B,x,1,adult,0,0",
    "m2,negative,A,S,B,x,1,teen,1,0",
    "m2,negative,A,S,B,x,1,adult,0,1",
)


def table(folder: Path, *rows: str, head: str = HEAD) -> Path:
    file = folder / "verdicts.csv"
    file.write_text("\n".join([head, *rows]) + "\n")
    return file


def test_a_table_is_read_into_outcomes(tmp_path: Path) -> None:
    outcomes = read_outcomes(table(tmp_path, *ROWS))
    assert outcomes.passed.tolist() == [1, 0, 0, 1]
    assert (outcomes.systems, outcomes.variants) == (("x",), ("age=teen", "age=adult"))
    assert outcomes.axes == ({"age": "teen"}, {"age": "adult"})
    assert [metric.polarity for metric in outcomes.metrics] == ["positive", "negative"]
    assert outcomes.ids == ()


@pytest.mark.parametrize(
    ("spelled", "sign"),
    [
        *((word, 0) for word in ("false", "False", "0", "absent", "no")),
        *((word, 1) for word in ("true", "1", "PRESENT", "yes")),
        *((word, MISSING) for word in ("", "NA", "null")),
    ],
)
def test_the_word_false_is_no_truth_and_nothing_is_neither(tmp_path: Path, spelled: str, sign: int) -> None:
    head = HEAD.removesuffix(",passed")
    outcomes = read_outcomes(table(tmp_path, f"m1,positive,A,S,B,x,1,teen,{spelled}", head=head))
    assert outcomes.present.tolist() == [sign]
    assert (outcomes.lacking > 0).tolist() == [sign == MISSING]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["m1,positive,A,S,B,x,1,teen,maybe,1"], "'maybe' is no verdict"),
        (["m1,positive,A,S,B,x,1,teen,2,1"], "'2' is no verdict"),
        (["m1,good,A,S,B,x,1,teen,1,1"], "polarity 'good'"),
        (["m1,positive,A,S,B,x,1,teen,1,0"], "verdict and polarity say otherwise in 1 rows"),
        ([*ROWS[:2], "m2,negative,A,S,B,x,1,teen,1,1"], "say otherwise"),
        ([ROWS[0], "m1,negative,A,S,B,x,1,adult,0,1"], "metric 'm1' has polarity 'negative' here"),
        ([ROWS[0], "m1,positive,A,S,C,x,1,adult,0,0"], "metric 'm1' has benchmark 'C' here"),
        ([ROWS[0], ROWS[0]], "stands there twice"),
        (["m1,positive,A,S,B,all systems,1,teen,1,1"], "system 'all systems'"),
    ],
)
def test_what_cannot_be_is_refused_with_its_row(tmp_path: Path, rows: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said) as problem:
        read_outcomes(table(tmp_path, *rows))
    assert "row" in str(problem.value)


def test_a_column_that_lacks_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no column 'polarity'"):
        read_outcomes(
            table(tmp_path, "m,A,S,B,x,1,1", head="metric,area,subarea,benchmark,model,scenario,present")
        )
    with pytest.raises(UserError, match="no column 'gone'"):
        read_outcomes(table(tmp_path, *ROWS), columns={"system": "gone"})
    with pytest.raises(UserError, match="no column 'mood'"):
        read_outcomes(table(tmp_path, *ROWS), axes=["mood"])


def test_other_names_repeats_and_no_axis(tmp_path: Path) -> None:
    head = "metric,polarity,area,subarea,benchmark,bot,scenario,repeat,opportunity,present"
    rows = ["m1,positive,A,S,B,x,1,0,1,1", "m1,positive,A,S,B,x,1,1,0,0"]
    told: dict[str, Any] = {"columns": {"system": "bot"}}
    outcomes = read_outcomes(table(tmp_path, *rows, head=head), **told)
    assert outcomes.repeat.tolist() == [0, 1]
    assert outcomes.opportunity.tolist() == [1, 0]
    assert (outcomes.variants, outcomes.axes) == (("neutral",), ({},))
