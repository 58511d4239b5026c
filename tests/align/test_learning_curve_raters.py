"""One label on more items against several on fewer: equal labels, nested, and said in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align.planted import NOMINAL, of_logits, stating
from voirdire.align import learning_curve_raters
from voirdire.align.features import Features, Target
from voirdire.align.learning_curve_raters import Spread, SpreadPoint, spread_of_labels, thinned
from voirdire.align.plain import plain, revived
from voirdire.align.pool import Pool
from voirdire.stats.estimate import Estimate


def named(k: int, n: int = 30) -> Target:
    """Single labels with their raters, ``k`` a row."""
    row, rng = np.repeat(np.arange(n), k), np.random.default_rng(1)
    label = rng.integers(0, 3, n * k)
    counts = np.zeros((n, 3))
    np.add.at(counts, (row, label), 1.0)
    return Target(counts, np.arange(n), np.ones(n), row, np.tile(np.arange(k), n), label)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12),
    st.integers(1, 4),
    st.integers(0, 99),
)
def test_thinned_labels_are_some_of_the_rows_own_and_nested(
    counts: list[tuple[int, ...]], raters: int, seed: int
) -> None:
    target = Target.of(np.array(counts))
    few, more = (thinned(target, k, rng=np.random.default_rng(seed)) for k in (raters, raters + 1))
    assert (few.labels_per_row == np.minimum(target.labels_per_row, raters)).all()
    assert (few.counts <= more.counts).all()
    assert (more.counts <= target.counts).all()


def test_thinned_labels_keep_their_raters() -> None:
    target = named(4)
    few = thinned(target, 2, rng=np.random.default_rng(2))
    assert (few.labels_per_row == 2).all()
    rebuilt = np.zeros_like(few.counts)
    np.add.at(rebuilt, (few.row, few.label), 1.0)
    assert (rebuilt == few.counts).all()
    known = set(zip(target.row.tolist(), target.rater.tolist(), target.label.tolist(), strict=True))
    assert set(zip(few.row.tolist(), few.rater.tolist(), few.label.tolist(), strict=True)) <= known


def test_every_label_of_a_row_is_as_likely_to_be_drawn() -> None:
    target = Target.of(np.tile([[2, 1, 0]], (4000, 1)))
    share = thinned(target, 1, rng=np.random.default_rng(3)).counts.mean(axis=0)
    assert share == pytest.approx([2 / 3, 1 / 3, 0.0], abs=0.03)  # 4 standard errors of 0.0075


def test_all_plans_use_equal_labels_of_nested_items_outside_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = of_logits(np.random.default_rng(1), 180, k=3)
    numbered = replace(planted.target, weights=1 + np.arange(180) / 1e9)
    seen: list[Target] = []
    fit = learning_curve_raters.fit

    def watched(features: Features, target: Target, *, select: str, rng: np.random.Generator) -> Pool:
        seen.append(target)
        return fit(features, target, select=select, rng=rng)

    monkeypatch.setattr(learning_curve_raters, "fit", watched)
    found = spread_of_labels(
        planted.features, numbered, select="label_prior", repeats=1, rng=np.random.default_rng(2)
    )
    assert [point.n_labels for point in found.points] == [60, 60, 60, 120, 120, 120]
    assert [(point.n_items, point.raters) for point in found.points[3:]] == [(120, 1), (60, 2), (40, 3)]
    assert len(seen) == 18
    for plans in (seen[k : k + 6] for k in (0, 6, 12)):
        assert [int(target.counts.sum()) for target in plans] == [60, 60, 60, 120, 120, 120]
        assert [int(target.labels_per_row.max()) for target in plans] == [1, 2, 3, 1, 2, 3]
        three, two, one = (set(plans[k].weights.tolist()) for k in (5, 4, 3))
        assert three < two < one
        assert len(one & {1 + k / 1e9 for k in range(180)}) == 120


def test_more_items_are_better_where_people_agree_and_the_judge_must_be_learned() -> None:
    """People who nearly agree tell the same twice, so that a second label is lost."""
    rng = np.random.default_rng(6)
    planted = of_logits(rng, 240, slope=6.0, bias=np.array([3.0, 0.0, -3.0]), k=3)
    found = spread_of_labels(
        planted.features, planted.target, select="temperature_bias", repeats=4, rng=np.random.default_rng(1)
    )
    single, _, triple = found.points[:3]
    assert single.loss.value < triple.loss.value
    assert triple.gain is not None
    assert triple.gain.value == pytest.approx(single.loss.value - triple.loss.value)
    assert "100 new items, one each" in found.sentence


def test_items_with_two_labels_are_compared_at_two() -> None:
    planted = of_logits(np.random.default_rng(1), 240, k=2)
    found = spread_of_labels(
        planted.features, planted.target, select="label_prior", repeats=1, rng=np.random.default_rng(2)
    )
    assert {point.raters for point in found.points} == {1, 2}
    assert found.n_rows == 240


def test_without_second_labels_it_says_how_many_are_needed() -> None:
    single = of_logits(np.random.default_rng(1), 200, k=1)
    found = spread_of_labels(single.features, single.target, rng=np.random.default_rng(2))
    assert found.points == ()
    assert "0 items (clusters) have two labels, 60 are needed" in str(found)
    assert revived(Spread, plain(found)) == found


def estimated(value: float, reach: float) -> Estimate:
    return Estimate(value, value - reach, value + reach, n_items=9, method="t")


def sentence(two: tuple[float, float], three: tuple[float, float]) -> str:
    points = (
        SpreadPoint(120, 1, estimated(1.0, 0.1), None),
        SpreadPoint(60, 2, estimated(1.0, 0.1), estimated(*two)),
        SpreadPoint(40, 3, estimated(1.0, 0.1), estimated(*three)),
    )
    return Spread(points, 180, 90).sentence


@pytest.mark.parametrize(
    ("two", "three", "words"),
    [
        ((0.05, 0.01), (0.02, 0.01), "to 50 new items, 2 labels each (at 120 labels, 2 on each of 60 items"),
        ((-0.05, 0.01), (-0.08, 0.01), "100 new items, one each: several labels an item would tell less"),
        ((0.005, 0.01), (-0.08, 0.01), "tell the same within 0.02 nats a row"),
        ((0.01, 0.05), (-0.08, 0.01), "cannot tell whether several an item are better"),
    ],
)
def test_the_sentence_follows_the_intervals(
    two: tuple[float, float], three: tuple[float, float], words: str
) -> None:
    assert words in sentence(two, three)


@pytest.mark.coverage_simulation
def test_intervals_hold_the_gain_of_newly_drawn_labels() -> None:
    """The loss of base rates at n labels is known up to simulation: the mean over studies."""
    gains = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = rng.dirichlet([1.0, 1.0, 1.0], size=120)
        counts = rng.multinomial(3, truth).astype(np.float64)
        none = stating("judge", NOMINAL, np.log(np.full((120, 3), 1 / 3)))
        features = Features(NOMINAL, (none,), np.zeros(120, dtype=np.int32), ("m",))
        found = spread_of_labels(features, Target.of(counts), select="label_prior", rng=rng)
        gains.append(found.points[5].gain)
    mean = np.mean([gain.value for gain in gains if gain is not None])
    covered = np.mean([gain.low <= mean <= gain.high for gain in gains if gain is not None])
    assert covered >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60)
