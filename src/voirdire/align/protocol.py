"""The evaluation's protocol: nested grouped cross-validation, floors, people's power curve, paired gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from voirdire.align import calibration
from voirdire.align.ceilings import skill
from voirdire.align.combiner import anonymous_bayesian_losses
from voirdire.align.comparability import Comparable, comparable
from voirdire.align.contested import Rows as LabelledRows
from voirdire.align.contested import disputes, flagging
from voirdire.align.equivalence import (
    MOST_OTHERS,
    PowerCurve,
    Rows,
    cross_fitted_alpha,
    next_label_losses,
    power_curve,
)
from voirdire.align.evaluation import Design, Evaluation, MetricGain, ModelScore, Role, Stratum
from voirdire.align.features import Features, Target
from voirdire.align.held_out import FLOORS, RAW, HeldOut, Protocol, enough, repeated
from voirdire.align.held_out_person import accuracy, gain_for_new_raters, gains_by_rater
from voirdire.align.scores import kernel_name, log_score
from voirdire.align.selection import applicable, nested
from voirdire.align.verdict import worth
from voirdire.errors import UserError
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.multiplicity import adjusted_p_values

__all__ = ["evaluate"]

WITH_SYSTEM = ("system_prior", "metric_prior", "temperature_bias", "stack", "cumulative_link", "davidson")
"""What judge and system together are pooled from: metric effects become effects of metric and system."""
BETTER = "the better at each m"
THIRDS = ("surest third", "middle third", "least sure third")


def evaluate(
    features: Features,
    target: Target,
    *,
    protocol: Protocol | None = None,
    raters: Sequence[str] = (),
    rng: np.random.Generator,
) -> Evaluation:
    """Evaluate every candidate, the floors and the chosen prediction out of fold.

    ``features`` and ``target`` hold n rows; those without a human label are left out. ``raters`` are the
    names behind the target's rater codes. No judge, or fewer than 20 clusters with labels, are a user's error
    that names the number needed.
    """
    if not features.judges:
        raise UserError("no judge to align", expected="ratings of a judge", fix="name it with --judge")
    how = protocol or Protocol()
    rows = np.flatnonzero(target.labelled)
    features, target = features.take(rows), target.take(rows)
    enough(target)
    runs = repeated(features, target, how, rng)
    evaluation = _evaluation(HeldOut(features, target, runs, how, rng))
    if not raters:
        return evaluation
    named = (replace(one, rater=raters[int(one.rater)]) for one in evaluation.raters)
    return replace(evaluation, raters=tuple(named))


def _evaluation(held: HeldOut) -> Evaluation:
    target, chosen, level = held.target, held.chosen, held.how.level
    counts, cluster = target.counts, target.cluster
    losses, scale = held.losses, held.features.scale
    mine = losses[held.how.select]
    gain = held.over(losses["metric_prior"] - mine)
    curves, beyond_system = _power(held), _beyond_system(held)
    options: dict[str, Any] = {"cluster": cluster, "level": level, "rng": held.rng}
    return Evaluation(
        verdict=worth(gain, curves[0], int(counts.sum()), beyond_system=beyond_system),
        design=_design(held),
        chosen=held.how.select,
        weights=_weights(held),
        kernel_name=kernel_name(scale),
        models=_models(held),
        gain=gain,
        gain_new_raters=gain_for_new_raters(
            held.floor, chosen, target, level=level, resamples=held.how.resamples, rng=held.rng
        ),
        gain_over_system=held.over(losses["system_prior"] - mine)
        if "system_prior" in losses
        else undefined("insufficient_systems"),
        judge_beyond_system=beyond_system,
        kappa=held.kappa,
        optimum=float(held.optimum.mean()),
        skill=skill(losses["metric_prior"], mine, held.optimum, resamples=held.how.resamples, **options),
        power=curves,
        accuracy=accuracy(held.runs[0].predictions.get(RAW), chosen, target, level=level),
        disagreement=calibration.disagreement(chosen, counts, held.kappa.value, **options),
        flagging=flagging(
            LabelledRows(chosen, counts, disputes(scale), held.features.metric, cluster, held.runs[0].fold),
            held.kappa.value,
            held.features.metrics,
            level=level,
            rng=held.rng,
        ),
        marginal=dict(zip(scale.labels, calibration.marginal(chosen, counts, cluster, level), strict=True)),
        reliability=dict(
            zip(scale.labels, calibration.reliability_bins(chosen, counts, cluster, level), strict=True)
        ),
        comparable=_comparable(held),
        metrics=_by_metric(held),
        raters=tuple(gains_by_rater(held.floor, chosen, target, level)),
        strata=_strata(held),
    )


def _design(held: HeldOut) -> Design:
    k = held.target.labels_per_row.astype(np.int64)
    sizes, rows = np.unique(k, return_counts=True)
    return Design(
        len(k),
        len(np.unique(held.target.cluster)),
        int(k.sum()),
        len(np.unique(held.target.rater)),
        {str(size): int(n) for size, n in zip(sizes, rows, strict=True)},
        held.how.folds,
        held.how.repeats,
    )


def _weights(held: HeldOut) -> dict[str, float]:
    """Mean pool weights over folds and repeats."""
    every = [share for run in held.runs for share in run.weights]
    names = sorted({name for share in every for name in share})
    return {name: float(np.mean([share.get(name, 0.0) for share in every])) for name in names}


def _models(held: HeldOut) -> tuple[ModelScore, ...]:
    losses, mine = held.losses, held.losses[held.how.select]

    def role(name: str) -> Role:
        if name == held.how.select:
            return "chosen"
        return "floor" if name in FLOORS else "judge" if name == RAW else "candidate"

    return tuple(
        ModelScore(
            name,
            role(name),
            held.over(losses[name]),
            held.over(held.distances[name]),
            held.over(losses[name] - mine),
            held.over(losses["metric_prior"] - losses[name]),
        )
        for name in held.names
    )


def _power(held: HeldOut) -> tuple[PowerCurve, ...]:
    """People's power curves: the better combiner at each m, then each; kappa is of other folds."""
    counts, fold = held.target.counts, held.runs[0].fold
    alpha = cross_fitted_alpha(held.floor, counts, fold)
    most = min(MOST_OTHERS, int(held.target.labels_per_row.max()) - 1)
    rows = Rows(
        counts,
        held.losses[held.how.select],
        cross_fitted_alpha(held.chosen, counts, fold),
        held.target.cluster,
    )
    first = log_score(held.floor, counts)
    options: dict[str, Any] = {"level": held.how.level, "resamples": held.how.resamples, "rng": held.rng}
    if np.isnan(alpha).any():
        return (power_curve([first], rows, combiner=BETTER, **options),)
    people = [first, *(next_label_losses(alpha, counts, m) for m in range(1, most + 1))]
    anonymous = [first]
    for m in range(1, most + 1):
        losses = anonymous_bayesian_losses(counts, held.features.metric, alpha, m)
        if losses is None:
            break
        anonymous.append(losses)
    both = zip(people, anonymous, strict=False)
    better = [min(pair, key=lambda each: float(np.nansum(each))) for pair in both]
    better += people[len(anonymous) :]
    named = {BETTER: better, "Dirichlet-multinomial": people, "anonymous Bayesian": anonymous}
    return tuple(power_curve(curve, rows, combiner=name, **options) for name, curve in named.items())


