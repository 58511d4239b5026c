"""Choosing among calibrators: the pool, the simplest within one standard error, or by name; nested CV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire import registry
from voirdire.align.calibrator import Calibrator, Fitted, Problem, Setting
from voirdire.align.features import Features, Target
from voirdire.align.folds import FOLDS, Folds, grouped_folds
from voirdire.align.numerics import log_loss
from voirdire.align.pool import Pool, one_standard_error, pool_weights
from voirdire.errors import UserError

__all__ = ["ALWAYS", "POOLED", "Nested", "Trained", "applicable", "fit", "nested", "train"]

Floats = NDArray[np.float64]

POOLED = (
    "label_prior",
    "metric_prior",
    "temperature",
    "temperature_bias",
    "confusion_row",
    "vector",
    "entropy_temperature",
    "dirichlet",
    "stack",
    "cumulative_link",
    "davidson",
    "platt",
    "beta",
    "linear_map",
)
"""Members of the default pool; others are fitted beside it for comparison."""
ALWAYS = ("label_prior", "metric_prior", "temperature")
"""Members that a pool keeps whatever their weight, where they apply."""
SMALLEST = 0.005


@dataclass(frozen=True, eq=False)
class Trained:
    """Every calibrator on one set of rows: its setting, its out-of-fold prediction (n, C) and its fit."""

    problem: Problem
    settings: dict[str, Setting]
    held_out: dict[str, Floats]
    fits: dict[str, Fitted]

    def losses(self) -> dict[str, float]:
        """Each calibrator's mean out-of-fold loss a label, in nats."""
        counts = self.problem.counts
        return {name: float(log_loss(q, counts).sum() / counts.sum()) for name, q in self.held_out.items()}

    def select(self, how: str = "pool", *, among: Iterable[str] = POOLED) -> Pool:
        """``pool``, ``one_se``, or the calibrator called ``how``, as a pool of one."""
        names = [name for name in among if name in self.fits]
        if how == "pool":
            return self._pool(names)
        if how == "one_se":
            sizes = [self.fits[name].complexity for name in names]
            held = [self.held_out[name] for name in names]
            how = names[one_standard_error(held, self.problem.counts, self.problem.target.cluster, sizes)]
        if how not in self.fits:
            raise UserError(
                f"no fitted calibrator '{how}'", expected=f"pool, one_se or one of {', '.join(self.fits)}"
            )
        return Pool((self.fits[how],), np.ones(1))

    def _pool(self, names: Sequence[str]) -> Pool:
        weights = pool_weights([self.held_out[name] for name in names], self.problem.counts)
        kept = [k for k, name in enumerate(names) if weights[k] >= SMALLEST or name in ALWAYS]
        return Pool(tuple(self.fits[names[k]] for k in kept), weights[kept] / weights[kept].sum())


def applicable(features: Features, names: Iterable[str] | None = None) -> list[Calibrator]:
    """The calibrators, all registered ones or those named, that apply to ``features``."""
    wanted = registry.names("calibrator") if names is None else names
    every = [registry.get("calibrator", name)() for name in wanted]
    return [calibrator for calibrator in every if not calibrator.applies(features)]


def train(
    features: Features,
    target: Target,
    *,
    calibrators: Sequence[Calibrator] | None = None,
    rng: np.random.Generator,
) -> Trained:
    """Fit every calibrator with the setting that predicts held-out clusters best, all on the same folds."""
    problem = Problem.of(features, target, rng)
    chosen = applicable(problem.features) if calibrators is None else list(calibrators)
    folds = grouped_folds(problem.target.cluster, folds=FOLDS, rng=rng)
    trained = Trained(problem, {}, {}, {})
    for calibrator in chosen:
        calibrator.check(problem.features)
        setting, held = calibrator.out_of_fold(problem, folds)
        trained.settings[calibrator.name], trained.held_out[calibrator.name] = setting, held
        trained.fits[calibrator.name] = calibrator.fit_at(problem, (setting,))[0]
    return trained


