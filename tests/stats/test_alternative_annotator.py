"""The alternative annotator test: the published toy, a loop over the paper's text, and its error rates."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import PermutationMethod, ttest_1samp, wilcoxon

from voirdire.errors import UserError
from voirdire.stats import Coded
from voirdire.stats.alternative_annotator import EPSILON, alternative_annotator_test
from voirdire.stats.below_margin import exact_below, like_below, signed_rank_below
from voirdire.stats.left_out import left_out_comparisons

MISSING = 4
tables = st.tuples(st.integers(3, 6), st.integers(1, 12)).flatmap(
    lambda shape: st.tuples(
        arrays(np.int64, (shape[1], shape[0]), elements=st.integers(0, MISSING)),
        arrays(np.int64, shape[1], elements=st.integers(-1, MISSING - 1)),
    )
)


def coded(table: np.ndarray, **options: Any) -> Coded:
    labels = [[None if cell == MISSING else cell for cell in row] for row in table.tolist()]
    return Coded.from_matrix(np.array(labels, dtype=object), categories=[0, 1, 2, 3], **options)


def by_the_text(table: np.ndarray, judge: np.ndarray, score: str) -> dict[int, tuple[list[int], list[int]]]:
    """W^f and W^h of each person, as section 3 of the paper says it, one item at a time."""

    def agreement(label: int, others: list[int]) -> float:
        if score == "accuracy":
            return sum(label == other for other in others) / len(others)
        return -math.sqrt(sum((label - other) ** 2 for other in others) / len(others))

    wins: dict[int, tuple[list[int], list[int]]] = {}
    for i, j in itertools.product(*map(range, table.shape)):
        others = [label for k, label in enumerate(table[i].tolist()) if k != j and label != MISSING]
        if table[i, j] == MISSING or judge[i] < 0 or not others:
            continue
        person, machine = agreement(table[i, j], others), agreement(judge[i], others)
        same = math.isclose(person, machine, abs_tol=1e-12)
        mine = wins.setdefault(j, ([], []))
        mine[0].append(int(machine > person or same))
        mine[1].append(int(person > machine or same))
    return wins


@pytest.mark.shared
def test_published_toy(shared: Path) -> None:
    cases = json.loads((shared / "reference" / "reference_values.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == "alt_test_toy")
    people = Coded.from_matrix(np.array(list(case["data"]["humans"].values())).T, categories=[0, 1, 2])
    for epsilon, name in ((0.2, "eps02"), (0.0, "eps0")):
        found = alternative_annotator_test(people, case["data"]["llm"], epsilon=epsilon)
        assert found.winning_rate.value == case["expected"][f"winning_rate_{name}"]
        assert [one.p for one in found.annotators] == pytest.approx(
            case["expected"][f"p_values_{name}"], abs=1e-9
        )
        assert found.advantage.value == pytest.approx(case["expected"]["advantage_prob"], abs=1e-9)
        assert found.passed is (epsilon == 0.2)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from(["accuracy", "neg_rmse"]))
def test_comparisons_are_those_of_the_text(data: tuple[np.ndarray, np.ndarray], score: str) -> None:
    table, judge = data
    found = left_out_comparisons(coded(table), judge, score, clustered=True)
    expected = by_the_text(table, judge, score)
    for j in range(table.shape[1]):
        mine = found.rater == j
        wins, losses = expected.get(j, ([], []))
        assert sorted(zip(found.judge_wins[mine], found.person_wins[mine], strict=True)) == sorted(
            zip(wins, losses, strict=True)
        )


@settings(max_examples=40, deadline=None)
@given(tables)
def test_accuracy_is_the_identity_similarity(data: tuple[np.ndarray, np.ndarray]) -> None:
    table, judge = data
    people = coded(table)
    for score, like in (("accuracy", np.eye(4)), ("accuracy", 3 + 2.5 * np.eye(4))):
        one = left_out_comparisons(people, judge, score, clustered=True)
        two = left_out_comparisons(people, judge, like, clustered=True)
        assert (one.judge_wins == two.judge_wins).all()
        assert (one.person_wins == two.person_wins).all()


@pytest.mark.parametrize("n", [8, 31, 200])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_p_values_equal_scipy(n: int, epsilon: float, rng: np.random.Generator) -> None:
    table, judge = rng.integers(0, 3, (n, 4)), rng.integers(0, 3, n)
    found = alternative_annotator_test(coded(table), judge, epsilon=epsilon)
    assert [one.rater for one in found.annotators] == [0, 1, 2, 3]
    for one, (wins, losses) in zip(
        found.annotators, by_the_text(table, judge, "accuracy").values(), strict=True
    ):
        d = np.array(losses) - np.array(wins)
        assert one.difference.value == pytest.approx(d.mean())
        assert one.n_items == n
        if n < 30:
            everything = PermutationMethod(n_resamples=2**n)
            theirs = wilcoxon(d - epsilon, alternative="less", method=everything)
            assert (one.method, one.p) == ("Wilcoxon", pytest.approx(theirs.pvalue))
        else:
            theirs = ttest_1samp(d, epsilon, alternative="less")
            assert (one.method, one.p) == ("t", pytest.approx(theirs.pvalue))
        if n >= 30:
            inside = ttest_1samp(d, 0).confidence_interval(0.95)
            assert (one.difference.low, one.difference.high) == pytest.approx((inside.low, inside.high))


def test_benjamini_yekutieli_over_the_annotators(rng: np.random.Generator) -> None:
    table = rng.integers(0, 2, (60, 1)).repeat(5, axis=1)
    judge = table[:, 0].copy()
    for j in range(5):  # the more labels of a person are turned, the easier the judge wins over them
        turned = slice(3 * j, 4 * j + 3)
        table[turned, j] = 1 - table[turned, j]
    judge[30:34] = 1 - judge[30:34]
    found = alternative_annotator_test(coded(table), judge, epsilon=0.1)
    p = np.array([one.p for one in found.annotators])
    steps = np.arange(1, 6) / 5 * 0.05 / sum(1 / k for k in range(1, 6))
    below = np.flatnonzero(np.sort(p) <= steps)
    rejected = set(np.argsort(p)[: below.max() + 1].tolist()) if len(below) else set()
    assert {one.rater for one in found.annotators if one.rejected} == rejected
    assert 0 < found.winning_rate.value < 1


def test_all_ties_have_the_exact_bound() -> None:
    table = np.zeros((40, 3), dtype=np.int64)
    found = alternative_annotator_test(coded(table), np.zeros(40, dtype=np.int64), epsilon=0.2)
    assert [one.p for one in found.annotators] == pytest.approx([0.8**40] * 3)
    assert found.passed is True
    none = alternative_annotator_test(coded(table), np.zeros(40, dtype=np.int64), epsilon=0.0)
    assert [one.p for one in none.annotators] == [1, 1, 1]
    assert none.passed is False
    assert none.annotators[0].difference.no_interval == "zero_width"
    few = alternative_annotator_test(coded(table[:4]), np.zeros(4, dtype=np.int64), epsilon=0.2)
    assert [one.p for one in few.annotators] == pytest.approx([0.8**4] * 3)


def test_all_annotators_below_thirty_items(rng: np.random.Generator) -> None:
    table, judge = rng.integers(0, 2, (12, 3)), rng.integers(0, 2, 12)
    published = alternative_annotator_test(coded(table), judge)
    assert all(one.method in ("Wilcoxon", "bound, all alike") for one in published.annotators)
    skipped = alternative_annotator_test(coded(table), judge, small="skip")
    assert skipped.winning_rate.undefined == "insufficient_items"
    assert (skipped.annotators, skipped.left_out, skipped.passed) == ((), (0, 1, 2), None)


def test_fewer_than_three_people() -> None:
    two = alternative_annotator_test(Coded.from_matrix([[0, 1]] * 40, categories=[0, 1]), [0] * 40)
    assert two.winning_rate.undefined == "too_few_annotators"
    alone = Coded.from_matrix([[0, None, None], [None, 1, None], [None, None, 1]])
    assert alternative_annotator_test(alone, [0, 1, 1]).left_out == (0, 1, 2)


def test_clusters_are_units(rng: np.random.Generator) -> None:
    table, judge = rng.integers(0, 2, (40, 3)), rng.integers(0, 2, 40)
    four = np.repeat(np.arange(40), 4)
    once = alternative_annotator_test(coded(table), judge, small="exact")
    copied = coded(table[four], cluster=four.tolist())
    fourfold = alternative_annotator_test(copied, judge[four], small="exact")
    for one, two in zip(once.annotators, fourfold.annotators, strict=True):
        assert (two.p, two.difference.low) == pytest.approx((one.p, one.difference.low))
        assert (two.n_items, two.n_units, two.method) == (160, 40, "t over clusters")
    assert fourfold.advantage.low == pytest.approx(once.advantage.low)
    as_published = alternative_annotator_test(copied, judge[four], clustered=False)
    assert as_published.annotators[0].p != pytest.approx(fourfold.annotators[0].p)
    assert as_published.annotators[0].method == "t"


def test_epsilon_may_differ_by_person(rng: np.random.Generator) -> None:
    table, judge = rng.integers(0, 2, (50, 3)), rng.integers(0, 2, 50)
    mixed = alternative_annotator_test(coded(table), judge, epsilon=[EPSILON["expert"], 0.15, 0.1])
    for k, epsilon in enumerate((0.2, 0.15, 0.1)):
        alone = alternative_annotator_test(coded(table), judge, epsilon=epsilon)
        assert mixed.annotators[k].p == alone.annotators[k].p


@settings(max_examples=30, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_order_of_items_raters_and_labels_does_not_matter(
    data: tuple[np.ndarray, np.ndarray], random: Any
) -> None:
    table, judge = data
    items, raters, names = ([*range(n)] for n in (*table.shape, 4))
    for order in (items, raters, names):
        random.shuffle(order)
    renamed = np.array([*names, MISSING])
    new = renamed[table[np.ix_(items, raters)]]
    verdict = np.where(judge < 0, -1, renamed[judge])[items]
    one, two = (alternative_annotator_test(coded(t), f) for t, f in ((table, judge), (new, verdict)))
    assert (one.winning_rate, one.advantage.undefined) == (two.winning_rate, two.advantage.undefined)
    ours = {raters.index(a.rater): a.p for a in one.annotators}
    assert {a.rater: a.p for a in two.annotators} == pytest.approx(ours)


def test_bad_input() -> None:
    people = Coded.from_matrix([["a", "b", "a"]] * 3)
    for options, message in (
        ({"score": "f1"}, "no score named"),
        ({"score": "neg_rmse"}, "needs an order"),
        ({"score": np.eye(3)}, "similarities of shape"),
        ({"epsilon": 1.0}, "epsilon is"),
        ({"epsilon": [0.1, 0.2]}, "one for each of 3 raters"),
        ({"small": "t"}, "no test named"),
        ({"level": 2}, "level"),
    ):
        with pytest.raises(UserError, match=message):
            alternative_annotator_test(people, [0, 0, 1], **options)  # type: ignore[arg-type]
    for judge in ([0, 0], [0, 0, 2]):
        with pytest.raises(UserError, match="verdicts of shape"):
            alternative_annotator_test(people, judge)


def _chances(n: int, margin: float, share: float) -> list[tuple[int, int, float]]:
    """Every (-1s, 1s) among n with its chance, where 1 has the share of -1 plus the margin."""
    plus = share + margin
    return [
        (
            a,
            b,
            math.factorial(n) / (math.factorial(a) * math.factorial(b) * math.factorial(n - a - b))
            * share**a * plus**b * (1 - share - plus) ** (n - a - b),
        )
        for a in range(n + 1) for b in range(n + 1 - a)
    ]  # fmt: skip


@pytest.mark.parametrize("n", [12, 22])
@pytest.mark.parametrize("margin", [0.1, 0.2])
def test_exact_test_keeps_its_error_rate_and_wilcoxon_does_not(n: int, margin: float) -> None:
    worst = {exact_below: 0.0, signed_rank_below: 0.0}
    p = {
        test: {(a, b): test(a, n - a - b, b, margin) for a in range(n + 1) for b in range(n + 1 - a)}
        for test in worst
    }
    for share in np.linspace(0, (1 - margin) / 2, 9):
        for test in worst:
            size = sum(chance for a, b, chance in _chances(n, margin, share) if p[test][a, b] <= 0.05)
            worst[test] = max(worst[test], size)
    assert worst[exact_below] <= 0.05 + 1e-9
    assert worst[signed_rank_below] > 0.14


def test_bound_of_like_units_is_reached() -> None:
    bound = like_below(np.array([0.0, -1.0, 0.5]), np.array([10, 10, 10]), np.array([0.2, 0.2, 0.2]))
    assert bound == pytest.approx([0.8**10, 0.4**10, 1.0])


def _study(rng: np.random.Generator, clusters: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels of four people and a judge; the items of a cluster share most of what makes them hard."""
    hard = rng.beta(1.0, 2.0, clusters).repeat(size)
    truth = rng.integers(0, 2, clusters).repeat(size)
    wrong = rng.random((clusters * size, 5)) < 0.5 * hard[:, None] * np.array([0.6, 0.8, 1.0, 1.0, 0.9])
    said = np.where(wrong, 1 - truth[:, None], truth[:, None])
    return said[:, :4], said[:, 4], np.arange(clusters).repeat(size)


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("size", [1, 4])
def test_intervals_cover(size: int, rng: np.random.Generator) -> None:
    said, judge, _ = _study(rng, 200_000 // size, size)
    truth = alternative_annotator_test(Coded.from_matrix(said, categories=[0, 1]), judge)
    runs, held = 300, {"rho": 0, "advantage": 0, "difference": 0, "as if items": 0}
    for _ in range(runs):
        said, judge, cluster = _study(rng, 60, size)
        people = Coded.from_matrix(said, categories=[0, 1], cluster=cluster.tolist())
        found = alternative_annotator_test(people, judge)
        flat = alternative_annotator_test(people, judge, clustered=False)
        one, true = found.annotators[0], truth.annotators[0]
        held["rho"] += found.advantage.low <= truth.advantage.value <= found.advantage.high
        held["as if items"] += flat.advantage.low <= truth.advantage.value <= flat.advantage.high
        held["advantage"] += one.advantage.low <= true.advantage.value <= one.advantage.high
        held["difference"] += one.difference.low <= true.difference.value <= one.difference.high
    error = 3 * math.sqrt(0.95 * 0.05 / runs)
    for name in ("rho", "advantage", "difference"):
        assert 0.93 - error <= held[name] / runs <= 0.97 + error, (name, held)
    if size > 1:
        assert held["as if items"] < held["rho"], held
