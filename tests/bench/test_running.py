"""A benchmark as one run: it makes what is lacking, stops without loss, and goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from bench.benches import bench, cast, scripted
from bench.runs import counted, run, scripted_judge
from voirdire.bench.manifest import run_called
from voirdire.bench.running import RunControl, headline_of, recorded, results_of_run
from voirdire.bench.simulating import Simulated
from voirdire.errors import UserError
from voirdire.judges.limits import Budget
from voirdire.judges.planning import Plan
from voirdire.judges.runner import Outcome, Stop
from voirdire.store.schema import verdicts
from voirdire.store.sql import open_store


def suite(folder: Path, **more: Any) -> Any:
    metrics = [counted("m1"), counted("m2", polarity="positive")]
    return bench(folder, *metrics, **{"repeats": 2, **more})


PLAYERS = cast(scripted("a", rate=0.25), scripted("b", rate=1))


def test_one_run_holds_judges_and_aggregates(tmp_path: Path) -> None:
    outcome = run(tmp_path, suite(tmp_path), PLAYERS)
    assert (outcome.simulated.made, outcome.stopped) == (32, "")
    ((name, judged),) = outcome.judged
    assert (name, judged.statuses) == ("j", {"ok": 32})
    results = outcome.results
    assert results is not None
    # planted: a at 1/4, b always; m1 is negative
    rates = {kind: results.rate(kind=kind, system=of) for kind in ("positive", "negative") for of in "a"}
    assert {kind: rate.share.value for kind, rate in rates.items() if rate} == {
        "positive": 0.25,
        "negative": 0.75,
    }
    assert json.loads(json.dumps(outcome.to_dict(), allow_nan=False))["run"] == "run-1"


def test_run_again_it_makes_nothing_and_is_the_same_run(tmp_path: Path) -> None:
    first = run(tmp_path, suite(tmp_path), PLAYERS)
    again = run(tmp_path, suite(tmp_path), PLAYERS)
    assert (again.simulated.made, again.judged[0][1].made) == (0, 0)
    assert again.run.name == first.run.name
    assert again.results is not None
    assert first.results is not None
    assert again.results.to_dict() == first.results.to_dict()


@pytest.mark.parametrize("after", [1, 20, 40])
def test_a_stop_at_any_point_loses_nothing(after: int, tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", suite(tmp_path), PLAYERS)
    stop, seen = Stop(), 0

    def count(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == after:
            stop()

    control = RunControl(stop=stop, simulating=count, judging=count)
    stopped = run(tmp_path / "cut", suite(tmp_path), PLAYERS, control=control)
    assert (stopped.stopped, stopped.results) == ("stopped", None)
    assert "goes on from here" in str(stopped)
    rest = run(tmp_path / "cut", suite(tmp_path), PLAYERS)
    assert rest.simulated.made + stopped.simulated.made == 32
    assert rest.results is not None
    assert whole.results is not None
    assert rest.results.to_dict() == whole.results.to_dict()


def test_a_budget_ends_it_and_the_rest_is_made_later(tmp_path: Path) -> None:
    short = run(tmp_path, suite(tmp_path), PLAYERS, control=RunControl(budget=Budget(calls=3)))
    assert 0 < short.judged[0][1].made < 32  # alike transcripts share a call
    assert short.results is None
    assert "calls" in short.stopped
    rest = run(tmp_path, suite(tmp_path), PLAYERS)
    assert short.judged[0][1].made + rest.judged[0][1].made == 32


def test_a_limit_runs_some_conversations_through_and_keeps_no_headline(tmp_path: Path) -> None:
    some = run(tmp_path, suite(tmp_path), PLAYERS, control=RunControl(limit=8))
    assert some.results is not None
    assert any("24 of this run's 32 conversations have not been held" in note for note in some.results.notes)
    assert some.results is not None
    assert some.results.counts["conversations"] == some.results.counts["judged"] == 8
    with open_store(tmp_path) as store:
        assert recorded(run_called(store, "last"), store) is None


def test_progress_is_told_of_both_phases(tmp_path: Path) -> None:
    held: list[int] = []
    judged: list[tuple[int, int]] = []

    def simulating(done: Simulated) -> None:
        held.append(done.made)

    def judging(plan: Plan, done: Outcome) -> None:
        judged.append((done.made, len(plan)))

    run(tmp_path, suite(tmp_path), PLAYERS, control=RunControl(simulating=simulating, judging=judging))
    assert held == list(range(1, 33))
    assert judged == [(number, 32) for number in range(1, 33)]


def test_an_edited_rubric_makes_its_own_verdicts_and_a_new_run(tmp_path: Path) -> None:
    first = run(tmp_path, suite(tmp_path), PLAYERS)
    scoring = {"question": "Is it there?", "present": "Here.", "absent": "Not here."}
    metrics = [counted("m1", scoring=scoring), counted("m2", polarity="positive")]
    edited = run(tmp_path, bench(tmp_path, *metrics, repeats=2), PLAYERS)
    assert edited.simulated.made == 0
    assert edited.judged[0][1].made == 16
    assert edited.run.label == "run-2"
    assert {k for k, v in edited.run.parts.items() if v != first.run.parts[k]} == {"metrics"}
    with open_store(tmp_path) as store:
        of = store.rows(
            sql.select(verdicts.c.metric, sql.func.count().label("n")).group_by(verdicts.c.metric)
        )
    assert {row["metric"]: row["n"] for row in of} == {"m1": 32, "m2": 16}


def test_the_results_of_a_run_stand_whatever_became_of_the_files(tmp_path: Path) -> None:
    first = run(tmp_path, suite(tmp_path), PLAYERS)
    other = cast(scripted("a", rate=0.75), scripted("c", rate=0.5))
    run(tmp_path, bench(tmp_path, counted("m9"), turns=5), other, scripted_judge(name="k"))
    with open_store(tmp_path) as store:
        kept = run_called(store, "run-1")
        found = results_of_run(kept, store)
        assert recorded(kept, store) == headline_of(found)
    assert first.results is not None
    assert found.to_dict() == first.results.to_dict()


def test_figures_follow_the_first_judge(tmp_path: Path) -> None:
    strict = scripted_judge([{"when": "nothing says so", "verdict": "present"}], name="strict")
    outcome = run(tmp_path, suite(tmp_path), PLAYERS, strict, scripted_judge())
    assert [name for name, _ in outcome.judged] == ["strict", "j"]
    assert outcome.results is not None
    rate = outcome.results.rate(kind="positive")
    assert rate is not None
    assert rate.share.value == 0


def test_no_judge_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    import asyncio

    from voirdire.bench.running import run_bench

    with open_store(tmp_path) as store, pytest.raises(UserError, match="no judge"):
        asyncio.run(run_bench(suite(tmp_path), store, PLAYERS, []))
