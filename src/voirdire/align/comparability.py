"""Distances that other papers report, each beside what a perfect prediction scores against so few labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from voirdire.align.fusion import posterior_draws
from voirdire.errors import UserError

__all__ = [
    "Comparable",
    "comparable",
    "dist_ce",
    "ent_ce",
    "jensen_shannon",
    "manhattan",
    "rank_cs",
    "wasserstein",
]

Floats = NDArray[np.float64]
DRAWS = 50


def dist_ce(predicted: Floats, counts: Floats) -> Floats:
    """Total variation distance to the labels' shares, each row (n,): DistCE of Baan et al. 2022.

    Not proper with few labels: with 3 it is smallest for predictions sharper than the truth.

    >>> dist_ce(np.array([[0.5, 0.5]]), np.array([[3.0, 1.0]])).tolist()
    [0.25]
    """
    return manhattan(predicted, counts) / 2


def manhattan(predicted: Floats, counts: Floats) -> Floats:
    """Sum over labels of the absolute difference to their shares (n,), as LeWiDi 2025 reports it."""
    distance: Floats = np.abs(predicted - _shares(counts)).sum(axis=1)
    return distance


def jensen_shannon(predicted: Floats, counts: Floats) -> Floats:
    """Jensen-Shannon distance to the labels' shares (n,): the root, in nats. Not proper with few labels."""
    shares = _shares(counts)
    middle = (predicted + shares) / 2
    divergence = (entr(middle) - (entr(predicted) + entr(shares)) / 2).sum(axis=1)
    distance: Floats = np.sqrt(np.maximum(divergence, 0.0))
    return distance


def wasserstein(predicted: Floats, counts: Floats, values: Floats | None = None) -> Floats:
    """Sum over cuts of the absolute difference of cumulative shares (n,), one step or ``values`` (C,) apart.

    It needs labels in order.
    """
    gap = np.abs(np.cumsum(predicted - _shares(counts), axis=1))[:, :-1]
    step = np.ones(gap.shape[1]) if values is None else np.diff(values)
    distance: Floats = gap @ step
    return distance


def ent_ce(predicted: Floats, counts: Floats) -> Floats:
    """Entropy of the prediction minus that of the labels' shares (n,), nats: EntCE of Baan et al. 2022.

    With few labels the shares' entropy is too small, so a perfect prediction scores above 0.
    """
    gap: Floats = entr(predicted).sum(axis=1) - entr(_shares(counts)).sum(axis=1)
    return gap


def rank_cs(predicted: Floats, counts: Floats) -> Floats:
    """1 where the labels rank alike by prediction and by count, else 0 (n,): RankCS of Baan et al. 2022.

    Tied counts rank in the labels' order on both sides, as a stable sort leaves them.
    """
    same: Floats = (_ranking(predicted) == _ranking(counts)).all(axis=1).astype(np.float64)
    return np.where(counts.sum(axis=1) > 0, same, np.nan)


@dataclass(frozen=True)
class Comparable:
    """A distance's mean over rows, and ``perfect``: the mean that the true distributions would score.

    ``perfect`` is NaN where kappa is not measurable, as truths cannot be drawn then.
    """

    name: str
    value: float
    perfect: float


def comparable(
    predicted: Floats,
    counts: Floats,
    kappa: float,
    *,
    values: Floats | None = None,
    ordered: bool = False,
    rng: np.random.Generator,
) -> list[Comparable]:
    """Every distance on rows with labels, beside the perfect prediction's against as many labels.

    ``predicted`` and ``counts`` are (n, C). Truths are drawn from Dir(kappa q_i + n_i), and k_i labels from
    each truth.
    """
    used = counts.sum(axis=1) > 0
    if not used.any():
        raise UserError("no row has a human label", expected="labels to compare with", fix="label items")
    q, n = predicted[used], counts[used]
    measures: dict[str, Callable[[Floats, Floats], Floats]] = {
        "DistCE": dist_ce,
        "JSD (root, nats)": jensen_shannon,
        "Manhattan": manhattan,
        "EntCE": ent_ce,
        "RankCS": rank_cs,
    }
    if ordered:
        measures["Wasserstein"] = lambda a, b: wasserstein(a, b, values)
    perfect = dict.fromkeys(measures, np.nan) if np.isnan(kappa) else _perfect(measures, q, n, kappa, rng)
    return [Comparable(name, float(of(q, n).mean()), perfect[name]) for name, of in measures.items()]


def _perfect(
    measures: dict[str, Callable[[Floats, Floats], Floats]],
    q: Floats,
    n: Floats,
    kappa: float,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Mean of each measure between drawn truths and labels drawn from them."""
    total = dict.fromkeys(measures, 0.0)
    k = n.sum(axis=1).astype(np.int64)
    for _ in range(DRAWS):
        truth = posterior_draws(q, n, kappa, rng)
        labels = rng.multinomial(k, truth).astype(np.float64)
        for name, of in measures.items():
            total[name] += float(of(truth, labels).mean()) / DRAWS
    return total


def _shares(counts: Floats) -> Floats:
    k = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Floats = counts / k
    return shares


def _ranking(table: Floats) -> NDArray[np.intp]:
    return np.argsort(-table, axis=1, kind="stable")
