"""Each check on a study small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from checks.studies import BORDERLINE, PAIR, PASS_FAIL, SEVERITY, study, table
from voirdire.checks.audit import audit
from voirdire.checks.by_slice import Part
from voirdire.checks.finding import Bounds, Finding, LabelCounts, Row, Table
from voirdire.checks.options import AuditOptions
from voirdire.checks.people_spread import Spread
from voirdire.checks.words import percent
from voirdire.errors import UserError
from voirdire.stats import Estimate
from voirdire.study import Metric, Rater, Review, Scale, Study

HELP = Metric("help", PASS_FAIL)
P, F, B = "pass", "fail", "borderline"


def finding(made: Study, check: str, **options: object) -> Finding:
    found = audit(made, AuditOptions(resamples=200, checks=(check,), **options)).finding(check)  # type: ignore[arg-type]
    assert found is not None, f"{check} has nothing to say"
    return found


def part(found: Finding, name: str) -> Table:
    return next(one for one in found.tables if one.name == name or one.name.startswith(f"{name}_"))


def value(row: Row, key: str) -> float:
    cell = row.cells[key]
    assert isinstance(cell, Estimate), f"{key} is {cell!r}"
    return cell.value


# coverage


def test_coverage_counts_people_items_and_fields() -> None:
    people = {"ann": Rater("ann", "human", expertise="law"), "bob": Rater("bob", "human", expertise="law")}
    rows = table(
        "help", {"ann": [P, F, P], "bob": [P, F, None], "cy": [P, None, None], "judge": [P, F, None]}
    )
    made = study(
        [*rows, ("i2", "help", "judge", None)],
        [HELP],
        judges=["judge"],
        people=people,
        population={"metrics": 10},
    )
    found = finding(made, "coverage")
    assert (
        found.answer
        == "3 people labelled 3 items on 1 of 10 metrics; 1 of 3 (33\u00a0%) was seen by one person."
    )
    assert found.data["raters_per_item"] == {"1": 1, "2": 1, "3": 1}
    fields = {str(row.cells["field"]): row.cells["people"] for row in part(found, "fields").rows}
    assert fields["law"] == 2
    statuses = {row.cells["status"]: row.cells["judge"] for row in part(found, "statuses").rows}
    assert statuses == {"ok": 2, "unparsed": 1}
    assert "rubric shown to people: not recorded" in found.missing
    assert any("not declared, so each counts as drawn alone" in gap for gap in found.missing)
    assert "field: not recorded for 1 of 3 people" in found.missing


def test_coverage_names_model_sets_and_never_pools_them_silently() -> None:
    rows = table("help", {"ann": [P, F, P], "judge": [P, F, P]})
    sets = ["earlier", "earlier", "new", None, None, None]
    found = finding(study(rows, [HELP], judges=["judge"], rating_attributes={"model_set": sets}), "coverage")
    assert any(
        "2 of 3 labels come from model set 'earlier' and 1 of 3 labels" in note for note in found.beware
    )


def test_a_figure_over_several_model_sets_says_that_it_pools_them() -> None:
    rows = table("help", {"ann": [P, F, P, F], "bob": [P, F, None, None], "judge": [P, F, P, P]})
    sets = ["earlier", "earlier", "new", "new", "earlier", "earlier", None, None, None, None]
    metric = Metric("help", BORDERLINE)
    made = study(rows, [metric], judges=["judge"], rating_attributes={"model_set": sets})
    pooled = [
        row
        for row in part(finding(made, "against_people"), "policies").rows
        if "several or" in str(row.cells["part"])
    ]
    assert pooled
    assert {row.note for row in pooled} == {"pools model sets 'earlier' and 'new'"}


# people


def test_pooled_alpha_that_hides_low_agreement_within_slices_is_called_out() -> None:
    """Within either group the two people are independent; only the groups differ."""
    rng = np.random.default_rng(1)
    truth = ["1"] * 40 + ["4"] * 40

    def near(label: str) -> str:
        return str(np.clip(int(label) + rng.integers(-1, 2), 1, 4))

    rows = table("it", {"ann": [near(one) for one in truth], "bob": [near(one) for one in truth]})
    group = {f"i{k}": "low" if k < 40 else "high" for k in range(80)}
    found = finding(study(rows, [Metric("it", SEVERITY)], attributes={"group": group}), "people")
    assert any("pooled α is" in note and "within group" in note for note in found.beware)


def test_a_pooled_alpha_that_may_be_nought_hides_nothing() -> None:
    estimates = [
        Estimate(-0.05, -0.2, 0.1, n_pairable_items=50),
        Estimate(-0.1, -0.3, 0.1, n_pairable_items=50),
    ]
    within = tuple((Part("system", name), one) for name, one in zip("ab", estimates, strict=True))
    assert not Spread("help", "help", "system", Estimate(0.07, -0.02, 0.15), within).hides
    assert Spread("help", "help", "system", Estimate(0.07, 0.01, 0.15), within).hides


def test_a_judge_that_agrees_more_is_named_with_points() -> None:
    rng = np.random.default_rng(3)
    truth = rng.choice([P, F], 200)
    worse = np.where(rng.random(200) < 0.4, rng.choice([P, F], 200), truth)
    rows = table("help", {"ann": list(truth), "bob": list(truth), "good": list(truth), "bad": list(worse)})
    answer = finding(study(rows, [HELP], judges=["good", "bad"]), "judges").answer
    assert answer.startswith("good agrees more with people than bad, by ")
    assert " points [" in answer


def test_slices_of_people_as_well_as_of_items() -> None:
    people = {
        name: Rater(name, "human", attributes={"school": "a" if name < "c" else "b"})
        for name in ("a1", "b1", "c1", "d1")
    }
    rows = table("help", {"a1": [P, F, P, F], "b1": [P, F, P, F], "c1": [P, P, F, F], "d1": [F, F, P, P]})
    found = finding(study(rows, [HELP], people=people), "people")
    within = {row.cells["value"]: value(row, "alpha") for row in part(found, "people_slices").rows}
    assert within["a"] == pytest.approx(1.0)
    assert within["b"] < 0


def test_response_sets_are_compared_as_sets() -> None:
    """Items {a} {a}, {a, b} {a, b} and {b} {a, b}: 7/12, as in the statistic's own example."""
    scale = Scale("nominal", ("a", "b", "a|b"), indeterminate={"a|b": ("a", "b")}, separator="|")
    rows = table("it", {"ann": ["a", "a|b", "b"], "bob": ["a", "a|b", "a|b"]})
    found = part(finding(study(rows, [Metric("it", scale)]), "people"), "people").rows[0]
    assert value(found, "sets") == pytest.approx(7 / 12)


