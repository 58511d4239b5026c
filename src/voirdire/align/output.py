"""From a judge's replies to its output on every row, one adapter a kind of reply."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voirdire.align.adapters.label_probabilities import from_label_probabilities
from voirdire.align.adapters.pairwise import preferences
from voirdire.align.adapters.repeated import most_frequent, no_two, votes_of
from voirdire.align.adapters.score import score_of_probabilities, score_of_runs
from voirdire.align.adapters.verbalised import lift_zeros
from voirdire.align.features import CHUNK
from voirdire.align.judge_output import JudgeOutput
from voirdire.align.replies import Replies
from voirdire.align.set_scale import members_in
from voirdire.study.scale import Scale
from voirdire.study.scales import as_number

__all__ = ["output_of"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
Flags = NDArray[np.bool_]


def output_of(
    replies: Replies, judge: str, labels: tuple[str, ...], scale: Scale, row: Positions, n_rows: int
) -> JudgeOutput:
    """The output of ``judge`` on ``n_rows`` rows; ``row`` (m,) is where each reply belongs, -1 for nowhere.

    A label that ``labels``, the judge's own, does not list counts as a reply without a verdict.
    """
    used = np.flatnonzero(row >= 0)
    at = row[used]
    own = np.array(
        [*(labels.index(each) if each in labels else -1 for each in replies.labels), -1], dtype=np.intp
    )
    code = own[replies.own[used]]
    human = np.array([*(scale.code(label) for label in labels), -1], dtype=np.intp)[code]
    given, lacking = _stated(replies, scale, used)
    log, floored = _mean_over_runs(given, lacking, at, n_rows)
    votes = votes_of(at, human, n_rows, len(scale.labels))
    _add_sets(votes, labels, scale, at, code)
    values = label_values(labels, scale)
    score, spread = score_of_runs(at, values[code], n_rows)
    stated = np.isfinite(log[:, 0])
    if stated.any():
        votes[stated] = 0.0
    if scale.ordered and stated.any():
        positions = np.asarray(scale.values or range(len(scale.labels)), dtype=np.float64)
        mean, within = score_of_probabilities(log, positions)
        score, spread = np.where(stated, mean, score), np.where(stated, within, spread)
    margin, offset, order = _margins(replies, used, at, _leaning(labels, scale, code, given), n_rows)
    finite = values[np.isfinite(values)]
    unit = float(np.ptp(finite)) if len(finite) else 0.0
    return JudgeOutput(
        judge,
        labels,
        most_frequent(at, code, n_rows, len(labels)),
        log,
        votes,
        score,
        spread,
        unit or 1.0,
        floored,
        margin,
        offset,
        order,
        coded=not stated.any() and no_two(at[code >= 0]),
    )


def _add_sets(votes: Floats, labels: tuple[str, ...], scale: Scale, at: Positions, code: Positions) -> None:
    """Add the votes (n_rows, C) of sets that are no human label: one vote each, split over its members."""
    for k, label in enumerate(labels):
        members = members_in(scale, label)
        if members:
            replies = np.bincount(at[code == k], minlength=len(votes))
            for member in members:
                votes[:, scale.code(member)] += replies / len(members)


def label_values(labels: Sequence[str], scale: Scale) -> Floats:
    """The judge's labels as numbers (len + 1,), NaN where there is no order and, last, for no verdict.

    A label of an ordered human scale has its value there, a set the mean of its members, another its own
    number.
    """
    if not scale.ordered:
        return np.full(len(labels) + 1, np.nan)
    positions = scale.values or tuple(float(k) for k in range(len(scale.labels)))
    value = dict(zip(scale.labels, positions, strict=True))
    sets = {label: [value[member] for member in members_in(scale, label)] for label in labels}
    value |= {label: sum(numbers) / len(numbers) for label, numbers in sets.items() if numbers}
    numbers = [value.get(label, as_number(label)) for label in labels]
    return np.array([*(np.nan if number is None else number for number in numbers), np.nan])


def _stated(replies: Replies, scale: Scale, used: Positions) -> tuple[Floats, Flags]:
    """Log probabilities that the replies at ``used`` state (m, C), NaN for none, and which lacked a label."""
    shape, lacking = (len(used), len(scale.labels)), np.zeros(len(used), dtype=np.bool_)
    if not set(scale.labels) & set(replies.study.ratings.probabilities):
        return np.broadcast_to(np.nan, shape), lacking
    log = np.empty(shape)
    for first in range(0, len(used), CHUNK):
        part = slice(first, first + CHUNK)
        given, lacking[part] = from_label_probabilities(replies.probabilities(scale.labels, used[part]))
        log[part] = lift_zeros(given)
    return log, lacking


def _mean_over_runs(log: Floats, lacking: Flags, at: Positions, n_rows: int) -> tuple[Floats, Flags]:
    """Log of the mean stated probability over runs (n_rows, C), and which rows lacked a label."""
    said = np.isfinite(log[:, 0])
    if not said.any():
        return np.broadcast_to(np.nan, (n_rows, log.shape[1])), np.zeros(n_rows, dtype=np.bool_)
    missing = np.bincount(at[lacking & said], minlength=n_rows) > 0
    at, log = at[said], log[said]
    mean = np.full((n_rows, log.shape[1]), np.nan)
    if no_two(at):
        mean[at] = log
        return mean, missing
    total = np.zeros_like(mean)
    np.add.at(total, at, np.exp(log))
    runs = np.bincount(at, minlength=n_rows)
    mean[runs > 0] = np.log(total[runs > 0] / runs[runs > 0, None])
    return mean, missing


def _leaning(labels: tuple[str, ...], scale: Scale, code: Positions, log: Floats) -> Floats | None:
    """How far each reply favours the first of a pair (m,), NaN without a verdict; None where scored singly.

    The log odds where it states probabilities ``log`` (m, C), else 1, -1 or 0 by its label.
    """
    if not {"first", "second"} <= set(scale.labels):
        return None
    sign = {"first": 1.0, "second": -1.0}
    chosen = np.array([*(sign.get(label, 0.0) for label in labels), np.nan])[code]
    odds = log[:, scale.code("first")] - log[:, scale.code("second")]
    return np.where(np.isfinite(odds), odds, chosen)


def _margins(
    replies: Replies, used: Positions, at: Positions, leaning: Floats | None, n_rows: int
) -> tuple[Floats, Floats, Floats]:
    """Margin, offset and order (n_rows,) each; zeros where scored singly."""
    if leaning is None:
        return np.zeros(n_rows), np.zeros(n_rows), np.zeros(n_rows)
    swapped = None if replies.swapped is None else replies.swapped[used]
    return preferences(at, leaning, swapped, n_rows)
