"""The check of judge choice under both targets: on studies by hand, on pairs, and on the shared data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from checks.studies import BORDERLINE, PASS_FAIL, study, table
from voirdire.checks.audit import audit
from voirdire.checks.finding import Bounds, Finding
from voirdire.checks.options import AuditOptions
from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.stats import Estimate
from voirdire.study import Metric, Scale, Study

ONLY = AuditOptions(checks=("response_sets",), resamples=200)
Row = tuple[str, str, str, str, Any]


def found(made: Study) -> Finding | None:
    return audit(made, ONLY).finding("response_sets")


def finding(made: Study) -> Finding:
    section = found(made)
    assert section is not None
    return section


def opened(rows: list[Row], **config: Any) -> Study:
    names = ("item_id", "metric", "rater_id", "rater_kind", "label")
    return open_study({name: [row[k] for row in rows] for k, name in enumerate(names)}, config=config or None)


def apart(seed: int = 3, n: int = 120) -> list[Row]:
    """Forced to one verdict the sharp judge is nearer, on what people accept the wide one is."""
    rng, rows = np.random.default_rng(seed), []
    for k in range(n):
        share, unclear = rng.beta(1, 1), rng.uniform() < 0.4
        for who in ("a", "b", "c", "d"):
            one = "pass" if rng.uniform() < share else "fail"
            rows.append(
                (f"i{k}", "m", who, "human", ["pass", "fail"] if unclear and rng.uniform() < 0.7 else one)
            )
        guess = "pass" if share + 0.25 * rng.normal() > 0.5 else "fail"
        rows.append((f"i{k}", "m", "sharp", "judge", "pass" if share > 0.5 else "fail"))
        rows.append((f"i{k}", "m", "wide", "judge", ["pass", "fail"] if unclear else guess))
    return rows


def test_two_judges_that_the_targets_rank_apart() -> None:
    section = finding(opened(apart()))
    assert section.answer.startswith(
        "No: forced choices choose sharp, response sets wide; in response-set error"
    )
    figures, choices = section.tables
    assert [row.cells["judge"] for row in figures.rows] == ["sharp", "sharp", "wide", "wide"]
    assert [row.cells["rank"] for row in figures.rows] == [1, 2, 2, 1]
    kappas = [row.cells["kappa"] for row in figures.rows]
    assert isinstance(kappas[0], Bounds)
    assert list(kappas[0].by_policy) == ["split evenly", "left out", "as fail", "as pass"]
    assert isinstance(kappas[1], Estimate)
    [row] = choices.rows
    cost = row.cells["cost"]
    assert isinstance(cost, Estimate)
    assert 0 < cost.low < cost.value < cost.high
    assert any("too large" in words for words in section.beware)


def test_nothing_to_say_where_every_label_is_one_verdict() -> None:
    labels = {"ann": ["pass", "fail"], "bob": ["pass", "pass"], "gpt": ["pass", "fail"]}
    for scale in (PASS_FAIL, BORDERLINE):
        assert found(study(table("m", labels), [Metric("m", scale)], judges=("gpt",))) is None


def test_nothing_to_say_without_a_judge_or_without_common_items() -> None:
    people = table("m", {"ann": ["borderline", "fail"], "bob": ["pass", "pass"]})
    assert found(study(people, [Metric("m", BORDERLINE)])) is None
    elsewhere = [*people, *table("m", {"gpt": ["pass"]}, start=5)]
    assert found(study(elsewhere, [Metric("m", BORDERLINE)], judges=("gpt",))) is None


def test_one_judge_still_has_both_figures() -> None:
    labels = {"ann": ["borderline", "fail"], "bob": ["pass", "borderline"], "gpt": ["pass", "fail"]}
    section = finding(study(table("m", labels), [Metric("m", BORDERLINE)], judges=("gpt",)))
    assert section.answer == (
        "There is one judge, gpt: forced to one verdict, 75\N{NO-BREAK SPACE}% of people name its verdict; "
        "100\N{NO-BREAK SPACE}% accept it."
    )
    [figures] = section.tables
    assert [column.key for column in figures.columns][2] == "verdict"
    assert [row.cells["verdict"].value for row in figures.rows] == [0.75, 1.0]  # type: ignore[union-attr]


def test_a_set_of_the_judge_where_people_were_forced_is_asked_what_they_might_accept() -> None:
    rows: list[Row] = []
    for k in range(8):
        rows += [(f"i{k}", "m", who, "human", "pass") for who in ("ann", "bob")]
        rows += [(f"i{k}", "m", "one", "judge", "pass"), (f"i{k}", "m", "two", "judge", ["pass", "fail"])]
    rows.append(("i9", "m", "ann", "human", "fail"))
    section = finding(opened(rows))
    beta = next(one for one in section.tables if one.name == "beta_m")
    first = [(row.cells["verdict"], row.cells["choice"]) for row in beta.rows]
    assert first == [("any verdict", "0.55"), ("fail", "0.55"), ("pass", "none")]


def paired(n_pairs: int, *, judged: tuple[str, ...] = ("all", "one"), seed: int = 5) -> Study:
    """People who accept both verdicts on half of the items and then name fail nine times in ten."""
    rng, rows = np.random.default_rng(seed), []
    for k in range(n_pairs // 2):
        for who in ("ann", "bob"):
            both = rng.uniform() < 0.5
            alone = "pass" if rng.uniform() < 0.5 else "fail"
            named = ("fail" if rng.uniform() < 0.9 else "pass") if both else alone
            rows.append((f"i{k}", "all", who, "human", ["pass", "fail"] if both else [alone]))
            rows.append((f"i{k}", "one", who, "human", named))
        for metric in judged:
            rows.append((f"i{k}", metric, "gpt", "judge", "pass"))
            rows.append((f"i{k}", metric, "opus", "judge", "fail"))
    return opened(rows, metrics={"all": {"forced": "one"}})


def test_declared_pairs_tell_who_names_what() -> None:
    section = finding(paired(400))
    assert set(section.data) == {"all", "one"}
    names = next(one for one in section.tables if one.name == "pairs_names_all")
    row = next(row for row in names.rows if row.cells["given"] == "fail|pass")
    columns = {column.title: column.key for column in names.columns}
    share = row.cells[columns["fail"]]
    assert isinstance(share, Estimate)
    assert share.low < 0.9 < share.high
    one = section.data["one"]
    assert isinstance(one, dict)
    judges = {each["judge"]: each for each in one["judges"]}
    # named: pass .25 + .05, fail .25 + .45; accepted: .75 both
    assert judges["gpt"]["forced"]["hit"]["value"] == pytest.approx(0.3, abs=0.06)
    assert judges["gpt"]["sets"]["covered"]["value"] == pytest.approx(0.75, abs=0.08)
    assert judges["opus"]["sets"]["covered"]["value"] == pytest.approx(0.75, abs=0.08)
    every = section.data["all"]
    assert isinstance(every, dict)
    hits = {each["judge"]: each["forced"]["hit"]["value"] for each in every["judges"]}
    assert hits["gpt"] == pytest.approx(0.3, abs=0.06), "sets are forced as people do, not evenly"
    assert any("as if that did not depend on the item" in words for words in section.beware)


def test_too_few_pairs_are_said_with_the_number_needed() -> None:
    section = finding(paired(60))
    assert set(section.data) == {"all"}
    [missing] = section.missing
    assert missing.startswith(
        "40 more pairs of a set and a forced choice by one person on one item of all: 60 are"
    )


def test_forced_must_name_another_metric() -> None:
    rows: list[Row] = [("i1", "all", "ann", "human", "a"), ("i1", "one", "ann", "human", "b")]
    with pytest.raises(
        UserError, match=r"forced names 'ones', which is no other metric; .*did you mean 'one'\?"
    ):
        opened(rows, metrics={"all": {"forced": "ones"}})


def test_metrics_whose_unsure_means_different_things_are_kept_apart() -> None:
    other = Scale("nominal", ("pass", "borderline", "fail"), indeterminate={"borderline": ("pass",)})
    labels = {"ann": ["borderline", "fail"], "bob": ["borderline", "borderline"], "gpt": ["pass", "fail"]}
    made = study(
        [row for name in "mno" for row in table(name, labels)],
        [Metric("m", BORDERLINE), Metric("n", other), Metric("o", BORDERLINE)],
        judges=("gpt",),
    )
    section = finding(made)
    assert list(section.data) == ["2 metrics with pass and fail"]


def test_the_replica_of_impactbench_has_both_figures(impactbench: Study) -> None:
    section = finding(impactbench)
    [(name, choice)] = section.data.items()
    assert name == "18 metrics with pass and fail"
    assert isinstance(choice, dict)
    [judge] = choice["judges"]
    assert (choice["n_rows"], choice["n_several"]) == (162, 36)
    hit, covered = judge["forced"]["hit"]["value"], judge["sets"]["covered"]["value"]
    shares = _by_item(impactbench)
    assert hit == pytest.approx(np.mean([one[0] for one in shares]))
    assert covered == pytest.approx(np.mean([one[1] for one in shares]))
    assert set(judge["forced"]["kappa"]) == {"split evenly", "left out", "as pass", "as fail"}


def _by_item(made: Study) -> list[tuple[float, float]]:
    """Of each item, the share of people who name the judge's verdict, borderline half, and who accept it."""
    found = []
    for metric in made.metrics:
        if "borderline" not in metric.scale.labels:
            continue
        rows = made.rows(metric.name)
        for item in np.unique(made.ratings.item[rows]):
            here = rows[made.ratings.item[rows] == item]
            words = [metric.scale.labels[code] for code in made.ratings.label[here]]
            judged = [made.raters[r].kind == "judge" for r in made.ratings.rater[here]]
            [verdict] = [word for word, yes in zip(words, judged, strict=True) if yes]
            people = [word for word, yes in zip(words, judged, strict=True) if not yes]
            half = sum(word == "borderline" for word in people) / 2
            same = sum(word == verdict for word in people)
            found.append(((same + half) / len(people), (same + 2 * half) / len(people)))
    return found


def test_a_verdict_that_changed_with_the_order_is_a_tie_unless_more_is_declared(mtbench: Study) -> None:
    assert found(mtbench) is None, "tie_inconsistent admits one verdict"


def test_a_flipped_verdict_declared_to_admit_both_answers(shared: Any) -> None:
    scale = {
        "kind": "pairwise",
        "labels": ["first", "tie", "second", "tie_inconsistent"],
        "indeterminate": {"tie_inconsistent": ["first", "second"]},
    }
    made = open_study(
        shared / "data" / "mtbench_human" / "long.csv", config={"metrics": {"preference": {"scale": scale}}}
    )
    section = finding(made)
    [judge] = section.data["preference"]["judges"]  # type: ignore[index]
    assert judge["sets_given"] == pytest.approx(194 / 1232)
    assert not math.isnan(judge["sets"]["error"]["value"])
    assert section.answer.startswith("There is one judge, gpt-4-pair")
