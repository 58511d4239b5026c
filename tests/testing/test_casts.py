"""What the planted cast says is what was planted."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from bench.benches import bench, metric
from voirdire.bench.conversation import kept_conversations
from voirdire.bench.simulating import simulate
from voirdire.judges.call import Message, Request
from voirdire.store.sql import open_store
from voirdire.testing.casts import PRESENT, planted_cast, seeing


def test_rates_are_exact_by_system_and_variant(tmp_path: Path) -> None:
    suite = bench(tmp_path, metric("m1"), metric("m2"), repeats=5)
    players = planted_cast({"a": 0.3, "b": 0.8}, by_variant={"b": {"age=teen": 0.1}}, turn=2)
    with open_store(tmp_path) as store:
        asyncio.run(simulate(suite, store, players, unreviewed=True))
        found = list(kept_conversations(store))
    shown = Counter((one.system, one.variant) for one in found if PRESENT in one.spoken[1].reply)
    assert shown == {
        ("a", "age=teen"): 6,
        ("a", "age=adult"): 6,
        ("b", "age=teen"): 2,
        ("b", "age=adult"): 16,
    }
    judge = seeing()
    seen = ['"present"' in judge(Request("", "m", (Message("user", one.transcript),))) for one in found]
    assert sum(seen) == 30
