"""Holistic against decomposed verdicts: what truly helps is found, noise is not, and labels are equal."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align.planted import Planted, voting
from align.planted_views import mute, of_parts
from voirdire.align import comparison
from voirdire.align.comparison import Comparison, compared, nested_parts
from voirdire.align.comparison_interval import over_draws
from voirdire.align.features import Features, Target
from voirdire.align.held_out import Protocol
from voirdire.align.plain import plain, revived
from voirdire.align.pool import Pool
from voirdire.errors import UserError
from voirdire.stats.clustered import clustered_mean

QUICK = Protocol(select="linear_map", repeats=1)
Views = dict[str, Features]


def found(views: Views, target: Target) -> Comparison:
    return compared(views, target, protocol=QUICK, rng=np.random.default_rng(3))


@pytest.fixture(scope="module")
def helpful() -> tuple[Views, Planted]:
    return of_parts(np.random.default_rng(2), 240, whole=1.5, part=0.3)


@pytest.fixture(scope="module")
def helped(helpful: tuple[Views, Planted]) -> Comparison:
    return found(helpful[0], helpful[1].target)


def test_parts_that_truly_tell_more_are_better(helped: Comparison) -> None:
    last = helped.points[-1]
    assert last.decomposed.low > 0.03
    assert last.both.low > 0.03
    assert "decomposed verdicts predict people better than holistic ones" in helped.sentence
    assert "Both together gain" in helped.sentence


def test_parts_that_are_noise_are_not() -> None:
    views, planted = of_parts(np.random.default_rng(2), 240, whole=0.3, part=50.0)
    result = found(views, planted.target)
    last = result.points[-1]
    assert last.decomposed.high < -0.1
    assert last.both.low <= 0.0
    assert last.losses["decomposed"].value == pytest.approx(last.base_rates.value, abs=0.02)
    assert "holistic verdicts predict people better than decomposed ones" in result.sentence


def test_the_same_outputs_gain_exactly_nothing() -> None:
    views, planted = of_parts(np.random.default_rng(4), 120, whole=0.8, part=0.8)
    same = dict.fromkeys(views, views["holistic"])
    last = found(same, planted.target).points[-1]
    assert last.decomposed.value == 0.0
    assert last.decomposed.no_interval == "zero_width"


def test_permuted_labels_gain_nothing(helpful: tuple[Views, Planted]) -> None:
    views, planted = helpful
    target = planted.target
    order = np.random.default_rng(5).permutation(len(target))
    last = found(views, Target.of(target.counts[order], cluster=target.cluster)).points[-1]
    assert last.decomposed.low <= 0 <= last.decomposed.high
    assert last.losses["decomposed"].value > last.base_rates.value - 0.01


def test_every_view_is_fitted_on_the_same_labels_which_are_nested(
    helpful: tuple[Views, Planted], monkeypatch: pytest.MonkeyPatch
) -> None:
    views, planted = helpful
    seen: list[tuple[int, Target]] = []
    fit = comparison.fit

    def watched(features: Features, target: Target, *, select: str, rng: np.random.Generator) -> Pool:
        seen.append((len(features.judges), target))
        return fit(features, target, select=select, rng=rng)

    monkeypatch.setattr(comparison, "fit", watched)
    numbered = replace(planted.target, weights=1 + np.arange(240) / 1e9)
    result = found(views, numbered)
    fits = [seen[k : k + 4] for k in range(0, len(seen), 4)]
    assert len(fits) == 5 * len(result.points) == 15
    rows = []
    for same in fits:
        assert [judges for judges, _ in same] == [1, 1, 4, 5]
        assert len({tuple(target.weights.tolist()) for _, target in same}) == 1
        rows.append(set(same[0][1].weights.tolist()))
    for k in range(0, 15, 3):
        assert rows[k] < rows[k + 1] < rows[k + 2]
        assert len(rows[k + 2]) == 240 - 48
    assert [point.n_rows for point in result.points] == sorted(point.n_rows for point in result.points)


def test_a_row_is_never_scored_by_a_fit_on_its_cluster(helpful: tuple[Views, Planted]) -> None:
    """A judge that gives each cluster's own labels away helps only those who saw the cluster."""
    views, planted = helpful
    cluster = planted.target.cluster
    giveaway = mute(voting("leak", views["holistic"].scale, (cluster % 4).astype(np.int32)))
    leaky = replace(giveaway, labels=tuple(str(k) for k in range(120)), code=cluster.astype(np.int32))
    both = replace(views["holistic"], judges=(leaky,))
    how = replace(QUICK, select="confusion_row")
    result = compared(
        {**views, "decomposed": both}, planted.target, protocol=how, rng=np.random.default_rng(1)
    )
    last = result.points[-1]
    assert last.losses["decomposed"].value == pytest.approx(last.base_rates.value, abs=0.005)


def test_too_few_items_and_unequal_rows_are_the_users_error() -> None:
    views, planted = of_parts(np.random.default_rng(1), 30, whole=1.0, part=1.0)
    with pytest.raises(UserError, match=r"15 items .* at least 20"):
        found(views, planted.target)
    with pytest.raises(UserError, match="different rows"):
        found({**views, "both": views["both"].take(np.arange(9))}, planted.target)


def test_it_survives_json(helped: Comparison) -> None:
    assert revived(Comparison, plain(helped)) == helped
    document = helped.to_dict()
    assert document["sentence"] == helped.sentence
    assert len(document["points"]) == 3


def test_the_table_shows_every_size_and_the_sentence(helped: Comparison) -> None:
    lines = str(helped).splitlines()
    assert len(lines) == 2 + len(helped.points) + 1
    assert lines[-1] == helped.sentence
    assert lines[1].split()[:2] == ["labels", "base"]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5), st.integers(1, 12))
def test_parts_are_nested_and_distinct(n: int, shares: list[float], fewest: int) -> None:
    order = np.random.default_rng(n).permutation(n)
    parts = nested_parts(order, shares, fewest)
    sizes = [len(part) for part in parts]
    assert sizes == sorted(set(sizes))
    assert all(len(part) >= min(fewest, n) for part in parts)
    for one, two in itertools.pairwise(parts):
        assert one.tolist() == two.tolist()[: len(one)]


def test_the_interval_is_that_over_clusters_where_training_does_not_matter() -> None:
    """All parts have one mean, so that nothing is added."""
    values = np.array([[1.0, 3.0, 1.0, 3.0], [1.0, 3.0, 1.0, 3.0]])
    fold = np.array([[0, 0, 1, 1], [1, 0, 0, 1]])
    mean = over_draws(values, fold, np.arange(4))
    alone = clustered_mean(values[0], cluster=np.arange(4))
    assert (mean.value, mean.low, mean.high) == pytest.approx((alone.value, alone.low, alone.high))
    assert mean.n_clusters == 4


def test_the_interval_grows_with_the_spread_of_training_draws() -> None:
    """By hand: rows 1..4 doubled and halved; parts' means 3 and 7, 0.75 and 1.75."""
    rows = np.array([1.0, 2.0, 3.0, 4.0])
    values = np.stack([2 * rows, rows / 2])
    fold = np.array([[0, 0, 1, 1], [0, 0, 1, 1]])
    found = over_draws(values, fold, np.arange(4))
    mean = values.mean(axis=0)
    error = mean.std(ddof=1) / 2
    draws = np.var([3.0, 7.0, 0.75, 1.75], ddof=1) / 4
    assert found.value == pytest.approx(mean.mean())
    assert found.high - found.value == pytest.approx(3.182446305 * np.sqrt(error**2 + draws))
