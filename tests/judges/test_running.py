"""From a judge's file to verdicts in the store: once each, whatever happens on the way."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from voirdire.judges.call import Failure, Reply, Request
from voirdire.judges.judge import load_judge
from voirdire.judges.limits import Budget
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import Outcome, Stop, run_plan
from voirdire.opening import open as open_study
from voirdire.store.schema import replies, verdicts
from voirdire.store.sql import open_store
from voirdire.testing.clients import FakeClient, spread

STUDY = """
tables:
  - file: labels.csv
  - {file: texts.csv, kind: items}
metrics:
  warm:
    rubric: Is the reply warm?
    scale: {kind: binary, labels: [cold, warm]}
    polarity: positive
"""
JUDGE = """
judge: tone
model: small
recipe: rubric
endpoint: {url: "http://127.0.0.1:9/v1"}
parameters: {temperature: 0, logprobs: true, top_logprobs: 5}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    labels = ["item_id,metric,rater_id,rater_kind,label"]
    labels += [f"i{k},warm,ann,human,{'warm' if k % 2 else 'cold'}" for k in range(10)]
    (tmp_path / "labels.csv").write_text("\n".join(labels))
    texts = [f"i{k},Reply number {k} is here to be read" for k in range(10)]
    (tmp_path / "texts.csv").write_text("\n".join(["item_id,text", *texts]))
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "tone.yaml").write_text(JUDGE)
    return tmp_path


def run(folder: Path, client: FakeClient, *, runs: int = 1, **options: Any) -> Outcome:
    with open_store(folder) as store:
        plan = make_plan(open_study(folder), load_judge(folder / "tone.yaml"), store, runs=runs)
        return asyncio.run(run_plan(plan, store, client=client, **options))


def stored(folder: Path, table: sql.Table = verdicts) -> list[dict[str, Any]]:
    with open_store(folder) as store:
        return store.rows(sql.select(table))


def warm(request: Request) -> Reply:
    return spread({"warm": 0.6, "cold": 0.3, "x": 0.1})


def test_every_item_gets_one_verdict_with_its_distribution(folder: Path) -> None:
    outcome = run(folder, FakeClient(warm))
    rows = stored(folder)
    assert outcome.made == len(rows) == 10
    assert {row["item_id"] for row in rows} == {f"i{k}" for k in range(10)}
    for row in rows:
        assert row["label"] == "warm"
        assert row["probabilities"] == pytest.approx({"warm": 2 / 3, "cold": 1 / 3})
        assert row["mass"] == pytest.approx(0.9)
        assert row["requests"][0] in {one["request_hash"] for one in stored(folder, replies)}


def test_nothing_is_asked_twice(folder: Path) -> None:
    run(folder, FakeClient(warm))
    again = FakeClient(warm)
    assert run(folder, again).made == 0
    assert again.requests == []
    more = FakeClient(warm)
    assert run(folder, more, runs=3).made == 20
    assert len(more.requests) == 20


def test_another_rubric_judges_anew_and_another_limit_does_not(folder: Path) -> None:
    run(folder, FakeClient(warm))
    (folder / "tone.yaml").write_text(JUDGE + "limits: {concurrency: 3}\nprice: {input: 1, output: 1}\n")
    assert run(folder, FakeClient(warm)).made == 0
    (folder / "study.yaml").write_text(STUDY.replace("Is the reply warm?", "Is it kind?"))
    assert run(folder, FakeClient(warm)).made == 10
    (folder / "tone.yaml").write_text(JUDGE.replace("temperature: 0", "temperature: 1"))
    assert run(folder, FakeClient(warm)).made == 10
    assert len(stored(folder)) == 30


def test_polarity_system_and_labels_of_people_are_never_sent(folder: Path) -> None:
    client = FakeClient(warm)
    run(folder, client)
    for request in client.requests:
        assert "positive" not in request.text
        assert "ann" not in request.text


