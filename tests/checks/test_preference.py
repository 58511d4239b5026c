"""The strength of systems in the audit: counts by hand, what cannot be fitted, lengths, real data."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from checks.studies import PAIR, study
from voirdire.checks.audit import audit
from voirdire.checks.context import Context
from voirdire.checks.finding import Finding, Row, Table
from voirdire.checks.options import AuditOptions
from voirdire.checks.preference_length import length_differences
from voirdire.stats import Estimate, PairedComparisons, bradley_terry, davidson
from voirdire.stats.position import FIRST, SECOND, TIE
from voirdire.study import Column, Metric, Scale, Study

BETTER = Metric("better", PAIR)
F, S, T = "first", "second", "tie"
Pairs = list[tuple[str, str, dict[str, str]]]
"""System a, system b, and each rater's label."""


def made(pairs: Pairs, *, metric: Metric = BETTER, **more: object) -> Study:
    rows = [
        (f"i{item}", metric.name, rater, label)
        for item, (_, _, labels) in enumerate(pairs)
        for rater, label in labels.items()
    ]
    attributes = {
        side: {f"i{item}": pair[k] for item, pair in enumerate(pairs)}
        for k, side in enumerate(("system_a", "system_b"))
    }
    extra = more.pop("attributes", {})
    assert isinstance(extra, dict)
    return study(rows, [metric], judges=["judge", "other"], attributes=attributes | extra, **more)  # type: ignore[arg-type]


def finding(one: Study) -> Finding:
    found = audit(one, AuditOptions(resamples=200, checks=("preference",))).finding("preference")
    assert found is not None
    return found


def part(found: Finding, name: str) -> Table:
    return next(table for table in found.tables if table.name == name)


def estimate(row: Row, key: str) -> Estimate:
    cell = row.cells[key]
    assert isinstance(cell, Estimate)
    return cell


def voted(a: str, b: str, ann: str, judge: str, n: int = 1) -> Pairs:
    return [(a, b, {"ann": ann, "judge": judge})] * n


def test_people_and_judge_stand_side_by_side() -> None:
    pairs = voted("x", "y", F, F, 6) + voted("x", "y", S, F, 2) + voted("x", "y", F, S, 1)
    found = finding(made(pairs))
    rows = part(found, "strengths").rows
    assert [row.cells["system"] for row in rows] == ["x", "y"]
    assert estimate(rows[0], "people_ability").value == pytest.approx(math.log(7 / 2) / 2)
    assert estimate(rows[0], "judge_ability").value == pytest.approx(math.log(8 / 1) / 2)
    assert estimate(rows[1], "judge_ability").value == pytest.approx(-math.log(8) / 2)
    assert estimate(rows[0], "people_ability").n_clusters == 9
    people, judge = part(found, "preference_fits").rows
    assert (people.cells["model"], people.cells["tie"]) == ("Bradley-Terry", None)
    assert (judge.cells["same_order"], judge.cells["n"]) == ("1 of 1", 9)
    assert part(found, "preference_fits").rows[1].cells["order"] == "x and y"


def test_ties_bring_davidsons_model() -> None:
    pairs = voted("x", "y", F, F, 4) + voted("x", "y", S, S, 2) + voted("y", "x", T, F, 3)
    people, judge = part(finding(made(pairs)), "preference_fits").rows
    assert (people.cells["model"], judge.cells["model"]) == ("Davidson", "Bradley-Terry")
    assert people.cells["ties"] == "3 of 9 (33\xa0%)"
    nu = davidson(PairedComparisons.from_counts([[0, 4], [2, 0]], [[0, 3], [3, 0]])).tie
    assert nu is not None
    assert estimate(people, "tie").value == pytest.approx(nu.value)


def test_two_votes_on_one_item_are_one_cluster_and_so_are_declared_ones() -> None:
    pairs = [("x", "y", {"ann": F, "bob": F}), ("x", "y", {"ann": S, "bob": S})] * 10
    alone = estimate(part(finding(made(pairs)), "strengths").rows[0], "people_ability")
    assert (alone.n_clusters, alone.n_ratings) == (20, 40)
    declared = {f"i{item}": f"prompt{item // 4}" for item in range(20)}
    held = estimate(part(finding(made(pairs, cluster=declared)), "strengths").rows[0], "people_ability")
    assert held.n_clusters == 5


