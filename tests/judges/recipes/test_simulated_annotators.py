"""Each simulated person is shown by labels of one real person, never of several, nor of the item itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sql

from voirdire.errors import UserError
from voirdire.judges.call import Reply, Request
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import run_plan
from voirdire.opening import open as open_study
from voirdire.store.schema import verdicts
from voirdire.store.sql import open_store
from voirdire.testing.clients import FakeClient, spread

JUDGE = "judge: sims\nmodel: m\nrecipe: simulated_annotators\noptions: {annotators: 2, examples: %d}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people = {"ann": "pass", "bo": "fail", "cy": "pass"}
    labels = ["item_id,metric,rater_id,rater_kind,label"]
    labels += [
        f"i{k},good,{who},human,{label}"
        for k in range(12)
        for who, label in people.items()
        if (k, who) != (0, "bo")
    ]
    (tmp_path / "labels.csv").write_text("\n".join(labels))
    (tmp_path / "texts.csv").write_text(
        "item_id,text\n" + "".join(f"i{k},Reply number {k}.\n" for k in range(12))
    )
    (tmp_path / "study.yaml").write_text(
        "tables: [{file: labels.csv}, {file: texts.csv, kind: items}]\n"
        "metrics: {good: {scale: {kind: binary, labels: [fail, pass]}}}\n"
    )
    (tmp_path / "j.yaml").write_text(JUDGE % 3)
    return tmp_path


def test_examples_are_one_persons_and_are_not_judged(folder: Path) -> None:
    def answer(request: Request) -> Reply:
        said = request.messages[-1].content
        return spread(
            {"pass": 0.8, "fail": 0.2} if said.count("label: pass") == 3 else {"pass": 0.1, "fail": 0.9}
        )

    client = FakeClient(answer)
    with open_store(folder) as store:
        plan = make_plan(open_study(folder), load_judge(folder / "j.yaml"), store)
        used, _ = plan.judge.recipe.examples_of(plan.study.metric("good"))  # type: ignore[attr-defined]
        assert 3 <= len(used) <= 6
        assert len(plan) == 12 - len(used)
        asyncio.run(run_plan(plan, store, client=client))
        rows = store.rows(sql.select(verdicts).where(verdicts.c.part == ""))
    assert not {row["item_id"] for row in rows} & used
    for request in client.requests:
        said = request.messages[-1].content
        assert {said.count("label: pass"), said.count("label: fail")} == {0, 3}
        assert not any(name in request.text for name in ("ann", "bo", "cy"))
    assert all(row["confidence"] == pytest.approx(max(row["probabilities"].values())) for row in rows)


def test_the_same_seed_draws_the_same_examples_and_other_labels_judge_anew(folder: Path) -> None:
    def hashes() -> set[str]:
        with open_store(folder) as store:
            return {
                task.content_hash
                for task in make_plan(open_study(folder), load_judge(folder / "j.yaml"), store).tasks
            }

    before = hashes()
    assert hashes() == before
    text = (folder / "labels.csv").read_text()
    (folder / "labels.csv").write_text(
        text.replace("human,pass", "human,swap")
        .replace("human,fail", "human,pass")
        .replace("human,swap", "human,fail")
    )
    assert not hashes() & before


def test_too_few_labels_are_refused(folder: Path) -> None:
    (folder / "j.yaml").write_text(JUDGE % 20)
    with open_store(folder) as store, pytest.raises(UserError, match="nobody gave 20 labels"):
        make_plan(open_study(folder), load_judge(folder / "j.yaml"), store)
