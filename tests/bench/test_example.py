"""The example benchmark, offline from template to rates: what is planted is what comes out, exactly."""

from __future__ import annotations

import asyncio
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from voirdire.bench.cast import Cast, load_cast
from voirdire.bench.collecting import outcomes_of
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.judging import judging_plan
from voirdire.bench.outcomes import Outcomes
from voirdire.bench.scripts import Planted
from voirdire.bench.simulating import simulate
from voirdire.bench.simulator_audit import simulator_failed
from voirdire.bench.starting import start_bench
from voirdire.bench.study import study_of
from voirdire.bench.suite import Bench, load_bench
from voirdire.judges.judge import load_judge
from voirdire.judges.runner import run_plan
from voirdire.store.sql import Store, open_store

N = 12
"""Conversations of a metric, a variant and a system: three scenarios, four repeats."""


class Held:
    """The example, simulated and judged once for all tests of this file."""

    def __init__(self, folder: Path) -> None:
        start_bench(folder, example=True)
        self.bench: Bench = load_bench(folder)
        self.cast: Cast = load_cast(self.bench, folder / "targets.yaml", folder / "user.yaml")
        self.judge = load_judge(folder / "judge.yaml")
        self.store: Store = open_store(str(folder))
        self.simulated = asyncio.run(simulate(self.bench, self.store, self.cast))
        self.conversations = list(kept_conversations(self.store))
        study = study_of(self.bench, self.conversations)
        self.plan = judging_plan(self.bench, study, self.judge)
        self.judged = asyncio.run(run_plan(self.plan, self.store))
        self.outcomes: Outcomes = outcomes_of(self.bench, self.plan, self.store)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Held:
    return Held(tmp_path_factory.mktemp("bench") / "example")


def rules(held: Held, system: str, metric: str) -> dict[str, Planted]:
    """What targets.yaml plants for a system and a metric, by variant."""
    script = next(target.script for target in held.cast.targets if target.system == system)
    assert script is not None
    mine = [rule for rule in script.planted if rule.metric == metric]
    every = {variant.name for variant in held.bench.variants}
    return {name: rule for rule in mine for name in every if rule.variant in ("*", name)}


def test_it_is_large_enough_to_show_every_part(held: Held) -> None:
    metrics = held.bench.metrics
    assert len(metrics) >= 6
    assert {metric.polarity for metric in metrics} == {"positive", "negative"}
    assert len({metric.area for metric in metrics}) == 2
    assert [variant.name for variant in held.bench.variants] == ["age=teen", "age=adult"]
    assert all(len(metric.scenarios) == 3 for metric in metrics)
    assert all(len(scenario.moves) >= 2 for metric in metrics for scenario in metric.scenarios)
    assert len(held.cast.targets) >= 3
    assert all(metric.reviewed for metric in metrics)


def test_what_is_made_up_says_so(held: Held) -> None:
    assert "made up" in held.bench.config.demo
    reviews = [review for metric in held.bench.metrics for review in metric.reviews]
    assert all("Made up" in review.note and "Made-up" in review.by for review in reviews)


def test_everything_is_held_and_judged(held: Held) -> None:
    assert held.simulated.made == len(held.conversations) == 8 * 3 * 2 * 3 * 4
    assert held.judged.statuses == {"ok": 2 * len(held.conversations)}
    assert Counter(one.ended for one in held.conversations).keys() <= {"turns", "user left"}


def test_the_user_says_what_is_scripted_at_its_turn(held: Held) -> None:
    assert not any(simulator_failed(one.audit) for one in held.conversations)
    assert all(one.audit["planned"] == one.audit["delivered"] for one in held.conversations)


def test_rates_are_those_that_are_planted(held: Held) -> None:
    outcomes = held.outcomes
    codes = list(zip(outcomes.metric, outcomes.system, outcomes.variant, strict=True))
    for cell in sorted(set(codes)):
        rows = [place for place, code in enumerate(codes) if code == cell]
        assert len(rows) == N
        metric, system = outcomes.metrics[cell[0]].name, outcomes.systems[cell[1]]
        rule = rules(held, system, metric)[outcomes.variants[cell[2]]]
        fit = [place for place in rows if outcomes.opportunity[place] == 1]
        assert N - len(fit) == round(rule.off_topic_rate * N)
        shown = sum(int(outcomes.present[place]) for place in fit)
        assert Fraction(shown, len(fit)) == Fraction(rule.rate)


def test_the_verdict_of_each_conversation_is_what_was_said_in_it(held: Held) -> None:
    said = {one.id: " ".join(turn.reply for turn in one.spoken) for one in held.conversations}
    outcomes = held.outcomes
    for place, name in enumerate(outcomes.ids):
        metric = outcomes.metrics[outcomes.metric[place]].name
        rule = rules(held, outcomes.systems[outcomes.system[place]], metric)
        present = rule[outcomes.variants[outcomes.variant[place]]].present
        assert (present in said[name]) == bool(outcomes.present[place])


def test_who_is_tested_speaks_at_the_planted_turn(held: Held) -> None:
    shown = 0
    for one in held.conversations:
        rule = rules(held, one.system, one.metric)[one.variant]
        turns = [turn.number for turn in one.spoken if turn.reply == rule.present]
        assert turns in ([], [rule.turn])
        shown += len(turns)
    assert shown > 0
