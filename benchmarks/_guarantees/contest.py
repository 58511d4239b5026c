"""Does the interval of self-preference cover a planted bias, and stay silent where there is none?

Systems answer the same prompts; people and a judge label them. The judge adds ``planted`` to its own system's
chance of passing (or of winning), and ``others`` is how much its error differs between systems anyway. On
pairs it also leans to the first side, where its own answers mostly stand. Promised: the interval of these
systems covers the true difference in 93 to 97 % and is silent in at least 93 % of unbiased runs; where biases
differ anyway, the interval that allows for it is silent in at least 93 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from voirdire.decide.self_preference import preference_of
from voirdire.decide.systems_options import SystemsOptions
from voirdire.decide.systems_scores import SystemScores

OPTIONS = SystemsOptions()


@dataclass(frozen=True)
class Design:
    """``prompts`` answered by ``systems``, ``own`` of which are the judge's; or so many pairs of answers."""

    systems: int
    prompts: int
    people: int
    planted: float
    others: float = 0.0
    pairs: bool = False
    lean: float = 0.0


DESIGNS = (
    Design(6, 40, 3, 0.0),
    Design(6, 150, 2, 0.15),
    Design(5, 12, 1, 0.0),
    Design(6, 400, 2, 0.0, pairs=True, lean=0.15),
    Design(6, 400, 2, 0.12, pairs=True, lean=0.15),
    Design(8, 150, 2, 0.0, others=0.08),
    Design(8, 150, 2, 0.25, others=0.08),
)


def drawn(design: Design, rng: np.random.Generator) -> tuple[SystemScores, float]:
    """One study whose system 0 is the judge's own, and the true difference of its errors."""
    size, n = design.systems, design.prompts
    bias = rng.normal(0, design.others, size).clip(-0.2, 0.2)
    bias[0] += design.planted
    names = tuple(f"s{k}" for k in range(size))
    if design.pairs:
        first = rng.integers(0, size, n)
        second = (first + rng.integers(1, size, n)) % size
        turn = (second == 0) & (rng.random(n) < 0.8)  # own mostly stands first
        first, second = np.where(turn, second, first), np.where(turn, first, second)
        people = 0.5 + 0.06 * (second - first)
        judge = people + design.lean / 2 + bias[first] - bias[second]
        at, true = np.arange(n), design.planted
        cluster = at
    else:
        first, second = np.tile(np.arange(size), n), np.full(n * size, -1)
        at, cluster = np.arange(n * size), np.repeat(np.arange(n), size)
        people = 0.45 + 0.03 * first + 0.12 * rng.choice([-1, 1], n)[cluster]
        judge = people + bias[first]
        true = float(bias[0] - bias[1:].mean())
    p, q = people.clip(0.02, 0.98), judge.clip(0.02, 0.98)
    said = (rng.random((len(at), design.people)) < p[:, None]).mean(axis=1)
    score = np.stack([said, rng.random(len(at)) < q]).astype(float)
    one = SystemScores(
        ("m",), "pass rate", 1.0, ("people", "judge"), (True, True), names, at, first, second, cluster, score
    )
    return one, true


def found(design: Design, runs: int, seed: int = 0) -> dict[str, float]:
    """Shares of runs: the difference covered, each interval silent; mean width."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(runs):
        scores, true = drawn(design, rng)
        one = preference_of(scores, ["s0"], OPTIONS)
        assert one.difference is not None, one.reason
        assert one.any_systems is not None, one.reason
        own, wide = one.difference, one.any_systems
        rows.append(
            (
                own.low <= true <= own.high,
                own.low <= 0 <= own.high,
                wide.low <= 0 <= wide.high,
                own.high - own.low,
                wide.high - wide.low,
            )
        )
    names = ("covers", "silent", "silent allowing for other biases", "width", "width allowing for them")
    return dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))


def run(runs: int) -> None:
    """Every design."""
    for design in DESIGNS:
        print(design)
        print("   " + ", ".join(f"{name} {value:.3f}" for name, value in found(design, runs).items()))
