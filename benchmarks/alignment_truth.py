"""Known truth for the alignment: each figure beside what was planted, with seeds fixed.

    python benchmarks/alignment_truth.py [--studies 200] [kernel sharpening random equivalence kappa coverage]

kernel: the unbiased score of the perfect predictor is 0. sharpening: which power of the truth each score
likes best. random: how often a judge that knows nothing is called helpful. equivalence: a judge that is m
pooled people. kappa: recovery and coverage. coverage: of the gain over base rates.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: more BLAS threads only wait for each other

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from scipy.stats import bootstrap

from voirdire.align.comparability import dist_ce, jensen_shannon
from voirdire.align.equivalence import Rows, cross_fitted_alpha, next_label_losses, power_curve
from voirdire.align.features import Features, Target
from voirdire.align.fusion import fit_kappa, posterior_draws
from voirdire.align.held_out import HeldOut, Protocol, repeated
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.protocol import evaluate
from voirdire.align.scores import brier_kernel, kernel_score, log_score, rps_kernel
from voirdire.align.selection import fit
from voirdire.study.scale import Scale

Floats = NDArray[np.float64]
SCALE = Scale("ordinal", ("1", "2", "3"), ordered=True, values=(1.0, 2.0, 3.0))
PRIOR = np.array([0.5, 0.3, 0.2])
BOOTSTRAPS = ("percentile", "BCa")
QUICK = Protocol(repeats=1, resamples=500)


def kernel(studies: int) -> None:
    """Mean score of the perfect predictor, in standard errors from 0."""
    rng = np.random.default_rng(1)
    for k in (2, 3, 5):
        truth = rng.dirichlet([0.4] * 3, size=100 * studies)
        counts = rng.multinomial(k, truth).astype(float)
        for name, of in (("Brier", brier_kernel(3)), ("RPS", rps_kernel(3))):
            score = kernel_score(truth, counts, of)
            error = score.std() / np.sqrt(len(score))
            print(f"kernel k={k} {name}: {score.mean():+.5f} (SE {error:.5f}, z {score.mean() / error:+.2f})")


def sharpening(studies: int) -> None:
    """The power of the truth that each score likes best, as in section 3.1 of the research notes."""
    rng = np.random.default_rng(2)
    truth = rng.dirichlet([0.4] * 3, size=100 * studies)
    powers = (0.7, 1.0, 1.3, 1.6, 2.0, 3.0, 5.0)
    scores: dict[str, Callable[[Floats, Floats], Floats]] = {
        "log": log_score,
        "kernel": lambda q, n: kernel_score(q, n, brier_kernel(3)),
        "DistCE": dist_ce,
        "JSD": jensen_shannon,
    }
    for k in (2, 3, 5, 10):
        counts = rng.multinomial(k, truth).astype(float)
        best = {}
        for name, of in scores.items():
            losses = []
            for t in powers:
                sharp = truth**t
                losses.append(of(0.999 * sharp / sharp.sum(axis=1, keepdims=True) + 0.001 / 3, counts).mean())
            best[name] = powers[int(np.argmin(losses))]
        print(f"sharpening k={k}: best power {best}")


def made(rng: np.random.Generator, n: int, *, informed: bool) -> tuple[Features, Target, Floats]:
    """Two labels a row; a judge whose verdict follows the truth, or nothing."""
    truth = rng.dirichlet(1.5 * PRIOR, size=n).clip(1e-9)
    truth /= truth.sum(axis=1, keepdims=True)
    knows = truth if informed else np.tile(PRIOR, (n, 1))
    code = (rng.random((n, 1)) > np.cumsum(knows, axis=1)[:, :-1]).sum(axis=1).astype(np.int32)
    none = np.full((n, 3), np.nan)
    judge = JudgeOutput("judge", SCALE.labels, code, none, np.eye(3)[code], code + 1.0, np.zeros(n), 2.0)
    features = Features(SCALE, (judge,), rng.integers(0, 2, n).astype(np.int32), ("a", "b"))
    return features, Target.of(rng.multinomial(2, truth).astype(float)), truth


def random(studies: int) -> None:
    """Share of studies in which a judge that knows nothing is called helpful, at two sizes."""
    for n in (60, 200):
        rng = np.random.default_rng(n)
        words = []
        for _ in range(studies):
            features, target, _ = made(rng, n, informed=False)
            words.append(evaluate(features, target, protocol=QUICK, rng=rng).verdict.word)
        shares = {word: words.count(word) for word in sorted(set(words))}
        print(f"random judge, {n} items, {studies} studies: {shares}")


def equivalence(studies: int) -> None:
    """Median rater equivalence of a judge that is m pooled people, and the interval's coverage."""
    for m in (1, 2, 3):
        rng = np.random.default_rng(m)
        found = []
        for _ in range(studies):
            truth = rng.dirichlet(2 * PRIOR, size=400)
            judge = (2 * PRIOR + rng.multinomial(m, truth)) / (2 + m)
            counts, fold = rng.multinomial(6, truth).astype(float), np.arange(400) % 5
            alpha = cross_fitted_alpha(np.tile(counts.sum(axis=0) / counts.sum(), (400, 1)), counts, fold)
            rows = Rows(
                counts, log_score(judge, counts), cross_fitted_alpha(judge, counts, fold), np.arange(400)
            )
            people = [next_label_losses(alpha, counts, other) for other in range(6)]
            found.append(power_curve(people, rows, combiner="", resamples=500, rng=rng).equivalence)
        held = np.mean([one.low <= m <= one.high for one in found])
        middle = np.median([one.value for one in found])
        print(f"equivalence of {m} people, {studies} studies: median {middle:.2f}, coverage {held:.3f}")


