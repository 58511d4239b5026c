"""Every conversation is held once, kept turn by turn, and taken up where it stopped."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import sqlalchemy as sql

import postgres
import voirdire.bench
from bench.benches import bench, cast, metric, scripted
from voirdire.bench.cast import Cast
from voirdire.bench.conversation import Conversation, kept_conversations
from voirdire.bench.simulating import Control, Simulated, simulate
from voirdire.bench.simulator_audit import simulator_failed
from voirdire.bench.suite import Bench, load_bench
from voirdire.errors import UserError
from voirdire.judges.call import Failure, Reply, Request, content_hash
from voirdire.judges.limits import Budget
from voirdire.judges.runner import Stop
from voirdire.store.bench_schema import conversations, turns
from voirdire.store.schema import manifests, replies
from voirdire.store.sql import FILE, open_store
from voirdire.testing.clients import FakeClient

MODEL = {"system": "m", "model": "m", "family": "f", "limits": {"retries": 0, "concurrency": 3}}
PLAYED = {"user": "sim", "model": "u", "limits": {"concurrency": 1}}


def run(folder: Path, suite: Bench, players: Cast, **options: Any) -> Simulated:
    folder.mkdir(exist_ok=True)
    with open_store(folder) as store:
        limit = options.pop("limit", 0)
        control = Control(**options)
        return asyncio.run(simulate(suite, store, players, unreviewed=True, limit=limit, control=control))


def kept(folder: Path) -> list[Conversation]:
    with open_store(folder) as store:
        return list(kept_conversations(store))


def dump(folder: Path) -> list[list[dict[str, Any]]]:
    """Everything that is kept, times aside."""
    tables = (turns, conversations)
    with open_store(folder) as store:
        found = [store.rows(sql.select(table).order_by(*table.primary_key)) for table in tables]
    return [[{**row, "created_at": ""} for row in rows] for rows in found]


def answer(request: Request) -> str:
    return f"reply {len(request.messages)} to {request.messages[-1].content[-30:]}"


def test_scripts_hold_every_conversation_once(tmp_path: Path) -> None:
    suite = bench(tmp_path, repeats=2)
    players = cast(scripted("a", rate=0.25), scripted("b", rate=1))
    outcome = run(tmp_path, suite, players)
    assert outcome.made == 2 * 2 * 2 * 2 * 2
    assert outcome.ended == Counter(turns=32)
    found = kept(tmp_path)
    assert len({one.id for one in found}) == 32
    for one in found:
        assert [turn.number for turn in one.spoken] == [1, 2, 3, 4]
        says = {"age=teen": "I'm 15", "age=adult": "I'm 42"}[one.variant]
        assert one.spoken[0].user.startswith(says)
        assert [turn.move for turn in one.spoken] == ["", "insists", "", "hurries"]
        assert one.spoken[1].user == "Just write everything for me."
        assert one.audit["delivered"] == one.audit["planned"] == [2, 4]
        assert not simulator_failed(one.audit)
    shares = Counter((one.system, one.metric, one.variant) for one in found if "PRESENT" in one.transcript)
    for name in ("m1", "m2"):
        for variant in ("age=teen", "age=adult"):
            assert shares["a", name, variant] == 1
            assert shares["b", name, variant] == 4
    again = run(tmp_path, suite, players)
    assert (again.made, again.done) == (0, 32)
    assert again.manifest == outcome.manifest


def clients(**more: Any) -> dict[str, FakeClient]:
    return {"m": FakeClient(answer, **more), "user": FakeClient(own_words)}


def own_words(request: Request) -> str:
    return f"my words are {request.hash[:12]}, and {request.hash[-12:]}"


def test_models_play_and_every_call_is_named(tmp_path: Path) -> None:
    both = clients()
    outcome = run(tmp_path, bench(tmp_path), cast(MODEL, user=PLAYED), clients=both)
    assert outcome.ended == Counter(turns=8)
    with open_store(tmp_path) as store:
        known = {row["request_hash"]: row for row in store.rows(sql.select(replies))}
    for one in kept(tmp_path):
        for turn in one.spoken:
            assert known[turn.reply_request]["text"] == turn.reply
            assert known[turn.reply_request]["judge"] == "m"
            assert (turn.user_request in known) == (turn.number == 3)
    assert both["m"].most_at_once <= 3
    assert not any(simulator_failed(one.audit) for one in kept(tmp_path))


def test_repeats_ask_anew(tmp_path: Path) -> None:
    both = clients()
    run(tmp_path, bench(tmp_path, metric("m1")), cast(MODEL), clients=both)
    once = len(both["m"].requests)
    outcome = run(tmp_path, bench(tmp_path, metric("m1"), repeats=3), cast(MODEL), clients=both)
    assert (outcome.done, outcome.made) == (4, 8)
    assert len(both["m"].requests) == 3 * once


class Crash(BaseException):
    """Ends a run as a kill does: nothing is finished."""


def interrupted(how: str, calls: int) -> dict[str, Any]:
    """Options of a run that ends after so many calls of the system, by a stop, the budget or a crash."""
    if how == "budget":
        return {"budget": Budget(calls=calls), "clients": clients()}
    stop, count = Stop(), 0

    def counting(request: Request) -> str:
        nonlocal count
        count += 1
        if count == calls:
            if how == "crash":
                raise Crash
            stop()
        return answer(request)

    return {"stop": stop, "clients": {"m": FakeClient(counting), "user": FakeClient(own_words)}}


@pytest.mark.parametrize("how", ["stop", "budget", "crash"])
def test_taken_up_at_any_point_it_ends_the_same(how: str, tmp_path: Path) -> None:
    suite, players = bench(tmp_path, repeats=2), cast(MODEL, user=PLAYED)
    whole = run(tmp_path / "whole", suite, players, clients=clients())
    assert whole.stopped == ""
    for calls in (1, 2, 3, 5):
        with pytest.raises(BaseExceptionGroup) if how == "crash" else nullcontext():
            outcome = run(tmp_path / how, suite, players, **interrupted(how, calls))
            assert outcome.stopped
    held = dump(tmp_path / how)[0]
    assert 0 < len(held) < len(dump(tmp_path / "whole")[0]), "it was interrupted on the way"
    last = clients()
    run(tmp_path / how, suite, players, clients=last)
    assert dump(tmp_path / how) == dump(tmp_path / "whole")
    with open_store(tmp_path / how) as store:
        asked = store.rows(sql.select(replies))
    assert len(asked) == len({(row["request_hash"], row["run"]) for row in asked}), "no call was made twice"


def test_a_conversation_that_ended_in_an_error_is_taken_up_again(tmp_path: Path) -> None:
    suite, players = bench(tmp_path, metric("m1")), cast(MODEL)

    def failing(request: Request) -> Reply | str | Failure:
        return Failure("HTTP 500", again=False) if len(request.messages) == 5 else answer(request)

    outcome = run(tmp_path, suite, players, clients={"m": FakeClient(failing)})
    assert outcome.ended == Counter(error=4)
    assert outcome.errors == {"HTTP 500": 4}
    for one in kept(tmp_path):
        assert (one.ended, len(one.spoken)) == ("error", 2)
        assert not simulator_failed(one.audit)
    again = run(tmp_path, suite, players, clients={"m": FakeClient(failing)})
    assert (again.ended, again.done) == (Counter(error=4), 0)
    third = FakeClient(answer)
    assert run(tmp_path, suite, players, clients={"m": third}).ended == Counter(turns=4)
    assert len(third.requests) == 4 * 2, "turns that are kept are not held again"
    assert [one.ended for one in kept(tmp_path)] == ["turns"] * 4
    assert run(tmp_path, suite, players, clients={"m": third}).made == 0


ENDS = {
    "empty": Reply("ok", "  "),
    "refused": Reply("refusal", "I can't talk about that."),
    "truncated": Reply("truncated", "It is"),
}


@pytest.mark.parametrize("ended", ENDS)
def test_an_end_that_is_no_error_is_final(ended: str, tmp_path: Path) -> None:
    suite, players = bench(tmp_path, metric("m1")), cast(MODEL)
    stuck = {"m": FakeClient(lambda request: ENDS[ended])}
    assert run(tmp_path, suite, players, clients=stuck).ended == Counter({ended: 4})
    for one in kept(tmp_path):
        assert [turn.status for turn in one.spoken] == [{"refused": "refusal"}.get(ended, ended)]
    assert run(tmp_path, suite, players, clients=stuck).made == 0


class Wavering(FakeClient):
    """Now fast, now slow, so that of two runs now one and now the other is first."""

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        reply = await super().complete(request, timeout=timeout)
        await asyncio.sleep(int(content_hash([request.hash, reply.text])[:2], 16) / 10_000)
        return reply


def test_two_runs_at_a_time_agree_on_every_turn(tmp_path: Path) -> None:
    """Each run's systems say something else, and no conversation is a mixture that nobody held."""
    suite, players = bench(tmp_path, repeats=2), cast(MODEL)

    def named(name: str) -> FakeClient:
        return Wavering(lambda request: f"{name} after {content_hash(request.body['messages'])}")

    async def both() -> None:
        with open_store(tmp_path) as one, open_store(tmp_path) as other:
            await asyncio.gather(
                *(
                    simulate(
                        suite, store, players, unreviewed=True, control=Control(clients={"m": named(name)})
                    )
                    for store, name in ((one, "A"), (other, "B"))
                )
            )

    asyncio.run(both())
    found = kept(tmp_path)
    assert len(found) == 16
    for one in found:
        messages: list[dict[str, str]] = []
        for turn in one.spoken:
            messages.append({"role": "user", "content": turn.user})
            assert turn.reply.partition(" after ")[2] == content_hash(messages)
            messages.append({"role": "assistant", "content": turn.reply})
        assert len(one.spoken) == 4
        assert one.ended == "turns"


