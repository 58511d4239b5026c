"""What the judge alone says of each cell, and Rogan and Gladen's correction of it where labels are two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from voirdire.decide.rates_design import Design
from voirdire.decide.rates_intervals import Interval
from voirdire.decide.rates_population import Layer, Verdicts
from voirdire.decide.rates_quantities import Quantity
from voirdire.decide.rates_rows import JudgeRate
from voirdire.stats.estimate import THESE_RATERS, Estimate, undefined
from voirdire.stats.rogan_gladen import rogan_gladen
from voirdire.study.scale import Scale

__all__ = ["Said", "judge_rates", "other_scale"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
FOREIGN = 0.05
"""A judge with a larger share of labels that people's scale does not have answers on another scale."""


def other_scale(judge: Verdicts, scale: Scale) -> tuple[str, ...]:
    """The labels that ``judge`` gives and people's ``scale`` does not have, where they are many."""
    n = np.bincount(judge.code, minlength=len(judge.labels))[: len(judge.labels)]
    foreign = np.array([label not in scale.labels for label in judge.labels], dtype=np.bool_)
    if n[foreign].sum() <= FOREIGN * n.sum():
        return ()
    return tuple(label for label, odd in zip(judge.labels, foreign, strict=True) if odd)


@dataclass(frozen=True, eq=False)
class Said:
    """What ``judge`` said in each of S cells, for people's C labels seen from either side of a pair (2C).

    ``counts`` (S, 2C) are entries by label, ``products`` (S, 2C, 2C) sums over clusters of the products of
    their counts, ``clusters`` (S,) those with a label, ``missing`` (S,) entries without a verdict.
    ``labelled`` (l,) is the label on each entry that people labelled, -1 for none. ``foreign`` says that the
    judge answers on another scale than people.
    """

    judge: str
    counts: Counts
    products: Floats
    clusters: Counts
    missing: Counts
    labelled: NDArray[np.intp]
    foreign: bool

    @classmethod
    def of(cls, judge: Verdicts, layer: Layer, scale: Scale) -> Said:
        """What ``judge`` said in the cells of ``layer``, in the labels of people's ``scale``."""
        design, c = layer.design, len(scale.labels)
        code = judge.code[design.row]
        known = [scale.code(label) if label in scale.labels else -1 for label in judge.labels]
        label = np.array([*known, -1], dtype=np.intp)[code]
        label[layer.swapped & (label >= 0)] += c
        given = np.flatnonzero(label >= 0)
        table = csr_array(
            (np.ones(len(given)), (design.block[given], label[given])), shape=(len(design.block_cell), 2 * c)
        )
        edge = np.searchsorted(design.block_cell, np.arange(design.n_cells + 1))
        cells = [table[start:end] for start, end in pairwise(edge.tolist())]
        return cls(
            judge.judge,
            np.array([part.sum(axis=0) for part in cells], dtype=np.int64).reshape(-1, 2 * c),
            np.array([(part.T @ part).toarray() for part in cells]).reshape(-1, 2 * c, 2 * c),
            np.array([(np.diff(part.indptr) > 0).sum() for part in cells], dtype=np.int64),
            np.bincount(design.cell[code >= len(judge.labels)], minlength=design.n_cells),
            label[design.labelled],
            bool(other_scale(judge, scale)),
        )

    def means(self, value: Floats) -> tuple[list[float], list[float]]:
        """Mean of ``value`` (2C,) by cell (S,) and its variance over clusters (S,)."""
        n = self.counts.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.counts @ value / n
            from_mean = value - mean[:, None]
            squares = np.einsum("si,sij,sj->s", from_mean, self.products, from_mean)
            variance = np.maximum(squares, 0.0) / n**2 * self.clusters / (self.clusters - 1)
        return mean.tolist(), variance.tolist()


def judge_rates(
    said: Said, design: Design, quantity: Quantity, scale: Scale, y: Floats, *, level: float
) -> list[JudgeRate]:
    """The rate of each cell (S) by the judge alone, on entries with a verdict.

    ``y`` (e,) is people's mean label on each entry. Where the judge answers on another scale, its rate cannot
    be set beside people's: undefined, as is the correction (``scale_mismatch``).
    """
    two, missing = len(scale.labels) == 2, said.missing.tolist()
    if said.foreign:
        nothing = undefined("scale_mismatch")
        return [JudgeRate(said.judge, nothing, n, nothing if two else None) for n in missing]
    value = np.concatenate([quantity.value, quantity.swapped])
    cells = [_Cell(*each) for each in zip(*said.means(value), said.counts.sum(axis=1).tolist(), strict=True)]
    naive = [cell.estimate(quantity, level) for cell in cells]
    if not (quantity.share and two):
        return [JudgeRate(said.judge, one, n) for one, n in zip(naive, missing, strict=True)]
    corrected = _corrections(said, design, value, y, cells, level=level)
    return [
        JudgeRate(said.judge, one, n, fixed, clipped)
        for one, n, (fixed, clipped) in zip(naive, missing, corrected, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Cell:
    """A judge's mean in one cell, its ``variance`` over clusters, and of how many verdicts ``n``."""

    mean: float
    variance: float
    n: int

    @property
    def size(self) -> float:
        """How many independent verdicts would give a share this variance."""
        return self.mean * (1 - self.mean) / self.variance if self.variance > 0 else float(self.n)

    def estimate(self, quantity: Quantity, level: float) -> Estimate:
        """The mean with its interval over clusters."""
        if math.isnan(self.mean):
            return undefined("no_labels")
        ends = float(quantity.value.min()), float(quantity.value.max())
        made = Interval(self.mean, self.variance, self.n - 1.0, self.size, *ends, quantity.share)
        low, high = made.bounds(level)
        if math.isnan(low):
            return Estimate(self.mean, level=level, n_items=self.n, no_interval="zero_width")
        return Estimate(
            self.mean, low, high, level, n_items=self.n, method="verdicts, clusters", target=THESE_RATERS
        )


def _corrections(
    said: Said, design: Design, value: Floats, y: Floats, cells: Sequence[_Cell], *, level: float
) -> Iterator[tuple[Estimate, bool]]:
    """Rogan and Gladen's correction of each cell, with sensitivity and specificity of all cells together."""
    given = said.labelled >= 0
    at = design.labelled[given]
    w, positive, judged = design.weight[at], y[at], value[said.labelled[given]]
    yes, no = float(w @ positive), float(w @ (1 - positive))
    sensitivity = float(w @ (positive * judged)) / yes if yes > 0 else math.nan
    specificity = float(w @ ((1 - positive) * (1 - judged))) / no if no > 0 else math.nan
    for cell in cells:
        if math.isnan(cell.mean):
            yield undefined("no_labels"), False
            continue
        fixed = rogan_gladen(
            cell.mean,
            sensitivity,
            specificity,
            n=cell.size,
            n_positive=float(positive.sum()),
            n_negative=float((1 - positive).sum()),
            level=level,
        )
        yield fixed.prevalence, fixed.clipped
