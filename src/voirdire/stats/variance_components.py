"""REML variance components of ratings with an item and a rater effect, for designs with missing cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.sparse import csr_array, diags_array

__all__ = ["LARGEST", "VarianceComponents", "variance_components"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

LARGEST = 2_000
"""Items or raters, whichever are fewer, up to which the dense part of the equations is solved."""

DENSE_UP_TO = 10_000
"""Cells of a table up to which plain arrays are quicker than sparse ones."""


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variance between items, between raters, and what neither explains; REML, so none is below 0."""

    item: float
    rater: float
    error: float


@dataclass(frozen=True, slots=True)
class _Equations:
    """Henderson's equations in the two ratios of standard deviations; the many side is eliminated first."""

    y: Floats
    many: Codes
    few: Codes
    met: Floats | csr_array
    per_many: Floats
    per_few: Floats

    def criterion(self, ratio_many: float, ratio_few: float) -> tuple[float, float]:
        """Minus twice the REML log-likelihood, up to a constant, and the error variance that maximises it.

        With Z scaled by the ratios, |V| |X'V⁻¹X| is the determinant of [X Z]'[X Z] + diag(0, I), and the
        residual form y'Py is the penalised sum of squares at its solution (Bates et al. 2015).
        """
        n = self.y.size
        d = 1 + ratio_many**2 * self.per_many
        corner, right = self._reduced(ratio_many, ratio_few, d)
        factor = cho_factor(corner, lower=True)
        solved = cho_solve(factor, right)
        fixed, u_few = solved[0], solved[1:]
        shown = ratio_few * u_few[self.few]
        left_over = np.bincount(self.many, self.y - fixed - shown, minlength=d.size)
        u_many = ratio_many * left_over / d
        residual = self.y - fixed - shown - ratio_many * u_many[self.many]
        penalised = float(residual @ residual + u_few @ u_few + u_many @ u_many)
        log_det = float(np.log(d).sum()) + 2 * float(np.log(np.diag(factor[0])).sum())
        variance = penalised / (n - 1)
        return log_det + (n - 1) * np.log(max(variance, 1e-300)), variance

    def _reduced(self, ratio_many: float, ratio_few: float, d: Floats) -> tuple[Floats, Floats]:
        """The equations of the mean and the few, the many eliminated: matrix and right-hand side."""
        weight = ratio_many**2 / d
        k = self.per_few.size
        corner = np.empty((k + 1, k + 1))
        corner[0, 0] = self.y.size - float(weight @ self.per_many**2)
        corner[0, 1:] = corner[1:, 0] = ratio_few * (self.per_few - self.met.T @ (weight * self.per_many))
        corner[1:, 1:] = ratio_few**2 * (np.diag(self.per_few) - self._crossed(weight)) + np.eye(k)
        many_sum = np.bincount(self.many, self.y, minlength=d.size)
        few_sum = np.bincount(self.few, self.y, minlength=k)
        right = np.empty(k + 1)
        right[0] = self.y.sum() - float(weight * self.per_many @ many_sum)
        right[1:] = ratio_few * (few_sum - self.met.T @ (weight * many_sum))
        return corner, right

    def _crossed(self, weight: Floats) -> Floats:
        if isinstance(self.met, np.ndarray):
            return np.asarray((self.met.T * weight) @ self.met)
        return np.asarray((self.met.T @ (diags_array(weight) @ self.met)).todense())


def variance_components(item: Codes, rater: Codes, value: Floats) -> VarianceComponents:
    """Restricted maximum likelihood for value = mean + item + rater + error, all three random and normal.

    ``item``, ``rater`` and ``value`` are (n,), codes without gaps from 0. Any cells may be missing; the work
    of each of about a hundred evaluations is that of the ratings of each item squared, plus the cube of the
    number of raters (or of items, if those are fewer), which must not exceed :data:`LARGEST`.

    Source: Patterson & Thompson 1971; Searle, Casella & McCulloch 1992, chapter 6.

    >>> item, rater = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 0, 1])
    >>> found = variance_components(item, rater, np.array([1.0, 2.0, 3.0, 4.0, 5.0, 7.0]))
    >>> round(found.item, 3), round(found.rater, 3), round(found.error, 3)
    (5.0, 0.833, 0.167)
    """
    centred = value - value.mean()
    scale = float(centred.std()) or 1.0
    equations = _equations(item, rater, centred / scale)

    def criterion(ratios: Floats) -> float:
        return equations.criterion(float(ratios[0]), float(ratios[1]))[0]

    # the criterion is even in both ratios, so the boundary at 0 needs no guard
    starts = [np.array(start) for start in ((1.0, 0.5), (0.2, 1.0), (3.0, 3.0))]
    start = min(starts, key=criterion)
    found = minimize(
        criterion, start, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 2000}
    )
    many, few = np.abs(found.x)
    error = equations.criterion(float(many), float(few))[1] * scale**2
    item_ratio, rater_ratio = (many, few) if item.max() >= rater.max() else (few, many)
    return VarianceComponents(float(item_ratio**2 * error), float(rater_ratio**2 * error), float(error))


def _equations(item: Codes, rater: Codes, y: Floats) -> _Equations:
    n_items, n_raters = int(item.max()) + 1, int(rater.max()) + 1
    many, few = (item, rater) if n_items >= n_raters else (rater, item)
    assert min(n_items, n_raters) <= LARGEST, "the caller keeps the dense part small"
    shape = (max(n_items, n_raters), min(n_items, n_raters))
    sparse = csr_array((np.ones(y.size), (many, few)), shape=shape)
    met = np.asarray(sparse.todense()) if shape[0] * shape[1] <= DENSE_UP_TO else sparse
    per_many = np.bincount(many).astype(np.float64)
    return _Equations(y, many, few, met, per_many, np.bincount(few).astype(np.float64))
