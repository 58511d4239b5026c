"""Response sets on planted studies: bias of the corrected error, coverage of every interval.

``python benchmarks/response_sets.py [studies]``; about two minutes with 1,000 studies.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from voirdire.align.response_sets import even_split, membership, read_out, squared_errors
from voirdire.align.set_choice import judge_choice
from voirdire.align.set_matrices import PairedLabels, set_matrices
from voirdire.align.set_table import SetTable
from voirdire.stats.sets import set_distance
from voirdire.study import Scale

Floats = NDArray[np.float64]
SCALE = Scale("nominal", ("a", "b", "a|b"), indeterminate={"a|b": ("a", "b")}, separator="|")
FORWARD = np.array([[0.98, 0.05, 0.75], [0.02, 0.95, 0.25]])
KINDS = np.array([[0.5, 0.1, 0.4], [0.1, 0.3, 0.6], [0.05, 0.85, 0.1]])
"""How people label three kinds of items: a, b, both."""
SAID = {"sharp": (0, 1, 1), "wide": (2, 2, 1)}
"""What two judges say of the three kinds."""


def main() -> None:
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = np.random.default_rng(20261129)
    print("mean squared error of the right prediction: observed shares, corrected (standard error)")
    for k in (2, 3, 5):
        print(f"  k = {k}: {bias(k, rng)}")
    print(f"coverage of 95 % intervals in {studies:,} studies")
    for pairs, per_cluster in ((100, 1), (150, 1), (400, 1), (150, 3)):
        low, high = matrices(pairs, per_cluster, studies, rng)
        print(f"  entries of F and F', {pairs} pairs, {per_cluster} a cluster: {low:.3f} to {high:.3f}")
    for clusters in (20, 60, 200):
        print(f"  {clusters} clusters of two rows, three people: {choices(clusters, studies, rng)}")


def bias(k: int, rng: np.random.Generator) -> str:
    theta = rng.dirichlet(np.ones(3), size=200_000)
    counts = _drawn(k, theta, rng)
    members = membership(SCALE)
    corrected = squared_errors(theta @ members.T, counts, members).mean(axis=1)
    observed = ((theta @ members.T - read_out(counts, members)) ** 2).mean()
    return f"{observed:.4f}, {corrected.mean():+.5f} ({corrected.std() / np.sqrt(len(theta)):.5f})"


def matrices(n: int, per_cluster: int, studies: int, rng: np.random.Generator) -> tuple[float, float]:
    """Lowest and highest coverage of an entry; people of one cluster share the item's kind of label."""
    joint = FORWARD * KINDS.mean(axis=0)
    reverse = (joint / joint.sum(axis=1, keepdims=True)).T
    held = np.zeros(12)
    for _ in range(studies):
        kind = rng.integers(0, 3, -(-n // per_cluster)).repeat(per_cluster)[:n]
        label = _drawn(1, KINDS[kind], rng).argmax(axis=1)
        choice = (rng.uniform(size=n) > FORWARD[0, label]).astype(np.intp)
        pairs = PairedLabels(SCALE, label, choice, np.arange(n) // per_cluster)
        found = set_matrices(pairs, resamples=400, rng=rng)
        bounds = (
            (found.forward_low, FORWARD, found.forward_high),
            (found.reverse_low, reverse, found.reverse_high),
        )
        held += np.concatenate([((low <= true) & (true <= high)).ravel() for low, true, high in bounds])
    return float(held.min() / studies), float(held.max() / studies)


def choices(clusters: int, studies: int, rng: np.random.Generator) -> str:
    """Coverage of the cost of a choice and of the figures of the judge that says sets."""
    truth = _truth()
    held: dict[str, int] = dict.fromkeys(truth, 0)
    for _ in range(studies):
        kind = rng.integers(0, 3, clusters).repeat(2)
        counts = _drawn(3, KINDS[kind], rng)
        verdicts = np.stack([np.eye(3)[np.array(said)[kind]] for said in SAID.values()])
        rows = np.zeros(len(kind), dtype=np.intp)
        units = np.arange(len(kind))
        table = SetTable(SCALE, counts, tuple(SAID), verdicts, ("m",), rows, units, units // 2)
        found = judge_choice(table, resamples=400, rng=rng)
        wide = found.judges[1]
        estimates = {
            "cost": found.cost if not found.same else None,
            "error": wide.sets.error,
            "covered": wide.sets.covered,
            "kappa of sets": wide.sets.kappa,
            "kappa split evenly": wide.forced.kappa["split evenly"],
        }
        for name, one in estimates.items():
            held[name] += one is None or one.low <= truth[name] <= one.high
    return ", ".join(f"{name} {count / studies:.3f}" for name, count in held.items())


def _truth() -> dict[str, float]:
    members, split = membership(SCALE), even_split(membership(SCALE))
    said = {name: np.eye(3)[list(labels)] for name, labels in SAID.items()}
    omega = KINDS @ members.T
    loss = {name: ((one @ members.T - omega) ** 2).mean() for name, one in said.items()}
    sets = [SCALE.members(label) for label in SCALE.labels]
    alike = 1 - np.array([[set_distance(a, b) for b in sets] for a in sets])
    wide = said["wide"]
    return {
        "cost": float(loss["sharp"] - loss["wide"]),
        "error": float(loss["wide"]),
        "covered": float(((wide @ split.T) * omega).sum(axis=1).mean()),
        "kappa of sets": _kappa(wide, KINDS, alike),
        "kappa split evenly": _kappa(wide @ split.T, KINDS @ split.T, np.eye(2)),
    }


def _kappa(judge: Floats, people: Floats, weights: Floats) -> float:
    same = float(np.einsum("nx,xy,ny->n", judge, weights, people).mean())
    chance = float(judge.mean(axis=0) @ weights @ people.mean(axis=0))
    return (same - chance) / (1 - chance)


def _drawn(k: int, theta: Floats, rng: np.random.Generator) -> Floats:
    """k labels of each row (n, 3) with chances ``theta`` (n, 3)."""
    return rng.multinomial(k, theta).astype(np.float64)


if __name__ == "__main__":
    main()
