"""Conversations that exist are taken as a system's, from tables and from Inspect's logs."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import subprocess
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import voirdire
from bench.benches import bench, judged, metric
from conftest import missing
from voirdire.bench.cast import load_cast
from voirdire.bench.conversation import Conversation, kept_conversations
from voirdire.bench.imported import load_transcripts, turns_of_messages
from voirdire.bench.simulating import Simulated, simulate
from voirdire.bench.suite import Bench
from voirdire.errors import UserError
from voirdire.opening import read_table
from voirdire.store.sql import open_store
from voirdire.testing.casts import seeing
from voirdire.testing.clients import FakeClient
from voirdire.testing.stand_in import StandIn

HERE = Path(__file__).parent
SAID = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": "So?"},
    {"role": "assistant", "content": "Well."},
]


@pytest.fixture
def small(tmp_path: Path) -> Bench:
    return bench(tmp_path, metric("m1"), metric("m2"))


def rows(**more: Any) -> list[dict[str, Any]]:
    return [
        {"metric": name, "scenario": "s1", "variant": variant, "transcript": json.dumps(SAID), **more}
        for name in ("m1", "m2")
        for variant in ("age=teen", "age=adult")
    ]


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, records[0])
            writer.writeheader()
            writer.writerows(records)
    else:
        path.write_text("\n".join(json.dumps(one) for one in records), encoding="utf-8")
    return path


def take(folder: Path, suite: Bench, *targets: dict[str, Any]) -> Simulated:
    (folder / "targets.yaml").write_text(json.dumps({"targets": list(targets)}))
    (folder / "user.yaml").write_text("script: true\n")
    with open_store(folder) as store:
        players = load_cast(suite, folder / "targets.yaml", folder / "user.yaml")
        return asyncio.run(simulate(suite, store, players, unreviewed=True))


def kept(folder: Path) -> list[Conversation]:
    with open_store(folder) as store:
        return list(kept_conversations(store))


@pytest.mark.parametrize("name", ["old.csv", "old.jsonl"])
def test_a_table_of_transcripts_is_a_system(name: str, small: Bench, tmp_path: Path) -> None:
    write(tmp_path / name, rows())
    outcome = take(tmp_path, small, {"system": "old", "transcripts": name})
    assert outcome.made == 4
    for one in kept(tmp_path):
        assert [(turn.user, turn.reply) for turn in one.spoken] == [("Hi", "Hello"), ("So?", "Well.")]
        assert (one.system, one.user_version, one.audit, one.ended) == ("old", "imported", {}, "turns")
    assert take(tmp_path, small, {"system": "old", "transcripts": name}).made == 0


def test_lists_of_messages_need_not_be_text(small: Bench, tmp_path: Path) -> None:
    write(tmp_path / "old.jsonl", rows(transcript=SAID))
    assert len(load_transcripts(tmp_path / "old.jsonl", small, "old")) == 4


def test_one_changed_transcript_is_one_new_conversation(small: Bench, tmp_path: Path) -> None:
    before = rows()
    write(tmp_path / "old.jsonl", before)
    take(tmp_path, small, {"system": "old", "transcripts": "old.jsonl"})
    ids = {one.id for one in kept(tmp_path)}
    before[1]["transcript"] = json.dumps([*SAID, {"role": "user", "content": "And?"}])
    write(tmp_path / "old.jsonl", before)
    assert take(tmp_path, small, {"system": "old", "transcripts": "old.jsonl"}).made == 1
    (new,) = [one for one in kept(tmp_path) if one.id not in ids]
    assert (new.metric, new.variant, new.spoken[-1].status) == ("m1", "age=adult", "empty")


def test_systems_and_repeats_are_told_apart(small: Bench, tmp_path: Path) -> None:
    every = [*rows(system="a"), *rows(system="a"), *rows(system="b", ended="error")]
    write(tmp_path / "old.csv", [{"ended": "", **row} for row in every])
    two = ({"system": name, "transcripts": "old.csv"} for name in ("a", "b"))
    outcome = take(tmp_path, small, *two)
    assert outcome.ended == {"turns": 8, "error": 4}
    assert {(one.system, one.repeat) for one in kept(tmp_path)} == {("a", 0), ("a", 1), ("b", 0)}
    two = ({"system": name, "transcripts": "old.csv"} for name in ("a", "b"))
    again = take(tmp_path, small, *two)
    assert (again.made, again.done) == (0, 12)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metric": "m9"}, "row 2: no case of metric 'm9', scenario 's1' and variant 'age=teen'"),
        ({"variant": "age=old"}, "variant 'age=old'"),
        ({"variant": "teen"}, "did you mean 'age=teen'?"),
        ({"transcript": "just words"}, "row 2: the transcript has no messages"),
        ({"transcript": '[{"role": "wizard", "content": "x"}]'}, "role 'wizard'"),
        ({"repeat": "first"}, "repeat is 'first'"),
        ({"ended": "badly"}, "ended is 'badly'"),
    ],
)
def test_a_wrong_row_is_named(change: dict[str, str], said: str, small: Bench, tmp_path: Path) -> None:
    every = rows(repeat="", ended="")
    every[0].update(change)
    path = write(tmp_path / "old.csv", every)
    with pytest.raises(UserError, match=r"old\.csv") as problem:
        load_transcripts(path, small, "old")
    assert said in str(problem.value)


def test_all_wrong_rows_are_told_at_once(small: Bench, tmp_path: Path) -> None:
    path = write(tmp_path / "old.csv", [{**row, "scenario": "s9"} for row in rows()])
    with pytest.raises(UserError, match="4 faults"):
        load_transcripts(path, small, "old")


def test_one_repeat_has_one_transcript(small: Bench, tmp_path: Path) -> None:
    path = write(tmp_path / "old.csv", [*rows(repeat=0), *rows(repeat=1), *rows(repeat=1)[:1]])
    with pytest.raises(UserError, match=r"old\.csv, row 10: a second transcript of repeat 1"):
        load_transcripts(path, small, "old")


def test_columns_are_named_and_a_system_too(small: Bench, tmp_path: Path) -> None:
    path = write(
        tmp_path / "old.csv", [{"model": "x", "talk": row.pop("transcript"), **row} for row in rows()]
    )
    columns = {"system": "model", "transcript": "talk"}
    assert len(load_transcripts(path, small, "x", columns)) == 4
    with pytest.raises(UserError, match="no transcript of system 'y'; expected one of x"):
        load_transcripts(path, small, "y", columns)
    with pytest.raises(UserError, match="no column 'transcript'"):
        load_transcripts(path, small, "x", {"system": "model"})
    with pytest.raises(UserError, match="'speech' is no column of transcripts"):
        load_transcripts(path, small, "x", {"speech": "talk"})


def test_messages_in_a_row_are_one() -> None:
    said = [
        ("assistant", "Welcome."),
        ("user", "Hi"),
        ("user", "there"),
        ("ai", "A"),
        ("tool", "x"),
        ("ai", "B"),
    ]
    text = json.dumps([{"role": role, "content": words} for role, words in said])
    turns = turns_of_messages(text, "")
    assert [(turn.user, turn.reply) for turn in turns] == [("", "Welcome."), ("Hi\n\nthere", "A\n\nB")]
    assert turns_of_messages("[]", "") == ()


def test_a_conversation_without_turns_is_kept_as_empty(small: Bench, tmp_path: Path) -> None:
    write(tmp_path / "old.jsonl", rows(transcript=[])[:1])
    assert take(tmp_path, small, {"system": "old", "transcripts": "old.jsonl"}).ended == {"empty": 1}
    assert kept(tmp_path)[0].spoken == ()


def sample(**more: Any) -> dict[str, Any]:
    return {
        "id": "one",
        "epoch": 2,
        "messages": [
            {"role": "user", "content": "attachment://abc"},
            {
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "reasoning": "hidden"},
                    {"type": "text", "text": "Look:"},
                    {"type": "image", "image": "data:..."},
                ],
            },
        ],
        "attachments": {"abc": "a long text"},
        "scores": {"includes": {"value": "C"}, "both": {"value": {"a": 1}}},
        "metadata": {"metric": "m1", "scenario": "s1", "variant": "age=teen", "tags": ["x"]},
        **more,
    }


def archive(path: Path, *samples: dict[str, Any], head: str = "header.json") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(head, json.dumps({"version": 2, "eval": {"model": "openai/small"}}))
        for place, one in enumerate(samples):
            file.writestr(f"samples/{place}_epoch_1.json", json.dumps(one))
    return path


@pytest.mark.parametrize("head", ["header.json", "_journal/start.json"])
def test_a_log_has_a_row_a_sample(head: str, tmp_path: Path) -> None:
    table = read_table(
        archive(tmp_path / "log.eval", sample(), sample(id="two", error={"message": "x"}), head=head)
    )
    first = {name: column[0] for name, column in table.columns.items()}
    assert first["item_id"] == "one/2"
    assert first["system"] == "openai/small"
    assert first["repeat"] == "1"
    assert first["includes"] == "C"
    assert json.loads(first["tags"] or "") == ["x"]
    assert json.loads(first["transcript"] or "") == [
        {"role": "user", "content": "a long text"},
        {"role": "assistant", "content": "Look:\n[image]"},
    ]
    assert list(table.columns["ended"]) == [None, "error"]


def test_what_is_no_log_is_said(tmp_path: Path) -> None:
    (tmp_path / "log.eval").write_text("nothing")
    with pytest.raises(UserError, match=r"log\.eval: is no log of Inspect's"):
        read_table(tmp_path / "log.eval")
    with pytest.raises(UserError, match="holds no samples"):
        read_table(archive(tmp_path / "log.eval"))
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as file:
        file.writestr("samples/1.json", "{}")
    with pytest.raises(UserError, match=r"expected an archive with header\.json"):
        read_table(tmp_path / "log.eval")
    with zipfile.ZipFile(archive(tmp_path / "log.eval", sample()), "a") as file:
        file.writestr("samples/2_epoch_1.json", "{")
    with pytest.raises(UserError, match=r"samples/2_epoch_1\.json: is not JSON"):
        read_table(tmp_path / "log.eval")


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(key=some.sampled_from(sorted(sample(error=None))), value=JSON)
@settings(max_examples=60, deadline=None)
def test_a_broken_sample_is_read_or_a_users_mistake(key: str, value: Any) -> None:
    with TemporaryDirectory() as folder:
        log = archive(Path(folder) / "log.eval", sample(**{key: value}))
        plain = Path(folder) / "log.json"
        plain.write_text(json.dumps({"eval": {"model": "m"}, "samples": [sample(**{key: value})]}))
        for path in (log, plain):
            with suppress(UserError):  # and nothing else
                assert len(read_table(path)) == 1


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of conversations that Inspect held itself, in the environment that VOIRDIRE_INSPECT names."""
    python = os.environ.get("VOIRDIRE_INSPECT", "")
    if not python:
        missing("an environment with inspect_ai (VOIRDIRE_INSPECT=its python)")
    folder = tmp_path_factory.mktemp("inspect")
    cases = [
        {"metric": "m1", "scenario": "s1", "variant": f"age={age}", "lines": [f"I'm {age}.", "And more?"]}
        for age in ("teen", "adult")
    ]
    (folder / "cases.json").write_text(json.dumps(cases))
    with StandIn(lambda request: f"reply to {request.messages[-1].content} " + "long " * 50) as server:
        command = [python, str(HERE / "make_inspect_log.py"), server.url, "cases.json", "."]
        subprocess.run(command, cwd=folder, check=True, timeout=300, capture_output=True)
    return folder


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_a_real_log_of_inspect_is_imported(kind: str, logs: Path, small: Bench, tmp_path: Path) -> None:
    (log,) = logs.glob(f"*_lines_*.{kind}")
    target = {"system": "small", "transcripts": str(log), "named": "openai-api/made/small"}
    assert take(tmp_path, small, target).ended == {"turns": 4}
    found = kept(tmp_path)
    assert {(one.variant, one.repeat) for one in found} == {
        (f"age={age}", repeat) for age in ("teen", "adult") for repeat in (0, 1)
    }
    for one in found:
        age = one.variant.removeprefix("age=")
        assert [turn.user for turn in one.spoken] == [f"I'm {age}.", "And more?"]
        assert one.spoken[0].reply.startswith(f"reply to I'm {age}. long long")
    client = FakeClient(seeing("reply to And more?"))
    outcome, verdicts = judged(tmp_path, small, client)
    assert outcome.statuses == {"ok": 4}
    assert {row["item_id"] for row in verdicts} == {one.id for one in found}
    for row in verdicts:
        assert (row["metric"], row["label"]) == ("m1", "present")
        assert row["citations"] == [{"turn": None, "quote": "reply to And more?", "found": True}]
    assert len(client.requests) == 2, "nobody but the judge is asked, once for repeats that say the same"


def test_a_real_log_opens_as_a_study_of_its_scorers(logs: Path) -> None:
    (log,) = logs.glob("*_lines_*.eval")
    study = voirdire.open(log, wide="includes", judges="includes")
    assert len(study.items) == 4
    assert study.judges_of(study.metrics[0].name)
