"""Selective verdicts: in how many calibration draws what is trusted is wrong more often than promised.

Every true error rate is known exactly: items come in kinds that fix what a judge says of them, and how many
people disagree with it. "broken" is the share of draws in which the error rate of the trusted kinds exceeds
alpha; it may be delta, and 2.33 binomial standard errors more. Beside it stand shortcuts that are refused.
Whole selections, from ratings to queue, are drawn a quarter as often.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from voirdire.align.cross_fit import cross_fit
from voirdire.align.observe import features_of
from voirdire.decide.cascade import Trials, calibrate_each_stage, calibrate_together, pass_through
from voirdire.decide.select_options import SelectOptions
from voirdire.decide.selection import select
from voirdire.opening import open as open_study
from voirdire.stats.selective import selective_threshold, threshold_grid
from voirdire.study import Study

Floats = NDArray[np.float64]
PROMISES = ((0.05, 0.1), (0.15, 0.1), (0.15, 0.05), (0.3, 0.1))
CELLS = np.linspace(1, 0, 50)
LEVELS = np.linspace(0.02, 0.98, 13)


def run(runs: int) -> None:
    """Every section; promised: no more than allowed in the lines of the method."""
    for part in (thresholds, labels_and_clusters, cascades):
        part(runs)
    whole(max(20, runs // 4))


def report(name: str, broken: list[bool], delta: float, *, refused: bool = False) -> None:
    n, share = len(broken), float(np.mean(broken))
    allowed = delta + 2.33 * math.sqrt(delta * (1 - delta) / n)
    said = "refused, for this" if refused else "kept" if share <= allowed else "NOT KEPT"
    print(f"{name:70} broken {share:.3f}, allowed {allowed:.3f}: {said}")


def error_rates(alpha: float) -> dict[str, Floats]:
    """Error rates of the cells (50,), by shape; the last is a judge that is surest where it is wrong."""
    return {
        "falling": alpha * 2.6 * (1 - CELLS),
        "flat": np.full(50, alpha * 1.01),
        "bands": np.where(np.arange(50) // 8 % 2, 0.2 * alpha, 2.2 * alpha),
        "sure and wrong": np.where(CELLS > 0.8, 1.6 * alpha, 0.5 * alpha),
    }


def too_wrong(threshold: float, wrong: Floats, alpha: float) -> bool:
    """Whether what is trusted above ``threshold`` is wrong more often than ``alpha``."""
    trusted = threshold <= CELLS
    return bool(trusted.any() and wrong[trusted].mean() > alpha + 1e-12)


def thresholds(runs: int) -> None:
    """One threshold on 200 items, and the published code's fallback to the strictest one."""
    for alpha, delta in PROMISES:
        for shape, wrong in error_rates(alpha).items():
            rng = np.random.default_rng(int(1000 * alpha) + len(shape))
            grid = threshold_grid(CELLS, n=200, alpha=alpha, delta=delta, risk=wrong)
            broken, fallback = [], []
            for _ in range(runs):
                cell = rng.integers(0, 50, 200)
                found = selective_threshold(
                    CELLS[cell], rng.random(200) < wrong[cell], thresholds=grid, alpha=alpha, delta=delta
                )
                broken.append(too_wrong(found.threshold, wrong, alpha))
                strictest = float(grid[0]) if found.abstains else found.threshold
                fallback.append(too_wrong(strictest, wrong, alpha))
            report(f"threshold, alpha {alpha}, delta {delta}, {shape}", broken, delta)
            if np.mean(fallback) > np.mean(broken):
                report("  the strictest threshold instead of abstaining", fallback, delta, refused=True)


