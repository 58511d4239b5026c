"""How often a benchmark's intervals hold the truth: ours beside the bootstrap over metrics.

``python benchmarks/bench_intervals.py`` takes about two minutes. Metrics are drawn anew each time: each has
a chance of passing of its own (beta, of mean ``p``; ``rho`` is the correlation within a metric), and six
conversations a system. Printed are the share of intervals that hold the mean of endless metrics, and their
mean width: Wilson on the effective number of conversations with t, as results have it, and percentiles of
1,000 resamples of whole metrics.
"""

from __future__ import annotations

import numpy as np

from voirdire.stats.clustered_ratios import clustered_ratios

TIMES, RESAMPLES, CASES = 2000, 1000, 6


def drawn(rng: np.random.Generator, metrics: int, p: float, rho: float) -> tuple[np.ndarray, np.ndarray]:
    """Passes and conversations (metrics, times)."""
    size = 1 / rho - 1
    chance = rng.beta(p * size, (1 - p) * size, (metrics, TIMES))
    n = np.full((metrics, TIMES), float(CASES))
    return rng.binomial(CASES, chance).astype(float), n


def bootstrap(rng: np.random.Generator, x: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Percentile intervals (times,) of whole metrics drawn with replacement."""
    metrics = len(x)
    weights = rng.multinomial(metrics, np.full(metrics, 1 / metrics), RESAMPLES).astype(float)
    low, high = np.quantile((weights @ x) / (weights @ n), [0.025, 0.975], axis=0)
    return low, high


def main() -> None:
    rng = np.random.default_rng(20261129)
    print(f"{TIMES:,} draws, {CASES} conversations a metric and system; holds (%) and width (points)")
    print(f"{'metrics':>7} {'p':>5} {'rho':>5}  {'Wilson, clusters':>18}  {'bootstrap':>18}")
    for metrics in (3, 5, 10, 26, 100, 460):
        for p, rho in ((0.5, 0.3), (0.7, 0.1), (0.9, 0.2), (0.97, 0.1)):
            x, n = drawn(rng, metrics, p, rho)
            bounds = clustered_ratios(np.ones((1, metrics)), x, n).share_bounds()
            ours = bounds[0][0], bounds[1][0]
            told = []
            for low, high in (ours, bootstrap(rng, x, n)):
                held = float(((low <= p) & (p <= high)).mean())
                told.append(f"{100 * held:8.1f} {100 * float((high - low).mean()):9.1f}")
            print(f"{metrics:7d} {p:5.2f} {rho:5.2f}  {told[0]}  {told[1]}", flush=True)


if __name__ == "__main__":
    main()
