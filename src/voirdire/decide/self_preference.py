"""Does a judge err in favour of its own outputs, or its family's? Own error against others'."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from voirdire.decide.kinship import Kin, kin_of
from voirdire.decide.self_preference_result import Preference, SelfPreference
from voirdire.decide.systems import judges_and_metrics
from voirdire.decide.systems_decisive import pair_decisiveness
from voirdire.decide.systems_means import SystemMeans
from voirdire.decide.systems_options import SystemsOptions
from voirdire.decide.systems_scores import SystemScores, alike_metrics, errors_of, scores_of
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.multiplicity import adjusted_p_values
from voirdire.stats.power import detectable_mean, mean_sample_size
from voirdire.study.study import Study

__all__ = ["preference_of", "self_preference"]

Floats = NDArray[np.float64]
JUDGE = 1
FEWEST_OTHERS = 3
UNNAMED = "the labelled sample is not stratified by system or family: no labelled item names its system"
MOST_SIBLINGS = 6
"""More siblings are taken together only."""


def self_preference(study: Study, options: SystemsOptions | None = None) -> SelfPreference:
    """Every judge that is also a system, or of a system's family: its error on own against others' outputs.

    P-values are corrected for all tests together. Metrics with a pass rate are also taken together. Judges
    without kin among the systems give no row.

    Source: Panickssery et al. 2024 (self-preference); errors against people as in Chen et al. 2025.
    """
    chosen = options or SystemsOptions()
    judges, metrics = judges_and_metrics(study, chosen)
    found: list[Preference] = []
    for judge in judges:
        mine = [name for name in metrics if judge in study.judges_of(name)]
        groups = alike_metrics(study, mine)
        every = [one for group in groups for one in _of_judge(study, judge, group, chosen)]
        together = any(len(group) > 1 for group in groups)
        found += [one for one in every if not (together and one.reason and len(one.metrics) == 1)]
    adjusted = adjusted_p_values([one.p for one in found]) if found else ()
    return SelfPreference(
        tuple(replace(one, p_adjusted=float(p)) for one, p in zip(found, adjusted, strict=True)),
        chosen.smallest,
        chosen.power,
        chosen.level,
    )


def _of_judge(
    study: Study, judge: int, metrics: Sequence[str], options: SystemsOptions
) -> Iterator[Preference]:
    """Every test of one judge on ``metrics`` together."""
    rater = study.raters[judge]
    kin = kin_of(rater, _named(study))
    scores = scores_of(study, metrics, [judge]) if kin.every else None
    rng = np.random.default_rng([options.seed, zlib.crc32(rater.id.encode())])
    for one in _of_kin(rater.id, metrics, kin, scores, options, rng):
        if scores is None:
            error, span = errors_of(study, metrics, judge)
            yield replace(one, span=span, needed=_needed_without(error, span, options, False))
        else:
            yield one


def _named(study: Study) -> list[str]:
    known = study.items.attributes
    columns = [known[name] for name in ("system", "system_a", "system_b") if name in known]
    pairs = columns[1:] if len(columns) == 3 else columns
    return list(dict.fromkeys(name for column in pairs for name in column.values))


def _of_kin(
    judge: str,
    metrics: Sequence[str],
    kin: Kin,
    scores: SystemScores | None,
    options: SystemsOptions,
    rng: np.random.Generator,
) -> Iterator[Preference]:
    """One row for the judge's own outputs, one for its siblings' and one for each of several siblings."""
    siblings = (*kin.family, *kin.alike)
    each = [("family", (one,), kin.every) for one in siblings] if 1 < len(siblings) <= MOST_SIBLINGS else []
    beyond = _beyond(scores, options, rng) if scores is not None and kin.every else {}
    for what, names, apart in (("itself", kin.own, siblings), ("family", siblings, kin.own), *each):
        if names:
            yield replace(
                preference_of(scores, names, options, apart=apart),
                judge=judge,
                metrics=tuple(metrics),
                kind=what,
                by_name=what == "family" and not kin.family,
                beyond=beyond.get(names[0]) if len(names) == 1 else None,
            )


def _beyond(scores: SystemScores, options: SystemsOptions, rng: np.random.Generator) -> dict[str, Estimate]:
    """What the judge's decisiveness leaves of each system's bias, on pairs."""
    if not scores.paired:
        return {}
    fit = pair_decisiveness(scores, JUDGE, level=options.level, rng=rng)
    return dict(zip(scores.systems, fit.beyond, strict=True))


def preference_of(
    scores: SystemScores | None,
    own: Sequence[str],
    options: SystemsOptions,
    *,
    apart: Sequence[str] = (),
) -> Preference:
    """The judge's error (its score minus people's) on systems ``own``, minus that on all others.

    Each system weighs the same; those ``apart`` (siblings) count on neither side. On pairs of answers it is
    the error towards own where it met others, less what the judge's error towards the first side explains. A
    pair within own is left out. The interval is a t over clusters on one degree of freedom fewer than
    clusters with own outputs. ``any_systems`` adds how much biases differ from system to system without any
    kinship, from the spread of the others'. In units of the score.
    """
    empty = Preference(systems=tuple(own))
    if scores is None:
        return replace(empty, reason=UNNAMED)
    if not scores.same_scale[JUDGE]:
        return replace(empty, reason="the judge answers on another scale than people")
    side = np.array(
        [1 if name in own else -1 if name in apart else 0 for name in scores.systems], dtype=np.int64
    )
    error = scores.score[JUDGE] - scores.score[0]
    measured = (_paired if scores.paired else _scored)(scores, error, side)
    n_own, n_other, clusters, value, part = measured
    empty = replace(
        empty,
        n_own=n_own,
        n_other=n_other,
        span=scores.span,
        needed=_needed_without(error, scores.span, options, scores.paired),
    )
    if clusters < 2 or (n_other < 2 and not scores.paired):
        few = "own" if clusters < 2 else "others'"
        return replace(
            empty, reason=f"fewer than two of {few} outputs have both a person's label and a verdict"
        )
    spread = float(np.sqrt(clusters / (clusters - 1) * (np.bincount(scores.cluster, part) ** 2).sum()))
    if not spread > 0:
        return replace(empty, reason="the judge's error is the same on every output")
    return _tested(replace(empty, difference=Estimate(value)), scores, side, (spread, clusters), options)


def _scored(
    scores: SystemScores, error: Floats, side: NDArray[np.int64]
) -> tuple[int, int, int, float, Floats]:
    """Rows of own and of others, clusters of own, the difference, and each row's part in its error (n,)."""
    n = scores.rows_by_system()
    mean = np.bincount(scores.first, error, minlength=len(n)) / np.maximum(n, 1)
    share = np.zeros(len(n))
    for sign, which in ((1, side == 1), (-1, side == 0)):
        if which.any():
            share[which] = sign / which.sum()
    part = share[scores.first] * (error - mean[scores.first]) / n[scores.first]
    where = side[scores.first]
    clusters = len(np.unique(scores.cluster[where == 1]))
    return int((where == 1).sum()), int((where == 0).sum()), clusters, float(share @ mean), part


