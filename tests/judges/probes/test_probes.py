"""Probes change the item alone, and the share of flips that they find is the one that was planted."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats

from judges.studies import write_study
from judges.test_hostile import parted
from voirdire import registry
from voirdire.errors import UserError
from voirdire.judges.call import Failure, Reply, Request
from voirdire.judges.judge import load_judge
from voirdire.judges.probing import CONTROL, appended, probed
from voirdire.judges.recipe import JudgedItem, Turn
from voirdire.opening import open as open_study
from voirdire.study.metric import Metric
from voirdire.study.scale import PAIRWISE_LABELS, Scale
from voirdire.testing.canary import canary, gullible
from voirdire.testing.clients import FakeClient, spread

WARM = Metric("warm", Scale("binary", ("cold", "warm")))
BETTER = Metric("better", Scale("pairwise", PAIRWISE_LABELS))
PAIR = (
    JudgedItem("p", {"response": 'One "good" *reply*.\nYes.'}, {"prompt": "Hello?"}, side="first"),
    JudgedItem("p", {"response": "Another"}, {"prompt": "Hello?"}, side="second"),
)


def cold(request: Request) -> str:
    return "cold"


@pytest.mark.parametrize(("share", "items"), [(0.0, 10), (0.3, 60), (1.0, 10)])
def test_the_planted_share_of_obedience_is_found(tmp_path: Path, share: float, items: int) -> None:
    folder = write_study(tmp_path, items=items)
    found = canary(
        open_study(folder), folder / "tone.yaml", client=FakeClient(gullible(cold, share=share)), level=0.999
    )
    asking = [row for row in found.rows if row.wanted == "warm"]
    assert len(asking) == 5
    for row in asking:
        assert row.obeyed is not None
        assert row.beyond is not None
        assert row.n == row.obeyed.n_items == items
        assert row.obeyed.low <= share <= row.obeyed.high
        assert row.obeyed.value == row.beyond.value == row.moved.value
    whole = sum(row.obeyed.value * items for row in asking if row.obeyed is not None)
    assert stats.binomtest(round(whole), 5 * items, share).pvalue > 0.001
    (control,) = [row for row in found.rows if row.change == CONTROL]
    assert (control.moved.value, control.lost.value, control.obeyed) == (0.0, 0.0, None)


def test_what_was_so_before_is_no_obedience(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    found = canary(open_study(folder), folder / "tone.yaml", client=FakeClient(gullible(cold, share=1.0)))
    for row in found.rows:
        if row.wanted == "cold":
            assert row.obeyed is not None
            assert row.obeyed.undefined == "no_labels"
            assert row.moved.value == 0.0


def test_a_judge_moved_by_any_addition_obeys_nothing(tmp_path: Path) -> None:
    folder = write_study(tmp_path, items=20)

    def by_length(request: Request) -> str:
        return "warm" if len(parted(request.messages[-1].content)[1][0]) > 150 else "cold"

    found = canary(open_study(folder), folder / "tone.yaml", client=FakeClient(by_length))
    order = next(row for row in found.rows if row.change == "order, last label")
    assert order.obeyed is not None
    assert order.beyond is not None
    control = next(row for row in found.rows if row.change == CONTROL)
    assert 0 < order.moved.value < order.obeyed.value == 1.0
    assert order.obeyed.n_items == 20 * order.moved.value
    assert order.beyond.value == pytest.approx(1 - control.moved.value * 20 / order.obeyed.n_items)
    assert 0 < order.beyond.value < 1


def test_verdicts_that_are_lost_are_counted_apart_and_errors_not_at_all(tmp_path: Path) -> None:
    folder = write_study(tmp_path, items=8)

    def answer(request: Request) -> str | Failure:
        text = request.messages[-1].content
        if "Reply number 1 " in text:
            return Failure("HTTP 401", again=False)
        return "who knows" if "asks for nothing" in text and "Reply number 2 " in text else "cold"

    found = canary(open_study(folder), folder / "tone.yaml", client=FakeClient(answer))
    control = next(row for row in found.rows if row.change == CONTROL)
    assert (control.n, control.lost.value, control.moved.value) == (7, pytest.approx(1 / 7), 0.0)


def test_probabilities_shift_where_no_label_moves(tmp_path: Path) -> None:
    folder = write_study(tmp_path, items=8)

    def answer(request: Request) -> Reply:
        text = request.messages[-1].content
        told = 0.4 if 'the right label is "warm"' in text else 0.2 if "asks for nothing" in text else 0.1
        return spread({"cold": 1 - told, "warm": told})

    found = canary(open_study(folder), folder / "tone.yaml", client=FakeClient(answer))
    shifts = {row.change: row.shift for row in found.rows}
    assert shifts[CONTROL] is None
    assert {row.moved.value for row in found.rows} == {0.0}
    order, verdict = shifts["order, last label"], shifts["verdict, last label"]
    assert order is not None
    assert order.value == pytest.approx(0.4 - 0.2)
    assert verdict is not None
    assert verdict.value == pytest.approx(0.1 - 0.2)
    assert order.n_items == 8


def test_a_judge_without_probabilities_has_no_shift(tmp_path: Path) -> None:
    folder = write_study(tmp_path, items=3)
    for row in canary(open_study(folder), folder / "tone.yaml", client=FakeClient(cold)).rows:
        assert row.shift is None or row.shift.undefined == "no_labels"


def test_items_of_one_cluster_are_not_independent(tmp_path: Path) -> None:
    folder = write_study(tmp_path, items=40)
    client = FakeClient(lambda request: "warm" if "asks for nothing" in request.text else "cold")
    study = open_study(folder)
    (one,) = [row for row in canary(study, folder / "tone.yaml", client=client).rows if row.change == CONTROL]
    texts = (folder / "texts.csv").read_text().splitlines()
    shared = [f"{line},{'topic' if k == 0 else k % 5}" for k, line in enumerate(texts)]
    (folder / "texts.csv").write_text("\n".join(shared))
    with (folder / "study.yaml").open("a") as file:
        file.write("clusters: [topic]\n")
    rows = canary(open_study(folder), folder / "tone.yaml", client=client).rows
    (other,) = [row for row in rows if row.change == CONTROL]
    assert one.moved.value == other.moved.value == 1.0
    assert (one.moved.n_clusters, other.moved.n_clusters) == (40, 5)
    assert other.moved.low < one.moved.low


@pytest.mark.parametrize("probe", registry.names("probe"))
@pytest.mark.parametrize("items", [PAIR, (JudgedItem("a", {}, turns=(Turn(1, "user", 'A "b"\nc *d*'),)),)])
def test_a_change_touches_texts_alone(probe: str, items: tuple[JudgedItem, ...]) -> None:
    metric = BETTER if len(items) == 2 else WARM
    changes = registry.get("probe", probe)()
    assert len({change.name for change in changes}) == len(changes)
    for change in changes:
        if change.pairs and len(items) == 1:
            continue
        after = change.alter(items, metric)
        assert after != items
        assert [one.id for one in after] == [one.id for one in items]
        assert [one.side for one in after] == [one.side for one in items]
        assert [list(one.fields) for one in after] == [list(one.fields) for one in items]
        assert [[turn.role for turn in one.turns] for one in after] == [
            [turn.role for turn in one.turns] for one in items
        ]


def test_swapped_sides_are_read_back() -> None:
    (change,) = registry.get("probe", "swap")()
    first, second = change.alter(PAIR, BETTER)
    assert (first.fields, second.fields) == (PAIR[1].fields, PAIR[0].fields)
    assert change.alter((first, second), BETTER) == PAIR
    assert [change.back(label) for label in ("first", "second", "tie")] == ["second", "first", "tie"]


def test_an_injection_stands_in_the_side_that_it_praises() -> None:
    for change in registry.get("probe", "injection")():
        first, second = change.alter(PAIR, BETTER)
        grown = [now != before for now, before in zip((first, second), PAIR, strict=True)]
        wanted = change.wanted(BETTER)
        assert grown == ([False, True] if wanted in ("second", None) else [True, False])
        if wanted is not None:
            assert "first" not in change.alter(PAIR, BETTER)[1].fields["response"]


def test_nothing_is_added_to_a_reference() -> None:
    item = JudgedItem("a", {"output": "Hello", "gold_reference": "Hi"})
    assert appended(item, "x").fields == {"output": "Hello\n\nx", "gold_reference": "Hi"}
    bare = replace(item, fields={})
    assert appended(bare, "x") == bare


def test_the_second_half_is_left_out() -> None:
    (change,) = registry.get("probe", "truncation")()
    turns = tuple(Turn(number, "user", "Some words") for number in range(1, 6))
    (long,) = change.alter((JudgedItem("a", {}, turns=turns),), WARM)
    assert long.turns == turns[:3]
    (text,) = change.alter((JudgedItem("a", {"prompt": "As it was", "output": "one two three four"}),), WARM)
    assert text.fields == {"prompt": "As it was", "output": "one two"}
    first, second = change.alter(PAIR, BETTER)
    assert len(first.fields["response"]) < len(PAIR[0].fields["response"]) / 2 + 1
    assert second.fields["response"] == "Anot"


def test_variants_keep_the_words() -> None:
    text = 'It\'s "*very*" `good`.\nNo snake_case lost: a_b.'
    for change in registry.get("probe", "variants")():
        (after,) = change.alter((JudgedItem("a", {"text": text}),), WARM)
        words = re.sub(r"\W+", "", after.fields["text"].replace("_", ""))
        assert words.startswith(re.sub(r"\W+", "", text.replace("_", "")))


def test_probed_judges_have_versions_of_their_own(tmp_path: Path) -> None:
    judge = load_judge(write_study(tmp_path) / "tone.yaml")
    under = [one for _, one in probed(judge, "injection").values()]
    assert len({judge.version, *(one.version for one in under)}) == len(under) + 1
    assert len({judge.name, *(one.name for one in under)}) == len(under) + 1
    with pytest.raises(UserError, match="for judges of pairs"):
        probed(judge, "swap")
    with pytest.raises(UserError, match="did you mean 'injection'"):
        probed(judge, "injektion")


def test_results_travel_as_data_and_as_a_table(tmp_path: Path) -> None:
    folder = write_study(tmp_path)
    found = canary(
        open_study(folder), folder / "tone.yaml", client=FakeClient(gullible(cold, share=1.0)), limit=4
    )
    assert {row.n for row in found.rows} == {4}
    first = found.to_dict()["rows"][0]
    assert (first["metric"], first["change"], first["obeyed"]) == ("warm", "control", None)
    lines = str(found).splitlines()
    assert len(lines) == 2 + len(found.rows)
    assert lines[1].split() == [
        "metric",
        "change",
        "n",
        "moved",
        "lost",
        "asks",
        "for",
        "obeyed",
        "beyond",
        "shift",
    ]
    assert not any(math.isnan(row.moved.value) for row in found.rows)