# raters


def test_a_lenient_person_leans_and_a_rare_one_is_not_measured() -> None:
    rng = np.random.default_rng(2)
    truth = [P if one else F for one in rng.random(60) < 0.5]
    kind = [P if one == P or rng.random() < 0.5 else F for one in truth]
    rows = table("help", {"ann": truth, "bob": truth, "kind": kind, "rare": [P, F] + [None] * 58})
    rows = {row.cells["rater"]: row for row in part(finding(study(rows, [HELP]), "raters"), "raters").rows}
    assert value(rows["kind"], "leniency") > 0.1
    assert rows["kind"].cells["leaning"] == "more 'pass'"
    assert "2 items shared" in str(rows["rare"].cells["leniency"])


def test_people_who_rated_an_item_in_two_runs_are_set_against_themselves() -> None:
    rows = [
        (f"i{k}", "help", "ann", label, run)
        for run, labels in {"0": [P, F, P], "1": [P, F, F]}.items()
        for k, label in enumerate(labels)
    ]
    again = part(finding(study(rows, [HELP]), "raters"), "intra_rater").rows[0]
    assert again.cells["same"] == "2 of 3 (67\u00a0%)"


# stability


def test_stability_counts_unanimous_items_and_says_what_it_is_not() -> None:
    runs = {"0": [P, P, F, F], "1": [P, P, F, P], "2": [P, F, F, P]}
    rows = [
        (f"i{k}", "help", "judge", label, run)
        for run, labels in runs.items()
        for k, label in enumerate(labels)
    ]
    found = finding(study(rows, [HELP], judges=["judge"]), "stability")
    assert found.answer == (
        "Asked three times, it gave one verdict on 2 of 4 items (50\u00a0%). This is reliability, not "
        "correctness."
    )
    assert value(part(found, "stability").rows[0], "unanimous") == pytest.approx(0.5)


