"""Folds, the pool, the one-standard-error rule, and that no choice ever sees what it is scored on."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from align.planted import of_logits, of_metrics, of_panel
from voirdire import registry
from voirdire.align import selection
from voirdire.align.calibrator import Calibrator, Parameters, Problem, Setting
from voirdire.align.features import Features, Target
from voirdire.align.folds import grouped_folds
from voirdire.align.pool import Pool, one_standard_error, pool_weights
from voirdire.errors import UserError


def some(*names: str) -> list[Calibrator]:
    return [registry.get("calibrator", name)() for name in names]


@settings(max_examples=60, deadline=None)
@given(
    cluster=st.lists(st.integers(0, 12), min_size=2, max_size=60),
    folds=st.integers(2, 6),
    seed=st.integers(0, 99),
)
def test_clusters_never_straddle_a_split(cluster: list[int], folds: int, seed: int) -> None:
    groups = np.array(cluster)
    if len(np.unique(groups)) < 2:
        return
    split = grouped_folds(groups, folds=folds, rng=np.random.default_rng(seed))
    held_out = np.zeros(len(groups), dtype=int)
    for train, held in split:
        assert not set(groups[train]) & set(groups[held])
        assert len(train)
        assert len(held)
        held_out[held] += 1
    assert (held_out == 1).all()


def test_one_cluster_cannot_be_split() -> None:
    with pytest.raises(UserError, match="cannot be split"):
        grouped_folds(np.zeros(5, dtype=int), rng=np.random.default_rng(0))


SEEN: list[set[int]] = []


@dataclass(frozen=True)
class Watching(Calibrator):
    """Notes the clusters that it is fitted on, encoded in the weights of the rows."""

    name: ClassVar[str] = "watching"
    seen: list[set[int]] = field(default_factory=lambda: SEEN)

    def applies(self, features: Features) -> str:
        return ""

    def settings(self, features: Features) -> tuple[Setting, ...]:
        return (Setting(1.0), Setting(2.0))

    def learn(self, problem: Problem, setting: Setting, start: Parameters | None) -> Parameters:
        self.seen.append(set(problem.features.covariates[:, 0].astype(int).tolist()))
        return {}

    def shape(self, parameters: Parameters, features: Features, setting: Setting) -> NDArray[np.float64]:
        held = set(features.covariates[:, 0].astype(int).tolist())
        assert not held & self.seen[-1] or held == self.seen[-1] or len(held) == 40
        return np.full((len(features), features.n_labels), 1 / features.n_labels)


def test_inner_folds_stay_inside_the_outer_training_part(rng: np.random.Generator) -> None:
    SEEN.clear()
    planted = of_logits(rng, 120)
    cluster = np.repeat(np.arange(40), 3)
    features = replace(
        planted.features, covariates=cluster[:, None].astype(float), covariate_names=("cluster",)
    )
    target = Target.of(planted.target.counts, cluster=cluster)
    result = selection.nested(
        features, target, calibrators=[Watching(), *some("label_prior")], folds=4, rng=rng
    )
    fits = iter(SEEN)
    for k in range(4):
        outer = set(cluster[result.fold != k].tolist())
        held = set(cluster[result.fold == k].tolist())
        inner = [next(fits) for _ in range(5 * 2 + 1)]  # five inner folds of two settings, then the refit
        assert all(part < outer for part in inner[:-1])
        assert inner[-1] == outer
        assert not outer & held


def test_permuted_labels_leave_no_skill() -> None:
    rng = np.random.default_rng(8)
    planted = of_panel(rng, 240, silent=0.0)
    shuffled = Target.of(planted.target.counts[rng.permutation(240)], cluster=np.arange(240) // 2)
    kinds = some("label_prior", "metric_prior", "temperature", "stack")
    result = selection.nested(planted.features, shuffled, calibrators=kinds, rng=rng)
    losses = result.losses(shuffled)
    assert losses["pool"] > losses["label_prior"] - 0.005
    assert losses["pool"] < losses["label_prior"] + 0.02
    result = selection.nested(planted.features, planted.target, calibrators=kinds, rng=rng)
    real = result.losses(planted.target)
    assert real["pool"] < real["metric_prior"] - 0.05


def test_pool_gives_the_weight_to_who_knows() -> None:
    rng = np.random.default_rng(3)
    truth = rng.dirichlet(np.ones(3), size=500)
    counts = np.array([rng.multinomial(2, p) for p in truth], dtype=float)
    weights = pool_weights([truth, np.full((500, 3), 1 / 3), truth[rng.permutation(500)]], counts)
    assert weights[0] > 0.9
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1.0)


def test_pool_of_a_useless_judge_rests_on_the_priors() -> None:
    rng = np.random.default_rng(5)
    effects = np.array([[1.0, 0.0, -1.0], [-1.0, 0.0, 1.0]])
    planted = of_metrics(rng, 300, effects, slope=0.0)
    pool = selection.fit(planted.features, planted.target, rng=rng)
    assert planted.excess(pool.predict(planted.features)) < 0.02


def test_pool_keeps_priors_and_temperature_and_saves_itself() -> None:
    planted = of_panel(np.random.default_rng(6), 150)
    pool = selection.fit(planted.features, planted.target, rng=np.random.default_rng(0))
    assert set(selection.ALWAYS) <= {member.name for member in pool.members}
    assert pool.weights.sum() == pytest.approx(1.0)
    again = Pool.from_dict(pool.to_dict())
    np.testing.assert_array_equal(again.predict(planted.features), pool.predict(planted.features))


def test_one_standard_error_prefers_the_simple() -> None:
    rng = np.random.default_rng(1)
    truth = np.tile([0.6, 0.4], (80, 1))
    counts = np.array([rng.multinomial(1, p) for p in truth], dtype=float)
    near = np.tile([0.61, 0.39], (80, 1))
    far = np.tile([0.05, 0.95], (80, 1))
    cluster = np.arange(80)
    assert one_standard_error([truth, near, far], counts, cluster, [5, 2, 1]) == 1
    planted = of_panel(np.random.default_rng(6), 150)
    pool = selection.fit(planted.features, planted.target, select="one_se", rng=np.random.default_rng(0))
    assert len(pool.members) == 1


def test_a_calibrator_by_name_and_one_that_does_not_apply() -> None:
    planted = of_panel(np.random.default_rng(6), 90)
    pool = selection.fit(planted.features, planted.target, select="dirichlet", rng=np.random.default_rng(0))
    assert [member.name for member in pool.members] == ["dirichlet"]
    with pytest.raises(UserError, match="'davidson' does not apply"):
        selection.fit(planted.features, planted.target, select="davidson", rng=np.random.default_rng(0))
    with pytest.raises(UserError, match="no calibrator named 'dirichlett'"):
        selection.fit(planted.features, planted.target, select="dirichlett", rng=np.random.default_rng(0))


def test_rows_without_labels_take_no_part(rng: np.random.Generator) -> None:
    planted = of_panel(rng, 120)
    counts = planted.target.counts.copy()
    counts[::4] = 0
    target = Target.of(counts, cluster=np.arange(120) // 3)
    result = selection.nested(
        planted.features, target, calibrators=some("metric_prior", "temperature"), rng=rng
    )
    missing = np.isnan(result.predictions["pool"]).all(axis=1)
    np.testing.assert_array_equal(missing, ~target.labelled)
    assert all(np.isfinite(loss) for loss in result.losses(target).values())


def test_folds_may_run_elsewhere() -> None:
    planted = of_panel(np.random.default_rng(6), 90)

    def elsewhere(work: Callable[[object], object], jobs: list[object]) -> Iterator[object]:
        return iter([pickle.loads(pickle.dumps(work(pickle.loads(pickle.dumps(job))))) for job in jobs])

    kinds = some("label_prior", "temperature")
    one, two = (
        selection.nested(
            planted.features, planted.target, calibrators=kinds, rng=np.random.default_rng(1), run=run
        )
        for run in (map, elsewhere)
    )
    np.testing.assert_array_equal(one.predictions["pool"], two.predictions["pool"])


def test_calibrators_outside_the_pool_are_scored_alone() -> None:
    planted = of_panel(np.random.default_rng(6), 60)
    result = selection.nested(
        planted.features, planted.target, calibrators=some("uniform"), rng=np.random.default_rng(1)
    )
    assert set(result.predictions) == {"uniform"}
    assert result.weights[0] == {}