def _beyond_system(held: HeldOut) -> Estimate:
    """The system prior's loss minus that of judge and system together."""
    if "system_prior" not in held.losses or not held.features.judges:
        return undefined("insufficient_systems")
    features = held.features
    n_systems = len(features.systems) + 1
    cell = features.metric.astype(np.int64) * n_systems + features.system + 1
    used, code = np.unique(cell, return_inverse=True)
    cells = replace(
        features, metric=code.astype(np.int32).ravel(), metrics=tuple(str(each) for each in used.tolist())
    )
    kinds = applicable(cells, WITH_SYSTEM)
    how, rng = held.how, held.rng.spawn(1)[0]
    run = nested(cells, held.target, calibrators=kinds, folds=how.folds, rng=rng, run=how.run)
    together = log_score(run.predictions["pool"], held.target.counts)
    return held.over(held.losses["system_prior"] - together)


def _comparable(held: HeldOut) -> tuple[Comparable, ...]:
    scale = held.features.scale
    values = None if scale.values is None else np.asarray(scale.values, dtype=np.float64)
    return tuple(
        comparable(
            held.chosen,
            held.target.counts,
            held.kappa.value,
            values=values,
            ordered=scale.ordered,
            rng=held.rng,
        )
    )


def _by_metric(held: HeldOut) -> tuple[MetricGain, ...]:
    mine = held.losses[held.how.select]
    difference = held.losses["metric_prior"] - mine
    found = []
    for code, name in enumerate(held.features.metrics):
        rows = held.features.metric == code
        if rows.any():
            gain = held.over(difference, rows)
            found.append((name, int(rows.sum()), float(mine[rows].mean()), gain, _p_value(gain)))
    adjusted = adjusted_p_values([each[-1] for each in found])
    return tuple(MetricGain(*each, float(p)) for each, p in zip(found, adjusted, strict=True))


def _p_value(gain: Estimate) -> float:
    """Two-sided t test that the gain is 0; NaN without an interval."""
    if not gain.has_interval or gain.n_clusters is None:
        return float("nan")
    df = gain.n_clusters - 1
    error = (gain.high - gain.low) / (2 * float(stdtrit(df, (1 + gain.level) / 2)))
    return float(2 * stdtr(df, -abs(gain.value) / error))


def _strata(held: HeldOut) -> tuple[Stratum, ...]:
    third = calibration.strata(held.chosen)
    mine, distance = held.losses[held.how.select], held.distances[held.how.select]
    found = []
    for code, name in enumerate(THIRDS):
        rows = third == code
        gain = held.over(held.losses["metric_prior"] - mine, rows)
        found.append(Stratum(name, int(rows.sum()), held.over(mine, rows), held.over(distance, rows), gain))
    return tuple(found)
