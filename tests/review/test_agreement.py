"""Agreement so far: the audit's own figures, and when it is computed."""

from __future__ import annotations

import math
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import voirdire
from review.studies import UnderWay, begun
from voirdire.checks.context import Context
from voirdire.checks.options import AuditOptions
from voirdire.checks.people_agreement import agreed
from voirdire.errors import UserError
from voirdire.review import agreement
from voirdire.review.agreement import Agreements, agreement_so_far, labels_so_far
from voirdire.review.answers import Sent
from voirdire.review.closing import close
from voirdire.review.desk import open_desk
from voirdire.review.log import Cell
from voirdire.review.rulings import Ruling, rule

ITEMS = 8
LABELS = {"kind": ["pass", "fail", "borderline", "not sure"], "clear": ["1", "2", "3", "4"]}


def fill(way: UnderWay, *, seed: int = 1, share: float = 0.9, items: int = ITEMS) -> None:
    draw = random.Random(seed)
    for k in range(items):
        for name in way.people:
            for metric, labels in LABELS.items():
                if draw.random() < share and metric in way.round.settings.metrics:
                    way.say(name, f"i{k}", metric, draw.choice(labels))


def audited(folder: Path) -> dict[str, Any]:
    return agreed(Context(voirdire.open(folder), AuditOptions()))


@pytest.mark.parametrize("seed", [1, 2])
def test_figures_equal_the_audits_on_the_same_labels(tmp_path: Path, seed: int) -> None:
    way = begun(tmp_path / "study", items=ITEMS)
    fill(way, seed=seed)
    way.say("Ann", "i3", "kind", "pass")
    told, audit = agreement_so_far(way.desk, way.round), audited(tmp_path / "study")
    assert set(told) == set(audit) == {"kind", "clear"}
    for name, one in told.items():
        assert one.alpha == audit[name].alpha
        assert one.alpha.has_interval
        assert one.items == audit[name].n_items


