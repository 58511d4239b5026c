"""Nested cross-validated loss of every calibrator on the shared data, and at 50, 100 and 200 training items.

    python benchmarks/align_real.py [llm_rubric pandalm mtbench_human] [--repeats 1] [--few]
    python benchmarks/align_real.py planted --few      a made study that suits NAPHA

Losses are nats a row, the mean over its labels of -log q; differences are paired by cluster. Items are
clusters unless the data say more: the question for mtbench_human.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: more BLAS threads only wait for each other

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voirdire.align import selection
from voirdire.align.features import Features, Target
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.numerics import log_loss, softmax
from voirdire.align.observe import features_of
from voirdire.opening import open as open_study
from voirdire.study.scale import Scale

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = ("llm_rubric", "pandalm", "mtbench_human")
CLUSTERS = {"mtbench_human": "question_id"}
FEW = (50, 100, 200)
COMPARED = ("label_prior", "metric_prior", "system_prior", "temperature", "temperature_bias", "napha", "mlp")
Floats = NDArray[np.float64]


def rows_of(name: str) -> tuple[Features, Target]:
    """The labelled rows of one data set, clustered as declared above."""
    study = open_study(DATA / name / "long.csv")
    observed = features_of(study).labelled
    cluster = observed.item
    if name in CLUSTERS:
        cluster = study.items.attributes[CLUSTERS[name]].codes[observed.item].astype(np.intp)
    single = observed.target
    target = Target.of(single.counts, cluster=cluster)
    return observed.features, Target(
        target.counts, target.cluster, target.weights, single.row, single.rater, single.label
    )


def row_losses(predicted: Floats, target: Target) -> Floats:
    """Mean over its labels of -log q, each row (n,)."""
    return log_loss(predicted, target.counts / target.labels_per_row[:, None])


def difference(one: Floats, two: Floats, cluster: NDArray[np.intp]) -> tuple[float, float]:
    """Mean of one - two and its standard error over clusters."""
    gap = one - two
    by_cluster = np.bincount(cluster, weights=gap - gap.mean())
    used = np.bincount(cluster) > 0
    return float(gap.mean()), float(np.sqrt((by_cluster[used] ** 2).sum()) / len(gap))


def evaluate(name: str, repeats: int) -> None:
    """Print every calibrator's nested loss, and the pool against the floors and NAPHA."""
    features, target = rows_of(name)
    losses: dict[str, list[Floats]] = {}
    for seed in range(repeats):
        result = selection.nested(features, target, rng=np.random.default_rng(seed))
        for model, predicted in result.predictions.items():
            losses.setdefault(model, []).append(row_losses(predicted, target))
    mean = {model: np.mean(each, axis=0) for model, each in losses.items()}
    clusters = len(np.unique(target.cluster))
    labels = int(target.counts.sum())
    print(f"\n{name}: {len(features):,} rows, {clusters:,} clusters, {labels:,} labels, {repeats} repeats")
    for model, loss in sorted(mean.items(), key=lambda pair: pair[1].mean()):
        gap, error = difference(mean["pool"], loss, target.cluster)
        against = "" if model == "pool" else f"   pool minus it {gap:+.4f} (SE {error:.4f})"
        print(f"  {model:20s} {loss.mean():.4f}{against}")


def planted_rows() -> tuple[Features, Target]:
    """A study that suits NAPHA: each tercile of the judge's entropy has a map of its own."""
    rng = np.random.default_rng(7)
    n, scale = 2400, Scale("nominal", ("a", "b", "c"))
    z = rng.gamma(2.0, 1.0, size=(n, 1)) * rng.normal(size=(n, 3))
    given = softmax(z)
    log = np.log(given)
    level = np.searchsorted(
        np.quantile(-(given * log).sum(axis=1), [1 / 3, 2 / 3]), -(given * log).sum(axis=1)
    )
    slope = np.array([0.4, 1.0, 2.5])[level, None]
    bias = np.array([[0.0, 0.0, 0.0], [0.8, 0.0, -0.8], [-0.8, 0.8, 0.0]])[level]
    counts = rng.multinomial(3, softmax(slope * log + bias))
    none = np.zeros(n)
    code = log.argmax(axis=1).astype(np.int32)
    judge = JudgeOutput("judge", scale.labels, code, log, np.zeros((n, 3)), np.full(n, np.nan), none)
    return Features(scale, (judge,), np.zeros(n, dtype=np.int32), ("m",)), Target.of(counts)


def few(name: str, repeats: int) -> None:
    """Print losses on all other clusters after fitting on about 50, 100 and 200 items."""
    features, target = planted_rows() if name == "planted" else rows_of(name)
    rng = np.random.default_rng(3)
    print(f"\n{name}, few training items ({repeats} draws): loss on the rest")
    for n in FEW:
        found: dict[str, list[float]] = {}
        for _ in range(repeats):
            train, rest = drawn(target, n, rng)
            names = dict.fromkeys((*selection.POOLED, *COMPARED))
            kinds = selection.applicable(features, names)
            trained = selection.train(features.take(train), target.take(train), calibrators=kinds, rng=rng)
            test, truth = features.take(rest), target.take(rest)
            models = {"pool": trained.select("pool"), "one_se": trained.select("one_se"), **trained.fits}
            for model, fitted in models.items():
                if model in ("pool", "one_se", *COMPARED):
                    found.setdefault(model, []).append(float(row_losses(fitted.predict(test), truth).mean()))
        shown = ", ".join(
            f"{model} {np.mean(each):.3f}"
            for model, each in sorted(found.items(), key=lambda x: np.mean(x[1]))
        )
        print(f"  {n:3d} items: {shown}")


def drawn(target: Target, n: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of randomly drawn clusters until there are about ``n`` rows, and the rows of the others."""
    order = rng.permutation(int(target.cluster.max()) + 1)
    size = np.bincount(target.cluster)[order]
    chosen = order[: int(np.searchsorted(np.cumsum(size), n)) + 1]
    inside = np.isin(target.cluster, chosen)
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("sets", nargs="*", default=list(SETS))
    asked.add_argument("--repeats", type=int, default=1)
    asked.add_argument("--few", action="store_true", help="few training items in place of the nested table")
    options = asked.parse_args()
    for name in options.sets:
        (few if options.few else evaluate)(name, options.repeats)


if __name__ == "__main__":
    main()
