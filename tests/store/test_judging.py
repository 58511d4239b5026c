"""Judging into either database: resumed, moved to parts, read by a study, and no password shown."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sql
from typer.testing import CliRunner

from judges.studies import kept, write_study
from postgres import PASSWORD, Server
from store.conftest import Place
from voirdire.cli.main import app
from voirdire.errors import UserError
from voirdire.judges.call import Failure, Request
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import Outcome, run_plan
from voirdire.opening import open as open_study
from voirdire.store.parts import compact, stored
from voirdire.store.schema import parts, replies, verdicts
from voirdire.store.sql import Store, open_store
from voirdire.testing.clients import FakeClient

REPLAY = 'judge: tone\nmodel: small\nrecipe: rubric\nendpoint: {client: replay, url: "%s"}\n'
REPLAY += "parameters: {temperature: 0, logprobs: true, top_logprobs: 5}\n"
HARD = "warm\x00 \ud83d \U0001f600"
"""A NUL, which PostgreSQL's text cannot hold, and half of a surrogate pair, which no UTF-8 can."""


def answer(request: Request) -> str:
    return ("warm", "cold")[sum(request.messages[-1].content.encode()) % 2]


def judged(store: Store, folder: Path, client: FakeClient) -> Outcome:
    plan = make_plan(open_study(folder), load_judge(folder / "tone.yaml"), store)
    return asyncio.run(run_plan(plan, store, client=client))


def nobody(request: Request) -> Failure:
    return Failure("nothing may be asked", again=False)


def test_a_run_asks_nothing_that_is_in_a_part(place: Place) -> None:
    write_study(place.folder)
    with place.open() as store:
        assert judged(store, place.folder, FakeClient(answer)).statuses == {"ok": 10}
        assert compact(store).rows == {"replies": 10, "verdicts": 10}
        assert judged(store, place.folder, FakeClient(nobody)).planned == 0
        # with the verdicts gone and the replies in a part, the verdicts are made of those
        with store.transaction() as connection:
            connection.execute(parts.delete().where(parts.c.table_name == "verdicts"))
        client = FakeClient(nobody)
        again = judged(store, place.folder, client)
        assert (again.statuses, again.reused, client.requests) == ({"ok": 10}, 10, [])


def test_a_hostile_reply_is_kept_in_either_database(place: Place) -> None:
    write_study(place.folder, items=3)
    with place.open() as store:
        first = judged(store, place.folder, FakeClient(lambda request: HARD))
        compact(store)
        assert sum(first.statuses.values()) == 3
        (told,) = {row["text"] for row in store_rows(store, replies)}
        assert told == "warm\ufffd \ufffd \U0001f600"
        with store.transaction() as connection:
            connection.execute(parts.delete().where(parts.c.table_name == "verdicts"))
        assert judged(store, place.folder, FakeClient(nobody)).statuses == first.statuses


def store_rows(store: Store, table: sql.Table) -> list[dict[str, object]]:
    return stored(store, table, [column.name for column in table.columns])


@pytest.mark.parametrize("declared", [False, True])
def test_the_commands_take_a_store_and_show_no_password(
    declared: bool, postgres_server: Server, tmp_path: Path
) -> None:
    recorded, folder = write_study(tmp_path / "recorded"), write_study(tmp_path / "study")
    with open_store(recorded) as store:
        judged(store, recorded, FakeClient(answer))
    (folder / "tone.yaml").write_text(REPLAY % recorded)
    url = postgres_server.new(f"commands_{declared}")
    option = [] if declared else ["--store", url]
    said = (folder / "study.yaml").read_text()
    if declared:
        (folder / "study.yaml").write_text(f"store: {url}\n{said}")
    told = ""
    for command in (["judge", str(folder), "--judge", str(folder / "tone.yaml")], ["compact", str(folder)]):
        done = CliRunner().invoke(app(), [*command, *option])
        assert done.exit_code == 0, done.output
        told += done.output
    assert "10 verdicts of tone kept (10 ok)" in told
    assert "10 replies, 10 verdicts moved into 2 Parquet files" in told
    (folder / "study.yaml").write_text(f"store: {url}\n{said}")
    assert open_study(folder).raters[-1].id == "tone"
    done = CliRunner().invoke(app(), ["audit", str(folder), "--out", str(folder / "out"), "--json"])
    assert done.exit_code in (0, 1), done.output
    written = [file for file in folder.rglob("*") if file.is_file() and file.name != "study.yaml"]
    assert len(written) > 4
    assert PASSWORD not in told + done.output
    assert not [file for file in written if PASSWORD.encode() in file.read_bytes()]
    assert not (folder / "voirdire.sqlite").exists()


def test_a_folder_as_the_store_holds_it(tmp_path: Path) -> None:
    recorded, folder = write_study(tmp_path / "recorded"), write_study(tmp_path / "study")
    with open_store(recorded) as store:
        judged(store, recorded, FakeClient(answer))
    (folder / "tone.yaml").write_text(REPLAY % recorded)
    (tmp_path / "elsewhere").mkdir()
    command = ["judge", str(folder), "--judge", str(folder / "tone.yaml"), "--store"]
    done = CliRunner().invoke(app(), [*command, str(tmp_path / "elsewhere")])
    assert done.exit_code == 0, done.output
    assert len(kept(tmp_path / "elsewhere", verdicts)) == 10
    assert not (folder / "voirdire.sqlite").exists()
    (folder / "study.yaml").write_text("store: ../elsewhere\n" + (folder / "study.yaml").read_text())
    assert open_study(folder).raters[-1].id == "tone"


def test_an_endpoint_with_a_password_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tone.yaml").write_text(REPLAY % "postgresql://ann:planted@host/base")
    with pytest.raises(UserError, match="without a name or password") as caught:
        load_judge(tmp_path / "tone.yaml")
    assert "planted" not in str(caught.value)