def _paired(
    scores: SystemScores, error: Floats, side: NDArray[np.int64]
) -> tuple[int, int, int, float, Floats]:
    """As :func:`_scored`, on pairs: the error towards own, less the lean to the first side of other pairs."""
    first, second = side[scores.first], side[scores.second]
    own = ((first == 1) & (second == 0)) | ((first == 0) & (second == 1))
    rest = (first != 1) & (second != 1)
    sign = np.where(first == 1, 1.0, -1.0)
    part = np.zeros(len(error))
    if not own.any():
        return 0, int(rest.sum()), 0, 0.0, part
    raw = float((sign * error)[own].mean())
    part[own] = ((sign * error)[own] - raw) / own.sum()
    lean = 0.0
    if rest.sum() > 1:
        tilt = float(sign[own].mean())
        part[rest] -= tilt * (error[rest] - error[rest].mean()) / rest.sum()
        lean = tilt * float(error[rest].mean())
    clusters = len(np.unique(scores.cluster[own]))
    return int(own.sum()), int(rest.sum()), clusters, raw - lean, part


def _needed_without(error: Floats, span: float, options: SystemsOptions, paired: bool) -> float:
    """Own outputs needed where none stand in the sample, with as many of others: from the error's spread."""
    sd = float(error.std(ddof=1)) if len(error) > 2 else span / 2
    if not sd > 0:
        return float("nan")
    return _needed(sd * (1.0 if paired else np.sqrt(2.0)), span, options)


