"""What one person's label tells about the others': the prediction that a replacement has to beat."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voirdire.align.fusion import LARGEST_KAPPA, fit_kappa
from voirdire.align.priors import concentration, label_prior

__all__ = ["OnePerson"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class OnePerson:
    """Predictions of another person's label on n rows: without any label (``prior`` (n, C)), and given one.

    ``given`` (n, C, C) has in [i, a] the label distribution that one label ``a`` on row i supports; NaN where
    the rows of the other folds are too few. ``kappa`` (folds,) is the fitted concentration of each fold.
    """

    prior: Floats
    given: Floats
    kappa: Floats

    @classmethod
    def fitted(cls, counts: Floats, fold: Positions) -> OnePerson:
        """Learn from label ``counts`` (n, C), for each row from the rows of the other folds (``fold`` (n,)).

        p(. | a) = (alpha + e_a) / (sum alpha + 1), alpha = kappa times the label prior, with kappa the
        Dirichlet-multinomial concentration of the labels of a row: the best use of one label when all pairs
        of different labels are alike. Where they are not (a 4 is nearer to a 5 than a 1 is), the labels seen
        together refine it: (N_a + lambda p(. | a)) / (|N_a| + lambda), lambda by marginal likelihood, and
        infinite where the pairs say nothing more.

        >>> counts = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]] * 10)
        >>> OnePerson.fitted(counts, np.arange(30) % 5).given[0].round(2).tolist()
        [[0.67, 0.33], [0.33, 0.67]]
        """
        n, c = counts.shape
        prior, given = np.full((n, c), np.nan), np.full((n, c, c), np.nan)
        folds = np.unique(fold)
        kappas = np.full(len(folds), np.nan)
        for k, name in enumerate(folds.tolist()):
            others = counts[fold != name]
            prior[fold == name] = base = label_prior(others)
            kappas[k] = kappa = fit_kappa(np.tile(base, (len(others), 1)), others).value
            given[fold == name] = _refined(_one_label(base, kappa), others)
        return cls(prior, given, kappas)


def _one_label(prior: Floats, kappa: float) -> Floats:
    """(alpha + e_a) / (sum alpha + 1) for each label a (C, C), alpha = kappa times ``prior`` (C,)."""
    alpha = min(kappa, LARGEST_KAPPA) * prior
    table: Floats = (alpha + np.eye(len(prior))) / (alpha.sum() + 1)
    return table


def _refined(centre: Floats, counts: Floats) -> Floats:
    """``centre`` (C, C) moved toward the labels seen beside each label, as far as they differ from it."""
    if not np.isfinite(centre).all():
        return centre
    seen = _beside(counts)
    weight = concentration(seen, centre)
    if math.isinf(weight):
        return centre
    refined: Floats = (seen + weight * centre) / (seen.sum(axis=1, keepdims=True) + weight)
    return refined


def _beside(counts: Floats) -> Floats:
    """How often each label b stands beside a label a (C, C); the pairs of one label count as one in all."""
    several = counts[counts.sum(axis=1) > 1]
    weight = 1 / (several.sum(axis=1) - 1)
    beside: Floats = (several * weight[:, None]).T @ several - np.diag(
        (several * weight[:, None]).sum(axis=0)
    )
    return beside