def test_stability_without_repeats_is_not_recorded() -> None:
    found = finding(study(table("help", {"judge": [P, F]}), [HELP], judges=["judge"]), "stability")
    assert found.answer.startswith("Not recorded")
    assert found.answer == "Not recorded: every verdict was asked for once."
    assert found.missing == ("repeated verdicts of the judge on the same items",)


# against people


def test_majority_only_where_several_people_rated() -> None:
    rows = table("help", {"ann": [P, P, F, P, F], "bob": [P, F, F, None, None], "judge": [P, P, P, P, P]})
    several, alone = part(
        finding(study(rows, [HELP], judges=["judge"]), "against_people"), "against_people"
    ).rows
    assert several.cells["same"] == "1 of 2 (50\u00a0%); 1 tie left out"
    assert (several.cells["items"], alone.cells["items"]) == (3, 2)
    assert "one expert: not a majority" in str(alone.cells["majority"])
    assert "same" not in alone.cells


def test_every_row_with_raw_agreement_has_a_chance_corrected_figure() -> None:
    rng = np.random.default_rng(3)
    labels = {
        name: [P if one else F for one in rng.random(40) < 0.6] for name in ("ann", "bob", "one", "two")
    }
    made = study(
        table("help", labels),
        [HELP],
        judges=["one", "two"],
        attributes={"group": {f"i{k}": "ab"[k % 2] for k in range(40)}},
    )
    for found in audit(made, AuditOptions(resamples=200)).findings:
        for one in found.tables:
            keys = {column.key for column in one.columns}
            if keys & {"raw", "same"} and one.name not in ("vote_pairs", "swapped"):
                assert keys & {"judge_person", "kappa", "agreement", "each_other", "majority"}, one.name


def test_a_judge_that_spells_labels_its_own_way_is_called_out() -> None:
    scale = Scale("nominal", ("pass", "fail", "PASS", "FAIL"))
    labels = {"ann": [P, F, P, P], "bob": [P, F, F, P], "judge": ["PASS", "FAIL", "PASS", "PASS"]}
    found = finding(study(table("help", labels), [Metric("help", scale)], judges=["judge"]), "against_people")
    assert any(
        "judge gives 'PASS' and 'FAIL' on 4 of 4 (100\u00a0%) of its verdicts" in note
        for note in found.beware
    )
    assert found.actions[0].what == "Say what judge means by 'PASS' and 'FAIL' on help"


def test_a_judge_on_another_scale_of_numbers_is_called_out() -> None:
    values = tuple(range(0, 101, 5))
    scale = Scale("numeric", tuple(map(str, values)), ordered=True, values=tuple(map(float, values)))
    labels = {"ann": ["0", "95", "50"], "bob": ["5", "100", "45"], "judge": ["5", "0", "5"]}
    found = finding(study(table("help", labels), [Metric("help", scale)], judges=["judge"]), "against_people")
    assert any("judge uses 0 to 5 and people 0 to 100" in note for note in found.beware)


def test_vote_pairs_with_and_without_ties() -> None:
    rows = table(
        "it",
        {
            "ann": ["first", "tie", "second"],
            "bob": ["first", "second", "tie"],
            "judge": ["first", "second", "tie"],
        },
    )
    found = part(
        finding(study(rows, [Metric("it", PAIR)], judges=["judge"]), "against_people"), "vote_pairs"
    ).rows[0]
    assert found.cells["judge_person"] == "4 of 6, 67\u00a0%"
    assert found.cells["judge_person_decided"] == "3 of 3, 100\u00a0%"
    assert found.cells["person_person"] == "1 of 3, 33\u00a0%"
    assert found.cells["person_person_decided"] == "1 of 1, 100\u00a0%"