def test_clusters_are_resampled_as_the_audit_does(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", items=ITEMS)
    texts = tmp_path / "study" / "texts.csv"
    head, *rows = texts.read_text().replace("help.\nAss", "help. Ass").splitlines()
    clustered = [f"{head},cluster", *(f"{row},source {k % 4}" for k, row in enumerate(rows))]
    texts.write_text("\n".join(clustered))
    way.desk = open_desk(tmp_path / "study")
    fill(way)
    told, audit = agreement_so_far(way.desk, way.round), audited(tmp_path / "study")
    assert told["kind"].alpha.n_clusters == 4
    assert {name: one.alpha for name, one in told.items()} == {name: one.alpha for name, one in audit.items()}


def test_rulings_and_late_answers_change_nothing(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", items=ITEMS)
    fill(way)
    before = agreement_so_far(way.desk, way.round)
    where = Cell(way.round.id, "R1", "i0", "kind")
    rule(way.desk, way.round, where, Ruling(kind="label", label="pass", reason="so"), Sent("ruling-01"))
    close(way.desk, way.round)
    assert way.say("Ann", "i1", "kind", "fail").late
    assert agreement_so_far(way.desk, way.round) == before


def test_the_course_ends_at_the_figure_and_begins_where_nothing_is_shared(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", items=ITEMS, metrics=("clear",))
    for k in range(ITEMS):
        way.say("Ann", f"i{k}", "clear", str(1 + k % 4))
    for k in range(ITEMS):
        way.say("Bo", f"i{k}", "clear", str(1 + (k + k // 4) % 4))
    one = agreement_so_far(way.desk, way.round)["clear"]
    assert [math.isnan(value) for value in one.course] == [True] * 3 + [False] * 3
    assert one.course[3] == 1
    assert one.course[-1] == one.alpha.value


def test_what_cannot_be_measured_has_its_reason(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", items=ITEMS)
    assert {one.alpha.undefined for one in agreement_so_far(way.desk, way.round).values()} == {"no_labels"}
    way.say("Ann", "i0", "kind")
    assert agreement_so_far(way.desk, way.round)["kind"].alpha.undefined == "no_labels"
    for k in range(ITEMS):
        way.say("Ann", f"i{k}", "kind", "pass")
    told = agreement_so_far(way.desk, way.round)
    assert told["kind"].alpha.undefined == "no_pairable_items"
    for k in range(ITEMS):
        assert told["kind"].few
        way.say("Bo", f"i{k}", "kind", "pass")
        told = agreement_so_far(way.desk, way.round) if k in (0, 3, ITEMS - 1) else told
    assert not told["kind"].few
    assert told["kind"].alpha.undefined == "no_variation"


def test_labels_beside_a_verdict_are_left_out(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", items=ITEMS, mode="confirm", judge="tone-judge")
    fill(way, share=1)
    told = agreement_so_far(way.desk, way.round)["kind"]
    assert told.anchored == 3 * ITEMS
    assert told.alpha.undefined == "no_labels"


def test_sets_are_read_as_the_audit_reads_them(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", items=ITEMS, metrics=("kind",), sets=["kind"])
    for k in range(ITEMS):
        way.say("Ann", f"i{k}", "kind", *(["pass", "fail"] if k % 3 == 0 else ["pass"]))
        way.say("Bo", f"i{k}", "kind", *(["pass", "fail"] if k % 4 == 0 else ["fail"]))
    assert agreement_so_far(way.desk, way.round)["kind"].alpha == audited(tmp_path / "study")["kind"].alpha


def test_a_second_round_does_not_mix_with_the_first(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", items=ITEMS)
    fill(way)
    other = way.desk.new_round(way.round.settings)
    assert labels_so_far(way.desk, other) is None
    assert agreement_so_far(way.desk, other)["kind"].alpha.undefined == "no_labels"


def test_it_is_computed_anew_only_after_the_pause_and_only_when_labels_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = begun(tmp_path / "study", items=ITEMS)
    fill(way)
    calls: list[int] = []
    real = agreement.agreement_so_far

    def counted(*arguments: Any) -> dict[str, Any]:
        calls.append(1)
        return real(*arguments)

    monkeypatch.setattr(agreement, "agreement_so_far", counted)
    fresh = Agreements(way.desk, pause=0.2, patience=30)
    first = fresh.latest(way.round)
    assert first.by_metric["kind"].alpha.has_interval
    way.say("Ann", "i0", "kind", "fail")
    assert fresh.latest(way.round) == first
    assert len(calls) == 1
    time.sleep(0.25)
    settled(fresh, way, lambda now: now.at != first.at)
    assert len(calls) == 2
    time.sleep(0.25)
    at = fresh.latest(way.round).at
    settled(fresh, way, lambda now: now.at != at)
    assert len(calls) == 2


def test_a_slow_computation_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    way = begun(tmp_path / "study")
    go = threading.Event()
    monkeypatch.setattr(agreement, "agreement_so_far", lambda *a: go.wait(30) and {})
    fresh = Agreements(way.desk, pause=0, patience=0.05)
    start = time.monotonic()
    assert fresh.latest(way.round).at == ""
    assert fresh.latest(way.round).at == ""
    assert time.monotonic() - start < 5
    go.set()
    settled(fresh, way, lambda now: now.at != "")


def test_a_failure_is_told_leaves_the_last_figures_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = begun(tmp_path / "study")
    fresh = Agreements(way.desk, pause=0, patience=30)
    first = fresh.latest(way.round)
    way.say("Ann", "i0", "kind", "pass")

    def unlucky(*arguments: Any) -> dict[str, Any]:
        raise UserError("two labels of one person differ")

    with monkeypatch.context() as patch:
        patch.setattr(agreement, "agreement_so_far", unlucky)
        settled(fresh, way, lambda now: now.problem)
        told = fresh.latest(way.round)
    assert (told.problem, told.by_metric) == ("two labels of one person differ", first.by_metric)
    settled(fresh, way, lambda now: not now.problem)


def settled(fresh: Agreements, way: UnderWay, done: Any) -> None:
    last = time.monotonic() + 20
    while not done(fresh.latest(way.round)):
        assert time.monotonic() < last
        time.sleep(0.02)


def test_figures_of_no_label_are_not_kept_once_labels_came(tmp_path: Path) -> None:
    way = begun(tmp_path / "study", names=("Ann", "Bo"), metrics=("kind",))
    fresh = Agreements(way.desk, pause=3600, patience=30)
    assert fresh.latest(way.round).by_metric["kind"].items == 0
    for name in ("Ann", "Bo"):
        for k in range(6):
            way.say(name, f"i{k}", "kind", "pass" if k % 2 else "fail")
    assert fresh.latest(way.round).by_metric["kind"].items == 6
