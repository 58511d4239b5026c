"""What a drift alarm follows: a fitted map, and how well it predicted people when it was fitted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from voirdire.align.aligner import Aligner
from voirdire.align.cross_fit import cross_fit
from voirdire.align.encoding import Encoding
from voirdire.align.identity import Identity, training_hash
from voirdire.align.numerics import PRIOR_MASS
from voirdire.align.observe import features_of
from voirdire.align.pool import Pool
from voirdire.align.scores import log_score
from voirdire.stats.clustered import clustered_mean
from voirdire.stats.estimate import Estimate, undefined
from voirdire.study.study import Study

__all__ = ["Followed", "by_cluster", "largest_loss"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Followed:
    """A map as it was fitted: ``reference`` is its mean log score out of fold, with its interval."""

    model: Pool
    encoding: Encoding
    identity: Identity
    data_hash: str
    reference: Estimate

    @classmethod
    def of(cls, aligner: Aligner, *, level: float) -> Followed:
        """A saved aligner; its reference is the mean over rows."""
        found = aligner.evaluation.model(aligner.evaluation.chosen)
        reference = undefined("not_identifiable") if found is None else _at_level(found.log, level)
        return cls(aligner.model, aligner.encoding, aligner.identity, aligner.data_hash, reference)

    @classmethod
    def fitted(
        cls,
        study: Study,
        judges: Sequence[str],
        metrics: Sequence[str],
        *,
        select: str,
        level: float,
        rng: np.random.Generator,
    ) -> Followed:
        """A map fitted to a study's labels; its reference is the mean over clusters, as new labels count."""
        rows = features_of(study, judges=judges, metrics=metrics).labelled
        fit = cross_fit(rows, select=select, rng=rng)
        own = fit.calibration
        loss = log_score(fit.predicted[own], rows.target.counts[own])
        mean = clustered_mean(by_cluster(loss, rows.target.cluster[own]), level=level)
        identity = Identity.of(study, rows.encoding.judges, rows.encoding.read)
        return cls(fit.model, rows.encoding, identity, training_hash(rows, study), mean)


def by_cluster(score: Floats, cluster: NDArray[np.intp]) -> Floats:
    """Mean score of each cluster, in order of their codes.

    >>> by_cluster(np.array([1.0, 3.0, 5.0]), np.array([4, 4, 9])).tolist()
    [2.0, 5.0]
    """
    groups = np.unique(cluster, return_inverse=True)[1]
    mean: Floats = np.bincount(groups, score) / np.bincount(groups)
    return mean


def largest_loss(model: Pool) -> float:
    """The largest log score a label can have, -log(0.01 of its smallest base rate), in nats."""
    least = min(float(member.floor.table.min()) for member in model.members)
    return -math.log(PRIOR_MASS * least)


def _at_level(found: Estimate, level: float) -> Estimate:
    """The same t interval at another level."""
    if not found.has_interval or found.n_clusters is None:
        return found
    df = found.n_clusters - 1
    error = (found.high - found.low) / 2 / float(stdtrit(df, (1 + found.level) / 2))
    reach = float(stdtrit(df, (1 + level) / 2)) * error
    return replace(found, low=found.value - reach, high=found.value + reach, level=level)
