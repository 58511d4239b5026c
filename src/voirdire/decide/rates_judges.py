"""What the judge alone says of each cell, and Rogan and Gladen's correction of it where labels are two."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from voirdire.decide.rates_design import Design
from voirdire.decide.rates_intervals import Interval
from voirdire.decide.rates_population import Verdicts
from voirdire.decide.rates_quantities import Quantity
from voirdire.decide.rates_rows import JudgeRate
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.rogan_gladen import rogan_gladen
from voirdire.study.scale import Scale

__all__ = ["judge_rates", "other_scale"]

Floats = NDArray[np.float64]
FOREIGN = 0.05
"""A judge with a larger share of labels that people's scale does not have answers on another scale."""


def other_scale(judge: Verdicts, scale: Scale) -> tuple[str, ...]:
    """The labels that ``judge`` gives and people's ``scale`` does not have, where they are many."""
    foreign = np.array([*(label not in scale.labels for label in judge.labels), False])
    given = judge.code < len(judge.labels)
    n = int((foreign[judge.code] & given).sum())
    if not given.any() or n <= FOREIGN * int(given.sum()):
        return ()
    return tuple(label for label, odd in zip(judge.labels, foreign[:-1], strict=True) if odd)


def judge_rates(
    judge: Verdicts,
    design: Design,
    quantity: Quantity,
    scale: Scale,
    people: tuple[Floats, NDArray[np.bool_]],
    *,
    level: float,
) -> list[JudgeRate]:
    """The rate of each cell (S) by ``judge`` alone, on entries with a verdict.

    ``people`` are the mean label (e,) of each entry and whether it is seen from the other side (e,). Where
    the judge answers on another scale, its rate cannot be set beside people's: undefined, as is the
    correction (``scale_mismatch``).
    """
    code = judge.code[design.row]
    missing = np.bincount(design.cell[code >= len(judge.labels)], minlength=design.n_cells)
    y, swapped = people
    if other_scale(judge, scale):
        nothing = undefined("scale_mismatch")
        two = len(scale.labels) == 2
        return [JudgeRate(judge.judge, nothing, int(n), nothing if two else None) for n in missing.tolist()]
    said = np.where(
        swapped, _values(judge, scale, quantity.swapped)[code], _values(judge, scale, quantity.value)[code]
    )
    naive, spread = _means(design, said)
    given = np.bincount(design.cell[~np.isnan(said)], minlength=design.n_cells)
    corrected = (
        _corrections(design, said, y, (naive, spread, given), level) if _is_binary(quantity, scale) else None
    )
    found = []
    for cell in range(design.n_cells):
        estimate = _estimate(naive[cell], spread[cell], int(given[cell]), quantity, level)
        fixed, clipped = corrected[cell] if corrected else (None, False)
        found.append(JudgeRate(judge.judge, estimate, int(missing[cell]), fixed, clipped))
    return found


def _is_binary(quantity: Quantity, scale: Scale) -> bool:
    return quantity.share and len(scale.labels) == 2


def _values(judge: Verdicts, scale: Scale, value: Floats) -> Floats:
    """The quantity of each of the judge's own labels (len + 1,), NaN where people have no such label."""
    return np.array(
        [
            *(value[scale.code(label)] if label in scale.labels else math.nan for label in judge.labels),
            math.nan,
        ]
    )


def _means(design: Design, said: Floats) -> tuple[Floats, Floats]:
    """Mean of ``said`` by cell (S,) and its variance over clusters (S,)."""
    at = np.flatnonzero(~np.isnan(said))
    n = design.total(at=at)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = design.total(said[at], at) / n
        part = design.by_block((said[at] - mean[design.cell[at]]) / n[design.cell[at]], at)
        used = np.bincount(design.block[at], minlength=len(design.block_cell)) > 0
        clusters = design.of_blocks(used.astype(np.float64))
        return mean, design.of_blocks(part**2) * clusters / (clusters - 1)


def _estimate(value: float, variance: float, n: int, quantity: Quantity, level: float) -> Estimate:
    if math.isnan(value):
        return undefined("no_labels")
    size = value * (1 - value) / variance if variance > 0 else float(n)
    made = Interval(
        value,
        variance,
        n - 1.0,
        size,
        float(quantity.value.min()),
        float(quantity.value.max()),
        quantity.share,
    )
    low, high = made.bounds(level)
    if math.isnan(low):
        return Estimate(value, level=level, n_items=n, no_interval="zero_width")
    return Estimate(value, low, high, level, n_items=n, method="verdicts, clusters", target=THESE_RATERS)


def _corrections(
    design: Design, said: Floats, y: Floats, verdicts: tuple[Floats, Floats, NDArray[np.int64]], level: float
) -> list[tuple[Estimate, bool]]:
    """Rogan and Gladen's correction of each cell, with sensitivity and specificity of all cells together."""
    naive, spread, given = verdicts
    at = design.labelled[~np.isnan(said[design.labelled])]
    w, positive, judged = design.weight[at], y[at], said[at]
    yes, no = float(w @ positive), float(w @ (1 - positive))
    sensitivity = float(w @ (positive * judged)) / yes if yes > 0 else math.nan
    specificity = float(w @ ((1 - positive) * (1 - judged))) / no if no > 0 else math.nan
    found = []
    for cell in range(design.n_cells):
        if math.isnan(naive[cell]):
            found.append((undefined("no_labels"), False))
            continue
        p, variance = float(naive[cell]), float(spread[cell])
        n = p * (1 - p) / variance if variance > 0 else float(given[cell])
        fixed = rogan_gladen(
            p,
            sensitivity,
            specificity,
            n=n,
            n_positive=float(positive.sum()),
            n_negative=float((1 - positive).sum()),
            level=level,
        )
        found.append((fixed.prevalence, fixed.clipped))
    return found
