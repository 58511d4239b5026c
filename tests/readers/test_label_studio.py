"""Label Studio's JSON export, as its issue tracker shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import STATUSES, Study


def annotation(label: str, who: Any, **more: Any) -> dict[str, Any]:
    result = {"from_name": "verdict", "to_name": "text", "type": "choices", "value": {"choices": [label]}}
    return {"completed_by": who, "result": [result], **more}


def opened(folder: Path, tasks: list[dict[str, Any]]) -> Study:
    (folder / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    return open_study(folder / "tasks.json")


def test_every_annotation_is_a_rating_with_its_annotator_and_cancelled_ones_are_skips(tmp_path: Path) -> None:
    """Annotators as a number and as an object; the older name of annotations; one cancelled."""
    tasks = [
        {"id": 7, "data": {"text": "Hello", "label": "as imported"}, "annotations": [annotation("Pass", 1)]},
        {
            "id": 8,
            "data": {"text": "Bye"},
            "completions": [
                annotation("Borderline", {"id": 2, "email": "bo@example.org"}),
                annotation("Pass", 1, was_cancelled=True),
            ],
        },
    ]
    made = opened(tmp_path, tasks)
    rows = [
        (made.items.ids[i], made.raters[r].id, STATUSES[s])
        for i, r, s in zip(made.ratings.item, made.ratings.rater, made.ratings.status, strict=True)
    ]
    assert rows == [("7", "1", "ok"), ("8", "bo@example.org", "ok"), ("8", "1", "skip")]
    assert made.metrics[0].name == "verdict"
    assert made.metrics[0].scale.labels == ("Borderline", "Pass")
    assert list(made.items.texts["text"]) == ["Hello", "Bye"]
    assert any("read as Label Studio tasks: 3 ratings, 1 of them skips, by 2 people" in note for note in made.assumptions)


def test_predictions_are_a_judges_and_several_choices_a_response_set(tmp_path: Path) -> None:
    both = annotation("Pass", 1)
    both["result"][0]["value"]["choices"] = ["Pass", "Fail"]
    guess = {"model_version": "m1", "result": annotation("Fail", 0)["result"]}
    tasks = [
        {
            "id": 1,
            "data": {"text": "a"},
            "annotations": [both, annotation("Fail", 2)],
            "predictions": [guess],
        },
        {"id": 2, "data": {"text": "b"}, "annotations": [annotation("Pass", 2)]},
    ]
    made = opened(tmp_path, tasks)
    assert {rater.id: rater.kind for rater in made.raters} == {"1": "human", "2": "human", "m1": "judge"}
    assert set(made.metrics[0].scale.indeterminate) == {"Fail|Pass"}


def test_an_annotation_without_an_annotator_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="task 1: an annotation names no annotator"):
        opened(tmp_path, [{"id": 1, "data": {}, "annotations": [annotation("Pass", None)]}])


@pytest.mark.parametrize("junk", [7, "x", [], {}, [3], [{"value": 3}], [{"value": {"choices": []}}], None])
def test_results_of_another_form_are_no_labels(tmp_path: Path, junk: Any) -> None:
    odd = {"completed_by": 1, "result": junk}
    made = opened(
        tmp_path, [{"id": 1, "data": {"text": "a"}, "annotations": [annotation("Pass", 1), odd, 9]}]
    )
    assert len(made.ratings) == 1


def test_tasks_without_labels_are_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="without a choice, a rating or a number"):
        opened(tmp_path, [{"id": 1, "data": {}, "annotations": []}])