def test_values_against_the_mean_person() -> None:
    scale = Scale("ordinal", ("-1", "1"), ordered=True, values=(-1.0, 1.0))
    rows = table(
        "it", {"ann": ["1", "-1", "1", "-1"], "bob": ["1", "-1", "1", "1"], "judge": ["1", "1", "1", "-1"]}
    )
    found = part(
        finding(study(rows, [Metric("it", scale)], judges=["judge"]), "against_people"), "values"
    ).rows[0]
    assert found.cells["same_sign"] == "2 of 4"


# judges


def test_judges_are_paired_on_the_same_items_and_vote_without_a_tie() -> None:
    rows = table(
        "help",
        {
            "ann": [P, P, F, F],
            "bob": [P, P, F, F],
            "one": [P, P, F, F],
            "two": [P, P, P, P],
            "three": [P, F, F, F],
        },
    )
    found = finding(study(rows, [HELP], judges=["one", "two", "three"]), "judges")
    pairs = {
        (row.cells["first"], row.cells["second"]): value(row, "difference")
        for row in part(found, "judge_pairs").rows
    }
    assert pairs == {("one", "two"): 0.5, ("one", "three"): 0.25, ("two", "three"): -0.25}
    vote = next(row for row in part(found, "judges").rows if row.cells["judge"] == "vote of 3 judges")
    assert vote.cells["same"] == "4 of 4 (100\u00a0%)"


def test_judges_of_one_model_are_kept_apart_and_said() -> None:
    people = {name: Rater(name, "judge", model="gpt") for name in ("one", "two")}
    rows = table("help", {"ann": [P, F, P], "bob": [P, F, F], "one": [P, F, P], "two": [P, P, P]})
    found = finding(study(rows, [HELP], judges=["one", "two"], people=people), "judges")
    assert any(note == "one and two are the same model, gpt; they are kept apart." for note in found.beware)


def test_unparsed_replies_give_bounds() -> None:
    rows = table("help", {"ann": [P, P, F, F], "bob": [P, P, F, F], "judge": [P, F, F, None]})
    found = finding(study([*rows, ("i3", "help", "judge", None)], [HELP], judges=["judge"]), "judges")
    assert found.data["unparsed"] == {
        "help: judge": {"unparsed": 1.0, "parsed": 2 / 3, "low": 0.5, "high": 0.75}
    }


# indeterminate


def test_rates_of_indeterminate_labels_by_metric_and_rater() -> None:
    rows = table("help", {"ann": [P, B, F, B], "bob": [P, F, F, P], "judge": [P, P, F, F]})
    found = finding(study(rows, [Metric("help", BORDERLINE)], judges=["judge"]), "indeterminate")
    rates = {row.cells["label"]: row.cells["labels"] for row in part(found, "label_rates").rows}
    assert rates == {P: "3 of 8 (38\u00a0%)", B: "2 of 8 (25\u00a0%)", F: "3 of 8 (38\u00a0%)"}
    by = {row.cells["rater"]: row.cells["labels"] for row in part(found, "indeterminate_raters").rows}
    assert by == {"ann": "2 of 4", "bob": "0 of 4", "judge": "0 of 4"}
    headline = part(found, "headline_policies").rows[0].cells["judge_person"]
    assert isinstance(headline, Bounds)
    assert list(headline.by_policy) == ["kept apart", "left out", "as pass", "as fail"]
    queue = part(found, "adjudicate").rows
    assert queue[0].cells["people"] == LabelCounts({B: 1, F: 1})


# selection


def test_judged_items_more_unanimous_than_the_others_are_called_flattering() -> None:
    rows = table(
        "help", {"ann": [P, F] * 20, "bob": [P, F] * 10 + [F, P] * 10, "judge": [P, F] * 10 + [None] * 20}
    )
    found = finding(study(rows, [HELP], judges=["judge"]), "selection")
    assert found.answer.startswith(
        "Yes: on help people are unanimous on 20 of 20 (100\u00a0%) of the judged items"
    )


