"""Replacement tests: what an always-majority judge, one more person and a better judge pass, in made studies.

classic: the alternative annotator test. distributional: the test of voirdire.decide.distributional; bare: the
same without its two additions (labels seen together refine what one label tells; the judge must beat the
label prior too). A study passes where the judge wins over half of the people or more; "each" is the share of
single tests with p at most 0.05, whose promise is 5 % where the judge is one more person.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

import voirdire
from voirdire.align.cross_fit import CrossFitted, cross_fit
from voirdire.align.fusion import LARGEST_KAPPA, fit_kappa
from voirdire.align.observe import features_of
from voirdire.align.priors import label_prior
from voirdire.decide.distributional import DistributionalTest, distributional_replacement, distributional_test
from voirdire.decide.one_person import OnePerson
from voirdire.stats import Coded, adjusted_p_values, alternative_annotator_test
from voirdire.stats.below_margin import exact_below, signed_rank_below

Labels = NDArray[np.int64]
Draw = Callable[[np.random.Generator, int, int], tuple[Labels, Labels]]
WORST_PASS = 0.05


@dataclass(frozen=True)
class Score:
    """Shares of studies passed, and of single tests with p at most 0.05."""

    classic: float
    distributional: float
    bare: float
    each: float


def shared_chances(prior: tuple[float, ...], kappa: float, judge: str) -> Draw:
    """People draw labels from the item's own distribution Dir(kappa prior); the judge follows a rule.

    ``judge`` is "majority" (always the commonest label), "person" or "crowd" (commonest of nine people).
    """

    def draw(rng: np.random.Generator, n: int, people: int) -> tuple[Labels, Labels]:
        p = np.tile(prior, (n, 1)) if math.isinf(kappa) else rng.dirichlet(kappa * np.array(prior), size=n)
        steps = p.cumsum(axis=1)[:, None, :-1]
        said = (rng.random((n, people + 9))[:, :, None] > steps).sum(axis=2)
        votes = np.stack([(said[:, people:] == c).sum(axis=1) for c in range(len(prior))], axis=1)
        verdict = {
            "majority": np.full(n, int(np.argmax(prior))),
            "person": said[:, people],
            "crowd": votes.argmax(axis=1),
        }[judge]
        return said[:, :people], verdict

    return draw


def ordered(judge: str, *, labels: int = 5, noise: float = 0.7) -> Draw:
    """People place a normal quality among ``labels`` steps, each with an error of their own."""
    cuts = np.linspace(-1.2, 1.2, labels - 1)

    def draw(rng: np.random.Generator, n: int, people: int) -> tuple[Labels, Labels]:
        quality = rng.standard_normal((n, 1))
        seen = quality + noise * rng.standard_normal((n, people + 9))
        said = (seen[:, :, None] > cuts).sum(axis=2)
        crowd = (seen[:, people:].mean(axis=1)[:, None] > cuts).sum(axis=1)
        return said[:, :people], said[:, people] if judge == "person" else crowd

    return draw


def simulate(draw: Draw, *, items: int, people: int, labels: int, runs: int, seed: int = 0) -> Score:
    """The share of ``runs`` studies that the judge passes by each test."""
    passed = np.zeros((runs, 3))
    small = []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        said, verdict = draw(rng, items, people)
        crossed = _crossed(said, verdict, labels, rng)
        full = distributional_replacement(crossed)
        classic = alternative_annotator_test(
            Coded.from_matrix(said, categories=list(range(labels))), verdict, epsilon=0.2
        )
        assert full.passed is not None, full.share_rejected.undefined
        passed[run] = classic.passed, full.passed, _bare_passes(crossed)
        small += [one.p <= 0.05 for one in full.annotators]
    return Score(*passed.mean(axis=0).tolist(), float(np.mean(small)))


def _crossed(said: Labels, verdict: Labels, labels: int, rng: np.random.Generator) -> CrossFitted:
    n, people = said.shape
    names = [f"person {k}" for k in range(people)]
    study = voirdire.open(
        {
            "item_id": np.repeat(np.arange(n), people + 1).astype(str).tolist(),
            "rater_id": [*names, "judge"] * n,
            "rater_kind": [*["human"] * people, "judge"] * n,
            "label": (np.column_stack([said, verdict]).ravel() + 1).astype(str).tolist(),
        }
    )
    return cross_fit(features_of(study), select="confusion_row", rng=rng)


def _bare_passes(crossed: CrossFitted) -> bool:
    """Whether the judge wins by d alone, with p_j = (alpha + e_j) / (sum alpha + 1)."""
    target, fold = crossed.observed.target, crossed.fold
    person = OnePerson.fitted(target.counts, fold)
    given = np.empty_like(person.given)
    for k in np.unique(fold):
        others = target.counts[fold != k]
        prior = label_prior(others)
        alpha = prior * min(fit_kappa(np.tile(prior, (len(others), 1)), others).value, LARGEST_KAPPA)
        given[fold == k] = (alpha + np.eye(len(alpha))) / (alpha.sum() + 1)
    found = distributional_test(crossed.predicted, OnePerson(person.prior, given, person.kappa), target)
    return float(np.mean(adjusted_p_values(_p_of_gains(found)) <= 0.05)) >= 0.5


def _p_of_gains(found: DistributionalTest) -> list[float]:
    every = []
    for one in found.annotators:
        df = one.n_units - 1
        error = (one.gain.high - one.gain.value) / float(stdtrit(df, 0.975))
        every.append(float(stdtr(df, -one.gain.value / error)) if error > 0 else 1.0)
    return every


def run(runs: int) -> None:
    """Print every design's figures."""
    print(f"majority: always the commonest label; 100 items, {runs} studies; promised: at most 5 %")
    for people, kappas in ((3, (1.0, 20.0, math.inf)), (5, (5.0,))):
        for share in (0.8, 0.9, 0.95):
            for kappa in kappas:
                draw = shared_chances((1 - share, share), kappa, "majority")
                score = simulate(draw, items=100, people=people, labels=2, runs=runs)
                _show(f"{people} people, prevalence {share}, kappa {kappa:g}", score)
    print("person: the judge is one more person, 200 items; promised: each at most 5 %")
    for name, draw, labels in PERSONS:
        _show(name, simulate(draw("person"), items=200, people=3, labels=labels, runs=runs))
    print("crowd: the judge is nine people's vote or mean, 200 items; it should pass")
    for name, draw, labels in PERSONS:
        score = simulate(draw("crowd"), items=200, people=3, labels=labels, runs=max(runs // 5, 20))
        _show(name, score)
    _small_samples()


PERSONS: tuple[tuple[str, Callable[[str], Draw], int], ...] = (
    ("two labels .4/.6, kappa 2", lambda judge: shared_chances((0.4, 0.6), 2.0, judge), 2),
    ("two labels .2/.8, kappa 2", lambda judge: shared_chances((0.2, 0.8), 2.0, judge), 2),
    ("three labels, kappa 10", lambda judge: shared_chances((0.2, 0.3, 0.5), 10.0, judge), 3),
    ("five ordered labels", ordered, 5),
)


def _show(name: str, score: Score) -> None:
    print(
        f"  {name:42} passes: classic {score.classic:.3f}  distributional {score.distributional:.3f}  "
        f"bare {score.bare:.3f}; each {score.each:.3f}",
        flush=True,
    )


def _small_samples() -> None:
    """The chance to reject a judge exactly at the margin below 30 items, the worst over the shares of -1."""
    print("below 30 items: chance to reject a judge exactly at the margin, p at most 5 %, worst case")
    for margin in (0.1, 0.15, 0.2):
        for n in (10, 20, 29):
            print(
                f"  epsilon {margin}, {n} items: Wilcoxon {worst_size(signed_rank_below, n, margin):.3f}, "
                f"exact {worst_size(exact_below, n, margin):.3f}"
            )


def worst_size(test: Callable[[int, int, int, float], float], n: int, margin: float) -> float:
    """The largest chance of p at most 0.05 over the shares of -1 and 1 whose difference is the margin.

    Outcomes that are all alike have the bound of the statistic, by either test.
    """
    points = [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
    alike = {(a, b): n in (a, b, n - a - b) for a, b in points}
    rejected = [
        (a, b) for a, b in points if (exact_below if alike[a, b] else test)(a, n - a - b, b, margin) <= 0.05
    ]
    worst = 0.0
    for minus in np.linspace(0, (1 - margin) / 2, 41):
        plus, none = minus + margin, max(1 - 2 * minus - margin, 0.0)
        worst = max(
            worst, sum(math.comb(n, a) * math.comb(n - a, b) * minus**a * plus**b * none ** (n - a - b)
                       for a, b in rejected)
        )  # fmt: skip
    return worst
