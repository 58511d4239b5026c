"""``voirdire bench run`` and ``bench diff``: from a folder to rates, and to what moved them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from voirdire.bench.starting import start_bench
from voirdire.cli.main import app


def said(*arguments: str) -> Result:
    return CliRunner().invoke(app(), ["bench", *arguments])


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, run before and after its judge was changed."""
    folder = tmp_path_factory.mktemp("cli") / "example"
    start_bench(folder, example=True)
    first = said("run", str(folder), "--out", str(folder.parent / "run.json"))
    assert first.exit_code == 0, first.output
    assert "run-1" in first.output
    assert "576 conversations kept" in first.output
    assert json.loads((folder.parent / "run.json").read_text(encoding="utf-8"))["run"] == "run-1"
    judge = folder / "judge.yaml"
    rule = "    - {when: I am your friend, verdict: present}\n"
    text = judge.read_text(encoding="utf-8")
    assert rule in text
    judge.write_text(text.replace(rule, ""), encoding="utf-8")
    second = said("run", str(folder), "--json")
    assert second.exit_code == 0, second.output
    told = json.loads(second.output)
    assert (told["run"], told["conversations"]) == ("run-2", {"new": 0, "there": 576})
    return folder


def test_diff_names_the_cause(twice: Path) -> None:
    found = said("diff", "run-1", "run-2", "--bench", str(twice))
    assert found.exit_code == 0, found.output
    first = [line.split()[0] for line in found.output.splitlines() if line]
    assert first[1:6] == ["run-1:", "run-2:", "cause", "judge", "total"]
    out = twice.parent / "diff.json"
    as_json = said("diff", "run-1", "last", "--bench", str(twice), "--json", "--out", str(out))
    assert json.loads(as_json.output) == json.loads(out.read_text(encoding="utf-8"))
    assert list(json.loads(as_json.output)["changed"]) == ["judge"]


def test_diff_fills_in_what_it_lacks_and_quiet_says_nothing(twice: Path) -> None:
    found = said("diff", "run-1", "run-2", "--bench", str(twice), "--run", "--quiet")
    assert (found.exit_code, found.output) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("diff", "run-1", "run-9"), "no run 'run-9'"),
        (("diff", "run-1", "run-1"), "a run and itself"),
        (("diff", "run-1", "run-2", "--level", "1"), "level"),
        (("diff", "run-1", "run-2", "--run", "--budget", "-1"), "--budget is -1"),
    ],
)
def test_a_users_mistake_is_one_line(arguments: tuple[str, ...], words: str, twice: Path) -> None:
    found = said(*arguments, "--bench", str(twice))
    assert found.exit_code == 2
    assert words in found.output
    assert len(found.output.strip().splitlines()) == 1


def test_a_call_limit_stops_it_and_the_same_command_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "example"
    start_bench(folder, example=True)
    cut = said("run", str(folder), "--calls", "50")
    assert cut.exit_code == 0, cut.output
    assert "The same command goes on from here." in cut.output
    rest = said("run", str(folder), "--quiet")
    assert (rest.exit_code, rest.output) == (0, "")
    done = said("run", str(folder), "--json")
    assert json.loads(done.output)["results"]["counts"]["judged"] == 576


@pytest.mark.parametrize("command", [("diff", "run-1", "run-2", "--bench"), ("review", "--rater", "Ann")])
def test_before_any_run_it_says_what_to_do(command: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "new"
    start_bench(folder)
    found = said(*command, str(folder))
    assert (found.exit_code, found.output.count("\n")) == (2, 1)
    assert f"has not been run; fix: voirdire bench run {folder}" in found.output
    elsewhere = said(*command, str(tmp_path))
    assert "no bench.yaml" in elsewhere.output
