"""Base rates: the label prior, and a prior a group that shrinks toward it as far as the groups are alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

__all__ = ["BaseRates", "base_rates", "concentration", "label_prior", "totals"]

Floats = NDArray[np.float64]
LARGEST = 1e4


@dataclass(frozen=True, eq=False)
class BaseRates:
    """``table`` (groups + 1, C): each group's label distribution, and last the one for a group never seen.

    ``kappa`` is how many labels the overall distribution counts as, infinite where the groups do not differ.
    """

    table: Floats
    kappa: float

    def rows(self, group: NDArray[np.int32]) -> Floats:
        """The distribution of each row (n, C); a code below 0 or beyond the table is a group never seen."""
        last = len(self.table) - 1
        return self.table[np.where((group < 0) | (group >= last), last, group)]


def label_prior(counts: Floats) -> Floats:
    """Label shares (C,) of counts (n, C) with one label spread evenly, so that no label has share 0.

    >>> label_prior(np.array([[3.0, 0.0]])).tolist()
    [0.875, 0.125]
    """
    total = counts.sum(axis=0)
    prior: Floats = (total + 1 / len(total)) / (total.sum() + 1)
    return prior


def totals(counts: Floats, group: NDArray[np.int32], n_groups: int) -> Floats:
    """Summed counts of each group (n_groups, C); rows without a group are left out."""
    known = group >= 0
    table = np.zeros((n_groups, counts.shape[1]))
    np.add.at(table, group[known], counts[known])
    return table


def concentration(table: Floats, centre: Floats) -> float:
    """kappa of the Dirichlet-multinomial with mean ``centre`` that fits ``table`` (groups, C) best.

    The marginal likelihood of each group's counts, gamma functions of kappa * centre; searched between 0.1
    and 10,000 and infinite at the upper end, where groups differ no more than chance makes them.
    """
    used = table[table.sum(axis=1) > 0]
    mean = np.broadcast_to(centre, table.shape)[table.sum(axis=1) > 0]
    if len(used) < 2:
        return math.inf

    def loss(log_kappa: float) -> float:
        alpha = math.exp(log_kappa) * mean
        size, labels = alpha.sum(axis=1), used.sum(axis=1)
        within = (gammaln(used + alpha) - gammaln(alpha)).sum(axis=1)
        return -float((gammaln(size) - gammaln(size + labels) + within).sum())

    found = minimize_scalar(loss, bounds=(math.log(0.1), math.log(LARGEST)), method="bounded")
    kappa = math.exp(float(found.x))
    return math.inf if kappa > 0.9 * LARGEST else kappa


def base_rates(counts: Floats, group: NDArray[np.int32], n_groups: int) -> BaseRates:
    """Each group's label distribution (N_g + kappa * prior) / (N_g + kappa), with kappa fitted.

    >>> counts = np.array([[8.0, 2.0], [1.0, 9.0]])
    >>> rates = base_rates(counts, np.array([0, 1], dtype=np.int32), 2)
    >>> bool(rates.table[0, 0] > 0.6), rates.table.shape
    (True, (3, 2))
    """
    prior = label_prior(counts)
    table = totals(counts, group, n_groups)
    kappa = concentration(table, prior)
    size = table.sum(axis=1, keepdims=True)
    shrunk = np.tile(prior, (n_groups, 1)) if math.isinf(kappa) else (table + kappa * prior) / (size + kappa)
    return BaseRates(np.vstack([shrunk, prior]), kappa)