def test_a_difference_that_is_not_shown_is_not_denied() -> None:
    """Judged items are unanimous on 16 of 20 and the others on 12 of 20: more often, be it by chance."""
    bob = [P, F] * 8 + [F, P] * 2 + [P, F] * 6 + [F, P] * 4
    rows = table("help", {"ann": [P, F] * 20, "bob": bob, "judge": [P, F] * 10 + [None] * 20})
    answer = finding(study(rows, [HELP], judges=["judge"]), "selection").answer
    assert "16 of 20 (80\u00a0%) of the judged items and on 12 of 20 (60\u00a0%) of the others" in answer


# rates


def matched_study(*, copy_of_verdict: bool) -> Study:
    """20 scenarios, each in a teen and an adult version; the judge passes 8 teens and 14 adults."""
    rows, age, scenario, present = [], {}, {}, {}
    for k in range(20):
        for name, passes in (("teen", k < 8), ("adult", k < 14)):
            item = f"{name}{k}"
            rows.append((item, "help", "judge", P if passes else F))
            age[item], scenario[item], present[item] = name, f"s{k}", str(int(passes))
    attributes = {"age": age, "scenario": scenario} | ({"present": present} if copy_of_verdict else {})
    return study(rows, [HELP], judges=["judge"], attributes=attributes, slice_by=("age",))


@pytest.mark.parametrize("copy_of_verdict", [False, True])
def test_contrasts_pair_items_on_their_design_and_not_on_the_outcome(copy_of_verdict: bool) -> None:
    found = finding(matched_study(copy_of_verdict=copy_of_verdict), "rates")
    assert found.data["contrasts"] == {"age: teen minus adult": {"help": pytest.approx(-0.3)}}
    listed = part(found, "contrast_age").rows[0]
    assert (listed.cells["first"], listed.cells["second"]) == ("8 of 20", "14 of 20")
    assert value(listed, "difference") == pytest.approx(-0.3)


def test_missing_verdicts_are_counted_and_in_no_denominator() -> None:
    rows = [("a", "help", "judge", P), ("b", "help", "judge", F), ("c", "help", "judge", None)]
    found = finding(study(rows, [HELP], judges=["judge"]), "rates")
    assert found.data["missing"] == 1
    assert value(part(found, "rates").rows[0], "rate") == pytest.approx(0.5)


def test_polarity_turns_present_into_pass_or_fail() -> None:
    there = Scale("binary", ("absent", "present"))
    metrics = [Metric("warm", there, polarity="positive"), Metric("lie", there, polarity="negative")]
    rows = [(f"w{k}", "warm", "judge", "present") for k in range(4)] + [
        (f"l{k}", "lie", "judge", "present" if k else "absent") for k in range(4)
    ]
    found = part(finding(study(rows, metrics, judges=["judge"]), "rates"), "rates").rows[0]
    assert (value(found, "positive"), value(found, "negative")) == (1.0, 0.25)


def test_labels_without_a_passing_one_are_counted_each() -> None:
    metric = Metric("tone", Scale("nominal", ("warm", "cold", "neutral")))
    found = finding(
        study(table("tone", {"ann": ["warm", "cold"], "bob": ["warm", "warm"]}), [metric]), "rates"
    )
    shares = {str(row.cells["label"]): value(row, "share") for row in part(found, "labels").rows}
    assert shares == {"warm": 0.75, "cold": 0.25, "neutral": 0.0}
    assert found.answer == "On tone 75\u00a0% of 4 labels by people are 'warm'."


def test_means_of_one_system_stand_beside_labels_of_another_metric() -> None:
    metrics = [Metric("harm", SEVERITY), Metric("tone", Scale("nominal", ("warm", "cold")))]
    rows = [("i0", "harm", "ann", "2"), ("i0", "tone", "ann", "warm")]
    found = finding(study(rows, metrics, attributes={"system": {"i0": "s"}}), "rates")
    assert {one.name for one in found.tables} == {"means", "labels"}
    assert found.answer == "Means of the labels are in the table; no two systems can be compared."


