"""The same plan on this process and on the nodes of a cluster, of which one dies, gives the same verdicts."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import multiprocessing
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from conftest import missing
from judges.studies import kept, write_study
from voirdire import registry
from voirdire.cli.main import app
from voirdire.errors import UserError
from voirdire.judges.call import Reply, Request
from voirdire.judges.judge import load_judge
from voirdire.judges.judge_file import LimitsConfig
from voirdire.judges.planning import make_plan
from voirdire.judges.routes import Lost, Route, Routes
from voirdire.judges.runner import Outcome, run_plan
from voirdire.opening import open as open_study
from voirdire.store.schema import manifests, replies, verdicts
from voirdire.store.sql import open_store
from voirdire.testing.clients import FakeClient
from voirdire.testing.fault_server import FaultServer

ITEMS, CONCURRENCY = 300, 4
JUDGE = """
judge: tone
model: small
recipe: form_filling
endpoint: {url: "%s", key: PLANTED_KEY}
limits: {concurrency: 4}
"""


class Mortal(FakeClient):
    """A node that breaks down after so many calls, with those under way."""

    def __init__(self, lives: float) -> None:
        super().__init__(lambda request: "warm", delay=0.001)
        self.lives = lives

    async def complete(self, request: Request, *, timeout: float) -> Reply:
        """The reply while it lives."""
        reply = await super().complete(request, timeout=timeout)
        if len(self.requests) > self.lives:
            raise Lost("the node died")
        return reply


def judged(folder: Path, client: str, progress: Callable[[Outcome], None] | None = None) -> Outcome:
    with open_store(folder) as store:
        plan = make_plan(open_study(folder), load_judge(folder / "tone.yaml"), store)
        return asyncio.run(run_plan(plan, store, client=client, progress=progress))


def route_through(monkeypatch: pytest.MonkeyPatch, *clients: FakeClient) -> None:
    """Let every executor be one route through each of ``clients``."""
    real = registry.get
    limits = LimitsConfig(concurrency=CONCURRENCY)

    def get(kind: str, name: str) -> Any:
        routes = Routes([Route.of(client, limits) for client in clients])
        return (lambda judge: nullcontext(routes)) if kind == "executor" else real(kind, name)

    monkeypatch.setattr(registry, "get", get)


def test_each_route_has_its_own_limits_and_a_lost_ones_calls_are_made_on_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_study(tmp_path, items=60)
    one, other = Mortal(float("inf")), Mortal(10)
    route_through(monkeypatch, one, other)
    assert judged(folder, "local").statuses == {"ok": 60}
    assert one.most_at_once == other.most_at_once == CONCURRENCY
    assert 10 < len(other.requests) <= 10 + CONCURRENCY
    assert 60 < len(one.requests) + len(other.requests) <= 60 + CONCURRENCY
    assert len(kept(folder, replies)) == len(kept(folder, verdicts)) == 60
    assert {row["attempts"] for row in kept(folder, replies)} == {1}


def test_with_every_node_lost_the_run_ends_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_study(tmp_path, items=40)
    route_through(monkeypatch, Mortal(8), Mortal(8))
    with pytest.raises(UserError, match="no node is left: the node died"):
        judged(folder, "local")
    made = len(kept(folder, verdicts))
    assert 8 <= made <= 16
    route_through(monkeypatch, Mortal(float("inf")))
    assert judged(folder, "local").statuses == {"ok": 40 - made}
    assert len({row["item_id"] for row in kept(folder, verdicts)}) == 40


def test_an_executor_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="local"):
        judged(write_study(tmp_path, items=1), "locale")


def test_the_command_takes_an_executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_study(tmp_path, items=5)
    command = ["judge", str(folder), "--judge", str(folder / "tone.yaml"), "--executor"]
    wrong = CliRunner().invoke(app(), [*command, "rey"])
    assert wrong.exit_code == 2
    assert "did you mean 'ray'?" in wrong.output
    client = Mortal(float("inf"))
    route_through(monkeypatch, client)
    done = CliRunner().invoke(app(), [*command, "ray"])
    assert "5 verdicts of tone kept (5 ok)" in done.output
    assert len(client.requests) == 5


def answer(body: dict[str, Any]) -> str:
    """A label that depends on the request alone."""
    return ("warm", "cold")[sum(json.dumps(body["messages"]).encode()) % 2]


def serve(pipe: Connection) -> None:
    """An endpoint in a process of its own, which says what it got when asked."""

    async def work() -> None:
        async with FaultServer(answer=answer, delay=0.02) as server:
            pipe.send(server.url)
            while True:
                if await asyncio.to_thread(pipe.poll, 0.1):
                    pipe.recv()
                    pipe.send((len(server.bodies), server.most_at_once))
                    server.bodies.clear()
                    server.most_at_once = 0

    asyncio.run(work())


@pytest.fixture
def endpoint() -> Iterator[tuple[str, Connection]]:
    mine, other = multiprocessing.Pipe()
    worker = multiprocessing.get_context("spawn").Process(target=serve, args=(other,), daemon=True)
    worker.start()
    yield mine.recv(), mine
    worker.kill()
    worker.join()


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head that takes no work and two nodes, which hold the key; the process of the test joins as any."""
    if importlib.util.find_spec("ray") is None:
        missing("the extra ray")
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
        monkeypatch.setenv(name, "0")
    monkeypatch.setenv("PLANTED_KEY", "sk-planted")
    from ray.cluster_utils import Cluster

    memory = {"object_store_memory": 80_000_000}
    head = {"num_cpus": 0, "include_dashboard": False, **memory}
    found = Cluster(initialize_head=True, head_node_args=head)
    found.workers = [found.add_node(num_cpus=1, **memory) for _ in range(2)]
    monkeypatch.setenv("RAY_ADDRESS", found.address)
    yield found
    found.shutdown()


