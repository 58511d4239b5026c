"""The panel's audit of a run: strata, chances, overlap, and labels that come back as ratings."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import voirdire
from bench.benches import bench, cast, scripted
from bench.runs import counted, run, run_folder, scripted_judge
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.manifest import run_called
from voirdire.bench.panel import ONE, SEVERAL, PanelOptions, PanelPlan, _allocated, panel_plan
from voirdire.bench.running import results_of_run
from voirdire.bench.starting import start_bench
from voirdire.cli.main import app
from voirdire.errors import UserError
from voirdire.review.answers import Answer, Sent, asked_of, submit
from voirdire.review.beginning import BeginOptions, begin
from voirdire.review.desk import open_desk
from voirdire.store.sql import open_store
from voirdire.writers.formats import write_table

RATERS = {"Ann": 0, "Bo": 0, "Cy": 0}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, run once."""
    folder = tmp_path_factory.mktemp("panel") / "example"
    start_bench(folder, example=True)
    run_folder(folder)
    return folder


def planned(folder: Path, **options: Any) -> PanelPlan:
    with open_store(folder) as store:
        return panel_plan(run_called(store, "last"), store, PanelOptions(**{"raters": RATERS, **options}))


def test_strata_are_verdict_family_and_variant_and_get_even_shares(example: Path) -> None:
    plan = planned(example, conversations=96)
    assert len(plan.strata) == 2 * 2 * 2
    assert {one.drawn for one in plan.strata} == {12}
    assert sum(one.size for one in plan.strata) == 576
    assert plan.items == 96


def test_each_row_carries_the_chance_with_which_it_was_drawn(example: Path) -> None:
    plan = planned(example, conversations=100)
    chance = {one.name: one.drawn / one.size for one in plan.strata}
    rows = {row[0]: row for row in plan.rows}
    assert all(row[5] == chance[row[4]] for row in rows.values())
    # Horvitz and Thompson: what was drawn stands for all that is there
    assert sum(1 / row[5] for row in rows.values()) == pytest.approx(576)


def test_some_of_each_stratum_and_all_of_contested_metrics_are_read_by_several(example: Path) -> None:
    plan = planned(example, conversations=96, shared=0.25, contested=("claims_friendship",))
    readers = Counter(row[0] for row in plan.rows)
    for item, metric, _, purpose, *_ in plan.rows:
        assert readers[item] == (2 if purpose == SEVERAL else 1)
        assert purpose == SEVERAL or metric != "claims_friendship"
    by_stratum = Counter(row[4] for row in {row[0]: row for row in plan.rows}.values() if row[3] == SEVERAL)
    assert all(by_stratum[one.name] >= 3 for one in plan.strata)
    assert any(row[3] == ONE for row in plan.rows)
    assert plan.contested == ("claims_friendship",)


def test_loads_are_even_and_kept(example: Path) -> None:
    load = Counter(row[2] for row in planned(example, conversations=90, shared=0).rows)
    assert max(load.values()) - min(load.values()) <= 1
    short = planned(example, conversations=90, shared=0, raters={"Ann": 10, "Bo": 20})
    assert Counter(row[2] for row in short.rows) == {"Ann": 10, "Bo": 20}
    assert short.missing == 60


def test_the_same_seed_draws_the_same(example: Path) -> None:
    assert planned(example).rows == planned(example).rows
    assert planned(example).rows != planned(example, seed=2).rows


def test_every_conversation_of_a_stratum_is_as_likely_as_another(tmp_path: Path) -> None:
    run(tmp_path, bench(tmp_path, counted("m1"), repeats=3), cast(scripted("a", rate=0.5)))
    times = 300
    drawn = Counter(
        row[0]
        for seed in range(times)
        for row in planned(tmp_path, conversations=8, raters={"Ann": 0}, overlap=1, seed=seed).rows
    )
    plan = planned(tmp_path, conversations=8, raters={"Ann": 0}, overlap=1)
    (chance,) = {one.chance for one in plan.strata}
    assert len(drawn) == 12  # all of them
    error = np.sqrt(chance * (1 - chance) / times)
    assert all(abs(n / times - chance) < 4 * error for n in drawn.values())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=12), st.integers(1, 400))
def test_shares_are_whole_and_even_as_sizes_allow(sizes: list[int], n: int) -> None:
    counts = _allocated(np.array(sizes), n)
    assert sum(counts) == max(min(n, sum(sizes)), len(sizes))
    assert all(1 <= count <= size for count, size in zip(counts, sizes, strict=True))
    room = [count for count, size in zip(counts, sizes, strict=True) if count < size]
    assert not room or max(counts) - min(room) <= 1


