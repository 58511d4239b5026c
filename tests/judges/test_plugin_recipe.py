"""A recipe from another package comes through the public registry, and is held to the same rules."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from judges.recipes.asking import CHAT, Answers, verdicts
from judges.studies import write_study
from judges.test_hostile import ATTACKS, BENIGN, asked, instructions
from voirdire import registry
from voirdire.study.metric import Metric
from voirdire.study.scale import Scale
from voirdire.testing.stand_in import StandIn

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tests" / "resources" / "second_look"
FILE = PACKAGE / "voirdire_second_look.py"
WARM = Metric("warm", Scale("binary", ("cold", "warm")))
REPORT = """
import sys, voirdire
from voirdire import registry
from voirdire.cli.main import main
assert registry.names("recipe").count("second_look") == 1
sys.argv = ["voirdire", *sys.argv[1:]]
main()
"""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    registry.names("recipe")
    monkeypatch.setitem(registry._entries, "recipe", dict(registry._entries["recipe"]))
    spec = importlib.util.spec_from_file_location("voirdire_second_look", FILE)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "voirdire_second_look", made)
    spec.loader.exec_module(made)
    return made


def voirdire(*words: str) -> str:
    """The output of a command in a process that finds the package as if it were installed."""
    path = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", REPORT, *words],
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_listed_and_judges_a_study(tmp_path: Path) -> None:
    assert "second_look" in voirdire("plugins")
    folder = write_study(tmp_path, items=4)
    with StandIn(lambda request: "warm" if len(request.messages) > 2 else "cold") as server:
        judge = (folder / "tone.yaml").read_text().replace("http://127.0.0.1:9/v1", server.url)
        (folder / "tone.yaml").write_text(judge.replace("recipe: rubric", "recipe: second_look"))
        said = voirdire("judge", str(folder), "--judge", str(folder / "tone.yaml"))
    assert "4 verdicts of tone kept (4 ok)" in said


def test_its_two_answers_are_read(module: ModuleType) -> None:
    recipe = module.SecondLook(module.SecondLook.Options(), None)
    ask = Answers("cold", "warm")
    whole, first = verdicts(recipe, WARM, ask)
    assert (whole.label, whole.confidence, whole.part) == ("warm", 0.5, "")
    assert (first.label, first.part) == ("cold", "first")
    assert [one.role for one in ask.asked[1][0]] == ["system", "user", "assistant", "user"]
    (lost, _) = asyncio.run(recipe.judge([CHAT], WARM, Answers("who knows")))
    assert (lost.label, lost.status) == (None, "unparsed")


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_text_leaves_its_instructions_as_they_are(module: ModuleType, attack: str) -> None:
    recipe = module.SecondLook(module.SecondLook.Options(), None)
    assert instructions(asked(recipe, WARM, ATTACKS[attack])) == instructions(asked(recipe, WARM, BENIGN))


def test_the_page_shows_the_file_that_is_tested() -> None:
    page = (ROOT / "docs" / "your-own-recipe.md").read_text(encoding="utf-8")
    first = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    assert first == FILE.read_text(encoding="utf-8")


def test_the_page_prints_what_its_example_prints(
    module: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "your-own-recipe.md").read_text(encoding="utf-8")
    ((code, shown),) = re.findall(r"```python\n([^`]*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    exec(compile(code, "<page>", "exec"), {"SecondLook": module.SecondLook})
    assert capsys.readouterr().out == shown
