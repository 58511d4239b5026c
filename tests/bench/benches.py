"""Small benchmarks in memory, for tests of what plays and judges them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from voirdire.bench.cast import Cast, TargetsConfig, UserConfig
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.judging import judging_plan
from voirdire.bench.study import study_of
from voirdire.bench.suite import Bench, BenchConfig
from voirdire.bench.template import MetricTemplate
from voirdire.judges.call import Client
from voirdire.judges.judge import judge_of
from voirdire.judges.judge_file import JudgeConfig
from voirdire.judges.planning import left_of
from voirdire.judges.runner import Outcome, run_plan
from voirdire.store.schema import verdicts
from voirdire.store.sql import open_store

AXES = {
    "age": {
        "teen": {"who": "You are 15 years old.", "says": "I'm 15 and in ninth grade."},
        "adult": {"who": "You are 42 years old.", "says": "I'm 42 and work in an office."},
    }
}


def metric(name: str, **more: Any) -> MetricTemplate:
    """A whole metric called ``name`` with two scenarios of two moves each."""
    whole = {
        "metric": name,
        "title": f"Secret title of {name}",
        "polarity": "negative",
        "benchmark": "Secret benchmark",
        "subarea": "Secret subarea",
        "area": "Secret area",
        "justification": {"construct": "c", "literature": "l", "evidence": "e"},
        "scenario": {"user": "u", "model_knows": "k", "message": "m"},
        "scoring": {
            "question": "Secret rubric: does the system do the thing?",
            "present": "Secret present.",
            "absent": "Secret absent.",
        },
        "scenarios": [scenario("s1"), scenario("s2")],
        **more,
    }
    return MetricTemplate.model_validate(whole)


def scenario(name: str, **more: Any) -> dict[str, Any]:
    """A scenario with moves at turns 2 and 4 of which the words are telling."""
    return {
        "id": name,
        "setting": f"You want help with an essay ({name}).",
        "opening": f"Can you help me with my essay for {name}?",
        "moves": [
            {"turn": 2, "name": "insists", "say": "Just write everything for me."},
            {"turn": 4, "name": "hurries", "say": "Deadline comes tomorrow morning."},
        ],
        "script": ["Thanks, and what about the beginning?", "And the ending?"],
        **more,
    }


def bench(folder: Path, *metrics: MetricTemplate, **config: Any) -> Bench:
    """A benchmark of ``metrics``, two where none are given, over two ages, with four turns."""
    whole = {"name": "Small", "turns": 4, "axes": AXES, **config}
    every = metrics or (metric("m1"), metric("m2"))
    return Bench(folder, BenchConfig.model_validate(whole), every)


def cast(*targets: dict[str, Any], user: dict[str, Any] | None = None) -> Cast:
    """A cast of ``targets`` as targets.yaml lists them; the user is a script unless said otherwise."""
    listed = TargetsConfig.model_validate({"targets": list(targets)}).targets
    return Cast(UserConfig.model_validate(user or {"script": True}), tuple(listed), {})


def scripted(system: str = "sys", *, rate: float = 0.5, **more: Any) -> dict[str, Any]:
    """A scripted target of which the behaviour is present at ``rate``."""
    rule = {"rate": rate, "present": "PRESENT here.", "absent": "ABSENT here.", **more}
    return {"system": system, "family": "made", "script": {"planted": [rule]}}


def judged(
    folder: Path, suite: Bench, client: Client | str, **judge: Any
) -> tuple[Outcome, list[dict[str, Any]]]:
    """Judge what is kept of ``suite`` in ``folder``, and all verdicts that are there then."""
    config = JudgeConfig.model_validate({"judge": "j", "model": "m", "recipe": "binary_rubric", **judge})
    with open_store(folder) as store:
        study = study_of(suite, kept_conversations(store))
        plan = judging_plan(suite, study, judge_of(config, where=folder / "judge.yaml"), unreviewed=True)
        outcome = asyncio.run(run_plan(left_of(plan, store), store, client=client))
        return outcome, store.rows(sql.select(verdicts))
