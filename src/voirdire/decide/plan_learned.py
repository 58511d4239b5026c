"""What is known before labels are bought: how people are expected to judge each row, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.cross_fit import CrossFitted, cross_fit
from voirdire.align.fusion import LARGEST_KAPPA, fuse
from voirdire.align.observe import features_of
from voirdire.align.selection import applicable
from voirdire.decide.plan_frame import Frame
from voirdire.decide.plan_options import PlanOptions
from voirdire.decide.rates import AUTO
from voirdire.decide.rates_quantities import quantities
from voirdire.decide.routing import gain_of_one_more
from voirdire.stats.estimate import REASONS
from voirdire.study.combine import judged_metrics
from voirdire.study.study import Study

__all__ = ["Learned", "learn", "worth_of_one_person"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
FEWEST_CLUSTERS = 20


@dataclass(frozen=True, eq=False)
class Learned:
    """A map of ``metrics`` that share a scale, cross-fitted with ``select``; ``rows`` (m,) are the frame's.

    ``spread`` (m,) is the standard deviation of one person's label about its prediction, in the units of the
    metric's main quantity (of all label shares together where it has none), scaled to what labelled rows
    showed. ``of_mean`` (m,) is the predicted value of that quantity. ``mean`` (m, C) and ``votes`` (m,) are
    the posterior of people's shares, labels that exist counted in; ``gain`` (m,) the expected rise by one
    more label of the chance that the decision is what a random person says. All three rest on kappa and are
    NaN where it is not measurable.
    """

    metrics: tuple[str, ...]
    select: str
    fitted: CrossFitted
    rows: Positions
    spread: Floats
    of_mean: Floats
    mean: Floats
    votes: Floats
    gain: Floats

    @property
    def worth(self) -> float:
        """What one more person's label tells about the next one's, nats a row.

        NaN where kappa is not measurable or may be infinite: that it tells anything is then not shown.
        """
        kappa = self.fitted.kappa
        if kappa.undefined is not None or not math.isfinite(kappa.high):
            return math.nan
        return worth_of_one_person(self.fitted.predicted, kappa.value)


def learn(
    study: Study, frame: Frame, options: PlanOptions, *, rng: np.random.Generator
) -> tuple[list[Learned], list[str]]:
    """A map for each group of metrics that people and judges rated, and what is to be said of the others."""
    found, notes = [], []
    keys = frame.metric * len(study.items) + frame.item
    planned = [study.metrics[code].name for code in frame.metrics]
    for metrics in judged_metrics(study, planned):
        observed = features_of(study, judges=options.judges or None, metrics=metrics)
        tests = observed.target.labelled & observed.asked
        clusters = len(np.unique(observed.target.cluster[tests]))
        if clusters < FEWEST_CLUSTERS:
            notes.append(_no_map(metrics, clusters, observed.target.labelled, observed.asked))
            continue
        select = options.select
        if select == "auto":
            usable = observed.labelled.features
            select = next(name for name in AUTO if applicable(usable, [name]))
        fitted = cross_fit(observed, select=select, rng=rng)
        code = np.array([study.metric_index(name) for name in observed.encoding.metrics], dtype=np.intp)
        wanted = code[observed.metric] * len(study.items) + observed.item
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        kept = np.flatnonzero(keys[at] == wanted)
        found.append(_learned(study, fitted, select, kept, at[kept]))
        if fitted.kappa.undefined is not None:
            notes.append(
                f"{', '.join(metrics)}: what one more label of an item would change is not measurable "
                f"({REASONS[fitted.kappa.undefined]})."
            )
    return found, notes


def _no_map(
    metrics: tuple[str, ...], clusters: int, labelled: NDArray[np.bool_], asked: NDArray[np.bool_]
) -> str:
    both, people, judged = (
        int(each.sum()) for each in (labelled & asked, labelled & ~asked, asked & ~labelled)
    )
    return (
        f"{', '.join(metrics)}: no map from the judge to people yet, for {clusters:,} labelled and judged "
        f"items (clusters) are fewer than {FEWEST_CLUSTERS}: matched {both:,}, only labelled {people:,}, "
        f"only judged {judged:,}."
    )


def _learned(study: Study, fitted: CrossFitted, select: str, kept: Positions, rows: Positions) -> Learned:
    observed = fitted.observed
    counts = observed.target.counts
    spread, of_mean = np.full(len(observed), np.nan), np.full(len(observed), np.nan)
    tested = np.zeros(len(observed), dtype=np.bool_)
    tested[fitted.calibration] = True
    for position, name in enumerate(observed.encoding.metrics):
        mine = np.flatnonzero(observed.metric == position)
        if not len(mine):
            continue
        metric = study.metric(name)
        values = [each.value for each in quantities(metric, observed.features.scale) if each.main]
        table = np.stack(values, axis=1) if values else np.eye(counts.shape[1])
        spread[mine] = _spread(fitted.predicted[mine], counts[mine], table, tested[mine])
        of_mean[mine] = fitted.predicted[mine] @ table[:, 0]
    kappa = fitted.kappa.value if fitted.kappa.undefined is None else math.nan
    votes = min(kappa, LARGEST_KAPPA) + counts.sum(axis=1)
    mean = fuse(fitted.predicted, counts, min(kappa, LARGEST_KAPPA))
    gain = np.where(np.isnan(votes), np.nan, gain_of_one_more(mean, votes))
    parts = (each[kept] for each in (spread, of_mean, mean, votes, gain))
    return Learned(observed.encoding.metrics, select, fitted, rows, *parts)


def _spread(q: Floats, counts: Floats, table: Floats, tested: NDArray[np.bool_]) -> Floats:
    """Root of the variance of one label's values (C, v) under ``q`` (n, C), times what tested rows showed."""
    centre = q @ table
    variance = np.maximum((q @ table**2 - centre**2).sum(axis=1), 0.0)
    k = counts.sum(axis=1)
    rows = np.flatnonzero(tested & (k > 0))
    shown = 1.0
    if len(rows) >= FEWEST_CLUSTERS and variance[rows].mean() > 0:
        apart = ((table[None, :, :] - centre[rows, None, :]) ** 2).sum(axis=2)
        square = (counts[rows] * apart).sum(axis=1) / k[rows]
        shown = float(square.mean() / variance[rows].mean())
    spread: Floats = np.sqrt(variance * shown)
    return spread


def worth_of_one_person(predicted: Floats, kappa: float) -> float:
    """Mean nats that one person's label tells about the next: H(q) - E_y H((kappa q + e_y) / (kappa + 1)).

    ``predicted`` q is (n, C). 0 where kappa is infinite: people then differ at random about q.

    >>> round(worth_of_one_person(np.array([[0.5, 0.5]]), 1.0), 3)
    0.131
    """
    kappa = min(kappa, LARGEST_KAPPA)
    after = np.zeros(len(predicted))
    for label, drawn in enumerate(np.eye(predicted.shape[1])):
        after += predicted[:, label] * _entropy((kappa * predicted + drawn) / (kappa + 1))
    return float((_entropy(predicted) - after).mean())


def _entropy(q: Floats) -> Floats:
    logs: Floats = -(q * np.log(np.where(q > 0, q, 1.0))).sum(axis=1)
    return logs
