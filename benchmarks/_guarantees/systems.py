"""Ranks, differences, tau-b, biases and decisiveness of systems against their true values.

Systems of known rates answer the same prompts, or other ones each. A prompt is easier or harder for all of
them; several people label each answer, and a judge whose error differs by system. The true values are those
of endless prompts. Promised: 95 % where all systems hold together (ranks, biases, tau-b: at least), or one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.systems import judged_scores
from voirdire.decide.systems_options import SystemsOptions
from voirdire.decide.systems_result import JudgedSystems
from voirdire.decide.systems_scores import SystemScores
from voirdire.stats.decisiveness import decided_win_rate

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """``systems`` answer ``prompts`` (each, where not ``shared``) and ``people`` label each answer.

    Rates lie ``apart``; judge biases have deviation ``bias``; ``pairs`` makes items pairs of answers, on
    which the judge has exponent ``exponent``.
    """

    systems: int
    prompts: int
    people: int
    apart: float
    bias: float
    shared: bool = True
    pairs: bool = False
    exponent: float = 1.0


DESIGNS = (
    Design(4, 150, 3, 0.10, 0.05),
    Design(6, 60, 2, 0.04, 0.08),
    Design(8, 40, 1, 0.05, 0.05, shared=False),
    Design(5, 600, 1, 0.0, 0.0, pairs=True, exponent=2.0),
    Design(5, 600, 3, 0.0, 0.0, pairs=True, exponent=0.6),
)
OPTIONS = SystemsOptions(draws=1000)


def rated(design: Design, rng: np.random.Generator) -> tuple[SystemScores, Floats]:
    """A study with labels of answers, and true rates (2, S) of people and judge."""
    size, n = design.systems, design.prompts
    people = np.clip(0.6 + design.apart * (np.arange(size) - (size - 1) / 2), 0.15, 0.85)
    judge = np.clip(people + rng.normal(0, design.bias, size), 0.15, 0.85)
    system = np.tile(np.arange(size), n)
    cluster = np.repeat(np.arange(n), size) if design.shared else np.arange(n * size)
    shift = 0.14 * rng.choice([-1, 1], n * size)[cluster]
    own = rng.uniform(-0.01, 0.01, n * size)
    said = rng.random((n * size, design.people)) < (people[system] + shift + own)[:, None]
    score = np.stack([said.mean(axis=1), rng.random(n * size) < judge[system] + shift])
    names = tuple(f"s{k}" for k in range(size))
    scores = SystemScores(
        ("m",), "pass rate", 1.0, ("people", "judge"), (True, True), names,
        np.arange(n * size), system, np.full(n * size, -1), cluster, score.astype(float),
    )  # fmt: skip
    return scores, np.stack([people, judge])


def met(design: Design, rng: np.random.Generator) -> tuple[SystemScores, Floats]:
    """A study with verdicts on pairs, and true mean scores (2, S) against random opponents."""
    size, n = design.systems, design.prompts
    ability = np.linspace(1.0, -1.0, size)
    human = 1 / (1 + np.exp(ability[None, :] - ability[:, None]))
    judge = decided_win_rate(human, design.exponent)
    first = rng.integers(0, size, n)
    second = (first + rng.integers(1, size, n)) % size
    said = (rng.random((n, design.people)) < human[first, second][:, None]).mean(axis=1)
    score = np.stack([said, rng.random(n) < judge[first, second]]).astype(float)
    names = tuple(f"s{k}" for k in range(size))
    at = np.arange(n)
    scores = SystemScores(
        ("m",), "score", 1.0, ("people", "judge"), (True, True), names, at, first, second, at, score
    )
    off = ~np.eye(size, dtype=bool)
    return scores, np.stack([(side * off).sum(axis=1) / (size - 1) for side in (human, judge)])


def ranks_hold(found: JudgedSystems, side: str, truth: Floats) -> bool:
    """Whether every true rank lies in its interval; equal rates may hold any of their ranks."""
    best = 1 + (truth[None, :] > truth[:, None] + 1e-12).sum(axis=1)
    last = len(truth) - (truth[None, :] < truth[:, None] - 1e-12).sum(axis=1)
    return all(
        rank.low <= b and a <= rank.high
        for rank, a, b in zip(getattr(found, f"{side}_ranks"), best, last, strict=True)
    )


def held(design: Design, runs: int, seed: int = 0) -> dict[str, float]:
    """Shares of runs in which each promise held."""
    rng = np.random.default_rng(seed)
    hits: dict[str, list[bool]] = {}
    for _ in range(runs):
        scores, truth = (met if design.pairs else rated)(design, rng)
        found = judged_scores(scores, OPTIONS, rng)
        assert found is not None, "there are two systems"
        bias = truth[1] - truth[0]
        rows: dict[str, Any] = {
            "people's ranks": ranks_hold(found, "people", truth[0]),
            "judge's ranks": ranks_hold(found, "judge", truth[1]),
            "a rate": [one.low <= true <= one.high for one, true in zip(found.people, truth[0], strict=True)],
            "biases": all(one.low <= true <= one.high for one, true in zip(found.bias, bias, strict=True)),
            "tau-b": found.tau.low <= _tau(truth) <= found.tau.high,
        }
        if design.pairs and found.decisiveness.has_interval:
            rows["decisiveness"] = found.decisiveness.low <= design.exponent <= found.decisiveness.high
            hits.setdefault("exponent", []).append(found.decisiveness.value)  # type: ignore[arg-type]
        if not design.pairs and found.bias_sd.has_interval:
            rows["SD of bias"] = found.bias_sd.low <= design.bias <= found.bias_sd.high
        if found.gap.undefined is None:
            rows["pairs beyond the gap alike"] = _alike(found, truth)
        for name, row in rows.items():
            hits.setdefault(name, []).extend(np.atleast_1d(row).tolist())
    return {name: float(np.mean(row)) for name, row in hits.items()}


def _tau(truth: Floats) -> float:
    one, two = np.triu_indices(truth.shape[1], 1)
    people, judge = (np.sign(side[one] - side[two]) for side in truth)
    return float((people * judge).mean())


def _alike(found: JudgedSystems, truth: Floats) -> list[bool]:
    """Of pairs that the judge parts by the confirmed gap or more, which people order as it does."""
    place = {name: k for k, name in enumerate(found.systems)}
    return [
        (pair.judge.value > 0) == (truth[0][place[pair.first]] > truth[0][place[pair.second]])
        for pair in found.pairs
        if abs(pair.judge.value) >= found.gap.value - 1e-12
    ]


def run(runs: int) -> None:
    """Every design; promised: 95 % or more of each, and decisiveness and the SD of bias 93 to 97 %."""
    for design in DESIGNS:
        found = held(design, runs)
        print(design)
        print("   " + ", ".join(f"{name} {share:.3f}" for name, share in found.items()))
