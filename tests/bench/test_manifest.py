"""Manifests: each cause has a hash of its own, and a run is kept whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.benches import bench, cast, scripted
from bench.runs import counted, run, scripted_judge
from voirdire.bench.aggregate import AggregateOptions
from voirdire.bench.manifest import CAUSES, Run, keep_run, run_called, runs_of
from voirdire.errors import UserError
from voirdire.store.sql import open_store

PLAYERS = cast(scripted("a"), scripted("b"))


def kept(folder: Path, **change: Any) -> Run:
    """A run, kept and not begun, with something changed."""
    suite = bench(folder, *change.pop("metrics", (counted("m1"), counted("m2"))), **change.pop("config", {}))
    judge = change.pop("judge", None) or scripted_judge()
    options = AggregateOptions(**change.pop("options", {}))
    with open_store(folder) as store:
        return keep_run(suite, change.pop("players", PLAYERS), [judge], options, store)


MODEL = {"user": "sim", "model": "u", "limits": {"concurrency": 1}}


@pytest.mark.parametrize(
    ("change", "causes"),
    [
        ({"metrics": (counted("m1"), counted("m2", polarity="positive"))}, {"metrics"}),
        ({"metrics": (counted("m1"),)}, {"metrics"}),
        ({"judge": scripted_judge(parameters={"rules": [{"verdict": "absent"}]})}, {"judge"}),
        ({"judge": scripted_judge(name="other")}, {"judge"}),
        ({"players": cast(scripted("a"), scripted("b"), user=MODEL)}, {"simulator"}),
        ({"players": cast(scripted("a"), scripted("b", rate=0.75))}, {"targets"}),
        ({"players": cast(scripted("a"))}, {"targets"}),
        ({"config": {"turns": 5}}, {"parameters"}),
        ({"config": {"repeats": 2}}, {"parameters"}),
        ({"options": {"runs": 2}}, {"parameters"}),
        ({"config": {"audiences": ["parent"]}}, set()),
    ],
)
def test_what_changes_is_in_its_own_cause_alone(
    change: dict[str, Any], causes: set[str], tmp_path: Path
) -> None:
    first, second = kept(tmp_path), kept(tmp_path, **change)
    assert set(first.parts) == set(CAUSES)
    assert {cause for cause in CAUSES if first.parts[cause] != second.parts[cause]} == causes
    assert first.name != second.name


def test_the_scoring_code_is_a_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept(tmp_path)
    monkeypatch.setattr("voirdire.bench.manifest.scoring_version", lambda: "another")
    second = kept(tmp_path)
    assert {cause for cause in CAUSES if first.parts[cause] != second.parts[cause]} == {"scoring"}


def test_a_run_comes_back_whole(tmp_path: Path) -> None:
    prompt = {"system": "Be strict.", "user": "{{ metric }} {{ rubric }} {{ item }}"}
    judge = scripted_judge(prompt=prompt)
    suite = bench(tmp_path, counted("m1"), counted("m2"), repeats=3)
    run(tmp_path, suite, PLAYERS, judge)
    with open_store(tmp_path) as store:
        found = run_called(store, "run-1")
    assert found.bench.config == suite.config
    assert found.bench.metrics == suite.metrics
    assert found.cast.document == PLAYERS.document
    assert (found.judges[0].version, found.judges[0].prompt) == (judge.version, judge.prompt)
    assert found.judges[0].config == judge.config
    assert found.ids == tuple(part.id for part in PLAYERS.parts(suite))
    assert [part.id for part in found.cast.parts(found.bench)] == list(found.ids)


def test_runs_are_called_by_number_or_by_how_their_name_begins(tmp_path: Path) -> None:
    first, second = kept(tmp_path), kept(tmp_path, config={"turns": 5})
    with open_store(tmp_path) as store:
        assert [one.label for one in runs_of(store)] == ["run-1", "run-2"]
        names = ("run-1", first.name[:8], "run-2", "last", second.name)
        assert [run_called(store, name).name for name in names] == [
            first.name,
            first.name,
            second.name,
            second.name,
            second.name,
        ]
        with pytest.raises(UserError, match=r"no run 'run-3'; expected one of run-1 \("):
            run_called(store, "run-3")
        with pytest.raises(UserError, match="no run ''"):
            run_called(store, "")


def test_before_any_run_it_says_what_to_do(tmp_path: Path) -> None:
    with open_store(tmp_path) as store, pytest.raises(UserError, match=r"none is there yet.*bench run"):
        run_called(store, "last")


def test_no_key_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "sk-very-secret")
    endpoint = {"client": "openai", "url": "http://localhost:9/v1", "key": "SECRET_OF_MINE"}
    players = cast({"system": "m", "model": "m", "endpoint": endpoint})
    found = kept(tmp_path, players=players, judge=scripted_judge(endpoint=endpoint))
    assert "sk-very-secret" not in str(found.document)
    assert "sk-very-secret" not in "".join(map(str, (tmp_path / "voirdire.sqlite").read_bytes().split(b"\0")))
