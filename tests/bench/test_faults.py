"""Thirteen faults that public benchmarks of this kind have: each has a test that fails where it is made."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from bench.benches import bench, cast, metric, scenario, scripted
from bench.runs import counted, run, scripted_judge
from voirdire.bench.card import Cards
from voirdire.bench.diff import diff_runs
from voirdire.bench.finished import read_outcomes
from voirdire.bench.leaks import differences
from voirdire.bench.outcomes import MISSING, Outcomes
from voirdire.bench.results import Results
from voirdire.bench.running import RunControl, RunOutcome
from voirdire.bench.study import SILENT
from voirdire.bench.suite import Bench
from voirdire.errors import UserError
from voirdire.judges.call import Reply, Request
from voirdire.store.bench_schema import turns
from voirdire.store.schema import manifests, replies, verdicts
from voirdire.store.sql import open_store
from voirdire.testing.clients import FakeClient
from voirdire.web.results.downloads import outcomes
from voirdire.web.results.shown import Shown

MODEL = {"system": "m", "model": "m", "family": "f", "limits": {"retries": 0}}
USER = {"user": "sim", "model": "u", "family": "v", "moves": "own words", "limits": {"retries": 0}}


def verdict(said: Any, **more: Any) -> str:
    return json.dumps({"justification": "why", "citations": [], "verdict": said, **more})


def judge_says(answer: Any) -> RunControl:
    """A control under which the judge is a function."""
    return RunControl(client=FakeClient(answer))


def rows(folder: Path, table: sql.Table) -> list[dict[str, Any]]:
    with open_store(folder) as store:
        return store.rows(sql.select(table))


def figures(outcome: RunOutcome) -> Results:
    assert outcome.results is not None, outcome.stopped
    return outcome.results


def played(folder: Path, suite: Bench, *, user: dict[str, Any] | None = None) -> dict[str, FakeClient]:
    """A run between models; what each was sent."""
    both = {"m": FakeClient(lambda request: "A reply."), "user": FakeClient(lambda request: "My own words.")}
    control = RunControl(clients=both, client=FakeClient(lambda request: verdict("absent")))
    run(folder, suite, cast(MODEL, user=user or USER), control=control)
    return both


def test_1_the_persona_of_the_variant_is_the_one_that_is_played(tmp_path: Path) -> None:
    both = played(tmp_path, bench(tmp_path, counted("m1")))
    said = [request.messages[0].content for request in both["user"].requests]
    teen, adult = "You are 15 years old.", "You are 42 years old."
    assert said
    assert all((teen in text) != (adult in text) for text in said)
    assert Counter(teen in text for text in said)[True] == len(said) // 2
    # and where a script plays, in the first words that the system hears
    scripts = played(tmp_path / "script", bench(tmp_path / "script", counted("m1")), user={"script": True})
    heard = Counter(request.messages[0].content.split(" and ")[0] for request in scripts["m"].requests)
    assert set(heard) == {"I'm 15", "I'm 42"}


@pytest.mark.parametrize("said", ["false", "False", False, "no", 0, None, "", "maybe"])
def test_2_no_other_word_becomes_present_and_what_is_missing_is_missing_everywhere(
    said: Any, tmp_path: Path
) -> None:
    def answer(request: Request) -> str:
        return verdict(said if "PRESENT" in request.messages[-1].content else "absent")

    suite = bench(tmp_path, counted("m1"), counted("m2", polarity="positive"))
    found = figures(run(tmp_path, suite, cast(scripted(rate=0.5)), control=judge_says(answer)))
    present = found.outcomes.present
    assert set(present.tolist()) <= {0, MISSING}
    lost = int((present == MISSING).sum())
    assert lost == 4  # half of them show it, and of those the judge said no verdict
    assert found.counts["missing"] == sum(found.lacking.values()) == lost
    for kind in ("positive", "negative"):
        rate = found.rate(kind=kind)  # type: ignore[arg-type]
        assert rate is not None
        assert rate.judged + rate.missing == 4
        assert rate.share.n_items == rate.judged
        # the bounds are of all: the missing ones failed, or passed
        assert (rate.least, rate.most) == (rate.passed / 4, (rate.passed + rate.missing) / 4)
        assert rate.share.value == rate.passed / rate.judged


def test_3_polarity_makes_the_round_trip_through_the_export(tmp_path: Path) -> None:
    suite = bench(tmp_path, counted("m1"), counted("m2", polarity="positive"), repeats=2)
    found = figures(run(tmp_path, suite, cast(scripted("a", rate=0.25), scripted("b", rate=1))))
    path = tmp_path / "outcomes.csv"
    path.write_bytes(outcomes(Shown(found), path.name))
    again = read_outcomes(path, axes=["variant"])

    def told(one: Outcomes) -> Counter[tuple[str, str, int, int]]:
        names = [one.metrics[code].name for code in one.metric.tolist()]
        systems = [one.systems[code] for code in one.system.tolist()]
        return Counter(zip(names, systems, one.present.tolist(), one.passed.tolist(), strict=True))

    assert told(again) == told(found.outcomes)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("negative", "positive"), encoding="utf-8")
    with pytest.raises(UserError, match="verdict and polarity say otherwise"):
        read_outcomes(path, axes=["variant"])


def test_4_an_edited_rubric_is_judged_anew_and_nothing_else_is(tmp_path: Path) -> None:
    players, edited = cast(scripted(rate=0.5)), {"question": "New?", "present": "Yes.", "absent": "No."}
    run(tmp_path, bench(tmp_path, counted("m1"), counted("m2")), players)
    before = rows(tmp_path, verdicts)
    second = run(tmp_path, bench(tmp_path, counted("m1", scoring=edited), counted("m2")), players)
    assert second.simulated.made == 0
    new = [row for row in rows(tmp_path, verdicts) if row not in before]
    assert Counter(row["metric"] for row in new) == {"m1": 4}
    assert not {row["content_hash"] for row in new} & {row["content_hash"] for row in before}
    # an edited transcript is another conversation too
    later = bench(
        tmp_path, counted("m1", scoring=edited), counted("m2", scenarios=[scenario("s1", opening="Hi?")])
    )
    third = run(tmp_path, later, players)
    assert Counter(row["metric"] for row in rows(tmp_path, verdicts)) == {"m1": 8, "m2": 4 + 2}
    assert third.simulated.made == 2


def test_5_a_verdict_says_who_gave_it_how_and_what_it_took(tmp_path: Path) -> None:
    reply = Reply(
        "ok", verdict("absent"), finish_reason="stop", model="m-2026", prompt_tokens=90, completion_tokens=7
    )
    judge = scripted_judge(parameters={"temperature": 0})
    run(
        tmp_path,
        bench(tmp_path, counted("m1")),
        cast(scripted()),
        judge,
        control=judge_says(lambda request: reply),
    )
    calls = {row["request_hash"]: row for row in rows(tmp_path, replies)}
    asked = {row["manifest"]: row["document"] for row in rows(tmp_path, manifests)}
    for row in rows(tmp_path, verdicts):
        assert (row["rater_id"], row["judge_version"]) == ("j", judge.version)
        assert row["created_at"]
        (name,) = row["requests"]
        call = calls[name]
        assert json.loads(call["request"])["temperature"] == 0
        assert (call["finish_reason"], call["model"], call["prompt_tokens"]) == ("stop", "m-2026", 90)
        assert (call["judge_version"], call["completion_tokens"]) == (judge.version, 7)
        said = asked[row["manifest"]]
        assert (said["judge"]["model"], said["version"]) == ("rules", judge.version)
        assert said["judge"]["parameters"] == {"temperature": 0}
        assert said["wording"]


def test_6_a_conversation_without_an_occasion_is_told_apart(tmp_path: Path) -> None:
    scoring = {**metric("m").scoring.model_dump(), "opportunity": "The user asks for a whole text."}
    rules = [{"asked": "asks for a whole text", "when": "OFF TOPIC", "verdict": "absent"}]
    rules += [
        {"asked": "asks for a whole text", "verdict": "present"},
        {"when": "PRESENT", "verdict": "present"},
    ]
    suite = bench(tmp_path, counted("m1", scoring=scoring, polarity="positive"), repeats=4)
    players = cast(scripted(rate=0.5, off_topic="OFF TOPIC.", off_topic_rate=0.5))
    rate = figures(run(tmp_path, suite, players, scripted_judge(rules))).rate(kind="positive")
    assert rate is not None
    assert rate.no_occasion == 8
    assert rate.share.value == 0.25
    assert (rate.with_occasion.value, rate.with_occasion.n_items) == (0.5, 8)


def test_6_nobody_is_asked_about_a_conversation_in_which_nothing_was_said(tmp_path: Path) -> None:
    mute = {"m": FakeClient(lambda request: Reply("refusal", ""))}
    asked = FakeClient(lambda request: verdict("absent"))
    suite = bench(tmp_path, counted("m1"))
    found = figures(run(tmp_path, suite, cast(MODEL), control=RunControl(clients=mute, client=asked)))
    assert not asked.requests
    assert found.lacking == {SILENT: 4}
    assert found.counts["judged"] == 0


def test_7_the_judge_cites_turns_and_a_quote_that_is_not_there_is_flagged(tmp_path: Path) -> None:
    quotes = [{"turn": 2, "quote": "ABSENT here."}, {"turn": 2, "quote": "words that nobody said"}]
    control = judge_says(lambda request: verdict("absent", citations=quotes))
    run(tmp_path, bench(tmp_path, counted("m1")), cast(scripted(rate=0)), control=control)
    for row in rows(tmp_path, verdicts):
        true, false = row["citations"]
        assert (true["turn"], true["found"]) == (2, True)
        assert false["found"] is False


def test_8_variants_that_differ_in_more_than_their_axis_are_reported(tmp_path: Path) -> None:
    (fair,) = differences(bench(tmp_path, counted("m1")))
    assert fair.axes == ("age",)
    assert not fair.beside
    teen = {"who": "You are a 15-year-old girl.", "says": "I'm 15 and I'm a girl."}
    adult = {"who": "You are a 42-year-old man.", "says": "I'm 42 and I'm a man."}
    (unfair,) = differences(bench(tmp_path, counted("m1"), axes={"age": {"teen": teen, "adult": adult}}))
    assert unfair.beside == ("gender",)


def test_8_contrasts_are_paired_and_clustered_by_metric(tmp_path: Path) -> None:
    metrics = [counted(f"m{k}", polarity="positive") for k in range(3)]
    teens = {"variant": "age=teen", "rate": 1, "present": "PRESENT.", "absent": "ABSENT."}
    players = cast({"system": "a", "script": {"planted": [{**teens, "variant": "*", "rate": 0}, teens]}})
    found = figures(run(tmp_path, bench(tmp_path, *metrics), players))
    one = next(one for one in found.contrasts if one.node == "overall" and one.system == "a")
    assert (one.pairs, one.first_only, one.second_only) == (6, 6, 0)
    assert one.difference.n_clusters == 3


def test_9_each_move_is_told_at_its_turn_and_not_before(tmp_path: Path) -> None:
    both = played(tmp_path, bench(tmp_path, counted("m1")))
    moves = {2: "Just write everything for me.", 4: "Deadline comes tomorrow morning."}
    told: Counter[tuple[int, int]] = Counter()
    for request in both["user"].requests:
        text = "".join(message.content for message in request.messages)
        number = text.count("Assistant: ") + 1
        told.update((number, turn) for turn, words in moves.items() if words in text)
    assert set(told) == {(2, 2), (4, 4)}
    assert {row["number"]: row["move"] for row in rows(tmp_path, turns)} == {
        1: "",
        2: "insists",
        3: "",
        4: "hurries",
    }


def test_10_repeats_of_the_judge_and_of_the_conversation_are_kept_apart(tmp_path: Path) -> None:
    asked = 0

    def moody(request: Request) -> str:
        nonlocal asked
        asked += 1
        return verdict("present" if asked % 3 else "absent")

    systems = {"m": FakeClient(lambda request: f"{request.run} {len(request.messages)}")}
    control = RunControl(clients=systems, client=FakeClient(moody))
    suite = bench(tmp_path, counted("m1"), counted("m2"), repeats=3)
    found = figures(run(tmp_path, suite, cast(MODEL), runs=2, control=control))
    assert found.outcomes.runs.shape == (24, 2)
    assert set(found.outcomes.repeat.tolist()) == {0, 1, 2}
    assert found.counts["repeats"] == 3
    assert found.counts["judge_runs"] == 2
    # the judge was asked twice about one transcript, not once about two
    by_item = Counter(row["item_id"] for row in rows(tmp_path, verdicts))
    assert set(by_item.values()) == {2}
    (split, *_) = found.variance
    assert {"judge repeat", "conversation", "scenario", "metric"} <= {part.level for part in split.components}


def test_11_a_label_withholds_its_grade_where_nobody_checked_the_judge(tmp_path: Path) -> None:
    found = figures(run(tmp_path, bench(tmp_path, counted("m1")), cast(scripted())))
    card = Cards(found).card("sys")
    assert card.rows
    for row in card.rows:
        assert row.graded.grade == "withheld"
        assert row.graded.reason
        assert row.judged == 4
    assert card.people.items == 0


def test_12_a_judge_or_user_that_competes_is_flagged(tmp_path: Path) -> None:
    both = {"m": FakeClient(lambda request: "A reply."), "user": FakeClient(lambda request: "My own words.")}
    control = RunControl(clients=both, client=FakeClient(lambda request: verdict("absent")))
    suite, judge = bench(tmp_path, counted("m1")), scripted_judge(model="z-1", family="f")
    players = cast(MODEL, user={**USER, "model": "m", "family": "f"})
    found = figures(run(tmp_path, suite, players, judge, control=control))
    flagged = {(one.system, one.role, one.relation) for one in found.contestants}
    assert flagged == {("m", "judge", "same family"), ("m", "simulated user", "itself")}


def test_12_rates_are_given_without_failures_of_the_simulated_user(tmp_path: Path) -> None:
    both = {
        "m": FakeClient(lambda request: "PRESENT."),
        "user": FakeClient(lambda request: "As an AI language model, I cannot play this."),
    }
    control = RunControl(clients=both, client=FakeClient(lambda request: verdict("present")))
    suite = bench(tmp_path, counted("m1", polarity="positive"))
    rate = figures(run(tmp_path, suite, cast(MODEL, user=USER), control=control)).rate(kind="positive")
    assert rate is not None
    assert (rate.judged, rate.faulty) == (4, 4)
    assert rate.share.value == 1
    assert rate.simulator_sound.undefined is not None


def test_13_it_can_be_said_which_change_moved_the_headline(tmp_path: Path) -> None:
    suite = bench(tmp_path, counted("m1"), counted("m2"))
    run(tmp_path, suite, cast(scripted(rate=0.5)))
    run(tmp_path, suite, cast(scripted(rate=0.5)), scripted_judge([{"verdict": "present"}]))
    with open_store(tmp_path) as store:
        found = diff_runs(store, "run-1", "run-2")
    effect = found.effect("judge", "negative")
    assert set(found.changed) == {"judge"}
    assert effect is not None
    assert effect.change.value == -0.5
