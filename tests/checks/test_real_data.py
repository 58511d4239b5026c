"""Published figures of real data sets, and of the ImpactBench replica, from the files as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from voirdire.checks.audit import Audit, audit
from voirdire.checks.context import Context
from voirdire.checks.finding import Bounds, Row, Table
from voirdire.checks.majorities import against_majority
from voirdire.checks.options import AuditOptions
from voirdire.checks.panels import majority
from voirdire.opening import open as open_study
from voirdire.stats import Estimate
from voirdire.study import Policy, Study

OPTIONS = AuditOptions(resamples=200)
"""Few resamples: these tests are about values, and intervals have tests of their own."""


def table(done: Audit, check: str, name: str) -> Table:
    """One table of one check; names may carry the judge's id behind them."""
    finding = done.finding(check)
    assert finding is not None, f"no finding of {check}"
    return next(one for one in finding.tables if one.name == name or one.name.startswith(f"{name}_"))


def row(rows: Table, **wanted: str) -> Row:
    """The first row whose cells equal ``wanted``."""
    return next(one for one in rows.rows if all(one.cells.get(key) == value for key, value in wanted.items()))


def value(found: Row, key: str) -> float:
    """The value of one estimate in a row."""
    cell = found.cells[key]
    assert isinstance(cell, Estimate), f"{key} is {cell!r}"
    return cell.value


def declared(folder: Path, source: Path, yaml: str) -> Study:
    """The study of one shared file under a study.yaml written for the test."""
    (folder / source.name).symlink_to(source)
    (folder / "study.yaml").write_text(yaml, encoding="utf-8")
    return open_study(folder)


@pytest.fixture(scope="module")
def humane(humanebench: Study) -> Audit:
    return audit(humanebench, OPTIONS)


def test_humanebench_alpha_and_its_slices(humane: Audit) -> None:
    assert value(table(humane, "people", "people").rows[0], "alpha") == pytest.approx(0.7117, abs=5e-5)
    slices = table(humane, "people", "people_slices")
    within = [
        value(row(slices, attribute="group", value=name), "alpha") for name in ("bad", "good", "baseline")
    ]
    assert within == pytest.approx([0.090, 0.321, 0.621], abs=5e-4)
    finding = humane.finding("people")
    assert finding is not None
    assert any("within group it is 0.09 (bad)" in note for note in finding.beware)


def test_humanebench_panel_of_judges(humane: Audit) -> None:
    panel = row(table(humane, "against_people", "values"), judge="mean of 3 judges")
    assert value(panel, "spearman") == pytest.approx(0.8474, abs=5e-5)
    assert value(panel, "pearson") == pytest.approx(0.9621, abs=5e-5)
    assert panel.cells["same_sign"] == "23 of 24"


def test_humanebench_judged_items_were_the_easy_ones(humane: Audit) -> None:
    judged = table(humane, "selection", "judged_items").rows[0]
    assert judged.cells["flattering"] == "yes"


def test_humanebench_alpha_of_the_sign(shared: Path, tmp_path: Path) -> None:
    yaml = """
tables:
  - file: long.csv
    map: {"-1": negative, "-0.5": negative, "0.5": positive, "1": positive}
"""
    study = declared(tmp_path, shared / "data" / "humanebench" / "long.csv", yaml)
    alpha = table(audit(study, OPTIONS), "people", "people").rows[0]
    assert value(alpha, "alpha") == pytest.approx(0.5743, abs=5e-5)


@pytest.fixture(scope="module")
def panda(pandalm: Study) -> Audit:
    return audit(pandalm, OPTIONS)


def test_pandalm_kappa_of_every_two_people(panda: Audit) -> None:
    pairs = [value(one, "kappa") for one in table(panda, "raters", "rater_pairs").rows]
    assert pairs == pytest.approx([0.852, 0.879, 0.862], abs=5e-4)


def test_pandalm_majority_counts(pandalm: Study) -> None:
    panel = Context(pandalm, OPTIONS).people("preference")
    most = majority(panel.coded)
    counts = dict(zip(panel.scale.labels, np.bincount(most, minlength=3).tolist(), strict=True))
    assert counts == {"tie": 105, "first": 422, "second": 472}