def test_errors_are_recorded_and_asked_anew(folder: Path) -> None:
    def broken(request: Request) -> Failure:
        return Failure("HTTP 401: no such key", again=False)

    assert run(folder, FakeClient(broken)).statuses == {"error": 10}
    assert {row["status"] for row in stored(folder, replies)} == {"error"}
    assert run(folder, FakeClient(warm)).statuses == {"ok": 10}
    assert [row["retry"] for row in stored(folder) if row["status"] == "ok"] == [1] * 10


def test_unparsed_replies_are_kept_and_not_asked_again(folder: Path) -> None:
    assert run(folder, FakeClient(lambda request: "perhaps")).statuses == {"unparsed": 10}
    assert {row["text"] for row in stored(folder, replies)} == {"perhaps"}
    assert run(folder, FakeClient(warm)).made == 0


def test_a_budget_of_calls_stops_and_the_rest_follows(folder: Path) -> None:
    client = FakeClient(warm)
    outcome = run(folder, client, budget=Budget(calls=4))
    assert outcome.made == len(client.requests) == 4
    assert "4 calls" in outcome.stopped
    assert run(folder, FakeClient(warm)).made == 6


def test_a_stop_finishes_what_is_under_way(folder: Path) -> None:
    stop = Stop()
    (folder / "tone.yaml").write_text(JUDGE + "limits: {concurrency: 3}\n")
    client = FakeClient(warm, delay=0.01)
    outcome = run(folder, client, stop=stop, progress=lambda outcome: stop())
    assert outcome.made == len(client.requests) == len(stored(folder)) == 3
    assert client.most_at_once == 3
    assert run(folder, FakeClient(warm)).made == 7