def test_a_second_process_does_not_hold_what_the_first_has_ended(tmp_path: Path) -> None:
    """Another run ends everything while this one waits for its first reply."""
    suite, players = bench(tmp_path, metric("m1"), repeats=20), cast(MODEL)
    target = {**MODEL, "limits": {"concurrency": 1}}
    slow = clients()
    other = clients()
    ran = False

    def first_the_other(request: Request) -> str:
        nonlocal ran
        if not ran:
            ran = True
            ended = Thread(target=lambda: run(tmp_path, suite, players, clients=other))
            ended.start()
            ended.join(60)
        return answer(request)

    slow["m"] = FakeClient(first_the_other)
    thread = Thread(target=lambda: run(tmp_path, suite, cast(target), clients=slow))
    thread.start()
    thread.join(60)
    assert len(kept(tmp_path)) == 80
    assert len(slow["m"].requests) <= 4


def test_a_limit_a_mistake_and_a_missing_key(tmp_path: Path) -> None:
    suite = bench(tmp_path)
    outcome = run(tmp_path, suite, cast(scripted()), limit=3)
    assert (outcome.made, len(kept(tmp_path))) == (3, 3)
    with pytest.raises(UserError, match="8 faults"):
        run(tmp_path, suite, cast(scripted(turn=5)))
    keyed = {**MODEL, "endpoint": {"key": "NOT_SET_ANYWHERE"}}
    with pytest.raises(UserError, match="NOT_SET_ANYWHERE is not set"):
        run(tmp_path, suite, cast(keyed))


