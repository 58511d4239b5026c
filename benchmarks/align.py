"""Time the alignment: nested evaluation of every calibrator, prediction of a million rows, growth with items.

    python benchmarks/align.py [--items 1600] [--rows 1000000] [calibrators nested growth predict command]

Limits: one outer repeat on 1,600 items x 4 metrics x 3 raters x 6 judges within 120 s on two cores, a million
rows predicted within 5 s, time growing linearly: the exponent of a power of the number of items is at most
1.15. Wall-clock times need an idle machine; CPU times, which are judged, are printed beside them.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: more BLAS threads only wait for each other

import argparse
import resource
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from voirdire.align import selection
from voirdire.align.aligner import align
from voirdire.align.calibrator import Problem
from voirdire.align.features import Features, Target
from voirdire.align.folds import grouped_folds
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.numerics import softmax
from voirdire.align.options import AlignOptions
from voirdire.study.column import Column
from voirdire.study.items import Items
from voirdire.study.metric import Metric
from voirdire.study.rater import Rater
from voirdire.study.ratings import Ratings
from voirdire.study.scale import Scale
from voirdire.study.study import Study

SCALE = Scale("ordinal", ("1", "2", "3", "4", "5"), ordered=True, values=(1.0, 2.0, 3.0, 4.0, 5.0))
METRICS = ("coherence", "consistency", "fluency", "relevance")
JUDGES, RATERS = 6, 3
PARTS = ("calibrators", "nested", "growth", "predict", "command")
NESTED_SECONDS, PREDICT_SECONDS, EXPONENT = 120.0, 5.0, 1.15


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
    """Time of one outer repeat of the nested evaluation of every calibrator, its folds in processes."""
    features, target = made(n_items, np.random.default_rng(1))
    begin, cpu = time.perf_counter(), cpu_seconds()
    with ProcessPoolExecutor(processes) as pool:
        result = selection.nested(features, target, rng=np.random.default_rng(2), run=pool.map)
    wall, cpu = time.perf_counter() - begin, (cpu_seconds() - cpu) / processes
    losses = result.losses(target)
    took = f"{wall:.1f} s wall, {cpu:.1f} s CPU a process of {processes}"
    said = "within" if cpu <= NESTED_SECONDS else "OVER"
    print(f"nested evaluation, {n_items:,} items, {len(losses)} models: {took} ({said} {NESTED_SECONDS:g} s)")
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


def cpu_seconds() -> float:
    """CPU time of this process and of those that it waited for."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def timed_predict(rows: int) -> None:
    """Time of ``Aligner.predict`` on a tenth and all of ``rows`` of a study, its people silent or not."""
    for judges, people in ((1, False), (JUDGES, False), (JUDGES, True)):
        named = tuple(f"judge {j}" for j in range(judges))
        fitted = align(study_of(*made(400, np.random.default_rng(1))), AlignOptions(repeats=1, judges=named))
        for n in (rows // 10, rows):
            features, target = made(n // len(METRICS), np.random.default_rng(3))
            study = study_of(replace(features, judges=features.judges[:judges]), target if people else None)
            begin, cpu = time.perf_counter(), cpu_seconds()
            predicted = fitted.predict(study)
            wall, cpu = time.perf_counter() - begin, cpu_seconds() - cpu
            said = "within" if cpu <= PREDICT_SECONDS else "OVER"
            labels = f"{RATERS} labels" if people else "no label"
            what = f"predict {len(predicted):,} rows, {judges} judges, {labels} a row"
            print(f"{what}: {wall:.2f} s wall, {cpu:.2f} s CPU ({said} {PREDICT_SECONDS:g} s)")


def timed_command(rows: int) -> None:
    """Time and memory of ``voirdire predict``, from reading a file of verdicts to writing predictions."""
    for judges, suffix in ((1, ".csv"), (1, ".parquet"), (JUDGES, ".parquet")):
        named = tuple(f"judge {j}" for j in range(judges))
        fitted = align(study_of(*made(400, np.random.default_rng(1))), AlignOptions(repeats=1, judges=named))
        features, _ = made(rows // len(METRICS), np.random.default_rng(3))
        study = study_of(replace(features, judges=features.judges[:judges]), None)
        with TemporaryDirectory() as name:
            folder = Path(name)
            aligner, verdicts = str(fitted.save(folder / "aligner.json")), str(folder / f"verdicts{suffix}")
            replace(study, raters=study.raters[:judges]).export(verdicts)
            asked = ["predict", aligner, verdicts, "--out", str(folder / "predicted.parquet"), "--quiet"]
            begin = time.perf_counter()
            child = subprocess.Popen([sys.executable, "-m", "voirdire", *asked])
            _, status, used = os.wait4(child.pid, 0)
        wall, cpu = time.perf_counter() - begin, used.ru_utime + used.ru_stime
        failed = "" if status == 0 else ", FAILED"
        took = f"{wall:.1f} s wall, {cpu:.1f} s CPU, {used.ru_maxrss / 1e6:.1f} GB{failed}"
        print(f"command, {len(study.ratings):,} verdicts of {judges} judges in {suffix}: {took}")


def study_of(features: Features, target: Target | None) -> Study:
    """The judges' verdicts as a study's ratings, and people's labels where there are any."""
    n, n_judges = len(features), len(features.judges)
    item = np.arange(n) // len(METRICS)
    parts = [(np.arange(n), np.full(n, j), output.code) for j, output in enumerate(features.judges)]
    if target is not None:
        label = np.repeat(np.tile(np.arange(5), n), target.counts.astype(np.intp).ravel())
        parts.append((np.repeat(np.arange(n), RATERS), n_judges + np.tile(np.arange(RATERS), n), label))
    row, rater, label = (np.concatenate(part).astype(np.int32) for part in zip(*parts, strict=True))
    size, code = len(row), label.astype(np.int32)
    ratings = Ratings(
        item=item[row].astype(np.int32),
        metric=features.metric[row],
        rater=rater,
        run=Column.constant("0", size),
        raw=Column(code, SCALE.labels),
        label=code,
        status=np.zeros(size, dtype=np.int8),
        source=np.zeros(size, dtype=np.int32),
        row=np.arange(size),
        probabilities={},
        attributes={},
    )
    raters = [Rater(output.judge, "judge") for output in features.judges]
    raters += [Rater(f"person {k}", "human") for k in range(RATERS)]
    items = Items(tuple(map(str, range(int(item[-1]) + 1))), {}, {}, None)
    return Study("made", items, tuple(Metric(name, SCALE) for name in METRICS), tuple(raters), ratings)


def timed_growth(n_items: int) -> None:
    """CPU time of the pool's fit at a quarter to four times the items, and the exponent of its growth."""
    sizes = [n_items // 4, n_items // 2, n_items, 2 * n_items, 4 * n_items]
    spent = []
    for n in sizes:
        features, target = made(n, np.random.default_rng(1))
        begin = time.process_time()
        selection.fit(features, target, rng=np.random.default_rng(2))
        spent.append(time.process_time() - begin)
        print(f"fit of the pool, {n:,} items: {spent[-1]:.2f} s CPU, {1e3 * spent[-1] / n:.2f} ms an item")
    exponent = np.polyfit(np.log(sizes), np.log(spent), 1)[0]
    said = "linear" if exponent <= EXPONENT else "NOT linear"
    print(f"growth: time goes as items ** {exponent:.2f} ({said})")


def main() -> None:
    """Print every timing."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("parts", nargs="*", default=list(PARTS))
    asked.add_argument("--items", type=int, default=1600)
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument("--processes", type=int, default=2)
    options = asked.parse_args()
    if "calibrators" in options.parts:
        timed_calibrators(options.items)
    if "nested" in options.parts:
        timed_nested(options.items, options.processes)
    if "growth" in options.parts:
        timed_growth(options.items)
    if "predict" in options.parts:
        timed_predict(options.rows)
    if "command" in options.parts:
        timed_command(options.rows)


if __name__ == "__main__":
    main()