def test_a_recipe_that_breaks_loses_only_its_own_item(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = load_judge(folder / "tone.yaml")
    recipe = judge.recipe
    real = recipe.judge

    async def sometimes(items: Any, metric: Any, ask: Any) -> Any:
        if items[0].id == "i3":
            raise KeyError("a fault")
        return await real(items, metric, ask)

    monkeypatch.setattr(recipe, "judge", sometimes)
    with open_store(folder) as store:
        plan = make_plan(open_study(folder), judge, store)
        outcome = asyncio.run(run_plan(plan, store, client=FakeClient(warm)))
    assert outcome.statuses == {"ok": 9, "error": 1}


def test_the_manifest_says_what_was_asked(folder: Path) -> None:
    from voirdire.store.schema import manifests

    run(folder, FakeClient(warm))
    (row,) = stored(folder, manifests)
    assert row["document"]["judge"]["model"] == "small"
    assert json.dumps(row["document"]).count("Reply with one label") == 1
    assert {one["manifest"] for one in stored(folder)} == {row["manifest"]}


def test_an_address_from_the_environment_is_part_of_what_was_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from voirdire.errors import UserError

    (folder / "tone.yaml").write_text(JUDGE.replace('endpoint: {url: "http://127.0.0.1:9/v1"}', ""))
    made = []
    for address in ("http://one.example/v1", "http://two.example/v1"):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        assert load_judge(folder / "tone.yaml").target.endpoint == address
        made.append(run(folder, FakeClient(warm)).made)
    assert made == [10, 10]
    assert len({row["request_hash"] for row in stored(folder, replies)}) == 20
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:secret@one.example/v1")
    with pytest.raises(UserError, match="without a name or password") as found:
        load_judge(folder / "tone.yaml")
    assert "secret" not in str(found.value)


def test_what_tasks_share_is_paid_for_once(folder: Path) -> None:
    text = JUDGE.replace("recipe: rubric", "recipe: form_filling")
    (folder / "tone.yaml").write_text(text + "price: {input: 100000, output: 0}\n")

    def answer(request: Request) -> Reply:
        return replace(spread({"warm": 1.0}), prompt_tokens=10, completion_tokens=1)

    client = FakeClient(answer, delay=0.01)
    outcome = run(folder, client, runs=2)
    assert len(client.requests) == 1 + 2 * 10
    assert outcome.budget.spent == pytest.approx(21)
    rows = stored(folder)
    assert sum(row["cost"] for row in rows) == pytest.approx(21)
    assert {len(row["requests"]) for row in rows} == {2}


def test_calls_of_one_verdict_that_are_under_way_at_the_budgets_end_are_kept(folder: Path) -> None:
    asked = "\n".join(f'    - {{name: q{k}, ask: "Question {k}?"}}' for k in range(4))
    text = JUDGE.replace("recipe: rubric", "recipe: checklist")
    (folder / "tone.yaml").write_text(f"{text}options:\n  questions:\n{asked}\n")
    client = FakeClient(lambda request: "yes", delay=0.05)
    outcome = run(folder, client, budget=Budget(calls=2))
    assert "2 calls" in outcome.stopped
    assert len(client.requests) == len(stored(folder, replies)) == 2


def test_the_study_reads_its_verdicts_like_any_other_ratings(folder: Path) -> None:
    run(folder, FakeClient(warm), runs=2)
    study = open_study(folder)
    (judge,) = study.raters_of("judge")
    assert study.raters[judge].id == "tone"
    rows = study.rows("warm", kind="judge")
    assert len(rows) == 20
    assert study.ratings.probabilities["warm"][rows] == pytest.approx(2 / 3)
    (folder / "tone.yaml").write_text(JUDGE.replace("temperature: 0", "temperature: 1"))
    run(folder, FakeClient(lambda request: spread({"cold": 1.0})))
    newer = open_study(folder)
    assert {
        newer.metric("warm").scale.labels[code]
        for code in newer.ratings.label[newer.rows("warm", kind="judge")]
    } == {"cold"}
    assert any("20 verdicts of other versions" in note for note in newer.assumptions)


def test_a_judge_under_a_second_name_has_verdicts_of_its_own_and_asks_nothing(folder: Path) -> None:
    run(folder, FakeClient(warm))
    (folder / "tone.yaml").write_text(JUDGE.replace("judge: tone", "judge: renamed"))
    client = FakeClient(warm)
    assert run(folder, client).made == 10
    assert not client.requests
    assert [row["rater_id"] for row in stored(folder)] == ["tone"] * 10 + ["renamed"] * 10
    assert run(folder, client).made == 0


def test_an_audit_reads_what_was_judged(folder: Path) -> None:
    import voirdire

    run(folder, FakeClient(lambda request: "warm" if "number 3" in request.text else "cold"))
    audit = voirdire.audit(open_study(folder))
    assert {entry.judge for entry in audit.stand_in} == {"tone"}


def test_a_mistake_or_a_full_disk_ends_in_one_line_and_keeps_what_was_under_way(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from voirdire.errors import UserError

    judge = load_judge(folder / "tone.yaml")
    real = judge.recipe.judge

    async def wrong(items: Any, metric: Any, ask: Any) -> Any:
        if items[0].id == "i3":
            raise UserError("a prompt that does not fit")
        return await real(items, metric, ask)

    monkeypatch.setattr(judge.recipe, "judge", wrong)
    client = FakeClient(warm, delay=0.02)
    with open_store(folder) as store:
        plan = make_plan(open_study(folder), judge, store)
        with pytest.raises(UserError, match="does not fit"):
            asyncio.run(run_plan(plan, store, client=client))
    assert len(client.requests) == len(stored(folder)) == len(stored(folder, replies)) > 0
    monkeypatch.undo()

    def full(connection: Any, *rest: Any) -> None:
        raise sql.exc.OperationalError("INSERT", {}, Exception("database or disk is full"))

    monkeypatch.setattr("voirdire.store.group_commit.added", full)
    with pytest.raises(UserError, match="disk is full"):
        run(folder, FakeClient(warm))
