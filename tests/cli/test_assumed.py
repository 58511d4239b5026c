"""What was assumed of the source stands under every answer, and in its JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import voirdire
from voirdire.cli.main import app
from voirdire.decide.lines import WIDTH
from voirdire.testing.rated_systems import rated_systems

COMMANDS = {
    "rates": ["--select", "confusion_row"],
    "select": ["--select", "confusion_row"],
    "align": ["--select", "confusion_row", "--repeats", "1", "--folds", "3"],
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("assumed") / "labels.csv"
    rated_systems(np.random.default_rng(3), prompts=100).study.export(path)
    return path


def run(*words: str) -> str:
    result = CliRunner(env={"COLUMNS": "100"}).invoke(app(), list(words))
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_assumptions_are_printed(name: str, file: Path) -> None:
    assumptions = voirdire.open(file).assumptions
    assert assumptions
    text = run(name, str(file), *COMMANDS[name])
    under = text.split("\nAssumed\n")[1]
    assert under.splitlines()[0].startswith(f"- {assumptions[-1]}"[:WIDTH].rsplit(" ", 1)[0])
    assert under.count("- ") >= len(assumptions)
    assert json.loads(run(name, str(file), *COMMANDS[name], "--json"))["assumptions"] == list(assumptions)
