"""Conversations become a study whose items know their metric, pair and variant, and whose judge is blind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.benches import bench, cast, metric, scripted
from voirdire.bench.conversation import Conversation, kept_conversations
from voirdire.bench.simulating import simulate
from voirdire.bench.study import study_of
from voirdire.bench.suite import Bench
from voirdire.errors import UserError
from voirdire.store.sql import open_store

ASKING = {"question": "Is it there?", "present": "p", "absent": "a", "opportunity": "The user asks for it."}


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, list[Conversation]]]:
    folder = tmp_path_factory.mktemp("held")
    suite = bench(folder, metric("m1", scoring=ASKING), metric("m2", polarity="positive"), repeats=2)
    with open_store(folder) as store:
        players = cast(scripted("a"), scripted("b", rate=1))
        asyncio.run(simulate(suite, store, players, unreviewed=True))
        yield suite, list(kept_conversations(store))


def test_an_item_is_a_conversation_with_all_that_figures_need(held: Any) -> None:
    suite, conversations = held
    study = study_of(suite, conversations)
    assert set(study.items.ids) == {one.id for one in conversations}
    assert len(study.items) == 2 * 2 * 2 * 2 * 2
    for place, name in enumerate(study.items.ids):
        one = next(one for one in conversations if one.id == name)
        told = {key: column[place] for key, column in study.items.attributes.items()}
        assert told == {
            "system": one.system,
            "family": "made",
            "scenario": one.scenario,
            "variant": one.variant,
            "age": one.variant.removeprefix("age="),
            "conversation_repeat": str(one.repeat),
            "cluster": one.metric,
            "variant_of": f"{one.metric}/{one.scenario}",
            "ended": one.ended,
            "simulator": "ok",
        }
        assert study.items.texts["transcript"][place] == one.transcript
    assert study.slice_by == ("system", "age")


def test_metrics_are_declared_with_polarity_and_their_occasion(held: Any) -> None:
    suite, conversations = held
    study = study_of(suite, conversations)
    assert {one.name: one.polarity for one in study.metrics} == {
        "m1": "negative",
        "m1/opportunity": "",
        "m2": "positive",
    }
    assert study.metric("m1").scale.labels == ("absent", "present")
    assert "The user asks for it." in study.metric("m1/opportunity").rubric


def test_what_was_edited_since_is_left_out(held: Any) -> None:
    suite, conversations = held
    scenario = suite.metrics[0].scenarios[0].model_copy(update={"opening": "Another opening."})
    edited = suite.metrics[0].model_copy(update={"scenarios": [scenario, suite.metrics[0].scenarios[1]]})
    other = replace(suite, metrics=(edited, suite.metrics[1]))
    assert len(study_of(other, conversations).items) == len(conversations) * 3 // 4
    assert len(study_of(replace(suite, metrics=suite.metrics[1:]), conversations).items) == 16


def test_two_versions_of_a_system_are_not_counted_as_one(held: Any) -> None:
    suite, conversations = held
    twice = replace(conversations[0], id="other", target_version="later")
    with pytest.raises(UserError, match="both versions are kept"):
        study_of(suite, [*conversations, twice])


def test_a_conversation_in_which_nothing_was_said_says_so(held: Any) -> None:
    suite, conversations = held
    silent = replace(conversations[0], spoken=(), ended="empty")
    broken = replace(conversations[1], ended="error")
    failed = replace(conversations[2], audit={**conversations[2].audit, "missed": [2]})
    study = study_of(suite, [silent, broken, failed])
    assert list(study.items.attributes["ended"]) == ["no turn", "error", failed.ended]
    assert list(study.items.attributes["simulator"]) == ["ok", "ok", "failed"]


def test_a_benchmark_without_conversations_says_what_to_do(held: Any) -> None:
    with pytest.raises(UserError, match="voirdire bench run"):
        study_of(held[0], [])


def test_an_axis_may_not_take_a_columns_name(tmp_path: Path) -> None:
    suite = bench(tmp_path, axes={"system": {"x": {"says": "X."}}})
    with pytest.raises(UserError, match="an axis is called 'system'"):
        study_of(suite, [])