def test_systems_that_may_be_the_judge_or_its_sibling_are_named() -> None:
    rows = table("help", {"ann": [P, F, P], "gpt-4-pair": [P, F, P]})
    systems = {"system": {"i0": "gpt-4", "i1": "gpt-3.5-turbo", "i2": "llama-13b"}}
    made = study(rows, [HELP], judges=["gpt-4-pair"], attributes=systems)
    said = audit(made, AuditOptions(resamples=200)).facts["Judge is a contestant"]
    assert said == "none of its name; akin by name: gpt-4 and gpt-3.5-turbo"


def test_systems_are_ranked_with_intervals_and_their_spread() -> None:
    rows = [
        (f"{name}{k}", "help", "judge", P if k < good else F)
        for name, good in (("x", 9), ("y", 3))
        for k in range(12)
    ]
    system = {f"{name}{k}": name for name in "xy" for k in range(12)}
    found = finding(study(rows, [HELP], judges=["judge"], attributes={"system": system}), "rates")
    assert [row.cells["part"] for row in part(found, "systems").rows] == ["x", "y"]
    assert all(
        isinstance(row.cells["rate"], Estimate) and row.cells["rate"].has_interval
        for row in part(found, "systems").rows
    )
    assert value(part(found, "spread").rows[0], "points") == pytest.approx(0.5)


# position


def test_pairs_judged_in_both_orders() -> None:
    """Of three pairs, one keeps its winner, one follows the first place and one is a tie both times."""
    both = {
        "ab1": ("a", "b", "q1", "first"),
        "ba1": ("b", "a", "q1", "second"),
        "ab2": ("a", "b", "q2", "first"),
        "ba2": ("b", "a", "q2", "first"),
        "ab3": ("a", "b", "q3", "tie"),
        "ba3": ("b", "a", "q3", "tie"),
    }
    rows = [(item, "it", "judge", label) for item, (_, _, _, label) in both.items()]
    attributes = {
        name: {item: values[place] for item, values in both.items()}
        for place, name in enumerate(("system_a", "system_b", "question"))
    }
    found = finding(
        study(rows, [Metric("it", PAIR)], judges=["judge"], attributes=attributes, slice_by=()), "position"
    )
    swapped = part(found, "swapped").rows[0]
    assert swapped.cells["same"] == "2 of 3 (67\u00a0%)"
    assert value(swapped, "favours_first") == pytest.approx(1 / 3)
    assert found.answer == "judge changed its verdict with the order on 33\u00a0% of 3 pairs."


def test_the_column_presented_turns_labels_into_places() -> None:
    rows = [("x", "it", "judge", "first", "0"), ("x", "it", "judge", "second", "1")]
    made = study(rows, [Metric("it", PAIR)], judges=["judge"], rating_attributes={"presented": ["ab", "ba"]})
    swapped = part(finding(made, "position"), "swapped").rows[0]
    assert value(swapped, "favours_first") == pytest.approx(1.0)


def test_one_order_is_said_to_be_missing() -> None:
    rows = table("it", {"ann": ["first", "second"], "judge": ["first", "first"]})
    found = finding(study(rows, [Metric("it", PAIR)], judges=["judge"]), "position")
    assert found.missing == ("both orders of a pair: the judge saw each pair in one order",)


# disagreements


def test_surest_people_against_the_judge_come_first_with_their_text() -> None:
    rows = table("help", {"ann": [P, P, F], "bob": [P, P, F], "cy": [P, F, None], "judge": [F, F, F]})
    made = study(rows, [HELP], judges=["judge"], texts={"i0": "All three pass.", "i1": "Two pass."})
    found = finding(made, "disagreements")
    assert [row.cells["item"] for row in part(found, "worst").rows] == ["i0", "i1"]
    assert part(found, "worst").rows[0].cells["text"] == "All three pass."
    assert (
        found.answer == "On 1 of 3 items with several people, all of them agree and the judge says otherwise."
    )