def _needed(sd: float, span: float, options: SystemsOptions) -> float:
    two_sided = (1 + options.level) / 2
    return float(mean_sample_size(options.smallest * span, sd, power=options.power, level=two_sided))


def _tested(
    bare: Preference,
    scores: SystemScores,
    side: NDArray[np.int64],
    spread: tuple[float, int],
    options: SystemsOptions,
) -> Preference:
    """The difference with its intervals, p-value, what it could have shown and what it would take."""
    assert bare.difference is not None, "there is a difference"
    error, clusters = spread
    value, df, level = bare.difference.value, clusters - 1, options.level
    reach = float(stdtrit(df, (1 + level) / 2)) * error
    sd = error * np.sqrt(clusters)
    return replace(
        bare,
        difference=_estimate(value, reach, bare.n_own + bare.n_other, level, clusters),
        any_systems=_any_systems(value, error, scores, side, level),
        p=float(2 * stdtr(df, -abs(value) / error)),
        detectable=float(detectable_mean(clusters, sd, power=options.power, level=(1 + level) / 2)),
        needed=_needed(sd, bare.span, options) * bare.n_own / clusters,
    )


def _estimate(value: float, reach: float, n: int, level: float, clusters: int) -> Estimate:
    return Estimate(
        value,
        value - reach,
        value + reach,
        level,
        n,
        method="t over clusters",
        target=THESE_RATERS,
        n_clusters=clusters,
    )


def _any_systems(
    value: float, error: float, scores: SystemScores, side: NDArray[np.int64], level: float
) -> Estimate:
    """The difference with an interval that allows for biases that differ between systems for other reasons.

    The others' biases have a variance over systems beyond their errors, t2; own is one draw from the same
    population where there is no self-preference: error^2 + t2 (1 / S_own + 1 / S_other), t on S_other - 1.
    """
    others = np.flatnonzero((side == 0) & (scores.rows_by_system() > 1))
    if len(others) < FEWEST_OTHERS:
        return undefined("insufficient_systems")
    means = SystemMeans.of(scores.of(others.tolist())) if not scores.paired else SystemMeans.of(scores)
    at = np.arange(len(others)) if not scores.paired else others
    size = means.mean.shape[1]
    bias = (means.mean[JUDGE] - means.mean[0])[at]
    turn = np.zeros((len(at), 2, size))
    turn[np.arange(len(at)), JUDGE, at], turn[np.arange(len(at)), 0, at] = 1, -1
    flat = turn.reshape(len(at), -1)
    noise = flat @ means.covariance @ flat.T
    k = len(at)
    chance = float(np.trace(noise) - noise.sum() / k) / (k - 1)
    between = max(float(bias.var(ddof=1)) - chance, 0.0)
    total = error**2 + between * (1 / max(int((side == 1).sum()), 1) + 1 / k)
    reach = float(stdtrit(k - 1, (1 + level) / 2)) * float(np.sqrt(total))
    return Estimate(
        value,
        value - reach,
        value + reach,
        level,
        len(scores.item),
        method="t over systems",
        target="these raters, new items and other systems",
    )
