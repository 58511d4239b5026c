"""What the page on judging without an endpoint shows can be done as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from judges.studies import JUDGE, kept, write_study
from judges.test_batches import exported, imported
from voirdire.judges.judge import load_judge
from voirdire.store.schema import verdicts

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "judging-offline.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_its_files_are_judges(tmp_path: Path) -> None:
    mine, replaying = blocks("yaml")
    (tmp_path / "mine.yaml").write_text(mine)
    assert load_judge(tmp_path / "mine.yaml").config.endpoint.client == "local"
    (tmp_path / "again.yaml").write_text(JUDGE.replace('endpoint: {url: "http://127.0.0.1:9/v1"}', replaying))
    assert load_judge(tmp_path / "again.yaml").config.endpoint.client == "replay"


def test_its_replay_replays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from voirdire.cli.main import app

    monkeypatch.chdir(tmp_path)
    folder = write_study(tmp_path / "study")
    imported(folder, exported(folder))
    (code,) = blocks("python")
    exec(code, {})
    again = write_study(tmp_path / "again")
    (replaying,) = (block for block in blocks("yaml") if "replay" in block)
    (again / "tone.yaml").write_text(JUDGE.replace('endpoint: {url: "http://127.0.0.1:9/v1"}', replaying))
    done = CliRunner().invoke(app(), ["judge", "again", "--judge", "again/tone.yaml"])
    assert done.exit_code == 0, done.output
    assert [row["label"] for row in kept(again, verdicts)] == ["warm"] * 10
