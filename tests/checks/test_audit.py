"""The audit as a whole: what leads it, and what files with one side only still get."""

from __future__ import annotations

import numpy as np
import pytest

import voirdire
from checks.studies import BORDERLINE, PAIR, PASS_FAIL, SEVERITY, study, table
from voirdire import registry
from voirdire.checks.audit import ORDER, audit
from voirdire.checks.finding import Bounds, Row
from voirdire.checks.options import AuditOptions
from voirdire.errors import UserError
from voirdire.stats import Estimate
from voirdire.study import Metric, Policy, Study

QUICK = AuditOptions(resamples=200)
HELP = Metric("help", PASS_FAIL)


def noisy(truth: np.ndarray, accuracy: float, rng: np.random.Generator) -> list[str]:
    right = rng.random(len(truth)) < accuracy
    return [
        PASS_FAIL.labels[int(label) if ok else 1 - int(label)] for label, ok in zip(truth, right, strict=True)
    ]


@pytest.fixture(scope="module")
def judged() -> Study:
    """300 items, three people, a judge much worse than they are."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    labels = {name: noisy(truth, 0.95, rng) for name in ("ann", "bob", "cy")}
    return study(table("help", labels | {"judge": noisy(truth, 0.7, rng)}), [HELP], judges=["judge"])


def test_every_check_has_a_place_in_the_order() -> None:
    assert set(ORDER) == set(registry.names("check"))


def test_a_bad_judge_is_answered_no(judged: Study) -> None:
    done = audit(judged, QUICK)
    assert done.answer == "No. On help the judge is worse than one more person would be."
    assert done.stand_in[0].answer == "no"
    assert done.stand_in[0].n_items == 300
    assert done.facts["Human labels"] == "900, by 3 people"


def test_a_copy_of_the_people_is_answered_yes() -> None:
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 400)
    labels = {name: noisy(truth, 0.95, rng) for name in ("ann", "bob", "cy", "judge")}
    done = audit(study(table("help", labels), [HELP], judges=["judge"]), QUICK)
    assert done.answer == "Yes. On help the judge agrees with people as well as one more person would."


def test_a_yes_is_not_said_without_what_it_is_worth() -> None:
    """People who guess agree no better with each other than with a judge that guesses."""
    rng = np.random.default_rng(7)
    labels = {name: noisy(rng.integers(0, 2, 900), 0.5, rng) for name in ("ann", "bob", "judge")}
    done = audit(study(table("help", labels), [HELP], judges=["judge"]), QUICK)
    assert done.answer == (
        "Yes. On help the judge agrees with people as well as one more person would, and people barely agree "
        "with each other."
    )


def test_a_yes_on_easy_items_says_so() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 800)
    easy, hard = (noisy(truth, 1.0, rng)[:400], noisy(truth, 0.6, rng)[400:])
    labels = {
        "ann": [*easy, *hard],
        "bob": [*easy, *noisy(truth, 0.6, rng)[400:]],
        "judge": [*easy, *[None] * 400],
    }
    done = audit(study(table("help", labels), [HELP], judges=["judge"]), QUICK)
    assert done.answer.endswith("The judged items are ones that people agree on more than on the rest.")


def test_the_same_seed_gives_the_same_audit(judged: Study) -> None:
    one, two = audit(judged, QUICK), audit(judged, QUICK)
    assert one.findings == two.findings
    assert one.stand_in == two.stand_in
    other = audit(judged, AuditOptions(resamples=200, seed=1))
    assert (
        other.stand_in[0].difference.by_policy["kept apart"].high
        != one.stand_in[0].difference.by_policy["kept apart"].high
    )


def test_a_check_alone_says_what_it_says_among_others(judged: Study) -> None:
    alone = audit(judged, AuditOptions(resamples=200, checks=("people",)))
    assert [finding.check for finding in alone.findings] == ["people"]
    assert alone.answer == alone.findings[0].answer
    assert alone.finding("people") == audit(judged, QUICK).finding("people")


def test_an_unknown_check_is_named_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no check named 'poeple'.*did you mean 'people'"):
        audit(study(table("help", {"ann": ["pass"]}), [HELP]), AuditOptions(checks=("poeple",)))


def test_people_only() -> None:
    done = audit(
        study(
            table("help", {"ann": ["pass", "fail"] * 5, "bob": ["pass", "fail", "fail", "fail"] * 2}), [HELP]
        ),
        QUICK,
    )
    assert done.answer == "Cannot tell. There is no judge in this study; it can say how far people agree."
    assert done.finding("people") is not None
    assert done.finding("against_people") is None
    assert any("no judge" in gap for gap in done.missing)


def test_a_judge_only() -> None:
    rows = table("help", {"judge": ["pass", "fail", "pass"]})
    done = audit(study(rows, [HELP], judges=["judge"]), QUICK)
    assert done.answer.startswith("Cannot tell. No person rated")
    assert done.finding("people") is None
    assert done.finding("rates") is not None
    assert any("no person's label" in gap for gap in done.missing)


def test_one_rater_per_item() -> None:
    done = audit(
        study(
            table("help", {"ann": ["pass", "fail"] * 10, "judge": ["pass", "fail", "pass", "pass"] * 5}),
            [HELP],
            judges=["judge"],
        ),
        QUICK,
    )
    assert done.answer == "Cannot tell. On help this audit cannot tell, because each item had one person."
    assert done.stand_in[0].reason == "one rater per item"
    assert done.stand_in[0].settle == "a second rater on 20 items"
    assert done.actions[0].cost == "20 labels"


def test_an_empty_study_is_audited_without_an_error() -> None:
    done = audit(study([], [HELP]), QUICK)
    assert done.stand_in == ()
    assert isinstance(done.answer, str)


def test_labels_without_variation_are_undefined_and_say_so() -> None:
    labels = {name: ["pass"] * 12 for name in ("ann", "bob", "judge")}
    done = audit(study(table("help", labels), [HELP], judges=["judge"]), QUICK)
    assert done.stand_in[0].answer == "cannot tell"
    people = done.finding("people")
    assert people is not None
    alpha = people.tables[0].rows[0].cells["alpha"]
    assert isinstance(alpha, Estimate)
    assert alpha.undefined == "no_variation"


def test_raw_agreement_of_nine_in_ten_leads_with_kappa_nought() -> None:
    """B15: people say pass on 9 of 10 items, the judge always does."""
    labels = {"ann": ["pass"] * 9 + ["fail"], "bob": ["pass"] * 9 + ["fail"], "judge": ["pass"] * 10}
    done = audit(study(table("help", labels), [HELP], judges=["judge"]), QUICK)
    finding = done.finding("against_people")
    assert finding is not None
    first = finding.tables[0]
    found = first.rows[0]
    assert isinstance(found.cells["judge_person"], Bounds)
    assert found.cells["judge_person"].defined[0].value == pytest.approx(0.0)
    assert _value(found, "majority") == pytest.approx(0.0)
    assert str(found.cells["same"]).startswith("9 of 10")
    keys = [column.key for column in first.columns]
    assert keys.index("judge_person") < keys.index("same")


def test_many_single_rated_metrics_are_one_entry() -> None:
    rng = np.random.default_rng(2)
    metrics = [Metric(f"m{number:03d}", PASS_FAIL) for number in range(200)]
    rows = []
    for number, metric in enumerate(metrics):
        truth = rng.integers(0, 2, 4)
        rows += table(
            metric.name, {"ann": noisy(truth, 0.9, rng), "judge": noisy(truth, 0.9, rng)}, start=10 * number
        )
    done = audit(study(rows, metrics, judges=["judge"]), QUICK)
    assert len(done.stand_in) == 1
    assert len(done.stand_in[0].metrics) == 200
    assert 0.4 < done.stand_in[0].judge_person.defined[0].value < 0.9


def test_levels_are_corrected_over_metrics() -> None:
    rng = np.random.default_rng(3)
    metrics = [Metric(f"m{number}", PASS_FAIL) for number in range(8)]
    rows = []
    for number, metric in enumerate(metrics):
        truth = rng.integers(0, 2, 30)
        labels = {name: noisy(truth, 0.9, rng) for name in ("ann", "bob", "judge")}
        rows += table(metric.name, labels, start=100 * number)
    done = audit(study(rows, metrics, judges=["judge"]), QUICK)
    assert {one.level for one in done.stand_in} == {done.stand_in[0].level}
    assert done.stand_in[0].level > 0.95
    assert all(
        each.level == done.stand_in[0].level for one in done.stand_in for each in one.difference.defined
    )


def test_hundreds_of_metrics_with_one_answer_are_one_entry_and_are_listed_one_by_one() -> None:
    rng = np.random.default_rng(12)
    metrics = [Metric(f"m{number:03d}", PASS_FAIL) for number in range(70)]
    rows = []
    for number, metric in enumerate(metrics):
        truth = rng.integers(0, 2, 12)
        labels = {name: noisy(truth, 0.85, rng) for name in ("ann", "bob", "judge")}
        rows += table(metric.name, labels, start=100 * number)
    done = audit(study(rows, metrics, judges=["judge"]), QUICK)
    assert sorted(name for one in done.stand_in for name in one.metrics) == [
        metric.name for metric in metrics
    ]
    assert len(done.stand_in) <= 3
    most = max(done.stand_in, key=lambda one: len(one.metrics))
    assert most.answer == "cannot tell"
    assert most.difference.defined[0].value == pytest.approx(0.0, abs=0.1)
    finding = done.finding("stand_in")
    assert finding is not None
    assert len(finding.tables[0].rows) == 70


BATTERY = {
    "r1": ["pass", "pass", "fail", "pass", "fail", "borderline"],
    "r2": ["pass", "fail", "fail", None, "pass", "pass"],
    "r3": [None, "pass", "fail", None, "fail", "borderline"],
}


@pytest.mark.parametrize(
    ("policy", "alpha"),
    [("kept apart", 0.35), ("left out", 1 / 3), ("as fail", 0.1875), ("as pass", 0.458333)],
)
def test_battery_m_under_every_policy(policy: str, alpha: float) -> None:
    """B30: the same labels under all four mappings of borderline."""
    done = audit(study(table("help", BATTERY), [Metric("help", BORDERLINE)]), QUICK)
    finding = done.finding("people")
    assert finding is not None
    rows = next(one for one in finding.tables if one.name == "people_policies").rows
    assert _value(rows[0], policy) == pytest.approx(alpha, abs=5e-7)


def test_a_tie_is_contested_and_queued() -> None:
    """B25: pass and fail from two people; no latest, alphabetical or random pick."""
    labels = {"ann": ["pass", "pass"], "bob": ["fail", "pass"], "judge": ["pass", "pass"]}
    done = audit(study(table("help", labels), [HELP], judges=["judge"]), QUICK)
    finding = done.finding("indeterminate")
    assert finding is not None
    queue = next(one for one in finding.tables if one.name == "adjudicate").rows
    assert [one.cells["item"] for one in queue] == ["i0"]
    assert queue[0].cells["state"] == "tied 1–1: pass and fail"
    assert any(action.what == "Adjudicate 1 item" for action in done.actions)


def test_half_the_labels_are_no_majority() -> None:
    labels = {"split": "pass pass borderline fail", "settled": "pass pass pass fail"}
    rows = [
        (item, "tone", rater, label)
        for item, given in labels.items()
        for rater, label in zip("abcd", given.split(), strict=True)
    ]
    finding = audit(study(rows, [Metric("tone", BORDERLINE)])).finding("indeterminate")
    assert finding is not None
    queue = next(one for one in finding.tables if one.name == "adjudicate").rows
    assert [(row.cells["item"], row.cells["state"]) for row in queue] == [("split", "split")]


def test_the_declared_policy_and_tie_are_used() -> None:
    metric = Metric("help", BORDERLINE, policy=Policy("as fail"), tie="fail")
    labels = {
        "ann": ["pass", "borderline"] * 6,
        "bob": ["fail", "pass"] * 6,
        "judge": ["fail", "fail"] * 5 + ["pass", "pass"],
    }
    done = audit(study(table("help", labels), [metric], judges=["judge"]), QUICK)
    finding = done.finding("against_people")
    assert finding is not None
    assert str(finding.tables[0].rows[0].cells["same"]).startswith("10 of 12")
    assert "left out" not in str(finding.tables[0].rows[0].cells["same"])


@pytest.mark.parametrize("scale", [PASS_FAIL, BORDERLINE, SEVERITY, PAIR])
def test_every_scale_runs_through_every_check(scale: object) -> None:
    rng = np.random.default_rng(4)
    metric = Metric("it", scale)  # type: ignore[arg-type]
    labels = metric.scale.labels
    columns = {
        name: [labels[k] for k in rng.integers(0, len(labels), 40)] for name in ("ann", "bob", "one", "two")
    }
    done = audit(study(table("it", columns), [metric], judges=["one", "two"]), QUICK)
    assert {"stand_in", "people", "against_people", "judges", "coverage"} <= {
        one.check for one in done.findings
    }
    for finding in done.findings:
        assert finding.answer
        for one in finding.tables:
            keys = {column.key for column in one.columns}
            assert set(one.plot) <= keys
            assert all(set(found.cells) & keys for found in one.rows)


def _value(found: Row, key: str) -> float:
    cell = found.cells[key]
    assert isinstance(cell, Estimate), f"{key} is {cell!r}"
    return cell.value


@pytest.mark.parametrize(("people", "judge"), [(("fail", "pass"), ("0", "90")), (("1", "5"), ("20", "95"))])
def test_a_judge_on_another_scale_is_not_held_against_people(
    people: tuple[str, str], judge: tuple[str, str]
) -> None:
    rng = np.random.default_rng(1)
    rows = []
    for n in range(60):
        rows += [(str(n), who, "human", people[int(rng.integers(2))]) for who in ("ann", "bo")]
        rows.append((str(n), "model", "judge", judge[int(rng.integers(2))]))
    names = ("item_id", "rater_id", "rater_kind", "label")
    found = audit(voirdire.open({name: [row[k] for row in rows] for k, name in enumerate(names)}), QUICK)
    assert found.answer.startswith("Cannot tell.")
    assert "scale" in found.answer