def test_pandalm_unparsed_replies_are_counted_and_never_a_class(pandalm: Study, panda: Audit) -> None:
    assert "" not in pandalm.metric("preference").scale.labels
    statuses = table(panda, "coverage", "statuses")
    assert row(statuses, status="unparsed").cells["judge"] == 25
    beside = table(panda, "judges", "judges")
    assert row(beside, judge="gpt-3.5-turbo").cells["same"] == "697 of 974 (72\u00a0%)"
    assert row(beside, judge="pandalm-7b").cells["same"] == "667 of 999 (67\u00a0%)"
    finding = panda.finding("judges")
    assert finding is not None
    figures = finding.data["unparsed"]
    assert isinstance(figures, dict)
    expected = {"unparsed": 25, "parsed": 0.7156, "low": 0.698, "high": 0.723}
    assert figures["preference: gpt-3.5-turbo"] == pytest.approx(expected, abs=5e-4)
    context = Context(pandalm, OPTIONS)
    judge = [rater.id for rater in pandalm.raters].index("pandalm-7b")
    assert against_majority(context, judge, "preference").accuracy.value == pytest.approx(0.6677, abs=5e-5)


def test_dices_crowd(dices: Study) -> None:
    done = audit(dices, OPTIONS)
    crowd = row(table(done, "people", "people_slices"), value="crowd")
    assert value(crowd, "alpha") == pytest.approx(0.160860, abs=5e-7)
    assert done.answer.startswith("Cannot tell. There is no judge")
    assert "no judge's verdict: the people can be described, and no judge audited" in done.missing


def test_mtbench_vote_pairs_of_turn_1(shared: Path, tmp_path: Path) -> None:
    yaml = """
tables: [{file: long.csv, map: {tie_inconsistent: tie}}]
slices: [turn]
"""
    study = declared(tmp_path, shared / "data" / "mtbench_human" / "long.csv", yaml)
    done = audit(study, OPTIONS)
    first = row(table(done, "against_people", "vote_pairs"), part="turn = 1")

    def share(key: str) -> float:
        same, total = _counts(str(first.cells[key]))
        return same / total

    assert [share("judge_person"), share("judge_person_decided")] == pytest.approx([0.668, 0.858], abs=5e-4)
    assert [share("person_person"), share("person_person_decided")] == pytest.approx([0.647, 0.828], abs=5e-4)
    swapped = table(done, "position", "swapped").rows[0]
    assert swapped.cells["same"] == "1,044 of 1,240 (84.2\u00a0%)"


def test_mtbench_as_it_is_turns_on_verdicts_that_changed_with_the_order(mtbench: Study) -> None:
    done = audit(mtbench, OPTIONS)
    assert done.answer == (
        "Cannot tell. On preference this audit cannot tell, because the answer depends on how indeterminate "
        "labels are counted."
    )
    found = done.stand_in[0].judge_person.by_policy
    assert found["kept apart"].value == pytest.approx(0.3210, abs=5e-5)
    assert found["as tie"].value == pytest.approx(0.3952, abs=5e-5)
    against = done.finding("against_people")
    assert against is not None
    assert any("'tie_inconsistent' on 194 of 1,232" in note for note in against.beware)


def _counts(cell: str) -> tuple[int, int]:
    """The two counts of a cell such as "1,063 of 1,751, 60.7 %"."""
    same, rest = cell.split(" of ")
    return int(same.replace(",", "")), int(rest[: rest.rindex(", ")].replace(",", ""))


@pytest.fixture(scope="module")
def impact(impactbench: Study) -> Audit:
    return audit(impactbench, OPTIONS)


def test_impactbench_rates_by_polarity_and_system(impact: Audit) -> None:
    overall = table(impact, "rates", "rates").rows[0]
    assert value(overall, "positive") == pytest.approx(0.687, abs=5e-4)
    assert value(overall, "negative") == pytest.approx(0.531, abs=5e-4)
    finding = impact.finding("rates")
    assert finding is not None
    assert "a gap of 15.6 points; 10 of 10 systems score higher on positive metrics" in finding.answer
    spread = table(impact, "rates", "spread")
    assert 100 * value(row(spread, part="positive"), "points") == pytest.approx(15.9, abs=0.05)
    assert 100 * value(row(spread, part="negative"), "points") == pytest.approx(38.6, abs=0.05)


@pytest.mark.parametrize(
    ("part", "polarity", "rate"),
    [
        ("area = psychological", "negative", 0.446),
        ("subarea = learning and skill development", "positive", 0.459),
        ("subarea = learning and skill development", "negative", 0.163),
        ("benchmark = Cognitive Offloading Asymmetry", "negative", 0.229),
        ("benchmark = Spillunder Effect", "negative", 0.0),
    ],
)
def test_impactbench_rates_by_slice(impact: Audit, part: str, polarity: str, rate: float) -> None:
    found = row(table(impact, "rates", "slices"), part=part)
    assert value(found, polarity) == pytest.approx(rate, abs=5e-4)


