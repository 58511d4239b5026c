"""Two studies compared: what was changed by design is found and named, and nothing else is."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decide.changed import Row, rows_of, study_of
from voirdire import AlignOptions, Change, CompareOptions, UserError, align, compare
from voirdire.decide.change_cells import Both, Cells, Scoring
from voirdire.decide.change_items import told_apart
from voirdire.study import Study

QUICK = CompareOptions(resamples=200, permutations=99)
SHIFT = CompareOptions(resamples=100, permutations=99, select="")
PLAIN = CompareOptions(resamples=200, permutations=19, select="")


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    """The benchmark's simulation, with fewer runs."""
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "_guarantees" / "change.py"
    spec = importlib.util.spec_from_file_location("benchmarks_change", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def old() -> Study:
    return study_of(rows_of(range(160), right=0.92))


def causes(found: Change, name: str) -> dict[str, float]:
    (one,) = (each for each in found.headlines if each.name == name)
    return {cause.name: cause.change.value for cause in one.causes}


def test_a_worse_judge_is_blocked_and_nothing_else_is_blamed(old: Study) -> None:
    found = compare(old, study_of(rows_of(range(160), right=0.6)), QUICK)
    assert found.block
    assert found.aligned[0].outcome == "block"
    assert found.aligned[0].drop.low > 0
    (judge,) = found.judges
    assert judge.agreement.change.high < 0
    assert judge.kappa.change.high < 0
    assert set(causes(found, "agreement with people")) == {"judge"}
    assert found.people is not None
    people = found.people
    assert not any((people.left, people.joined, people.reworded, people.labels))
    assert len(found.flips) == round(judge.flipped.value * judge.n_shared)
    assert found.sentences[0].startswith("BLOCK")


def test_the_same_study_again_is_unchanged(old: Study) -> None:
    found = compare(old, study_of(rows_of(range(160), right=0.92)), QUICK)
    assert not found.block
    assert found.aligned[0].outcome == "clear"
    assert not found.flips
    assert all(not one.causes and one.change.value == 0 for one in found.headlines)


def test_figures_of_a_judge_are_those_of_counting_by_hand(old: Study) -> None:
    """Agreement and Cohen's kappa of a verdict with a person, from the long table in plain loops."""
    rows = {name: rows_of(range(160), right=right) for name, right in (("old", 0.92), ("new", 0.7))}
    said = {
        key: {r["item_id"]: r["label"] for r in part if r["rater_kind"] == "judge"}
        for key, part in rows.items()
    }
    people = [(r["item_id"], r["label"]) for r in rows["old"] if r["rater_kind"] == "human"]
    (judge,) = compare(old, study_of(rows["new"]), PLAIN).judges
    for key, one, kappa in (
        ("old", judge.agreement.old, judge.kappa.old),
        ("new", judge.agreement.new, judge.kappa.new),
    ):
        agree = np.mean([said[key][item] == label for item, label in people])
        yes_judge = np.mean([label == "yes" for label in said[key].values()])
        yes_people = np.mean([label == "yes" for _, label in people])
        chance = yes_judge * yes_people + (1 - yes_judge) * (1 - yes_people)
        assert one.value == pytest.approx(agree)
        assert kappa.value == pytest.approx((agree - chance) / (1 - chance))


@given(
    st.integers(0, 10_000),
    st.sampled_from([("a", "b"), ("a", "bb"), ("ccc",)]),
    st.integers(0, 60),
    st.sampled_from([0.5, 0.95]),
)
@settings(max_examples=15, deadline=None)
def test_causes_add_up_exactly(seed: int, metrics: tuple[str, ...], start: int, right: float) -> None:
    """Whatever is removed, added or changed, also where no item is shared."""
    one = study_of(rows_of(range(40), metrics=("a", "ccc"), seed=seed))
    two = study_of(
        rows_of(range(start, start + 40), metrics=("a", *metrics[1:], "ccc"), right=right, turn=0.3)
    )
    for found in compare(one, two, PLAIN).headlines:
        assert sum(cause.change.value for cause in found.causes) == pytest.approx(
            found.change.value, abs=1e-12
        )
        assert found.change.value == pytest.approx(found.new.value - found.old.value, abs=1e-12)


def test_a_step_is_the_figure_counted_by_hand(old: Study) -> None:
    """Pass rates over all old items, shared ones, the new judge's there, and all new items."""
    before, after = rows_of(range(160), right=0.92), rows_of(range(60, 260), right=0.7)
    found = compare(old, study_of(after), PLAIN)
    yes = [
        {r["item_id"]: r["label"] == "yes" for r in part if r["rater_kind"] == "judge"}
        for part in (before, after)
    ]
    shared = [item for item in yes[0] if item in yes[1]]
    path = [
        np.mean(list(yes[0].values())),
        np.mean([yes[0][item] for item in shared]),
        np.mean([yes[1][item] for item in shared]),
        np.mean(list(yes[1].values())),
    ]
    steps = dict(zip(("items that left", "judge", "items that joined"), np.diff(path), strict=True))
    assert causes(found, "pass rate") == pytest.approx(steps)


def test_added_and_removed_metrics_are_causes() -> None:
    one = study_of(rows_of(range(60), metrics=("a", "bb"), right=0.9))
    two = study_of(rows_of(range(60), metrics=("a", "ccc"), right=0.9))
    assert set(causes(compare(one, two, PLAIN), "pass rate")) <= {"metrics that left", "metrics that joined"}


def test_items_of_another_kind_are_told_apart_and_alike_ones_are_not(old: Study) -> None:
    other = compare(old, study_of(rows_of(range(100, 300), right=0.92, length=1.5)), SHIFT)
    assert other.items is not None
    assert other.items.shifted
    assert (other.items.n_shared, other.items.n_removed, other.items.n_added) == (60, 100, 140)
    assert "30 to 50" in other.items.advice
    alike = compare(old, study_of(rows_of(range(100, 300), right=0.92)), SHIFT).items
    assert alike is not None
    assert not alike.shifted


@pytest.mark.coverage_simulation
def test_alike_items_are_called_shifted_at_most_as_often_as_promised() -> None:
    """300 pairs of samples of one kind: p at most 0.05 in at most 5 %, plus 2.33 binomial errors."""
    rng = np.random.default_rng(2)
    options = CompareOptions(permutations=39)
    new = np.arange(80) < 30
    p = [
        told_apart(rng.normal(size=(80, 3)), new, np.arange(80) // 2, options=options, rng=rng)[1]
        for _ in range(300)
    ]
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 2.33 * (0.05 * 0.95 / 300) ** 0.5


@pytest.mark.coverage_simulation
def test_steps_and_paired_changes_cover_the_truth(simulation: ModuleType) -> None:
    """50 comparisons of 60 clusters: 95 % intervals, allowing 2.33 binomial errors."""
    for share in simulation.covered(simulation.DESIGNS[0], 50).values():
        assert share >= 0.95 - 2.33 * (0.05 * 0.95 / 50) ** 0.5


def test_people_who_changed_are_named_and_their_labels_followed(old: Study) -> None:
    found = compare(old, study_of(rows_of(range(360), right=0.92, people=("bo", "cem"), turn=0.9)), QUICK)
    assert found.people is not None
    assert (found.people.stayed, found.people.left, found.people.joined) == (("bo",), ("ann",), ("cem",))
    assert found.people.labels[0].change.high < 0
    assert causes(found, "agreement with people")["people"] < -0.1
    (followed,) = found.drift
    assert followed.change.n_clusters == 100
    assert followed.change.value > 0.2


def test_a_reworded_rubric_and_another_polarity_are_named() -> None:
    from dataclasses import replace

    one = study_of(rows_of(range(40)))
    metric = replace(one.metrics[0], rubric="Is it kind?", polarity="negative")
    found = compare(one, replace(one, metrics=(metric,)), PLAIN)
    assert found.people is not None
    assert found.people.reworded == {"warm": ("rubric", "polarity")}


def test_old_labels_serve_a_new_judge_that_comes_without_labels(old: Study) -> None:
    found = compare(old, study_of(rows_of(range(160), right=0.6, people=(), judge="other")), QUICK)
    assert found.judges[0].judge == ("model", "other")
    assert found.judges[0].n_labelled == 160
    assert found.block
    assert any("no human labels" in line for line in found.sentences)


def test_a_label_that_is_not_used_yet_is_no_other_scoring(old: Study) -> None:
    rows = [
        row | {"label": "yes"} if row["rater_kind"] == "judge" else row
        for row in rows_of(range(160), people=())
    ]
    found = compare(old, study_of(rows), PLAIN)
    assert causes(found, "pass rate").keys() == {"judge"}


def test_without_shared_items_judge_and_items_are_not_told_apart(old: Study) -> None:
    found = compare(old, study_of(rows_of(range(200, 300), right=0.7)), PLAIN)
    assert not found.judges
    assert set(causes(found, "pass rate")) == {"judge and items together"}
    assert any("whether it became worse is unknown" in line for line in found.notes)


def test_the_result_is_plain_data_and_markdown_keeps_hostile_text(old: Study) -> None:
    rows: list[Row] = [row | {"item_id": f"<b>|{row['item_id']}"} for row in rows_of(range(40), right=0.9)]
    flipped = [row | {"item_id": f"<b>|{row['item_id']}"} for row in rows_of(range(40), right=0.5)]
    found = compare(study_of(rows), study_of(flipped), PLAIN)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["schema"] == "voirdire-compare/1"
    assert len(document["flips"]) == len(found.flips)
    text = found.to_markdown()
    assert "<b>" not in text
    assert "&lt;b&gt;\\|i" in text


def test_what_cannot_be_compared_is_one_line(old: Study) -> None:
    with pytest.raises(UserError, match="no metric is in both studies: warm against cold"):
        compare(old, study_of(rows_of(range(9), metrics=("cold",))))
    with pytest.raises(UserError, match="cannot compare a dict"):
        compare(old, {})  # type: ignore[arg-type]
    with pytest.raises(UserError, match="no judge named 'gpt'"):
        compare(old, old, CompareOptions(judges=("gpt",)))
    with pytest.raises(UserError, match="is not in both"):
        compare(old, old, CompareOptions(metrics=("cold",)))
    two = study_of(rows_of(range(9), judge="x") + rows_of(range(9), judge="y", people=()))
    with pytest.raises(UserError, match="--use model="):
        compare(old, two)
    with pytest.raises(UserError, match="share no item and have no judge"):
        compare(study_of(rows_of(range(9), right=0)), study_of(rows_of(range(20, 29), right=0)))
    people = compare(study_of(rows_of(range(9), right=0)), study_of(rows_of(range(9), right=0)), PLAIN)
    assert any("no judge" in line for line in people.notes)
    for wrong in ({"level": 2}, {"resamples": 1}, {"tolerance": -1}, {"judges": "x"}, {"permutations": 3}):
        with pytest.raises(UserError):
            CompareOptions(**wrong)  # type: ignore[arg-type]


def test_no_human_label_leaves_the_verdicts_compared() -> None:
    one, two = (study_of(rows_of(range(40), people=(), right=right)) for right in (0.9, 0.6))
    found = compare(one, two, QUICK)
    assert found.judges[0].agreement.old.undefined == "no_labels"
    assert found.judges[0].mean.old.value == pytest.approx(
        causes(found, "pass rate")["judge"] * -1 + found.judges[0].mean.new.value
    )
    assert not found.aligned


def test_an_aligner_is_followed_for_drift(old: Study) -> None:
    fitted = align(old, AlignOptions(select="confusion_row", repeats=1))
    found = compare(fitted, study_of(rows_of(range(160, 400), right=0.92, turn=0.9)))
    assert found.drift[0].change.n_clusters == 120
    assert found.judges == ()


def test_clusters_that_share_an_item_are_one() -> None:
    one, two = study_of(rows_of(range(4))), study_of(rows_of(range(1, 6)))
    both = Both.of(one, two)
    assert both.cluster[both.ids.index("i0")] == both.cluster[both.ids.index("i1")]
    assert len(np.unique(both.cluster)) == 3


def test_scoring_leaves_out_what_the_policy_removes() -> None:
    from voirdire.study import Metric, Policy, Scale

    scale = Scale("nominal", ("fail", "unsure", "pass"), indeterminate={"unsure": ("pass", "fail")})
    apart, strict = (Scoring.of(Metric("m", scale, policy=Policy(name))) for name in ("left out", "as fail"))
    counts = np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(apart.shares(counts, scale.labels), [[1, 0], [np.nan] * 2, [np.nan] * 2])
    np.testing.assert_allclose(strict.mean(counts, scale.labels), [0, 0, np.nan])
    cells = Cells("m", scale.labels, counts, counts, counts, np.zeros((3, 3)))
    assert cells.people_now is cells.people_old