def kappa(studies: int) -> None:
    """Recovery of kappa and coverage of its interval, 300 rows of three labels."""
    for true in (1.0, 3.0, 10.0, 30.0):
        rng = np.random.default_rng(int(true))
        found = []
        for _ in range(studies):
            q = 0.99 * rng.dirichlet(np.ones(3), size=300) + 0.01 / 3
            counts = rng.multinomial(3, posterior_draws(q, np.zeros_like(q), true, rng)).astype(float)
            found.append(fit_kappa(q, counts))
        held = np.mean([one.low <= true <= one.high for one in found])
        print(f"kappa {true:g}: median {np.median([one.value for one in found]):.2f}, coverage {held:.3f}")


def coverage(studies: int) -> None:
    """How often the gain's interval holds two true gains: the procedure's on average, and the fitted map's.

    The first is the mean over all studies of the same size, which is what cross-validation estimates. The
    second is what the map fitted on all rows of the study gains on new rows, from their known distributions.
    Beside the interval that is shown, those of two bootstraps on the same held-out losses.
    """
    new, _, truth = made(np.random.default_rng(5), 8000, informed=True)
    for n in (60, 150):
        rng = np.random.default_rng(1000 + n)
        found = [gain_and_truth(*made(rng, n, informed=True)[:2], (new, truth), rng) for _ in range(studies)]
        value, of_map = (np.array([each[k] for each in found]) for k in (0, 1))
        ends = np.array([each[2] for each in found])
        mean = f"mean {value.mean():.4f}, of the fitted map {of_map.mean():.4f}"
        print(f"gain, {n} items, {studies} studies: {mean}")
        for k, method in enumerate(("t, as shown", *BOOTSTRAPS)):
            for name, true in (("procedure", value.mean()), ("fitted map", of_map)):
                below, above = (ends[:, k, 1] < true).mean(), (ends[:, k, 0] > true).mean()
                held = f"{1 - below - above:.3f}, all below it {below:.3f}, all above {above:.3f}"
                print(f"  {method}: holds the {name}'s {held}")
        error = (ends[:, 0, 1] - ends[:, 0, 0]) / (2 * stdtrit(n - 1, 0.975))
        ratio = value.std(ddof=1) / np.sqrt(np.mean(error**2))
        print(f"  the estimates' standard deviation is {ratio:.2f} of the intervals' standard error")
        print(f"  estimates and standard errors correlate at {np.corrcoef(value, error)[0, 1]:.2f}")


def gain_and_truth(
    features: Features, target: Target, new: tuple[Features, Floats], rng: np.random.Generator
) -> tuple[float, float, list[tuple[float, float]]]:
    """The gain, what the map fitted on all rows gains on new rows, and each interval of the gain."""
    held = HeldOut(features, target, repeated(features, target, QUICK, rng), QUICK, rng)
    by_row = held.losses["metric_prior"] - held.losses["pool"]
    gain = held.over(by_row)
    intervals = [(gain.low, gain.high)]
    for method in BOOTSTRAPS:
        drawn = bootstrap((by_row,), np.mean, method=method, n_resamples=1999, rng=np.random.default_rng(0))
        intervals.append(tuple(drawn.confidence_interval))
    pool = fit(features, target, rng=rng)
    prior = next(member for member in pool.members if member.name == "metric_prior")
    rows, truth = new
    of_map = (truth * np.log(pool.predict(rows) / prior.predict(rows))).sum(axis=1).mean()
    return gain.value, float(of_map), intervals


EVERY = {each.__name__: each for each in (kernel, sharpening, random, equivalence, kappa, coverage)}


def main() -> None:
    """Print what was asked for."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("parts", nargs="*", default=list(EVERY))
    asked.add_argument("--studies", type=int, default=200)
    options = asked.parse_args()
    for name in options.parts:
        EVERY[name](options.studies)


if __name__ == "__main__":
    main()
