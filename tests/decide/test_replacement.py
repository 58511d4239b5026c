"""Both replacement tests of a study, and the audit section that shows them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import voirdire
from voirdire.checks.finding import Missing
from voirdire.decide.expertise import epsilon_of, rater_kind
from voirdire.decide.replacement import replacement_tests
from voirdire.decide.replacement_options import ReplacementOptions
from voirdire.errors import UserError
from voirdire.stats import alternative_annotator_test
from voirdire.study import Study

N = 80


def made(judge: str, *, people: int = 3, seed: int = 1, expertise: str = "", n: int = N) -> Study:
    """People who see a binary truth of prevalence 0.8 with noise of the item's own, and a judge."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(1.6, 0.4, n)
    said = rng.random((n, people)) < chance[:, None]
    verdict = {
        "majority": np.ones(n, dtype=bool),
        "knowing": chance > 0.5,
        "noise": rng.random(n) < 0.5,
    }[judge]
    names = [f"person {k}" for k in range(people)]
    labels = np.where(np.column_stack([said, verdict]), "yes", "no").ravel()
    return voirdire.open(
        {
            "item_id": np.repeat(np.arange(n), people + 1).astype(str).tolist(),
            "rater_id": [*names, "judge"] * n,
            "rater_kind": [*["human"] * people, "judge"] * n,
            "expertise": [*[expertise] * people, ""] * n,
            "label": labels.tolist(),
        }
    )


def test_both_tests_of_a_study() -> None:
    found = replacement_tests(made("knowing", n=200), ReplacementOptions(epsilon=0.2)).tests[0]
    assert (found.metric, found.judge, found.score) == ("label", "judge", "accuracy")
    assert [one.id for one in found.people] == ["person 0", "person 1", "person 2"]
    assert (found.passes, found.passes_by_distribution, found.disagree) == (True, True, False)
    assert found.notes == ()
    for one in found.people:
        assert one.labels is not None
        assert one.distribution is not None
        assert one.labels.n_items == one.distribution.n_items == 200


def test_a_majority_judge_is_warned_of() -> None:
    found = replacement_tests(made("majority"), ReplacementOptions(epsilon=0.2))
    one = found.tests[0]
    assert (one.passes, one.passes_by_distribution) == (True, False)
    assert "the tests disagree" in one.warning
    assert one.warning in found.notes
    assert "the tests disagree" in str(found)


def test_labels_test_is_the_statistic() -> None:
    study = made("noise")
    panel = study.panel("label")
    verdicts = study.verdicts("label", study.judges_of("label")[0], panel.items).codes
    direct = alternative_annotator_test(panel.coded, verdicts, epsilon=0.15, small="exact")
    found = replacement_tests(study, ReplacementOptions(epsilon=0.15)).tests[0]
    assert found.tested == direct.annotators
    assert found.winning_rate == direct.winning_rate
    assert found.advantage == direct.advantage


@pytest.mark.parametrize(("expertise", "kind", "epsilon"), [
    ("psychology", "expert", 0.2), ("trained annotator", "skilled", 0.15), ("crowd", "crowd", 0.1),
    ("Lay person", "crowd", 0.1), ("", "crowd", 0.1),
])  # fmt: skip
def test_epsilon_by_declared_expertise(expertise: str, kind: str, epsilon: float) -> None:
    assert (rater_kind(expertise), epsilon_of(expertise)) == (kind, epsilon)
    found = replacement_tests(made("knowing", expertise=expertise)).tests[0]
    assert {(one.kind, one.labels.epsilon) for one in found.people if one.labels} == {(kind, epsilon)}


def test_too_few_items_or_people() -> None:
    few = replacement_tests(made("knowing", n=20)).tests[0]
    assert few.passes is None
    assert few.able == 0
    assert "at epsilon 0.1 that takes 35 each" in few.notes[0]
    two = replacement_tests(made("knowing", people=2)).tests[0]
    assert (two.passes, two.passes_by_distribution, two.people) == (None, None, ())
    assert "fewer than three people share items" in two.no_labels
    assert str(replacement_tests(made("knowing", people=2))).count("cannot tell") == 2