def labels_and_clusters(runs: int) -> None:
    """Ten labels of one item, or ten items of one cluster, that stand or fall together: one trial, or ten."""
    alpha, delta, wrong = 0.15, 0.1, 0.15 * 2.6 * (1 - CELLS)
    rng = np.random.default_rng(1)
    one, ten = [], []
    for _ in range(runs):
        cell = rng.integers(0, 50, 60)
        same = rng.random(60) < wrong[cell]
        for trials, n, broken in ((1, 60, one), (10, 600, ten)):
            grid = threshold_grid(CELLS, n=n, alpha=alpha, delta=delta, risk=wrong)
            found = selective_threshold(
                np.repeat(CELLS[cell], trials),
                np.repeat(same, trials),
                thresholds=grid,
                alpha=alpha,
                delta=delta,
            )
            broken.append(too_wrong(found.threshold, wrong, alpha))
    report("ten labels that go together, one trial an item or cluster", one, delta)
    report("  ten trials", ten, delta, refused=True)


def cascades(runs: int) -> None:
    """Three judges on 300 items, whose errors on an item are alike, opposed or free; 3 or 200 kinds.

    In a flat cascade every judge is always a little too wrong, and trusting anything breaks the promise. Made
    for each stage, the promise is broken where any stage is too wrong.
    """
    for alpha, delta in PROMISES[1:]:
        for kinds in (3, 200):
            for shape in ("falling", "flat"):
                for joint in ("alike", "opposed", "free"):
                    both = three_stages((alpha, delta), (kinds, shape), joint, runs)
                    for way, broken in both.items():
                        name = f"3 stages {way}, {alpha}, {delta}, {kinds} kinds, {shape}, {joint}"
                        report(name, broken, delta)


def three_stages(
    promise: tuple[float, float], design: tuple[int, str], joint: str, runs: int
) -> dict[str, list[bool]]:
    """Whether what a draw trusts is wrong more often than promised, together and at any stage."""
    (alpha, delta), (kinds, shape) = promise, design
    rng = np.random.default_rng(kinds + int(1000 * alpha))
    levels = np.linspace(1, 0, kinds)
    sure = np.stack([levels, rng.permutation(levels), rng.permutation(levels)])
    chance = alpha * (np.full_like(sure, 1.02) if shape == "flat" else 2.6 * (1.02 - sure))
    known = [Trials(c, p) for c, p in zip(sure, chance, strict=True)]
    asked = [np.ones(kinds, dtype=bool)] * 3
    broken: dict[str, list[bool]] = {"together": [], "each": []}
    for _ in range(runs):
        kind, u = rng.integers(0, kinds, 300), rng.random((3, 300))
        draws = {"alike": u[[0, 0, 0]], "opposed": np.stack([u[0], 1 - u[0], u[0]]), "free": u}[joint]
        errors = (draws < chance[:, kind]).astype(float)
        tests = [Trials(c, e) for c, e in zip(sure[:, kind], errors, strict=True)]
        whole = pass_through(calibrate_together(tests, known, alpha=alpha, delta=delta), list(sure), asked)
        kept = np.flatnonzero(whole.trusted >= 0)
        wrong = chance[whole.trusted[kept], kept]
        broken["together"].append(bool(len(wrong) and wrong.mean() > alpha + 1e-12))
        each = pass_through(calibrate_each_stage(tests, known, alpha=alpha, delta=delta), list(sure), asked)
        parts = [chance[k, each.trusted == k] for k in range(3) if (each.trusted == k).any()]
        broken["each"].append(any(part.mean() > alpha + 1e-12 for part in parts))
    return broken


