"""Selective verdicts: which of a judge's verdicts to trust without asking people, with a guarantee."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import kolmogorov

from voirdire.decide.cascade import (
    CascadeStage,
    Passage,
    Trials,
    calibrate_each_stage,
    calibrate_together,
    pass_through,
    surest,
)
from voirdire.decide.evidence import Evidence, evidence_of
from voirdire.decide.queue import Routing, queue_of
from voirdire.decide.routing import ROUTES
from voirdire.decide.select_options import ALIGNED, SelectOptions
from voirdire.decide.select_result import MetricSelection, Selection, Stage
from voirdire.decide.trials import draw_trials
from voirdire.errors import UserError
from voirdire.stats.estimate import REASONS
from voirdire.stats.proportion import proportion
from voirdire.stats.selective import MARGIN, SelectiveThreshold, calibration_size
from voirdire.study.study import Study

__all__ = ["select"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]
FEWEST_ALIKE = 50
"""With so many labelled items outside the test the grid of thresholds takes no unlabelled ones."""
SHIFTED = 0.01
MOST_LABELS, FEWEST_TOLD = 20_000, 30
SHARES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
"""Shares of the surest items for which the labels needed are worked out."""


def select(
    study: Study, options: SelectOptions | None = None, *, progress: Callable[[str], None] | None = None
) -> Selection:
    """Which verdicts to trust so that people would agree in ``options.agreement`` of cases, guaranteed.

    Each metric has a threshold of its own, set by fixed-sequence testing on labelled items that had no part
    in the confidence; where even the surest verdicts fail, none is trusted. Every item and metric is then
    routed: trust, escalate, ask one more person, or contested. The guarantee speaks of new items drawn as the
    labelled ones were, and of a random one of the people who label.

    No judge, no human label, no item with both, fewer than 20 such items (clusters) or an unknown judge are
    users' errors.
    """
    if not isinstance(study, Study):
        raise UserError(
            f"cannot select from a {type(study).__name__}",
            expected="a Study",
            fix="open it first: voirdire.select(voirdire.open(source))",
        )
    if not isinstance(options, SelectOptions | None):
        raise UserError(f"options are a {type(options).__name__}", expected="voirdire.SelectOptions(...)")
    chosen, say = options or SelectOptions(), progress or (lambda text: None)
    rng = np.random.default_rng(chosen.seed)
    parts, found, notes = [], [], []
    for metrics in _by_scale(study, _metrics(study, chosen)):
        say(f"Judging {', '.join(metrics)}")
        evidence = evidence_of(study, metrics, chosen, rng=rng)
        codes = [k for k in range(len(metrics)) if (evidence.metric == k).any()]
        tests = {k: _trial_rows(evidence, k, rng) for k in codes}
        stages = {k: _calibrated(evidence, k, tests[k], chosen, rng) for k in codes}
        part = Routing(evidence, stages, _passed(evidence, stages), chosen)
        parts.append(part)
        found += [_found(part, k, tests[k]) for k in codes]
        notes += [*_notes(part), *_shifted(part, tests)]
    unique = tuple(dict.fromkeys(notes))
    return Selection(tuple(found), queue_of(study, parts), unique, chosen, study.assumptions)


def _trial_rows(evidence: Evidence, metric: int, rng: np.random.Generator) -> Positions:
    """The rows that test a metric: one drawn from each calibration cluster, so that they are independent."""
    tests = (evidence.metric == metric) & evidence.complete & evidence.labelled & evidence.calibrates
    rows = rng.permutation(np.flatnonzero(tests))
    return rows[np.unique(evidence.cluster[rows], return_index=True)[1]]


def _calibrated(
    evidence: Evidence, metric: int, rows: Positions, options: SelectOptions, rng: np.random.Generator
) -> tuple[CascadeStage, ...]:
    """The stages' thresholds on one metric, set on ``rows`` with one trial a row."""
    binary = options.target != "loss"
    # one person's label tests every stage
    seed = int(rng.integers(2**62))
    counts = evidence.counts[rows]
    errors = [
        draw_trials(stage.verdict.loss[rows], counts, binary=binary, rng=np.random.default_rng(seed))
        for stage in evidence.stages
    ]
    reference = _reference(evidence, metric, rows)
    calibrate = calibrate_each_stage if options.each_stage else calibrate_together
    return calibrate(
        [
            Trials(stage.verdict.confidence[rows], wrong)
            for stage, wrong in zip(evidence.stages, errors, strict=True)
        ],
        [stage.expected.take(reference) for stage in evidence.stages],
        alpha=options.alpha,
        delta=options.delta,
        method="clopper_pearson" if binary else "hoeffding_bentkus",
    )


