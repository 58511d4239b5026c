"""Argilla's records, in the three forms that its SDK and its server write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import STATUSES, Study

ANN, BO, CY = (f"{digit * 8}-0000-4000-8000-000000000000" for digit in "123")


def record(responses: Any, **more: Any) -> dict[str, Any]:
    """A record as ``to_disk`` writes it."""
    parts = {"fields": {"text": "Hello"}, "metadata": {"topic": "grief"}, "suggestions": {}, "vectors": {}}
    return {"id": "r1", **parts, "responses": responses, "status": "completed", "_server_id": None, **more}


def opened(folder: Path, records: Any) -> Study:
    (folder / "records.json").write_text(json.dumps(records), encoding="utf-8")
    return open_study(folder / "records.json")


def rows(study: Study) -> list[tuple[str, str, str | None, str]]:
    """Rater, metric, label as it came in and status of every rating."""
    ratings = study.ratings
    return [
        (
            study.raters[ratings.rater[row]].id,
            study.metrics[ratings.metric[row]].name,
            ratings.raw[row],
            STATUSES[ratings.status[row]],
        )
        for row in range(len(ratings))
    ]


def test_records_on_disk_hold_several_responses_a_question(tmp_path: Path) -> None:
    responses = {
        "verdict": [{"value": "pass", "user_id": ANN}, {"value": "fail", "user_id": BO}],
        "tone": [{"value": ["warm", "calm"], "user_id": ANN}],
        "stars": [{"value": 4, "user_id": BO}],
    }
    study = opened(tmp_path, [record(responses)])
    assert sorted(rows(study)) == [
        (ANN, "tone", '["warm", "calm"]', "ok"),
        (ANN, "verdict", "pass", "ok"),
        (BO, "stars", "4", "ok"),
        (BO, "verdict", "fail", "ok"),
    ]
    assert study.items.ids == ("r1",)
    assert list(study.items.texts["text"]) == ["Hello"]
    assert list(study.items.attributes["topic"]) == ["grief"]
    assert any("no response statuses" in note for note in study.assumptions)


def test_the_servers_form_tells_drafts_and_discarded_responses(tmp_path: Path) -> None:
    """A draft is kept out and counted, a discarded response is a skip on every question."""
    said = [
        {
            "values": {"verdict": {"value": "pass"}, "stars": {"value": 3}},
            "status": "submitted",
            "user_id": ANN,
        },
        {"values": {"verdict": {"value": "fail"}}, "status": "draft", "user_id": BO},
        {"values": {"verdict": {"value": "fail"}}, "status": "discarded", "user_id": CY},
    ]
    study = opened(
        tmp_path, [{"external_id": "r1", "fields": {"text": "x"}, "suggestions": [], "responses": said}]
    )
    assert sorted(rows(study)) == [
        (ANN, "stars", "3", "ok"),
        (ANN, "verdict", "pass", "ok"),
        (CY, "stars", None, "skip"),
        (CY, "verdict", None, "skip"),
    ]
    assert "records.json: left out: drafts (1)." in study.assumptions


def test_flattened_records_are_read_the_same(tmp_path: Path) -> None:
    flat = {
        "id": "r1",
        "status": "completed",
        "_server_id": "s",
        "text": "Hello",
        "topic": "grief",
        "verdict.responses": ["pass", "fail", "fail"],
        "verdict.responses.users": [ANN, BO, CY],
        "verdict.responses.status": ["submitted", "discarded", "draft"],
        "verdict.suggestion": "pass",
        "verdict.suggestion.agent": "judge-1",
        "verdict.suggestion.score": 0.8,
    }
    study = opened(tmp_path, [flat])
    assert rows(study) == [
        (ANN, "verdict", "pass", "ok"),
        (BO, "verdict", None, "skip"),
        ("judge-1", "verdict", "pass", "ok"),
    ]
    assert set(study.items.attributes) | set(study.items.texts) == {"text", "topic"}
    assert [rater.kind for rater in study.raters] == ["human", "human", "judge"]


def test_answers_given_beside_a_suggestion_are_anchored(tmp_path: Path) -> None:
    responses = {
        "verdict": [{"value": "pass", "user_id": ANN, "status": "submitted"}],
        "tone": [{"value": "warm", "user_id": ANN, "status": "submitted"}],
    }
    suggestions = {"verdict": {"value": "pass", "score": None, "agent": None}}
    study = opened(tmp_path, [record(responses, suggestions=suggestions)])
    usable = {
        (metric, rater) for (rater, metric, _, _), use in zip(rows(study), study.usable, strict=True) if use
    }
    assert usable == {("tone", ANN), ("verdict", "suggestion")}


def test_free_words_are_told_by_the_settings_or_by_their_length(tmp_path: Path) -> None:
    def of(words: str) -> dict[str, Any]:
        given = {"verdict": [{"value": "pass", "user_id": ANN}], "why": [{"value": words, "user_id": ANN}]}
        return record(given)

    assert [metric.name for metric in opened(tmp_path, [of("short")]).metrics] == ["verdict", "why"]
    long = opened(tmp_path, [of("word " * 50)])
    assert [metric.name for metric in long.metrics] == ["verdict"]
    (tmp_path / ".argilla").mkdir()
    questions = [
        {"name": "why", "settings": {"type": "text"}},
        {"name": "verdict", "settings": {"type": "label_selection"}},
    ]
    (tmp_path / ".argilla/settings.json").write_text(json.dumps({"questions": questions}), encoding="utf-8")
    told = opened(tmp_path, [of("short")])
    assert [metric.name for metric in told.metrics] == ["verdict"]
    assert "short" in {*told.items.attributes.get("why", []), *told.ratings.attributes.get("why", [])}


def test_a_comment_is_the_reason_of_the_labels_it_stands_beside(tmp_path: Path) -> None:
    given = {
        "verdict": [{"value": "pass", "user_id": ANN}],
        "tone": [{"value": "warm", "user_id": ANN}],
        "verdict_comment": [{"value": "clearly", "user_id": ANN}],
        "confidence": [{"value": 3, "user_id": ANN}],
    }
    study = opened(tmp_path, [record(given)])
    assert [metric.name for metric in study.metrics] == ["verdict", "tone"]
    assert list(study.ratings.attributes["rationale"]) == ["clearly", None]
    assert list(study.ratings.attributes["confidence"]) == ["3", "3"]


def test_rankings_and_spans_are_counted_and_left_out(tmp_path: Path) -> None:
    given = {
        "verdict": [{"value": "pass", "user_id": ANN}],
        "spans": [{"value": [{"start": 0, "end": 2, "label": "x"}], "user_id": ANN}],
    }
    study = opened(tmp_path, [record(given)])
    assert "records.json: left out: rankings and spans (1)." in study.assumptions


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([record({"verdict": [{"value": "pass", "user_id": None}]})], "record 1: a response names no user"),
        ([record({"verdict": [{"value": "pass"}]})], "record 1: a response names no user"),
        (
            [record({"verdict": [{"value": "a", "user_id": ANN}, {"value": "b", "user_id": ANN}]})],
            "answers 'verdict' twice",
        ),
        ([record({"verdict": [{"value": "a", "user_id": ANN}]}), {"text": "x"}], "record 2: is no record"),
        ([record({})], "without a choice, a rating or a number"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_the_record(tmp_path: Path, records: Any, words: str) -> None:
    with pytest.raises(UserError, match=words) as problem:
        opened(tmp_path, records)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    "junk", [None, 7, "x", [], {}, [7], {"q": 7}, {"q": [7]}, [{"values": 7, "user_id": "u"}]]
)
def test_responses_of_another_form_are_no_labels(tmp_path: Path, junk: Any) -> None:
    good = record({"verdict": [{"value": "pass", "user_id": ANN}]})
    kept = junk if isinstance(junk, dict | list) else {}
    study = opened(tmp_path, [good, {**record(kept), "id": "r2", "suggestions": junk}])
    assert [label for _, _, label, _ in rows(study) if label] == ["pass"]
