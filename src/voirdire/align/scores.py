"""Proper scores of predicted distributions: the log score, and a kernel score free of sampling noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voirdire.study.scale import Scale

__all__ = [
    "brier_kernel",
    "energy_kernel",
    "kernel_name",
    "kernel_of",
    "kernel_score",
    "log_score",
    "observed_disagreement",
    "ordered_set_kernel",
    "rps_kernel",
    "set_kernel",
]

Floats = NDArray[np.float64]


def log_score(predicted: Floats, counts: Floats) -> Floats:
    """-(1/k_i) sum_j log q_i[y_ij] of each row (n,), in nats; NaN for a row without labels.

    ``predicted`` and ``counts`` are (n, C). Strictly proper with any number of labels. Nothing is clipped:
    a label that was called impossible costs infinity.

    >>> log_score(np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([[1.0, 1.0], [0.0, 0.0]])).round(3).tolist()
    [0.693, nan]
    """
    k = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(counts > 0, counts * np.log(predicted), 0.0).sum(axis=1)
        score: Floats = np.where(k > 0, -each / k, np.nan)
    return score


def kernel_score(predicted: Floats, counts: Floats, kernel: Floats) -> Floats:
    """Unbiased squared distance between a prediction and the labels' population, each row (n,).

    q'Kq - 2 q'K n/k + [n'Kn - sum_c K_cc n_c] / (k (k - 1)), whose expectation over the k labels is
    (q - p)'K(q - p): 0 for the perfect prediction at any k, so single values may be negative and only means
    matter. ``predicted`` and ``counts`` are (n, C), ``kernel`` is (C, C) and positive semidefinite, at least
    on vectors that sum to 0. NaN for rows with fewer than two labels.

    Source: the U-statistic form of the maximum mean discrepancy (Gretton et al. 2012, equation 3), of a
    kernel score (Gneiting & Raftery 2007, section 5).

    >>> both = kernel_score(np.array([[0.5, 0.5]]), np.array([[1.0, 1.0]]), brier_kernel(2))
    >>> both.tolist()
    [-0.5]
    """
    k = counts.sum(axis=1)
    within = np.einsum("nc,cd,nd->n", predicted, kernel, predicted)
    across = np.einsum("nc,cd,nd->n", predicted, kernel, counts)
    pairs = np.einsum("nc,cd,nd->n", counts, kernel, counts) - counts @ np.diag(kernel)
    with np.errstate(divide="ignore", invalid="ignore"):
        score: Floats = np.where(k > 1, within - 2 * across / k + pairs / (k * (k - 1)), np.nan)
    return score


def observed_disagreement(counts: Floats) -> Floats:
    """Share of label pairs that differ, 1 - sum_c n_c (n_c - 1) / (k (k - 1)), of each row (n,).

    An unbiased estimate of 1 - sum_c p_c^2; NaN below two labels.

    >>> observed_disagreement(np.array([[2.0, 1.0]])).round(3).tolist()
    [0.667]
    """
    k = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        same = (counts * (counts - 1)).sum(axis=1) / (k * (k - 1))
    disagreement: Floats = np.where(k > 1, 1 - same, np.nan)
    return disagreement


def brier_kernel(n_labels: int) -> Floats:
    """Any two labels are equally far apart: the score is the squared distance of the distributions."""
    return np.eye(n_labels)


def rps_kernel(n_labels: int) -> Floats:
    """Ordered labels one step apart (C, C): sum_m 1[c <= m] 1[d <= m] over the C - 1 cuts between them.

    The score is the sum over cuts of the squared difference of cumulative shares (ranked probability score).

    >>> rps_kernel(3).tolist()
    [[2.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    place = np.arange(n_labels)
    kernel: Floats = (n_labels - 1.0) - np.maximum(place[:, None], place[None, :])
    return kernel


def energy_kernel(values: Floats) -> Floats:
    """Labels at numeric ``values`` (C,): -|v_c - v_d| / 2, positive semidefinite on vectors that sum to 0.

    The score is the integral of the squared difference of cumulative shares (excess CRPS), in units of the
    values; with unit steps it equals that of :func:`rps_kernel`.
    """
    kernel: Floats = -np.abs(values[:, None] - values[None, :]) / 2
    return kernel


def set_kernel(scale: Scale) -> Floats:
    """Labels that admit several verdicts (C, C): the overlap of what two labels admit over their union.

    Jaccard similarity, which is positive semidefinite (Gower 1971). Borderline lies half-way between pass
    and fail.

    >>> set_kernel(Scale("nominal", ("fail", "unsure", "pass"), indeterminate={"unsure": ("pass", "fail")}))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    sets = [scale.members(label) for label in scale.labels]
    return np.array([[len(one & two) / len(one | two) if one | two else 1.0 for two in sets] for one in sets])


def ordered_set_kernel(scale: Scale) -> Floats:
    """Labels of an ordered scale that are sets (C, C): each counts by its lowest and its highest verdict.

    Positive semidefinite on vectors that sum to 0, as it is the mean of two such kernels; on single verdicts
    it is :func:`energy_kernel` of their values, or of their places in order.

    >>> scale = Scale("ordinal", ("1", "1|2", "2"), True, indeterminate={"1|2": ("1", "2")}, separator="|")
    >>> kernel = ordered_set_kernel(scale)
    >>> kernel_score(np.array([[1.0, 0, 0]]), np.array([[0, 2.0, 0]]), kernel).tolist()
    [0.5]
    """
    places = dict(zip(scale.labels, scale.values, strict=True)) if scale.values is not None else {}
    place = {verdict: places.get(verdict, float(k)) for k, verdict in enumerate(scale.verdicts)}
    admitted = [[place[verdict] for verdict in scale.members(label)] for label in scale.labels]
    ends = [np.array([end(numbers) for numbers in admitted]) for end in (min, max)]
    kernel: Floats = (energy_kernel(ends[0]) + energy_kernel(ends[1])) / 2
    return kernel


def _has_ordered_sets(scale: Scale) -> bool:
    """Whether raters of an ordered scale gave several verdicts in one label, each set naming verdicts."""
    sets = scale.ordered and scale.has_sets and bool(scale.indeterminate)
    return sets and all(scale.members(label) for label in scale.labels)


def kernel_of(scale: Scale) -> Floats:
    """The kernel (C, C) that fits a scale: its values, its order, what its labels admit, or none of them."""
    if scale.indeterminate and not scale.ordered:
        return set_kernel(scale)
    if _has_ordered_sets(scale):
        return ordered_set_kernel(scale)
    if scale.ordered and scale.values is not None:
        return energy_kernel(np.asarray(scale.values, dtype=np.float64))
    return rps_kernel(len(scale.labels)) if scale.ordered else brier_kernel(len(scale.labels))


def kernel_name(scale: Scale) -> str:
    """What :func:`kernel_of` measures, in the field's words."""
    if scale.indeterminate and not scale.ordered:
        return "squared distance with label sets"
    if scale.ordered:
        sets = " with label sets" if _has_ordered_sets(scale) else ""
        return f"excess {'CRPS' if scale.values is not None else 'RPS'}{sets}"
    return "excess Brier score"
