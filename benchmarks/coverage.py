"""How often 95 % intervals hold the true value: ``python benchmarks/coverage.py [runs]``.

Raters label a binary truth, each with its own chance to say 1 where the truth is 1 and where it is 0. For
"these raters" those chances are fixed and items are drawn; for "new raters" the raters are drawn too. Every
true value is a closed form. A row is one design and statistic: coverage of all intervals, of those that carry
no caution, the share that carries one, the share without an interval, and the mean width.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from voirdire.stats import NEW_RATERS, THESE_RATERS, Coded, Estimate, agreement, judge_against_people

COEFFICIENTS = ("krippendorff_alpha", "fleiss_kappa", "gwet_ac")
MISSING = 0.2


@dataclass(frozen=True)
class Labels:
    """Share of items whose truth is 1, and the chances to say 1 there and elsewhere: raters, judge."""

    name: str
    share: float
    hit: tuple[float, float]
    false_alarm: tuple[float, float]
    judge: tuple[float, float]


BALANCED = Labels("balanced", 0.5, (0.75, 0.95), (0.05, 0.25), (0.8, 0.2))
SKEWED = Labels("90/10", 0.9, (0.94, 0.99), (0.15, 0.45), (0.92, 0.3))


@dataclass(frozen=True)
class Design:
    labels: Labels
    items: int
    raters: int
    target: str

    def rates(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Chances to say 1 (raters, 2), where the truth is 1 and where it is 0."""
        ranges = (self.labels.hit, self.labels.false_alarm[::-1])
        if self.target == THESE_RATERS:
            return np.column_stack([np.linspace(*ends, self.raters) for ends in ranges])
        return np.column_stack([rng.uniform(min(ends), max(ends), self.raters) for ends in ranges])

    def truth(self) -> dict[str, float]:
        """Each statistic's value with endless items, and endless raters if raters are drawn."""
        share = np.array([self.labels.share, 1 - self.labels.share])
        if self.target == THESE_RATERS:
            p = self.rates(np.random.default_rng(0))
        else:  # two new raters are independent given the truth: each says 1 with the mean chance
            p = np.array([[np.mean(self.labels.hit), np.mean(self.labels.false_alarm)]] * 2)
        pairs = np.array(
            [p[r] * (1 - p[s]) + (1 - p[r]) * p[s] for r, s in itertools.permutations(range(len(p)), 2)]
        )
        people, judge = p.mean(axis=0), np.array(self.labels.judge)
        one, judge_one = share @ people, share @ judge
        observed, by_chance = share @ pairs.mean(axis=0), 2 * one * (1 - one)
        judge_observed = share @ (judge * (1 - people) + (1 - judge) * people)
        judge_by_chance = judge_one * (1 - one) + (1 - judge_one) * one
        kappa, judge_kappa = 1 - observed / by_chance, 1 - judge_observed / judge_by_chance
        ac1 = 1 - observed / (1 - by_chance)
        values = (kappa, kappa, ac1, judge_kappa - kappa)
        return dict(zip((*COEFFICIENTS, "judge - people"), values, strict=True))

    def draw(self, rng: np.random.Generator) -> tuple[Coded, NDArray[np.int64]]:
        """People's ratings and a judge's verdicts on new items."""
        kind = (rng.random(self.items) >= self.labels.share).astype(int)
        ratings = (rng.random((self.items, self.raters)) < self.rates(rng)[:, kind].T).astype(float)
        ratings[rng.random(ratings.shape) < MISSING] = np.nan
        judge = rng.random(self.items) < np.array(self.labels.judge)[kind]
        return Coded.from_matrix(ratings, categories=[0, 1]), judge.astype(np.int64)


@dataclass
class Score:
    """What happened to one statistic's intervals in one design."""

    held: list[bool] = field(default_factory=list)
    warned: list[bool] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    none: int = 0

    def add(self, estimate: Estimate, truth: float) -> None:
        if not estimate.has_interval:
            self.none += 1
            return
        self.held.append(estimate.low <= truth <= estimate.high)
        self.warned.append(estimate.caution is not None)
        self.width.append(min(estimate.high, 1) - max(estimate.low, -1))

    @property
    def trusted(self) -> list[bool]:
        """Whether each interval without a caution holds the truth."""
        return [held for held, warned in zip(self.held, self.warned, strict=True) if not warned]


def simulate(design: Design, runs: int, *, resamples: int, seed: int) -> dict[str, Score]:
    rng = np.random.default_rng(seed)
    truth = design.truth()
    scores = {name: Score() for name in truth}
    for _ in range(runs):
        people, judge = design.draw(rng)
        found = agreement(people, COEFFICIENTS, target=design.target, resamples=resamples, rng=rng)
        compared = judge_against_people(people, judge, target=design.target, resamples=resamples, rng=rng)
        for name, estimate in {**found, "judge - people": compared.difference}.items():
            scores[name].add(estimate, truth[name])
    return scores


def designs() -> Iterator[Design]:
    for target, labels, items, raters in itertools.product(
        (THESE_RATERS, NEW_RATERS), (BALANCED, SKEWED), (50, 200), (3, 5)
    ):
        yield Design(labels, items, raters, target)


def main(runs: int) -> None:
    head = ("labels", "items", "raters", "statistic", "truth", "all", "trusted", "caution", "none", "width")
    form = "{:9}{:>6}{:>7}  {:20}{:>7}{:>7}{:>9}{:>9}{:>7}{:>7}"
    target = ""
    for design in designs():
        if design.target != target:
            target = design.target
            print(f"\ntarget: {target}\n" + form.format(*head), flush=True)
        for name, score in simulate(design, runs, resamples=1000, seed=2026).items():
            trusted = f"{np.mean(score.trusted):.3f}" if len(score.trusted) >= 100 else "-"
            row = (design.labels.name, design.items, design.raters, name, f"{design.truth()[name]:.3f}")
            rates = (f"{np.mean(score.held):.3f}", trusted, f"{np.mean(score.warned):.2f}")
            print(
                form.format(*row, *rates, f"{score.none / runs:.3f}", f"{np.mean(score.width):.2f}"),
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
