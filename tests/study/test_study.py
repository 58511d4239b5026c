"""Study: selections, panels under a policy, verdicts over runs, slices."""

from __future__ import annotations

from typing import Any

import pytest

from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import KEPT_APART, LEFT_OUT, Column, Policy, Scale, Study, policies
from voirdire.study.clusters import find_clusters

BORDERLINE = {
    "kind": "nominal",
    "labels": ["pass", "borderline", "fail"],
    "indeterminate": {"borderline": ["pass", "fail"]},
}
ROWS = [  # item, rater, kind, label, run, anchored, topic
    ("a", "Ann", "human", "pass", "0", None, "x"),
    ("a", "Bo", "human", "borderline", "0", None, "x"),
    ("a", "gpt", "judge", "pass", "0", None, "x"),
    ("a", "gpt", "judge", "fail", "1", None, "x"),
    ("a", "gpt", "judge", "fail", "2", None, "x"),
    ("b", "Ann", "human", "fail", "0", None, "y"),
    ("b", "Ann", "human", "pass", "1", None, "y"),
    ("b", "Bo", "human", "fail", "0", "yes", "y"),
    ("b", "gpt", "judge", None, "0", None, "y"),
    ("c", "Ann", "human", "borderline", "0", None, "y"),
    ("c", "gpt", "judge", "borderline", "0", None, "y"),
]
NAMES = ("item_id", "rater_id", "rater_kind", "label", "run", "anchored", "topic")


@pytest.fixture
def study() -> Study:
    columns: dict[str, Any] = {name: [row[at] for row in ROWS] for at, name in enumerate(NAMES)}
    return open_study(
        {**columns, "metric": ["tone"] * len(ROWS)}, config={"metrics": {"tone": {"scale": BORDERLINE}}}
    )


def cells(study: Study, policy: Policy) -> list[tuple[str, str, str]]:
    panel = study.panel("tone", policy=policy)
    coded = zip(panel.coded.item, panel.coded.rater, panel.coded.label, strict=True)
    return [
        (study.items.ids[panel.items[item]], study.raters[panel.raters[rater]].id, panel.scale.labels[label])
        for item, rater, label in coded
    ]


def test_a_panel_has_each_persons_first_run_and_nothing_anchored(study: Study) -> None:
    assert cells(study, Policy(KEPT_APART)) == [
        ("a", "Ann", "pass"),
        ("a", "Bo", "borderline"),
        ("b", "Ann", "fail"),
        ("c", "Ann", "borderline"),
    ]
    assert study.panel("tone").raters_per_item.tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (LEFT_OUT, [("a", "Ann", "pass"), ("b", "Ann", "fail")]),
        ("as pass", [("a", "Ann", "pass"), ("a", "Bo", "pass"), ("b", "Ann", "fail"), ("c", "Ann", "pass")]),
        ("as fail", [("a", "Ann", "pass"), ("a", "Bo", "fail"), ("b", "Ann", "fail"), ("c", "Ann", "fail")]),
    ],
)
def test_a_policy_maps_indeterminate_labels(
    study: Study, policy: str, expected: list[tuple[str, str, str]]
) -> None:
    assert cells(study, Policy(policy)) == expected
    assert study.panel("tone", policy=Policy(policy)).scale.labels == ("pass", "fail")


def test_verdicts_count_every_run(study: Study) -> None:
    panel = study.panel("tone")
    judge = study.judges_of("tone")[0]
    verdicts = study.verdicts("tone", judge, panel.items)
    assert verdicts.counts.tolist() == [[1, 0, 2], [0, 0, 0], [0, 1, 0]]
    assert verdicts.given.tolist() == [True, False, True]
    assert verdicts.codes.tolist() == [2, -1, 1]
    assert verdicts.shares[0].tolist() == [1 / 3, 0, 2 / 3]
    left = study.verdicts("tone", judge, panel.items, policy=Policy(LEFT_OUT))
    assert left.counts.tolist() == [[1, 2], [0, 0], [0, 0]]


def test_rows_select_by_kind_slice_and_use(study: Study) -> None:
    assert len(study.rows("tone")) == 9
    assert len(study.rows("tone", usable=False)) == 11
    assert len(study.rows("tone", kind="judge")) == 4
    topic = {str(part): part for part in study.slices()}
    assert set(topic) == {"topic = x", "topic = y"}
    assert study.rows("tone", kind="human", where=topic["topic = x"]).tolist() == [0, 1]
    assert study.panel("tone", where=topic["topic = y"]).coded.n_items == 2


def test_replies_are_every_rating_of_a_rater_in_order(study: Study) -> None:
    ratings = study.ratings
    for code, metric in enumerate(study.metrics):
        for rater in range(len(study.raters)):
            own = [
                row
                for row in range(len(ratings))
                if ratings.metric[row] == code and ratings.rater[row] == rater
            ]
            assert study.replies(metric.name, rater).tolist() == own


def test_an_unknown_metric_is_a_mistake(study: Study) -> None:
    with pytest.raises(UserError, match=r"no metric named 'tine'.*tone"):
        study.rows("tine")


def test_all_defensible_policies_are_listed() -> None:
    scale = Scale("nominal", ("a", "b", "?"), indeterminate={"?": ("a",)})
    assert [policy.name for policy in policies(scale)] == [KEPT_APART, LEFT_OUT, "as a"]
    assert [policy.name for policy in policies(Scale("binary", ("a", "b")))] == [KEPT_APART]


def test_a_policy_leaves_out_what_does_not_admit_its_verdict() -> None:
    admits = {"?": ("a",), "!": ("a", "b")}
    scale = Scale("ordinal", ("a", "?", "!", "b"), ordered=True, values=(0, 1, 2, 3), indeterminate=admits)
    mapped, new = Policy("as b").apply(scale)
    assert new.tolist() == [0, -1, 1, 1]
    assert (mapped.labels, mapped.values) == (("a", "b"), (0, 3))


@pytest.mark.parametrize(
    "scale",
    [
        {"kind": "nominal", "labels": ("a", "a")},
        {"kind": "ordinal", "labels": ("a", "b"), "values": (1,)},
        {"kind": "nominal", "labels": ("a", "b"), "indeterminate": {"a": ("c",)}},
    ],
)
def test_a_scale_that_contradicts_itself_is_a_mistake(scale: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        Scale(**scale)


def test_a_conversation_of_many_turns_is_one_cluster() -> None:
    n = 20_000
    turns = [f"turn {k}" for k in range(n)]
    cluster, _ = find_clusters(turns, {"parent_id": Column.of([None, *turns[:-1]])}, ())
    assert cluster is not None
    assert not cluster.any()


def test_a_policy_may_be_given_by_its_name(study: Study) -> None:
    by_name, by_hand = (study.panel("tone", policy=policy) for policy in ("as fail", Policy("as fail")))
    assert by_name.scale.labels == ("pass", "fail")
    assert by_name.coded.label.tolist() == by_hand.coded.label.tolist()
    with pytest.raises(UserError, match="no policy 'fail'"):
        study.panel("tone", policy="fail")
