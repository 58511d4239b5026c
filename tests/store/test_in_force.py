"""A judge whose file is changed and changed back counts as it is, though it needs no new verdict."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sql

from judges.studies import JUDGE, write_study
from store.conftest import Place
from voirdire.judges.judge import load_judge
from voirdire.judges.panel import keep_panel, load_panel
from voirdire.judges.planning import make_plan
from voirdire.judges.runner import run_plan
from voirdire.opening import open as open_study
from voirdire.store.in_force import versions_in_force
from voirdire.store.parts import stored
from voirdire.store.ratings import kept_verdicts
from voirdire.store.schema import manifests, verdicts
from voirdire.store.sql import Store
from voirdire.testing.clients import FakeClient

OTHER = JUDGE.replace("temperature: 0", "temperature: 1")


def judged(store: Store, folder: Path, text: str, label: str, *, limit: int = 0) -> None:
    (folder / "tone.yaml").write_text(text)
    plan = make_plan(open_study(folder), load_judge(folder / "tone.yaml"), store, limit=limit)
    asyncio.run(run_plan(plan, store, client=FakeClient(lambda request: label)))


def labels(store: Store) -> list[str | None]:
    kept = kept_verdicts(store)
    assert kept is not None
    return [kept.table.columns["label"][row] for row in range(len(kept.table.columns["label"]))]


def test_the_version_asked_for_last_counts(place: Place, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study")
    with place.open() as store:
        judged(store, folder, JUDGE, "warm")
        judged(store, folder, OTHER, "cold", limit=3)
        assert labels(store) == ["cold"] * 3
        for _ in range(2):
            judged(store, folder, JUDGE, "never asked")
            assert labels(store) == ["warm"] * 10
        asked = store.rows(sql.select(manifests).where(manifests.c.kind == "asked"))
        assert len(asked) == 1
        judged(store, folder, OTHER, "cold", limit=3)
        assert labels(store) == ["cold"] * 6


@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_so_it_is_with_panels(tmp_path: Path, combine: str, place: Place) -> None:
    folder = write_study(tmp_path / "study")
    (folder / "other.yaml").write_text(JUDGE.replace("judge: tone", "judge: other"))
    panels = []
    for how in (combine, "mean" if combine == "vote" else "vote"):
        (folder / "panel.yaml").write_text(f"judge: all\npanel: [tone.yaml, other.yaml]\ncombine: {how}\n")
        panels.append(load_panel(folder / "panel.yaml"))
    with place.open() as store:
        for member in panels[0].members:
            plan = make_plan(open_study(folder), member, store)
            asyncio.run(run_plan(plan, store, client=FakeClient(lambda request: "warm")))
        assert [keep_panel(panel, store) for panel in [*panels, panels[0]]] == [10, 10, 0]
        rows = stored(store, verdicts, ["rater_id", "judge_version", "created_at"])
        assert versions_in_force(store, rows)["all"] == panels[0].version