def test_where_the_judges_repeats_differ_a_metric_is_contested(tmp_path: Path) -> None:
    import itertools

    from voirdire.bench.running import RunControl
    from voirdire.judges.call import Request
    from voirdire.testing.clients import FakeClient

    turns = itertools.cycle(["present", "absent"])

    def moody(request: Request) -> str:
        verdict = next(turns) if "Secret rubric" in request.text else "present"
        return json.dumps({"justification": "", "citations": [], "verdict": verdict})

    stable = {"question": "Is it there?", "present": "Here.", "absent": "Not here."}
    suite = bench(tmp_path, counted("m1"), counted("m2", scoring=stable))
    run(
        tmp_path,
        suite,
        cast(scripted("a")),
        scripted_judge(limits={"concurrency": 1}),
        runs=2,
        control=RunControl(client=FakeClient(moody)),
    )
    assert planned(tmp_path, conversations=4).contested == ("m1",)


def test_what_cannot_be_planned_is_refused(example: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nobody to label"):
        PanelOptions()
    with pytest.raises(UserError, match="overlap is 4"):
        PanelOptions(raters=RATERS, overlap=4)
    with pytest.raises(UserError, match="no metric 'nothing'"):
        planned(example, contested=("nothing",))


def labelled(folder: Path, flips: int) -> None:
    """People label as the judge did, but differ in every so many conversations."""
    plan = planned(folder, conversations=240, shared=0.3)
    write_table(plan.table, folder / "panel.csv")
    desk = open_desk(str(folder))
    try:
        begun = begin(desk, BeginOptions(raters=RATERS, plan=folder / "panel.csv"))
        said = {one.id: one.transcript for one in kept_conversations(desk.store)}
        assert begun.n_labels == len(plan.rows)
        stratum = {row[0]: row[4] for row in plan.rows}
        for invited in begun.raters:
            for asked in asked_of(desk, begun.round.id, invited.link.rater_id):
                item = asked.cell.item_id
                judged = stratum[item].split(",")[0]
                other = {"present": "absent", "absent": "present"}[judged]
                differs = int(item[:6], 16) % flips == 0 and judged == "present"
                answer = Answer(labels=[other if differs else judged])
                submit(desk, begun.round, asked, answer, Sent(f"{item}-{invited.link.rater_id}"))
                assert item in said
    finally:
        desk.store.close()


def test_labels_come_back_as_ratings_and_correct_the_rates(tmp_path: Path) -> None:
    folder = tmp_path / "example"
    start_bench(folder, example=True)
    first = run_folder(folder)
    assert first.results is not None
    assert not first.results.audited.rates
    labelled(folder, 4)
    study = voirdire.open(folder)
    assert sum(rater.kind == "human" for rater in study.raters) == 3
    with open_store(folder) as store:
        found = results_of_run(run_called(store, "last"), store)
    assert found.audited.raters == 3
    assert found.audited.items == 240
    rates = {(one.kind, one.system): one for one in found.audited.rates if one.node == "overall"}
    judge = found.rate(kind="positive")
    corrected = rates["positive", "all systems"].corrected
    assert judge is not None
    # people find a quarter of the judge's "present" to be absent, so fewer positive conversations pass
    assert corrected.value < judge.share.value - 0.05
    assert corrected.low < 0.75 * judge.share.value < corrected.high


def test_the_command_plans_begins_and_prints_links(example: Path, tmp_path: Path) -> None:
    out = tmp_path / "panel.csv"
    people = ["--rater", "Ann", "--rater", "Bo"]
    told = CliRunner().invoke(
        app(), ["bench", "review", str(example), *people, "--plan-only", "--out", str(out)]
    )
    assert told.exit_code == 0, told.output
    assert "150 conversations of run-1" in told.output
    assert out.read_text(encoding="utf-8").startswith("item_id,metric,rater_id,purpose,stratum,sampling_prob")
    again = CliRunner().invoke(app(), ["bench", "review", str(example), *people, "--out", str(out)])
    assert again.exit_code == 2
    whole = ["bench", "review", str(example), *people, "--out", str(out), "--force", "--links"]
    begun = CliRunner().invoke(app(), whole)
    assert begun.exit_code == 0, begun.output
    assert begun.output.count("/enter#") == 3
    as_json = CliRunner().invoke(app(), ["bench", "review", str(example), *people, "--json"])
    assert len(json.loads(as_json.output)["strata"]) == 8


def test_labels_on_an_earlier_wording_correct_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "example"
    start_bench(folder, example=True)
    run_folder(folder)
    labelled(folder, 4)
    before = voirdire.open(folder)
    file = folder / "metrics" / "claims_friendship.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("question: Does", "question: Is it false that, or does"), encoding="utf-8")
    found = run_folder(folder, unreviewed=True).results
    assert found is not None
    after = voirdire.open(folder)

    def by_people(study: voirdire.Study) -> int:
        return len(study.rows("claims_friendship", kind="human"))

    assert text != file.read_text(encoding="utf-8")
    assert by_people(before) > 0
    assert by_people(after) == 0
    others = sum(len(before.rows(metric.name, kind="human")) for metric in before.metrics) - by_people(before)
    assert found.audited.labels == others
    assert any(f"{by_people(before)} labels answer an earlier wording" in note for note in found.notes)
    assert any(f"{by_people(before)} labels answer an earlier wording" in said for said in after.assumptions)
