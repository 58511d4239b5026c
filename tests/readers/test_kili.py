"""Kili's export, in the form that its SDK downloads: assets with every label, or labels one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import STATUSES, Study


def label(author: str, response: Any, kind: str = "DEFAULT", **more: Any) -> dict[str, Any]:
    parts = {"author": {"id": f"id of {author}", "email": author}, "createdAt": "2024-05-01T09:00:00.000Z"}
    return {**parts, "jsonResponse": response, "labelType": kind, "isLatestLabelForUser": True, **more}


def classes(*names: str, job: str = "VERDICT") -> dict[str, Any]:
    return {job: {"categories": [{"name": name, "confidence": 100} for name in names]}}


def asset(*labels: Any, name: str = "a1") -> dict[str, Any]:
    return {
        "id": f"cl{name}",
        "externalId": name,
        "content": "Hello",
        "jsonMetadata": {"topic": "x"},
        "labels": list(labels),
    }


def opened(folder: Path, records: Any, file: str = "data.json") -> Study:
    text = json.dumps(records) if file == "data.json" else "\n".join(map(json.dumps, records))
    (folder / file).write_text(text, encoding="utf-8")
    return open_study(folder / file)


def rows(study: Study) -> list[tuple[str, str, str, str | None, str]]:
    """Item, rater, metric, label as it came in and status of every rating."""
    ratings = study.ratings
    return [
        (
            study.items.ids[ratings.item[row]],
            study.raters[ratings.rater[row]].id,
            study.metrics[ratings.metric[row]].name,
            ratings.raw[row],
            STATUSES[ratings.status[row]],
        )
        for row in range(len(ratings))
    ]


@pytest.mark.parametrize("file", ["data.json", "data.jsonl"])
def test_every_authors_label_is_a_rating(tmp_path: Path, file: str) -> None:
    assets = [
        asset(label("ann@example.org", classes("PASS")), label("bo@example.org", classes("PASS", "FAIL"))),
        asset(label("ann@example.org", {}), name="a2"),
    ]
    study = opened(tmp_path, assets, file)
    assert rows(study) == [
        ("a1", "ann@example.org", "VERDICT", "PASS", "ok"),
        ("a1", "bo@example.org", "VERDICT", '["PASS", "FAIL"]', "ok"),
        ("a2", "ann@example.org", "VERDICT", None, "skip"),
    ]
    assert list(study.items.texts["text"]) == ["Hello", "Hello"]
    assert list(study.items.attributes["topic"]) == ["x", "x"]


def test_types_of_labels_mean_what_they_do_in_kili(tmp_path: Path) -> None:
    """A review is anchored, predictions are a judge's, autosaved and replaced labels are counted."""
    study = opened(
        tmp_path,
        [
            asset(
                label("ann@example.org", classes("FAIL"), isLatestLabelForUser=False),
                label("ann@example.org", classes("PASS")),
                label("rev@example.org", classes("FAIL"), "REVIEW"),
                label("api@example.org", classes("FAIL"), "PREDICTION", modelName="judge-1"),
                label("api@example.org", classes("PASS"), "INFERENCE", modelName=None),
                label("bo@example.org", classes("FAIL"), "AUTOSAVE"),
            )
        ],
    )
    assert [(rater.id, rater.kind) for rater in study.raters] == [
        ("ann@example.org", "human"),
        ("rev@example.org", "human"),
        ("judge-1", "judge"),
        ("inference", "judge"),
    ]
    assert list(study.ratings.attributes["anchored"]) == [None, "true", None, None]
    assert (
        "data.json: left out: versions of labels that their author replaced (1), autosaved labels (1)."
        in study.assumptions
    )


def test_jobs_inside_a_category_and_words_beside_it(tmp_path: Path) -> None:
    inner = {"SEVERITY": {"categories": [{"name": "HIGH"}]}}
    response = {
        "VERDICT": {"categories": [{"name": "FAIL", "children": inner}]},
        "VERDICT_COMMENT": {"text": "rude"},
        "SCORE": {"text": "7.5"},
        "BOXES": {"annotations": [{}]},
    }
    study = opened(tmp_path, [asset(label("ann@example.org", response))])
    assert {(metric, given) for _, _, metric, given, _ in rows(study)} == {
        ("VERDICT", "FAIL"),
        ("SEVERITY", "HIGH"),
        ("SCORE", "7.5"),
    }
    assert dict(
        zip(
            [metric for _, _, metric, _, _ in rows(study)], study.ratings.attributes["rationale"], strict=True
        )
    ) == {
        "VERDICT": "rude",
        "SEVERITY": None,
        "SCORE": None,
    }
    assert "data.json: left out: answers that are no category and no text (1)." in study.assumptions


def test_labels_one_by_one_and_only_the_latest(tmp_path: Path) -> None:
    """What ``kili.labels`` returns, a response spelled as JSON, and an export of the latest labels."""
    single = {
        **label("ann@example.org", json.dumps(classes("PASS"))),
        "labelOf": {"id": "cl1", "externalId": "a1"},
    }
    assert rows(opened(tmp_path, [single])) == [("a1", "ann@example.org", "VERDICT", "PASS", "ok")]
    latest = {"externalId": "a1", "content": "x", "latestLabel": label("ann@example.org", classes("PASS"))}
    assert rows(opened(tmp_path, [latest])) == [("a1", "ann@example.org", "VERDICT", "PASS", "ok")]


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([asset({**label("x", classes("P")), "author": None})], "asset 1: a label names no author"),
        ([asset(label("x", "{"))], "asset 1: jsonResponse is not JSON"),
        ([asset(label("x", [1]))], "asset 1: jsonResponse is no object"),
        ([asset(label("x", classes("P"))), {"a": 1}], "asset 2: is no asset"),
        ([asset()], "without a choice, a rating or a number"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_the_asset(tmp_path: Path, records: Any, words: str) -> None:
    with pytest.raises(UserError, match=words) as problem:
        opened(tmp_path, records)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    "junk", [{"J": 7}, {"J": {"categories": 7}}, {"J": {"categories": [7, {}]}}, {"J": {"text": None}}]
)
def test_answers_of_another_form_are_no_labels(tmp_path: Path, junk: Any) -> None:
    study = opened(
        tmp_path, [asset(label("ann@example.org", classes("PASS")), label("bo@example.org", junk))]
    )
    assert [given for *_, given, _ in rows(study) if given] == ["PASS"]