def test_the_number_of_disagreements_is_an_option() -> None:
    rows = table("help", {"ann": [P] * 9, "bob": [P] * 9, "judge": [F] * 9})
    assert (
        len(part(finding(study(rows, [HELP], judges=["judge"]), "disagreements", worst=4), "worst").rows) == 4
    )


# reviews, rubric, coherence


def test_reviews_are_counted_beside_the_labels() -> None:
    reviews = (Review("adequate", "help"), Review("inadequate", "help", rename=True, comment="measures tone"))
    found = finding(study(table("help", {"ann": [P]}), [HELP], reviews=reviews), "reviews")
    assert (
        found.answer
        == "Of 2 reviews, 1 adequate, 0 uncertain, 1 inadequate; 1 (50\u00a0%) want another name."
    )
    assert part(found, "doubted").rows[0].cells["comment"] == "measures tone"


def test_low_agreement_with_a_low_pass_rate_asks_rubric_or_model() -> None:
    low, high = Metric("low", PASS_FAIL), Metric("high", PASS_FAIL)
    rows = table("low", {"ann": [P, F, F, F] * 3, "bob": [F, P, F, F] * 3})
    rows += table("high", {"ann": [P, P, P, F] * 3, "bob": [P, P, P, F] * 3}, start=50)
    found = finding(study(rows, [low, high]), "rubric_or_model")
    assert found.data["low_in_both"] == ("low",)
    assert part(found, "flags").rows[0].cells["flag"] == "rubric or model?"


def test_a_metric_that_nothing_passes_needs_an_audit() -> None:
    rows = table("help", {"judge": [F] * 12})
    found = finding(study(rows, [HELP], judges=["judge"]), "rubric_or_model")
    assert (
        part(found, "flags").rows[0].cells["flag"] == "nothing passes: needs an audit of rubric and judgment"
    )


def test_an_audits_own_figures_are_not_called_a_check() -> None:
    made = study(
        table("help", {"ann": [P, F, P], "bob": [P, F, F], "judge": [P, F, P]}), [HELP], judges=["judge"]
    )
    assert finding(made, "coherence").answer.startswith("No published figure was given to check.")


def test_nearly_all_is_not_printed_as_all() -> None:
    assert percent(0.996) == "99.6\u00a0%"
    assert percent(0.0004, 5000) == "0.04\u00a0%"
    assert (percent(1.0), percent(0.0)) == ("100\u00a0%", "0\u00a0%")


def test_declared_figures_are_checked_for_coherence() -> None:
    reported = {
        "ImpactBench": {"agreement": 0.833, "n": 162, "kappa": 0.667},
        "retest": {"unanimity": 0.825, "runs": 3, "fleiss": 0.731, "n": 240},
        "typo": {"agreement": 0.84, "n": 10, "decimals": 2},
    }
    found = finding(study(table("help", {"ann": [P]}), [HELP], reported=reported), "coherence")
    rows = {row.cells["what"]: row for row in part(found, "coherence").rows}
    assert rows["ImpactBench"].cells["coherent"] == "yes"
    assert rows["retest: retest"].cells["coherent"] == "yes"
    assert rows["typo"].cells["coherent"] == "no"
    assert found.answer.startswith("No: of 3 reported sets of figures, 1 cannot all be true, first typo")


@pytest.mark.parametrize(
    "figures",
    [
        {"agreement": 0.8},
        {"agrement": 0.8, "n": 10},
        {"agreement": 0.8, "n": 1e12},
        {"agreement": 0.8, "n": 10.5},
        {"agreement": 0.8, "n": 10, "decimals": -400},
        {"unanimity": 0.8, "runs": 1},
    ],
)
def test_declared_figures_that_cannot_be_read_are_a_users_mistake(figures: dict[str, float]) -> None:
    with pytest.raises(UserError, match="reported: x"):
        finding(study(table("help", {"ann": [P]}), [HELP], reported={"x": figures}), "coherence")