@pytest.mark.ray
def test_a_cluster_whose_node_is_killed_gives_the_verdicts_of_one_process(
    cluster: Any, endpoint: tuple[str, Connection], tmp_path: Path
) -> None:
    url, pipe = endpoint
    folders = [write_study(tmp_path / name, items=ITEMS) for name in ("local", "ray")]
    for folder in folders:
        (folder / "tone.yaml").write_text(JUDGE % url)
    assert judged(folders[0], "local").made == ITEMS
    pipe.send("what came")
    assert pipe.recv() == (ITEMS + 1, CONCURRENCY)
    killers: list[threading.Thread] = []

    def kill(outcome: Outcome) -> None:
        if outcome.made >= ITEMS // 3 and not killers:
            killers.append(
                threading.Thread(
                    target=cluster.remove_node, args=(cluster.workers[0],), kwargs={"allow_graceful": False}
                )
            )
            killers[0].start()

    assert judged(folders[1], "ray", kill).statuses == {"ok": ITEMS}
    killers[0].join()
    pipe.send("what came")
    calls, at_once = pipe.recv()
    assert CONCURRENCY < at_once <= 2 * CONCURRENCY
    # the node may have had no call under way when it went
    assert ITEMS + 1 <= calls <= ITEMS + 1 + CONCURRENCY
    local, ray = (
        {(row["item_id"], row["run"], row["part"], row["label"], row["content_hash"]) for row in rows}
        for rows in (kept(folder, verdicts) for folder in folders)
    )
    assert local == ray
    assert len(kept(folders[1], verdicts)) == ITEMS
    assert len(kept(folders[1], replies)) == ITEMS + 1
    assert [len(kept(folder, manifests)) for folder in folders] == [1, 1]


def test_no_cluster_is_a_users_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("ray") is None:
        missing("the extra ray")
    import ray

    def init(**options: Any) -> None:
        raise ConnectionError("Could not find any running Ray instance.")

    monkeypatch.setattr(ray, "init", init)
    with pytest.raises(UserError, match="no Ray cluster can be reached"):
        judged(write_study(tmp_path, items=1), "ray")
