"""Judges ranked under both targets: by hand, against the library's own coefficients, what may go wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.align.response_sets import accepting, membership, read_out
from voirdire.align.set_choice import FORCED, SETS, JudgeChoice, judge_choice
from voirdire.align.set_kappa import shares_kappa
from voirdire.align.set_sensitivity import set_sensitivity
from voirdire.align.set_table import SetTable, joined_scale
from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.stats import Coded, judge_agreement
from voirdire.stats.sets import set_distance
from voirdire.study import Scale, Study

SCALE = Scale(
    "nominal", ("pass", "fail", "pass|fail"), indeterminate={"pass|fail": ("pass", "fail")}, separator="|"
)


def opened(rows: list[tuple[Any, ...]], **config: Any) -> Study:
    """Rows of item, metric, rater, kind, label."""
    names = ("item_id", "metric", "rater_id", "rater_kind", "label")
    table = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    return open_study(table, config=config or None)


def by_hand(
    counts: list[list[float]], verdicts: dict[str, list[list[float]]], cluster: Any = None
) -> SetTable:
    n = len(counts)
    groups = np.arange(n) if cluster is None else np.asarray(cluster)
    return SetTable(
        SCALE,
        np.array(counts, dtype=float),
        tuple(verdicts),
        np.array(list(verdicts.values()), dtype=float),
        ("m",),
        np.zeros(n, dtype=np.intp),
        np.arange(n),
        groups,
    )


PASS, FAIL, BOTH = [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]


@pytest.fixture
def split() -> SetTable:
    """Forced to one verdict the sharp judge is nearer, on what people accept the wide one is."""
    return by_hand(
        [[2, 0, 2], [0, 1, 3], [0, 0, 4], [3, 1, 0], [0, 4, 0], [1, 0, 3]],
        {"sharp": [PASS, FAIL, PASS, PASS, FAIL, PASS], "wide": [BOTH, BOTH, BOTH, FAIL, FAIL, BOTH]},
    )


def chosen(table: SetTable, **options: Any) -> JudgeChoice:
    return judge_choice(table, resamples=400, rng=np.random.default_rng(1), **options)


def test_figures_by_hand(split: SetTable) -> None:
    found = chosen(split)
    sharp, wide = found.judges
    assert sharp.forced.hit.value == pytest.approx((3 / 4 + 5 / 8 + 1 / 2 + 3 / 4 + 1 + 5 / 8) / 6)
    assert wide.forced.hit.value == pytest.approx((1 / 2 + 1 / 2 + 1 / 2 + 1 / 4 + 1 + 1 / 2) / 6)
    assert sharp.sets.covered.value == pytest.approx((1 + 1 + 1 + 3 / 4 + 1 + 1) / 6)
    # omega: (1, .5) (.75, 1) (1, 1) (.75, .25) (0, 1) (1, .75)
    # sides of one half: .5 is not above it
    assert sharp.sets.decision_error.value == pytest.approx((0 + 1 + 1 + 0 + 0 + 1) / 12)
    assert wide.sets.decision_error.value == pytest.approx((1 + 0 + 0 + 2 + 0 + 0) / 12)
    assert (sharp.sets_given, wide.sets_given) == (0, pytest.approx(4 / 6))
    plug_in = [((0**2 + 0.5**2) + (0.75**2 + 0) + (0 + 1) + (2 * 0.25**2) + 0 + 0.75**2) / 12]
    plug_in.append((0.5**2 + 0.25**2 + 0 + 2 * 0.75**2 + 0 + 0.25**2) / 12)
    assert (sharp.forced.rank, sharp.sets.rank, wide.forced.rank, wide.sets.rank) == (1, 2, 2, 1)
    assert found.cost.value == pytest.approx(plug_in[0] - plug_in[1])
    assert found.decision_cost.value == pytest.approx(0)
    assert found.chosen == {FORCED: "sharp", SETS: "wide"}
    named = [[0.75, 0.25], [0.375, 0.625], [0.5, 0.5], [0.75, 0.25], [0, 1], [0.625, 0.375]]
    shares = [
        sum(
            (a - b) ** 2
            for said, people in zip(judge, named, strict=True)
            for a, b in zip(said, people, strict=True)
        )
        for judge in (
            [[1, 0], [0, 1], [1, 0], [1, 0], [0, 1], [1, 0]],
            [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0, 1], [0, 1], [0.5, 0.5]],
        )
    ]
    assert found.by_shares == ("sharp", "wide")[int(np.argmin(shares))]
    assert not found.same
    assert str(found).startswith("No: forced choices choose sharp, response sets wide; in response-set error")
    assert set(found.by_forcing) == {"split evenly", "left out", "as pass", "as fail"}
    assert found.n_rows == found.n_several == 6


def test_the_answer_is_plain_data(split: SetTable) -> None:
    saved = json.loads(json.dumps(chosen(split).to_dict()))
    assert saved["chosen"] == {FORCED: "sharp", SETS: "wide"}
    assert saved["judges"][0]["forced"]["kappa"]["as fail"]["value"] is not None


def test_tau_moves_the_sides(split: SetTable) -> None:
    low, high = chosen(split, tau=0.4), chosen(split, tau=0.8)
    assert [one.judges[1].sets.decision_error.value for one in (low, high)] == pytest.approx([2 / 12, 4 / 12])
    with pytest.raises(UserError, match="tau is 1"):
        chosen(split, tau=1)


def test_without_sets_both_targets_agree_and_kappa_is_the_librarys(humanebench: Study) -> None:
    metric = humanebench.metrics[0].name
    table = SetTable.of(humanebench, [metric])
    found = chosen(table)
    assert found.same
    assert found.cost.value == 0
    assert not found.cost.has_interval
    panel = humanebench.panel(metric)
    kept = table.common()
    for judge in found.judges:
        code = next(k for k, rater in enumerate(humanebench.raters) if rater.id == judge.judge)
        known = judge_agreement(panel.coded, humanebench.verdicts(metric, code, panel.items).codes)
        assert judge.forced.kappa["split evenly"].value == pytest.approx(known.coefficient.value)
        assert judge.sets.kappa.value == pytest.approx(known.coefficient.value)
        assert judge.forced.hit.value == pytest.approx(known.agreement.value)
        assert judge.sets.covered.value == pytest.approx(judge.forced.hit.value)
        assert judge.sets.error.value == pytest.approx(judge.forced.error.value)
    assert len(kept) == found.n_rows == 24


@pytest.mark.parametrize("policy", ["left out", "as pass", "as fail"])
def test_forced_kappa_is_the_librarys_under_every_policy(impactbench: Study, policy: str) -> None:
    name = next(m.name for m in impactbench.metrics if "borderline" in m.scale.labels)
    table = SetTable.of(impactbench, [name])
    [judge] = chosen(table).judges
    panel = impactbench.panel(name, policy=policy)
    verdicts = impactbench.verdicts(name, impactbench.judges_of(name)[0], panel.items, policy=policy)
    known = judge_agreement(panel.coded, verdicts.codes).coefficient
    assert judge.forced.kappa[policy].value == pytest.approx(known.value, nan_ok=True)


def test_set_kappa_is_the_librarys_with_masi_weights(split: SetTable, rng: np.random.Generator) -> None:
    labels = [np.repeat(np.arange(3), row.astype(int)) for row in split.counts]
    coded = Coded.from_matrix(np.array(labels), categories=[0, 1, 2])
    sets = [SCALE.members(label) for label in SCALE.labels]
    weights = 1 - np.array([[set_distance(a, b) for b in sets] for a in sets])
    for k, judge in enumerate(chosen(split).judges):
        known = judge_agreement(coded, split.verdicts[k].argmax(axis=1), weights=weights).coefficient
        assert judge.sets.kappa.value == pytest.approx(known.value)


def test_kappa_is_undefined_without_rows_or_variation(rng: np.random.Generator) -> None:
    nothing = np.full((2, 2), np.nan)
    assert shares_kappa(nothing, nothing, np.eye(2), np.arange(2), rng=rng).undefined == "no_labels"
    same = np.array([[1.0, 0.0]] * 3)
    assert shares_kappa(same, same, np.eye(2), np.arange(3), rng=rng).undefined == "no_variation"


def test_one_label_a_row_ranks_but_has_no_unbiased_error() -> None:
    table = by_hand([PASS, BOTH, FAIL], {"x": [PASS, PASS, PASS], "y": [PASS, BOTH, FAIL]})
    found = chosen(table)
    assert found.chosen == {FORCED: "y", SETS: "y"}
    assert found.judges[0].sets.error.undefined == "insufficient_raters"
    assert found.n_several == 0


def test_judges_are_compared_on_the_rows_that_all_judged() -> None:
    none = [0.0, 0, 0]
    table = by_hand(
        [[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 0]],
        {
            "a": [PASS, PASS, none, none],
            "b": [none, FAIL, BOTH, none],
            "c": [none, none, none, PASS],
            "d": [none] * 4,
        },
    )
    found = chosen(table)
    assert [one.judge for one in found.judges] == ["a", "b"]
    assert (found.n_rows, found.left_out) == (1, ("c", "d"))
    with pytest.raises(UserError, match="no judge gave a verdict where people did"):
        chosen(replace(table, verdicts=table.verdicts * 0))


def test_rows_that_are_all_alike_have_no_interval() -> None:
    found = chosen(by_hand([[2, 0, 1]] * 4, {"x": [BOTH] * 4}))
    assert found.judges[0].sets.error.value == pytest.approx(1 / 6)
    assert found.judges[0].sets.error.no_interval == "zero_width"


def test_one_judge_has_its_figures_and_nothing_to_choose(split: SetTable) -> None:
    alone = replace(split, judges=("sharp",), verdicts=split.verdicts[:1])
    found = chosen(alone)
    assert str(found) == "sharp is the only judge, so there is nothing to choose."
    assert found.judges[0].sets.error.has_interval


def test_a_tie_under_one_target_is_no_disagreement() -> None:
    table = by_hand([[0, 0, 2], [2, 0, 0]], {"x": [PASS, PASS], "y": [BOTH, PASS]})
    found = chosen(table)
    assert found.judges[0].forced.rank == found.judges[1].forced.rank == 1
    assert found.same
    assert found.chosen[FORCED] == "y"


def test_a_forward_matrix_replaces_the_even_split(split: SetTable) -> None:
    always_pass = np.array([[1.0, 0.0, 0.9], [0.0, 1.0, 0.1]])
    found = chosen(split, forced=always_pass)
    assert found.judges[0].forced.hit.value == pytest.approx(
        np.mean([(2 + 1.8) / 4, (1 + 0.3) / 4, 0.9, 0.75, 1, (1 + 2.7) / 4])
    )
    assert "as people choose" in found.judges[0].forced.kappa


def test_repeated_runs_are_shares() -> None:
    table = by_hand([[1, 0, 1]] * 3, {"x": [[0.5, 0.5, 0], [0.5, 0, 0.5], PASS]})
    found = chosen(table)
    expected = [(0.5 - 1) ** 2, (1 - 1) ** 2 + 0, (1 - 1) ** 2 + 0.25]
    observed = ((read_out(table.verdicts[0], membership(SCALE)) - [[1.0, 0.5]]) ** 2).sum(axis=1)
    np.testing.assert_allclose(observed, expected)
    assert found.judges[0].forced.hit.value == pytest.approx(np.mean([0.5, 0.75 * 0.75 + 0.25 * 0.25, 0.75]))


def test_metrics_with_the_same_verdicts_are_joined() -> None:
    rows = [
        ("i1", "m", "ann", "human", ["a", "b"]),
        ("i1", "m", "bo", "human", "a"),
        ("i2", "n", "ann", "human", ["b", "c"]),
        ("i2", "n", "bo", "human", "a"),
        ("i2", "n", "cy", "human", "b"),
        ("i1", "m", "gpt", "judge", "a"),
        ("i2", "n", "gpt", "judge", ["b", "c"]),
        ("i1", "m", "cy", "human", "b"),
        ("i3", "m", "cy", "human", "c"),
    ]
    scale = {"kind": "nominal", "labels": ["a", "b", "c"]}
    study = opened(rows, metrics={"*": {"scale": scale}})
    table = SetTable.of(study, ["m", "n"])
    assert table.scale.labels == ("a", "b", "c", "a|b", "b|c")
    assert table.counts.tolist() == [[1, 1, 0, 1, 0], [0, 0, 1, 0, 0], [1, 1, 0, 0, 1]]
    assert table.verdicts[0].tolist() == [[1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]]
    assert table.people_give_sets
    assert table.judges_give_sets
    assert [study.items.ids[item] for item in table.item] == ["i1", "i3", "i2"]
    with pytest.raises(UserError, match="no judge named 'claude'; expected one of gpt"):
        SetTable.of(study, ["m"], judges=["claude"])


def test_metrics_that_mean_other_things_are_not_joined() -> None:
    one = Scale("nominal", ("a", "b", "?"), indeterminate={"?": ("a", "b")})
    other = Scale("nominal", ("a", "b", "?"), indeterminate={"?": ("a",)})
    with pytest.raises(UserError, match="'\\?' admits other verdicts on 'n' than on 'm'"):
        joined_scale([("m", one), ("n", other)])
    with pytest.raises(UserError, match="different verdicts"):
        joined_scale([("m", one), ("n", Scale("nominal", ("x", "y")))])


def test_beta_cannot_move_a_choice_between_judges_of_one_verdict(rng: np.random.Generator) -> None:
    counts = rng.multinomial(3, [0.6, 0.4, 0.0], size=40)
    made = by_hand(
        counts.tolist(), {name: [[PASS, FAIL][k] for k in rng.integers(0, 2, 40)] for name in "xyz"}
    )
    symmetric, *_ = set_sensitivity(made)
    assert symmetric.verdict is None
    assert symmetric.changes_choice == ()
    assert symmetric.changes_ranking == ()


def test_the_beta_at_which_the_choice_changes_is_found() -> None:
    """x says pass and y both on items that people passed: y is nearer once more than half accept fail too."""
    made = by_hand([[3, 0, 0]] * 5, {"x": [PASS] * 5, "y": [BOTH] * 5})
    every, also_pass, also_fail = set_sensitivity(made)
    assert (also_pass.verdict, also_fail.verdict) == ("pass", "fail")
    assert also_pass.changes_choice == ()
    assert min(every.changes_choice) == min(also_fail.changes_choice) == 0.55
    assert also_fail.changes_ranking == also_fail.changes_choice
    errors = [(accepting(np.eye(2), b, 1)[1, 0] - np.array([0.0, 1.0])) ** 2 for b in (0.5, 0.55)]
    assert errors[0][0] == errors[0][1]
    assert errors[1][0] > errors[1][1]


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=8), st.integers(0, 999)
)
@settings(max_examples=40, deadline=None)
def test_relabelling_verdicts_or_reordering_rows_changes_no_figure(rows: list[list[int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = np.array(rows) + (np.sum(rows, axis=1) == 0)[:, None]
    said = [[[PASS, FAIL, BOTH][k] for k in rng.integers(0, 3, len(rows))] for _ in range(2)]
    table = by_hand(counts.tolist(), dict(zip("xy", said, strict=True)))
    turned = replace(table, counts=table.counts[:, [1, 0, 2]], verdicts=table.verdicts[:, :, [1, 0, 2]])
    order = rng.permutation(len(rows))
    for other in (turned, table.take(order)):
        for a, b in zip(chosen(table).judges, chosen(other).judges, strict=True):
            for name in ("covered", "error", "distance", "decision_error"):
                assert getattr(a.sets, name).value == pytest.approx(getattr(b.sets, name).value, nan_ok=True)
            assert a.forced.hit.value == pytest.approx(b.forced.hit.value)
            assert (a.forced.rank, a.sets.rank) == (b.forced.rank, b.sets.rank)


def test_a_judge_that_gives_peoples_distribution_has_no_error(rng: np.random.Generator) -> None:
    theta = rng.dirichlet(np.ones(3), size=3000)
    counts = np.stack([rng.multinomial(3, one) for one in theta])
    table = by_hand(counts.tolist(), {"x": theta.tolist()})
    [judge] = chosen(table).judges
    for error in (judge.forced.error, judge.sets.error, judge.sets.distance):
        assert error.low <= 0 <= error.high


@pytest.mark.coverage_simulation
def test_the_cost_of_a_choice_is_covered() -> None:
    """Two fixed judges, 60 clusters of two rows with one truth: the interval holds the planted difference."""
    rng = np.random.default_rng(3)
    held, studies = 0, 120
    kinds = np.array([[0.5, 0.1, 0.4], [0.1, 0.3, 0.6], [0.05, 0.85, 0.1]])
    omega = kinds @ membership(SCALE).T
    sharp, wide = np.array([PASS, FAIL, FAIL]), np.array([BOTH, BOTH, FAIL])
    loss = [((one @ membership(SCALE).T - omega) ** 2).mean(axis=1) for one in (sharp, wide)]
    truth = float((loss[0] - loss[1]).mean())
    for _ in range(studies):
        kind = rng.integers(0, 3, 60).repeat(2)
        counts = np.stack([rng.multinomial(3, kinds[k]) for k in kind])
        made = by_hand(
            counts.tolist(), {"s": sharp[kind].tolist(), "w": wide[kind].tolist()}, np.arange(120) // 2
        )
        found = judge_choice(made, resamples=300, rng=rng)
        assert found.chosen == {FORCED: "s", SETS: "w"}
        held += found.cost.low <= truth <= found.cost.high
    assert held / studies > 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / studies)