def test_the_undefeated_are_named_in_answer_and_table() -> None:
    pairs = voted("x", "y", F, F, 3) + voted("x", "z", F, F, 3)
    pairs += voted("y", "z", F, F, 2) + voted("y", "z", S, S, 2) + voted("y", "x", S, F, 1)
    found = finding(made(pairs))
    people, judge = part(found, "preference_fits").rows
    assert people.cells["order"] == "x never lost to y or z"
    assert judge.cells["order"] == "x, y and z"
    assert "People's verdicts give no common strength: x never lost to y or z." in found.answer
    row = part(found, "strengths").rows[0]
    assert row.cells["system"] == "x"
    assert estimate(row, "people_ability").undefined == "undefeated"
    assert estimate(row, "judge_ability").undefined is None
    # y and z are level by people; by the judge y, the one system that beat x, is ahead
    assert judge.cells["same_order"] == "0 of 1"
    assert found.data["no_common_fit"] == 1


def test_circles_and_reversed_orders_are_counted() -> None:
    pairs = voted("x", "y", F, S, 9) + voted("y", "z", F, S, 9) + voted("x", "z", F, F, 9)
    pairs += voted("x", "y", S, F, 2) + voted("y", "z", S, F, 2) + voted("x", "z", S, S, 2)
    people, judge = part(finding(made(pairs)), "preference_fits").rows
    assert (people.cells["circles"], judge.cells["circles"]) == ("0 of 1", "1 of 1")
    scored = bradley_terry([[0, 2, 9], [9, 0, 2], [2, 9, 0]])
    assert [one.value for one in scored.log_ability] == pytest.approx([0, 0, 0], abs=1e-9)


def test_the_answer_speaks_of_pairs_that_people_tell_apart() -> None:
    pairs = voted("x", "y", F, F, 40) + voted("x", "y", S, S, 4)
    pairs += voted("y", "z", F, S, 21) + voted("y", "z", S, F, 20)
    found = finding(made(pairs))
    assert found.answer == ("Of the pairs of systems that people tell apart, judge orders 2 of 2 as they do.")
    judge = part(found, "preference_fits").rows[1]
    assert (judge.cells["same_order"], judge.cells["apart"]) == ("2 of 3", "2 of 2")


def test_labels_without_a_winner_are_ties_and_that_is_said() -> None:
    scale = Scale("pairwise", (F, T, S, "unsure"), indeterminate={"unsure": (T,)})
    pairs = [*voted("x", "y", F, F, 3), *voted("x", "y", "unsure", S, 2), *voted("x", "y", S, F, 1)]
    found = finding(made(pairs, metric=Metric("better", scale)))
    assert part(found, "preference_fits").rows[0].cells["ties"] == "2 of 6 (33\xa0%)"
    assert any("counts as a tie" in one for one in found.beware)


def test_people_alone_and_judges_alone_are_shown() -> None:
    both = [("x", "y", {"ann": F}), ("x", "y", {"ann": S}), ("x", "y", {"ann": F})]
    people = finding(made(both))
    assert people.answer == "By people: x and y."
    assert part(people, "strengths").rows[0].cells["judge_ability"] is None
    judged = [(a, b, {"judge": labels["ann"]}) for a, b, labels in both]
    assert finding(made(judged)).answer == "By judge: x and y."


def test_only_pairs_of_named_systems_are_asked_about() -> None:
    plain = study([("i0", "better", "ann", F)], [BETTER])
    assert audit(plain, AuditOptions(checks=("preference",))).finding("preference") is None
    same = made([("x", "x", {"ann": F})])
    assert audit(same, AuditOptions(checks=("preference",))).finding("preference") is None


def test_a_judges_runs_all_count_on_one_item() -> None:
    rows = [(f"i{item}", "better", "judge", F if item % 3 else S, run) for item in range(12) for run in "ab"]
    attributes = {
        side: {f"i{item}": system for item in range(12)}
        for side, system in (("system_a", "x"), ("system_b", "y"))
    }
    found = finding(study(rows, [BETTER], judges=["judge"], attributes=attributes))
    one = estimate(part(found, "strengths").rows[0], "judge_ability")
    assert (one.n_ratings, one.n_clusters) == (24, 12)
    assert one.value == pytest.approx(math.log(2) / 2)


def lengths(n: int = 40) -> Study:
    """The judge chooses the longer answer on all items but four, people on half of them."""
    pairs = [("x", "y", {"ann": F if item % 2 else S, "judge": F if item % 10 else S}) for item in range(n)]
    columns = {
        name: {f"i{item}": value for item in range(n)}
        for name, value in (("length_a", "120"), ("length_b", "80"))
    }
    columns["length_b"]["i1"] = "150"
    return made(pairs, attributes=columns)


