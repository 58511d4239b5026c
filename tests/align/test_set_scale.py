"""Label sets as input of align: which labels people could give, their order, and who counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from voirdire.align.aligner import align
from voirdire.align.encoding import human_scale
from voirdire.align.observe import features_of
from voirdire.align.options import AlignOptions
from voirdire.align.set_scale import share_sets
from voirdire.checks.audit import audit
from voirdire.checks.options import AuditOptions
from voirdire.opening import open as open_study
from voirdire.study import Scale, Study
from voirdire.study.scales import with_sets

Row = tuple[str, str, str, str, Any]


def opened(rows: list[Row], **config: Any) -> Study:
    names = ("item_id", "metric", "rater_id", "rater_kind", "label")
    return open_study({name: [row[k] for row in rows] for k, name in enumerate(names)}, config=config or None)


def planted(seed: int = 4, n: int = 80) -> list[Row]:
    """n items whose people pass, fail or cannot decide, on two metrics undecided in their own words."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for k in range(n):
        kind = rng.integers(0, 3)
        theta = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8], [0.15, 0.7, 0.15]])[kind]
        for metric, both in (("m", ["fail", "pass"]), ("n", ["maybe", "pass"])):
            labels = ["fail", both, "pass"]
            rows += [
                (f"i{k}", metric, who, "human", labels[rng.choice(3, p=theta)]) for who in ("a", "b", "c")
            ]
            rows.append(
                (f"i{k}", metric, "gpt", "judge", "pass" if kind == 1 or rng.uniform() < 0.3 else "fail")
            )
    rows.append(("i0", "n", "d", "human", "maybe"))
    rows.append(("i0", "m", "d", "human", "maybe"))
    return rows


def test_sets_given_on_one_metric_are_no_difference_of_scales() -> None:
    observed = features_of(opened(planted()))
    assert set(observed.features.scale.labels) == {"fail", "maybe", "pass", "fail|pass", "maybe|pass"}
    m, n = (observed.target.counts[observed.metric == k].sum(axis=0) for k in (0, 1))
    code = observed.features.scale.code
    assert m[code("maybe|pass")] == n[code("fail|pass")] == 0
    assert m[code("fail|pass")] > 40
    assert n[code("maybe|pass")] > 40


def test_the_target_is_the_whole_distribution_with_sets_and_its_kernel_knows_them() -> None:
    study = opened([row for row in planted() if row[1] == "m"])
    fitted = align(study, AlignOptions(repeats=1))
    assert fitted.evaluation.kernel_name == "squared distance with label sets"
    predicted = fitted.predict(study)
    assert "fail|pass" in predicted.scale.labels
    np.testing.assert_allclose(predicted.probabilities.sum(axis=1), 1)
    assert predicted.probabilities[:, predicted.scale.code("fail|pass")].mean() == pytest.approx(
        0.3, abs=0.06
    )
    again = type(fitted).from_dict(fitted.to_dict())
    assert again.encoding.scale == fitted.encoding.scale
    np.testing.assert_allclose(again.predict(study).probabilities, predicted.probabilities)


def test_the_report_aligns_metrics_with_different_sets_together() -> None:
    found = audit(opened(planted(n=24)), AuditOptions(checks=("alignment",), resamples=100))
    section = found.finding("alignment")
    assert section is not None
    assert list(section.data) == ["m, n"]


def test_a_set_that_only_judges_gave_is_no_label_of_people_who_were_forced() -> None:
    rows: list[Row] = [(f"i{k}", "m", "ann", "human", "pass" if k % 2 else "fail") for k in range(6)]
    judged: list[Row] = [
        (f"i{k}", "m", "gpt", "judge", ["pass", "fail"] if k % 3 else "pass") for k in range(6)
    ]
    observed = features_of(opened(rows + judged))
    assert observed.features.scale.labels == ("fail", "pass")
    assert observed.features.judges[0].labels == ("fail", "pass", "fail|pass")
    votes = {tuple(row) for row in observed.features.judges[0].votes.tolist()}
    assert votes == {(0, 1), (0.5, 0.5)}, "a set is one vote, split"
    with_a_set = features_of(opened([*rows, ("i0", "m", "bo", "human", ["pass", "fail"]), *judged]))
    assert with_a_set.features.scale.labels == ("fail", "pass", "fail|pass")


def test_a_declared_indeterminate_label_stays_although_only_the_judge_gave_it() -> None:
    scale = {"labels": ["pass", "borderline", "fail"], "indeterminate": {"borderline": ["pass", "fail"]}}
    rows: list[Row] = [(f"i{k}", "m", "ann", "human", "pass" if k % 2 else "fail") for k in range(6)]
    rows += [(f"i{k}", "m", "gpt", "judge", "borderline" if k % 3 else "pass") for k in range(6)]
    assert "borderline" in human_scale(opened(rows, metrics={"m": {"scale": scale}}), ["m"]).labels


def test_sets_stand_in_order_where_numbers_do() -> None:
    rows: list[Row] = [(f"i{k}", "m", "ann", "human", str(1 + k % 3)) for k in range(6)]
    rows += [("i0", "m", "bo", "human", ["1", "2"]), ("i1", "m", "bo", "human", ["1", "3"])]
    rows += [(f"i{k}", "n", "ann", "human", str(1 + k % 4)) for k in range(6)]
    scale = human_scale(opened(rows), ["m", "n"])
    assert scale.labels == ("1", "1|2", "2", "1|3", "3", "4")
    assert scale.values == (1.0, 1.5, 2.0, 2.0, 3.0, 4.0)
    assert dict(scale.indeterminate) == {"1|2": ("1", "2"), "1|3": ("1", "3")}


def test_a_judges_set_of_numbers_is_their_mean_and_their_split_vote() -> None:
    rows: list[Row] = [(f"i{k}", "m", "ann", "human", str(1 + k % 5)) for k in range(10)]
    rows += [("i0", "m", "gpt", "judge", ["4", "5"]), ("i1", "m", "gpt", "judge", "2")]
    output = features_of(opened(rows)).features.judges[0]
    assert output.score[:2].tolist() == [4.5, 2.0]
    assert output.votes[:2].tolist() == [[0, 0, 0, 0.5, 0.5], [0, 1, 0, 0, 0]]
    assert output.speaks[:3].tolist() == [True, True, False]


def test_scales_that_lack_a_verdict_of_a_set_do_not_get_it() -> None:
    one = with_sets(Scale("nominal", ("a", "b")), {"a|b": ("a", "b")})
    other = Scale("nominal", ("a", "c"))
    assert share_sets([one, other])[1] is other


def test_pairs_with_sets_that_lean_are_aligned_without_the_model_of_pairs() -> None:
    rng = np.random.default_rng(2)
    names = ("item_id", "rater_id", "rater_kind", "label", "system_a", "system_b")
    rows = []
    for k in range(40):
        lean = ["first", "second"][k % 2]
        for who in ("a", "b", "c"):
            label: Any = lean if rng.uniform() < 0.6 else [lean, "tie"]
            rows.append((f"i{k}", who, "human", label, "x", "y"))
        rows.append((f"i{k}", "gpt", "judge", lean, "x", "y"))
    study = open_study({name: [row[k] for row in rows] for k, name in enumerate(names)})
    fitted = align(study, AlignOptions(repeats=1))
    assert "tie|second" in fitted.encoding.scale.labels
    assert fitted.evaluation.model("davidson") is None
    assert fitted.evaluation.gain.value > 0.3
