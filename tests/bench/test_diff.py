"""What moved the headline: each cause alone, the rest together, and the sum."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import voirdire.bench.running
from bench.benches import bench, cast, scripted
from bench.runs import counted, run, scripted_judge
from voirdire.bench.cast import Cast
from voirdire.bench.diff import TOGETHER, TOTAL, Diff, diff_runs
from voirdire.bench.filling import fill_diff
from voirdire.bench.manifest import CAUSES
from voirdire.bench.suite import Bench
from voirdire.errors import UserError
from voirdire.store.sql import open_store

BLIND = [{"when": "nothing says so", "verdict": "present"}]
PLAYERS = cast(scripted("a", rate=0.25), scripted("b", rate=0.5))
OTHERS = cast(scripted("a", rate=0.75), scripted("b", rate=0.5))


def suite(folder: Path, **more: Any) -> Bench:
    metrics = [counted(f"m{k}", polarity="negative" if k % 2 else "positive") for k in range(4)]
    return bench(folder, *metrics, **{"repeats": 2, **more})


def diffed(folder: Path, first: str = "run-1", second: str = "run-2", *, fill: bool = False) -> Diff:
    with open_store(folder) as store:
        if fill:
            asyncio.run(fill_diff(store, first, second))
        return diff_runs(store, first, second)


def values(found: Diff, kind: Any = "both") -> dict[str, float]:
    return {
        one.cause: one.change.value
        for one in found.effects
        if (one.kind, one.system) == (kind, "all systems")
    }


def test_one_cause_moves_all_of_it(tmp_path: Path) -> None:
    run(tmp_path, suite(tmp_path), PLAYERS)
    run(tmp_path, suite(tmp_path), PLAYERS, scripted_judge(BLIND))
    found = diffed(tmp_path)
    assert set(found.changed) == {"judge"}
    # the blind judge sees nothing: every negative metric passes, no positive one does
    assert values(found, "negative") == {"judge": pytest.approx(0.375), "total": pytest.approx(0.375)}
    assert values(found, "positive") == {"judge": pytest.approx(-0.375), "total": pytest.approx(-0.375)}
    effect = found.effect("judge", "negative")
    assert effect is not None
    assert (effect.paired, effect.gained, effect.lost) == (32, 12, 0)
    assert found.before["negative", "all systems"] == (20, 32)
    assert found.after["negative", "all systems"] == (32, 32)


def test_a_swap_of_the_judge_is_paired_by_conversation(tmp_path: Path) -> None:
    """Where both sides hold the same conversations it is the t-test of the metrics' differences."""
    metrics = [counted(f"m{k}", polarity="positive") for k in range(6)]
    rules = [{"metric": f"m{k}", "rate": k / 8, "present": "PRESENT.", "absent": "ABSENT."} for k in range(6)]
    players = cast({"system": "a", "script": {"planted": rules}})
    small = bench(tmp_path, *metrics, repeats=4)
    run(tmp_path, small, players)
    run(tmp_path, small, players, scripted_judge(BLIND))
    effect = diffed(tmp_path).effect("judge")
    assert effect is not None
    moved = -np.arange(6) / 8
    reach = student.ppf(0.975, 5) * moved.std(ddof=1) / np.sqrt(6)
    assert effect.change.value == pytest.approx(moved.mean())
    assert effect.change.low == pytest.approx(moved.mean() - reach)
    assert effect.change.high == pytest.approx(moved.mean() + reach)
    assert effect.change.target == "new metrics of this kind"


EDITED = {"question": "Is it there?", "present": "Here.", "absent": "Not here."}


def everything_changed(folder: Path) -> tuple[Bench, Cast, Any]:
    """A benchmark in which every cause but the code is another."""
    metrics = [
        counted("m0", polarity="negative"),
        counted("m1", polarity="negative"),
        counted("m2", polarity="positive", scoring=EDITED),
        counted("m4", polarity="positive"),
    ]
    return bench(folder, *metrics, repeats=3), OTHERS, scripted_judge(BLIND)


def test_several_causes_sum_to_the_whole(tmp_path: Path) -> None:
    run(tmp_path, suite(tmp_path), PLAYERS)
    changed, players, judge = everything_changed(tmp_path)
    run(tmp_path, changed, players, judge)
    open_ones = diffed(tmp_path)
    assert set(open_ones.lacking) == {"metrics", "judge", "targets", "parameters"}
    assert open_ones.effect(TOGETHER) is None
    assert open_ones.effect(TOTAL) is not None
    found = diffed(tmp_path, fill=True)
    assert not found.lacking
    assert set(found.changed) == {"metrics", "judge", "targets", "parameters"}
    for kind in ("both", "positive", "negative"):
        for system in ("all systems", "a", "b"):
            effects = {
                one.cause: one.change.value
                for one in found.effects
                if (one.kind, one.system) == (kind, system)
            }
            total = effects.pop(TOTAL)
            passed, judged = found.after[kind, system]
            before, of = found.before[kind, system]
            assert total == pytest.approx(passed / judged - before / of)
            assert sum(effects.values()) == pytest.approx(total, abs=1e-12)


