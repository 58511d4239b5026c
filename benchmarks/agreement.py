"""CPU time of three coefficients with 1,000 resamples beside other packages.

Run ``python benchmarks/agreement.py``: 50,000 items x 5 raters, 5 labels, 10 % missing. Everything runs in
one process, one after the other, on the same table; the clock is the process's CPU time over all its threads,
and each figure is the fastest of several. The peers' loops are measured on twenty resamples, the fastest of
which is scaled. Peak memory is the whole process's, read before a peer is imported.
"""

from __future__ import annotations

import importlib
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.stats import NEW_RATERS, Coded, KrippendorffAlpha, agreement

ITEMS, RATERS, LABELS, MISSING = 50_000, 5, 5, 0.1
RESAMPLES, CLUSTERS, REPEATS = 1_000, 10_000, 20
NAMES = ["krippendorff_alpha", "fleiss_kappa", "gwet_ac"]


def ratings(rng: np.random.Generator) -> NDArray[np.float64]:
    """Raters who see the truth six times in ten and guess otherwise."""
    truth = rng.integers(1, LABELS + 1, (ITEMS, 1))
    guess = rng.integers(1, LABELS + 1, (ITEMS, RATERS))
    table = np.where(rng.random(guess.shape) < 0.6, truth, guess).astype(np.float64)
    table[rng.random(table.shape) < MISSING] = np.nan
    return table


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """CPU time of the fastest of ``repeats``."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def show(name: str, cpu: float, ours: float, limit: str = "") -> None:
    print(f"{name:62}{cpu:10.3f} s {cpu / ours:9.1f}x  {limit}", flush=True)


def main() -> None:
    table = ratings(np.random.default_rng(1))
    cluster = np.random.default_rng(2).integers(0, CLUSTERS, ITEMS)
    rng = np.random.default_rng(3)

    def three(**options: Any) -> object:
        return agreement(Coded.from_matrix(table), NAMES, resamples=RESAMPLES, rng=rng, **options)

    ours = seconds(three)
    alone = seconds(lambda: agreement(Coded.from_matrix(table), NAMES[:1], resamples=RESAMPLES, rng=rng))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{ITEMS:,} x {RATERS}, {LABELS} labels, {MISSING:.0%} missing; {RESAMPLES:,} resamples\n")
    show("ours: alpha, Fleiss, AC1, BCa, from the float matrix", ours, ours, "goal < 0.1 s")
    show("ours: the same, percentile", seconds(lambda: three(interval="percentile")), ours)
    show("ours: the same, jackknife", seconds(lambda: three(interval="jackknife")), ours)
    show("ours: the same, for new raters", seconds(lambda: three(target=NEW_RATERS)), ours)
    show("ours: alpha alone", alone, ours)
    coded = Coded.from_matrix(table, cluster=cluster)
    clustered = seconds(lambda: agreement(coded, NAMES, resamples=RESAMPLES, rng=rng), 3)
    show(f"ours: the three, {CLUSTERS:,} clusters", clustered, ours, "goal < 0.5 s")
    scores = Coded.from_matrix(table + rng.normal(size=table.shape))
    interval = {"interval": KrippendorffAlpha(level="interval")}
    continuous = seconds(lambda: agreement(scores, interval, resamples=RESAMPLES, rng=rng), 2)
    show("ours: interval alpha of continuous scores", continuous, ours)
    print(f"\npeak memory {peak:.0f} MB (goal < 300 MB)\n")
    peers(table, ours, alone)


def installed(name: str) -> Any:
    """The package, or None and a line that says so."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name}: not installed, left out")
        return None


def peers(table: NDArray[np.float64], ours: float, alone: float) -> None:
    """Loops over other packages, a few resamples scaled to all; a package that is not installed is named."""
    rng = np.random.default_rng(4)

    def resampled() -> NDArray[np.float64]:
        return table[rng.integers(0, ITEMS, ITEMS)].T

    calls: dict[str, Callable[[], object]] = {}
    if (krippendorff := installed("krippendorff")) is not None:
        calls["krippendorff.alpha"] = lambda: krippendorff.alpha(resampled(), level_of_measurement="nominal")
    if (evalica := installed("evalica")) is not None:
        pandas = importlib.import_module("pandas")  # evalica takes nothing else
        calls["evalica.alpha"] = lambda: evalica.alpha(pandas.DataFrame(resampled()))
    for name, call in calls.items():
        call()
        loop = seconds(call) * RESAMPLES
        show(f"{name} in a loop, alpha alone", loop, alone, f"of ours alone; {loop / ours:.0f}x of our three")


if __name__ == "__main__":
    main()