def fit(features: Features, target: Target, *, select: str = "pool", rng: np.random.Generator) -> Pool:
    """The calibrator to use: the default pool, ``one_se``, or one by name.

    ``pool`` averages the members of :data:`POOLED` that apply, weighted by their out-of-fold likelihood;
    where the judge tells nothing the weight goes to the priors. ``one_se`` is one map, easier to audit.
    """
    wanted = POOLED if select in ("pool", "one_se") else (select,)
    calibrators = applicable(features, wanted)
    if not calibrators:
        registry.get("calibrator", select)().check(features)
    return train(features, target, calibrators=calibrators, rng=rng).select(select, among=wanted)


@dataclass(frozen=True, eq=False)
class Nested:
    """Predictions (n, C) of rows whose cluster took no part in any choice, by name, "pool" and "one_se" too.

    ``fold`` (n,) is -1 for rows without human labels, whose predictions are NaN. ``weights`` are each
    fold's pool weights by name, ``settings`` what each fold chose.
    """

    predictions: Mapping[str, Floats]
    fold: NDArray[np.intp]
    weights: tuple[Mapping[str, float], ...]
    settings: tuple[Mapping[str, Setting], ...]

    def losses(self, target: Target) -> dict[str, float]:
        """Each one's mean loss a row in nats: -(1/k) sum_j log q[y_j], averaged over rows by weight."""
        rows = self.fold >= 0
        shares = target.counts[rows] / target.labels_per_row[rows, None]
        weight = target.weights[rows]
        return {
            name: float(weight @ log_loss(q[rows], shares) / weight.sum())
            for name, q in self.predictions.items()
        }


def nested(
    features: Features,
    target: Target,
    *,
    calibrators: Sequence[Calibrator] | None = None,
    folds: int = FOLDS,
    rng: np.random.Generator,
    run: Callable[..., Iterable[Any]] = map,
) -> Nested:
    """Nested cross-validation: settings and pool weights are chosen inside each outer training part alone.

    ``run`` maps the folds, for example a process pool's ``map``.
    """
    chosen = applicable(features) if calibrators is None else list(calibrators)
    outer = grouped_folds(target.cluster, folds=folds, use=target.labelled, rng=rng)
    jobs = [(features, target, chosen, outer, k, own) for k, own in enumerate(rng.spawn(outer.n_folds))]
    predictions: dict[str, Floats] = {}
    weights, settings = [], []
    for held, parts, share, setting in run(_one_fold, jobs):
        for name, predicted in parts.items():
            shape = (len(features), features.n_labels)
            predictions.setdefault(name, np.full(shape, np.nan))[held] = predicted
        weights.append(share)
        settings.append(setting)
    return Nested(predictions, outer.fold, tuple(weights), tuple(settings))


Job = tuple[Features, Target, list[Calibrator], Folds, int, np.random.Generator]


def _one_fold(job: Job) -> tuple[NDArray[np.intp], dict[str, Floats], dict[str, float], dict[str, Setting]]:
    """Held-out rows, every calibrator's and the pool's prediction of them, pool weights and settings."""
    features, target, calibrators, outer, k, rng = job
    rows, held = list(outer)[k]
    trained = train(features.take(rows), target.take(rows), calibrators=calibrators, rng=rng)
    test = features.take(held)
    parts = {name: fitted.predict(test) for name, fitted in trained.fits.items()}
    if not set(parts) & set(POOLED):
        return held, parts, {}, trained.settings
    pool = trained.select("pool")
    weights = {member.name: float(weight) for member, weight in zip(pool.members, pool.weights, strict=True)}
    pooled = np.sum([weight * parts[name] for name, weight in weights.items()], axis=0)
    simplest = parts[trained.select("one_se").members[0].name]
    return held, {**parts, "pool": pooled, "one_se": simplest}, weights, trained.settings
