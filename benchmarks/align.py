"""Time the alignment: nested evaluation of every calibrator, prediction of a million rows, growth with items.

    python benchmarks/align.py [--items 1600] [--rows 1000000]

Limits: one outer repeat on 1,600 items x 4 metrics x 3 raters x 6 judges within 120 s on two cores, a million
rows predicted within 5 s. Wall-clock times need an idle machine; CPU times are printed beside them.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: more BLAS threads only wait for each other

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from voirdire.align import selection
from voirdire.align.calibrator import Problem
from voirdire.align.features import Features, Target
from voirdire.align.folds import grouped_folds
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.numerics import softmax
from voirdire.study.scale import Scale

SCALE = Scale("ordinal", ("1", "2", "3", "4", "5"), ordered=True, values=(1.0, 2.0, 3.0, 4.0, 5.0))
METRICS = ("coherence", "consistency", "fluency", "relevance")
JUDGES, RATERS = 6, 3
NESTED_SECONDS, PREDICT_SECONDS = 120.0, 5.0


def made(n_items: int, rng: np.random.Generator) -> tuple[Features, Target]:
    """Items with a quality, metrics with their own leniency, judges with noise, three labels each."""
    item = np.repeat(np.arange(n_items), len(METRICS))
    metric = np.tile(np.arange(len(METRICS), dtype=np.int32), n_items)
    quality = (
        rng.normal(size=n_items)[item] + 0.6 * rng.normal(size=len(item)) + np.linspace(-1, 1, 4)[metric]
    )
    human = softmax(-((np.arange(5) - 2 - 1.2 * quality[:, None]) ** 2) / 1.5)
    counts = rng.multinomial(RATERS, human)
    outputs = []
    for judge in range(JUDGES):
        noisy = 2 + 0.3 * judge + 0.8 * quality + 0.7 * rng.normal(size=len(item))
        code = np.clip(np.round(noisy), 0, 4).astype(np.int32)
        none = np.full((len(item), 5), np.nan)
        outputs.append(
            JudgeOutput(
                f"judge {judge}",
                SCALE.labels,
                code,
                none,
                np.eye(5)[code],
                code + 1.0,
                np.zeros(len(item)),
                4.0,
            )
        )
    return Features(SCALE, tuple(outputs), metric, METRICS), Target.of(counts, cluster=item)


def timed_nested(n_items: int, processes: int) -> None:
    """Wall time of one outer repeat of the nested evaluation of every calibrator."""
    features, target = made(n_items, np.random.default_rng(1))
    begin = time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        result = selection.nested(features, target, rng=np.random.default_rng(2), run=pool.map)
    wall = time.perf_counter() - begin
    losses = result.losses(target)
    verdict = "within" if wall <= NESTED_SECONDS else "OVER"
    print(f"nested evaluation, {n_items:,} items, {len(losses)} models: {wall:.1f} s wall ({verdict} 120 s)")
    print(
        "  loss a row: "
        + ", ".join(f"{name} {loss:.4f}" for name, loss in sorted(losses.items(), key=lambda x: x[1]))
    )


def timed_calibrators(n_items: int) -> None:
    """CPU time of each calibrator's inner cross-validation and fit, for one outer fold."""
    features, target = made(n_items, np.random.default_rng(1))
    problem = Problem.of(features, target, np.random.default_rng(2))
    folds = grouped_folds(target.cluster, rng=np.random.default_rng(3))
    total = 0.0
    for calibrator in selection.applicable(features):
        begin = time.process_time()
        setting, _ = calibrator.out_of_fold(problem, folds)
        calibrator.fit_at(problem, (setting,))
        spent = time.process_time() - begin
        total += spent
        print(f"  {calibrator.name:20s} {spent:7.2f} s CPU, chosen {setting}")
    print(f"fit of every calibrator, {n_items:,} items: {total:.1f} s CPU")


def timed_predict(rows: int) -> None:
    """Wall and CPU time to predict, a tenth and all of ``rows``."""
    features, target = made(400, np.random.default_rng(1))
    pool = selection.fit(features, target, rng=np.random.default_rng(2))
    many, _ = made(rows // len(METRICS), np.random.default_rng(3))
    for n in (rows // 10, rows):
        part = many.take(np.arange(n))
        begin, cpu = time.perf_counter(), time.process_time()
        pool.predict(part)
        wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
        verdict = "within" if wall <= PREDICT_SECONDS else "OVER"
        took = f"{wall:.2f} s wall, {cpu:.2f} s CPU"
        print(f"predict {n:,} rows by a pool of {len(pool.members)}: {took} ({verdict} 5 s)")


def timed_growth(n_items: int) -> None:
    """CPU time of the pool's fit at a quarter, a half and all of the items."""
    for n in (n_items // 4, n_items // 2, n_items):
        features, target = made(n, np.random.default_rng(1))
        begin = time.process_time()
        selection.fit(features, target, rng=np.random.default_rng(2))
        spent = time.process_time() - begin
        print(f"fit of the pool, {n:,} items: {spent:.2f} s CPU, {1e3 * spent / n:.2f} ms an item")


def main() -> None:
    """Print every timing."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("--items", type=int, default=1600)
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument("--processes", type=int, default=2)
    options = asked.parse_args()
    timed_calibrators(options.items)
    timed_nested(options.items, options.processes)
    timed_growth(options.items)
    timed_predict(options.rows)


if __name__ == "__main__":
    main()
