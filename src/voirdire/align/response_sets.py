"""Response sets: what share of people accept each verdict, and how far a prediction is from it.

A label that admits several verdicts (borderline, a response set) is read in two ways. The forced-choice
target asks which one verdict a person would have named, the response-set target which verdicts they accept.
Both are linear in a person's label, so both are a matrix (O, V): V labels in, O verdicts out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voirdire.errors import UserError
from voirdire.study.policy import LEFT_OUT, Policy, policies
from voirdire.study.scale import Scale

__all__ = [
    "EVENLY",
    "accepting",
    "even_split",
    "forcings",
    "kept_labels",
    "membership",
    "read_out",
    "squared_errors",
]

Floats = NDArray[np.float64]
EVENLY = "split evenly"
"""The way to force a label that needs no assumption of who would choose what: equal chances."""


def membership(scale: Scale) -> Floats:
    """Which of ``scale.verdicts`` each label admits (O, V): 1 where label v admits verdict o, else 0.

    As a read-out it gives the response-set target: the share of people whose set contains each verdict.

    >>> admits = {"borderline": ("pass", "fail")}
    >>> scale = Scale("nominal", ("pass", "borderline", "fail"), indeterminate=admits)
    >>> membership(scale).tolist()
    [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]
    """
    sets = [scale.members(label) for label in scale.labels]
    return np.array([[float(verdict in admitted) for admitted in sets] for verdict in scale.verdicts])


def even_split(members: Floats) -> Floats:
    """The read-out (O, V) that forces each label to one of its verdicts with equal chance, 1 / |S| each.

    >>> even_split(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])).tolist()
    [[1.0, 0.5, 0.0], [0.0, 0.5, 1.0]]
    """
    size = members.sum(axis=0)
    split: Floats = members / np.maximum(size, 1)
    return split


def forcings(scale: Scale) -> dict[str, Floats]:
    """Every defensible way to force labels to one verdict, as read-outs (O, V): split evenly first.

    The others are the study's policies; a label that a policy removes has a column of zeros.

    >>> admits = {"borderline": ("pass", "fail")}
    >>> scale = Scale("nominal", ("pass", "borderline", "fail"), indeterminate=admits)
    >>> {name: matrix[:, 1].tolist() for name, matrix in forcings(scale).items()}
    {'split evenly': [0.5, 0.5], 'left out': [0.0, 0.0], 'as pass': [1.0, 0.0], 'as fail': [0.0, 1.0]}
    """
    found = {EVENLY: even_split(membership(scale))}
    for policy in policies(scale):
        if policy.name == LEFT_OUT or policy.target is not None:
            found[policy.name] = _by_policy(scale, policy)
    return found


def _by_policy(scale: Scale, policy: Policy) -> Floats:
    _, new = policy.apply(scale)
    matrix = np.zeros((len(scale.verdicts), len(scale.labels)))
    kept = np.flatnonzero(new >= 0)
    matrix[new[kept], kept] = 1.0
    return matrix


def accepting(members: Floats, beta: float, verdict: int | None = None) -> Floats:
    """The read-out (O, V) of people who also accept a verdict that they did not name, with probability beta.

    Where people were forced to one verdict nobody knows what else they would have accepted; this is one
    number's worth of it. ``verdict`` (a row) limits it to one verdict that those who named another also
    accept; None lets any be accepted. Source: the sensitivity model of Guerdan et al. 2025
    (arXiv 2503.05965).

    >>> accepting(np.eye(2), 0.25, 0).tolist()
    [[1.0, 0.25], [0.0, 1.0]]
    """
    if not 0 <= beta <= 1:
        raise UserError(f"beta is {beta!r}", expected="a probability from 0 to 1")
    may = np.zeros((len(members), 1))
    may[slice(None) if verdict is None else verdict] = beta
    # a label that admits nothing is no statement about verdicts, and stays one
    matrix: Floats = members + may * (1 - members) * (members.sum(axis=0) > 0)
    return matrix


def kept_labels(counts: Floats, readout: Floats) -> Floats:
    """The counts (n, V) without labels that ``readout`` (O, V) removes, those with a column of zeros."""
    kept: Floats = counts * (readout.sum(axis=0) > 0)
    return kept


def read_out(counts: Floats, readout: Floats) -> Floats:
    """The mean of ``readout`` (O, V) over the labels of each row (n, O); NaN for a row without labels.

    ``counts`` (n, V) may be people's label counts or one judge's shares. With :func:`membership` this is
    omega, the share of people whose set contains each verdict.

    >>> read_out(np.array([[1.0, 2.0, 1.0]]), np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])).tolist()
    [[0.75, 0.75]]
    """
    kept = kept_labels(counts, readout)
    k = kept.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Floats = np.where(k > 0, kept @ readout.T / k, np.nan)
    return shares


def squared_errors(predicted: Floats, counts: Floats, readout: Floats) -> Floats:
    """Unbiased squared error of each verdict's predicted share (n, O); NaN below two labels.

    (q_o - x_o)^2 - s_o^2 / k, where x_o is the mean and s_o^2 the variance, with k - 1 below, of the k
    labels' read-outs. Its expectation over the k labels is (q_o - E x_o)^2, so the right prediction has 0
    on average at any k, and single values may be negative. ``predicted`` is (n, O), ``counts`` (n, V),
    ``readout`` (O, V). Summed over verdicts it is the kernel score of
    :func:`voirdire.align.scores.kernel_score` with kernel readout' readout; with :func:`membership` its mean
    is the response-set MSE.

    >>> squared_errors(np.array([[0.5, 0.5]]), np.array([[1.0, 1.0]]), np.eye(2)).tolist()
    [[-0.25, -0.25]]
    """
    if predicted.shape != (len(counts), len(readout)):
        raise UserError(
            f"predicted shares of shape {predicted.shape}", expected=f"({len(counts)}, {len(readout)})"
        )
    kept = kept_labels(counts, readout)
    k = kept.sum(axis=1, keepdims=True)
    mean = read_out(counts, readout)
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = (kept @ (readout**2).T - k * mean**2) / (k * (k - 1))
        errors: Floats = np.where(k > 1, (predicted - mean) ** 2 - noise, np.nan)
    return errors