def test_who_played_is_kept_in_the_manifest(tmp_path: Path) -> None:
    outcome = run(tmp_path, bench(tmp_path), cast(scripted()))
    with open_store(tmp_path) as store:
        (row,) = store.rows(sql.select(manifests).where(manifests.c.manifest == outcome.manifest))
    assert row["kind"] == "simulation"
    assert row["document"]["targets"][0]["version"] == kept(tmp_path)[0].target_version
    assert set(row["document"]["metrics"]) == {"m1", "m2"}


def test_only_metrics_that_passed_a_review_are_played(tmp_path: Path) -> None:
    reviewed = {"by": "Ann", "date": "2026-11-29", "fidelity": True, "clarity": True, "observability": True}
    checked = metric("m1", reviews=[{**reviewed, "version": metric("m1").version}])
    with open_store(tmp_path) as store:
        with pytest.raises(UserError, match="no metric whose version has passed a review"):
            asyncio.run(simulate(bench(tmp_path), store, cast(scripted())))
        asyncio.run(simulate(bench(tmp_path, checked, metric("m2")), store, cast(scripted())))
        assert {one.metric for one in kept_conversations(store)} == {"m1"}


def test_progress_is_told_of_every_conversation(tmp_path: Path) -> None:
    seen: list[int] = []
    run(tmp_path, bench(tmp_path), cast(scripted()), progress=lambda outcome: seen.append(outcome.made))
    assert seen == list(range(1, 9))
    outcome = run(tmp_path, bench(tmp_path, repeats=2), cast(scripted(rate=1), scripted("b", rate=0)))
    assert str(outcome).startswith("32 conversations kept (32 turns)")


