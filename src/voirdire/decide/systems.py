"""Does a judge rank systems as people do? Differences, ranks, bias and what the ranking hangs on."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from voirdire.decide.systems_decisive import pair_decisiveness
from voirdire.decide.systems_means import Contrasts, SystemMeans, pairs_of, ranks, sides_of_pairs
from voirdire.decide.systems_options import SystemsOptions
from voirdire.decide.systems_panel import left_out
from voirdire.decide.systems_ranking import confirmed_gap, rank_agreement, soft_accuracy
from voirdire.decide.systems_result import JudgedSystems, SystemPair, Systems
from voirdire.decide.systems_scores import SystemScores, alike_metrics, scores_of
from voirdire.errors import UserError
from voirdire.stats.estimate import Estimate, undefined
from voirdire.stats.random_effects import random_effects
from voirdire.study.study import Study

__all__ = ["judged_scores", "judged_systems", "judges_and_metrics"]

PEOPLE, JUDGE = 0, 1
SIMULTANEOUS = "simultaneous, paired over clusters"
ROUNDING = 1e-12
"""An error that differs from none by rounding alone."""


def judged_systems(study: Study, options: SystemsOptions | None = None) -> Systems:
    """Each judge's ranking of systems against people's, on the items that both scored.

    Metrics with a pass rate are also taken together. Nothing is corrected: :func:`rates` does that. No metric
    that people and a judge rated, and no system, are users' errors.

    >>> from voirdire.opening import open
    >>> rows = [(f"i{k}", who, "yes" if k % 5 < (3 if k % 2 else 1) else "no") for k in range(80)
    ...         for who in ("Ann", "judge")]
    >>> study = open({
    ...     "item_id": [row[0] for row in rows], "rater_id": [row[1] for row in rows],
    ...     "rater_kind": ["human", "judge"] * 80, "label": [row[2] for row in rows],
    ...     "system": ["new" if int(row[0][1:]) % 2 else "old" for row in rows],
    ... })
    >>> judged_systems(study).judged[0].tau.value
    1.0
    """
    chosen = options or SystemsOptions()
    judges, metrics = judges_and_metrics(study, chosen)
    found: list[JudgedSystems] = []
    panels = []
    notes: list[str] = []
    for group in alike_metrics(study, metrics):
        here = [code for code in judges if any(code in study.judges_of(name) for name in group)]
        rng = np.random.default_rng([chosen.seed, *(zlib.crc32(name.encode()) for name in group)])
        for judge in here:
            scores = scores_of(study, group, [judge])
            one = None if scores is None else judged_scores(scores, chosen, rng)
            if one is not None:
                found.append(one)
            elif len(group) == 1:
                notes.append(f"{study.raters[judge].id} on {group[0]}: {_too_few(scores, chosen.fewest)}")
        panels += list(left_out(study, group, here, chosen, rng))
    return Systems(tuple(found), tuple(panels), tuple(notes), chosen.level, chosen.seed)


def judges_and_metrics(study: Study, options: SystemsOptions) -> tuple[list[int], list[str]]:
    """Positions of the judges and names of the metrics that people and one of them rated; checked."""
    if not isinstance(study, Study) or not isinstance(options, SystemsOptions):
        raise UserError("a Study and SystemsOptions are needed", fix="voirdire.open(source)")
    known = {study.raters[code].id: code for code in study.raters_of("judge")}
    for name in options.judges:
        if name not in known:
            raise UserError(f"no judge named '{name}'", expected=f"one of {', '.join(sorted(known))}")
    for name in options.metrics:
        study.metric_index(name)
    if not {"system", "system_a"} & set(study.items.attributes):
        raise UserError("no item names the system it is of", expected="a column `system`, or two for pairs")
    judges = [known[name] for name in options.judges] or list(known.values())
    metrics = [
        metric.name
        for metric in study.metrics
        if (not options.metrics or metric.name in options.metrics)
        and set(judges) & set(study.judges_of(metric.name))
        and len(study.rows(metric.name, kind="human"))
    ]
    if not metrics:
        raise UserError("no metric was rated by people and by a judge", fix="label what the judge rated")
    return judges, metrics


def _too_few(scores: SystemScores | None, fewest: int) -> str:
    if scores is None:
        return "no item of a named system has both a person's label and its verdict on a scale to rank by."
    enough = int((scores.rows_by_system() >= fewest).sum())
    return (
        f"{enough} of {len(scores.systems)} systems have the {fewest} items with both that a ranking needs; "
        "two must."
    )


def judged_scores(
    scores: SystemScores, options: SystemsOptions, rng: np.random.Generator
) -> JudgedSystems | None:
    """One judge's ranking against people's, from the rows that both scored; None below two systems."""
    used = scores.enough(options.fewest)
    if used is None:
        return None
    means = SystemMeans.of(used)
    size, level = len(used.systems), options.level
    sides = [means.contrasts(sides_of_pairs(2, size, source)) for source in (PEOPLE, JUDGE)]
    reach = [side.critical(level=level, draws=options.draws, rng=rng) for side in sides]
    both = means.contrasts(np.concatenate([sides_of_pairs(2, size, source) for source in (PEOPLE, JUDGE)]))
    joint = both.critical(level=level, draws=options.draws, rng=rng)
    bias, spread = _bias(used, means, options, rng)
    decisive = pair_decisiveness(used, JUDGE, level=level, rng=rng)
    eye = np.eye(2 * size).reshape(2 * size, 2, size)
    alone = means.contrasts(eye).alone(level=level, method="t over clusters")
    return JudgedSystems(
        used.sources[JUDGE],
        used.metrics,
        used.quantity,
        used.systems,
        len(used.item),
        alone[:size],
        alone[size:],
        bias,
        spread,
        tuple(ranks(sides[PEOPLE].signs(reach[PEOPLE]), size)),
        tuple(ranks(sides[JUDGE].signs(reach[JUDGE]), size)),
        tuple(_pairs(used.systems, sides, reach, level)),
        rank_agreement(sides[PEOPLE], sides[JUDGE], joint, level=level),
        soft_accuracy(sides[PEOPLE], sides[JUDGE]),
        decisive.exponent,
        decisive.beyond,
        confirmed_gap(sides[PEOPLE], sides[JUDGE], level=level, draws=options.draws, rng=rng),
        tuple(name for name in scores.systems if name not in used.systems),
    )


def _pairs(
    systems: Sequence[str], sides: Sequence[Contrasts], reach: Sequence[float], level: float
) -> Iterator[SystemPair]:
    told = [
        side.estimates(far, level=level, method=SIMULTANEOUS) for side, far in zip(sides, reach, strict=True)
    ]
    for first, second, people, judge in zip(*pairs_of(len(systems)), *told, strict=True):
        yield SystemPair(systems[first], systems[second], people, judge)


def _bias(
    scores: SystemScores, means: SystemMeans, options: SystemsOptions, rng: np.random.Generator
) -> tuple[tuple[Estimate, ...], Estimate]:
    """Judge minus people of each system, with intervals for all together, and the true biases' spread."""
    size = len(scores.systems)
    if not scores.same_scale[JUDGE]:
        return (undefined("scale_mismatch"),) * size, undefined("scale_mismatch")
    weights = np.zeros((size, 2, size))
    at = np.arange(size)
    weights[at, JUDGE, at], weights[at, PEOPLE, at] = 1, -1
    found = means.contrasts(weights)
    reach = found.critical(level=options.level, draws=options.draws, rng=rng)
    error = found.weights @ means.covariance @ found.weights.T
    if not (found.error > ROUNDING).all():
        spread = undefined("no_variation")
    else:
        spread = random_effects(found.value, error, level=options.level).between
    return found.estimates(reach, level=options.level, method=SIMULTANEOUS), spread
