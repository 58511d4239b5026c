"""Every calibrator on the shared data, out of fold, and after fitting on about 50, 100 and 200 items.

    python benchmarks/align_real.py [--repeats 1] [--draws 10] [--processes 2] [--write FILE]
    python benchmarks/align_real.py llm_rubric few:planted       some parts, printed only

Losses are nats a row, the mean over its labels of -log q. Differences are paired, their 95 % intervals are of
t over clusters. Clusters are items unless the data say more: the question of mtbench_human, the prompt of
pandalm, the scenario of humanebench. dices has no judge: the expert's label stands in for one, and what other
people's labels tell is shown beside it. ``planted`` is a made study that suits NAPHA.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits: more BLAS threads only wait for each other

import argparse
import csv
import platform
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voirdire.align import selection
from voirdire.align.equivalence import cross_fitted_alpha, next_label_losses
from voirdire.align.features import Features, Target
from voirdire.align.fusion import fit_kappa
from voirdire.align.held_out import enough
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.numerics import log_loss, softmax
from voirdire.align.observe import Observed, features_of
from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate
from voirdire.study.scale import Scale
from voirdire.study.study import Study

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FEW = (50, 100, 200)
COMPARED = ("metric_prior", "temperature", "temperature_bias", "napha", "mlp")
OTHERS = (1, 2, 4, 8, 16, 32)
NON_INFERIOR, SMALL = 0.01, 200
Floats = NDArray[np.float64]
Clusters = NDArray[np.intp]


def study_of(name: str) -> Study:
    """One data set; the expert of dices, a person who rates every item, becomes a judge."""
    found = open_study(DATA / name / ("long.parquet" if name == "dices" else "long.csv"))
    if name != "dices":
        return found
    raters = tuple(replace(one, kind="judge") if one.id == "expert" else one for one in found.raters)
    return replace(found, raters=raters)


def clusters_of(name: str, study: Study) -> list[str]:
    """What each item shares with others."""
    if name == "mtbench_human":
        column = study.items.attributes["question_id"]
        return [str(column[i]) for i in range(len(study.items))]
    if name == "humanebench":
        return [item.split("|")[0] for item in study.items.ids]
    if name == "pandalm":
        with (DATA / name / "texts.csv").open(encoding="utf-8", newline="") as file:
            prompt = {row["item_id"]: row["instruction"] + row["input"] for row in csv.DictReader(file)}
        return [prompt[item] for item in study.items.ids]
    return list(study.items.ids)


def observed_of(name: str) -> Observed:
    """The labelled rows of one data set in its clusters; of dices only counts, not who gave which label."""
    study = study_of(name)
    found = features_of(study).labelled
    code = np.unique(clusters_of(name, study), return_inverse=True)[1][found.item]
    target = replace(found.target, cluster=np.unique(code, return_inverse=True)[1])
    if name == "dices":
        target = Target.of(target.counts, cluster=target.cluster)
    return replace(found, target=target)


def row_losses(predicted: Floats, target: Target) -> Floats:
    """Mean over its labels of -log q, each row (n,)."""
    return log_loss(predicted, target.counts / target.labels_per_row[:, None])


def bounds(found: Estimate) -> str:
    """A difference with both ends of its interval."""
    return f"{found.value:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


def nested(name: str, repeats: int, draws: int) -> list[str]:
    """Every calibrator's nested loss, and the pool's minus it."""
    observed = observed_of(name)
    features, target = observed.features, observed.target
    clusters, labels = len(np.unique(target.cluster)), int(target.counts.sum())
    size = f"{len(features):,} rows, {clusters:,} clusters, {labels:,} labels"
    try:
        enough(target)
    except UserError as refused:
        return [f"## {name}", "", f"{size}. Refused: {refused}.", ""]
    losses: dict[str, list[Floats]] = {}
    for seed in range(repeats):
        result = selection.nested(features, target, rng=np.random.default_rng(seed))
        for model, predicted in result.predictions.items():
            losses.setdefault(model, []).append(row_losses(predicted, target))
    mean = {model: np.mean(each, axis=0) for model, each in losses.items()}
    lines = [f"## {name}", "", f"{size}; 5 outer and 5 inner folds, {repeats} repeat(s).", ""]
    lines += ["| model | loss | pool minus it |", "|---|---|---|"]
    less = {
        model: clustered_mean(mean["pool"] - loss, cluster=target.cluster) for model, loss in mean.items()
    }
    for model, loss in sorted(mean.items(), key=lambda pair: float(pair[1].mean())):
        lines.append(f"| {model} | {loss.mean():.4f} | {'' if model == 'pool' else bounds(less[model])} |")
    lines.append("")
    for floor in ("metric_prior", "temperature"):
        if floor in less and len(np.unique(observed.item)) >= SMALL:
            word = "under" if less[floor].high < NON_INFERIOR else "NOT under"
            lines.append(f"- pool minus {floor}: upper bound {less[floor].high:+.4f}, {word} {NON_INFERIOR}.")
    return [
        *lines,
        "",
        *(people(result.predictions["metric_prior"], result.fold, target) if name == "dices" else []),
    ]


def people(prior: Floats, fold: Clusters, target: Target) -> list[str]:
    """What other people's labels tell of one more person's; base rates and their kappa are of other folds."""
    alpha = cross_fitted_alpha(prior, target.counts, fold)
    kappa = fit_kappa(prior, target.counts, cluster=target.cluster)
    lines = [
        f"Without a judge: base rates count as {kappa} labels (kappa). The next person's label from "
        "base rates and the labels of m others:",
        "",
        "| m | loss |",
        "|---|---|",
        f"| 0 | {row_losses(prior, target).mean():.4f} |",
    ]
    return [
        *lines,
        *(f"| {m} | {next_label_losses(alpha, target.counts, m).mean():.4f} |" for m in OTHERS),
        "",
    ]


def planted() -> tuple[Features, Target]:
    """A study that suits NAPHA: each tercile of the judge's entropy has a map of its own."""
    rng = np.random.default_rng(7)
    n, scale = 2400, Scale("nominal", ("a", "b", "c"))
    log = np.log(softmax(rng.gamma(2.0, 1.0, size=(n, 1)) * rng.normal(size=(n, 3))))
    entropy = -(np.exp(log) * log).sum(axis=1)
    level = np.searchsorted(np.quantile(entropy, [1 / 3, 2 / 3]), entropy)
    slope = np.array([0.4, 1.0, 2.5])[level, None]
    bias = np.array([[0.0, 0.0, 0.0], [0.8, 0.0, -0.8], [-0.8, 0.8, 0.0]])[level]
    counts = rng.multinomial(3, softmax(slope * log + bias))
    code, none = log.argmax(axis=1).astype(np.int32), np.zeros(n)
    judge = JudgeOutput("judge", scale.labels, code, log, np.zeros((n, 3)), np.full(n, np.nan), none)
    return Features(scale, (judge,), np.zeros(n, dtype=np.int32), ("m",)), Target.of(counts)


