"""The audit's sections on ranking systems and on judges that compete: what they say, and of what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import voirdire
from voirdire.checks.contest import contest, users_that_compete
from voirdire.checks.context import Context
from voirdire.checks.finding import Finding
from voirdire.checks.options import AuditOptions
from voirdire.checks.systems import orders_differ, ranked_systems, systems
from voirdire.stats import Estimate
from voirdire.study import Study


def context(study: Study) -> Context:
    return Context(study, AuditOptions())


def found(study: Study) -> Finding:
    one = systems(context(study))
    assert one is not None
    return one


def judged(
    judges: Mapping[str, Mapping[str, float]],
    *,
    n: int = 60,
    rates: tuple[float, float, float] = (0.35, 0.5, 0.65),
    **columns: Any,
) -> Study:
    """Systems a, b and c of true ``rates`` on the same prompts, three people who err on one in twenty.

    A judge passes what is good, and so many of a system's bad outputs; ``noise`` of its verdicts turn round.
    """
    rng = np.random.default_rng(4)
    rows = []
    for system, rate in zip("abc", rates, strict=True):
        for k in range(n):
            truth = k < rate * n
            said = {name: truth ^ bool(rng.random() < 0.05) for name in ("Ann", "Bo", "Cy")}
            for name, lifts in judges.items():
                passed = truth or bool(rng.random() < lifts.get(system, 0.0))
                said[name] = passed ^ bool(rng.random() < lifts.get("noise", 0.0))
            for name, passed in said.items():
                kind = "judge" if name in judges else "human"
                label = "pass" if passed else "fail"
                rows.append((f"{system}{k}", f"p{k}", system, name, kind, label, *columns.values()))
    names = ("item_id", "cluster", "system", "rater_id", "rater_kind", "label", *columns)
    return voirdire.open({name: [row[k] for row in rows] for k, name in enumerate(names)})


def test_a_judge_can_pass_the_replacement_test_and_rank_worst() -> None:
    # `fan` errs on one system only, so it is near each person item by item; `dim` errs everywhere alike
    study = judged({"fan": {"a": 0.4}, "dim": {"noise": 0.15}}, n=200, rates=(0.45, 0.5, 0.55))
    seen = context(study)
    ranked = ranked_systems(seen)
    assert ranked is not None
    by_judge = {one.judge: one for one in ranked.judged}
    assert by_judge["fan"].soft.value < by_judge["dim"].soft.value
    assert len(by_judge["fan"].contrary) >= 1
    said = list(orders_differ(seen, ranked.judged))
    assert any(
        "fan agrees with people most item by item" in one and "dim ranks systems most" in one for one in said
    )
    assert any("fan on label passes the replacement test by labels and still puts" in one for one in said)
    assert said[0] in found(study).answer


def test_judges_in_the_same_order_are_not_mentioned() -> None:
    study = judged({"good": {}, "dim": {"noise": 0.3}})
    seen = context(study)
    ranked = ranked_systems(seen)
    assert ranked is not None
    assert list(orders_differ(seen, ranked.judged)) == []


def test_tables_hold_what_the_result_holds() -> None:
    one = found(judged({"good": {}, "fan": {"a": 0.6}}))
    tables = {table.name: table for table in one.tables}
    assert set(tables) == {"rankings", "ranked", "pairs", "left_out"}
    ranking = {row.cells["judge"]: row.cells for row in tables["rankings"].rows}
    assert ranking["good"]["contrary"] == 0
    assert ranking["good"]["apart"] == "3, 3 of 3"
    assert isinstance(ranking["good"]["tau"], Estimate)
    bias = {(row.cells["judge"], row.cells["system"]): row.cells["bias"] for row in tables["ranked"].rows}
    fan = bias[("fan", "a")]
    assert isinstance(fan, Estimate)
    assert fan.low > 0.1
    assert next(row.evidence.where for row in tables["ranked"].rows if row.evidence) == (("system", "c"),)
    assert len(tables["left_out"].rows) == 2


def test_real_pairs_of_answers(mtbench: Study, pandalm: Study) -> None:
    one = found(mtbench)
    assert "of 14 pairs that people tell apart it orders 14 alike, 0 the other way" in one.answer
    assert any("Decisiveness" in sentence for sentence in one.beware)
    assert {table.name for table in found(pandalm).tables} == {"rankings", "ranked", "pairs", "left_out"}


def test_many_metrics_are_told_as_a_span(llm_rubric: Study) -> None:
    one = found(llm_rubric)
    assert one.answer.startswith("The rankings by judge and by people have a tau-b of")
    assert next(table for table in one.tables if table.name == "ranked").folded


def test_no_systems_or_nobody_to_compare_with_is_no_section(dices: Study) -> None:
    assert systems(context(dices)) is None
    assert contest(context(dices)) is None


def test_own_outputs_are_told_apart() -> None:
    one = contest(context(judged({"a": {"a": 0.7}})))
    assert one is not None
    assert one.answer.startswith("a errs for its own outputs on label: by 0.31 [")
    assert "too few other systems to tell it from other differences" in one.answer
    row = one.tables[0].rows[0].cells
    assert row["answer"] == "leans for its own"
    assert one.actions == ()


def test_a_faithful_judge_shows_none_and_a_small_sample_cannot_tell() -> None:
    fair = contest(context(judged({"a": {"noise": 0.05}}, n=200)))
    assert fair is not None
    assert "a shows no preference for its own outputs" in fair.answer
    few = contest(context(judged({"a": {"noise": 0.3}}, n=12)))
    assert few is not None
    assert "the sample cannot tell" in few.answer
    assert few.actions[0].what.startswith("Label ")
    assert few.actions[0].cost.endswith(" labels and others'")


def test_the_replica_names_what_would_settle_it(impactbench: Study) -> None:
    """A13: a contestant judge whose labelled sample does not name systems."""
    one = contest(context(impactbench))
    assert one is not None
    assert "not testable, the labelled sample is not stratified by system or family" in one.answer
    assert "about 256 labelled own outputs, and as many of others" in one.answer
    assert len(one.actions) == 2


@pytest.mark.parametrize("column", ["simulated_user", "user"])
def test_a_simulated_user_that_is_a_system_is_flagged_with_its_rank(column: str) -> None:
    """A12: the simulated user is a contestant too."""
    seen = context(judged({"judge-lm": {}}, **dict[str, Any]({column: "B"})))
    assert users_that_compete(seen) == ("b",)
    one = contest(seen)
    assert one is not None
    assert "The simulated user b, ranked 2 of 3 by the judge, is also one of the systems" in one.answer
    assert users_that_compete(context(judged({"judge-lm": {}}, **dict[str, Any]({column: "somebody"})))) == ()