def test_impactbench_teen_contrasts(impact: Audit) -> None:
    finding = impact.finding("rates")
    assert finding is not None
    contrasts = finding.data["contrasts"]
    assert isinstance(contrasts, dict)
    points = [100 * contrasts["age: teen minus adult"][name] for name in ("pos-030", "pos-031")]
    assert points == pytest.approx([-26.7, -20.0], abs=0.05)
    listed = row(table(impact, "rates", "contrast_age"), metric="pos-030")
    assert listed.cells["pairs"] == 30
    assert listed.cells["p"] == pytest.approx(1.0)


def test_impactbench_retest(impact: Audit) -> None:
    found = table(impact, "stability", "stability")
    assert 100 * value(row(found, part="all"), "unanimous") == pytest.approx(82.5, abs=0.05)
    kappas = [
        value(row(found, part=name), "fleiss")
        for name in ("all", "polarity = positive", "polarity = negative")
    ]
    assert kappas == pytest.approx([0.731, 0.653, 0.815], abs=5e-4)
    finding = impact.finding("stability")
    assert finding is not None
    assert "198 of 240" in finding.answer
    assert "reliability, not correctness" in finding.answer


def test_impactbench_internal_review(impact: Audit) -> None:
    rates = table(impact, "indeterminate", "label_rates")
    shares = [100 * value(row(rates, label=name), "share") for name in ("agree", "disagree", "unsure")]
    assert shares == pytest.approx([80.5, 6.9, 12.6], abs=0.05)


@pytest.mark.parametrize(("policy", "same", "kappa"), [("as fail", 135, 0.667), ("as pass", 129, 0.593)])
def test_impactbench_judge_against_majority(impact: Audit, policy: str, same: int, kappa: float) -> None:
    rows = table(impact, "against_people", "policies")
    name = f"{policy} (declared)" if policy == "as fail" else policy
    found = row(rows, policy=name, part="several or one: majority, or the one expert")
    assert str(found.cells["same"]).startswith(f"{same} of 162 (")
    assert value(found, "majority") == pytest.approx(kappa, abs=5e-4)


def test_impactbench_people(impact: Audit) -> None:
    rows = [one for one in table(impact, "people", "people").rows if isinstance(one.cells["alpha"], Estimate)]
    alphas = [value(one, "alpha") for one in rows]
    assert [min(alphas), max(alphas)] == pytest.approx([0.121, 0.538], abs=5e-4)
    pairs = [str(one.cells["pairs"]) for one in rows]
    assert pairs[0].startswith("40 of 90")
    assert pairs[-1].startswith("66 of 90")


def test_impactbench_coverage(impact: Audit) -> None:
    finding = impact.finding("coverage")
    assert finding is not None
    assert finding.answer == (
        "19 people labelled 162 items on 18 of 809 metrics; 126 of 162 (78\u00a0%) were seen by one person."
    )
    assert finding.data["labels"] == 297
    assert any("171 of 297 labels come from model set 'earlier'" in note for note in finding.beware)
    assert any("'borderline' is 16\u00a0% of 171 labels" in note for note in finding.beware)


def test_impactbench_reviews(impact: Audit) -> None:
    finding = impact.finding("reviews")
    assert finding is not None
    assert finding.data == {"adequate": 20, "uncertain": 10, "inadequate": 3, "rename": 10}


def test_impactbench_answer(impact: Audit) -> None:
    assert impact.answer == (
        "Cannot tell. On 18 metrics this audit cannot tell, because on 14 each item had one person and "
        "on 4 the "
        "interval is too wide."
    )
    single = next(one for one in impact.stand_in if one.reason == "one rater per item")
    assert len(single.metrics) == 14
    assert single.rated_items == single.single_rated == 126
    assert isinstance(single.judge_person, Bounds)
    assert [one.value for one in single.judge_person.defined] == pytest.approx([0.70] * 4, abs=5e-3)
    assert impact.facts["Judge is a contestant"].startswith("yes: GPT-5.6 Luna, ranked 2 of 10")


def test_impactbench_majority_is_never_printed_for_one_expert(impact: Audit) -> None:
    alone = [
        one
        for one in table(impact, "against_people", "against_people").rows
        if one.cells["part"] == "one person"
    ]
    assert [one.cells["metric"] for one in alone] == ["14 other metrics"]
    assert all("not a majority" in str(one.cells["majority"]) for one in alone)


def test_llm_rubric_repeats_of_people(llm_rubric: Study) -> None:
    again = table(audit(llm_rubric, OPTIONS), "raters", "intra_rater")
    assert sum(int(str(one.cells["items"])) for one in again.rows) > 0


def test_policies_change_nothing_where_no_label_is_indeterminate(pandalm: Study) -> None:
    context = Context(pandalm, OPTIONS)
    assert context.policies("preference") == (Policy("kept apart"),)