def _reference(evidence: Evidence, metric: int, rows: Positions) -> Positions:
    """The rows whose confidences make the grid: of other clusters, and labelled, as those that test it are.

    Where few are left, unlabelled ones too.
    """
    mine = (evidence.metric == metric) & evidence.complete
    apart = mine & ~np.isin(evidence.cluster, evidence.cluster[rows])
    alike = apart & evidence.labelled
    return np.flatnonzero(alike if alike.sum() >= FEWEST_ALIKE else apart)


def _passed(evidence: Evidence, calibrated: Mapping[int, tuple[CascadeStage, ...]]) -> Passage:
    """How all rows pass through the stages of their own metric."""
    n, s = len(evidence.item), len(evidence.stages)
    trusted, waits = np.full(n, -1, dtype=np.intp), np.full(n, -1, dtype=np.intp)
    reached = np.zeros((s, n), dtype=np.bool_)
    for metric, stages in calibrated.items():
        rows = np.flatnonzero(evidence.metric == metric)
        one = pass_through(
            stages,
            [stage.verdict.confidence[rows] for stage in evidence.stages],
            [stage.asked[rows] for stage in evidence.stages],
        )
        trusted[rows], waits[rows], reached[:, rows] = one.trusted, one.waits, one.reached
    return Passage(trusted, waits, reached)


def _found(part: Routing, metric: int, rows: Positions) -> MetricSelection:
    """What is reported of one metric; ``rows`` tested it."""
    evidence, passage, stages = part.evidence, part.passage, part.stages[metric]
    mine = evidence.metric == metric
    free = mine & ~evidence.labelled
    nothing = all(stage.found.abstains for stage in stages)
    counted = free if free.any() else np.isin(np.arange(len(free)), rows)
    cost = [
        heard.cost * float(there[counted].mean())
        for heard, there in zip(evidence.stages, passage.reached, strict=True)
    ]
    n_labelled = int((mine & evidence.labelled & evidence.complete).sum())
    return MetricSelection(
        evidence.metrics[metric],
        math.nan if nothing else part.options.agreement,
        tuple(_stages(part, metric, free)),
        proportion(int((passage.trusted[rows] >= 0).sum()), len(rows)),
        n_labelled,
        int(free.sum()),
        int((free & (passage.trusted >= 0)).sum()),
        {name: int((free & (part.routed.route == k)).sum()) for k, name in enumerate(ROUTES)},
        sum(cost),
        _labels_needed(part, metric, rows, n_labelled) if nothing else math.nan,
    )


def _stages(part: Routing, metric: int, free: Flags) -> Iterator[Stage]:
    """Each stage with what it is asked about and trusted with, among the unlabelled rows ``free`` (n,)."""
    for k, (stage, heard) in enumerate(zip(part.stages[metric], part.evidence.stages, strict=True)):
        here = free & part.passage.reached[k]
        asked, waiting = int((here & heard.asked).sum()), int((here & ~heard.asked).sum())
        trusted = int((free & (part.passage.trusted == k)).sum())
        yield Stage(
            heard.judges, heard.cost, stage.found, stage.tested, stage.failed, asked, waiting, trusted
        )


def _labels_needed(part: Routing, metric: int, rows: Positions, labelled: int) -> float:
    """Labelled items with which the surest verdicts would pass a test in about 80 % of tries."""
    every = [stage.expected.take(_reference(part.evidence, metric, rows)) for stage in part.evidence.stages]
    joint = not part.options.each_stage
    pairs = zip(part.stages[metric], [surest(every)] if joint else every, strict=False)
    needed = [_tests_needed(stage.found, known) / max(stage.found.n, 1) for stage, known in pairs]
    total = min(needed) * labelled
    return math.ceil(total) if total <= MOST_LABELS else math.inf