def few(name: str, repeats: int, draws: int) -> list[str]:
    """Losses on all other clusters after fitting on about 50, 100 and 200 items."""
    observed = None if name == "planted" else observed_of(name)
    features, target = (observed.features, observed.target) if observed else planted()
    item = observed.item if observed else np.arange(len(target))
    rng = np.random.default_rng(3)
    lines: list[str] = []
    for n in FEW:
        found: dict[str, list[float]] = {}
        for _ in range(draws):
            train, rest = drawn(target.cluster, item, n, rng)
            names = dict.fromkeys((*selection.POOLED, *COMPARED))
            kinds = selection.applicable(features, names)
            trained = selection.train(features.take(train), target.take(train), calibrators=kinds, rng=rng)
            test, truth = features.take(rest), target.take(rest)
            for model, fitted in {"pool": trained.select("pool"), **trained.fits}.items():
                if model in ("pool", *COMPARED):
                    found.setdefault(model, []).append(float(row_losses(fitted.predict(test), truth).mean()))
        gap = np.array(found["pool"]) - np.array(found["napha"])
        shown = [f"{np.mean(found[model]):.4f}" if model in found else "" for model in ("pool", *COMPARED)]
        beats = f"{gap.mean():+.4f} ({int((gap < 0).sum())} of {draws})"
        lines.append(f"| {name}, {n} items | " + " | ".join([*shown, beats]) + " |")
    return lines


def drawn(
    cluster: Clusters, item: Clusters, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of randomly drawn clusters until there are about ``n`` items, and the rows of the others."""
    pairs = np.unique(np.stack([cluster, item]), axis=1)
    order = rng.permutation(int(cluster.max()) + 1)
    size = np.bincount(pairs[0], minlength=len(order))[order]
    chosen = order[: int(np.searchsorted(np.cumsum(size), n)) + 1]
    inside = np.isin(cluster, chosen)
    return np.flatnonzero(inside), np.flatnonzero(~inside)


SETS = ("llm_rubric", "pandalm", "mtbench_human", "humanebench", "dices")
PARTS: dict[str, tuple[Callable[[str, int, int], list[str]], str]] = {
    **{name: (nested, name) for name in SETS},
    **{f"few:{name}": (few, name) for name in ("llm_rubric", "pandalm", "mtbench_human", "planted")},
}


def run(job: tuple[str, int, int]) -> list[str]:
    """The lines of one part."""
    part, repeats, draws = job
    of, name = PARTS[part]
    return of(name, repeats, draws)


def page(found: dict[str, list[str]], options: argparse.Namespace) -> str:
    """All parts as one page, with when and how it was made."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("voirdire", "numpy", "scipy"))
    asked = f"--repeats {options.repeats} --draws {options.draws}"
    head = [
        "# Figures of the alignment on real data",
        "",
        f"Printed by `python benchmarks/align_real.py {asked} --write docs/alignment-figures.md` on "
        f"{time.strftime('%Y-%m-%d')}: {versions}, Python {platform.python_version()}. Nothing is typed "
        "by hand.",
        "",
        *(line.replace("``", "`") for line in (__doc__ or "").split("\n\n")[2].strip().splitlines()),
        "",
    ]
    tables = [line for part in SETS for line in found.get(part, [])]
    header = ["", "pool", *COMPARED, "pool minus napha (draws in which the pool is better)"]
    below = [line for part in PARTS if part.startswith("few:") for line in found.get(part, [])]
    few_lines = ["## Few training items", "", f"Loss on the rest, mean of {options.draws} draws.", ""]
    few_lines += ["| " + " | ".join(header) + " |", "|" + "---|" * len(header), *below]
    return "\n".join([*head, *tables, *(few_lines if below else [])]) + "\n"


def main() -> None:
    """Print the page, or the parts asked for."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("parts", nargs="*", default=list(PARTS))
    asked.add_argument("--repeats", type=int, default=1)
    asked.add_argument("--draws", type=int, default=10)
    asked.add_argument("--processes", type=int, default=2)
    asked.add_argument("--write", type=Path)
    options = asked.parse_args()
    with ProcessPoolExecutor(options.processes) as pool:
        jobs = [(part, options.repeats, options.draws) for part in options.parts]
        found = dict(zip(options.parts, pool.map(run, jobs), strict=True))
    text = page(found, options)
    print(text, end="")
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
