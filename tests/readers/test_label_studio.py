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
    assert any(
        "read as Label Studio tasks: 3 ratings, 1 of them skips, by 2 people" in note
        for note in made.assumptions
    )


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


def test_an_address_and_a_number_are_one_annotator(tmp_path: Path) -> None:
    """An export names the same person by number in one place and by number and address in another."""
    tasks = [
        {"id": 1, "data": {"text": "a"}, "annotations": [annotation("Pass", 2)]},
        {
            "id": 2,
            "data": {"text": "b"},
            "annotations": [annotation("Fail", {"id": 2, "email": "bo@example.org"})],
        },
    ]
    assert [rater.id for rater in opened(tmp_path, tasks).raters] == ["bo@example.org"]


def result(question: str, kind: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"from_name": question, "to_name": "text", "type": kind, "value": {kind: value}, **more}


def textarea(question: str, words: str) -> dict[str, Any]:
    return {"from_name": question, "to_name": "text", "type": "textarea", "value": {"text": [words]}}


def test_comments_and_confidence_stand_beside_the_labels(tmp_path: Path) -> None:
    said = [
        result("verdict", "choices", ["Pass"]),
        result("stars", "rating", 4),
        textarea("verdict comment", "clear"),
        result("confidence", "rating", 2),
        textarea("advice", "shorter"),
    ]
    made = opened(tmp_path, [{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": said}]}])
    assert [metric.name for metric in made.metrics] == ["verdict", "stars"]
    assert list(made.ratings.attributes["rationale"]) == ["clear", None]
    assert list(made.ratings.attributes["confidence"]) == ["2", "2"]
    assert list(made.items.attributes["advice"]) == ["shorter"]


def test_a_second_annotation_by_one_person_is_a_later_run(tmp_path: Path) -> None:
    twice = [annotation("Pass", 1), annotation("Fail", 1), annotation("Pass", 2)]
    made = opened(tmp_path, [{"id": 1, "data": {}, "annotations": twice}])
    assert list(made.ratings.run) == ["0", "1", "0"]
    assert any("1 ratings are by somebody who had rated the item before" in note for note in made.assumptions)


def test_an_annotation_that_began_from_a_prediction_is_anchored(tmp_path: Path) -> None:
    said = [annotation("Pass", 1, parent_prediction=9), annotation("Fail", 2, parent_prediction=None)]
    made = opened(tmp_path, [{"id": 1, "data": {}, "annotations": said}])
    assert made.usable.tolist() == [False, True]


def test_an_empty_answer_is_a_skip_on_its_question_only(tmp_path: Path) -> None:
    said = [result("verdict", "choices", ["Pass"]), result("tone", "choices", [])]
    other = {"completed_by": 2, "result": [result("tone", "choices", ["warm"])]}
    cancelled = {"completed_by": 3, "was_cancelled": True, "result": [result("tone", "choices", [])]}
    made = opened(
        tmp_path,
        [{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": said}, other, cancelled]}],
    )
    rows = [
        (made.raters[r].id, made.metrics[m].name, STATUSES[s])
        for r, m, s in zip(made.ratings.rater, made.ratings.metric, made.ratings.status, strict=True)
    ]
    assert rows == [("1", "verdict", "ok"), ("1", "tone", "skip"), ("2", "tone", "ok"), ("3", "tone", "skip")]


def test_pairs_paths_and_what_is_no_label(tmp_path: Path) -> None:
    said = [
        result("better", "selected", "left", type="pairwise"),
        result("kind", "taxonomy", [["harm", "insult"]]),
        result("box", "rectanglelabels", ["x"]),
    ]
    task = {
        "id": 1,
        "data": {},
        "drafts": [{"result": said}],
        "predictions": [7, 8],
        "annotations": [{"completed_by": 1, "result": said}],
    }
    made = opened(tmp_path, [task])
    assert list(made.ratings.raw) == ["first", "harm / insult"]
    left_out = (
        "drafts (1), predictions of which only the number is told (2), answers of type rectanglelabels (1)"
    )
    assert f"tasks.json: left out: {left_out}." in made.assumptions


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        (
            [
                {
                    "data": {},
                    "annotations": [
                        {
                            "completed_by": 1,
                            "result": [result("q", "choices", ["a"]), result("q", "choices", ["b"])],
                        }
                    ],
                }
            ],
            "task 1: an annotation answers 'q' twice",
        ),
        ([{"data": {}, "annotations": [annotation("Pass", 1)]}, {"text": "x"}], "task 2: is no task"),
        (
            [{"data": {}, "annotations": [annotation("Pass", {"id": None})]}],
            "task 1: an annotation names no annotator",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_the_task(tmp_path: Path, tasks: Any, words: str) -> None:
    with pytest.raises(UserError, match=words) as problem:
        opened(tmp_path, tasks)
    assert "\n" not in str(problem.value)


MINIMAL = {
    "id": 1,
    "text": "Hello",
    "verdict": "Pass",
    "annotation_id": 3,
    "created_at": "2024-01-01",
    "lead_time": 2.1,
}


@pytest.mark.parametrize("suffix", [".json", ".csv", ".jsonl"])
def test_minimal_exports_say_that_the_annotator_is_missing(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"tasks{suffix}"
    for record in (MINIMAL, {**MINIMAL, "annotator": 4}):
        lines = {".json": json.dumps([record]), ".jsonl": json.dumps(record)}
        table = f"{','.join(record)}\n{','.join(map(str, record.values()))}\n"
        path.write_text(lines.get(suffix, table), encoding="utf-8")
        if "annotator" not in record:
            with pytest.raises(UserError, match=r"names no annotator; .* fix: export as JSON"):
                open_study(path)
    made = open_study(path)
    assert [rater.id for rater in made.raters] == ["4"]
    assert any("leaves out skips; its JSON export has them" in note for note in made.assumptions)


def test_hostile_data_stays_text(tmp_path: Path) -> None:
    data = {
        "text": "<script>",
        "label": "x",
        "run": "y",
        "prob_pass": "z",
        "turns": [{"role": "user", "content": "Hi"}],
    }
    made = opened(tmp_path, [{"id": 1, "data": data, "annotations": [annotation("=1+1", "</a>")]}])
    told = {**made.items.attributes, **made.items.texts}
    assert set(told) == {"text", "data label", "data run", "data prob_pass", "turns"}
    assert told["turns"][0] == '[{"role": "user", "content": "Hi"}]'
    assert list(made.ratings.raw) == ["=1+1"]