def test_each_cause_alone_is_the_run_that_changes_it_alone(tmp_path: Path) -> None:
    """The attribution agrees with a run in which that cause was really changed, and with no other."""
    run(tmp_path, suite(tmp_path), PLAYERS)
    changed, players, judge = everything_changed(tmp_path)
    run(tmp_path, changed, players, judge)
    run(tmp_path, suite(tmp_path), OTHERS)
    run(tmp_path, suite(tmp_path), PLAYERS, judge)
    run(tmp_path, bench(tmp_path, *changed.metrics, repeats=2), PLAYERS)
    run(tmp_path, suite(tmp_path, repeats=3), PLAYERS)
    found = diffed(tmp_path)
    assert not found.lacking  # the runs between have held and judged all that is swapped
    for number, cause in enumerate(("targets", "judge", "metrics", "parameters"), start=3):
        alone = diffed(tmp_path, "run-1", f"run-{number}")
        assert set(alone.changed) == {cause}
        for kind in ("both", "positive", "negative"):
            one, other = alone.effect(TOTAL, kind), found.effect(cause, kind)
            assert one is not None
            assert other is not None
            assert other.change == one.change


def test_it_says_what_is_lacking_and_what_to_run(tmp_path: Path) -> None:
    run(tmp_path, suite(tmp_path), PLAYERS)
    run(tmp_path, suite(tmp_path), OTHERS, scripted_judge(BLIND))
    found = diffed(tmp_path)
    assert "32 of 64 conversations were never judged by j" in found.lacking["judge"]
    assert "conversations were never held with the targets of run-2" not in found.lacking["judge"]
    assert "voirdire bench diff --run" in found.lacking["judge"]
    # the targets' conversations are there, and the first judge never read them
    assert "were never judged" in found.lacking["targets"]
    assert "cannot be said" in str(found)
    filled = diffed(tmp_path, fill=True)
    assert not filled.lacking
    assert set(values(filled)) == {"judge", "targets", TOGETHER, TOTAL}


def test_a_mixture_that_cannot_be_played_is_left_open(tmp_path: Path) -> None:
    run(tmp_path, suite(tmp_path), PLAYERS)
    rule = {"metric": "m9", "rate": 0.5, "present": "PRESENT.", "absent": "ABSENT."}
    players = cast({"system": "a", "script": {"planted": [rule]}})
    run(tmp_path, bench(tmp_path, counted("m9")), players)
    found = diffed(tmp_path, fill=True)
    assert "it cannot be played" in found.lacking["targets"]
    assert "m9" in found.lacking["targets"]


def test_a_run_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    from voirdire.bench.running import RunControl

    run(tmp_path, suite(tmp_path), PLAYERS)
    run(tmp_path, suite(tmp_path), OTHERS, control=RunControl(limit=5))
    with pytest.raises(UserError, match="run-2 is not whole: 27 of 64 conversations"):
        diffed(tmp_path)
    with pytest.raises(UserError, match="a run and itself"):
        diffed(tmp_path, "run-1", "run-1")


def test_another_code_is_told_apart_from_everything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run was counted by code that passed one conversation more."""
    with monkeypatch.context() as then:
        then.setattr("voirdire.bench.manifest.scoring_version", lambda: "then")
        true = voirdire.bench.running.headline_of

        def one_more(results: Any) -> Any:
            return {name: [n[0] + 1, n[1]] for name, n in true(results).items()}

        then.setattr("voirdire.bench.running.headline_of", one_more)
        run(tmp_path, suite(tmp_path), PLAYERS)
    run(tmp_path, suite(tmp_path), PLAYERS, scripted_judge(BLIND))
    found = diffed(tmp_path)
    assert set(found.changed) == {"judge", "scoring"}
    told = values(found, "negative")
    assert told["scoring"] == pytest.approx(-1 / 32)
    assert told["judge"] == pytest.approx(12 / 32)
    assert told["total"] == pytest.approx(11 / 32)
    assert found.before["negative", "all systems"] == (21, 32)
    moved = found.effect("scoring", "negative")
    assert moved is not None
    assert moved.change.no_interval == "no_interval_method"


def test_systems_that_are_new_are_named_and_have_no_change(tmp_path: Path) -> None:
    run(tmp_path, suite(tmp_path), PLAYERS)
    run(tmp_path, suite(tmp_path), cast(scripted("a", rate=0.25), scripted("c", rate=0.5)))
    found = diffed(tmp_path)
    assert found.changed["targets"] == ("b: taken out", "c: new")
    assert {one.system for one in found.effects} == {"all systems", "a"}
    unmoved = found.effect("targets", system="a")
    assert unmoved is not None
    assert (unmoved.change.value, unmoved.gained, unmoved.lost) == (0, 0, 0)


def test_what_is_different_is_said_in_words(tmp_path: Path) -> None:
    run(tmp_path, suite(tmp_path), PLAYERS)
    changed, players, judge = everything_changed(tmp_path)
    run(tmp_path, changed, players, judge)
    told = diffed(tmp_path).changed
    assert told["metrics"] == ("m3: taken out", "m4: new", "m0: polarity edited", "m2: scoring edited")
    assert told["targets"] == ("a: script changed",)
    assert told["parameters"] == ("repeats: 2 is now 3",)
    assert any(line.startswith("version: ") for line in told["judge"])


def test_it_is_plain_data_and_readable(tmp_path: Path) -> None:
    run(tmp_path, suite(tmp_path), PLAYERS)
    run(tmp_path, suite(tmp_path), PLAYERS, scripted_judge(BLIND))
    found = diffed(tmp_path)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {one["cause"] for one in told["effects"]} <= {*CAUSES, TOGETHER, TOTAL}
    lines = str(found).splitlines()
    assert lines[0] == "From run-1 to run-2, in percentage points of conversations that pass."
    n = found.before["both", "all systems"][1]
    assert lines[1].startswith("run-1: positive ")
    assert lines[1].endswith(f" % of {n}.")
    assert lines[3].split() == ["cause", "positive", "negative", "both", "gained", "lost"]
    assert "-0.0" not in str(found)
