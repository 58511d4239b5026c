"""From a study that nobody has rated, through a labelling tool, and back into the study."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.opening import open as open_study

PERSON = "11111111-0000-4000-8000-000000000000"
ITEMS = (
    "item_id,system,topic,transcript\n"
    'Acme-1,Acme,grief,"User: Hi\nAssistant: Hello"\n'
    'Best-1,Best,grief,"User: Hi\nAssistant: No"\n'
    'Best-2,Best,work,"User: So\nAssistant: Yes"\n'
)
STUDY = """
tables: [{file: items.csv, kind: items}]
metrics:
  warmth:
    scale: {labels: [cold, warm, not sure], indeterminate: {not sure: [cold, warm]}}
  candor:
    scale: {labels: [low, high]}
"""


def in_label_studio(folder: Path) -> Path:
    """What Label Studio exports once a person has labelled the tasks, in its own words and order."""
    tasks = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    for number, task in enumerate(reversed(tasks), start=101):
        label = "warm" if "Hello" in json.dumps(task["data"]) else "cold"
        results = [
            {
                "from_name": name,
                "to_name": "shown_1",
                "type": "choices",
                "origin": "manual",
                "value": {"choices": [said]},
            }
            for name, said in (("warmth", label), ("candor", "high"))
        ]
        task["id"] = number
        task["annotations"] = [
            {"completed_by": {"id": 3, "email": PERSON}, "result": results, "was_cancelled": False}
        ]
    (folder / "project-1.json").write_text(json.dumps(tasks), encoding="utf-8")
    return folder / "project-1.json"


def in_argilla(folder: Path) -> Path:
    """What Argilla's ``to_disk`` writes once a person has labelled the records."""
    records = json.loads((folder / "tasks/records.json").read_text(encoding="utf-8"))
    for record in records:
        label = "warm" if "Hello" in json.dumps(record["fields"]) else "cold"
        answers = {"warmth": label, "candor": "high"}
        record["responses"] = {name: [{"value": said, "user_id": PERSON}] for name, said in answers.items()}
    (folder / "back").mkdir()
    (folder / "back/records.json").write_text(json.dumps(records), encoding="utf-8")
    return folder / "back/records.json"


@pytest.mark.parametrize(
    ("to", "name", "labelled"),
    [("label-studio", "tasks.json", in_label_studio), ("argilla", "tasks", in_argilla)],
)
def test_labels_come_back_into_the_study(
    tmp_path: Path, to: str, name: str, labelled: Callable[[Path], Path]
) -> None:
    study, out = tmp_path / "study", tmp_path / "out"
    study.mkdir()
    out.mkdir()
    (study / "items.csv").write_text(ITEMS, encoding="utf-8")
    (study / "study.yaml").write_text(STUDY, encoding="utf-8")

    def run(*arguments: Any) -> None:
        result = CliRunner().invoke(app(), ["export", *map(str, arguments)])
        assert result.exit_code == 0, result.output

    run(study, "--to", to, "-o", out / name)
    back = labelled(out)
    assert "Acme" not in back.read_text(encoding="utf-8")
    run(back, study / "labels.csv", "--key", out / "tasks.key")
    (study / "study.yaml").write_text(STUDY.replace("}]", "}, {file: labels.csv}]", 1), encoding="utf-8")
    made = open_study(study)
    assert set(made.items.ids) == {"Acme-1", "Best-1", "Best-2"}
    assert len(made.ratings) == 6
    assert [rater.id for rater in made.raters] == [PERSON]
    warm = {
        made.items.ids[made.ratings.item[row]]: made.metric("warmth").scale.labels[made.ratings.label[row]]
        for row in made.rows("warmth")
    }
    assert warm == {"Acme-1": "warm", "Best-1": "cold", "Best-2": "cold"}
    of_item = dict(zip(made.items.ids, made.items.attributes["system"], strict=True))
    assert of_item == {"Acme-1": "Acme", "Best-1": "Best", "Best-2": "Best"}
    said = dict(zip(made.items.ids, made.items.texts["transcript"], strict=True))
    assert said["Best-1"] == "User: Hi\nAssistant: No"