def _tests_needed(walk: SelectiveThreshold, known: Trials) -> float:
    """Test items with which one share or other of the surest would pass, by their expected errors.

    Those are raised where more errors were seen than expected. Where too few are expected of anything, the
    error rate that was seen is taken, if there were enough items to see one.
    """

    def size(rate: float) -> float:
        return calibration_size(rate, alpha=walk.alpha, delta=walk.delta, method=walk.method)

    step = walk.failed
    if step is None or not step.n:
        return size(walk.alpha * MARGIN)
    seen = step.errors / step.n
    if np.isnan(known.error).any() or len(known.error) < FEWEST_TOLD:
        return size(seen if step.n >= size(0.0) else walk.alpha * MARGIN) / step.n * walk.n
    order = np.argsort(-np.nan_to_num(known.confidence, nan=-np.inf), kind="stable")
    risk = np.cumsum(known.error[order]) / np.arange(1, len(order) + 1)
    above = int((known.confidence >= step.threshold).sum())
    worse = max(1.0, seen / max(float(risk[above - 1]), 1e-9)) if above else 1.0
    places = [max(1, round(share * len(risk))) for share in SHARES]
    return min(size(min(1.0, worse * float(risk[k - 1]))) * len(risk) / k for k in places)


def _metrics(study: Study, options: SelectOptions) -> tuple[str, ...]:
    """The metrics asked for, or those with a person's label and a judge's verdict."""
    if not study.raters_of("judge"):
        raise UserError("no judge to select from", expected="ratings of a judge", fix="name it with --judge")
    for name in options.metrics:
        study.metric(name)
    names = options.metrics or tuple(metric.name for metric in study.metrics)
    people = [name for name in names if len(study.rows(name, kind="human"))]
    if not people:
        raise UserError(
            "no person labelled these metrics", fix="label about 100 items that the judge has seen"
        )
    both = [name for name in people if study.judges_of(name)]
    if not both:
        raise UserError("no metric was rated by people and by a judge", fix="label what the judge rated")
    missing = [name for name in options.metrics if name not in both]
    if missing:
        raise UserError(f"metric '{missing[0]}' was not rated by people and by a judge")
    return tuple(both)


def _by_scale(study: Study, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Metrics with the same labels in the same order share one map."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for name in names:
        scale = study.metric(name).scale
        groups.setdefault((scale.kind, scale.labels, scale.ordered), []).append(name)
    return [tuple(group) for group in groups.values()]


def _shifted(part: Routing, tests: Mapping[int, Positions]) -> Iterator[str]:
    """Metrics whose unlabelled items are judged with another confidence than the labelled ones.

    Kolmogorov and Smirnov's test of two samples, one item a cluster.
    """
    evidence, odd = part.evidence, []
    for metric, rows in tests.items():
        free = np.flatnonzero((evidence.metric == metric) & ~evidence.labelled & evidence.stages[0].asked)
        free = free[np.unique(evidence.cluster[free], return_index=True)[1]]
        one, two = (np.nan_to_num(evidence.stages[0].verdict.confidence[each]) for each in (rows, free))
        if len(one) and len(two) and _same(np.sort(one), np.sort(two)) < SHIFTED:
            odd.append(evidence.metrics[metric])
    if odd:
        yield (
            f"On {', '.join(odd)} the unlabelled items are judged with another confidence than the labelled "
            "ones: they look like items of another kind, and the promise need not hold for them. Label some."
        )


def _same(one: Floats, two: Floats) -> float:
    """The p-value of one distribution behind two sorted samples (large-sample formula)."""
    points = np.concatenate([one, two])
    share = [np.searchsorted(each, points, side="right") / len(each) for each in (one, two)]
    gap = float(np.abs(share[0] - share[1]).max())
    return float(kolmogorov(gap * math.sqrt(len(one) * len(two) / (len(one) + len(two)))))


def _notes(part: Routing) -> Iterator[str]:
    """What a reader must know to read the promise."""
    evidence, options = part.evidence, part.options
    yield (
        f"The promise holds with {100 * (1 - options.delta):g} % probability over draws of the labelled "
        "items, for each metric by itself; it speaks of items drawn as the labelled ones were, and of one "
        "random person of those who label."
    )
    if options.confidence == ALIGNED:
        yield (
            f"Confidence comes from the judge's output aligned on {100 * options.fit_share:g} % of the "
            "labelled items (clusters); the others, one a cluster with one label each, set the threshold."
        )
    if len(evidence.stages) > 1 and options.each_stage:
        yield (
            f"The chance of a wrong threshold is split over {len(evidence.stages)} stages, each of which "
            "keeps the promise by itself."
        )
    elif len(evidence.stages) > 1:
        yield (
            "The promise is for all that the judges are trusted with together; with --each-stage it is for "
            "every judge's part by itself, and less is trusted."
        )
    kappa = evidence.kappa
    if kappa.undefined is not None:
        yield (
            f"Whether one more label would change a decision is not measurable ({REASONS[kappa.undefined]}): "
            "what is not trusted is escalated."
        )
