"""What each judge of a cascade says of every item and metric, and which labelled rows test it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire.align.fusion import fit_kappa
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.observe import Observed, features_of
from voirdire.align.replies import replies_of
from voirdire.align.selection import fit
from voirdire.decide.cascade import Trials
from voirdire.decide.select_options import ALIGNED, PROBABILITY, SelectOptions
from voirdire.decide.trials import Verdict, verdict_of
from voirdire.errors import UserError
from voirdire.stats.estimate import Estimate
from voirdire.study.scale import Scale
from voirdire.study.scales import as_number
from voirdire.study.study import Study

__all__ = ["Evidence", "Heard", "evidence_of"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
FEWEST_CLUSTERS, BETTER = 20, 100
FEWEST_REFERENCE = 100
"""With so many unlabelled items the grid of thresholds takes no labelled ones."""
GRID_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class Heard:
    """One stage on n rows: the ``judges`` it asks, their ``cost`` a row, where they were ``asked`` (n,).

    ``verdict`` is theirs; its confidence is NaN where they gave none. ``shares`` (n, C) is how people are
    expected to judge, given this stage and the ones before, NaN where none was asked; no row's own labels
    are in it. ``expected`` are its confidences and the errors expected of them, NaN where not known, which
    do not depend on any label that sets a threshold.
    """

    judges: tuple[str, ...]
    cost: float
    asked: Flags
    verdict: Verdict
    shares: Floats
    expected: Trials


@dataclass(frozen=True, eq=False)
class Evidence:
    """n rows, one an item and metric, of ``metrics`` that share a ``scale``.

    ``item`` (n,) are positions in the study's items, ``metric`` (n,) in ``metrics``; ``counts`` (n, C) are
    people's labels, ``cluster`` (n,) the resampled units. ``calibrates`` (n,) are the clusters whose labels
    set the thresholds and had no part in any map. ``kappa`` is what the prediction counts as in human votes.
    """

    metrics: tuple[str, ...]
    scale: Scale
    item: NDArray[np.intp]
    metric: NDArray[np.intp]
    counts: Floats
    cluster: NDArray[np.intp]
    calibrates: Flags
    stages: tuple[Heard, ...]
    kappa: Estimate

    @property
    def labelled(self) -> Flags:
        """Rows with a human label, (n,)."""
        labelled: Flags = self.counts.sum(axis=1) > 0
        return labelled

    @property
    def complete(self) -> Flags:
        """Rows on which every stage's judge was asked, (n,)."""
        complete: Flags = np.logical_and.reduce([stage.asked for stage in self.stages])
        return complete

    @property
    def shares(self) -> Floats:
        """How people are expected to judge (n, C), by the last stage that was asked."""
        latest = self.stages[0].shares.copy()
        for stage in self.stages[1:]:
            known = stage.asked & ~np.isnan(stage.shares[:, 0])
            latest[known] = stage.shares[known]
        return latest