def study(rng: np.random.Generator, n: int, labelled: int) -> tuple[Study, NDArray[np.intp]]:
    """A study of ``n`` items, the first ``labelled`` with two labels, and each item's kind."""
    kind = rng.integers(0, len(LEVELS), n)
    kind[labelled : labelled + len(LEVELS)] = np.arange(len(LEVELS))
    item, rater, role, label, stated = [], [], [], [], []
    for i in range(n):
        p = LEVELS[kind[i]]
        people = [("yes" if rng.random() < p else "no", f"p{k}") for k in range(2 if i < labelled else 0)]
        for judge, pull in (("small", 0.4), ("large", 1.6)):
            q = float(np.clip(0.5 + pull * (p - 0.5), 0.01, 0.99))
            people.append(("yes" if q > 0.5 else "no", f"{judge}:{q:.3f}"))
        for said, who in people:
            name, _, q_yes = who.partition(":")
            item.append(f"i{i}")
            rater.append(name)
            role.append("judge" if q_yes else "human")
            label.append(said)
            stated.append(q_yes or None)
    against = [None if q is None else f"{1 - float(q):.3f}" for q in stated]
    names = ("item_id", "rater_id", "rater_kind", "label", "prob_yes", "prob_no")
    return open_study(dict(zip(names, (item, rater, role, label, stated, against), strict=True))), kind


def trusted_error(rows: list[tuple[int, str]], kind: NDArray[np.intp]) -> float:
    """The exact error rate of new items, given which items (and so kinds) are trusted with which label."""
    by_kind = {int(kind[i]): said for i, said in rows}
    wrong = [1 - LEVELS[k] if said == "yes" else LEVELS[k] for k, said in by_kind.items()]
    return float(np.mean(wrong)) if wrong else 0.0


def whole(runs: int) -> None:
    """``voirdire.select`` from ratings to queue, and a threshold set on out-of-fold predictions instead."""
    delta = 0.1
    ways: dict[str, dict[str, object]] = {
        "one judge aligned": {"judges": ("large",)},
        "one judge's own probability": {"judges": ("large",), "confidence": "probability"},
        "a cascade of two": {"cascade": (("small", 1.0), ("large", 10.0))},
    }
    for alpha in (0.15, 0.25):
        for name, chosen in ways.items():
            broken = whole_runs(alpha, delta, chosen, runs)
            report(f"select, alpha {alpha}, {name}, 200 labelled items", broken, delta)
        report(f"  alpha {alpha}, out-of-fold predictions of all of them", reused(alpha, delta, runs), delta)


def whole_runs(alpha: float, delta: float, chosen: dict[str, object], runs: int) -> list[bool]:
    rng = np.random.default_rng(int(100 * alpha))
    broken = []
    for seed in range(runs):
        made, kind = study(rng, 260, 200)
        options = SelectOptions(
            agreement=1 - alpha, delta=delta, select="temperature_bias", seed=seed, **chosen
        )  # type: ignore[arg-type]
        queue = select(made, options).queue.rows()
        rows = [
            (int(row["item_id"][1:]), row["label"])
            for row in queue
            if row["route"] == "trust" and not row["human_labels"]
        ]
        broken.append(trusted_error(rows, kind) > alpha + 1e-12)
    return broken


def reused(alpha: float, delta: float, runs: int) -> list[bool]:
    """Calibrate on out-of-fold predictions of every labelled item; apply the map fitted on all of them."""
    rng = np.random.default_rng(int(100 * alpha))
    broken = []
    for seed in range(runs):
        made, kind = study(rng, 260, 200)
        found = cross_fit(
            features_of(made, judges=["large"]), select="temperature_bias", rng=np.random.default_rng(seed)
        )
        rows, free = found.calibration, found.unlabelled
        top, sure = found.predicted.argmax(axis=1), found.predicted.max(axis=1)
        counts = found.observed.target.counts[rows]
        one = (rng.random(len(rows)) * counts.sum(axis=1) >= counts[:, 0]).astype(int)
        grid = threshold_grid(sure[free], n=len(rows), alpha=alpha, delta=delta, risk=1 - sure[free])
        wrong = (one != top[rows]).astype(float)
        walk = selective_threshold(sure[rows], wrong, thresholds=grid, alpha=alpha, delta=delta)
        labels = found.observed.features.scale.labels
        kept = [
            (int(made.items.ids[found.observed.item[i]][1:]), labels[top[i]])
            for i in free.tolist()
            if sure[i] >= walk.threshold
        ]
        broken.append(trusted_error(kept, kind) > alpha + 1e-12)
    return broken
