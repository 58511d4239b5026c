"""The distributional replacement test: its formula item by item, and what it passes in made studies."""

from __future__ import annotations

import importlib.util
import itertools
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from voirdire.align.features import Target
from voirdire.align.fusion import fit_kappa
from voirdire.align.priors import label_prior
from voirdire.decide.distributional import distributional_test
from voirdire.decide.one_person import OnePerson

N, PEOPLE, LABELS = 60, 4, 3


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "_guarantees" / "replacement.py"
    spec = importlib.util.spec_from_file_location("benchmarks_replacement", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def drawn(rng: np.random.Generator, kappa: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """Labels (N, PEOPLE), -1 where missing, and each item's true distribution."""
    truth = rng.dirichlet(kappa * np.array([0.5, 0.3, 0.2]), size=N)
    said = (rng.random((N, PEOPLE))[:, :, None] > truth.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
    return np.where(rng.random((N, PEOPLE)) < 0.2, -1, said), truth


def target_of(said: np.ndarray, cluster: np.ndarray | None = None) -> Target:
    counts = np.stack([(said == c).sum(axis=1) for c in range(LABELS)], axis=1).astype(float)
    row, rater = np.nonzero(said >= 0)
    groups = np.arange(len(said)) if cluster is None else cluster
    return Target(counts, groups, np.ones(len(said)), row, rater, said[row, rater])


def test_formula_item_by_item(rng: np.random.Generator) -> None:
    said, q = drawn(rng)
    target, fold = target_of(said), np.arange(N) % 5
    person = OnePerson.fitted(target.counts, fold)
    found = distributional_test(q, person, target)
    for one in found.annotators:
        d = []
        for i in range(N):
            others = [said[i, k] for k in range(PEOPLE) if k != one.rater and said[i, k] >= 0]
            if said[i, one.rater] >= 0 and others:
                given = person.given[i, said[i, one.rater]]
                d.append(np.mean([math.log(q[i, y]) - math.log(given[y]) for y in others]))
        assert one.n_items == len(d)
        assert one.gain.value == pytest.approx(np.mean(d))
        assert one.p >= ttest_1samp(d, 0, alternative="greater").pvalue - 1e-12
    assert found.gain.value == pytest.approx(np.mean([one.gain.value for one in found.annotators]))


def test_one_label_is_the_dirichlet_posterior_where_pairs_are_alike(rng: np.random.Generator) -> None:
    said, _ = drawn(rng)
    counts, fold = target_of(said).counts, np.arange(N) % 5
    person = OnePerson.fitted(counts, fold)
    checked = 0
    for k in range(5):
        others = counts[fold != k]
        prior = label_prior(others)
        alpha = prior * fit_kappa(np.tile(prior, (len(others), 1)), others).value
        expected = (alpha + np.eye(LABELS)) / (alpha.sum() + 1)
        given = person.given[fold == k][0]
        assert given.sum(axis=1) == pytest.approx(np.ones(LABELS))
        checked += np.allclose(given, expected)
        assert np.abs(given - expected).max() < 0.15  # pairs of labels say little more here
    assert checked >= 1


def test_labels_seen_together_refine_one_label(rng: np.random.Generator) -> None:
    quality = rng.standard_normal((400, 1))
    said = (quality[:, :, None] + 0.5 * rng.standard_normal((400, 4, 1)) > np.array([-0.6, 0.6])).sum(axis=2)
    person = OnePerson.fitted(target_of(said).counts, np.arange(400) % 5)
    lowest = person.given[0, 0]
    assert lowest[1] > 2.5 * lowest[2]  # the middle label lies nearer to the lowest than the highest does
    pairs = [
        (said[i, j], said[i, k])
        for i in range(400) if i % 5 != 0 for j, k in itertools.permutations(range(4), 2)
    ]  # fmt: skip
    seen = np.bincount([b for a, b in pairs if a == 0], minlength=3)
    assert lowest == pytest.approx(seen / seen.sum(), abs=0.03)


def test_rows_of_the_own_fold_take_no_part(rng: np.random.Generator) -> None:
    said, _ = drawn(rng)
    counts, fold = target_of(said).counts, np.arange(N) % 5
    changed = counts.copy()
    changed[fold == 0] = changed[fold == 0][:, ::-1]
    before, after = OnePerson.fitted(counts, fold), OnePerson.fitted(changed, fold)
    assert (before.given[fold == 0] == after.given[fold == 0]).all()
    assert (before.given[fold == 1] != after.given[fold == 1]).any()


def test_clusters_are_units(rng: np.random.Generator) -> None:
    said, q = drawn(rng)
    four = np.repeat(np.arange(N), 4)
    one = OnePerson.fitted(target_of(said).counts, np.arange(N) % 5)
    fourfold = OnePerson(one.prior[four], one.given[four], one.kappa)
    alone = distributional_test(q, one, target_of(said))
    copied = distributional_test(q[four], fourfold, target_of(said[four], four))
    for a, b in zip(alone.annotators, copied.annotators, strict=True):
        assert (b.p, b.gain.low, b.n_units) == pytest.approx((a.p, a.gain.low, a.n_units))
    assert copied.gain.low == pytest.approx(alone.gain.low)


def test_undefined(rng: np.random.Generator) -> None:
    said, q = drawn(rng)
    two = np.where(np.arange(PEOPLE) < 2, said, -1)
    few = distributional_test(q, OnePerson.fitted(target_of(two).counts, np.arange(N) % 5), target_of(two))
    assert (few.gain.undefined, few.passed) == ("too_few_annotators", None)
    short = said[:8]
    person = OnePerson.fitted(target_of(short).counts, np.arange(8) % 2)
    assert distributional_test(q[:8], person, target_of(short)).gain.undefined == "insufficient_items"


def test_the_prior_does_not_pass_and_the_truth_does(rng: np.random.Generator) -> None:
    said, truth = drawn(rng, kappa=0.7)
    target = target_of(said)
    person = OnePerson.fitted(target.counts, np.arange(N) % 5)
    assert distributional_test(person.prior, person, target).passed is False
    assert distributional_test(0.98 * truth + 0.02 / LABELS, person, target).passed is True


@pytest.mark.coverage_simulation
def test_intervals_of_the_gain_cover(rng: np.random.Generator) -> None:
    prior = np.array([0.5, 0.3, 0.2])

    def study(n: int) -> tuple[np.ndarray, np.ndarray, Target, OnePerson]:
        truth = rng.dirichlet(1.5 * prior, size=n // 2).repeat(2, axis=0)  # two items a cluster
        said = (rng.random((n, 3))[:, :, None] > truth.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
        told = np.tile((1.5 * prior + np.eye(3)) / 2.5, (n, 1, 1))
        q = 0.6 * truth + 0.4 * prior
        return said, q, target_of(said, np.arange(n) // 2), OnePerson(np.tile(prior, (n, 1)), told, prior)

    _, q, target, person = study(100_000)
    truth = distributional_test(q, person, target)
    runs, held = 300, np.zeros(2)
    for _ in range(runs):
        _, q, target, person = study(160)
        found = distributional_test(q, person, target)
        for k, (mine, true) in enumerate(
            ((found.gain, truth.gain), (found.annotators[0].gain, truth.annotators[0].gain))
        ):
            held[k] += mine.low <= true.value <= mine.high
    error = 3 * math.sqrt(0.95 * 0.05 / runs)
    assert (held / runs >= 0.93 - error).all(), held
    assert (held / runs <= 0.97 + error).all(), held


@pytest.mark.coverage_simulation
@pytest.mark.parametrize("share", [0.8, 0.9, 0.95])
def test_an_always_majority_judge_passes_by_labels_alone(simulation: ModuleType, share: float) -> None:
    """Quick version; 500 studies a design by ``benchmarks/guarantees.py replacement``."""
    for kappa in (1.0, math.inf):
        draw = simulation.shared_chances((1 - share, share), kappa, "majority")
        score = simulation.simulate(draw, items=100, people=3, labels=2, runs=20)
        assert score.distributional <= 0.05
        assert score.classic >= 0.9


@pytest.mark.coverage_simulation
def test_one_more_person_is_not_worth_more_than_one(simulation: ModuleType) -> None:
    for draw, labels in ((simulation.ordered("person"), 5),
                         (simulation.shared_chances((0.4, 0.6), 2.0, "person"), 2)):  # fmt: skip
        score = simulation.simulate(draw, items=150, people=3, labels=labels, runs=30)
        assert score.each <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 30)
        assert score.distributional <= 0.1
    good = simulation.simulate(simulation.ordered("crowd"), items=150, people=3, labels=5, runs=10)
    assert good.distributional >= 0.8