def evidence_of(
    study: Study, metrics: Sequence[str], options: SelectOptions, *, rng: np.random.Generator
) -> Evidence:
    """Ask every stage about all rows of ``metrics``; fit maps on one part of the labelled clusters only."""
    asks: list[tuple[str, ...] | None] = [(name,) for name, _ in options.cascade]
    asks = asks or [options.judges or None]
    costs = [cost for _, cost in options.cascade] or [1.0]
    every = None if asks[0] is None else [name for names in asks for name in names or ()]
    base = features_of(study, judges=every, metrics=metrics)
    rows = _Rows(base, len(study.items))
    own = [base] if len(asks) == 1 else [features_of(study, judges=one, metrics=metrics) for one in asks]
    asked = [rows.spread(one, one.asked, fill=False) for one in own]
    complete = np.logical_and.reduce(asked)
    _check_overlap(base, complete, study)
    fitted, calibrates = _parts(base, complete, options, rng)
    stages = []
    for k, (one, where, cost) in enumerate(zip(own, asked, costs, strict=True)):
        known = one if k == 0 else features_of(study, judges=(every or [])[: k + 1], metrics=metrics)
        both = _shares(known, rows.back(known, fitted), options, rng)
        shares, first = (rows.spread(known, each, fill=np.nan) for each in both)
        verdict, other = (_verdict(study, rows, one, each, options) for each in (shares, first))
        # with a judge's own confidence the map may have seen the labels that set the threshold
        free = options.confidence == ALIGNED
        risk = (first * other.loss).sum(axis=1) if free else np.full(len(first), np.nan)
        stages.append(
            Heard(one.encoding.judges, cost, where, verdict, shares, Trials(other.confidence, risk))
        )
    used = complete & base.target.labelled
    kappa = fit_kappa(stages[-1].shares[used], base.target.counts[used], cluster=base.target.cluster[used])
    return Evidence(
        tuple(metrics),
        base.features.scale,
        base.item,
        base.metric,
        base.target.counts,
        base.target.cluster,
        calibrates,
        tuple(stages),
        kappa,
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of all judges together, and where those of some of the judges stand among them."""

    base: Observed
    n_items: int

    def place(self, other: Observed) -> NDArray[np.intp]:
        """The row of each of ``other``'s rows (m,), all of which are here."""
        return self.find(other.item, other.metric)[0]

    def find(self, item: NDArray[np.intp], metric: NDArray[np.intp]) -> tuple[NDArray[np.intp], Flags]:
        """The row of each pair (m,), and whether there is one."""
        keys, wanted = self.base.metric * self.n_items + self.base.item, metric * self.n_items + item
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return at, keys[at] == wanted

    def spread(self, other: Observed, values: NDArray[Any], *, fill: float | bool) -> NDArray[Any]:
        """The ``values`` (m, ...) of ``other``'s rows on all rows, ``fill`` elsewhere."""
        every = np.full((len(self.base), *values.shape[1:]), fill, dtype=values.dtype)
        every[self.place(other)] = values
        return every

    def back(self, other: Observed, flags: Flags) -> Flags:
        """The ``flags`` (n,) at ``other``'s rows (m,)."""
        return flags[self.place(other)]


def _check_overlap(base: Observed, complete: Flags, study: Study) -> None:
    labelled = base.target.labelled
    if (labelled & complete).any():
        return
    people, judged = int((labelled & ~complete).sum()), int((complete & ~labelled).sum())
    raise UserError(
        f"no item was both labelled by a person and judged by {', '.join(base.encoding.judges)}: matched 0, "
        f"only labelled {people:,}, only judged {judged:,}",
        where=study.name,
        fix="check that both use the same item ids, or label items that were judged",
    )


def _parts(
    base: Observed, complete: Flags, options: SelectOptions, rng: np.random.Generator
) -> tuple[Flags, Flags]:
    """The rows whose clusters fit the map, and those whose clusters set the thresholds, (n,) each.

    With a judge's own confidence nothing that is tested was fitted, and the two parts may overlap; labelled
    clusters are then held back for the grid of thresholds alone, where unlabelled items are few.
    """
    cluster = base.target.cluster
    tested = complete & base.target.labelled
    names = rng.permutation(np.unique(cluster[tested]))
    if len(names) < FEWEST_CLUSTERS:
        raise UserError(
            f"{len(names)} items (clusters) with a person's label and every judge's verdict are too few",
            expected=f"at least {FEWEST_CLUSTERS}, better {BETTER} or more",
            fix=f"label {FEWEST_CLUSTERS - len(names)} more",
        )
    fitted = np.isin(cluster, names[: max(2, round(options.fit_share * len(names)))])
    if options.confidence == ALIGNED:
        return fitted, np.isin(cluster, names) & ~fitted
    free = complete & ~np.isin(cluster, names)
    fewest = min(int((free & (base.metric == k)).sum()) for k in np.unique(base.metric[tested]).tolist())
    held = 0 if fewest >= FEWEST_REFERENCE else round(GRID_SHARE * len(names))
    return fitted, np.isin(cluster, names[held:])


def _shares(
    observed: Observed, fitted: Flags, options: SelectOptions, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """How people are expected to judge each row (n, C): by the fitting part's map, fitted rows by another.

    Rows without a label have the fitting part's map, as those that set the thresholds do: the promise is
    about that one. The second table is that map's on all rows, also those that it was fitted on.
    """
    tests = observed.target.labelled & observed.asked
    first = tests & fitted
    both = []
    for train in (first, tests & ~fitted):
        rows = np.flatnonzero(train)
        part = observed.features.take(rows), observed.target.take(rows)
        both.append(fit(*part, select=options.select, rng=rng).predict(observed.features))
    return np.where(first[:, None], both[1], both[0]), both[0]


def _verdict(study: Study, rows: _Rows, own: Observed, shares: Floats, options: SelectOptions) -> Verdict:
    """The stage's verdict on all rows, without confidence where its judges gave none."""
    scale = own.features.scale
    given = np.logical_or.reduce([output.has_verdict for output in own.features.judges])
    spoken = rows.spread(own, given, fill=False)
    if options.confidence not in (ALIGNED, PROBABILITY):
        return _by_column(study, rows, own, options.confidence)
    if options.confidence == PROBABILITY:
        stated = np.exp(_alone(own).log_probs)
        if not np.isfinite(stated).any():
            raise UserError(
                f"judge '{own.encoding.judges[0]}' states no probabilities of people's labels",
                expected=f"columns prob_{scale.labels[0]}, ...",
                fix=f"use --confidence {ALIGNED}",
            )
        shares = rows.spread(own, stated, fill=np.nan)
    shares = np.where(spoken[:, None], shares, np.nan)
    return verdict_of(shares, scale, target=options.target, set_size=options.set_size)


def _by_column(study: Study, rows: _Rows, own: Observed, column: str) -> Verdict:
    """The judge's own label, as sure as a number in a column of its ratings says; runs are averaged."""
    judge, scale = _alone(own), own.features.scale
    if column not in study.ratings.attributes:
        known = ", ".join(study.ratings.attributes) or "none"
        raise UserError(
            f"no column '{column}' of the judge's ratings",
            expected=f"{ALIGNED}, {PROBABILITY} or one of {known}",
        )
    values = study.ratings.attributes[column]
    numbers = [as_number(text) for text in values.values]
    number = np.array([*(np.nan if each is None else each for each in numbers), np.nan])[values.codes]
    replies = replies_of(study, judge.judge, own.encoding.metrics)
    at, inside = rows.find(replies.item, replies.metric)
    said = number[replies.row][inside]
    n = len(rows.base)
    runs = np.bincount(at[inside], weights=np.isfinite(said), minlength=n)
    total = np.bincount(at[inside], weights=np.nan_to_num(said), minlength=n)
    if not runs.any():
        raise UserError(f"column '{column}' holds no number on ratings of '{judge.judge}'")
    human = np.array([*(scale.code(label) for label in judge.labels), -1], dtype=np.intp)[judge.code]
    label = rows.spread(own, human, fill=-1)
    known_label = (label >= 0) & (runs > 0)
    confidence = np.where(known_label, total / np.maximum(runs, 1), np.nan)
    answer = np.arange(len(scale.labels)) == label[:, None]
    return Verdict(answer, confidence, (~answer).astype(np.float64))


def _alone(own: Observed) -> JudgeOutput:
    """The output of a stage's only judge: several have no confidence in common."""
    if len(own.features.judges) != 1:
        raise UserError(
            f"{len(own.features.judges)} judges have no confidence of their own in common",
            fix="name one judge, a cascade, or use --confidence aligned",
        )
    return own.features.judges[0]
