"""What judging took and what failed, counted by hand; and what a judge could see, from study to record."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import voirdire
from checks.studies import study
from judges.studies import JUDGE, write_study
from voirdire.checks.context import Context
from voirdire.checks.finding import Finding, Missing, Row
from voirdire.checks.judging import judging
from voirdire.checks.options import AuditOptions
from voirdire.judges.call import Reply, Request
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import run_plan
from voirdire.opening import open as open_study
from voirdire.store.sql import open_store
from voirdire.study import Metric, Rater, Scale, Study
from voirdire.study.asked import Asked
from voirdire.testing.clients import FakeClient, spread

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "schema" / "audit-1.json"
WARM = Metric("warm", Scale("binary", ("cold", "warm")))
PART = Metric("warm/greets", Scale("binary", ("no", "yes")))


def found(made: Study) -> Finding:
    finding = judging(Context(made, AuditOptions()))
    assert finding is not None
    return finding


def rows(finding: Finding, name: str) -> list[Row]:
    return [row for table in finding.tables if table.name == name for row in table.rows]


def taken(**columns: Sequence[str | None]) -> Study:
    """A person and a judge on four items; the columns belong to the judge's replies."""
    given: list[tuple[str | None, ...]] = [(f"i{k}", "warm", "ann", "warm") for k in range(4)]
    given += [(f"i{k}", "warm", "bot", "warm" if k else None) for k in range(4)]
    attributes = {name: [None, None, None, None, *values] for name, values in columns.items()}
    return study(given, [WARM], judges=["bot"], rating_attributes=attributes)


def test_sums_and_quantiles_are_those_of_the_replies() -> None:
    finding = found(
        taken(
            cost=["0.5", "0.25", "0.125", "0.125"],
            prompt_tokens=["100", "200", "300", "400"],
            completion_tokens=["1", "1", "1", "2"],
            latency=["1", "2", "3", "4"],
        )
    )
    (row,) = rows(finding, "judging")
    assert row.cells["cost"] == "1"
    assert row.cells["each"] == "250"
    assert row.cells["sent"] == "1,000"
    assert row.cells["received"] == "5"
    assert row.cells["median"] == "2.50"
    assert row.cells["slow"] == "3.85"
    assert finding.answer == "bot: 4 replies, 25\u00a0% without a verdict, cost 1."
    assert finding.data["bot"]["unparsed"] == 1  # type: ignore[index]


def test_what_is_known_of_some_replies_is_summed_over_those_and_said() -> None:
    finding = found(taken(cost=["0.5", None, "0.25", "free"]))
    (row,) = rows(finding, "judging")
    assert row.cells["cost"] == "0.75"
    assert row.cells["each"] == "375"
    assert isinstance(row.cells["sent"], Missing)
    assert "bot: sums are over the replies of which the figure is recorded." in finding.beware


def test_little_mass_on_the_labels_is_flagged_where_there_is_a_verdict() -> None:
    finding = found(taken(mass=["0.1", "0.3", "0.5", "1.0"]))
    (row,) = rows(finding, "judging")
    assert row.cells["thin"] == "1 of 3 (33\u00a0%)"
    assert "less than 50\u00a0% of the model's probability lay on the labels" in finding.beware[0]


def test_every_way_to_fail_has_a_column_of_its_own() -> None:
    made = taken(cost=["1"] * 4)
    status = made.ratings.status.copy()
    status[4:] = [4, 0, 5, 7]
    finding = found(replace(made, ratings=replace(made.ratings, status=status)))
    (row,) = rows(finding, "judging_failures")
    assert row.cells["ok"] == "1 of 4 (25\u00a0%)"
    failed = {name: row.cells[name] for name in ("unparsed", "refusal", "truncated", "invalid", "error")}
    assert failed == {"unparsed": 0, "refusal": 1, "truncated": 1, "invalid": 0, "error": 1}


def test_the_parts_of_a_verdict_do_not_count_again() -> None:
    given = [
        ("i0", "warm", "ann", "warm"),
        ("i0", "warm", "bot", "warm"),
        ("i0", "warm/greets", "bot", "yes"),
    ]
    made = study(given, [WARM, PART], judges=["bot"], rating_attributes={"cost": [None, "2", "1"]})
    assert rows(found(made), "judging")[0].cells["cost"] == "2"


