"""How often 95 % intervals of abilities hold the true value, with several verdicts an item.

Systems of known log abilities meet on items, and several people judge each item. An item lifts or lowers what
its pair looks like to all of them (a normal shift of the difference), so that verdicts on one item go
together. The true value is what the same model gives endless items, by quadrature over the shift.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.stats import Abilities, PairedComparisons, bradley_terry, davidson, rao_kupper
from voirdire.stats.davidson import MODEL

Model = Callable[..., Abilities]
Floats = NDArray[np.float64]

MANY = 40_000
"""Verdicts a pair that stand for endless ones; what rounding them moves is far below any width."""


@dataclass(frozen=True)
class Design:
    """``items`` in all, each one pair of ``systems`` judged by ``people``; ``shift`` is the items' spread."""

    systems: int
    items: int
    people: int
    shift: float
    log_nu: float = -0.3

    @property
    def abilities(self) -> Floats:
        return np.linspace(1.2, -1.2, self.systems)

    def chances(self, gap: Floats) -> Floats:
        """P(first), P(second) and P(tie) at each difference (n, 3)."""
        return np.exp(MODEL.outcomes(gap, self.log_nu).log_p)

    def draw(self, rng: np.random.Generator) -> PairedComparisons:
        first = rng.integers(0, self.systems, self.items)
        second = (first + rng.integers(1, self.systems, self.items)) % self.systems
        gap = self.abilities[first] - self.abilities[second] + self.shift * rng.normal(size=self.items)
        item = np.repeat(np.arange(self.items), self.people)
        limits = self.chances(gap).cumsum(axis=1)[item, :2]
        outcome = (rng.random((len(item), 1)) > limits).sum(axis=1)
        return PairedComparisons(first[item], second[item], outcome, self.systems, item)

    def truth(self, model: Model) -> Floats:
        """The log abilities (n,) that ``model`` gives endless items."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(80)
        n = self.systems
        wins, ties = np.zeros((2, n, n), dtype=np.int64)
        for i, j in zip(*np.triu_indices(n, 1), strict=True):
            gap = self.abilities[i] - self.abilities[j] + self.shift * nodes
            p = weights @ self.chances(gap) / weights.sum()
            wins[i, j], wins[j, i], ties[i, j] = np.rint(MANY * p)
        endless = model(PairedComparisons.from_counts(wins, ties + ties.T))
        return np.array([one.value for one in endless.log_ability])


DESIGNS = (
    Design(systems=5, items=60, people=3, shift=1.0),
    Design(systems=5, items=300, people=3, shift=1.0),
    Design(systems=4, items=200, people=1, shift=0.0),
    Design(systems=8, items=400, people=5, shift=2.0),
)
MODELS: tuple[Model, ...] = (bradley_terry, davidson, rao_kupper)


def covered(design: Design, model: Model, runs: int, seed: int = 0) -> dict[str, float]:
    """Share of intervals that hold the truth, over all systems: with clusters and without; and widths."""
    rng, truth = np.random.default_rng(seed), design.truth(model)
    hits: dict[str, list[bool]] = {"clustered": [], "naive": []}
    widths: dict[str, list[float]] = {"clustered": [], "naive": []}
    none = 0
    for _ in range(runs):
        met = design.draw(rng)
        alone = PairedComparisons(met.first, met.second, met.outcome, met.n_systems)
        for name, one in (("clustered", met), ("naive", alone)):
            found = model(one)
            none += found.undefined is not None
            for estimate, value in zip(found.log_ability, truth, strict=True):
                if estimate.has_interval:
                    hits[name].append(bool(estimate.low <= value <= estimate.high))
                    widths[name].append(estimate.high - estimate.low)
    shares = {name: float(np.mean(held)) for name, held in hits.items()}
    return (
        shares
        | {f"{name} width": float(np.mean(w)) for name, w in widths.items()}
        | {"no fit": none / (2 * runs)}
    )


def run(runs: int) -> None:
    """Coverage of every design and model; promised: 93 to 97 % with clusters."""
    print("systems items people shift  model           with clusters (width)   without (width)   no fit")
    for design in DESIGNS:
        for model in MODELS:
            found = covered(design, model, runs)
            shares = [f"{found[way]:.3f} ({found[f'{way} width']:.2f})" for way in ("clustered", "naive")]
            print(
                f"{design.systems:7} {design.items:5} {design.people:6} {design.shift:5.1f}  "
                f"{model.__name__:14}  {shares[0]}            {shares[1]}      {found['no fit']:.3f}"
            )