def test_free_text_is_no_tie() -> None:
    raters, kinds = ["Ann", "Bo", "Cy", "judge"] * 40, (["human"] * 3 + ["judge"]) * 40
    items = [str(n // 4) for n in range(160)]
    texts = [f"text {n}" for n in range(160)]
    study = voirdire.open({"item_id": items, "rater_id": raters, "rater_kind": kinds, "label": texts})
    found = replacement_tests(study).tests[0]
    assert found.passes is None
    assert "every comparison is a tie" in found.no_labels


def test_plain_data_and_repeatable() -> None:
    study = made("knowing")
    one, two = (replacement_tests(study).to_dict() for _ in range(2))
    assert json.loads(json.dumps(one)) == json.loads(json.dumps(two))
    assert one["tests"][0]["people"][0]["id"] == "person 0"


def test_most_rows_draws_whole_clusters() -> None:
    found = replacement_tests(made("knowing", n=200), ReplacementOptions(most_rows=60)).tests[0]
    assert found.gain is not None
    assert found.gain.n_items == 60
    assert found.advantage is not None
    assert found.advantage.n_items == 200


def test_bad_input() -> None:
    study = made("knowing")
    for options, message in (
        ({"judges": ("jugde",)}, "no judge named 'jugde'"),
        ({"metrics": ("helpful",)}, "no metric named 'helpful'"),
        ({"select": "magic"}, "no calibrator named 'magic'"),
    ):
        with pytest.raises(UserError, match=message):
            replacement_tests(study, ReplacementOptions(**options))
    for options, message in (
        ({"epsilon": 1.0}, "epsilon is 1.0"),
        ({"small": "t"}, "small is 't'"),
        ({"judges": "judge"}, "write judges="),
        ({"level": 2}, "level is 2"),
        ({"most_rows": -1}, "most_rows is -1"),
        ({"select": 3}, "select is 3"),
    ):
        with pytest.raises(UserError, match=message):
            ReplacementOptions(**options)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="cannot test a str"):
        replacement_tests("labels.csv")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="options are a dict"):
        replacement_tests(study, {})  # type: ignore[arg-type]
    people = {"item": ["a", "a"], "rater": ["Ann", "Bo"], "label": ["yes", "no"]}
    with pytest.raises(UserError, match="no metric was rated by people and by a judge"):
        replacement_tests(voirdire.open(people))


def test_disjoint_items_say_so() -> None:
    items = [str(n) for n in range(40) for _ in range(3)] + [f"x{n}" for n in range(40)]
    raters = ["Ann", "Bo", "Cy"] * 40 + ["judge"] * 40
    kinds = ["human"] * 120 + ["judge"] * 40
    study = voirdire.open(
        {"item_id": items, "rater_id": raters, "rater_kind": kinds, "label": ["yes", "no"] * 80}
    )
    found = replacement_tests(study).tests[0]
    assert (found.passes, found.passes_by_distribution) == (None, None)
    assert found.no_labels
    assert found.no_distribution


def audited(study: Study, **options: object) -> voirdire.Finding | None:
    chosen = voirdire.AuditOptions(checks=("replacement",), **options)  # type: ignore[arg-type]
    return voirdire.audit(study, chosen).finding("replacement")


def test_audit_shows_both_and_warns() -> None:
    finding = audited(made("majority", expertise="law"))
    assert finding is not None
    [row] = finding.tables[0].rows
    assert (row.cells["labels"], row.cells["distribution"]) == ("yes", "not shown")
    assert (row.cells["wins"], row.cells["worth"]) == ("3 of 3", "0 of 3")
    assert len(finding.tables[1].rows) == 3
    assert any("the tests disagree" in words for words in finding.beware)
    assert finding.answer.startswith("By single labels: yes; judge wins over 3 of 3 people")


def test_an_audit_of_many_metrics_leaves_distributions_to_align(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.checks.replacement.MOST_PAIRS", 0)
    finding = audited(made("knowing"))
    assert finding is not None
    [row] = finding.tables[0].rows
    assert isinstance(row.cells["gain"], Missing)
    assert any("`--align` adds it" in words for words in finding.beware)
    aligned = audited(made("knowing", n=60), align=True)
    assert aligned is not None
    assert not isinstance(aligned.tables[0].rows[0].cells["gain"], Missing)


def test_audit_without_three_people_says_what_is_missing() -> None:
    finding = audited(made("knowing", people=2))
    assert finding is not None
    assert finding.answer.startswith("Cannot tell")
    assert "three people on the same items" in finding.missing[0]
    assert finding.tables == ()


@pytest.mark.shared
def test_real_sets(humanebench: Study, dices: Study) -> None:
    finding = audited(humanebench)
    assert finding is not None
    assert [row.cells["wins"] for row in finding.tables[0].rows] == ["0 of 4"] * 3
    assert all(row.cells["labels"] == "cannot tell" for row in finding.tables[0].rows)
    assert not any(isinstance(row.cells["gain"], Missing) for row in finding.tables[0].rows)
    assert audited(dices) is None  # no judge
    known = finding.data["tests"]
    assert isinstance(known, list)
    assert all(math.isfinite(one["gain"]["value"]) for one in known)


@pytest.mark.parametrize("raters_an_item", [1, 2])
def test_too_few_people_an_item_is_the_reason_given(raters_an_item: int) -> None:
    people = ["Ann", "Bo"]
    rows = [
        (str(n), who, kind, "yn"[n % 2])
        for n in range(40)
        for who, kind in (
            *((people[(n + k) % 2], "human") for k in range(raters_an_item)),
            ("judge", "judge"),
        )
    ]
    names = ("item_id", "rater_id", "rater_kind", "label")
    found = replacement_tests(voirdire.open({name: [row[k] for row in rows] for k, name in enumerate(names)}))
    assert found.tests[0].no_labels == "fewer than three people share items"


def test_a_name_in_a_note_cannot_steer_a_terminal() -> None:
    names = ["Ann", "Bo", "\x1b[31mjudge"] * 30
    kinds = ["human", "human", "judge"] * 30
    items = [str(n // 3) for n in range(90)]
    study = voirdire.open(
        {"item_id": items, "rater_id": names, "rater_kind": kinds, "label": ["a", "b", "a"] * 30}
    )
    assert "\x1b" not in str(replacement_tests(study))
