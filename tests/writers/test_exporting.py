"""Exporting: what goes where, keys and pseudonyms, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import voirdire
from voirdire import ExportOptions, ToolOptions, UserError
from voirdire.opening import open as open_study
from voirdire.study import Study
from voirdire.study.renaming import Renames, pseudonym, renamed
from voirdire.writers.key import Key, read_key

ANN = "ann@example.org"


def small(**more: Any) -> Study:
    table = {"item_id": ["a", "b"], "rater_id": [ANN, "7"], "label": ["warm", "cold"], "text": ["x", "y"]}
    return open_study({**table, **more})


@pytest.mark.parametrize("to", ["csv", "tsv", "jsonl", "parquet"])
def test_a_table_is_written_as_asked(tmp_path: Path, to: str) -> None:
    path = tmp_path / f"ratings.{to}"
    assert voirdire.export(small(), path, ExportOptions(to=to)) is None
    assert len(open_study(path).ratings) == 2
    with pytest.raises(UserError, match=f"is no name of a {to} file; expected a name in .{to}"):
        voirdire.export(small(), tmp_path / "ratings.txt", ExportOptions(to=to))


def test_what_cannot_be_exported_is_said(tmp_path: Path) -> None:
    with pytest.raises(
        UserError,
        match="no export to 'excel'; expected one of csv, tsv, jsonl, parquet, argilla, label-studio",
    ):
        ExportOptions(to="excel")
    with pytest.raises(UserError, match="no export to 'predictions'"):
        ExportOptions(to="predictions")
    with pytest.raises(UserError, match="are for labelling tools"):
        ExportOptions(to="csv", tool=ToolOptions(labels=False))
    with pytest.raises(UserError, match=r"tasks are JSON; fix: write to tasks.json"):
        voirdire.export(small(), tmp_path / "tasks.csv", ExportOptions(to="label-studio"))
    with pytest.raises(UserError, match="an Argilla dataset is a folder"):
        voirdire.export(small(), tmp_path / "tasks.json", ExportOptions(to="argilla"))
    with pytest.raises(UserError, match="cannot be written: No such file"):
        voirdire.export(small(), tmp_path / "no" / "tasks.json", ExportOptions(to="label-studio"))
    with pytest.raises(UserError, match="no judge named 'J'; expected a study with judges"):
        voirdire.export(
            small(),
            tmp_path / "t.json",
            ExportOptions(to="label-studio", tool=ToolOptions(pre_annotate=("J",))),
        )


@pytest.mark.parametrize(
    ("to", "labels", "words"),
    [
        ("label-studio", ["a\x01", "b"], "metric 'label': label 'a.x01' has characters that XML cannot hold"),
        ("label-studio", [" ", "b"], "metric 'label': has the label ' '"),
        ("argilla", ["only", "only"], "metric 'label': 1 labels; expected 2 to 250 to choose from"),
        ("argilla", ["x" * 201, "b"], "metric 'label': label 'xxxx.*; expected at most 200 characters"),
    ],
)
def test_labels_that_a_tool_cannot_ask_for_are_said(
    tmp_path: Path, to: str, labels: list[str], words: str
) -> None:
    with pytest.raises(UserError, match=words):
        voirdire.export(
            small(label=labels), tmp_path / ("t.json" if to == "label-studio" else "t"), ExportOptions(to=to)
        )


def test_strangers_to_a_tool_are_named(tmp_path: Path) -> None:
    """Label Studio refuses annotations of people that it does not know; which these are is said before."""
    written = voirdire.export(
        small(rater_id=["Ann", "7"]), tmp_path / "t.json", ExportOptions(to="label-studio")
    )
    assert written is not None
    assert any("it refuses annotations by Ann: rename" in note for note in written.notes)
    assert json.loads(json.dumps(written.to_dict()))["tasks"] == 2
    assert str(written).startswith(f"Wrote 2 tasks to {tmp_path / 't.json'}, {tmp_path / 't.xml'}")


def test_argilla_keeps_one_response_a_user(tmp_path: Path) -> None:
    table = {
        "item_id": ["a", "a", "b"],
        "rater_id": ["7"] * 3,
        "label": ["warm", "cold", "cold"],
        "run": ["0", "1", "0"],
    }
    written = voirdire.export(open_study(table), tmp_path / "set", ExportOptions(to="argilla"))
    assert written is not None
    assert any("1 later runs are left out" in note for note in written.notes)
    records = json.loads((tmp_path / "set/records.json").read_text(encoding="utf-8"))
    assert [one["value"] for record in records for one in record["responses"]["label"]] == ["warm", "cold"]


def test_pseudonyms_are_stable_and_leave_other_names_alone(tmp_path: Path) -> None:
    for path in (tmp_path / "one.csv", tmp_path / "two.csv"):
        voirdire.export(small(), path, ExportOptions(pseudonyms=True))
        told = path.read_text(encoding="utf-8")
        assert ANN not in told
        assert [rater.id for rater in open_study(path).raters] == [pseudonym(ANN), "7"]
    named = small(rater_id=[f"Ann <{ANN}>", f"Bo <{ANN}>"])
    voirdire.export(named, tmp_path / "three.csv", ExportOptions(pseudonyms=True))
    assert len({rater.id for rater in open_study(tmp_path / "three.csv").raters}) == 2


def test_a_key_gives_names_back_and_leaves_what_it_does_not_know(tmp_path: Path) -> None:
    key = Key(items={"item-1": "a|gpt"}, raters={"R": ANN}, hidden={"system": {"a|gpt": "gpt"}})
    key.save(tmp_path / "tasks.key")
    assert read_key(tmp_path / "tasks.key") == key
    study = small(item_id=["item-1", "new"], rater_id=["R", "7"])
    voirdire.export(study, tmp_path / "back.csv", ExportOptions(key=str(tmp_path / "tasks.key")))
    back = open_study(tmp_path / "back.csv")
    assert back.items.ids == ("a|gpt", "new")
    assert list(back.items.attributes["system"]) == ["gpt", None]
    assert [rater.id for rater in back.raters] == [ANN, "7"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"kind": "voirdire key"}', '{"kind": "voirdire key", "items": 7}']
)
def test_a_file_that_is_no_key_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "no.key").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"no.key: is n"):
        read_key(tmp_path / "no.key")
    with pytest.raises(UserError, match="cannot be read"):
        read_key(tmp_path / "absent.key")


def test_two_things_under_one_name_are_refused() -> None:
    with pytest.raises(UserError, match="two items would be called 'a'"):
        renamed(small(), Renames(items={"b": "a"}))


def test_metrics_are_renamed_everywhere(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(
        "item_id,metric,rater_id,label\na,one,7,x\na,two,7,y\n", encoding="utf-8"
    )
    config = {"metrics": {"one": {"forced": "two"}}, "reported": {"two": {"kappa": 0.5}}}
    study = renamed(open_study(tmp_path / "labels.csv", config=config), Renames(metrics={"two": "2"}))
    assert [(metric.name, metric.forced) for metric in study.metrics] == [("one", "2"), ("2", "")]
    assert list(study.reported) == ["2"]
    assert study.metric_index("2") == 1


def test_whose_labels_go_along_is_said(tmp_path: Path) -> None:
    table = {"item_id": ["a", "b", "a"], "rater_id": ["1", "1", "gold"], "label": ["x", "y", "x"]}
    study = open_study({**table, "rater_kind": ["human", "human", "reference"]})
    written = voirdire.export(study, tmp_path / "t.json", ExportOptions(to="label-studio"))
    assert written is not None
    assert written.notes[:2] == (
        "People's labels go along; leave them out for raters who must not see them.",
        "1 ratings of programs and references are left out.",
    )
    assert "gold" not in (tmp_path / "t.json").read_text(encoding="utf-8")