def test_choosing_the_longer_answer_is_counted_for_judge_and_people() -> None:
    found = finding(lengths())
    (row,) = part(found, "length").rows
    assert row.cells["items"] == 40
    # i1 is the one item whose second answer is longer; there both chose the first
    assert estimate(row, "judge_longer").value == pytest.approx(35 / 40)
    assert estimate(row, "people_longer").value == pytest.approx(19 / 40)
    assert estimate(row, "points").value == pytest.approx(16 / 40)
    assert estimate(row, "points").has_interval
    assert found.missing == ()


def test_a_baseline_in_every_pair_gives_length_controlled_win_rates() -> None:
    rng = np.random.default_rng(0)
    pairs, columns = [], {"length_a": {}, "length_b": {}}
    for item in range(120):
        system, longer = ("x", "y")[item % 2], rng.normal(30, 60)
        won = rng.random() < 1 / (1 + np.exp(-1.5 * np.tanh(longer / 60)))
        sides, label = (
            ((system, "base"), F if won else S) if item % 3 else ((system, "base")[::-1], S if won else F)
        )
        pairs.append((*sides, {"ann": label}))
        words = (100 + longer, 100.0) if item % 3 else (100.0, 100 + longer)
        for name, value in zip(columns, words, strict=True):
            columns[name][f"i{item}"] = str(value)
    found = finding(made(pairs, attributes=columns))
    rows = part(found, "length_controlled").rows
    assert [(row.cells["system"], row.cells["baseline"]) for row in rows] == [("x", "base"), ("y", "base")]
    for k, row in enumerate(rows):
        mine = [pairs[item] for item in range(k, 120, 2)]
        wins = sum((labels["ann"] == F) == (a != "base") for a, _, labels in mine)
        assert estimate(row, "win_rate").value == pytest.approx(wins / 60)
        assert estimate(row, "controlled").value < estimate(row, "win_rate").value
        assert estimate(row, "effect").value > 0


def test_without_lengths_the_finding_says_what_is_missing() -> None:
    found = finding(made(voted("x", "y", F, F, 3) + voted("x", "y", S, S, 1)))
    assert found.missing == ("lengths of both answers: what length does to the judge is not known",)
    assert [table.name for table in found.tables] == ["strengths", "preference_fits"]


def test_lengths_come_from_two_columns_that_differ_in_the_side_alone() -> None:
    one = made(voted("x", "y", F, F, 2))

    def differences(**texts: list[str]) -> list[float] | None:
        columns = {name: Column.of(values) for name, values in texts.items()}
        items = replace(one.items, texts=columns)
        found = length_differences(Context(replace(one, items=items), AuditOptions()))
        return None if found is None else found[0].tolist()

    assert differences(response1=["abc", "a"], response2=["a", "abcd"]) == [2, -3]
    assert differences(answer_a=["abc", "a"], answer_b=["a", "abcd"], prompt=["p", "q"]) == [2, -3]
    assert differences(prompt1=["abc", "a"], prompt2=["a", "abcd"]) is None
    assert differences(response1=["abc", "a"]) is None


@pytest.mark.shared
def test_mtbench_orders_six_systems_as_people_do(mtbench: Study) -> None:
    found = finding(mtbench)
    order = "gpt-4, claude-v1, gpt-3.5-turbo, vicuna-13b-v1.2, alpaca-13b and llama-13b"
    assert [row.cells["order"] for row in part(found, "preference_fits").rows] == [order, order]
    # the judge's win matrix by hand, straight from the study's columns
    context = Context(mtbench, AuditOptions())
    judge = mtbench.judges_of("preference")[0]
    items = context.people("preference").items
    codes = context.verdicts("preference", judge).codes
    a, b = (mtbench.items.attributes[side] for side in ("system_a", "system_b"))
    names = sorted({*a.values, *b.values})
    first, second = (np.array([names.index(one[i]) for i in items]) for one in (a, b))
    labels = np.array(
        [
            {"first": FIRST, "second": SECOND}.get(one, TIE)
            for one in context.people("preference").scale.labels
        ]
    )
    met = PairedComparisons(first, second, labels[codes], 6, items)
    known = dict(zip(names, davidson(met).log_ability, strict=True))
    for row in part(found, "strengths").rows:
        assert estimate(row, "judge_ability").value == pytest.approx(known[str(row.cells["system"])].value)


@pytest.mark.shared
def test_pandalm_shows_what_length_does(pandalm: Study) -> None:
    found = finding(pandalm)
    rows = part(found, "length").rows
    assert {str(row.cells["judge"]) for row in rows} == {"gpt-3.5-turbo", "pandalm-7b"}
    for row in rows:
        assert 0.55 < estimate(row, "people_longer").value < 0.75
        gap = estimate(row, "judge_longer").value - estimate(row, "people_longer").value
        assert estimate(row, "points").value == pytest.approx(gap)
