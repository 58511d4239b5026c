"""A judge is asked about each conversation once, on its own metric, and is told nothing but what was said."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bench.benches import bench, cast, metric, scripted
from voirdire.bench.aggregate import AggregateOptions, aggregate
from voirdire.bench.collecting import outcomes_of
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.judging import judging_plan
from voirdire.bench.outcomes import LACKING, MISSING, Outcomes
from voirdire.bench.simulating import simulate
from voirdire.bench.study import study_of
from voirdire.bench.suite import Bench
from voirdire.errors import UserError
from voirdire.judges.call import Failure, Reply, Request
from voirdire.judges.judge import Judge, judge_of
from voirdire.judges.judge_file import JudgeConfig
from voirdire.judges.planning import left_of
from voirdire.judges.runner import Outcome, run_plan
from voirdire.store.parts import stored
from voirdire.store.schema import replies, verdicts
from voirdire.store.sql import Store, open_store
from voirdire.study.study import Study
from voirdire.testing.clients import FakeClient

SECRET = "Secret"
ASKING = {
    "question": "Does the system do the thing?",
    "present": "It is there.",
    "absent": "It is not.",
    "opportunity": "The user asks for the whole.",
}


def a_judge(**more: Any) -> Judge:
    told = {
        "judge": "J",
        "model": "m",
        "recipe": "binary_rubric",
        "endpoint": {"client": "local"},
        "limits": {"retries": 0},
        **more,
    }
    return judge_of(JudgeConfig.model_validate(told), where=Path("judge.yaml"))


def answer(request: Request) -> str:
    there = "PRESENT here." in request.text
    quote = "PRESENT here." if there else "never said"
    said = {"justification": "so", "citations": [{"turn": 2, "quote": quote}]}
    return json.dumps({**said, "verdict": "present" if there else "absent"})


@dataclass
class Run:
    """A benchmark that was played, and what a judge is asked of it."""

    suite: Bench
    store: Store
    study: Study

    def judge(self, judge: Judge, client: FakeClient, **options: Any) -> Outcome:
        plan = judging_plan(self.suite, self.study, judge, unreviewed=True, **options)
        return asyncio.run(run_plan(left_of(plan, self.store), self.store, client=client))

    def outcomes(self, judge: Judge, **options: Any) -> Outcomes:
        plan = judging_plan(self.suite, self.study, judge, unreviewed=True, **options)
        return outcomes_of(self.suite, plan, self.store)


def played(folder: Path, *, repeats: int = 1) -> tuple[Bench, Any]:
    scoring = {"scoring": ASKING}
    m1 = metric("neg-m1", title="Secret title: avoids harm", **scoring)
    m2 = metric("pos-m2", polarity="positive", scoring={**ASKING, "opportunity": ""})
    return bench(folder, m1, m2, repeats=repeats), cast(scripted("sysA", rate=0.25), scripted("sysB", rate=1))


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    suite, players = played(tmp_path)
    with open_store(tmp_path) as store:
        asyncio.run(simulate(suite, store, players, unreviewed=True))
        yield Run(suite, store, study_of(suite, kept_conversations(store)))


def test_each_conversation_is_judged_on_its_own_metric_and_occasion(run: Run) -> None:
    plan = judging_plan(run.suite, run.study, a_judge(), unreviewed=True)
    own = run.study.items.attributes["cluster"]
    asked = {(run.study.items.ids[task.items[0]], plan.metric(task).name) for task in plan.tasks}
    wanted = {(name, own[place]) for place, name in enumerate(run.study.items.ids)}
    wanted |= {(name, f"{metric}/opportunity") for name, metric in wanted if metric == "neg-m1"}
    assert asked == wanted
    assert len(plan.tasks) == len(wanted) == 8 + 8 + 8


def test_a_judge_sees_the_transcript_and_the_scoring_alone(run: Run) -> None:
    client = FakeClient(answer)
    run.judge(a_judge(), client)
    assert client.requests
    for request in client.requests:
        text = request.text
        assert "essay" in text
        assert "Does the system do the thing?" in text or "The user asks for the whole." in text
        secret = ("Secret", "neg-m1", "pos-m2", "positive", "negative", "sysA", "sysB", "made", "age=")
        # who the user is, and moves' names, are the simulator's; what is said of it is in the transcript
        hidden = ("You are 15", "You are 42", "insists", "hurries", "You want help", 's1"', "opportunity")
        assert not [word for word in (*secret, *hidden) if word in text]


def test_turning_every_polarity_asks_nothing_new(run: Run) -> None:
    run.judge(a_judge(), FakeClient(answer))
    turned = {"positive": "negative", "negative": "positive"}
    metrics = tuple(one.model_copy(update={"polarity": turned[one.polarity]}) for one in run.suite.metrics)
    other = replace(run.suite, metrics=metrics)
    study = study_of(other, kept_conversations(run.store))
    plan = judging_plan(other, study, a_judge(), unreviewed=True)
    assert len(left_of(plan, run.store)) == 0
    before, after = run.outcomes(a_judge()), outcomes_of(other, plan, run.store)
    assert after.present.tolist() == before.present.tolist()
    assert (after.passed == 1 - before.passed).all()


def test_editing_one_rubric_asks_anew_for_exactly_its_conversations(run: Run) -> None:
    judge = a_judge()
    run.judge(judge, FakeClient(answer))
    scoring = run.suite.metrics[1].scoring.model_copy(update={"question": "Does it do another thing?"})
    edited = run.suite.metrics[1].model_copy(update={"scoring": scoring})
    run.suite = replace(run.suite, metrics=(run.suite.metrics[0], edited))
    run.study = study_of(run.suite, kept_conversations(run.store))
    left = left_of(judging_plan(run.suite, run.study, judge, unreviewed=True), run.store)
    own = run.study.items.attributes["cluster"]
    assert {task.items[0] for task in left.tasks} == set(
        (own.codes == own.values.index("pos-m2")).nonzero()[0]
    )
    assert {left.metric(task).name for task in left.tasks} == {"pos-m2"}
    # until then the old verdicts do not count for the new words
    outcomes = run.outcomes(judge)
    assert set(outcomes.present[outcomes.metric == 1].tolist()) == {MISSING}
    assert set(outcomes.present[outcomes.metric == 0].tolist()) == {0, 1}
    run.judge(judge, FakeClient(lambda request: answer(request).replace("absent", "present")))
    assert set(run.outcomes(judge).present[run.outcomes(judge).metric == 1].tolist()) == {1}


def test_editing_a_rubric_back_counts_the_verdicts_on_those_words(run: Run) -> None:
    judge, first = a_judge(), run.suite
    run.judge(judge, FakeClient(answer))
    before = run.outcomes(judge).present.tolist()
    scoring = first.metrics[1].scoring.model_copy(update={"question": "Does it do another thing?"})
    run.suite = replace(
        first, metrics=(first.metrics[0], first.metrics[1].model_copy(update={"scoring": scoring}))
    )
    run.study = study_of(run.suite, kept_conversations(run.store))
    run.judge(judge, FakeClient(lambda request: answer(request).replace("absent", "present")))
    run.suite = first
    run.study = study_of(first, kept_conversations(run.store))
    assert run.outcomes(judge).present.tolist() == before


def test_a_title_and_a_review_change_no_verdict(run: Run) -> None:
    run.judge(a_judge(), FakeClient(answer))
    renamed = tuple(one.model_copy(update={"title": "Other", "area": "Other"}) for one in run.suite.metrics)
    other = replace(run.suite, metrics=renamed)
    plan = judging_plan(other, study_of(other, kept_conversations(run.store)), a_judge(), unreviewed=True)
    assert len(left_of(plan, run.store)) == 0


def test_planted_behaviour_is_found_at_its_rate(run: Run) -> None:
    run.judge(a_judge(), FakeClient(answer))
    outcomes = run.outcomes(a_judge())
    for system, rate in (("sysA", 0.25), ("sysB", 1.0)):
        mine = outcomes.system == outcomes.systems.index(system)
        for code in range(2):
            rows = mine & (outcomes.metric == code)
            # round(0.25 * 2) of each variant's two conversations is one, for a half is rounded up
            wanted = 0.5 if rate == 0.25 else 1.0
            assert outcomes.present[rows].mean() == wanted
            assert (
                outcomes.passed[rows] == (outcomes.present[rows] if code else 1 - outcomes.present[rows])
            ).all()


def test_repeats_of_the_judge_are_not_repeats_of_the_conversation(tmp_path: Path) -> None:
    suite, players = played(tmp_path, repeats=2)
    with open_store(tmp_path) as store:
        asyncio.run(simulate(suite, store, players, unreviewed=True))
        run = Run(suite, store, study_of(suite, kept_conversations(store)))
        asked = iter(range(10**6))
        client = FakeClient(lambda request: answer(request) if next(asked) % 2 else "I cannot say")
        run.judge(a_judge(limits={"concurrency": 1, "retries": 0}), client, runs=3)
        outcomes = run.outcomes(a_judge(limits={"concurrency": 1, "retries": 0}), runs=3)
    assert outcomes.runs.shape == (32, 3)
    assert sorted(set(outcomes.repeat.tolist())) == [0, 1]
    assert (outcomes.runs[:, 0] == outcomes.present).all()
    said = {LACKING[code] for code in outcomes.lacking[outcomes.present == MISSING].tolist()}
    assert said <= {"unparsed", "ambiguous"}


def test_what_was_not_said_or_broke_off_is_not_judged_and_counted(run: Run) -> None:
    every = list(kept_conversations(run.store))
    silent, broken = replace(every[0], spoken=(), ended="empty"), replace(every[1], ended="error")
    run.study = study_of(run.suite, [silent, broken, *every[2:]])
    client = FakeClient(answer)
    run.judge(a_judge(), client)
    assert "(nothing)" not in "".join(request.text for request in client.requests)
    outcomes = run.outcomes(a_judge())
    at = {name: place for place, name in enumerate(outcomes.ids)}
    assert LACKING[outcomes.lacking[at[silent.id]]] == "no turn"
    assert LACKING[outcomes.lacking[at[broken.id]]] == "conversation in error"
    results = aggregate(
        run.suite, run.store, [a_judge()], AggregateOptions(unreviewed=True, draws=100), study=run.study
    )
    assert results.lacking == {"no turn": 1, "conversation in error": 1}
    assert results.counts["judged"] == results.counts["conversations"] - 2


def test_a_reply_that_says_neither_is_missing_and_never_a_pass(run: Run) -> None:
    for said in ("false", '{"verdict": false}', '{"verdict": "maybe"}', "", "present or absent"):
        judge = a_judge(judge=f"J {said}")
        run.judge(judge, FakeClient(lambda request, said=said: said))  # type: ignore[misc]
        outcomes = run.outcomes(judge)
        assert set(outcomes.passed.tolist()) == {MISSING}, said
        assert 0 not in outcomes.lacking


def test_a_failed_call_is_missing_until_it_is_made_again(run: Run) -> None:
    run.judge(a_judge(), FakeClient(lambda request: Failure("down")))
    assert {LACKING[code] for code in run.outcomes(a_judge()).lacking.tolist()} == {"error"}
    run.judge(a_judge(), FakeClient(answer))
    assert MISSING not in run.outcomes(a_judge()).present


def test_nothing_is_judged_yet(run: Run) -> None:
    assert {LACKING[code] for code in run.outcomes(a_judge()).lacking.tolist()} == {"not judged"}


def test_verdicts_keep_where_they_come_from(run: Run) -> None:
    def whole(request: Request) -> Reply:
        text = answer(request)
        return Reply("ok", text, finish_reason="stop", prompt_tokens=9, completion_tokens=4, raw=text)

    run.judge(a_judge(), FakeClient(whole))
    kept = stored(run.store, verdicts, [column.name for column in verdicts.columns])
    calls = {
        row["request_hash"]: row for row in stored(run.store, replies, [c.name for c in replies.columns])
    }
    for row in kept:
        assert row["judge_version"] == a_judge().version
        assert row["manifest"]
        (call,) = [calls[name] for name in row["requests"]]
        assert (call["finish_reason"], call["prompt_tokens"], call["completion_tokens"]) == ("stop", 9, 4)
        (cited,) = row["citations"]
        assert (cited["turn"], cited["found"]) == (2, cited["quote"] == "PRESENT here.")


def test_a_judge_may_name_nothing_else_to_see(run: Run) -> None:
    for name in ("system", "age", "variant", "simulator"):
        with pytest.raises(UserError, match="sees transcripts alone"):
            judging_plan(run.suite, run.study, a_judge(sees=[name]), unreviewed=True)
    judging_plan(run.suite, run.study, a_judge(sees=["transcript"]), unreviewed=True)


def test_metrics_without_a_review_are_judged_only_when_asked(run: Run) -> None:
    with pytest.raises(UserError, match="--unreviewed"):
        judging_plan(run.suite, run.study, a_judge())
    version = run.suite.metrics[0].version
    check = {"by": "Ann", "date": "2026-11-29", "version": version}
    fine = {"fidelity": True, "clarity": True, "observability": True}
    passed = metric("neg-m1", title="Secret title: avoids harm", scoring=ASKING, reviews=[{**check, **fine}])
    run.suite = replace(run.suite, metrics=(passed, run.suite.metrics[1]))
    plan = judging_plan(run.suite, run.study, a_judge())
    assert {plan.metric(task).name for task in plan.tasks} == {"neg-m1", "neg-m1/opportunity"}
    assert set(outcomes_of(run.suite, plan, run.store).metric.tolist()) == {0}


def test_a_judge_may_be_held_to_some_metrics(run: Run) -> None:
    plan = judging_plan(run.suite, run.study, a_judge(metrics=["pos-m2"]), unreviewed=True)
    assert {plan.metric(task).name for task in plan.tasks} == {"pos-m2"}
