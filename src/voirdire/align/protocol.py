"""The evaluation's protocol: nested grouped cross-validation, floors, people's power curve, paired gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align import calibration
from voirdire.align.by_metric import gains_by_metric
from voirdire.align.calibration import Bin
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
from voirdire.align.evaluation import Design, Evaluation, ModelScore, Role, Stratum
from voirdire.align.features import Features, Target
from voirdire.align.held_out import FLOORS, RAW, HeldOut, Protocol, enough, repeated
from voirdire.align.held_out_person import accuracy, gain_for_new_raters, gains_by_rater
from voirdire.align.pit import pit
from voirdire.align.scores import kernel_name, log_score
from voirdire.align.selection import applicable, nested
from voirdire.align.verdict import worth
from voirdire.errors import UserError
from voirdire.stats.estimate import Estimate, undefined

__all__ = ["evaluate"]

Floats = NDArray[np.float64]
WITH_SYSTEM = ("system_prior", "metric_prior", "temperature_bias", "stack", "cumulative_link", "davidson")
"""What judge and system together are pooled from: metric effects become effects of metric and system."""
FEW_CLUSTERS = 100
"""Below this the gain's interval was found to cover less often than it says: 89 % of 95 % at 60 items."""
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
    losses, mine = held.losses, held.losses[held.how.select]
    gain = _cautious(held.over(losses["metric_prior"] - mine))
    curves, beyond_system = _power(held), _beyond_system(held)
    metrics, pooled = gains_by_metric(held)
    options: dict[str, Any] = {"level": level, "resamples": held.how.resamples, "rng": held.rng}
    return Evaluation(
        verdict=worth(gain, curves[0], int(target.counts.sum()), beyond_system=beyond_system),
        design=_design(held),
        chosen=held.how.select,
        weights=_weights(held),
        kernel_name=kernel_name(held.features.scale),
        models=_models(held),
        gain=gain,
        gain_new_raters=gain_for_new_raters(held.floor, chosen, target, **options),
        gain_over_system=held.over(losses["system_prior"] - mine)
        if "system_prior" in losses
        else undefined("insufficient_systems"),
        judge_beyond_system=beyond_system,
        kappa=held.kappa,
        optimum=float(held.optimum.mean()),
        skill=skill(losses["metric_prior"], mine, held.optimum, cluster=target.cluster, **options),
        power=curves,
        accuracy=accuracy(held.raw, chosen, target, level=level),
        comparable=_comparable(held),
        metrics=metrics,
        pooled=pooled,
        raters=tuple(gains_by_rater(held.floor, chosen, target, level)),
        strata=_strata(held),
        **_calibration(held),
    )


def _cautious(gain: Estimate) -> Estimate:
    """The gain, with a caution below 100 clusters: its interval leaves out that folds share training data."""
    n = gain.n_clusters
    if n is None or n >= FEW_CLUSTERS:
        return gain
    return replace(gain, caution=f"only {n} clusters: the interval may be too narrow")


def _calibration(held: HeldOut) -> dict[str, Any]:
    """Whether what the chosen prediction expects comes about, beside the judge as it is where that can be."""
    chosen, raw, counts = held.chosen, held.raw, held.target.counts
    scale, cluster, level = held.features.scale, held.target.cluster, held.how.level
    flagged = LabelledRows(chosen, counts, disputes(scale), held.features.metric, cluster, held.runs[0].fold)
    gaps = calibration.marginal(chosen, counts, cluster, level)

    def reliability(q: Floats) -> dict[str, tuple[Bin, ...]]:
        bins = calibration.reliability_bins(q, counts, cluster, level)
        return dict(zip(scale.labels, bins, strict=True))

    return {
        "disagreement": calibration.disagreement(
            chosen, counts, held.kappa.value, cluster=cluster, level=level, rng=held.rng
        ),
        "flagging": flagging(flagged, held.kappa.value, held.features.metrics, level=level, rng=held.rng),
        "marginal": dict(zip(scale.labels, gaps, strict=True)),
        "reliability": reliability(chosen),
        "raw_reliability": {} if raw is None else reliability(raw),
        "raw_disagreement": () if raw is None else calibration.disagreement_bins(raw, counts, cluster, level),
        "pit": pit(chosen, counts, cluster, level) if scale.ordered else None,
    }


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


def _strata(held: HeldOut) -> tuple[Stratum, ...]:
    third = calibration.strata(held.chosen)
    mine, distance = held.losses[held.how.select], held.distances[held.how.select]
    found = []
    for code, name in enumerate(THIRDS):
        rows = third == code
        gain = held.over(held.losses["metric_prior"] - mine, rows)
        found.append(Stratum(name, int(rows.sum()), held.over(mine, rows), held.over(distance, rows), gain))
    return tuple(found)
