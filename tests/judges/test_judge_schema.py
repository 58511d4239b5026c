"""The published schema of a judge's file takes what voirdire takes, and refuses what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from judges.studies import JUDGE
from voirdire.judges import built_in

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/judge-1.json").read_text(encoding="utf-8"))
PANEL = {"judge": "both", "panel": ["a.yaml", "b.yaml"], "combine": "mean"}
PACKAGED = sorted(Path(built_in.__file__).parent.glob("*.yaml"))


def refused(document: Any) -> bool:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return not jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


@pytest.mark.parametrize("path", PACKAGED, ids=lambda path: path.name)
def test_packaged_judges_follow_it(path: Path) -> None:
    assert not refused(yaml.safe_load(path.read_text(encoding="utf-8")))


def test_a_judge_and_a_panel_follow_it() -> None:
    assert PACKAGED
    assert not refused(yaml.safe_load(JUDGE))
    assert not refused(PANEL)


@pytest.mark.parametrize(
    "change", [{"modl": "x"}, {"recipe": ""}, {"limits": {"concurrency": 0}}, {"endpoint": {"keys": "A"}}]
)
def test_a_misspelt_key_or_a_wrong_value_is_refused(change: dict[str, Any]) -> None:
    assert refused(yaml.safe_load(JUDGE) | change)


def test_a_panel_of_one_is_refused() -> None:
    assert refused({**PANEL, "panel": ["a.yaml"]})
