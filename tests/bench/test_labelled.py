"""Labels that people gave in a review reach the corrected rates, with the chances of being sampled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.benches import bench, cast, metric, scripted
from bench.test_judging import ASKING, a_judge, answer
from voirdire.bench.aggregate import AggregateOptions, about_of, aggregate, results_of
from voirdire.bench.cells import ALL
from voirdire.bench.collecting import outcomes_of
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.judging import judging_plan
from voirdire.bench.labelled import labelled_study
from voirdire.bench.outcomes import Outcomes
from voirdire.bench.simulating import simulate
from voirdire.bench.study import study_of
from voirdire.bench.suite import Bench
from voirdire.judges.runner import run_plan
from voirdire.store.review_schema import assignments, labels
from voirdire.store.sql import Store, open_store
from voirdire.testing.clients import FakeClient

NAMES = ("m1", "m2", "m3", "m4")
QUICK = AggregateOptions(draws=200)


def reviewed(name: str, polarity: str) -> Any:
    """A metric that counts, for a made person checked it as it stands."""
    whole = metric(name, polarity=polarity, scoring=ASKING)
    check = {"by": "A made person", "date": "2026-11-29", "version": whole.version}
    fine = {"fidelity": True, "clarity": True, "observability": True}
    return metric(name, polarity=polarity, scoring=ASKING, reviews=[{**check, **fine}])


@dataclass
class Judged:
    suite: Bench
    store: Store
    outcomes: Outcomes


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Judged]:
    """Verdicts on 64 conversations of four metrics, of a judge that misses nothing."""
    kinds = ("positive", "negative", "positive", "negative")
    suite = bench(tmp_path, *map(reviewed, NAMES, kinds), repeats=2)
    with open_store(tmp_path) as store:
        asyncio.run(simulate(suite, store, cast(scripted("sysA", rate=0.25), scripted("sysB", rate=0.75))))
        study = study_of(suite, kept_conversations(store))
        plan = judging_plan(suite, study, a_judge())
        asyncio.run(run_plan(plan, store, client=FakeClient(answer)))
        yield Judged(suite, store, outcomes_of(suite, plan, store))


def say(
    store: Store, item: str, metric: str, label: str, *, rater: str = "ann", chance: float | None = None
) -> None:
    """A person's label, handed in in a round, with what the round says of the item."""
    cell = {"round_id": "r1", "rater_id": rater, "item_id": item, "metric": metric}
    asked = {"purpose": "", "stratum": "", "presented": "", "letter": "", "options": ["absent", "present"]}
    when = {"created_at": "2026-11-29T12:00:00.000"}
    place = len(store.rows(assignments.select()))
    store.add(assignments, [{**cell, **asked, **when, "place": place, "sampling_probability": chance}])
    given = {"revision": 1, "labels": [label], "event": f"e{place}", "status": "ok"}
    columns = {column.name: column for column in labels.columns}
    row = {**cell, **given, **when}
    blank = {
        name: {"cites": [], "late": False, "anchored": False}.get(name, "")
        for name, column in columns.items()
        if name not in row and not column.nullable and column.server_default is None
    }
    store.add(labels, [{**row, **blank}])


def label_all(run: Judged, *, wrong: int = 0) -> None:
    """Ann agrees with the judge, but for ``wrong`` conversations."""
    for place, name in enumerate(run.outcomes.ids):
        there = bool(run.outcomes.present[place]) != (place < wrong)
        own = run.outcomes.metrics[run.outcomes.metric[place]].name
        say(run.store, name, own, "present" if there else "absent")


def test_without_labels_there_is_no_study_and_nothing_is_audited(run: Judged) -> None:
    assert labelled_study(run.suite, [("J", run.outcomes)], run.store) is None
    results = aggregate(run.suite, run.store, [a_judge()], QUICK)
    assert results.audited.why == "no person has labelled a conversation"


def test_labels_and_verdicts_stand_side_by_side(run: Judged) -> None:
    label_all(run, wrong=8)
    study = labelled_study(run.suite, [("J", run.outcomes)], run.store)
    assert study is not None
    assert len(study.items) == len(run.outcomes) == 64
    assert {rater.id: rater.kind for rater in study.raters} == {"J": "judge", "ann": "human"}
    assert len(study.ratings) == 128
    assert {metric.name: metric.polarity for metric in study.metrics}["m2"] == "negative"


def test_people_who_disagree_move_the_rate(run: Judged) -> None:
    label_all(run, wrong=16)
    results = aggregate(run.suite, run.store, [a_judge()], QUICK)
    audited = {(one.node, one.kind, one.system): one for one in results.audited.rates}
    one = audited["overall", "both", ALL]
    assert (one.labelled, one.items, one.metrics, one.of) == (64, 64, 4, 4)
    passed = run.outcomes.passed.copy()
    passed[:16] = 1 - passed[:16]
    assert one.corrected.value == pytest.approx(passed.mean(), abs=0.03)
    assert results.rate().share.value == pytest.approx(run.outcomes.passed.mean())  # type: ignore[union-attr]


def test_chances_stay_with_labels_where_every_label_has_one(run: Judged) -> None:
    for place in range(40):
        own = run.outcomes.metrics[run.outcomes.metric[place]].name
        say(run.store, run.outcomes.ids[place], own, "present", chance=0.5 if place % 2 else 0.25)
    study = labelled_study(run.suite, [("J", run.outcomes)], run.store)
    assert study is not None
    kept = {**study.items.attributes, **study.ratings.attributes}["sampling_probability"]
    assert set(kept) - {None} == {"0.5", "0.25"}


def test_chances_that_some_lack_are_not_used(run: Judged) -> None:
    for place in range(40):
        own = run.outcomes.metrics[run.outcomes.metric[place]].name
        say(run.store, run.outcomes.ids[place], own, "present", chance=0.5 if place else None)
    study = labelled_study(run.suite, [("J", run.outcomes)], run.store)
    assert study is not None
    assert "sampling_probability" not in {**study.items.attributes, **study.ratings.attributes}


def test_labels_on_other_conversations_or_metrics_do_not_count(run: Judged) -> None:
    say(run.store, "elsewhere", "m1", "present")
    say(run.store, run.outcomes.ids[0], "m1/opportunity", "present")
    assert labelled_study(run.suite, [("J", run.outcomes)], run.store) is None


def test_results_do_not_change_with_the_order_of_conversations(run: Judged) -> None:
    about = about_of(run.suite, run.store, a_judge())
    turned = run.outcomes.take(np.arange(64)[::-1])
    first, second = (results_of(one, about, QUICK).to_dict() for one in (run.outcomes, turned))
    assert json.dumps(first["rates"]) == json.dumps(second["rates"])
    assert first["contrasts"] == second["contrasts"]
