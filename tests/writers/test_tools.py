"""To a labelling tool and back: every label, skip and response set is still there, whatever it is called."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voirdire
from voirdire import ExportOptions, ToolOptions, UserError
from voirdire.opening import open as open_study
from voirdire.study import STATUSES, Study
from voirdire.writers.key import read_key

TOOLS = ("label-studio", "argilla")
HOSTILE = [
    "</Choice><script>",
    "&amp;",
    '"quoted"',
    "$text",
    "e\u0301",
    "\u202eabc",
    "🙂",
    "a,b",
    "null",
    "[]",
    "'",
]
MARK = "comment"
"""A metric's name that in a tool would be taken for a field beside another question."""

plain = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=8)
word = st.one_of(st.sampled_from(HOSTILE), plain).filter(
    lambda text: text.strip() == text and "|" not in text
)
name = st.one_of(st.sampled_from([MARK, "warmth__rationale", "text", "7", "007"]), word)
words = st.lists(word.filter(lambda text: not text.startswith("[")), min_size=2, max_size=4, unique=True)
points = st.just(["1", "2", "3"])
numbers = st.just([str(n / 2) if n % 2 else str(n // 2) for n in range(1, 13)])


@st.composite
def studies(draw: st.DrawFn) -> dict[str, list[Any]]:
    """A table of two metrics with skips, response sets and reasons; the first rater uses every label."""
    metrics = draw(st.lists(name, min_size=2, max_size=2, unique=True))
    scales = {metric: draw(st.one_of(words, points, numbers)) for metric in metrics}
    sets = {metric: draw(st.booleans()) for metric in metrics}
    people = draw(st.lists(name, min_size=1, max_size=3, unique=True))
    rows: list[tuple[Any, ...]] = [
        (f"base {at}", metric, people[0], label, None, "0")
        for metric, labels in scales.items()
        for at, label in enumerate(labels)
    ]
    for item in draw(st.lists(word, min_size=1, max_size=3, unique=True)):
        for metric in metrics:
            for person in draw(st.lists(st.sampled_from(people), unique=True)):
                labels = st.one_of(st.none(), st.sampled_from(scales[metric]))
                several = st.lists(st.sampled_from(scales[metric]), min_size=2, max_size=2, unique=True)
                label = draw(st.one_of(labels, several) if sets[metric] else labels)
                rows.append((item, metric, person, label, draw(st.one_of(st.none(), word)), "0"))
    names = ("item_id", "metric", "rater_id", "label", "rationale", "run")
    return {column: [row[at] for row in rows] for at, column in enumerate(names)}


def said(study: Study) -> Counter[tuple[Any, ...]]:
    """Every rating that a person gave, by names; a missing reason is None."""
    ratings = study.ratings
    reasons = ratings.attributes.get("rationale")
    found: Counter[tuple[Any, ...]] = Counter()
    for row in range(len(ratings)):
        rater = study.raters[ratings.rater[row]]
        metric = study.metrics[ratings.metric[row]]
        code = int(ratings.label[row])
        label = frozenset(metric.scale.members(metric.scale.labels[code])) if code >= 0 else None
        item = study.items.ids[ratings.item[row]]
        if rater.kind == "human":
            reason = reasons[row] if reasons is not None else None
            found[item, metric.name, rater.id, label, STATUSES[ratings.status[row]], reason] += 1
    return found


def target(folder: Path, tool: str) -> Path:
    return folder / ("tasks.json" if tool == "label-studio" else "dataset")


def there_and_back(study: Study, folder: Path, tool: str, **more: Any) -> Study:
    path = target(folder, tool)
    voirdire.export(study, path, ExportOptions(to=tool, tool=ToolOptions(**more)))
    return read_key(path.with_suffix(".key")).restore(open_study(path))


@pytest.mark.parametrize("tool", TOOLS)
@settings(max_examples=50, deadline=None)
@given(table=studies())
def test_a_round_trip_keeps_every_rating(
    tmp_path_factory: pytest.TempPathFactory, tool: str, table: dict[str, list[Any]]
) -> None:
    study = open_study(table)
    assert said(there_and_back(study, tmp_path_factory.mktemp("tool"), tool)) == said(study)


def shown_texts(folder: Path, tool: str) -> str:
    """All that an export says, the key apart."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".key"]
    assert files
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def blind_study() -> Study:
    """Two systems, told by the item's name, a column and what follows from them."""
    rows = [
        {
            "item_id": f"{q}|{system}",
            "system": system,
            "provider": provider,
            "topic": topic,
            "text": f"{q} said",
        }
        for q, topic in (("q1", "grief"), ("q2", "work"))
        for system, provider in (("Model-A", "Acme"), ("Model-B", "Best"))
    ]
    ratings = [
        {**row, "rater_id": rater, "rater_kind": kind, "label": label}
        for row in rows
        for rater, kind, label in (("Ann", "human", "warm"), ("Bo", "human", "cold"), ("J9", "judge", "warm"))
    ]
    return open_study(ratings)


@pytest.mark.parametrize("tool", TOOLS)
def test_raters_see_no_system_and_no_verdict(tmp_path: Path, tool: str) -> None:
    study = blind_study()
    path = target(tmp_path, tool)
    written = voirdire.export(study, path, ExportOptions(to=tool))
    assert written is not None
    assert written.tasks == 4
    told = shown_texts(tmp_path, tool)
    for secret in ("model-a", "model-b", "acme", "best", "j9"):
        assert secret not in told.lower()
    assert "grief" in told
    assert "q1 said" in told
    back = read_key(path.with_suffix(".key")).restore(open_study(path))
    assert set(back.items.ids) == set(study.items.ids)
    of_item = back.items.ids.index("q2|Model-B")
    assert back.items.attributes["system"][of_item] == "Model-B"
    assert back.items.attributes["provider"][of_item] == "Best"
    assert said(back) == said(study)


@pytest.mark.parametrize("tool", TOOLS)
def test_systems_and_verdicts_go_along_when_asked_for(tmp_path: Path, tool: str) -> None:
    study = blind_study()
    options = ToolOptions(show_systems=True, pre_annotate=("J9",))
    voirdire.export(study, target(tmp_path, tool), ExportOptions(to=tool, tool=options))
    told = shown_texts(tmp_path, tool)
    assert "Model-A" in told
    assert "J9" in told
    back = open_study(target(tmp_path, tool))
    assert [rater.id for rater in back.raters if rater.kind == "judge"] == ["J9"]
    assert len(back.judges_of(back.metrics[0].name)) == 1


def test_answers_beside_a_suggestion_are_anchored(tmp_path: Path) -> None:
    """Argilla fills a suggestion in; nobody can tell afterwards who was led by it."""
    back = there_and_back(blind_study(), tmp_path, "argilla", pre_annotate=("J9",))
    human = back.is_kind("human")[back.ratings.rater]
    assert not back.usable[human].any()
    assert back.usable[~human].all()


@pytest.mark.parametrize("tool", TOOLS)
def test_without_labels_nobody_is_named(tmp_path: Path, tool: str) -> None:
    voirdire.export(
        blind_study(), target(tmp_path, tool), ExportOptions(to=tool, tool=ToolOptions(labels=False))
    )
    told = shown_texts(tmp_path, tool)
    for person in ("completed_by", "user_id", "Ann"):
        assert person not in told
    with pytest.raises(UserError, match="without a choice, a rating or a number"):
        open_study(target(tmp_path, tool))


def test_the_order_of_coded_items_follows_the_seed_and_not_the_study(tmp_path: Path) -> None:
    texts: list[str] = []
    for seed in (0, 0, 1):
        path = tmp_path / f"{len(texts)}.json"
        voirdire.export(blind_study(), path, ExportOptions(to="label-studio", tool=ToolOptions(seed=seed)))
        texts.append(path.read_text(encoding="utf-8"))
    assert texts[0] == texts[1] != texts[2]
    items = [task["data"]["item_id"] for task in json.loads(texts[0])]
    assert items == sorted(items) == ["item-1", "item-2", "item-3", "item-4"]


def test_a_text_that_names_a_system_is_said_and_not_changed(tmp_path: Path) -> None:
    table = {
        "item_id": ["a", "b"],
        "system": ["Acme", "Best"],
        "text": ["I am Acme.", "bestow"],
        "rater_id": ["1", "1"],
    }
    study = open_study({**table, "label": ["warm", "cold"]})
    written = voirdire.export(study, tmp_path / "tasks.json", ExportOptions(to="label-studio"))
    assert written is not None
    assert any(note.startswith("1 items name a system in their texts") for note in written.notes)
    assert "I am Acme." in (tmp_path / "tasks.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("system", "name", "coded"),
    [
        ("gpt-4o", "q1_GPT4o", True),
        ("gpt-4o", "q1|gpt-4o-mini", True),
        ("gpt-4o", "q1-gpt-4", False),
        ("Best", "bestow", False),
        ("B", "q1 b", False),
        ("B", "q1-B", True),
        ("(+)", "q1 (+)", True),
    ],
)
def test_items_are_coded_where_their_names_tell_the_system(
    tmp_path: Path, system: str, name: str, coded: bool
) -> None:
    table = {"item_id": [name, "x"], "system": [system, "other"], "rater_id": ["1", "1"], "label": ["a", "b"]}
    voirdire.export(open_study(table), tmp_path / "tasks.json", ExportOptions(to="label-studio"))
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    assert {task["data"]["item_id"] for task in tasks} == ({"item-1", "item-2"} if coded else {name, "x"})


def declared(folder: Path) -> Study:
    """One metric of each kind that a tool asks for in its own way, with hostile words everywhere."""
    (folder / "labels.csv").write_text(
        "item_id,metric,rater_id,rater_kind,label,prob_pass,transcript\n"
        'a,verdict,7,human,pass,,"User: <b>Hi</b>\nAssistant: ""Hello"" & bye"\n'
        'a,verdict,J,judge,pass,0.75,"User: <b>Hi</b>\nAssistant: ""Hello"" & bye"\n'
        'b,verdict,7,human,not sure,,"User: x"\nb,stars,7,human,2,,"User: x"\nb,size,7,human,0.5,,"User: x"\n'
        'b,tone,7,human,warm;$cold,,"User: x"\n',
        encoding="utf-8",
    )
    (folder / "study.yaml").write_text(
        "tables: [{file: labels.csv}]\n"
        "metrics:\n"
        '  verdict:\n    title: "</Header><script>alert(1)</script>"\n    rubric: "$text & \\"so\\" on"\n'
        "    scale: {labels: [pass, fail, not sure], indeterminate: {not sure: [pass, fail]}}\n"
        "  stars: {scale: {labels: ['1', '2', '3']}}\n"
        "  size: {scale: {kind: numeric, low: 0, high: 1}}\n"
        "  tone: {scale: {labels: [warm, $cold], separator: ';'}}\n",
        encoding="utf-8",
    )
    return open_study(folder)


def test_each_scale_has_its_own_control(tmp_path: Path) -> None:
    voirdire.export(
        declared(tmp_path),
        tmp_path / "t.json",
        ExportOptions(to="label-studio", tool=ToolOptions(pre_annotate=("J",))),
    )
    view = ET.parse(tmp_path / "t.xml").getroot()
    assert not list(view.iter("script"))
    controls = {tag.get("name"): tag for tag in view.iter() if tag.get("toName")}
    assert {key: tag.tag for key, tag in controls.items()} == {
        "verdict": "Choices",
        "stars": "Rating",
        "size": "Number",
        "tone": "Choices",
    }
    assert controls["stars"].get("maxRating") == "3"
    assert [controls[key].get("choice") for key in ("verdict", "tone")] == ["single", "multiple"]
    assert [choice.get("value") for choice in controls["verdict"].findall("Choice")] == ["pass", "fail"]
    (apart,) = controls["verdict"].findall("View/Choice")
    assert (apart.get("value"), apart.get("hint")) == ("not sure", "admits pass or fail")
    # a dollar before a word is a variable of the task, unless something stands between; the alias is stored
    assert [(c.get("alias"), c.get("value")) for c in controls["tone"]] == [
        (None, "warm"),
        ("$cold", "$\u2060cold"),
    ]
    rubrics = [tag.get("value") for tag in view.iter("Header")]
    assert '$\u2060text & "so" on' in rubrics
    (paragraphs,) = view.iter("Paragraphs")
    assert (paragraphs.get("value"), paragraphs.get("textKey")) == ("$transcript", "content")


def test_tasks_hold_turns_numbers_sets_and_predictions(tmp_path: Path) -> None:
    options = ExportOptions(to="label-studio", tool=ToolOptions(pre_annotate=("J",)))
    voirdire.export(declared(tmp_path), tmp_path / "t.json", options)
    first, second = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert first["data"]["transcript"] == [
        {"role": "user", "content": "<b>Hi</b>"},
        {"role": "assistant", "content": '"Hello" & bye'},
    ]
    assert first["annotations"][0]["completed_by"] == 7
    (prediction,) = first["predictions"]
    assert (prediction["model_version"], prediction["score"]) == ("J", 0.75)
    assert [result["value"] for result in second["annotations"][0]["result"]] == [
        {"choices": ["not sure"]},
        {"rating": 2},
        {"number": 0.5},
        {"choices": ["warm", "$cold"]},
    ]


def test_argilla_gets_fields_questions_and_guidelines(tmp_path: Path) -> None:
    options = ExportOptions(to="argilla", tool=ToolOptions(pre_annotate=("J",)))
    voirdire.export(declared(tmp_path), tmp_path / "set", options)
    told = json.loads((tmp_path / "set/.argilla/settings.json").read_text(encoding="utf-8"))
    kinds = {question["name"]: question["settings"]["type"] for question in told["questions"]}
    assert kinds == {
        "verdict": "label_selection",
        "stars": "rating",
        "size": "text",
        "tone": "multi_label_selection",
    }
    assert {field["name"]: field["settings"]["type"] for field in told["fields"]} == {
        "item": "text",
        "transcript": "chat",
    }
    options_of = {q["name"]: q["settings"].get("options") for q in told["questions"]}
    assert options_of["verdict"][-1] == {
        "value": "not sure",
        "text": "not sure",
        "description": "admits pass or fail",
    }
    assert told["guidelines"].endswith('$text & "so" on')
    first, second = json.loads((tmp_path / "set/records.json").read_text(encoding="utf-8"))
    assert first["suggestions"] == {"verdict": {"value": "pass", "score": 0.75, "agent": "J"}}
    assert second["responses"]["tone"][0]["value"] == ["warm", "$cold"]
    dataset = json.loads((tmp_path / "set/.argilla/dataset.json").read_text(encoding="utf-8"))
    assert dataset["distribution"] == {"strategy": "overlap", "min_submitted": 1}
