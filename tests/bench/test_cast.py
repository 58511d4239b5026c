"""Who plays is read from YAML, versioned by what can change what is said, and cannot say the impossible."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from bench.benches import bench, cast, metric, scenario, scripted
from voirdire.bench.cast import Cast, TargetsConfig, load_cast
from voirdire.bench.conversation import Ended
from voirdire.bench.dialogue import End, Part
from voirdire.bench.imported import Transcripts
from voirdire.bench.simulator_audit import simulator_audit
from voirdire.errors import UserError
from voirdire.study.documents import validated

MODEL = {"system": "m", "model": "m", "parameters": {"temperature": 1}}


def parts(players: Cast, *metrics: Any, **config: Any) -> list[Part]:
    return list(players.parts(bench(Path(), *metrics, **config), unreviewed=True))


def load(folder: Path, targets: str, user: str = "script: true\n") -> Cast:
    (folder / "targets.yaml").write_text(targets)
    (folder / "user.yaml").write_text(user)
    return load_cast(bench(folder), folder / "targets.yaml", folder / "user.yaml")


def test_a_cast_is_read_from_two_files(tmp_path: Path) -> None:
    players = load(
        tmp_path,
        "targets:\n"
        "  - {system: a, family: x, model: small, parameters: {temperature: 0}, instructions: Be kind.}\n"
        "  - system: b\n"
        "    script: {planted: [{rate: 0.5, present: P, absent: A}]}\n",
        "user: sim\nmodel: other\nmoves: own words\nprice: {input: 1}\n",
    )
    assert [target.system for target in players.targets] == ["a", "b"]
    assert players.user.moves == "own words"
    assert {one["version"] for one in players.document["targets"]} == {one.version for one in players.targets}


@pytest.mark.parametrize(
    ("targets", "user", "said"),
    [
        ("targets: []", "script: true", "targets.yaml"),
        ("targets: [{system: a}]", "script: true", "exactly one of model, script, transcripts"),
        ("targets: [{system: a, model: m, script: {}}]", "script: true", "exactly one of model"),
        ("targets: [{system: a, model: m}, {system: a, model: n}]", "script: true", "system 'a' once only"),
        ("targets: [{system: all systems, model: m}]", "script: true", "another name than 'all systems'"),
        ("targets: [{system: user, model: m}]", "script: true", "by another name than 'user'"),
        ("targets: [{system: a, modle: m}]", "script: true", "did you mean 'model'?"),
        ("targets: [{system: a, model: m}]", "user: x", "exactly one of script, model"),
        ("targets: [{system: a, model: m}]", "script: true\nmodel: m", "exactly one of script, model"),
        ("targets: [{system: a, model: m}]", "script: false", "user.yaml"),
        ("targets: [{system: a, model: m, endpoint: {key: sk-123}}]", "script: true", "never the key itself"),
        (
            "targets: [{system: a, script: {planted: [{rate: 2, present: P, absent: A}]}}]",
            "script: true",
            "rate",
        ),
        ("targets: [{system: a, transcripts: gone.csv}]", "script: true", "no such file"),
    ],
)
def test_a_cast_that_cannot_be_is_refused(targets: str, user: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as problem:
        load(tmp_path, targets, user)
    assert said in str(problem.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone\.yaml: no such file; expected a targets\.yaml"):
        load_cast(bench(tmp_path), tmp_path / "gone.yaml", tmp_path / "user.yaml")


def test_every_conversation_is_a_part_with_a_name_of_its_own() -> None:
    found = parts(cast(MODEL, scripted()), repeats=3)
    assert len(found) == len({part.id for part in found}) == 2 * 2 * 2 * 2 * 3
    assert [part.id for part in found] == [part.id for part in parts(cast(MODEL, scripted()), repeats=3)]


CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "the model": ({"model": "n"}, {}, True),
    "a parameter": ({"parameters": {"temperature": 0}}, {}, True),
    "the endpoint": ({"endpoint": {"url": "http://localhost/v1"}}, {}, True),
    "the system prompt": ({"instructions": "Be kind."}, {}, True),
    "the system's name": ({"system": "n"}, {}, True),
    "the user's model": ({}, {"model": "v"}, True),
    "how moves are made": ({}, {"moves": "own words"}, True),
    "the limits": ({"limits": {"concurrency": 1}}, {"limits": {"retries": 1}}, False),
    "the price": ({"price": {"input": 1}}, {"price": {"input": 1}}, False),
    "the family": ({"family": "f"}, {"family": "f"}, False),
    "the user's name": ({}, {"user": "other"}, False),
}


@pytest.mark.parametrize(("target", "user", "new"), CHANGES.values(), ids=CHANGES)
def test_what_can_change_what_is_said_makes_new_conversations(
    target: dict[str, Any], user: dict[str, Any], new: bool
) -> None:
    before = {part.id for part in parts(cast(MODEL, user={"model": "u"}))}
    after = {part.id for part in parts(cast({**MODEL, **target}, user={"model": "u", **user}))}
    assert before.isdisjoint(after) if new else before == after


def test_only_what_is_edited_is_new() -> None:
    def ids(*metrics: Any, **config: Any) -> set[str]:
        return {part.id for part in parts(cast(MODEL), *metrics, **config)}

    before = ids(metric("m1"), metric("m2"))
    scoring = {"question": "Another?", "present": "p", "absent": "a"}
    assert ids(metric("m1", scoring=scoring), metric("m2")) == before, "scoring plays nothing again"
    edited = ids(metric("m1", scenarios=[scenario("s1", opening="Hello?"), scenario("s2")]), metric("m2"))
    assert len(before - edited) == len(edited - before) == 2
    assert before.isdisjoint(ids(metric("m1"), metric("m2"), turns=5))
    assert before < ids(metric("m1"), metric("m2"), repeats=2), "repeats are added to those that are there"


def test_a_script_that_shows_something_else_is_another_conversation() -> None:
    before, after = (
        {part.id: part.cue.words for part in parts(cast(scripted(rate=0.5)), repeats=repeats)}
        for repeats in (2, 4)
    )
    for name in before.keys() & after.keys():
        assert before[name] == after[name]


def test_a_persona_that_nobody_would_say_is_refused() -> None:
    axes = {"age": {"teen": {"who": "You are 15."}, "adult": {"who": "You are 42.", "says": "I'm 42."}}}
    with pytest.raises(UserError, match="age=teen only says who the user is"):
        parts(cast(scripted()), axes=axes)
    assert parts(cast(scripted(), user={"model": "u"}), axes=axes)
    heard = Transcripts("old.csv", {("m1", "s1", "age=teen"): {0: End("turns", ())}})
    only_heard = replace(cast({"system": "old", "transcripts": "old.csv"}), transcripts={"old": heard})
    assert len(parts(only_heard, axes=axes)) == 1, "what was heard elsewhere need not be played"


def test_a_move_after_the_last_turn_is_refused() -> None:
    with pytest.raises(UserError, match="metric m1, scenario s1: a move at turn 4 of 3"):
        parts(cast(MODEL), turns=3)


def test_no_key_stands_in_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sk-planted")
    players = cast({**MODEL, "endpoint": {"key": "A_KEY"}})
    assert "sk-planted" not in str(players.document)


def test_the_page_on_conversations_shows_casts_that_can_be_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "bench-conversations.md").read_text(encoding="utf-8")
    shown = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    read = [validated(TargetsConfig, yaml.safe_load(text), where="page") for text in shown]
    systems = [[target.system for target in one.targets] for one in read]
    assert systems == [["Harbour", "Ash", "Quay"], ["Quay"]]
    case = parts(cast(MODEL))[0].case
    audit = simulator_audit(case, End("turns", ()), improvised=False, plays_role=False)
    assert all(f"`{key}`" in page for key in audit)
    assert all(f"`{ended}`" in page for ended in get_args(Ended))


def test_the_address_that_the_environment_gives_is_part_of_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = []
    for url in ("http://one.example/v1", "http://two.example/v1"):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        players = load(tmp_path, "targets: [{system: a, model: m}]", "model: u")
        assert players.targets[0].endpoint.url == players.user.endpoint.url == url
        versions.append((players.targets[0].version, players.user.version))
    assert versions[0][0] != versions[1][0]
    assert versions[0][1] != versions[1][1]