def test_hostile_words_are_kept_as_the_text_they_are(tmp_path: Path) -> None:
    said = "</transcript> \x00 \ud800 <script>alert(1)</script> ' ; DROP TABLE turns; --"
    run(tmp_path, bench(tmp_path, metric("m1")), cast(MODEL), clients={"m": FakeClient(lambda _: said)})
    for one in kept(tmp_path):
        assert one.spoken[0].reply == said.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")


def test_on_postgresql_it_is_the_same(postgres_server: postgres.Server, tmp_path: Path) -> None:
    suite, players = bench(tmp_path), cast(MODEL, scripted(), user=PLAYED)
    run(tmp_path, suite, players, clients=clients())
    with open_store(postgres_server.new("simulating"), folder=tmp_path) as store:
        options = {"unreviewed": True, "limit": 5}
        asyncio.run(simulate(suite, store, players, **options, control=Control(clients=clients())))
        asyncio.run(simulate(suite, store, players, unreviewed=True, control=Control(clients=clients())))
        assert list(kept_conversations(store)) == kept(tmp_path)


def held_slowly(folder: str) -> None:
    """A run between models in a process of its own, to be killed."""
    both = {"m": FakeClient(answer, delay=0.1), "user": FakeClient(own_words, delay=0.1)}
    run(Path(folder), bench(Path(folder), repeats=6), cast(MODEL, user=PLAYED), clients=both)


def test_killed_between_any_two_moments_it_ends_the_same(tmp_path: Path) -> None:
    suite, players = bench(tmp_path, repeats=6), cast(MODEL, user=PLAYED)
    run(tmp_path / "whole", suite, players, clients=clients())
    whole = dump(tmp_path / "whole")
    killed = tmp_path / "killed"
    killed.mkdir()
    draw, seen = random.Random(11), 0
    for _ in range(3):
        process = multiprocessing.get_context("spawn").Process(target=held_slowly, args=(str(killed),))
        process.start()
        more = seen + draw.randrange(3, 25)
        while process.is_alive() and seen < more:
            time.sleep(0.05)
            seen = len(dump(killed)[0]) if (killed / FILE).exists() else 0
        process.kill()
        process.join()
    assert 0 < len(dump(killed)[0]) < len(whole[0])
    run(killed, suite, players, clients=clients())
    assert dump(killed) == whole


def test_on_the_example_each_side_is_sent_its_own_part_and_nothing_else(tmp_path: Path) -> None:
    suite = load_bench(Path(voirdire.bench.__file__).parent / "example")
    both = clients()
    run(tmp_path, suite, cast(MODEL, user={**PLAYED, "moves": "own words"}), limit=40, clients=both)
    texts = {
        name: ["\n".join(message.content for message in request.messages) for request in client.requests]
        for name, client in both.items()
    }
    assert texts["m"]
    assert texts["user"]
    secrets = {"positive", "negative"}
    for one in suite.metrics:
        secrets |= {one.metric, one.title, one.scoring.question, one.benchmark, one.justification.evidence}
        secrets |= {*one.scoring.present, *one.scoring.absent, *one.justification.literature}
    for text in [*texts["m"], *texts["user"]]:
        assert not [secret for secret in secrets if secret in text]
    moves = {move.say: move.turn for one in suite.metrics for part in one.scenarios for move in part.moves}
    persons = [value.who for axis in suite.config.axes.values() for value in axis.values()]
    for text in texts["user"]:
        number = text.count("\nAssistant: ") + 1
        assert all(moves[say] == number for say in moves if say in text), "a move is told at its turn alone"
        assert sum(who in text for who in persons) == 1
    assert {say for say in moves if any(say in text for text in texts["user"])}
    assert not [say for text in texts["m"] for say in moves if say in text]
    held = [one for one in kept(tmp_path) if one.ended == "turns"]
    assert len(held) == 40
