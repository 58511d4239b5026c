"""Pairs are asked about in both orders, and what each order said is kept."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

import voirdire
from judges.recipes.asking import STARS, Answers, verdicts
from voirdire.errors import UserError
from voirdire.judges.call import Reply, Request
from voirdire.judges.judge import load_judge
from voirdire.judges.planning import make_plan
from voirdire.judges.recipe import JudgedItem
from voirdire.judges.recipes.pairwise import Pairwise
from voirdire.judges.runner import run_plan
from voirdire.store.sql import open_store
from voirdire.study.metric import Metric
from voirdire.study.scale import PAIRWISE_LABELS, Scale
from voirdire.testing.clients import FakeClient, spread

BETTER = Metric("better", Scale("pairwise", PAIRWISE_LABELS))
PAIR = tuple(
    JudgedItem("p1", {"response": f"the {side} one"}, {"question": "Which?"}, side=side)  # type: ignore[arg-type]
    for side in ("first", "second")
)


def recipe(**options: bool) -> Pairwise:
    return Pairwise(Pairwise.Options(**options), None)


def test_the_same_side_wins_in_both_orders() -> None:
    ask = Answers(spread({"A": 0.8, "B": 0.1, "C": 0.1}), spread({"B": 0.6, "A": 0.3, "C": 0.1}))
    whole, ab, ba = verdicts(recipe(), BETTER, ask, *PAIR)
    assert (whole.label, ab.label, ba.label) == ("first", "first", "first")
    assert whole.probabilities == pytest.approx({"first": 0.7, "second": 0.2, "tie": 0.1})
    assert (ab.presented, ba.presented, whole.extra) == ("ab", "ba", {"consistent": True})
    one, two = (messages[-1].content for messages, _, _ in ask.asked)
    assert one.index("the first one") < one.index("the second one")
    assert two.index("the second one") < two.index("the first one")
    assert one.count("Which?") == 1


def test_a_judge_that_always_prefers_the_first_shown_says_tie() -> None:
    whole, ab, ba = verdicts(recipe(), BETTER, Answers("A"), *PAIR)
    assert (whole.label, ab.label, ba.label) == ("tie", "first", "second")
    assert whole.extra == {"consistent": False}
    no_tie = Metric("better", Scale("pairwise", ("first", "second")))
    assert verdicts(recipe(), no_tie, Answers("A"), *PAIR)[0].status == "ambiguous"


def test_an_order_without_a_verdict_leaves_the_whole_without_one() -> None:
    whole, ab, ba = verdicts(recipe(), BETTER, Answers("A", Reply("error", error="gone")), *PAIR)
    assert (whole.label, whole.status, ab.label, ba.label) == (None, "error", "first", None)


def test_one_order_alone_and_no_tie() -> None:
    ask = Answers("B")
    whole, ab = verdicts(recipe(both=False, tie=False), BETTER, ask, *PAIR)
    assert (whole.label, ab.presented) == ("second", "ab")
    assert "neither" not in ask.said
    assert verdicts(recipe(tie=False), BETTER, Answers("C"), *PAIR)[0].status == "unparsed"


def test_a_metric_on_single_items_is_refused() -> None:
    with pytest.raises(UserError, match="first and second"):
        recipe().check(STARS)


def test_the_audit_finds_a_position_bias(shared: Path, tmp_path: Path) -> None:
    for name in ("long.csv", "texts.csv"):
        lines = (shared / "data" / "pandalm" / name).read_text(encoding="utf-8-sig")
        (tmp_path / name).write_text(lines, encoding="utf-8")
    shutil.copy(Path(__file__).parent / "pairs.yaml", tmp_path / "pairs.yaml")

    def first_shown(request: Request) -> Reply:
        return spread({"A": 0.7, "B": 0.2, "C": 0.1})

    study = voirdire.open(tmp_path)
    with open_store(tmp_path) as store:
        plan = make_plan(study, load_judge(tmp_path / "pairs.yaml"), store, limit=60)
        asyncio.run(run_plan(plan, store, client=FakeClient(first_shown)))
    judged = voirdire.open(tmp_path)
    found = voirdire.audit(judged, voirdire.AuditOptions(checks=("position",))).findings
    assert "100 % of 60 pairs" in found[0].answer.replace("\u00a0", " ")
    cells = {
        table.name: row.cells
        for table in found[0].tables
        for row in table.rows
        if "pairs" in (row.cells.get("judge"), row.cells.get("rater"))
    }
    assert cells["swapped"]["consistent"].value == 0
    assert cells["first_wins"]["first"].value == 1
    assert cells["first_wins"]["n"] == 120
