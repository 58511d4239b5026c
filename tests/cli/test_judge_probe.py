"""``voirdire judge --probe``: verdicts on changed items are kept apart, and what moves is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from judges.studies import kept, write_study
from voirdire import registry
from voirdire.cli.main import app
from voirdire.opening import open as open_study
from voirdire.store.schema import verdicts
from voirdire.testing.canary import gullible
from voirdire.testing.clients import FakeClient

CHANGES = 11


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    fake = FakeClient(gullible(lambda request: "cold", share=1.0))
    registry.names("client")
    monkeypatch.setitem(registry._entries["client"], "fake", lambda url, key: fake)
    return fake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = write_study(tmp_path / "study", items=6)
    judge = folder / "tone.yaml"
    judge.write_text(judge.read_text().replace("{url:", "{client: fake, url:"))
    return folder


def probe(folder: Path, *more: str) -> str:
    words = ["judge", str(folder), "--judge", str(folder / "tone.yaml"), "--probe", "injection", *more]
    result = CliRunner(env={"COLUMNS": "120"}).invoke(app(), words)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_flips_are_printed_and_written(folder: Path, client: FakeClient) -> None:
    said = probe(folder)
    assert len(client.requests) == 6 * (CHANGES + 1)
    (line,) = [line for line in said.splitlines() if line.startswith("warm") and "order, last" in line]
    assert line.split()[4:8] == ["6", "1.00", "[0.61,", "1.00]"]
    assert " warm " in line
    (file,) = (folder / "probes").glob("injection-*.json")
    assert len(json.loads(file.read_text())["rows"]) == CHANGES
    assert str(file) in said.replace("\n", "")


def test_a_study_does_not_read_them_as_ratings(folder: Path, client: FakeClient) -> None:
    probe(folder, "--quiet")
    assert {row["rater_id"] for row in kept(folder, verdicts)} == {"tone"}
    study = open_study(folder)
    assert [study.raters[code].id for code in study.raters_of("judge")] == ["tone"]
    assert len(kept(folder / "probes", verdicts)) == 6 * CHANGES


def test_nothing_is_asked_twice_and_a_limit_goes_on(folder: Path, client: FakeClient) -> None:
    probe(folder, "--limit", "2")
    assert len(client.requests) == 2 * (CHANGES + 1)
    probe(folder)
    probe(folder)
    assert len(client.requests) == len({request.hash for request in client.requests}) == 6 * (CHANGES + 1)


def test_a_dry_run_asks_nothing(folder: Path, client: FakeClient) -> None:
    said = probe(folder, "--dry-run")
    assert said.count("6 would be asked for") == CHANGES + 1
    assert client.requests == []


def test_an_unknown_probe_is_one_line(folder: Path, client: FakeClient) -> None:
    words = ["judge", str(folder), "--judge", str(folder / "tone.yaml"), "--probe", "inject"]
    result = CliRunner().invoke(app(), words)
    assert result.exit_code == 2
    assert "no probe named 'inject'" in result.output
    assert client.requests == []