def test_nothing_recorded_is_no_section() -> None:
    assert judging(Context(taken(), AuditOptions())) is None
    declared = Rater("bot", "judge", asked=Asked(sees=("text",)))
    made = taken()
    finding = found(replace(made, raters=(made.raters[0], declared)))
    assert [table.name for table in finding.tables] == ["judging_failures", "judge_records"]
    assert isinstance(rows(finding, "judge_records")[0].cells["reference"], Missing)


def judged(folder: Path, judge: str = JUDGE) -> Study:
    (folder / "tone.yaml").write_text(judge)

    def answer(request: Request) -> Reply:
        sure = spread({"warm": 0.6, "cold": 0.3}) if "number 3" not in request.text else spread({"warm": 0.2})
        return replace(sure, prompt_tokens=1000, completion_tokens=1, latency=0.25)

    with open_store(folder) as store:
        plan = make_plan(open_study(folder), load_judge(folder / "tone.yaml"), store)
        asyncio.run(run_plan(plan, store, client=FakeClient(answer)))
    return open_study(folder)


def test_a_run_leaves_the_record_of_who_judged_how_and_saw_what(tmp_path: Path) -> None:
    made = judged(write_study(tmp_path), JUDGE + "price: {input: 2, output: 4}\nfamily: tiny\n")
    (judge,) = (made.raters[code] for code in made.raters_of("judge"))
    assert (judge.model, judge.family) == ("small", "tiny")
    assert judge.asked is not None
    assert judge.asked.version == load_judge(tmp_path / "tone.yaml").version
    assert (judge.asked.sees, judge.asked.references, judge.asked.examples) == (("text",), (), False)
    assert "{{ item }}" in judge.asked.prompt
    finding = found(made)
    (record,) = rows(finding, "judge_records")
    assert record.cells["reference"] == "none: reference-free"
    assert record.cells["recipe"] == "rubric"
    (row,) = rows(finding, "judging")
    assert row.cells["cost"] == f"{10 * (1000 * 2 + 4) / 1e6:.4g}"
    assert row.cells["thin"] == "1 of 10 (10\u00a0%)"
    assert not set(made.items.attributes) & {"cost", "latency", "mass", "prompt_tokens", "presented"}


def test_a_reference_that_is_shown_is_named(tmp_path: Path) -> None:
    write_study(tmp_path)
    lines = (tmp_path / "texts.csv").read_text().splitlines()
    told = [f"{lines[0]},reference", *(f"{line},A kind reply number {k}" for k, line in enumerate(lines[1:]))]
    (tmp_path / "texts.csv").write_text("\n".join(told))
    made = judged(tmp_path, JUDGE + "sees: [text, reference]\n")
    (record,) = rows(found(made), "judge_records")
    assert record.cells["reference"] == "reference"
    assert record.cells["sees"] == "text, reference"


def test_what_study_yaml_says_of_a_judge_comes_first(tmp_path: Path) -> None:
    judged(write_study(tmp_path))
    text = (tmp_path / "study.yaml").read_text()
    (tmp_path / "study.yaml").write_text(text + "raters: {tone: {model: small-2, asked: {sees: text}}}\n")
    made = open_study(tmp_path)
    (judge,) = (made.raters[code] for code in made.raters_of("judge"))
    assert judge.model == "small-2"
    assert judge.asked == Asked(sees=("text",))


def test_the_record_is_in_the_documents(tmp_path: Path) -> None:
    audit = voirdire.audit(judged(write_study(tmp_path)), AuditOptions(resamples=100))
    document: dict[str, Any] = json.loads(json.dumps(audit.to_dict()))
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    (asked,) = (rater["asked"] for rater in document["study"]["raters"] if rater["kind"] == "judge")
    assert asked["recipe"] == "rubric"
    page = audit.to_html()
    assert "How was each judge asked, what did it take, and what failed?" in page
    assert asked["version"] in page


@pytest.mark.parametrize("column", ["cost", "latency", "mass"])
def test_figures_that_are_no_numbers_are_not_counted(column: str) -> None:
    assert judging(Context(taken(**{column: ["-1", "inf", "nan", "x"]}), AuditOptions())) is None
